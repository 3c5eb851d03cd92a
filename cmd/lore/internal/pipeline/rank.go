package pipeline

import (
	"context"

	"lore/cmd/lore/internal/models"
	"lore/cmd/lore/internal/store"
	"lore/datasets"
	"lore/embed"
	"lore/index"
	"lore/index/rerank"
	"lore/local/prompt"
)

// Alone ranks outside a run. Finished model calls are kept in the folder Calls.
type Alone struct {
	Config
	Models  *models.Set
	Calls   string
	Vectors string // folder to which Rank writes the sparse vectors of documents and queries; none if empty
}

// Rank ranks documents for queries by one pipeline.
func (a Alone) Rank(ctx context.Context, p Pipeline, docs index.Corpus, queries []index.Query, k int) (
	[]index.Ranking, store.Retrieval, error) {
	var out []index.Ranking
	if err := a.checkVectors(p); err != nil {
		return nil, store.Retrieval{}, err
	}
	notes, err := a.with(ctx, []Pipeline{p}, func(s *Set) error {
		r, err := s.Open(ctx, p, docs)
		if err != nil {
			return err
		}
		out, err = index.RetrieveAll(ctx, r, queries, k, a.Console.Start(Retrieving+p.Name, len(queries)))
		if err == nil && a.Vectors != "" {
			err = s.writeVectors(ctx, a.Vectors, p.Source, docs, queries)
		}
		return err
	})
	return out, notes, err
}

// RankItems does the same for the items of a benchmark, each from its corpus.
func (a Alone) RankItems(ctx context.Context, p Pipeline, items []datasets.Item, k int) (
	[]index.Ranking, store.Retrieval, error) {
	var out []index.Ranking
	notes, err := a.with(ctx, []Pipeline{p}, func(s *Set) error {
		var err error
		out, err = s.Items(ctx, p, items, k)
		return err
	})
	return out, notes, err
}

// with opens a set for pipelines that only rank.
func (a Alone) with(ctx context.Context, pipelines []Pipeline, do func(*Set) error) (store.Retrieval, error) {
	var notes store.Retrieval
	if err := CheckRanking(pipelines); err != nil {
		return notes, err
	}
	rankers, err := Resolve(ctx, a.Models, pipelines)
	if err != nil {
		return notes, err
	}

	calls := a.Calls
	if len(rankers) == 0 {
		calls = "" // nothing to keep
	}
	g, err := a.Models.Open(calls)
	if err != nil {
		return notes, err
	}
	defer g.Close()

	s := NewSet(a.Config, a.Models, g, prompt.NewSet(a.Prompts, rerank.Prompts()), rankers)
	defer s.Close()
	if err := do(s); err != nil {
		return notes, err
	}
	return s.Notes(pipelines), nil
}

// candidates names the ranking that stages of a search start from.
const candidates = "candidates"

// Fused search: documents that each part contributes, and the constant of reciprocal
// rank fusion (Long²RAG, section 3.2).
const (
	perSearch = 10
	rrfK      = 60
)

// Find searches by each question and its parts, fuses the rankings of a question by
// reciprocal rank, and has the stages, if there are any, order the result anew by the
// question itself. It returns the best n ids of each.
func (a Alone) Find(ctx context.Context, p Pipeline, stages []Stage, docs []index.Document, questions []datasets.Search, n int) (
	[][]string, error) {
	out := make([][]string, len(questions))
	again := Pipeline{Name: "rerank", Source: Source{Kind: "recorded", Arg: candidates}, Stages: stages}

	_, err := a.with(ctx, []Pipeline{p, again}, func(s *Set) error {
		corpus := index.InMemory(docs)
		r, err := s.Open(ctx, p, corpus)
		if err != nil {
			return err
		}
		fused, err := a.fuse(ctx, r, questions)
		if err != nil {
			return err
		}

		if r, err = s.Open(ctx, again, corpus); err != nil {
			return err
		}
		best, err := index.RetrieveAll(ctx, r, fused, n, a.Console.Start("rerank documents", len(fused)))
		for i := range best {
			for _, h := range best[i].Hits {
				out[i] = append(out[i], h.ID)
			}
		}
		return err
	})
	return out, err
}

// fuse turns each question into a query that holds its fused ranking.
func (a Alone) fuse(ctx context.Context, r index.Retriever, questions []datasets.Search) ([]index.Query, error) {
	var queries []index.Query
	for _, q := range questions {
		for _, text := range append([]string{q.Text}, q.Parts...) {
			queries = append(queries, index.Query{ID: q.ID, Text: text})
		}
	}
	rankings, err := index.RetrieveAll(ctx, r, queries, perSearch, a.Console.Start("search documents", len(queries)))
	if err != nil {
		return nil, err
	}

	out := make([]index.Query, len(questions))
	at := 0
	for i, q := range questions {
		scores := map[string]float64{}
		for range 1 + len(q.Parts) {
			for rank, h := range rankings[at].Hits {
				scores[h.ID] += 1 / float64(rrfK+rank+1)
			}
			at++
		}
		out[i] = index.Query{ID: q.ID, Text: q.Text, Recorded: map[string]map[string]float64{candidates: scores}}
	}
	return out, nil
}

// Similarity compares texts by an embedder, a folder or ollama:NAME, or by lexical
// vectors if none is named.
func (a Alone) Similarity(ctx context.Context, embedder string, texts []string) (func(i, j int) float64, error) {
	s := NewSet(a.Config, a.Models, nil, nil, nil)
	defer s.Close()
	if embedder == "" {
		vectors, err := s.vectors(ctx, "")
		if err != nil {
			return nil, err
		}
		return vectors(ctx, texts)
	}

	e, err := s.embedder(ctx, embedder)
	if err != nil {
		return nil, err
	}
	return rerank.DenseVectors(queriesOnly{e})(ctx, texts)
}

// queriesOnly embeds all texts as queries.
type queriesOnly struct{ embed.Embedder }

func (q queriesOnly) Embed(ctx context.Context, _ embed.Role, texts []string) ([]embed.Embedding, error) {
	return q.Embedder.Embed(ctx, embed.Query, texts)
}
