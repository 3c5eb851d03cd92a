package run

import (
	"context"

	"lore/cmd/lore/internal/store"
	"lore/datasets"
	"lore/index/condense"
	"lore/local/extractive"
	"lore/local/ollama"
)

// condense shortens the documents of pipelines that say so. Only documents that an item
// shows are shortened, each once per pipeline and question.
func (e *engine) condense(ctx context.Context, set *retrievers, found [][]datasets.Retrieved) error {
	for i, p := range e.opt.Retrievers {
		if p.Shape.Kind == "" {
			continue
		}
		var jobs []condense.Job
		var places [][2]int // item, place in the ranking
		for k, it := range e.items {
			texts := map[string]string{}
			for _, d := range it.Corpus().Documents {
				texts[d.ID] = d.Text
			}
			shown := it.Context(found[i][k], datasets.Budget{Tokens: 1 << 40})
			for n := range len(shown.Passages) + shown.Dropped {
				jobs = append(jobs, condense.Job{Query: it.Title(), Document: texts[found[i][k].IDs[n]]})
				places = append(places, [2]int{k, n})
			}
			found[i][k].Texts = map[string]string{}
		}
		c := condense.Condenser{Shape: p.Shape, Prompts: e.prompts}
		by := map[condense.Kind]string{condense.First: "its first tokens", condense.Snippet: "word overlap", condense.Summary: extractive.BackendName}[p.Shape.Kind]
		if p.Shape.Model != "" {
			m := set.ranker(p.Shape.Model)
			c.Calls, c.Call, c.Fit = m.Calls, m.Call, m.Fit
			by = ollama.BackendName + ":" + p.Shape.Model
		}
		texts, stats, err := c.Run(ctx, jobs, e.opt.Progress.Start("shorten documents for "+p.Name, len(jobs)))
		if err != nil {
			return err
		}
		for n, at := range places {
			r := &found[i][at[0]]
			r.Texts[r.IDs[at[1]]] = texts[n]
		}
		set.shaped = append(set.shaped, store.Condenser{Pipeline: p.Name, By: by, Stats: stats})
	}
	return nil
}
