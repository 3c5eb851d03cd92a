package nli

import (
	"context"
	"math"

	"lore/embed"
	"lore/local/tokens"
)

// Cosine compares texts by the cosine of their vectors. It is a baseline: near texts need
// not say the same, and a text and its denial are near.
type Cosine struct {
	Embedder embed.Embedder
}

// Fits reports whether the premise is about as long as the embedder takes.
func (c Cosine) Fits(p embed.Pair) bool {
	most := c.Embedder.Settings().MaxTokens
	return most == 0 || tokens.Count(p.Premise) < most
}

// Entail implements Model. A cosine below 0 is 0, and nothing is contradicted.
func (c Cosine) Entail(ctx context.Context, pairs []embed.Pair) ([]embed.Entailment, error) {
	premises, err := c.vectors(ctx, embed.Passage, pairs, func(p embed.Pair) string { return p.Premise })
	if err != nil {
		return nil, err
	}
	hypotheses, err := c.vectors(ctx, embed.Query, pairs, func(p embed.Pair) string { return p.Hypothesis })
	if err != nil {
		return nil, err
	}

	out := make([]embed.Entailment, len(pairs))
	for i, p := range pairs {
		premise := premises[p.Premise]
		value := max(0, cosine(premise.Vector, hypotheses[p.Hypothesis].Vector))
		out[i] = embed.Entailment{Entails: value, Windows: max(1, premise.Windows), Parts: 1}
	}
	return out, nil
}

// vectors embeds one text of each pair, each once.
func (c Cosine) vectors(ctx context.Context, role embed.Role, pairs []embed.Pair, of func(embed.Pair) string) (
	map[string]embed.Embedding, error,
) {
	out := map[string]embed.Embedding{}
	var texts []string
	for _, p := range pairs {
		if t := of(p); len(out[t].Vector) == 0 && out[t].Windows == 0 {
			out[t] = embed.Embedding{Windows: 1} // seen
			texts = append(texts, t)
		}
	}

	got, err := c.Embedder.Embed(ctx, role, texts)
	if err != nil {
		return nil, err
	}
	for i, t := range texts {
		out[t] = got[i]
	}
	return out, nil
}

// cosine is that of two vectors, rounded as far as float32 sums are the same in every batch;
// 0 where one is all zeros.
func cosine(a, b []float32) float64 {
	var dot, aa, bb float64
	for i := range min(len(a), len(b)) {
		x, y := float64(a[i]), float64(b[i])
		dot, aa, bb = dot+x*y, aa+x*x, bb+y*y
	}
	if aa == 0 || bb == 0 {
		return 0
	}
	return min(1, math.Round(dot/math.Sqrt(aa*bb)*1e6)/1e6)
}
