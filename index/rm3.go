package index

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
)

// RM3Params are the parameters of RM3.
type RM3Params struct {
	Terms  int     // that are added to the query, and the most that a document contributes; at least 1
	Docs   int     // that are taken to be relevant, the best of BM25; at least 1
	Weight float64 // of the query as it was asked, in [0,1]
}

// DefaultRM3 are Anserini's defaults.
var DefaultRM3 = RM3Params{Terms: 10, Docs: 10, Weight: 0.5}

// Check refuses parameters out of range.
func (p RM3Params) Check() error {
	if p.Terms < 1 || p.Docs < 1 || !(p.Weight >= 0 && p.Weight <= 1) {
		return fmt.Errorf("RM3 needs fb_terms and fb_docs from 1 on and original_query_weight in [0,1], got %d, %d and %g",
			p.Terms, p.Docs, p.Weight)
	}
	return nil
}

// Bounds of the terms that RM3 adds (Anserini, Rm3Reranker.java).
const (
	shortestFeedback = 2   // letters
	longestFeedback  = 20  // letters
	commonFeedback   = 0.1 // share of the documents above which a term is too common
)

// rm3 asks BM25 twice.
type rm3 struct {
	first  *BM25
	docs   Corpus
	params RM3Params
}

// RM3 asks BM25 a second time, with terms of the documents that it found first (Abdul-Jaleel et al., 2004, as Anserini computes
// it). Of each of the best Docs documents d the Terms most frequent terms are taken, of 2 to 20 letters a–z and digits, that
// stand in no more than a tenth of all documents; equal ones by the alphabet. With tf over these terms,
//
//	rm(t) = Σ_d tf(t,d)/Σ_t' tf(t',d) · score(d)
//
// of which the Terms greatest are kept and scaled to a sum of 1. The second query is
//
//	Weight · q(t) + (1 − Weight) · rm(t),    q(t) = the share of t in the terms of the query
//
// and each term's BM25 is multiplied by it. Where nothing can be added, the query keeps its weight.
// Terms come in alphabetical order, so that sums are the same everywhere.
func RM3(first *BM25, docs Corpus, params RM3Params) (Retriever, error) {
	return rm3{first, docs, params}, params.Check()
}

func (r rm3) Retrieve(ctx context.Context, q Query, k int) (Ranking, error) {
	found, err := r.first.Retrieve(ctx, q, r.params.Docs)
	if err != nil {
		return Ranking{}, err
	}
	feedback, err := r.feedback(found.Hits)
	if err != nil {
		return Ranking{}, err
	}

	asked := map[string]float64{}
	for _, t := range r.first.analyze(q.Text) {
		asked[t]++
	}
	return r.first.rank(mixed(scaled(asked), feedback, r.params.Weight), k)
}

// RetrieveBatch ranks the queries on all processors.
func (r rm3) RetrieveBatch(ctx context.Context, queries []Query, k int, step func(int)) ([]Ranking, error) {
	return eachQuery(queries, step, func(q Query) (Ranking, error) { return r.Retrieve(ctx, q, k) })
}

// feedback weighs terms of the documents that were found; the weights have a sum of 1, or there are none.
func (r rm3) feedback(found []Hit) (map[string]float64, error) {
	out := map[string]float64{}
	for _, h := range found {
		i, ok := r.docs.Find(h.ID)
		if !ok {
			return nil, fmt.Errorf("the document %q was found, but is not in the corpus", h.ID)
		}
		text, err := r.docs.Text(i)
		if err != nil {
			return nil, err
		}

		counts := map[string]float64{}
		for _, t := range r.first.analyze(text) {
			counts[t]++
		}
		for _, t := range slices.Sorted(maps.Keys(counts)) {
			helps, err := r.helps(t)
			if err != nil {
				return nil, err
			}
			if !helps {
				delete(counts, t)
			}
		}
		for t, share := range scaled(most(counts, r.params.Terms)) {
			out[t] += share * h.Score
		}
	}
	return scaled(most(out, r.params.Terms)), nil
}

// helps reports whether a term may be added to a query.
func (r rm3) helps(term string) (bool, error) {
	if len(term) < shortestFeedback || len(term) > longestFeedback {
		return false, nil
	}
	for i := range len(term) {
		if c := term[i]; (c < 'a' || c > 'z') && (c < '0' || c > '9') {
			return false, nil
		}
	}

	df, err := r.first.df(term)
	return float32(df)/float32(r.first.docs) <= commonFeedback, err
}

// most keeps the n greatest weights, equal ones by the alphabet.
func most(weights map[string]float64, n int) map[string]float64 {
	terms := slices.SortedFunc(maps.Keys(weights), func(a, b string) int {
		return cmp.Or(cmp.Compare(weights[b], weights[a]), cmp.Compare(a, b))
	})
	out := map[string]float64{}
	for _, t := range terms[:min(n, len(terms))] {
		out[t] = weights[t]
	}
	return out
}

// scaled divides weights by their sum.
func scaled(weights map[string]float64) map[string]float64 {
	sum := 0.0
	for _, t := range slices.Sorted(maps.Keys(weights)) {
		sum += math.Abs(weights[t])
	}
	out := make(map[string]float64, len(weights))
	for t, w := range weights {
		if sum > 0 {
			out[t] = w / sum
		}
	}
	return out
}

// mixed is the second query.
func mixed(asked, feedback map[string]float64, weight float64) []queryTerm {
	all := map[string]float64{}
	for t, w := range asked {
		all[t] += weight * w
	}
	for t, w := range feedback {
		all[t] += (1 - weight) * w
	}
	var out []queryTerm
	for _, t := range slices.Sorted(maps.Keys(all)) {
		if all[t] > 0 {
			out = append(out, queryTerm{t, all[t]})
		}
	}
	return out
}

// df is how many documents have a term.
func (b *BM25) df(term string) (int, error) {
	sum := 0
	for _, s := range b.shards {
		docs, _, err := s.find(term)
		if err != nil {
			return 0, err
		}
		sum += s.df(docs)
	}
	return sum, nil
}
