package metric

import "math"

// Share is the share of true values: key-point recall of an answer whose points
// are entailed or not, key-point precision of its own points found or not
// (Long²RAG, section 3), sub-question coverage. NaN of nothing.
func Share(hits []bool) float64 {
	if len(hits) == 0 {
		return NaN
	}
	n := 0
	for _, h := range hits {
		if h {
			n++
		}
	}
	return float64(n) / float64(len(hits))
}

// QuestionCoverage is the share of answerable questions that a set of passages, or
// a final answer as one passage, answers with a grade of at least eta (CRUX,
// section 3). grades[p][q] is passage p's grade for question q, 0 to 5; a question
// that is not answerable is left out. NaN if none is answerable.
func QuestionCoverage(grades [][]int, answerable []bool, eta int) float64 {
	var hits []bool
	for q, can := range answerable {
		if !can {
			continue
		}
		hit := false
		for _, g := range grades {
			hit = hit || g[q] >= eta
		}
		hits = append(hits, hit)
	}
	return Share(hits)
}

// Density is coverage per token against that of the oracle context, to the power
// of one half (CRUX, section 3). It is at least 0, may exceed 1, and is NaN where
// the oracle covers nothing or a text has no tokens.
func Density(coverage float64, tokens int, oracleCoverage float64, oracleTokens int) float64 {
	if tokens <= 0 || oracleTokens <= 0 || oracleCoverage == 0 {
		return NaN
	}
	return math.Sqrt((coverage / float64(tokens)) / (oracleCoverage / float64(oracleTokens)))
}

// Expected is the mean of a scale under the probabilities of its labels at one
// position, renormalised over the labels, and the probability mass they cover
// (G-Eval; Liu et al., 2023, section 2). labels maps a token text to its value;
// several spellings of one value add up. The mean is NaN if no label is there.
func Expected(probabilities map[string]float64, labels map[string]float64) (mean, mass float64) {
	for _, token := range sortedKeys(labels) {
		p := probabilities[token]
		mass += p
		mean += p * labels[token]
	}
	if mass == 0 {
		return NaN, 0
	}
	return mean / mass, mass
}

// BERTScore matches each token vector of a text greedily to the most similar one
// of the other (Zhang et al., 2020, section 3). Vectors need not be normalised;
// weights, such as idf, may be nil for equal ones. Values are in [-1,1], NaN if a
// text has no token.
func BERTScore(candidate, reference [][]float64, candidateWeights, referenceWeights []float64) PRF {
	if len(candidate) == 0 || len(reference) == 0 {
		return PRF{NaN, NaN, NaN}
	}

	c, r := normalised(candidate), normalised(reference)
	bestC, bestR := make([]float64, len(c)), make([]float64, len(r))
	for i := range bestC {
		bestC[i] = math.Inf(-1)
	}
	for j := range bestR {
		bestR[j] = math.Inf(-1)
	}

	for i := range c {
		for j := range r {
			s := dot(c[i], r[j])
			bestC[i] = max(bestC[i], s)
			bestR[j] = max(bestR[j], s)
		}
	}

	p, q := weighted(bestC, candidateWeights), weighted(bestR, referenceWeights)
	return PRF{p, q, F1(p, q)}
}

func normalised(vectors [][]float64) [][]float64 {
	out := make([][]float64, len(vectors))
	for i, v := range vectors {
		norm := math.Sqrt(dot(v, v))
		out[i] = make([]float64, len(v))
		if norm == 0 {
			continue
		}

		for k, x := range v {
			out[i][k] = x / norm
		}
	}
	return out
}

func dot(a, b []float64) float64 {
	sum := 0.0
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}

func weighted(values, weights []float64) float64 {
	if weights == nil {
		return Mean(values)
	}

	var sum, total float64
	for i, v := range values {
		sum += v * weights[i]
		total += weights[i]
	}

	if total == 0 {
		return NaN
	}
	return sum / total
}
