package lexical

import (
	"maps"
	"math"
	"slices"

	"lore/local/text"
)

// Recall measures how much of a reference's content a text repeats. Word weights
// are inverse document frequencies over all references of a benchmark.
type Recall struct {
	n  float64
	df map[string]float64
}

// NewRecall counts words over references.
func NewRecall(references []string) *Recall {
	r := &Recall{n: float64(len(references)), df: map[string]float64{}}
	for _, ref := range references {
		for t := range set(text.Terms(ref)) {
			r.df[t]++
		}
	}
	return r
}

// Of is the idf-weighted share of the reference's content words found in the
// candidate, in [0,1]; 0 for a reference without content words.
func (r *Recall) Of(candidate, reference string) float64 {
	have := set(text.Terms(candidate))
	var found, total float64
	for _, t := range slices.Sorted(maps.Keys(set(text.Terms(reference)))) {
		w := math.Log((r.n + 1) / (r.df[t] + 0.5))
		total += w
		if have[t] {
			found += w
		}
	}

	if total <= 0 {
		return 0
	}
	return found / total
}

func set(terms []string) map[string]bool {
	m := make(map[string]bool, len(terms))
	for _, t := range terms {
		m[t] = true
	}
	return m
}
