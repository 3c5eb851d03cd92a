package run

import (
	"context"

	"lore/cmd/lore/internal/store"
	"lore/datasets"
	"lore/index"
	"lore/index/rerank"
	"lore/local/gate"
	"lore/local/prompt"
)

// Retrieve ranks documents for queries by opt's only pipeline, and nothing else.
// Finished model calls are kept in the folder calls.
func Retrieve(ctx context.Context, opt Options, calls string, docs []index.Document, queries []index.Query, k int) ([]index.Ranking, store.Retrieval, error) {
	var out []index.Ranking
	notes, err := withRetrievers(ctx, opt, calls, func(set *retrievers) error {
		r, err := set.open(ctx, opt.Retrievers[0], docs)
		if err != nil {
			return err
		}
		out, err = index.RetrieveAll(ctx, r, queries, k, opt.Progress.Start("retrieve", len(queries)))
		return err
	})
	return out, notes, err
}

// RetrieveItems does the same for the items of a benchmark, each from its corpus.
func RetrieveItems(ctx context.Context, opt Options, calls string, items []datasets.Item, k int) ([]index.Ranking, store.Retrieval, error) {
	var out []index.Ranking
	notes, err := withRetrievers(ctx, opt, calls, func(set *retrievers) error {
		var err error
		out, err = retrieveItems(ctx, set, opt.Retrievers[0], items, k)
		return err
	})
	return out, notes, err
}

func withRetrievers(ctx context.Context, opt Options, calls string, do func(set *retrievers) error) (store.Retrieval, error) {
	var notes store.Retrieval
	if err := CheckNames(opt); err != nil {
		return notes, err
	}
	for _, p := range opt.Retrievers {
		if p.Shape.Kind != "" {
			return notes, usage("%s is about what a generator is shown; leave it out where documents are only ranked", p.Shape.Kind)
		}
	}
	m := &models{opt: opt, byName: map[string]*model{}}
	rankers, err := resolveRankers(ctx, m, opt.Retrievers, opt.Seed)
	if err != nil {
		return notes, err
	}
	if len(rankers) == 0 {
		calls = "" // nothing to keep
	}
	g, err := gate.Open(gate.Config{Dir: calls, Lanes: m.lanes(), Warn: opt.Warn})
	if err != nil {
		return notes, err
	}
	defer g.Close()
	set := newRetrievers(opt, m, g, prompt.NewSet(opt.Prompts, rerank.Prompts()), rankers)
	defer set.Close()
	if err := do(set); err != nil {
		return notes, err
	}
	return set.notes(opt.Retrievers), nil
}
