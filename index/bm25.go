package index

import (
	"container/heap"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
)

// Variant is a form of BM25.
type Variant string

// The variants.
const (
	// Lucene is the form of Lucene since version 8 (Robertson and Zaragoza, 2009,
	// section 3.2, without the constant factor k1+1):
	//
	//	score(d) = Σ_t idf(t) · tf / (tf + k1·(1 − b + b·|d|/avgdl))
	//	idf(t)   = ln(1 + (N − df + 0.5) / (df + 0.5))
	//
	// Documents that share no term with the query are not ranked.
	Lucene Variant = "lucene"

	// Okapi is rank_bm25's BM25Okapi 0.2.2: the factor k1+1 is kept, and the idf
	// ln((N − df + 0.5) / (df + 0.5)), where it is negative, is replaced by a quarter of
	// the mean idf of all terms. Every document is ranked, also with a score of 0.
	Okapi Variant = "okapi"
)

// Variants lists all variants.
var Variants = []Variant{Lucene, Okapi}

// okapiEpsilon is rank_bm25's share of the mean idf for terms in more than half of
// the documents.
const okapiEpsilon = 0.25

// BM25Params are the free parameters of BM25.
type BM25Params struct {
	K1      float64 // term-frequency saturation, at least 0
	B       float64 // length normalisation, in [0,1]
	Variant Variant // Lucene if empty
}

// DefaultBM25 are Lucene's defaults.
var DefaultBM25 = BM25Params{K1: 1.2, B: 0.75, Variant: Lucene}

// Check refuses parameters that make no sense.
func (p BM25Params) Check() error {
	if p.K1 < 0 || p.B < 0 || p.B > 1 || math.IsNaN(p.K1) || math.IsNaN(p.B) {
		return fmt.Errorf("BM25 needs k1 >= 0 and b in [0,1], got k1=%g b=%g", p.K1, p.B)
	}
	if p.Variant != "" && !slices.Contains(Variants, p.Variant) {
		return fmt.Errorf("unknown BM25 variant %q; there are %v", p.Variant, Variants)
	}
	return nil
}

// BM25 ranks by BM25. A term that occurs twice in the query counts twice. |d| is
// the number of tokens after analysis. Sums run in the order of the query's
// different terms, so scores are equal to the bit however the index was built.
type BM25 struct {
	postings *postings
	params   BM25Params
	norms    []float64 // k1·(1 − b + b·|d|/avgdl) by document number
	floor    float64   // okapi: the idf that replaces negative ones
	sums     sync.Pool // *accumulator
}

func newBM25(p *postings, params BM25Params) *BM25 {
	b := &BM25{postings: p, params: params, norms: make([]float64, p.size())}
	mean := p.mean()
	for d, n := range p.lengths {
		b.norms[d] = params.K1 * (1 - params.B + params.B*float64(n)/mean)
	}
	if params.Variant == Okapi {
		b.floor = okapiEpsilon * b.meanIDF()
	}
	b.sums.New = func() any { return &accumulator{sums: make([]float64, p.size())} }
	return b
}

// With returns the same index with other parameters.
func (b *BM25) With(params BM25Params) (*BM25, error) {
	if err := params.Check(); err != nil {
		return nil, err
	}
	return newBM25(b.postings, params), nil
}

// Close frees the index; it must not be used afterwards, nor any made by With.
func (b *BM25) Close() error { return b.postings.Close() }

// meanIDF is the mean over all terms of rank_bm25's idf, negative ones included.
func (b *BM25) meanIDF() float64 {
	terms := len(b.postings.termEnds)
	if terms == 0 {
		return 0
	}
	sum := 0.0
	for i := range terms {
		docs, _ := b.postings.list(i)
		sum += b.okapiIDF(len(docs))
	}
	return sum / float64(terms)
}

func (b *BM25) okapiIDF(df int) float64 {
	n := float64(b.postings.size())
	return math.Log(n-float64(df)+0.5) - math.Log(float64(df)+0.5)
}

// idf of a term, with the factor that the variant puts before the fraction.
func (b *BM25) idf(df int) float64 {
	if b.params.Variant == Okapi {
		v := b.okapiIDF(df)
		if v < 0 {
			v = b.floor
		}
		return v * (b.params.K1 + 1)
	}
	n := float64(b.postings.size())
	return math.Log(1 + (n-float64(df)+0.5)/(float64(df)+0.5))
}

// accumulator holds a score per document; touched lists those that are set.
type accumulator struct {
	sums    []float64
	touched []uint32
}

// Retrieve ranks documents.
func (b *BM25) Retrieve(ctx context.Context, q Query, k int) (Ranking, error) {
	if err := ctx.Err(); err != nil {
		return Ranking{}, err
	}
	acc := b.sums.Get().(*accumulator)
	defer b.sums.Put(acc)
	for _, t := range countTerms(b.postings.analyze(q.Text)) {
		b.add(acc, t)
	}
	if b.params.Variant == Okapi {
		b.touchAll(acc)
	}
	best := b.best(acc, k)
	for _, d := range acc.touched {
		acc.sums[d] = 0
	}
	acc.touched = acc.touched[:0]
	return Ranking{Hits: best}, nil
}

type queryTerm struct {
	term  string
	count float64
}

// countTerms lists the different terms of a query in order of first appearance.
func countTerms(terms []string) []queryTerm {
	at := make(map[string]int, len(terms))
	var out []queryTerm
	for _, t := range terms {
		i, ok := at[t]
		if !ok {
			i = len(out)
			at[t] = i
			out = append(out, queryTerm{term: t})
		}
		out[i].count++
	}
	return out
}

func (b *BM25) add(acc *accumulator, t queryTerm) {
	docs, tfs := b.postings.find(t.term)
	if len(docs) == 0 {
		return
	}
	weight := t.count * b.idf(len(docs))
	for i, d := range docs {
		tf := float64(tfs[i])
		if acc.sums[d] == 0 {
			acc.touched = append(acc.touched, d)
		}
		acc.sums[d] += weight * tf / (tf + b.norms[d])
	}
}

// touchAll lists every document once: a sum of exactly 0 is a document without a
// term of the query, or listed twice.
func (b *BM25) touchAll(acc *accumulator) {
	acc.touched = acc.touched[:0]
	for d := range acc.sums {
		acc.touched = append(acc.touched, uint32(d))
	}
}

// best returns the top k, or all, best first, equal scores by document id.
func (b *BM25) best(acc *accumulator, k int) []Hit {
	h := worstFirst{sums: acc.sums}
	if k < 1 || k >= len(acc.touched) {
		h.docs = slices.Clone(acc.touched)
		slices.Sort(h.docs)
		h.docs = slices.Compact(h.docs)
	} else {
		h.docs = make([]uint32, 0, k)
		for _, d := range acc.touched {
			switch {
			case len(h.docs) < k:
				h.docs = append(h.docs, d)
				if len(h.docs) == k {
					heap.Init(&h)
				}
			case h.better(d, h.docs[0]):
				h.docs[0] = d
				heap.Fix(&h, 0)
			}
		}
	}
	slices.SortFunc(h.docs, func(x, y uint32) int {
		switch {
		case h.better(x, y):
			return -1
		case h.better(y, x):
			return 1
		}
		return 0
	})
	out := make([]Hit, len(h.docs))
	for i, d := range h.docs {
		out[i] = Hit{b.postings.id(d), acc.sums[d]}
	}
	return out
}

// worstFirst is a heap of documents with the worst at the top.
type worstFirst struct {
	docs []uint32
	sums []float64
}

func (h *worstFirst) better(x, y uint32) bool {
	if h.sums[x] != h.sums[y] {
		return h.sums[x] > h.sums[y]
	}
	return x < y
}

func (h *worstFirst) Len() int           { return len(h.docs) }
func (h *worstFirst) Less(i, j int) bool { return h.better(h.docs[j], h.docs[i]) }
func (h *worstFirst) Swap(i, j int)      { h.docs[i], h.docs[j] = h.docs[j], h.docs[i] }
func (h *worstFirst) Push(any)           { panic("not used") }
func (h *worstFirst) Pop() any           { panic("not used") }

// Describe words variant and parameters for manifests.
func (p BM25Params) Describe() string {
	v := p.Variant
	if v == "" {
		v = Lucene
	}
	return strings.TrimSpace(fmt.Sprintf("%s k1=%g b=%g", v, p.K1, p.B))
}
