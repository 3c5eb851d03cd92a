package embed

import "math"

// Poolings of token vectors.
const (
	poolMean = "mean"
	poolCLS  = "cls"
	poolLast = "last"
	poolMax  = "max"
	poolNone = "none"
)

// pool turns the token vectors of one text (at least one, padding left out) into
// one vector.
func pool(how string, tokens [][]float32) []float32 {
	switch how {
	case poolCLS:
		return append([]float32(nil), tokens[0]...)
	case poolLast:
		return append([]float32(nil), tokens[len(tokens)-1]...)
	case poolMax:
		return elementMax(tokens)
	}

	weights := make([]float64, len(tokens))
	for i := range weights {
		weights[i] = 1
	}
	return weightedMean(tokens, weights)
}

// poolWindows joins the vectors of a text's windows; lengths are in tokens.
func poolWindows(how Long, vectors [][]float32, lengths []int) []float32 {
	if len(vectors) == 1 {
		return vectors[0]
	}
	if how == Max {
		return elementMax(vectors)
	}

	weights := make([]float64, len(lengths))
	for i, n := range lengths {
		weights[i] = float64(n)
	}
	return weightedMean(vectors, weights)
}

func weightedMean(vectors [][]float32, weights []float64) []float32 {
	sums := make([]float64, len(vectors[0]))
	total := 0.0
	for i, v := range vectors {
		total += weights[i]
		for k, x := range v {
			sums[k] += weights[i] * float64(x)
		}
	}

	out := make([]float32, len(sums))
	for k, s := range sums {
		out[k] = float32(s / total)
	}
	return out
}

func elementMax(vectors [][]float32) []float32 {
	out := append([]float32(nil), vectors[0]...)
	for _, v := range vectors[1:] {
		for k, x := range v {
			out[k] = max(out[k], x)
		}
	}
	return out
}

// normalize scales a vector to length 1; a vector of zeros stays.
func normalize(v []float32) {
	sum := 0.0
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if sum == 0 {
		return
	}

	scale := 1 / math.Sqrt(sum)
	for k, x := range v {
		v[k] = float32(float64(x) * scale)
	}
}
