package run

import (
	"context"

	"lore/cmd/lore/internal/store"
	"lore/datasets"
	"lore/index/condense"
	"lore/local/extractive"
	"lore/local/ollama"
)

// textsOf are the texts of a corpus by document, gathered once.
func (e *engine) textsOf(c *datasets.Corpus) map[string]string {
	if texts := e.texts[c]; texts != nil {
		return texts
	}
	texts := make(map[string]string, len(c.Documents))
	for _, d := range c.Documents {
		texts[d.ID] = d.Text
	}
	if e.texts == nil {
		e.texts = map[*datasets.Corpus]map[string]string{}
	}
	e.texts[c] = texts
	return texts
}

// condense shortens the documents of pipelines that say so. Only documents that an item
// shows are shortened, each once per pipeline and question.
func (e *engine) condense(ctx context.Context, set *retrievers, found [][]datasets.Retrieved) error {
	for i, p := range e.opt.Retrievers {
		if p.Shape.Kind == "" {
			continue
		}
		jobs, places := e.shown(found[i])
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
		for k := range found[i] {
			found[i][k].Texts = map[string]string{}
		}
		for n, at := range places {
			found[i][at.item].Texts[at.document] = texts[n]
		}
		set.shaped = append(set.shaped, store.Condenser{Pipeline: p.Name, By: by, Stats: stats})
	}
	return nil
}

// shownDocument is a document that is shown for an item, by the item's number.
type shownDocument struct {
	item     int
	document string
}

// shown lists the documents that items would show of their rankings. Without a budget an
// item leaves them all out, which tells their number without reading them.
func (e *engine) shown(found []datasets.Retrieved) ([]condense.Job, []shownDocument) {
	var jobs []condense.Job
	var places []shownDocument
	for k, it := range e.items {
		texts := e.textsOf(it.Corpus())
		ctx := it.Context(found[k], datasets.Budget{})
		for _, id := range found[k].IDs[:len(ctx.Passages)+ctx.Dropped] {
			jobs = append(jobs, condense.Job{Query: it.Title(), Document: texts[id]})
			places = append(places, shownDocument{k, id})
		}
	}
	return jobs, places
}
