package report

import (
	"fmt"

	"lore/datasets"
	"lore/judge"
	"lore/judge/agreement"
	"lore/judge/metric"
)

// HumanItems joins human verdicts with the answers and questions of a run: one
// item per answer that has a verdict, in the order of the verdicts.
func HumanItems(r Run, verdicts []agreement.HumanVerdict) ([]agreement.Item, error) {
	at := map[answerKey]int{}
	var out []agreement.Item
	for _, h := range verdicts {
		k := keyOf(h)
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

		if err := enter(&out[i], h); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// enter writes a verdict into its place in an item.
func enter(it *agreement.Item, h agreement.HumanVerdict) error {
	found := false
	for n, q := range it.Task.Questions {
		if q.ID != h.Question {
			continue
		}
		value, err := valueOf(q.Kind, h.Item, h.Question, h.Label)
		if err != nil {
			return err
		}
		it.Human[n] = judge.Verdict{Question: q.ID, Label: h.Label, Value: value, Unit: h.Unit}
		found = true
	}

	if !found {
		return fmt.Errorf("%s has no question %q", h.Item, h.Question)
	}
	return nil
}

// valueOf is the value in [0,1] of a person's label.
func valueOf(kind judge.Kind, item, question, label string) (float64, error) {
	value, ok := judge.Values[kind][label]
	if !ok {
		return 0, fmt.Errorf("%s, %s: the label %q is not one of %v", item, question, label, judge.Labels[kind])
	}
	return value, nil
}

// keyOf is the answer that a person judged.
func keyOf(h agreement.HumanVerdict) answerKey {
	return answerKey{datasets.System{Retriever: h.Retriever, Generator: h.Generator}, h.Item}
}

// itemOf is the answer that a person judged with its questions, all without a verdict yet.
func itemOf(r Run, h agreement.HumanVerdict) (agreement.Item, error) {
	k := keyOf(h)
	it := agreement.Item{System: k.System.String(), Group: k.item}
	for _, v := range r.Verdicts {
		if (answerKey{v.System, v.Item}) == k {
			it.Task.Questions = v.Questions
		}
	}
	if it.Task.Questions == nil {
		return it, fmt.Errorf("the run has no answer of %s to %s", k.System, k.item)
	}

	for _, a := range r.Answers {
		if (answerKey{a.System, a.Item}) == k {
			it.Task.ID = a.Retriever + " " + a.Generator + " " + a.Item
			it.Task.About, it.Task.Units = a.Title, lines(a.Text)
		}
	}
	for _, q := range it.Task.Questions {
		it.Human = append(it.Human, agreement.Unlabelled(q.ID))
	}
	return it, nil
}

// correctedNote explains the columns of Corrected.
const correctedNote = "Mean verdict value times 100. " +
	"corrected: prediction-powered estimate (Angelopoulos et al., 2023, with the tuned lambda of PPI++): " +
	"lambda times the judge's mean on what nobody checked, " +
	"plus the mean of people minus lambda times the judge on what they did. Variances over items. " +
	"lambda near 0: the judge helps little and people's mean stands alone."

// Corrected gives, per system and judge, the mean verdict value corrected by human
// verdicts on a part of the answers, with its interval. Values are times 100.
func Corrected(r Run, verdicts []agreement.HumanVerdict) (datasets.Grid, error) {
	g := datasets.Grid{
		Title: "Corrected by people",
		Head: []string{
			"retriever", "generator", "judge", "judge's mean", "people's mean",
			"corrected", "95 % interval", "labelled", "of", "lambda",
		},
		Note: correctedNote,
	}
	for _, row := range r.Table.Rows {
		labelled, rest, all, err := splitLabelled(r, row.Judged, verdicts)
		if err != nil {
			return g, err
		}
		if len(labelled) == 0 {
			continue
		}

		people := make([]float64, len(labelled))
		for i, l := range labelled {
			people[i] = l.Human
		}
		theta, ci, lambda := metric.PPIMean(labelled, rest, 0.95)
		interval := "–"
		if ci.Low == ci.Low {
			interval = fmt.Sprintf("%.1f to %.1f", 100*ci.Low, 100*ci.High)
		}
		g.Rows = append(g.Rows, []string{
			row.Retriever,
			row.Generator,
			row.Judge,
			percent(metric.Mean(all)),
			percent(metric.Mean(people)),
			percent(theta),
			interval,
			fmt.Sprint(len(labelled)),
			fmt.Sprint(len(all)),
			plainNumber(lambda),
		})
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
// and the rest. all has the judge's values of both, in [0,1].
func splitLabelled(r Run, of datasets.Judged, verdicts []agreement.HumanVerdict) (
	labelled []metric.Labelled, rest []metric.Unlabelled, all []float64, err error,
) {
	type place struct{ item, question string }
	human := map[place]string{}
	for _, h := range verdicts {
		if keyOf(h).System == of.System {
			human[place{h.Item, h.Question}] = h.Label
		}
	}

	for _, t := range r.Verdicts {
		if t.Judged != of {
			continue
		}
		for i, v := range t.Verdicts {
			if !v.Scored() {
				continue
			}
			all = append(all, v.Value)
			label, ok := human[place{t.Item, v.Question}]
			if !ok {
				rest = append(rest, metric.Unlabelled{Judge: v.Value, Cluster: t.Item})
				continue
			}

			value, err := valueOf(t.Questions[i].Kind, t.Item, v.Question, label)
			if err != nil {
				return nil, nil, nil, err
			}
			labelled = append(labelled, metric.Labelled{Judge: v.Value, Human: value, Cluster: t.Item})
		}
	}
	return labelled, rest, all, nil
}
