package metric

import "math"

// Measures of the C/W/L framework (Moffat, Bailey, Scholer and Thomas, 2017), as cwl_eval computes them for
// ir_measures: a user goes on from a rank with some chance, and the value is the expected gain of a document looked at,
// Σ w(i) g(i), where w(i) is the chance to have gone on to rank i, scaled to a sum of 1.

// goOn is the chance to go on behind rank i, from 1, given the gain there and all gain up to it.
type goOn func(rank int, gain, total float64) float64

// cwlDepth is how many ranks cwl_eval looks at; shorter rankings are filled with documents of no gain.
const cwlDepth = 1000

// expectedGain is the value of a topic. Grades from min_rel to max_rel are gains from 0 to 1; what is above or
// below is taken as the nearer end, and what is not judged as no gain.
func expectedGain(t *Topic, m *Measure, next goOn) float64 {
	low, high := m.num["min_rel"], m.num["max_rel"]
	reach, weights, sum, total := 1.0, 0.0, 0.0, 0.0
	for i := range cwlDepth {
		gain := 0.0
		if i < len(t.Relevance) && t.Relevance[i] >= 0 {
			gain = (min(max(float64(t.Relevance[i]), low), high) - low) / (high - low)
		}
		total += gain
		weights += reach
		sum += reach * gain
		reach *= next(i+1, gain, total)
	}
	return sum / weights
}

// scaledDCG has the discount of DCG up to rank k (Järvelin and Kekäläinen, 2002, scaled).
func scaledDCG(k int) goOn {
	return func(rank int, _, _ float64) float64 {
		if rank >= k {
			return 0
		}
		return math.Log2(float64(rank+1)) / math.Log2(float64(rank+2))
	}
}

// bejeweled stops at a total gain of want, and at rank k (Zhang et al., 2017, static).
func bejeweled(want float64, k int) goOn {
	return func(rank int, _, total float64) float64 {
		if total < want && rank < k {
			return 1
		}
		return 0
	}
}

// adaptive is INST (Moffat, Bailey, Scholer and Thomas, 2015).
func adaptive(want float64) goOn {
	return func(rank int, _, total float64) float64 {
		return square(1 - 1/(float64(rank)+want+want-total))
	}
}

// squared is INSQ (Moffat, Scholer and Thomas, 2012).
func squared(want float64) goOn {
	return func(rank int, _, _ float64) float64 { return square(1 - 1/(float64(rank)+2*want)) }
}

// nearlyERR8 to nearlyERR11 are equations 8 to 11 of Azzopardi, Mackenzie and Moffat (2021).
func nearlyERR8(k int) goOn {
	return func(rank int, gain, _ float64) float64 {
		if rank >= k {
			return 0
		}
		return 1 - gain
	}
}

func nearlyERR9(k int) goOn {
	return func(rank int, gain, _ float64) float64 {
		if rank >= k {
			return 0
		}
		return float64(rank) / float64(rank+1) * (1 - gain)
	}
}

func nearlyERR10(p float64) goOn {
	return func(_ int, gain, _ float64) float64 { return p * (1 - gain) }
}

func nearlyERR11(want float64) goOn {
	patience := squared(want)
	return func(rank int, gain, total float64) float64 { return patience(rank, gain, total) * (1 - gain) }
}

func square(x float64) float64 { return x * x }
