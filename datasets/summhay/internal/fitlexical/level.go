package main

import (
	"math"
	"math/rand/v2"

	"lore/judge"
	"lore/judge/lexical"
	"lore/judge/metric"
)

// verdict is what a model says of a row; ungated is the score before its gates.
type verdict struct{ score, ungated, value float64 }

// judge puts a model's verdicts on some rows into out.
func (s *set) judge(m lexical.Model, which func(row) bool, out []verdict) {
	formulas := m.Prepare()
	for i, r := range s.rows {
		if which(r) {
			score, label := formulas.Judge(r.kind, r.features)
			out[i] = verdict{score, formulas.Score(r.kind, r.features), judge.Values[r.kind][label]}
		}
	}
}

// agree is the Pearson of scores and of labels with people's, and the bias of the labels.
func agree(list []row, verdicts []verdict) (score, labels, bias float64) {
	var x, v, y, l []float64
	for i, r := range list {
		x, y = append(x, verdicts[i].score), append(y, r.value)
		v, l = append(v, verdicts[i].value), append(l, r.label)
	}
	return metric.Pearson(x, y), metric.Pearson(v, l), metric.Mean(v) - metric.Mean(l)
}

// level finds the offset and scale that make a kind's sum an expected value, every set
// counting the same, and the thresholds of its labels.
func (f *fitter) level(m *lexical.Model, kind judge.Kind, in rows) {
	m.Kinds[kind] = lexical.KindModel{Scale: 1}
	formulas := m.Prepare()
	var n, sx, sy, sxx, sxy, syy float64
	for k, s := range f.sets {
		here := s.chosen(kind, k, in)
		for _, r := range here {
			x, w := formulas.Sum(kind, r.features), 1/float64(len(here))
			n, sx, sy = n+w, sx+w*x, sy+w*r.value
			sxx, sxy, syy = sxx+w*x*x, sxy+w*x*r.value, syy+w*r.value*r.value
		}
	}
	slope := (sxy - sx*sy/n) / (sxx - sx*sx/n)
	if kind == judge.Answerability {
		// As far spread as people's grades: an expected value would never be the highest grade.
		slope = math.Sqrt((syy - sy*sy/n) / (sxx - sx*sx/n))
	}
	m.Kinds[kind] = lexical.KindModel{Offset: round((sy - slope*sx) / n), Scale: round(slope)}
	f.thresholds(m, kind, in)
}

// chosen are the rows of a kind that take part.
func (s *set) chosen(kind judge.Kind, set int, in rows) []row {
	var out []row
	for _, r := range s.rows {
		if r.kind == kind && in(set, r.fold) {
			out = append(out, r)
		}
	}
	return out
}

// thresholds finds from which score each label is given. Grades are given where they are
// nearest. A statement is said in full from the threshold with the highest correlation less
// bias, mean over sets, and in part from another.
func (f *fitter) thresholds(m *lexical.Model, kind judge.Kind, in rows) {
	k := m.Kinds[kind]
	if kind == judge.Answerability {
		k.Thresholds = []float64{0.1, 0.3, 0.5, 0.7, 0.9}
		m.Kinds[kind] = k
		return
	}

	best := math.Inf(-1)
	for full := 0.2; full < 0.9; full += 0.02 {
		for _, share := range []float64{0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9} {
			try := k
			try.Thresholds = []float64{round(full * share), round(full)}
			m.Kinds[kind] = try
			sum := 0.0
			formulas := m.Prepare()
			for n, s := range f.sets {
				here := s.chosen(kind, n, in)
				if len(here) == 0 {
					continue
				}
				out := make([]verdict, len(here))
				for i, r := range here {
					score, label := formulas.Judge(kind, r.features)
					out[i] = verdict{score: score, value: judge.Values[kind][label]}
				}
				_, labels, bias := agree(here, out)
				if !math.IsNaN(labels) {
					sum += setWeight(n) * (labels - math.Abs(bias))
				}
			}
			if sum > best {
				best, k.Thresholds = sum, try.Thresholds
			}
		}
	}
	m.Kinds[kind] = k
}

// draws is how many times 100 labels are drawn.
const draws = 100

// biasAfter is the mean size of the bias that is left on a set after a monotone map from 100
// of its labels, or half of them if there are fewer than 200.
func biasAfter(list []row, verdicts []verdict) float64 {
	r := rand.New(rand.NewPCG(1, 2))
	n := min(100, len(list)/2)
	all := 0.0
	for range draws {
		order := r.Perm(len(list))
		var x, y []float64
		for _, i := range order[:n] {
			x, y = append(x, verdicts[i].score), append(y, list[i].value)
		}
		learnt := metric.Isotonic(x, y) // the map that `lore judge calibrate` learns

		// Over the whole set: what is left out of a small set differs from it by chance.
		bias := 0.0
		for i, v := range verdicts {
			bias += metric.Interpolate(learnt, v.score) - list[i].value
		}
		all += math.Abs(bias) / float64(len(list))
	}
	return all / draws
}

// summHayFigures are what reports tell of SummHay's labels.
func summHayFigures(s *set, verdicts []verdict) lexical.CVFigures {
	score, labels, bias := agree(s.rows, verdicts)
	out := lexical.CVFigures{Pearson: labels, PearsonScore: score, Bias: bias}
	right, all, rightAll := 0, 0, 0
	for i, r := range s.rows {
		if r.unit == 0 {
			continue
		}
		all++
		hit := r.features.Unit == r.unit
		if hit {
			rightAll++
		}
		if verdicts[i].value > 0 {
			out.LinkingN++
			if hit {
				right++
			}
		}
	}
	out.LinkingAccuracy, out.LinkingAll = float64(right)/float64(out.LinkingN), float64(rightAll)/float64(all)
	return out
}
