package run

import (
	"context"

	long2ragbuild "lore/datasets/long2rag/build"
	"lore/index"
)

// Settings of the search for a question's documents (Long²RAG, section 3.2).
const (
	perSearch = 10 // documents that each sub-question contributes
	rrfK      = 60 // of reciprocal rank fusion
)

// candidates names the ranking that the rerankers start from.
const candidates = "candidates"

// FindDocuments searches by each question and its sub-questions with opt's only
// pipeline, fuses the rankings of a question by reciprocal rank, and has the stages, if
// there are any, order the result anew by the question itself. It returns the best n
// ids of each.
func FindDocuments(ctx context.Context, opt Options, calls string, docs []index.Document, stages []StageSpec, questions []long2ragbuild.Search, n int) ([][]string, error) {
	out := make([][]string, len(questions))
	again := Pipeline{Name: "rerank", Source: Source{Kind: "recorded", Arg: candidates}, Stages: stages}
	first := opt.Retrievers[0]
	opt.Retrievers = append(opt.Retrievers, again)
	_, err := withRetrievers(ctx, opt, calls, func(set *retrievers) error {
		r, err := set.open(ctx, first, docs)
		if err != nil {
			return err
		}
		var queries []index.Query
		for _, q := range questions {
			for _, text := range append([]string{q.Text}, q.Parts...) {
				queries = append(queries, index.Query{ID: q.ID, Text: text})
			}
		}
		rankings, err := index.RetrieveAll(ctx, r, queries, perSearch, opt.Progress.Start("search documents", len(queries)))
		if err != nil {
			return err
		}
		fused := make([]index.Query, len(questions))
		at := 0
		for i, q := range questions {
			scores := map[string]float64{}
			for range 1 + len(q.Parts) {
				for rank, h := range rankings[at].Hits {
					scores[h.ID] += 1 / float64(rrfK+rank+1)
				}
				at++
			}
			fused[i] = index.Query{ID: q.ID, Text: q.Text, Recorded: map[string]map[string]float64{candidates: scores}}
		}
		if r, err = set.open(ctx, again, docs); err != nil {
			return err
		}
		best, err := index.RetrieveAll(ctx, r, fused, n, opt.Progress.Start("rerank documents", len(fused)))
		for i := range best {
			for _, h := range best[i].Hits {
				out[i] = append(out[i], h.ID)
			}
		}
		return err
	})
	return out, err
}

// ParseStages reads stages as they follow a retriever: "rerank:cross:DIR>mmr:0.5"; none
// is empty.
func ParseStages(text string) ([]StageSpec, error) {
	if text == "" {
		return nil, nil
	}
	p, err := ParsePipeline("recorded:" + candidates + ">" + text)
	if err == nil && p.Shape.Kind != "" {
		err = usage("%q is no stage that orders documents", text)
	}
	return p.Stages, err
}
