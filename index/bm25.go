package index

import (
	"cmp"
	"container/heap"
	"context"
	"fmt"
	"math"
	"math/bits"
	"slices"
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
	Lengths Lengths // ExactLengths if empty
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
	return p.checkLengths()
}

// BM25 ranks by BM25. A term that occurs twice in the query counts twice. |d| is
// the number of tokens after analysis. Sums run in the order of the query's
// different terms, so scores are equal to the bit however the index was built.
type BM25 struct {
	postings *postings
	params   BM25Params
	norms    []float64 // k1·(1 − b + b·|d|/avgdl) by document number
	once     []float64 // 1/(1 + norm): the share of its weight that a term occurring once gets
	floor    float64   // okapi: the idf that replaces negative ones
	lucene   *lucenes  // for lengths as Lucene keeps them, else nil
	pool     sync.Pool // *block
}

func newBM25(p *postings, params BM25Params) *BM25 {
	b := &BM25{postings: p, params: params, norms: make([]float64, p.size()), once: make([]float64, p.size())}

	mean := p.mean()
	for d, n := range p.lengths {
		b.norms[d] = params.K1 * (1 - params.B + params.B*float64(n)/mean)
		b.once[d] = 1 / (1 + b.norms[d])
	}
	if params.Variant == Okapi {
		b.floor = okapiEpsilon * b.meanIDF()
	}

	if params.Lengths == LuceneLengths {
		b.lucene = newLucenes(p, params)
	}

	b.pool.New = func() any { return &block{} }
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
	if b.lucene != nil {
		return b.lucene.idf(df)
	}
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

// blockDocs is how many documents are scored at a time: their sums, marks and norms
// fit into a processor's own cache, whatever the size of the index.
const blockDocs = 1 << 13

// block holds the scores of blockDocs documents and marks those that have one.
type block struct {
	sums  [blockDocs]float64
	marks [blockDocs / 64]uint64
}

// cursor is a query term with what is left of its postings.
type cursor struct {
	docs, tfs []uint32
	weight    float64
}

// Retrieve ranks documents, block after block. Inside a document terms are added in
// the order of the query, as they would be without blocks.
func (b *BM25) Retrieve(ctx context.Context, q Query, k int) (Ranking, error) {
	if err := ctx.Err(); err != nil {
		return Ranking{}, err
	}
	var cursors []cursor
	for _, t := range countTerms(b.postings.analyze(q.Text)) {
		if docs, tfs := b.postings.find(t.term); len(docs) > 0 {
			cursors = append(cursors, cursor{docs, tfs, t.count * b.idf(len(docs))})
		}
	}

	blk := b.pool.Get().(*block)
	defer b.pool.Put(blk)
	best := bestDocs{k: k}
	for base := 0; base < b.postings.size(); base += blockDocs {
		end := min(base+blockDocs, b.postings.size())
		for i := range cursors {
			b.add(blk, &cursors[i], base, end)
		}
		if b.params.Variant == Okapi {
			blk.markAll(end - base)
		}
		if b.lucene != nil {
			blk.narrow()
		}
		blk.hand(base, &best)
	}
	return Ranking{Hits: best.hits(b.postings)}, nil
}

// add adds a term's part to the scores of the documents from base to end.
func (b *BM25) add(blk *block, c *cursor, base, end int) {
	docs := c.docs
	n := 0
	for n < len(docs) && int(docs[n]) < end {
		n++
	}

	docs, tfs := docs[:n], c.tfs[:n]
	c.docs, c.tfs = c.docs[n:], c.tfs[n:]
	if b.lucene != nil {
		b.lucene.add(blk, docs, tfs, base, float32(c.weight))
		return
	}

	norms, once := b.norms[base:end], b.once[base:end]
	for i, d := range docs {
		at := (int(d) - base) & (blockDocs - 1) // always so; spares a bounds check
		if tf := tfs[i]; tf == 1 {
			blk.sums[at] += c.weight * once[at]
		} else {
			blk.sums[at] += c.weight * float64(tf) / (float64(tf) + norms[at])
		}
		blk.marks[at>>6] |= 1 << (at & 63)
	}
}

// markAll marks the first n documents.
func (blk *block) markAll(n int) {
	for at := range n {
		blk.marks[at>>6] |= 1 << (at & 63)
	}
}

// hand offers the marked documents and clears the block.
func (blk *block) hand(base int, best *bestDocs) {
	least := best.least()
	for w, mark := range blk.marks {
		for ; mark != 0; mark &= mark - 1 {
			at := w<<6 + bits.TrailingZeros64(mark)
			// Documents come in ascending order: an equal score is worse than a kept one.
			if s := blk.sums[at]; s > least || !best.full() {
				best.add(uint32(base+at), s)
				least = best.least()
			}
			blk.sums[at] = 0
		}
		blk.marks[w] = 0
	}
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

// bestDocs keeps the k best documents, or all for k below 1, as a heap with the
// worst at the top.
type bestDocs struct {
	k    int
	docs []scoredDoc
}

type scoredDoc struct {
	doc   uint32
	score float64
}

func (s scoredDoc) compare(t scoredDoc) int {
	return cmp.Or(cmp.Compare(t.score, s.score), cmp.Compare(s.doc, t.doc))
}

func (h *bestDocs) full() bool { return h.k > 0 && len(h.docs) == h.k }

// least is the score that a document must exceed to be kept.
func (h *bestDocs) least() float64 {
	if !h.full() {
		return math.Inf(-1)
	}
	return h.docs[0].score
}

func (h *bestDocs) add(doc uint32, score float64) {
	n := scoredDoc{doc, score}
	switch {
	case !h.full():
		h.docs = append(h.docs, n)
		if h.full() {
			heap.Init(h)
		}
	case n.compare(h.docs[0]) < 0:
		h.docs[0] = n
		heap.Fix(h, 0)
	}
}

// hits are the documents, best first, equal scores by document id.
func (h *bestDocs) hits(p *postings) []Hit {
	slices.SortFunc(h.docs, scoredDoc.compare)
	out := make([]Hit, len(h.docs))
	for i, d := range h.docs {
		out[i] = Hit{p.id(d.doc), d.score}
	}
	return out
}

func (h *bestDocs) Len() int           { return len(h.docs) }
func (h *bestDocs) Less(i, j int) bool { return h.docs[i].compare(h.docs[j]) > 0 }
func (h *bestDocs) Swap(i, j int)      { h.docs[i], h.docs[j] = h.docs[j], h.docs[i] }
func (h *bestDocs) Push(any)           { panic("not used") }
func (h *bestDocs) Pop() any           { panic("not used") }

// Describe words variant and parameters for manifests.
func (p BM25Params) Describe() string {
	v := p.Variant
	if v == "" {
		v = Lucene
	}
	text := fmt.Sprintf("%s k1=%g b=%g", v, p.K1, p.B)
	if p.Lengths != "" && p.Lengths != ExactLengths {
		text += fmt.Sprintf(" lengths=%s", p.Lengths)
	}
	return text
}
