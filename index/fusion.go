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

// Fuse returns a retriever that combines others.
func Fuse(f Fusion, parts ...Retriever) Retriever {
	return retrieverFunc(func(ctx context.Context, q Query, k int) (Ranking, error) {
		deep := 0
		if k > 0 {
			deep = max(k, fusionDepth)
		}
		sums, found := map[string]float64{}, map[string]int{}
		var order []string
		for _, p := range parts {
			r, err := p.Retrieve(ctx, q, deep)
			if err != nil {
				return Ranking{}, err
			}
			for id, s := range contributions(f, r.Hits) {
				if found[id] == 0 {
					order = append(order, id)
				}
				sums[id] += s
				found[id]++
			}
		}
		hits := make([]Hit, 0, len(order))
		for _, id := range order {
			s := sums[id]
			switch f {
			case Convex:
				s /= float64(len(parts))
			case CombMNZ:
				s *= float64(found[id])
			case RRF:
			default:
				return Ranking{}, fmt.Errorf("unknown fusion %q; there are %v", f, Fusions)
			}
			hits = append(hits, Hit{id, s})
		}
		return Ranking{Hits: top(hits, k)}, nil
	})
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
