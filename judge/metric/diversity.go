package metric

import "math"

// Measures of novelty and diversity, as ndeval of the TREC web track computes them
// (pyndeval, commit acde21d): a document's gain is the sum over its subtopics of
// (1 − alpha) to the number of earlier documents on the subtopic (Clarke et al.,
// 2008). Values are in [0,1], and 0 where no document is relevant.

// gains returns the gain at each rank.
func gains(covers [][]int, subtopics int, alpha float64) []float64 {
	worth := make([]float64, subtopics)
	for i := range worth {
		worth[i] = 1
	}

	out := make([]float64, len(covers))
	for i, subs := range covers {
		for _, s := range subs {
			out[i] += worth[s]
			worth[s] *= 1 - alpha
		}
	}
	return out
}

// idealGains returns the gains of the greedy best order of the judged documents:
// always the one with the largest gain, equal gains by document id descending.
// The best order itself is NP-hard to find.
func idealGains(t *Topic, alpha float64) []float64 {
	worth := make([]float64, t.Subtopics)
	for i := range worth {
		worth[i] = 1
	}

	used := make([]bool, len(t.pool))
	out := make([]float64, 0, len(t.pool))
	for range t.pool {
		best, bestGain := -1, -1.0
		for d, subs := range t.pool {
			if used[d] {
				continue
			}

			g := 0.0
			for _, s := range subs {
				g += worth[s]
			}
			if g > bestGain {
				best, bestGain = d, g
			}
		}

		used[best] = true
		out = append(out, bestGain)
		for _, s := range t.pool[best] {
			worth[s] *= 1 - alpha
		}
	}
	return out
}

// perfectGains are the gains of documents that are each relevant to everything:
// the upper bound whatever the collection holds.
func perfectGains(subtopics, n int, alpha float64) []float64 {
	out := make([]float64, n)
	g := float64(subtopics)
	for i := range out {
		out[i] = g
		g *= 1 - alpha
	}
	return out
}

type discount func(rank int) float64 // rank from 1

func logDiscount(rank int) float64        { return 1 / math.Log2(float64(rank+1)) }
func reciprocalDiscount(rank int) float64 { return 1 / float64(rank) }

func powerDiscount(beta float64) discount {
	return func(rank int) float64 { return math.Pow(beta, float64(rank-1)) }
}

func discounted(gains []float64, k int, d discount) float64 {
	sum := 0.0
	for i, g := range gains {
		if k > 0 && i >= k {
			break
		}
		sum += g * d(i+1)
	}
	return sum
}

func over(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}

// overPerfect is the value of a ranking over that of documents relevant to everything.
func overPerfect(t *Topic, k int, alpha float64, d discount) float64 {
	best := discounted(perfectGains(t.Subtopics, deep(t, k), alpha), k, d)
	return over(discounted(gains(t.Covers, t.Subtopics, alpha), k, d), best)
}

// overIdeal is the value of a ranking over that of the greedy ideal order.
func overIdeal(t *Topic, k int, alpha float64, d discount) float64 {
	best := discounted(idealGains(t, alpha), k, d)
	return over(discounted(gains(t.Covers, t.Subtopics, alpha), k, d), best)
}

// AlphaDCG is alpha-DCG at k over that of documents relevant to everything.
func AlphaDCG(t *Topic, k int, alpha float64) float64 {
	return overPerfect(t, k, alpha, logDiscount)
}

// AlphaNDCG is alpha-DCG at k over that of the greedy ideal order.
func AlphaNDCG(t *Topic, k int, alpha float64) float64 {
	return overIdeal(t, k, alpha, logDiscount)
}

// ERRIA is intent-aware expected reciprocal rank at k over that of documents
// relevant to everything.
func ERRIA(t *Topic, k int, alpha float64) float64 {
	return overPerfect(t, k, alpha, reciprocalDiscount)
}

// NERRIA is intent-aware expected reciprocal rank at k over that of the greedy
// ideal order.
func NERRIA(t *Topic, k int, alpha float64) float64 {
	return overIdeal(t, k, alpha, reciprocalDiscount)
}

// NRBP is novelty- and rank-biased precision with persistence beta (Clarke et al.,
// 2009), over the value of documents relevant to everything, which for an endless
// ranking is subtopics / (1 − (1 − alpha)·beta).
func NRBP(t *Topic, alpha, beta float64) float64 {
	sum := discounted(gains(t.Covers, t.Subtopics, alpha), 0, powerDiscount(beta))
	return over(sum*(1-(1-alpha)*beta), float64(t.Subtopics))
}

// NNRBP is the same over the value of the greedy ideal order.
func NNRBP(t *Topic, alpha, beta float64) float64 {
	return overIdeal(t, 0, alpha, powerDiscount(beta))
}

// SubtopicRecall is the share of subtopics with a relevant document in the top k
// (Zhai et al., 2003).
func SubtopicRecall(t *Topic, k int) float64 {
	seen := map[int]bool{}
	for i, subs := range t.Covers {
		if k > 0 && i >= k {
			break
		}
		for _, s := range subs {
			seen[s] = true
		}
	}
	return share(len(seen), t.Subtopics)
}

// PrecisionIA is precision at k for each subtopic, averaged over subtopics.
func PrecisionIA(t *Topic, k int) float64 {
	hits := 0
	for i, subs := range t.Covers {
		if i >= k {
			break
		}
		hits += len(subs)
	}
	return share(hits, k*t.Subtopics)
}

// AveragePrecisionIA is average precision for each subtopic, averaged over
// subtopics.
func AveragePrecisionIA(t *Topic) float64 {
	hits := make([]int, t.Subtopics)
	sum := 0.0
	for i, subs := range t.Covers {
		for _, s := range subs {
			hits[s]++
			sum += float64(hits[s]) / float64(i+1) / float64(t.relevant[s])
		}
	}
	return over(sum, float64(t.Subtopics))
}

func deep(t *Topic, k int) int {
	if k <= 0 {
		return len(t.Covers)
	}
	return k
}
