package run

import (
	"context"
	"maps"
	"slices"

	"lore/cmd/lore/internal/store"
	"lore/datasets"
	"lore/judge"
)

// judgeContexts has every judge judge the shown documents of items that want it, each
// document once per item, whichever retrievers found it.
func (e *engine) judgeContexts(ctx context.Context, cells []cell) error {
	type place struct{ item, document string }
	var tasks []judge.Task
	var places []place
	seen := map[place]bool{}
	questions := 0
	for _, c := range cells {
		x, ok := c.item.(datasets.ContextJudged)
		if !ok || c.retrieved == nil {
			continue
		}
		for _, t := range x.PlanContext(*c.retrieved) {
			p := place{c.item.ID(), t.ID}
			if seen[p] {
				continue
			}
			seen[p] = true
			t.ID = p.item + " " + p.document
			tasks, places = append(tasks, t), append(places, p)
			questions += len(t.Questions)
		}
	}
	e.contexts = make([]map[string]map[string][]judge.Verdict, len(e.judges))
	for j, m := range e.judges {
		e.contexts[j] = map[string]map[string][]judge.Verdict{}
		if len(tasks) == 0 {
			continue
		}
		one, err := e.models.openJudge(m, e.gate, e.prompts)
		if err != nil {
			return err
		}
		verdicts, err := one.Judge(ctx, tasks, e.opt.Progress.Start("judge contexts by "+one.Name(), questions))
		if err != nil {
			return err
		}
		for n, p := range places {
			if e.contexts[j][p.item] == nil {
				e.contexts[j][p.item] = map[string][]judge.Verdict{}
			}
			e.contexts[j][p.item][p.document] = verdicts[n]
		}
	}
	return nil
}

// contextLines lists the verdicts on documents by judge, item and document.
func (e *engine) contextLines() []store.ContextVerdicts {
	var out []store.ContextVerdicts
	for j, byItem := range e.contexts {
		for _, item := range slices.Sorted(maps.Keys(byItem)) {
			for _, doc := range slices.Sorted(maps.Keys(byItem[item])) {
				out = append(out, store.ContextVerdicts{Judge: e.judgeNames[j], Item: item, Document: doc, Verdicts: byItem[item][doc]})
			}
		}
	}
	return out
}
