package rerank

import (
	"context"
	"fmt"
	"math"
	"sync"

	"lore/embed"
	"lore/index"
)

// Vectors turns the candidates of a query into similarities between them, in
// [-1, 1] with 1 for equal ones.
type Vectors func(ctx context.Context, texts []string) (similarity func(i, j int) float64, err error)

// MMR reranks by maximal marginal relevance: the next document is that with the
// greatest λ·relevance − (1−λ)·(greatest similarity to a chosen one). Relevance is
// the first stage's score, scaled to [0,1] over the candidates (Carbonell and
// Goldstein, 1998, with the query similarity left to the first stage).
func MMR(lambda float64, vectors Vectors) (Reranker, error) {
	if !(lambda >= 0 && lambda <= 1) {
		return nil, fmt.Errorf("λ of MMR is between 0 and 1, not %g", lambda)
	}
	return mmr{lambda, vectors}, nil
}

type mmr struct {
	lambda  float64
	vectors Vectors
}

func (m mmr) Stats() Stats { return Stats{Name: "mmr"} }

func (m mmr) Rerank(ctx context.Context, jobs []Job, step func(int)) ([][]float64, error) {
	out := make([][]float64, len(jobs))
	for n, j := range jobs {
		texts := make([]string, len(j.Candidates))
		scores := make([]float64, len(j.Candidates))
		for i, c := range j.Candidates {
			texts[i], scores[i] = c.Text, c.Score
		}

		similarity, err := m.vectors(ctx, texts)
		if err != nil {
			return nil, err
		}

		out[n] = places(chooseMMR(scaled(scores), similarity, m.lambda))
		if step != nil {
			step(n + 1)
		}
	}
	return out, nil
}

// scaled maps scores to [0,1]; all equal ones are 1.
func scaled(scores []float64) []float64 {
	low, high := math.Inf(1), math.Inf(-1)
	for _, s := range scores {
		low, high = min(low, s), max(high, s)
	}

	out := make([]float64, len(scores))
	for i, s := range scores {
		if out[i] = 1; high > low {
			out[i] = (s - low) / (high - low)
		}
	}
	return out
}

// chooseMMR returns all places in the order they are chosen; of equal values the
// earlier place is taken.
func chooseMMR(relevance []float64, similarity func(i, j int) float64, lambda float64) []int {
	nearest := make([]float64, len(relevance)) // to a chosen one; 0 before the first choice
	chosen := make([]bool, len(relevance))
	var order []int

	for range relevance {
		best := -1
		var value float64
		for i, r := range relevance {
			if v := lambda*r - (1-lambda)*nearest[i]; !chosen[i] && (best < 0 || v > value) {
				best, value = i, v
			}
		}

		chosen[best] = true
		order = append(order, best)

		for i := range relevance {
			if chosen[i] {
				continue
			}
			if s := similarity(best, i); len(order) == 1 || s > nearest[i] {
				nearest[i] = s
			}
		}
	}
	return order
}

// LexicalVectors compares texts by the cosine of their (1 + ln tf)·ln((N+1)/(df+½))
// weights, N and df counted over the candidates, words by the named analyser.
func LexicalVectors(analyzer string) (Vectors, error) {
	words, err := index.Analyzer(analyzer)
	if err != nil {
		return nil, err
	}

	known := frequencies{words: words, of: map[string]map[string]float64{}}
	return func(_ context.Context, texts []string) (func(i, j int) float64, error) {
		counts := make([]map[string]float64, len(texts))
		df := map[string]float64{}
		for i, t := range texts {
			counts[i] = known.count(t)
			for w := range counts[i] {
				df[w]++
			}
		}

		rows := weigh(counts, df)
		return func(i, j int) float64 { return sparseDot(rows[i], rows[j]) }, nil
	}, nil
}

// frequencies are the words of texts and how often each occurs there. The last texts are kept:
// the queries of a haystack have the same candidates.
type frequencies struct {
	words func(string) []string
	mu    sync.Mutex
	of    map[string]map[string]float64
}

// keptTexts bounds what is kept: some tens of megabytes of long documents.
const keptTexts = 500

func (f *frequencies) count(text string) map[string]float64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	if c, ok := f.of[text]; ok {
		return c
	}

	c := map[string]float64{}
	for _, w := range f.words(text) {
		c[w]++
	}
	if len(f.of) >= keptTexts {
		clear(f.of)
	}
	f.of[text] = c
	return c
}

// DenseVectors compares texts by the cosine of their vectors.
func DenseVectors(e embed.Embedder) Vectors {
	return func(ctx context.Context, texts []string) (func(i, j int) float64, error) {
		got, err := e.Embed(ctx, embed.Passage, texts)
		if err != nil {
			return nil, err
		}
		return func(i, j int) float64 { return cosine(got[i].Vector, got[j].Vector) }, nil
	}
}

func cosine(a, b []float32) float64 {
	var ab, aa, bb float64
	for i, x := range a {
		y := float64(b[i])
		ab += float64(x) * y
		aa += float64(x) * float64(x)
		bb += y * y
	}

	if aa == 0 || bb == 0 {
		return 0
	}
	return ab / math.Sqrt(aa*bb)
}
