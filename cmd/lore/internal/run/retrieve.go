package run

import (
	"bytes"
	"context"
	"maps"
	"math"
	"slices"

	"lore/cmd/lore/internal/pipeline"
	"lore/cmd/lore/internal/usage"
	"lore/datasets"
	"lore/index"
	"lore/index/trec"
)

// beginRetrieve has a step for every retriever, which ranks for all items and writes its run file.
func (e *engine) beginRetrieve() ([]step, error) {
	e.pipelines = pipeline.NewSet(e.opt.Pipelines, e.models, e.gate, e.prompts, e.rankers)
	if err := e.writeQrels(); err != nil {
		return nil, err
	}

	e.found = make([][]datasets.Retrieved, len(e.opt.Retrievers))
	var steps []step
	for i, p := range e.opt.Retrievers {
		begun := p.Beginnings()
		for level, b := range begun {
			do := func(ctx context.Context) error { return e.warm(ctx, b) }
			steps = append(steps, step{model: last(b.Loads()), level: level, warms: true, do: do})
		}
		do := func(ctx context.Context) error { return e.retrieve(ctx, i) }
		steps = append(steps, step{model: last(p.Loads()), level: len(begun), do: do})
	}
	return steps, nil
}

func last(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return names[len(names)-1]
}

// warm runs the beginning of a pipeline for what it asks.
func (e *engine) warm(ctx context.Context, p pipeline.Pipeline) error {
	opt := e.opt.Pipelines
	opt.Console = usage.Console{} // it is told of once, when the whole is run
	set := pipeline.NewSet(opt, e.models, e.gate, e.prompts, e.rankers)
	defer set.Close()
	_, err := set.Items(ctx, p, e.items, e.protocol.Depth)
	return err
}

// retrieve ranks by one retriever.
func (e *engine) retrieve(ctx context.Context, i int) error {
	p := e.opt.Retrievers[i]
	rankings, err := e.pipelines.Items(ctx, p, e.items, e.protocol.Depth)
	if err != nil {
		return err
	}
	for _, r := range rankings {
		found := datasets.Retrieved{Whole: r.Whole, Gold: r.Gold}
		for _, h := range r.Hits {
			found.IDs = append(found.IDs, h.ID)
		}
		e.found[i] = append(e.found[i], found)
	}
	return e.writeRun(p.File(), topicsOf(e.items), rankings)
}

func topicsOf(items []datasets.Item) []string {
	out := make([]string, len(items))
	for i, it := range items {
		out[i] = it.ID()
	}
	return out
}

// writeRun writes the rankings of topics as a run file of that name.
func (e *engine) writeRun(name string, topics []string, rankings []index.Ranking) error {
	results := map[string][]trec.Result{}
	for k, r := range rankings {
		results[topics[k]] = Results(r)
	}

	var buf bytes.Buffer
	if err := trec.WriteRun(&buf, name, topics, results); err != nil {
		return err
	}
	return e.folder.WriteFile("retrieval/"+name+".trec", buf.Bytes())
}

// Results are a ranking as a run file has it: the scores fall strictly, so that sorting by them keeps the order.
func Results(r index.Ranking) []trec.Result {
	out := make([]trec.Result, 0, len(r.Hits))
	for rank, h := range r.Hits {
		score := h.Score
		if r.Whole {
			score = float64(len(r.Hits) - rank) // a fixed order has no scores
		}
		out = append(out, trec.Result{Document: h.ID, Score: score})
	}
	trec.Untie(out)
	return out
}

// writeQrels writes the gold relevance, so that rankings can be measured by
// themselves.
func (e *engine) writeQrels() error {
	var buf bytes.Buffer
	if err := trec.WriteQrels(&buf, Qrels(e.items)); err != nil {
		return err
	}
	return e.folder.WriteFile("retrieval/qrels.txt", buf.Bytes())
}

// Qrels are the gold relevance of items' documents.
func Qrels(items []datasets.Item) *trec.Qrels {
	q := &trec.Qrels{Topics: map[string][]trec.Judgement{}}
	for _, it := range items {
		q.Order = append(q.Order, it.ID())
		gold := it.Query().Gold
		for _, doc := range slices.Sorted(maps.Keys(gold)) {
			grade := int(math.Round(gold[doc]))
			one := trec.Judgement{Iteration: "0", Document: doc, Relevance: grade}
			q.Topics[it.ID()] = append(q.Topics[it.ID()], one)
		}
	}
	return q
}
