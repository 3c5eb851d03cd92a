package calibrate

import (
	"fmt"
	"math"
	"slices"

	"lore/judge/ensemble"
)

// normal95 is the 97.5 % point of the normal distribution.
const normal95 = 1.959964

// Doubt says why a fit should not be used; empty where its Pearson with people in nested cross-validation
// lies above 0, by its 95 % interval. The interval is Fisher's, over single labels: labels of one
// group are alike, so that it is rather too narrow, and a doubt rather comes too late than too early.
func Doubt(f *ensemble.Fit) string {
	r := f.Pearson.Together
	low, high := fisher(r, f.N)
	switch asIs := slices.Max(f.Pearson.Judges); {
	case f.N < Least || r == 0 && f.Error.Together == 0: // plain: see there
		return "nothing was learnt"
	case opposed(asIs, f.N):
		return fmt.Sprintf("people say the opposite: the judge's Pearson with them is %.3f as it is; "+
			"look whether the labels are the wrong way round", asIs)
	case r == 0:
		return "its Pearson with people is not defined"
	case low <= 0:
		return fmt.Sprintf("its Pearson with people is %.3f (95 %% interval %.3f to %.3f), which may be chance", r, low, high)
	}
	return ""
}

// opposed reports whether a correlation is below 0, and not by chance.
func opposed(r float64, n int) bool {
	_, high := fisher(r, n)
	return high < 0
}

// fisher is the 95 % interval of a correlation of n pairs, by Fisher's transformation.
func fisher(r float64, n int) (low, high float64) {
	if n < 4 {
		return -1, 1
	}
	z, half := math.Atanh(r), normal95/math.Sqrt(float64(n-3))
	return math.Tanh(z - half), math.Tanh(z + half)
}
