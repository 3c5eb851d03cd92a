package metric

import (
	"math"
	"slices"
)

// Measures of gain as trec_eval computes them (usnistgov/trec_eval, m_G.c, m_binG.c, m_Rndcg.c, m_ndcg_rel.c).
// The ideal order has all judged documents with a gain above 0, largest gain first.

// idealOf are the gains of the ideal order.
func idealOf(t *Topic, gain Gain) []float64 {
	var out []float64
	for _, grade := range t.Judged {
		if g := gain(grade); g > 0 {
			out = append(out, g)
		}
	}
	slices.SortFunc(out, func(a, b float64) int {
		if a > b {
			return -1
		}
		if a < b {
			return 1
		}
		return 0
	})
	return out
}

// cumulated are the discounted gains up to each rank; the first is that of no rank.
func cumulated(gains []float64) []float64 {
	out := make([]float64, len(gains)+1)
	for i, g := range gains {
		out[i+1] = out[i] + g/math.Log2(float64(i+2))
	}
	return out
}

func gainsOf(t *Topic, gain Gain) []float64 {
	out := make([]float64, len(t.Relevance))
	for i, r := range t.Relevance {
		if r >= 0 {
			out[i] = gain(r)
		}
	}
	return out
}

// upTo is the value at a rank, or the last one.
func upTo(sums []float64, rank int) float64 { return sums[min(rank, len(sums)-1)] }

// NDCGAtRelevant is nDCG averaged over the documents with a gain: at the rank where each was retrieved, at the
// end of the ranking for those that were not.
func NDCGAtRelevant(t *Topic, gain Gain) float64 {
	ideal := idealOf(t, gain)
	if len(ideal) == 0 {
		return 0
	}
	gains := gainsOf(t, gain)
	have, best := cumulated(gains), cumulated(ideal)

	sum, found := 0.0, 0
	for i, g := range gains {
		if g > 0 {
			sum += have[i+1] / upTo(best, i+1)
			found++
		}
	}
	sum += float64(len(ideal)-found) * have[len(gains)] / best[len(ideal)]
	return max(0, sum/float64(len(ideal)))
}

// NDCGAtLevels is nDCG averaged over the ranks where the gain of the ideal order changes, and over the end of
// the ranking where it goes on behind them.
func NDCGAtLevels(t *Topic, gain Gain) float64 {
	ideal := idealOf(t, gain)
	if len(ideal) == 0 {
		return 0
	}
	gains := gainsOf(t, gain)
	have, best := cumulated(gains), cumulated(ideal)

	sum, n := 0.0, 0
	for i := 1; i <= len(ideal); i++ {
		if i == len(ideal) || ideal[i] != ideal[i-1] {
			sum += upTo(have, i) / best[i]
			n++
		}
	}
	if len(gains) > len(ideal)+1 {
		sum += have[len(gains)] / best[len(ideal)]
		n++
	}
	return sum / float64(n)
}

// NormalisedGain is trec_eval's G: each gain over log2(2 + what was missed so far), summed and divided by the sum of
// all gains. What was missed is the ideal gain up to the rank, at least 1 a rank, less the gain retrieved.
func NormalisedGain(t *Topic, gain Gain) float64 {
	ideal := idealOf(t, gain)
	total := 0.0
	for _, g := range ideal {
		total += g
	}
	if total == 0 {
		return 0
	}

	sum, cost, got := 0.0, 0.0, 0.0
	for i, g := range gainsOf(t, gain) {
		got += g
		best := 0.0
		if i < len(ideal) {
			best = ideal[i]
		}
		cost += max(best, 1)
		if g != 0 {
			sum += g / math.Log2(2+cost-got)
		}
	}
	return sum / total
}

// BinaryGain is trec_eval's binG: 1 over log2(2 + other documents before it) for each relevant document retrieved,
// over the number of relevant documents.
func BinaryGain(t *Topic, rel int) float64 {
	sum, others := 0.0, 0
	for _, r := range t.Relevance {
		if r >= rel {
			sum += 1 / math.Log2(float64(2+others))
		} else {
			others++
		}
	}
	if n := t.relevantJudged(rel); n > 0 {
		return sum / float64(n)
	}
	return 0
}
