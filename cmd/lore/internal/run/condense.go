package run

import (
	"context"

	"lore/cmd/lore/internal/models"
	"lore/cmd/lore/internal/pipeline"
	"lore/datasets"
	"lore/index/condense"
	"lore/local/extractive"
)

// beginCondense has a step for every pipeline that shortens documents. Only documents that an item
// shows are shortened, each once per pipeline and question.
func (e *engine) beginCondense() ([]step, error) {
	var steps []step
	for i, p := range e.opt.Retrievers {
		if p.Shape.Kind == "" {
			continue
		}
		do := func(ctx context.Context) error { return e.condense(ctx, p, e.found[i]) }
		steps = append(steps, step{model: p.Shape.Model, do: do})
	}
	return steps, nil
}

// condense shortens what one pipeline found.
func (e *engine) condense(ctx context.Context, p pipeline.Pipeline, found []datasets.Retrieved) error {
	c := condense.Condenser{Shape: p.Shape, Language: e.opt.Language, Prompts: e.prompts}
	if p.Shape.Model != "" {
		m := e.pipelines.Ranker(p.Shape.Model)
		c.Calls, c.Call, c.Fit = m.Calls, m.Call, m.Fit
	}
	jobs, places := e.shown(found)
	texts, stats, err := c.Run(ctx, jobs, e.opt.Console.Start(shortening+p.Name, len(jobs)))
	if err != nil {
		return err
	}

	for k := range found {
		found[k].Texts = map[string]string{}
	}
	for n, at := range places {
		found[at.item].Texts[at.document] = texts[n]
	}
	e.pipelines.Shaped(p, condensedBy(p.Shape), stats)
	return nil
}

// endCondense notes what the pipelines' models did, and closes them.
func (e *engine) endCondense() error {
	e.retrieval = e.pipelines.Notes(e.opt.Retrievers)
	e.pipelines.Close()
	return nil
}

// condensedBy says what shortened the documents.
func condensedBy(s condense.Shape) string {
	switch {
	case s.Model != "":
		return models.Full(s.Model)
	case s.Kind == condense.First:
		if s.Characters > 0 {
			return "its first characters"
		}
		return "its first tokens"
	case s.Kind == condense.Snippet:
		return "word overlap"
	}
	return extractive.BackendName
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
		ctx := it.Context(found[k], datasets.Budget{})
		for _, id := range found[k].IDs[:len(ctx.Passages)+ctx.Dropped] {
			jobs = append(jobs, condense.Job{Query: it.Title(), Document: it.Corpus().Text(id)})
			places = append(places, shownDocument{k, id})
		}
	}
	return jobs, places
}
