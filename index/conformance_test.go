package index

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Every retriever keeps the contract of Retriever.
func TestConformance(t *testing.T) {
	docs := make([]Document, 30)
	q := Query{ID: "q", Text: "tide power and seals", Gold: map[string]float64{}, Recorded: map[string]map[string]float64{"r": {}}}
	for i := range docs {
		id := fmt.Sprintf("d%02d", i)
		docs[i] = Document{ID: id, Text: fmt.Sprintf("the tide brings power number %d, %s", i, []string{"and seals", "and birds", "seals seals"}[i%3])}
		q.Gold[id] = float64(i % 3)
		q.Recorded["r"][id] = float64(i % 5)
	}
	bm25, err := OpenBM25(context.Background(), t.TempDir(), InMemory(docs), "en", DefaultBM25)
	if err != nil {
		t.Fatal(err)
	}
	vectors := make([][]TermWeight, len(docs))
	for i := range vectors {
		vectors[i] = []TermWeight{{"tide", float32(i % 4)}, {"seal", 1}}
	}
	source := given(nil, [][]TermWeight{{{"tide", 1}, {"seal", 2}}})
	source.Each = func(_ context.Context, _ Corpus, _ []int, add func([]TermWeight, bool, bool) error) error {
		for _, v := range vectors {
			if err := add(v, false, false); err != nil {
				return err
			}
		}
		return nil
	}
	sparse, err := OpenSparse(context.Background(), t.TempDir(), InMemory(docs), source)
	if err != nil {
		t.Fatal(err)
	}
	for name, r := range map[string]Retriever{"bm25": bm25, "sparse": sparse, "keywords": Keywords(InMemory(docs)), "keywords-released": KeywordsReleased(InMemory(docs)), "random": Random(InMemory(docs), 1), "oracle": Oracle(InMemory(docs)), "full": Full(InMemory(docs), AsGiven),
		"full-top": Full(InMemory(docs), Top), "full-bottom": Full(InMemory(docs), Bottom), "full-middle": Full(InMemory(docs), Middle), "none": None(), "recorded": Recorded(InMemory(docs), "r")} {
		t.Run(name, func(t *testing.T) {
			all, err := r.Retrieve(context.Background(), q, 0)
			if err != nil {
				t.Fatal(err)
			}
			seen := map[string]bool{}
			for _, h := range all.Hits {
				if seen[h.ID] || h.Score != h.Score {
					t.Errorf("hit %+v is there twice or has no score", h)
				}
				seen[h.ID] = true
			}
			sorted := slices.Clone(all.Hits)
			SortHits(sorted)
			if diff := cmp.Diff(sorted, all.Hits); !all.Whole && diff != "" {
				t.Error("not in order:", diff)
			}
			again, _ := r.Retrieve(context.Background(), q, 0)
			if diff := cmp.Diff(all, again); diff != "" {
				t.Error("another ranking the second time:", diff)
			}
			few, err := r.Retrieve(context.Background(), q, 4)
			if err != nil || (!few.Whole && len(few.Hits) != min(4, len(all.Hits))) {
				t.Errorf("k=4 gives %d hits, %v", len(few.Hits), err)
			}
			if diff := cmp.Diff(all.Hits[:len(few.Hits)], few.Hits); diff != "" {
				t.Error("k changes the order:", diff)
			}
			ctx, cancel := context.WithCancel(context.Background())
			cancel()
			if _, err := r.Retrieve(ctx, q, 0); err == nil {
				t.Error("a cancelled context is ignored")
			}
		})
	}
}
