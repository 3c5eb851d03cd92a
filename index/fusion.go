package index

import (
	"context"
	"fmt"
	"math"
)

// Fusion combines the rankings of several retrievers.
type Fusion string

// The fusions.
const (
	// RRF is reciprocal rank fusion: Σ 1/(60 + rank) (Cormack, Clarke and Büttcher,
	// 2009).
	RRF Fusion = "rrf"
	// Convex is the mean of scores scaled to [0,1] per ranking (min-max); a document
	// that a ranking lacks has 0 there.
	Convex Fusion = "convex"
	// CombMNZ is the sum of such scores times the number of rankings that have the
	// document (Fox and Shaw, 1994).
	CombMNZ Fusion = "combmnz"
)

// Fusions lists all fusions.
var Fusions = []Fusion{RRF, Convex, CombMNZ}

const rrfConstant = 60

// fusionDepth is the least number of documents that each retriever contributes.
const fusionDepth = 1000

// fused combines retrievers.
type fused struct {
	how   Fusion
	parts []Retriever
}

// Fuse returns a retriever that combines others.
func Fuse(f Fusion, parts ...Retriever) Batcher { return fused{f, parts} }

func (f fused) Retrieve(ctx context.Context, q Query, k int) (Ranking, error) {
	return RetrieveOne(ctx, f, q, k)
}

func (f fused) RetrieveBatch(ctx context.Context, queries []Query, k int, step func(int)) ([]Ranking, error) {
	deep := 0
	if k > 0 {
		deep = max(k, fusionDepth)
	}

	found := make([][]Ranking, len(f.parts))
	for i, p := range f.parts {
		var err error
		if found[i], err = RetrieveAll(ctx, p, queries, deep, nil); err != nil {
			return nil, err
		}
	}

	out := make([]Ranking, len(queries))
	for i := range queries {
		rankings := make([][]Hit, len(f.parts))
		for p := range f.parts {
			rankings[p] = found[p][i].Hits
		}
		hits, err := FuseRankings(f.how, rankings)
		if err != nil {
			return nil, err
		}
		out[i].Hits = top(hits, k)
	}

	if step != nil {
		step(len(queries))
	}
	return out, nil
}

// FuseRankings combines rankings of one query, each best first. The result is in
// no order.
func FuseRankings(f Fusion, rankings [][]Hit) ([]Hit, error) {
	sums, found := map[string]float64{}, map[string]int{}
	var order []string
	for _, ranking := range rankings {
		given := contributions(f, ranking)
		for _, h := range ranking {
			if found[h.ID] == 0 {
				order = append(order, h.ID)
			}
			sums[h.ID] += given[h.ID]
			found[h.ID]++
		}
	}

	hits := make([]Hit, 0, len(order))
	for _, id := range order {
		s := sums[id]
		switch f {
		case Convex:
			s /= float64(len(rankings))
		case CombMNZ:
			s *= float64(found[id])
		case RRF:
		default:
			return nil, fmt.Errorf("unknown fusion %q; there are %v", f, Fusions)
		}
		hits = append(hits, Hit{id, s})
	}
	return hits, nil
}

// contributions is what one ranking gives each of its documents.
func contributions(f Fusion, hits []Hit) map[string]float64 {
	out := make(map[string]float64, len(hits))
	low, high := math.Inf(1), math.Inf(-1)
	for _, h := range hits {
		low, high = min(low, h.Score), max(high, h.Score)
	}

	for rank, h := range hits {
		switch {
		case f == RRF:
			out[h.ID] = 1 / float64(rrfConstant+rank+1)
		case high > low:
			out[h.ID] = (h.Score - low) / (high - low)
		default:
			out[h.ID] = 1 // all equal: all as good as the best
		}
	}
	return out
}
