package index

import (
	"context"
	"math"
)

// BM25Params are the free parameters of BM25.
type BM25Params struct {
	K1 float64 // term-frequency saturation, at least 0
	B  float64 // length normalisation, in [0,1]
}

// DefaultBM25 are Lucene's defaults.
var DefaultBM25 = BM25Params{K1: 1.2, B: 0.75}

// BM25 scores by Lucene's form of BM25 (Robertson and Zaragoza, 2009, section
// 3.2, without the constant factor k1+1):
//
//	score(d) = Σ_t idf(t) · tf / (tf + k1·(1 − b + b·|d|/avgdl))
//	idf(t)   = ln(1 + (N − df + 0.5) / (df + 0.5))
//
// A term that occurs twice in the query counts twice. |d| is the number of
// tokens after analysis. Sums run in the order of the query's terms, so scores
// are equal to the bit however the index was built. Documents that share no term
// with the query are not ranked.
type BM25 struct {
	postings *postings
	params   BM25Params
}

// Retrieve ranks documents by BM25.
func (b *BM25) Retrieve(ctx context.Context, q Query, k int) (Ranking, error) {
	if err := ctx.Err(); err != nil {
		return Ranking{}, err
	}
	p := b.postings
	n := float64(len(p.ids))
	sums := make(map[uint32]float64)
	for _, term := range p.analyze(q.Text) {
		list := p.lists[term]
		df := float64(len(list))
		idf := math.Log(1 + (n-df+0.5)/(df+0.5))
		for _, e := range list {
			tf := float64(e.tf)
			norm := b.params.K1 * (1 - b.params.B + b.params.B*float64(p.lengths[e.doc])/p.mean)
			sums[e.doc] += idf * tf / (tf + norm)
		}
	}
	hits := make([]Hit, 0, len(sums))
	for doc, s := range sums {
		hits = append(hits, Hit{p.ids[doc], s})
	}
	return Ranking{Hits: top(hits, k)}, nil
}

// postings is an inverted index in memory.
type postings struct {
	analyze func(text string) []string
	ids     []string           // by document number
	lengths []int              // tokens by document number
	mean    float64            // mean length
	lists   map[string][]entry // by term
}

type entry struct{ doc, tf uint32 }
