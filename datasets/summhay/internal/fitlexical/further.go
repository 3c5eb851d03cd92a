package main

import (
	"lore/judge"
	"lore/judge/lexical"
	"lore/judge/metric"
)

// manySystems is the number of systems from which it is worth saying how they are ranked.
const manySystems = 10

// further adds what a set tells besides its one figure: what the gates cost, each kind of
// text, and the ranking of systems.
func (s *set) further(out *lexical.SetFit, nested []verdict) {
	var ungated, people []float64
	texts, labels := map[string][2][]float64{}, map[string][2][]float64{}
	systems := map[string][2][]float64{}
	for i, r := range s.rows {
		ungated, people = append(ungated, nested[i].ungated), append(people, r.value)
		t, l, y := texts[r.texts], labels[r.texts], systems[r.system]
		texts[r.texts] = [2][]float64{append(t[0], nested[i].score), append(t[1], r.value)}
		labels[r.texts] = [2][]float64{append(l[0], nested[i].value), append(l[1], r.label)}
		systems[r.system] = [2][]float64{append(y[0], nested[i].score), append(y[1], r.value)}
	}
	out.Ungated = metric.Pearson(ungated, people)

	if len(texts) > 1 {
		out.Texts, out.TextsSay = map[string]float64{}, map[string]float64{}
		for name := range texts {
			out.Texts[name] = metric.Pearson(texts[name][0], texts[name][1])
			out.TextsSay[name] = metric.Pearson(labels[name][0], labels[name][1])
		}
	}
	if out.Kind != judge.Coverage || len(systems) < manySystems || s.groups < manySystems {
		return
	}
	var score, value []float64
	for _, both := range systems {
		score, value = append(score, metric.Mean(both[0])), append(value, metric.Mean(both[1]))
	}
	out.Systems, out.SystemTau = len(systems), metric.KendallTauB(score, value)
}
