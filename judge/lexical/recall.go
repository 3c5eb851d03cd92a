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
	of map[string]*text.Language // of each reference
}

// NewRecall counts words over references, each in the language with the code, or, where that
// is empty, in its own.
func NewRecall(language string, references []string) *Recall {
	r := &Recall{n: float64(len(references)), df: map[string]float64{}, of: map[string]*text.Language{}}
	for _, ref := range references {
		r.of[ref] = text.Of(language, ref)
		for t := range set(r.of[ref].Terms(ref)) {
			r.df[t]++
		}
	}
	return r
}

// Of is the idf-weighted share of the reference's content words found in the
// candidate, in [0,1]; 0 for a reference without content words.
func (r *Recall) Of(candidate, reference string) float64 {
	l := r.of[reference]
	if l == nil {
		l = text.English
	}
	have := set(l.Terms(candidate))
	var found, total float64
	for _, t := range slices.Sorted(maps.Keys(set(l.Terms(reference)))) {
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
