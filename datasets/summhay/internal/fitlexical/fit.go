package main

import (
	"maps"
	"math"
	"slices"
	"strings"

	"lore/judge"
	"lore/judge/lexical"
	"lore/judge/metric"
)

// kinds are those with a model of their own.
var kinds = []judge.Kind{judge.Coverage, judge.Entailment, judge.Answerability}

// linkPrecision is the weight of precision in the choice of the unit. It was fitted on
// SummHay's links alone by the first version of this judge, and nothing has moved it since.
const linkPrecision = 0.2

// summHayWeight is how much more than by its size SummHay counts: it is the only set of long
// answers in bullets. Chosen on cross-validated figures once.
const summHayWeight = 4

// fitter holds what every fit shares: the rows, and their moments by set and fold.
type fitter struct {
	sets    []*set
	scale   []lexical.Weighted
	moments [][folds]*moments
}

// rows tells which rows take part in a fit.
type rows func(set, fold int) bool

func everything(int, int) bool { return true }

// fitAll fits the model on everything, and measures fits that left something out.
func fitAll(sets []*set, digest string) lexical.Fitted {
	f := newFitter(sets)
	fitted := lexical.Fitted{Command: "make fit", DataHash: digest, Model: f.fit(everything)}
	var names []string
	for _, s := range sets {
		names = append(names, s.name)
		fitted.N += len(s.rows)
	}
	fitted.Data = strings.Join(names, ", ")

	out := make([]lexical.SetFit, len(sets))
	nested := make([][]verdict, len(sets))
	for k, s := range sets {
		out[k] = lexical.SetFit{Set: s.name, Kind: s.rows[0].kind, N: len(s.rows), Groups: s.groups}
		nested[k] = make([]verdict, len(s.rows))
	}

	for fold := range folds {
		m := f.fit(func(_, g int) bool { return g != fold })
		for k, s := range sets {
			s.judge(m, func(r row) bool { return r.fold == fold }, nested[k])
		}
	}
	for k, s := range sets {
		out[k].Nested, out[k].Labels, _ = agree(s.rows, nested[k])
		out[k].Before = s.before()
		s.further(&out[k], nested[k])

		m := f.fit(func(set, _ int) bool { return set != k })
		left := make([]verdict, len(s.rows))
		s.judge(m, func(row) bool { return true }, left)
		out[k].LeftOut, _, out[k].Bias = agree(s.rows, left)
		out[k].After = biasAfter(s.rows, left)
	}
	fitted.Sets, fitted.CV, fitted.Pairs = out, summHayFigures(sets[0], nested[0]), sets[0].pairs(nested[0])
	return fitted
}

// fit chooses the penalties of every family by cross-validation inside the rows, and fits
// with them.
func (f *fitter) fit(in rows) lexical.Model {
	all := map[judge.Kind][]float64{}
	for n := range families {
		best, top := families[n].grid[0], math.Inf(-1)
		for _, p := range families[n].grid {
			if sum := f.within(n, in, p); sum > top {
				best, top = p, sum
			}
		}
		maps.Copy(all, f.weights(n, in, best))
	}
	return f.model(in, all)
}

// within is the sum over a family's sets of the correlation on rows that were left out, one
// fold at a time, of those that take part.
func (f *fitter) within(family int, in rows, p penalties) float64 {
	scores := make([][]float64, len(f.sets))
	for fold := range folds {
		w := f.weights(family, func(set, g int) bool { return in(set, g) && g != fold }, p)
		for k, s := range f.sets {
			for _, r := range s.rows {
				if r.fold == fold && in(k, r.fold) && w[r.kind] != nil {
					scores[k] = append(scores[k], dot(w[r.kind], r.z), r.value)
				}
			}
		}
	}
	sum := 0.0
	for _, list := range scores {
		sum += pearsonOfPairs(list)
	}
	return sum
}

func pearsonOfPairs(list []float64) float64 {
	var x, y []float64
	for i := 0; i < len(list); i += 2 {
		x, y = append(x, list[i]), append(y, list[i+1])
	}
	if r := metric.Pearson(x, y); !math.IsNaN(r) {
		return r
	}
	return 0
}

func dot(w, x []float64) float64 {
	v := 0.0
	for i := range w {
		v += w[i] * x[i]
	}
	return v
}

// weights solves the ridge of a family for some rows.
func (f *fitter) weights(family int, in rows, p penalties) map[judge.Kind][]float64 {
	var parts []part
	size := families[family].size()
	for k, s := range f.sets {
		if familyOf(s.rows[0].kind) != family {
			continue
		}
		m := newMoments(size)
		for fold := range folds {
			if in(k, fold) {
				m.plus(f.moments[k][fold])
			}
		}
		parts = append(parts, part{s.rows[0].kind, m, setWeight(k)})
	}
	return solve(parts, families[family].kinds, size, p)
}

// setWeight is how much more than by its size a set counts.
func setWeight(set int) float64 {
	if set == 0 {
		return summHayWeight
	}
	return 1
}

func newFitter(sets []*set) *fitter {
	f := &fitter{sets: sets, moments: make([][folds]*moments, len(sets)), scale: scales(sets)}
	for k, s := range sets {
		for fold := range folds {
			f.moments[k][fold] = newMoments(families[familyOf(s.rows[0].kind)].size())
		}
		for i := range s.rows {
			r := &s.rows[i]
			r.z = f.standard(*r)
			f.moments[k][r.fold].add(r.z, r.value)
		}
	}
	return f
}

// scales finds the mean of every feature over sets, and its deviation inside them.
func scales(sets []*set) []lexical.Weighted {
	out := make([]lexical.Weighted, len(lexical.FeatureNames))
	for i, name := range lexical.FeatureNames {
		mean, variance := 0.0, 0.0
		for _, s := range sets {
			var x []float64
			for _, r := range s.rows {
				x = append(x, r.x[i])
			}
			m := metric.Mean(x)
			mean += m / float64(len(sets))
			for _, v := range x {
				variance += (v - m) * (v - m) / float64(len(x)*len(sets))
			}
		}
		out[i] = lexical.Weighted{Name: name.Name, What: name.What, Mean: round(mean), SD: round(math.Sqrt(variance))}
	}
	return out
}

// standard are a row's features in standard deviations, and the same times the relative
// lengths of statement and text. The length of the statement counts for coverage alone:
// entailment's sets are too few to tell.
func (f *fitter) standard(r row) []float64 {
	fam := families[familyOf(r.kind)]
	columns := fam.columns()
	z := make([]float64, fam.size())
	for at, i := range columns {
		if w := f.scale[i]; w.SD > 0 {
			z[at] = (r.x[i] - w.Mean) / w.SD
		}
		if !fam.lengths {
			continue
		}
		z[2*len(columns)+at] = z[at] * r.length.Text
		if r.kind == judge.Coverage {
			z[len(columns)+at] = z[at] * r.length.Statement
		}
	}
	return z
}

// model makes the judge's model of the ridge's weights.
func (f *fitter) model(in rows, w map[judge.Kind][]float64) lexical.Model {
	m := lexical.Model{
		LinkPrecision: linkPrecision,
		Kinds:         map[judge.Kind]lexical.KindModel{},
		Features:      slices.Clone(f.scale),
	}
	for _, kind := range kinds {
		fam := families[familyOf(kind)]
		columns := fam.columns()
		for at, i := range columns {
			put(&m.Features[i].Weights, kind, w[kind][at])
			if fam.lengths {
				put(&m.Features[i].ByLength, kind, w[kind][len(columns)+at])
				put(&m.Features[i].ByText, kind, w[kind][2*len(columns)+at])
			}
		}
		f.level(&m, kind, in)
	}
	return m
}

// put notes a weight, unless it is none.
func put(in *map[judge.Kind]float64, kind judge.Kind, v float64) {
	if v = round(v); v == 0 {
		return
	}
	if *in == nil {
		*in = map[judge.Kind]float64{}
	}
	(*in)[kind] = v
}

// round keeps five digits: more would only be noise in the file.
func round(v float64) float64 { return math.Round(v*1e5) / 1e5 }
