package trec

import (
	"math"
	"strconv"
)

// belowZero is the first score below zero: numbers nearer to it are not read alike everywhere.
const belowZero = -1e-9

// Untie lowers scores in place until they fall strictly in the order given, so that whoever sorts the results by score, as
// trec_eval does in single precision, gets this order. A score that is not below the one before it in single precision becomes
// the next lower number there; all others stay as they are.
func Untie(results []Result) {
	for i := 1; i < len(results); i++ {
		before := results[i-1].Score
		if float32(results[i].Score) >= float32(before) {
			results[i].Score = nextBelow(before)
		}
	}
}

// nextBelow is the shortest decimal number that single precision reads as its next one below v.
func nextBelow(v float64) float64 {
	if math.Abs(v) < -belowZero/2 {
		return belowZero
	}
	next := math.Nextafter32(float32(v), float32(math.Inf(-1)))
	short, err := strconv.ParseFloat(strconv.FormatFloat(float64(next), 'g', -1, 32), 64)
	if err != nil { // beyond single precision
		return math.Nextafter(v, math.Inf(-1))
	}
	return short
}
