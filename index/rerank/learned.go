package rerank

import (
	"cmp"
	"context"
	"math"
	"slices"

	"lore/embed"
)

// SparseVectors compares texts by the cosine of their weights of terms.
func SparseVectors(e embed.SparseEncoder) Vectors {
	return func(ctx context.Context, texts []string) (func(i, j int) float64, error) {
		got, err := e.Embed(ctx, embed.Passage, texts)
		if err != nil {
			return nil, err
		}
		rows := make([][]term, len(got))
		for i, v := range got {
			rows[i] = unitTerms(v)
		}
		return func(i, j int) float64 { return sparseDot(rows[i], rows[j]) }, nil
	}
}

// unitTerms is a sparse vector scaled to length 1, sorted by term.
func unitTerms(e embed.Embedding) []term {
	length := 0.0
	for _, w := range e.Vector {
		length += float64(w) * float64(w)
	}
	out := make([]term, len(e.Terms))
	for i, id := range e.Terms {
		out[i] = term{int(id), float64(e.Vector[i]) / math.Sqrt(length)}
	}
	slices.SortFunc(out, func(a, b term) int { return cmp.Compare(a.word, b.word) })
	return out
}
