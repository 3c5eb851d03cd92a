// Package metric holds the measures as pure functions: numbers in, numbers out.
// It reads no files, opens no connections and imports nothing else of lore.
//
// Scores are shares in [0,1] unless a comment says otherwise. A measure of
// nothing is undefined and is returned as NaN, never as 0.
package metric

import "math"

// NaN is the value of an undefined measure.
var NaN = math.NaN()

// Citation compares the documents a bullet cites with the documents that hold
// the statement it covers, both as sets (SummHay, section 4.1). Precision is 0
// when nothing is cited, recall is 0 when no document holds the statement, and F1
// is 0 when both are 0.
func Citation(cited, gold map[int]bool) (precision, recall, f1 float64) {
	hits := 0
	for c := range cited {
		if gold[c] {
			hits++
		}
	}

	if hits == 0 {
		return 0, 0, 0
	}
	precision = float64(hits) / float64(len(cited))
	recall = float64(hits) / float64(len(gold))
	return precision, recall, F1(precision, recall)
}

// F1 is the harmonic mean of precision and recall; 0 when both are 0, and NaN
// when either is.
func F1(precision, recall float64) float64 {
	if precision == 0 && recall == 0 {
		return 0
	}
	return 2 * precision * recall / (precision + recall)
}

// Joint is coverage times citation F1 of one insight (SummHay, section 4.1); an
// insight that is not covered has no citation and scores 0.
func Joint(coverage, citationF1 float64) float64 {
	if coverage == 0 {
		return 0
	}
	return coverage * citationF1
}
