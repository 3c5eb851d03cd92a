package run

import (
	"bytes"
	"context"
	"maps"
	"math"
	"slices"

	"lore/cmd/lore/internal/pipeline"
	"lore/datasets"
	"lore/index"
	"lore/index/trec"
)

// retrieve ranks for every retriever and item, and writes the run files.
func (e *engine) retrieve(ctx context.Context) ([][]datasets.Retrieved, error) {
	set := pipeline.NewSet(e.opt.Pipelines, e.models, e.gate, e.prompts, e.rankers)
	defer set.Close()
	if err := e.writeQrels(); err != nil {
		return nil, err
	}

	out := make([][]datasets.Retrieved, len(e.opt.Retrievers))
	for i, p := range e.opt.Retrievers {
		rankings, err := set.Items(ctx, p, e.items, e.protocol.Depth)
		if err != nil {
			return nil, err
		}
		for _, r := range rankings {
			found := datasets.Retrieved{Whole: r.Whole, Gold: r.Gold}
			for _, h := range r.Hits {
				found.IDs = append(found.IDs, h.ID)
			}
			out[i] = append(out[i], found)
		}
		if err := e.writeRun(p.File(), topicsOf(e.items), rankings); err != nil {
			return nil, err
		}
	}

	if err := e.condense(ctx, set, out); err != nil {
		return nil, err
	}
	e.retrieval = set.Notes(e.opt.Retrievers)
	return out, nil
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
		for rank, h := range r.Hits {
			score := h.Score
			if r.Whole {
				score = float64(len(r.Hits) - rank) // a fixed order must survive sorting by score
			}
			results[topics[k]] = append(results[topics[k]], trec.Result{Document: h.ID, Score: score})
		}
	}

	var buf bytes.Buffer
	if err := trec.WriteRun(&buf, name, topics, results); err != nil {
		return err
	}
	return e.folder.WriteFile("retrieval/"+name+".trec", buf.Bytes())
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
