package index

import (
	"context"
	"fmt"
	"math"
	"slices"
)

// Fusion combines the rankings of several retrievers.
type Fusion string

// The fusions.
const (
	// RRF is reciprocal rank fusion: Σ 1/(k + rank), where k is 60 (Cormack, Clarke and Büttcher,
	// 2009).
	RRF Fusion = "rrf"
	// Convex is the weighted mean of scores scaled to [0,1] per ranking (min-max); a document
	// that a ranking lacks has 0 there. Without weights all rankings weigh the same.
	Convex Fusion = "convex"
	// CombMNZ is the sum of such scores times the number of rankings that have the
	// document (Fox and Shaw, 1994).
	CombMNZ Fusion = "combmnz"
)

// Fusions lists all fusions.
var Fusions = []Fusion{RRF, Convex, CombMNZ}

// RRFConstant is the k of reciprocal rank fusion where none is given.
const RRFConstant = 60

// fusionDepth is the least number of documents that each retriever contributes.
const fusionDepth = 1000

// Fusing is a fusion with its parameters.
type Fusing struct {
	How     Fusion
	K       float64   // of RRF, at least 0
	Weights []float64 // of Convex, by ranking, at least 0 and one above it; none weighs all the same
}

// Check refuses fusions that do not exist, and parameters that make no sense for so many rankings.
func (f Fusing) Check(rankings int) error {
	sum := 0.0
	for _, w := range f.Weights {
		if !(w >= 0) || math.IsInf(w, 0) {
			return fmt.Errorf("weights are numbers from 0 on, not %g", w)
		}
		sum += w
	}
	switch {
	case !slices.Contains(Fusions, f.How):
		return fmt.Errorf("unknown fusion %q; there are %v", f.How, Fusions)
	case !(f.K >= 0) || math.IsInf(f.K, 0):
		return fmt.Errorf("k of %s is a number from 0 on, not %g", f.How, f.K)
	case f.Weights == nil:
		return nil
	case f.How != Convex:
		return fmt.Errorf("%s has no weights; %s has", f.How, Convex)
	case len(f.Weights) != rankings:
		return fmt.Errorf("%s of %d retrievers has %d weights", f.How, rankings, len(f.Weights))
	case sum == 0 || math.IsInf(sum, 0):
		return fmt.Errorf("the weights of %s must have a sum above 0", f.How)
	}
	return nil
}

// fused combines retrievers.
type fused struct {
	how   Fusing
	parts []Retriever
}

// Fuse returns a retriever that combines others.
func Fuse(f Fusion, parts ...Retriever) Batcher { return Fusing{How: f, K: RRFConstant}.Over(parts...) }

// Over returns a retriever that combines others.
func (f Fusing) Over(parts ...Retriever) Batcher { return fused{f, parts} }

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
		hits, err := f.how.Rankings(rankings)
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

// FuseRankings combines rankings of one query, each best first, with the usual parameters. The result is in
// no order.
func FuseRankings(f Fusion, rankings [][]Hit) ([]Hit, error) {
	return Fusing{How: f, K: RRFConstant}.Rankings(rankings)
}

// Rankings combines rankings of one query, each best first. The result is in no order.
func (f Fusing) Rankings(rankings [][]Hit) ([]Hit, error) {
	if err := f.Check(len(rankings)); err != nil {
		return nil, err
	}
	sums, found := map[string]float64{}, map[string]int{}
	var order []string
	total := 0.0
	for i, ranking := range rankings {
		given, weight := f.contributions(ranking), 1.0
		if f.Weights != nil {
			weight = f.Weights[i]
		}
		total += weight

		for _, h := range ranking {
			if found[h.ID] == 0 {
				order = append(order, h.ID)
			}
			sums[h.ID] += weight * given[h.ID]
			found[h.ID]++
		}
	}

	hits := make([]Hit, 0, len(order))
	for _, id := range order {
		s := sums[id]
		switch f.How {
		case Convex:
			s /= total
		case CombMNZ:
			s *= float64(found[id])
		}
		hits = append(hits, Hit{id, s})
	}
	return hits, nil
}

// contributions is what one ranking gives each of its documents.
func (f Fusing) contributions(hits []Hit) map[string]float64 {
	out := make(map[string]float64, len(hits))
	low, high := math.Inf(1), math.Inf(-1)
	for _, h := range hits {
		low, high = min(low, h.Score), max(high, h.Score)
	}

	for rank, h := range hits {
		switch {
		case f.How == RRF:
			out[h.ID] = 1 / (f.K + float64(rank+1))
		case high > low:
			out[h.ID] = (h.Score - low) / (high - low)
		default:
			out[h.ID] = 1 // all equal: all as good as the best
		}
	}
	return out
}
