package index

import (
	"bytes"
	"cmp"
	"container/heap"
	"context"
	"errors"
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
// different terms, and all statistics are whole numbers over the documents that are
// there, so scores are equal to the bit however the index was built.
//
// Where k1 is 0 or b is 1, documents that the formula gives equal scores have equal
// ones, and go by id: see exact.go.
type BM25 struct {
	analyze func(text string) []string
	shards  []shard
	docs    int    // that are there
	tokens  uint64 // of these
	params  BM25Params
	norms   norms
	floor   float64   // okapi: the idf that replaces negative ones
	lucene  *lucenes  // for lengths as Lucene keeps them, else nil
	pool    sync.Pool // *block
}

// shard is a segment as it is searched.
type shard struct {
	*postings
	id   func(doc uint32) string // ascending by number
	live []uint64                // a bit for each document that is there; nil: all are
}

func newBM25(analyze func(string) []string, shards []shard, params BM25Params) (*BM25, error) {
	b := &BM25{analyze: analyze, shards: shards}
	for _, s := range shards {
		docs, tokens, err := s.count()
		if err != nil {
			return nil, err
		}
		b.docs += docs
		b.tokens += tokens
	}
	return b.With(params)
}

// count is how many documents are there, and their tokens.
func (s shard) count() (docs int, tokens uint64, err error) {
	docs, tokens = s.size(), s.tokens
	if s.live == nil {
		return docs, tokens, nil
	}
	lengths, err := s.lengths.whole()
	if err != nil {
		return 0, 0, err
	}
	for d, n := range lengths {
		if !s.has(uint32(d)) {
			docs--
			tokens -= uint64(n)
		}
	}
	return docs, tokens, nil
}

// has reports whether a document is there.
func (s shard) has(doc uint32) bool { return s.live == nil || s.live[doc>>6]&(1<<(doc&63)) != 0 }

// df is how many documents of a list are there.
func (s shard) df(docs []uint32) int {
	if s.live == nil {
		return len(docs)
	}
	n := 0
	for _, d := range docs {
		if s.has(d) {
			n++
		}
	}
	return n
}

// With returns the same index with other parameters.
func (b *BM25) With(params BM25Params) (*BM25, error) {
	if err := params.Check(); err != nil {
		return nil, err
	}
	out := &BM25{analyze: b.analyze, shards: b.shards, docs: b.docs, tokens: b.tokens, params: params}

	longest := uint64(0)
	for _, s := range b.shards {
		longest = max(longest, s.longest)
	}
	out.norms = newNorms(params, out.mean(), longest)
	if params.Variant == Okapi {
		mean, err := out.meanIDF()
		if err != nil {
			return nil, err
		}
		out.floor = okapiEpsilon * mean
	}
	if params.Lengths == LuceneLengths {
		var err error
		if out.lucene, err = newLucenes(b.shards, params, longest); err != nil {
			return nil, err
		}
	}
	out.pool.New = func() any { return &block{} }
	return out, nil
}

// mean is the mean document length in tokens.
func (b *BM25) mean() float64 {
	if b.docs == 0 {
		return 0
	}
	return float64(b.tokens) / float64(b.docs)
}

// Close frees the index; it must not be used afterwards, nor any made by With.
func (b *BM25) Close() error {
	var errs []error
	for _, s := range b.shards {
		errs = append(errs, s.Close())
	}
	return errors.Join(errs...)
}

// meanIDF is the mean over all terms of rank_bm25's idf, negative ones included, summed in the byte order of terms.
func (b *BM25) meanIDF() (float64, error) {
	at := make([]int, len(b.shards))
	sum, terms := 0.0, 0
	for {
		df, more, err := b.nextTerm(at)
		if err != nil {
			return 0, err
		}
		if !more {
			break
		}
		if df > 0 {
			sum += b.okapiIDF(df)
			terms++
		}
	}
	if terms == 0 {
		return 0, nil
	}
	return sum / float64(terms), nil
}

// nextTerm moves past the least term of all shards, each of which stands at one of its terms, and counts its documents.
func (b *BM25) nextTerm(at []int) (df int, more bool, err error) {
	var least []byte
	for i, s := range b.shards {
		if at[i] == s.termEnds.len() {
			continue
		}
		t, err := s.term(at[i])
		if err != nil {
			return 0, false, err
		}
		if least == nil || bytes.Compare(t, least) < 0 {
			least = t
		}
	}
	if least == nil {
		return 0, false, nil
	}

	for i, s := range b.shards {
		if at[i] == s.termEnds.len() {
			continue
		}
		if t, err := s.term(at[i]); err != nil || !bytes.Equal(t, least) {
			continue // an error comes again when the term is the least
		}
		docs, _, err := s.list(at[i])
		if err != nil {
			return 0, false, err
		}
		df += s.df(docs)
		at[i]++
	}
	return df, true, nil
}

func (b *BM25) okapiIDF(df int) float64 {
	n := float64(b.docs)
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
	if b.lucene != nil {
		return b.lucene.idf(df)
	}
	n := float64(b.docs)
	return math.Log(1 + (n-float64(df)+0.5)/(float64(df)+0.5))
}

// blockDocs is how many documents are scored at a time: their sums, marks and lengths
// fit into a processor's own cache, whatever the size of the index.
const blockDocs = 1 << 13

// block holds the scores of blockDocs documents and marks those that have one.
type block struct {
	sums  [blockDocs]float64
	marks [blockDocs / 64]uint64
}

// cursor is a query term with what is left of its postings in a shard.
type cursor struct {
	docs, tfs []uint32
	weight    weight
}

// Retrieve ranks documents, block after block. Inside a document terms are added in
// the order of the query, as they would be without blocks.
func (b *BM25) Retrieve(ctx context.Context, q Query, k int) (Ranking, error) {
	if err := ctx.Err(); err != nil {
		return Ranking{}, err
	}
	return b.rank(countTerms(b.analyze(q.Text)), k)
}

// rank ranks by terms, each of which counts as often as it says.
func (b *BM25) rank(terms []queryTerm, k int) (Ranking, error) {
	cursors, err := b.cursors(terms)
	if err != nil {
		return Ranking{}, err
	}

	blk := b.pool.Get().(*block)
	defer b.pool.Put(blk)
	best := bestDocs{k: k, id: func(d scoredDoc) string { return b.shards[d.shard].id(d.doc) }}
	for i, s := range b.shards {
		best.shard = i
		for base := 0; base < s.size(); base += blockDocs {
			end := min(base+blockDocs, s.size())
			lengths, err := s.lengths.cut(uint64(base), uint64(end))
			if err != nil {
				return Ranking{}, err
			}
			for c := range cursors[i] {
				b.add(blk, &cursors[i][c], base, lengths)
			}
			if b.params.Variant == Okapi {
				blk.markAll(end - base)
			}
			if b.lucene != nil {
				blk.narrow()
			}
			blk.hand(base, s.live, &best)
		}
	}
	return Ranking{Hits: best.hits()}, nil
}

// cursors are the query's terms in their order, by shard.
func (b *BM25) cursors(terms []queryTerm) ([][]cursor, error) {
	out := make([][]cursor, len(b.shards))
	for _, t := range terms {
		df := 0
		lists := make([]cursor, len(b.shards))
		for i, s := range b.shards {
			docs, tfs, err := s.find(t.term)
			if err != nil {
				return nil, err
			}
			lists[i] = cursor{docs: docs, tfs: tfs}
			df += s.df(docs)
		}
		if df == 0 {
			continue
		}

		w := b.norms.weigh(b.idf(df), t.count)
		for i, c := range lists {
			if len(c.docs) > 0 {
				c.weight = w
				out[i] = append(out[i], c)
			}
		}
	}
	return out, nil
}

// RetrieveBatch ranks the queries on all processors.
func (b *BM25) RetrieveBatch(ctx context.Context, queries []Query, k int, step func(int)) ([]Ranking, error) {
	return eachQuery(queries, step, func(q Query) (Ranking, error) { return b.Retrieve(ctx, q, k) })
}

// add adds a term's part to the scores of the documents from base, as many as there are lengths.
func (b *BM25) add(blk *block, c *cursor, base int, lengths []uint32) {
	docs, end := c.docs, base+len(lengths)
	n := 0
	for n < len(docs) && int(docs[n]) < end {
		n++
	}

	docs, tfs := docs[:n], c.tfs[:n]
	c.docs, c.tfs = c.docs[n:], c.tfs[n:]
	if b.lucene != nil {
		b.lucene.add(blk, docs, tfs, base, lengths, float32(c.weight.whole))
		return
	}
	if b.norms.exact {
		b.addExact(blk, c.weight, docs, tfs, base, lengths)
		return
	}

	weight, table := c.weight.whole, b.norms.table
	for i, d := range docs {
		at := (int(d) - base) & (blockDocs - 1) // always so; spares a bounds check
		norm := b.norms.of(table, lengths[at])
		if tf := tfs[i]; tf == 1 {
			blk.sums[at] += weight * norm.once
		} else {
			blk.sums[at] += weight * float64(tf) / (float64(tf) + norm.norm)
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

// hand offers the marked documents that are there, and clears the block.
func (blk *block) hand(base int, live []uint64, best *bestDocs) {
	least := best.least()
	for w, mark := range blk.marks {
		there := ^uint64(0)
		if live != nil && mark != 0 {
			there = live[base>>6+w]
		}
		for ; mark != 0; mark &= mark - 1 {
			bit := bits.TrailingZeros64(mark)
			at := w<<6 + bit
			// Inside a shard documents come in ascending order: an equal score is worse than a kept one.
			s := blk.sums[at]
			if (s > least || s == least && best.shard > 0 || !best.full()) && there&(1<<bit) != 0 {
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
	k     int
	docs  []scoredDoc
	id    func(scoredDoc) string
	shard int // of the documents that are added
}

type scoredDoc struct {
	score float64
	shard int32
	doc   uint32
}

// compare puts the better document first: the higher score, and of equal ones the first id.
func (h *bestDocs) compare(s, t scoredDoc) int {
	if s.score != t.score {
		return cmp.Compare(t.score, s.score)
	}
	if s.shard == t.shard {
		return cmp.Compare(s.doc, t.doc)
	}
	return cmp.Compare(h.id(s), h.id(t))
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
	n := scoredDoc{score, int32(h.shard), doc}
	switch {
	case !h.full():
		h.docs = append(h.docs, n)
		if h.full() {
			heap.Init(h)
		}
	case h.compare(n, h.docs[0]) < 0:
		h.docs[0] = n
		heap.Fix(h, 0)
	}
}

// hits are the documents, best first, equal scores by document id.
func (h *bestDocs) hits() []Hit {
	slices.SortFunc(h.docs, h.compare)
	out := make([]Hit, len(h.docs))
	for i, d := range h.docs {
		out[i] = Hit{h.id(d), d.score}
	}
	return out
}

func (h *bestDocs) Len() int           { return len(h.docs) }
func (h *bestDocs) Less(i, j int) bool { return h.compare(h.docs[i], h.docs[j]) > 0 }
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
