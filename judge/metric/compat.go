package metric

import (
	"cmp"
	"slices"
)

// Compatibility is the rank-biased overlap of a ranking with the ideal order (Clarke, Vtyurina and Smucker, 2021), with
// persistence p. The ideal order has the documents of a grade above 0 by grade, those of one grade in the order of
// the ranking. normalize divides by the overlap of the ideal order with itself, which is below 1 where it
// is shorter than the ranking. Equal scores of the ranking go by document id ascending, as in the reference.
func Compatibility(t *Topic, p float64, normalize bool) float64 {
	ranking, ideal := t.byReference(), t.idealDocuments()
	depth := max(len(ranking), len(ideal))
	score := rankBiasedOverlap(ranking, ideal, p, depth)
	if !normalize {
		return score
	}
	return over(score, rankBiasedOverlap(ideal, ideal, p, depth))
}

// rankBiasedOverlap is the mean share of documents in common up to each rank, weighted by p to the rank.
func rankBiasedOverlap(a, b []string, p float64, depth int) float64 {
	inA, inB, common := map[string]bool{}, map[string]bool{}, 0
	score, weights, weight := 0.0, 0.0, 1.0
	for i := range depth {
		if i < len(a) {
			inA[a[i]] = true
			if inB[a[i]] {
				common++
			}
		}
		if i < len(b) {
			inB[b[i]] = true
			if inA[b[i]] {
				common++
			}
		}
		score += weight * float64(common) / float64(i+1)
		weights += weight
		weight *= p
	}
	return over(score, weights)
}

// byReference are the documents of the ranking, equal scores by id ascending.
func (t *Topic) byReference() []string {
	results := slices.Clone(t.results)
	slices.SortFunc(results, func(a, b Retrieved) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Document, b.Document))
	})
	out := make([]string, len(results))
	for i, r := range results {
		out[i] = r.Document
	}
	return out
}

// idealDocuments are the documents of a grade above 0, best first.
func (t *Topic) idealDocuments() []string {
	scores := map[string]float64{} // 0 for what was not retrieved
	for _, r := range t.results {
		scores[r.Document] = r.Score
	}
	var out []string
	for doc, grade := range t.grades {
		if grade > 0 {
			out = append(out, doc)
		}
	}
	slices.SortFunc(out, func(a, b string) int {
		return cmp.Or(cmp.Compare(t.grades[b], t.grades[a]), cmp.Compare(scores[b], scores[a]), cmp.Compare(a, b))
	})
	return out
}
