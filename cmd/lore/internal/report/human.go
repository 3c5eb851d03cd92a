package report

import (
	"fmt"

	"lore/datasets"
	"lore/judge"
	"lore/judge/agreement"
	"lore/judge/metric"
)

// HumanItems joins human verdicts with the answers and questions of a run: one
// item per answer that has a verdict.
func HumanItems(r Run, verdicts []agreement.HumanVerdict) ([]agreement.Item, error) {
	type key struct{ retriever, generator, item string }
	at := map[key]int{}
	var out []agreement.Item
	for _, h := range verdicts {
		k := key{h.Retriever, h.Generator, h.Item}
		i, ok := at[k]
		if !ok {
			it, err := itemOf(r, h)
			if err != nil {
				return nil, err
			}
			i = len(out)
			at[k] = i
			out = append(out, it)
		}
		it := &out[i]
		found := false
		for n, q := range it.Task.Questions {
			if q.ID != h.Question {
				continue
			}
			value, ok := judge.Values[q.Kind][h.Label]
			if !ok {
				return nil, fmt.Errorf("%s, %s: the label %q is not one of %v", h.Item, h.Question, h.Label, judge.Labels[q.Kind])
			}
			it.Human[n] = judge.Verdict{Question: q.ID, Label: h.Label, Value: value, Unit: h.Unit}
			found = true
		}
		if !found {
			return nil, fmt.Errorf("%s has no question %q", h.Item, h.Question)
		}
	}
	return out, nil
}

func itemOf(r Run, h agreement.HumanVerdict) (agreement.Item, error) {
	it := agreement.Item{System: h.Retriever + ", " + h.Generator, Group: h.Item}
	for _, v := range r.Verdicts {
		if v.Retriever == h.Retriever && v.Generator == h.Generator && v.Item == h.Item {
			it.Task.Questions = v.Questions
		}
	}
	for _, a := range r.Answers {
		if a.Retriever == h.Retriever && a.Generator == h.Generator && a.Item == h.Item {
			it.Task.ID, it.Task.About, it.Task.Units = a.Retriever+" "+a.Generator+" "+a.Item, a.Title, lines(a.Text)
		}
	}
	if it.Task.Questions == nil {
		return it, fmt.Errorf("the run has no answer of %s, %s to %s", h.Retriever, h.Generator, h.Item)
	}
	for _, q := range it.Task.Questions {
		it.Human = append(it.Human, agreement.Unlabelled(q.ID))
	}
	return it, nil
}

// Corrected gives, per system and judge, the mean verdict value corrected by human
// verdicts on a part of the answers, with its interval.
func Corrected(r Run, verdicts []agreement.HumanVerdict) (datasets.Grid, error) {
	g := datasets.Grid{Title: "Corrected by people", Head: []string{"retriever", "generator", "judge", "judge's mean", "people's mean", "corrected", "95 % interval", "labelled", "of", "lambda"},
		Note: "Mean verdict value times 100. corrected: prediction-powered estimate (Angelopoulos et al., 2023, with the tuned lambda of PPI++): lambda times the judge's mean on what nobody checked, plus the mean of people minus lambda times the judge on what they did. Variances over items. lambda near 0: the judge helps little and people's mean stands alone."}
	for _, row := range r.Table.Rows {
		labelled, rest, all, err := splitLabelled(r, row.Retriever, row.Generator, row.Judge, verdicts)
		if err != nil {
			return g, err
		}
		if len(labelled) == 0 {
			continue
		}
		theta, ci, lambda := metric.PPIMean(labelled, rest, 0.95)
		people := make([]float64, len(labelled))
		for i, l := range labelled {
			people[i] = l.Human
		}
		interval := "–"
		if ci.Low == ci.Low {
			interval = fmt.Sprintf("%.1f to %.1f", 100*ci.Low, 100*ci.High)
		}
		g.Rows = append(g.Rows, []string{row.Retriever, row.Generator, row.Judge, percent(metric.Mean(all)), percent(metric.Mean(people)), percent(theta), interval,
			fmt.Sprint(len(labelled)), fmt.Sprint(len(all)), plainNumber(lambda)})
	}
	if len(g.Rows) == 0 {
		return g, fmt.Errorf("no human verdict belongs to a system of this run")
	}
	return g, nil
}

func percent(v float64) string {
	if v != v {
		return "–"
	}
	return fmt.Sprintf("%.1f", 100*v)
}

func plainNumber(v float64) string {
	if v != v {
		return "–"
	}
	return fmt.Sprintf("%.2f", v)
}

// splitLabelled parts a system's scored verdicts into those that people checked
// and the rest.
func splitLabelled(r Run, retriever, generator, judgeName string, verdicts []agreement.HumanVerdict) (labelled []metric.Labelled, rest []metric.Unlabelled, all []float64, err error) {
	human := map[[2]string]string{}
	for _, h := range verdicts {
		if h.Retriever == retriever && h.Generator == generator {
			human[[2]string{h.Item, h.Question}] = h.Label
		}
	}
	for _, t := range r.Verdicts {
		if t.Retriever != retriever || t.Generator != generator || t.Judge != judgeName {
			continue
		}
		for i, v := range t.Verdicts {
			if !v.Scored() {
				continue
			}
			all = append(all, v.Value)
			label, ok := human[[2]string{t.Item, v.Question}]
			if !ok {
				rest = append(rest, metric.Unlabelled{Judge: v.Value, Cluster: t.Item})
				continue
			}
			value, known := judge.Values[t.Questions[i].Kind][label]
			if !known {
				return nil, nil, nil, fmt.Errorf("%s, %s: the label %q is not one of %v", t.Item, v.Question, label, judge.Labels[t.Questions[i].Kind])
			}
			labelled = append(labelled, metric.Labelled{Judge: v.Value, Human: value, Cluster: t.Item})
		}
	}
	return labelled, rest, all, nil
}
