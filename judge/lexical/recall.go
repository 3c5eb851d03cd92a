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
	n   float64
	df  map[string]float64
	own map[string]content // of each reference
}

// content is the content words of a reference, in order, and its language.
type content struct {
	language *text.Language
	terms    []string
}

func contentOf(code, reference string) content {
	l := text.Of(code, reference)
	return content{l, slices.Sorted(maps.Keys(set(l.Terms(reference))))}
}

// NewRecall counts words over references, each in the language with the code, or, where that
// is empty, in its own.
func NewRecall(language string, references []string) *Recall {
	r := &Recall{n: float64(len(references)), df: map[string]float64{}, own: map[string]content{}}
	for _, ref := range references {
		own := contentOf(language, ref)
		r.own[ref] = own
		for _, t := range own.terms {
			r.df[t]++
		}
	}
	return r
}

// Of is the idf-weighted share of the reference's content words found in the
// candidate, in [0,1]; 0 for a reference without content words.
func (r *Recall) Of(candidate, reference string) float64 {
	return r.Best(candidate, []string{reference})
}

// Best is the highest share over several references; 0 without any.
func (r *Recall) Best(candidate string, references []string) float64 {
	best := 0.0
	have := map[*text.Language]map[string]bool{} // the candidate's words, by whose rules they are counted
	for _, ref := range references {
		own, known := r.own[ref]
		if !known {
			own = contentOf(text.English.Code, ref)
		}
		if have[own.language] == nil {
			have[own.language] = set(own.language.Terms(candidate))
		}
		best = max(best, r.share(own.terms, have[own.language]))
	}
	return best
}

// share is the weighted share of terms that are had.
func (r *Recall) share(terms []string, have map[string]bool) float64 {
	var found, total float64
	for _, t := range terms {
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
