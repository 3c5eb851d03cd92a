package embed

import (
	"cmp"
	"context"
	"slices"
	"strings"
)

// CacheEntailments keeps what a model says of pairs on disk in dir, by the digest of its
// weights and settings and the hash of both texts, so that no pair is computed twice.
func CacheEntailments(dir string, model Entailer, warn func(string)) (Entailer, error) {
	cache, err := OpenCache(dir, pairVectors{model}, warn)
	if err != nil {
		return nil, err
	}
	return cachedEntailer{model, cache}, nil
}

// pairMark joins premise and hypothesis into one text for the cache.
const pairMark = "\x00"

// pairVectors shows an Entailer as an embedder of joined pairs. A vector is the probability
// of entailment, that of contradiction, whether this is the likeliest class, and the parts of
// the hypothesis, which are at least one: so no vector is all zeros.
type pairVectors struct{ Entailer }

func (p pairVectors) Embed(ctx context.Context, _ Role, texts []string) ([]Embedding, error) {
	pairs := make([]Pair, len(texts))
	for i, t := range texts {
		pairs[i].Premise, pairs[i].Hypothesis, _ = strings.Cut(t, pairMark)
	}
	got, err := p.Entail(ctx, pairs)
	if err != nil {
		return nil, err
	}

	out := make([]Embedding, len(got))
	for i, e := range got {
		opposed := float32(0)
		if e.Opposed {
			opposed = 1
		}
		vector := []float32{float32(e.Entails), float32(e.Contradicts), opposed, float32(e.Parts)}
		out[i] = Embedding{Vector: vector, Windows: e.Windows}
	}
	return out, nil
}

// cachedEntailer asks the cache first.
type cachedEntailer struct {
	Entailer
	cache *Cache
}

func (c cachedEntailer) Close() error { return c.cache.Close() }

// Entail takes pairs from disk and has the others computed, shortest first, so that those
// of a batch are of one length.
func (c cachedEntailer) Entail(ctx context.Context, pairs []Pair) ([]Entailment, error) {
	texts := make([]string, len(pairs))
	order := make([]int, len(pairs))
	for i, p := range pairs {
		order[i] = i
		texts[i] = strings.ReplaceAll(p.Premise, pairMark, " ") + pairMark + p.Hypothesis
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(len(texts[a]), len(texts[b])) })
	sorted := make([]string, len(texts))
	for k, i := range order {
		sorted[k] = texts[i]
	}

	got, err := c.cache.Embed(ctx, Query, sorted)
	if err != nil {
		return nil, err
	}
	out := make([]Entailment, len(pairs))
	for k, i := range order {
		v := got[k].Vector
		out[i] = Entailment{
			Entails:     rounded(float64(v[0])),
			Contradicts: rounded(float64(v[1])),
			Opposed:     v[2] == 1,
			Windows:     got[k].Windows,
			Parts:       int(v[3]),
		}
	}
	return out, nil
}
