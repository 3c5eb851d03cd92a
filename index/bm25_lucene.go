package index

import (
	"fmt"
	"math"
	"slices"

	"lore/index/lucene"
)

// Lengths says how BM25 knows the lengths of documents.
type Lengths string

// How lengths are known.
const (
	// ExactLengths are the numbers of terms; sums have 64 bits, and documents without a term count as documents.
	ExactLengths Lengths = "exact"

	// LuceneLengths computes BM25 as Lucene does since version 8, to the last bit: a document's length has the
	// four leading binary digits that Lucene's byte holds, numbers have 32 bits, and documents without a term do not
	// count. Scores are then those of Anserini and Pyserini, before these part ties.
	//
	// Source: Apache Lucene, BM25Similarity.java: weight − weight / (1 + tf · 1/(k1·((1 − b) + b·|d|/avgdl))).
	LuceneLengths Lengths = "lucene"
)

// AllLengths lists the ways to know lengths.
var AllLengths = []Lengths{ExactLengths, LuceneLengths}

func (p BM25Params) checkLengths() error {
	if p.Lengths != "" && !slices.Contains(AllLengths, p.Lengths) {
		return fmt.Errorf("unknown lengths %q of BM25; there are %v", p.Lengths, AllLengths)
	}
	if p.Lengths == LuceneLengths && p.Variant == Okapi {
		return fmt.Errorf("lengths as Lucene keeps them go with the variant %s, not with %s", Lucene, Okapi)
	}
	return nil
}

// lucenes is what Lucene's arithmetic needs besides the postings.
type lucenes struct {
	documents int // that have a term
	k1, b     float32
	mean      float32
	inverses  []float32 // by length, as far as they go
}

func newLucenes(shards []shard, params BM25Params, longest uint64) (*lucenes, error) {
	l := &lucenes{k1: float32(params.K1), b: float32(params.B)}
	terms := 0
	for _, s := range shards {
		lengths, err := s.lengths.whole()
		if err != nil {
			return nil, err
		}
		for d, n := range lengths {
			if n > 0 && s.has(uint32(d)) {
				terms += int(n)
				l.documents++
			}
		}
	}

	l.mean = float32(float64(terms) / float64(l.documents))
	l.inverses = make([]float32, min(longest, longestTable)+1)
	for n := range l.inverses {
		l.inverses[n] = l.compute(uint32(n))
	}
	return l, nil
}

// compute is 1/(k1·((1 − b) + b·|d|/avgdl)) for a length. Every step is rounded to 32 bits, as Java rounds it.
func (l *lucenes) compute(length uint32) float32 {
	share := float32(float32(l.b*float32(lucene.Length(int(length)))) / l.mean)
	return 1 / float32(l.k1*float32(float32(1-l.b)+share))
}

func (l *lucenes) inverse(length uint32) float32 {
	if int(length) < len(l.inverses) {
		return l.inverses[length]
	}
	return l.compute(length)
}

// idf has 32 bits.
func (l *lucenes) idf(df int) float64 {
	n := float64(l.documents)
	return float64(float32(math.Log(1 + (n-float64(df)+0.5)/(float64(df)+0.5))))
}

// add adds a term's part to the scores of its documents in a block that begins at base.
func (l *lucenes) add(blk *block, docs, tfs []uint32, base int, lengths []uint32, weight float32) {
	for i, d := range docs {
		at := (int(d) - base) & (blockDocs - 1)
		below := 1 + float32(float32(tfs[i])*l.inverse(lengths[at]))
		blk.sums[at] += float64(weight - float32(weight/below))
		blk.marks[at>>6] |= 1 << (at & 63)
	}
}

// narrow rounds the sums to 32 bits.
func (blk *block) narrow() {
	for at, sum := range blk.sums {
		blk.sums[at] = float64(float32(sum))
	}
}
