package main

import (
	"math"
	"slices"

	"lore/judge"
	"lore/judge/lexical"
	"lore/judge/metric"
)

// kinds are those with a model of their own.
var kinds = []judge.Kind{judge.Coverage, judge.Entailment, judge.Answerability}

// linkPrecision is the weight of precision in the choice of the unit. It was fitted on
// SummHay's links alone by the first version of this judge, and nothing has moved it since.
const linkPrecision = 0.2

// Weights of what takes part, chosen on cross-validated figures once.
const (
	summHayWeight = 5   // SummHay is the only set of long answers in bullets
	askedWeight   = 0.3 // of features on the query's words, where a question is judged: it repeats them
)

// grid holds the penalties that are tried.
var grid = []penalties{{1000, 1000}, {1000, 3000}, {3000, 3000}}

// fitter holds what every fit shares: the rows, and their moments by set and fold.
type fitter struct {
	sets     []*set
	scale    []lexical.Weighted
	moments  [][folds]*moments
	kept     []bool // rows of which sets count
	keptFold int
}

// rows tells which rows take part in a fit.
type rows func(set, fold int) bool

func everything(int, int) bool { return true }

// fitAll fits the model on everything, and measures fits that left something out.
func fitAll(sets []*set) (lexical.Model, []lexical.SetFit, lexical.CVFigures) {
	f := newFitter(sets)
	model := f.fit(everything)
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

		m := f.fit(func(set, _ int) bool { return set != k })
		left := make([]verdict, len(s.rows))
		s.judge(m, func(row) bool { return true }, left)
		out[k].LeftOut, _, out[k].Bias = agree(s.rows, left)
		out[k].After = biasAfter(s.rows, left)
	}
	return model, out, summHayFigures(sets[0], nested[0])
}

// fit chooses the penalties by cross-validation inside the rows, and fits with them.
func (f *fitter) fit(in rows) lexical.Model {
	best, top := grid[0], -1.0
	for _, p := range grid {
		sum := 0.0
		scores := make([][]float64, len(f.sets))
		for fold := range folds {
			w := f.weights(func(set, g int) bool { return in(set, g) && g != fold }, p)
			for k, s := range f.sets {
				for _, r := range s.rows {
					if r.fold == fold && in(k, r.fold) {
						scores[k] = append(scores[k], dot(w[r.kind], r.z), r.value)
					}
				}
			}
		}
		for _, list := range scores {
			sum += pearsonOfPairs(list)
		}
		if sum > top {
			best, top = p, sum
		}
	}
	return f.model(in, f.weights(in, best))
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

// weights solves the ridge for some rows.
func (f *fitter) weights(in rows, p penalties) map[judge.Kind][]float64 {
	var parts []part
	for k, s := range f.sets {
		m := newMoments(f.size())
		for fold := range folds {
			if in(k, fold) {
				m.plus(f.moments[k][fold])
			}
		}
		parts = append(parts, part{s.rows[0].kind, m, setWeight(k)})
	}
	return solve(parts, kinds, f.size(), p)
}

// setWeight is how much more than by its size a set counts.
func setWeight(set int) float64 {
	if set == 0 {
		return summHayWeight
	}
	return 1
}

// size is the number of weights of a kind: one per feature, and one for how it changes with
// the length of the statement.
func (f *fitter) size() int { return 2 * len(lexical.FeatureNames) }

func newFitter(sets []*set) *fitter {
	f := &fitter{sets: sets, moments: make([][folds]*moments, len(sets)), scale: scales(sets)}
	for k, s := range sets {
		for fold := range folds {
			f.moments[k][fold] = newMoments(f.size())
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
// length of the statement where the kind has weights that change with it.
func (f *fitter) standard(r row) []float64 {
	z := make([]float64, f.size())
	for i, w := range f.scale {
		if w.SD > 0 {
			z[i] = (r.x[i] - w.Mean) / w.SD
		}
		if r.kind == judge.Answerability && lexical.FeatureNames[i].Asked {
			z[i] *= askedWeight
		}
		if r.kind == judge.Coverage {
			z[len(f.scale)+i] = z[i] * r.length
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
	for i := range m.Features {
		m.Features[i].Weights, m.Features[i].ByLength = map[judge.Kind]float64{}, map[judge.Kind]float64{}
		for _, kind := range kinds {
			v := w[kind][i]
			if kind == judge.Answerability && lexical.FeatureNames[i].Asked {
				v *= askedWeight
			}
			m.Features[i].Weights[kind] = round(v)
		}
		m.Features[i].ByLength[judge.Coverage] = round(w[judge.Coverage][len(m.Features)+i])
	}
	for _, kind := range kinds {
		f.level(&m, kind, in)
	}
	return m
}

// round keeps five digits: more would only be noise in the file.
func round(v float64) float64 { return math.Round(v*1e5) / 1e5 }
