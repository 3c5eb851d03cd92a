package index_test

import (
	"context"
	"fmt"
	"os"

	"lore/index"
)

var docs = []index.Document{
	{ID: "oil", Text: "The price of olive oil doubled after the dry summer."},
	{ID: "rice", Text: "Rice needs water all summer long."},
	{ID: "tea", Text: "Tea grows on hills, in the shade."},
}

func show(r index.Retriever, text string) {
	ranking, err := r.Retrieve(context.Background(), index.Query{ID: "q", Text: text}, 2)
	if err != nil {
		fmt.Println(err)
		return
	}
	for i, h := range ranking.Hits {
		fmt.Printf("%d. %s %.2f\n", i+1, h.ID, h.Score)
	}
}

// The index lies in a folder whose name holds a hash of the documents, so that it is
// built once and never used for others.
func ExampleOpenBM25() {
	dir, err := os.MkdirTemp("", "lore")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)

	bm25, err := index.OpenBM25(context.Background(), dir, index.InMemory(docs), "en", index.DefaultBM25)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer bm25.Close()

	show(bm25, "summers and olives")
	// Output:
	// 1. oil 0.61
	// 2. rice 0.21
}

// The baseline of SummHay: the share of the query's words that a document holds.
func ExampleKeywords() {
	show(index.Keywords(index.InMemory(docs)), "the price of water in summer")
	// Output:
	// 1. oil 0.67
	// 2. rice 0.67
}

// Two rankings whose scores cannot be compared are fused by rank.
func ExampleFuseRankings() {
	hits, err := index.FuseRankings(index.RRF, [][]index.Hit{
		{{ID: "oil", Score: 7.1}, {ID: "rice", Score: 3.3}, {ID: "tea", Score: 0.4}},
		{{ID: "rice", Score: 0.9}, {ID: "tea", Score: 0.8}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}

	index.SortHits(hits)
	for _, h := range hits {
		fmt.Printf("%s %.4f\n", h.ID, h.Score)
	}
	// Output:
	// rice 0.0325
	// tea 0.0320
	// oil 0.0164
}
