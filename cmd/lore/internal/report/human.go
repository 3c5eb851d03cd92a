package report

import (
	"fmt"

	"lore/judge"
	"lore/judge/agreement"
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
