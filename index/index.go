// Package index ranks the documents of a corpus for a query. It holds the
// Retriever contract, corpora in memory and on disk, exact BM25 over texts that Bleve
// analyses, and the baselines every result should be read against: random, keywords,
// oracle and the whole corpus.
//
// A corpus on disk is segments that never change (segment.go) and a manifest that names
// them (store.go); ingest.go adds what is new. Postings (postings.go) are made of a
// segment for an analyser when they are first needed (invert.go).
package index

import (
	"cmp"
	"context"
	"slices"

	"lore/local/files"
)

// Document is a text with an identifier that is unique in its corpus.
type Document = files.Document

// Query is what is searched for. Gold, BestGold and Recorded are used only by oracles
// and by recorded rankings; a real retriever must not look at them.
type Query struct {
	ID       string
	Text     string
	Gold     map[string]float64            // relevance by document id; absent is 0
	Recorded map[string]map[string]float64 // by name of a recorded retriever: score by document id

	// BestGold scores the gold documents, to choose the best one; nil: nothing is known.
	BestGold func() map[string]float64
}

// Hit is a ranked document.
type Hit struct {
	ID    string
	Score float64
}

// Ranking is a retriever's answer.
type Ranking struct {
	Hits  []Hit // best first; equal scores in ascending order of document id, except for a fixed order (Whole)
	Whole bool  // the corpus is to be given whole in this order: no budget applies
	Gold  bool  // these are all relevant documents and no others: an upper bound may show them all
}

// Retriever ranks documents. It is safe for concurrent use. For the same query
// it gives the same ranking on every run and machine.
type Retriever interface {
	// Retrieve returns at most k hits; k below 1 means all documents.
	Retrieve(ctx context.Context, q Query, k int) (Ranking, error)
}

// SortHits orders hits by descending score, equal scores by ascending document
// id. NaN scores sort last.
func SortHits(hits []Hit) {
	slices.SortFunc(hits, func(a, b Hit) int {
		return cmp.Or(compareScores(a.Score, b.Score), cmp.Compare(a.ID, b.ID))
	})
}

func compareScores(a, b float64) int {
	aBad, bBad := a != a, b != b
	switch {
	case aBad && bBad:
		return 0
	case aBad:
		return 1
	case bBad:
		return -1
	}
	return cmp.Compare(b, a)
}

func top(hits []Hit, k int) []Hit {
	SortHits(hits)
	if k >= 1 && len(hits) > k {
		hits = hits[:k]
	}
	return hits
}
