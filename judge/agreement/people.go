package agreement

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"lore/judge"
	"lore/judge/metric"
)

// People is how several annotators of the same questions agree with each other. Undefined
// figures are NaN.
type People struct {
	Questions  int // rated by two annotators or more
	Annotators []Annotator
	Alpha      float64 // Krippendorff's, of values
	Ordinal    float64 // the same by order alone
	Fleiss     float64 // of the questions that FleissN says
	FleissN    int     // rated by as many annotators as most are
	Cohen      float64 // quadratic weights, mean over the pairs of annotators
	Pairs      float64 // Pearson, mean over the pairs of annotators
	Alt        metric.AltTest
}

// Annotator is one of several who rated the same questions.
type Annotator struct {
	Name   string
	N      int     // ratings
	Others float64 // Pearson with the mean of the others
	Judge  float64 // Pearson of the judge with this annotator
	JudgeN int
}

// Settings of the alternative-annotator test: what people cost more than a judge, as for skilled
// annotators, and the false discovery rate (Calderon et al., 2025).
const (
	AltEpsilon = 0.15
	AltRate    = 0.05
)

// MeasurePeople measures the annotators of labels, and the judge beside each of them; verdicts
// may be nil. ok is false where no question has two ratings.
func MeasurePeople(items []Item, verdicts [][]judge.Verdict) (p People, ok bool) {
	r := ratingsOf(items, verdicts)
	if len(r.names) < 2 {
		return p, false
	}
	p.Alpha = metric.KrippendorffAlpha(r.units, metric.IntervalScale)
	p.Ordinal = metric.KrippendorffAlpha(r.units, metric.OrdinalScale)
	for _, u := range r.units {
		if len(present(u)) > 1 {
			p.Questions++
		}
	}
	p.Fleiss, p.FleissN = fleiss(r.units)
	p.Cohen, p.Pairs = r.pairs()

	people := r.columns()
	for j, name := range r.names {
		p.Annotators = append(p.Annotators, r.annotator(j, name, people[j]))
	}
	p.Alt = metric.AlternativeAnnotators(people, r.onScale(), AltEpsilon, AltRate)
	return p, p.Questions > 0
}

// ratings are those of all questions: units[i][j] is the value that annotator j gave question i,
// NaN for none, and judge[i] the judge's.
type ratings struct {
	names []string
	units [][]float64
	judge []float64
}

func ratingsOf(items []Item, verdicts [][]judge.Verdict) ratings {
	names := map[string]bool{}
	for _, it := range items {
		for _, by := range it.Ratings {
			for n := range by {
				names[n] = true
			}
		}
	}

	out := ratings{names: slices.Sorted(maps.Keys(names))}
	for i, it := range items {
		for k, by := range it.Ratings {
			if len(by) == 0 || !it.Human[k].Scored() {
				continue
			}
			unit := make([]float64, len(out.names))
			for j, n := range out.names {
				unit[j] = metric.NaN
				if v, ok := by[n]; ok {
					unit[j] = v
				}
			}

			value := metric.NaN
			if verdicts != nil && verdicts[i][k].Scored() {
				value = verdicts[i][k].Value
			}
			out.units, out.judge = append(out.units, unit), append(out.judge, value)
		}
	}
	return out
}

// mostCategories is the number of different ratings up to which people label rather than measure.
const mostCategories = 6

// onScale are the judge's values as people would have to give them: the nearest of their ratings, where
// these are few.
func (r ratings) onScale() []float64 {
	values := categories(r.units)
	if len(values) > mostCategories {
		return r.judge
	}
	out := slices.Clone(r.judge)
	for i, v := range out {
		if !math.IsNaN(v) {
			out[i] = slices.MinFunc(values, func(a, b float64) int { return cmp.Compare(math.Abs(a-v), math.Abs(b-v)) })
		}
	}
	return out
}

// columns are the ratings by annotator.
func (r ratings) columns() [][]float64 {
	out := make([][]float64, len(r.names))
	for j := range out {
		for _, u := range r.units {
			out[j] = append(out[j], u[j])
		}
	}
	return out
}

// annotator compares one with the mean of the others, and the judge with this one.
func (r ratings) annotator(j int, name string, own []float64) Annotator {
	a := Annotator{Name: name}
	var mine, others, judged, same []float64
	for i, v := range own {
		if math.IsNaN(v) {
			continue
		}
		a.N++
		rest := slices.Clone(r.units[i])
		rest[j] = metric.NaN
		if rest = present(rest); len(rest) > 0 {
			mine, others = append(mine, v), append(others, metric.Mean(rest))
		}
		if !math.IsNaN(r.judge[i]) {
			judged, same = append(judged, r.judge[i]), append(same, v)
		}
	}
	a.Others, a.Judge, a.JudgeN = metric.Pearson(mine, others), metric.Pearson(judged, same), len(same)
	return a
}

// pairs are means over all two annotators who rated the same questions.
func (r ratings) pairs() (kappa, pearson float64) {
	values := categories(r.units)
	var kappas, correlations []float64
	for a := range r.names {
		for b := range a {
			var x, y []float64
			var i, j []int
			for _, u := range r.units {
				if !math.IsNaN(u[a]) && !math.IsNaN(u[b]) {
					x, y = append(x, u[a]), append(y, u[b])
					i, j = append(i, slices.Index(values, u[a])), append(j, slices.Index(values, u[b]))
				}
			}
			kappas = append(kappas, metric.CohenKappa(i, j, len(values), metric.Quadratic))
			correlations = append(correlations, metric.Pearson(x, y))
		}
	}
	return metric.Mean(present(kappas)), metric.Mean(present(correlations))
}

// fleiss is Fleiss' kappa over the questions with as many ratings as most questions have.
func fleiss(units [][]float64) (kappa float64, n int) {
	by := map[int]int{}
	for _, u := range units {
		by[len(present(u))]++
	}
	most := 0
	for _, raters := range slices.Sorted(maps.Keys(by)) {
		if raters > 1 && by[raters] >= by[most] {
			most = raters
		}
	}
	if most == 0 {
		return metric.NaN, 0
	}

	values := categories(units)
	var counts [][]int
	for _, u := range units {
		given := present(u)
		if len(given) != most {
			continue
		}
		row := make([]int, len(values))
		for _, v := range given {
			row[slices.Index(values, v)]++
		}
		counts = append(counts, row)
	}
	return metric.FleissKappa(counts), len(counts)
}

// categories are the different ratings in ascending order.
func categories(units [][]float64) []float64 {
	out := present(slices.Concat(units...))
	slices.Sort(out)
	return slices.Compact(out)
}

// present leaves out what is missing.
func present(values []float64) []float64 {
	return slices.DeleteFunc(slices.Clone(values), math.IsNaN)
}
