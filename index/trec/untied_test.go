package trec

import (
	"math"
	"slices"
	"testing"
)

func TestUntie(t *testing.T) {
	for _, scores := range [][]float64{
		{3, 2, 1},
		{0, 0, 0, -1},
		{5, 5, 5, 4.999999, 1},
		{1.0 / 61, 1.0 / 61, 1.0 / 62, 1.0 / 62},
		{1e6, 1e6, 1e6, 12},
		{-2, -2, -2},
		{1 + 1e-12, 1, 0.5},
		{1e-12, 1e-12, 0},
		{1, 2, 3}, // an order that is no order of scores
		{1e39, 1e39, 1},
		{1e-45, 0, 0},
		slices.Repeat([]float64{7}, 1000),
	} {
		var got []Result
		for _, s := range scores {
			got = append(got, Result{Document: "d", Score: s})
		}
		Untie(got)
		for i := range got {
			if i == 0 {
				continue
			}
			before, after := got[i-1].Score, got[i].Score
			if float32(after) >= float32(before) {
				t.Errorf("%v: rank %d has %v after %v", scores, i+1, after, before)
			}
			if after != scores[i] && float32(scores[i]) < float32(before) {
				t.Errorf("%v: %v was no tie and is %v now", scores, scores[i], after)
			}
			if math.Abs(after-scores[i]) > 1e-3*max(1, math.Abs(scores[i])) && slices.IsSortedFunc(scores, falling) && scores[i] < 1e30 {
				t.Errorf("%v: %v was moved to %v", scores, scores[i], after)
			}
		}
	}
}

// falling sorts the best first.
func falling(a, b float64) int {
	switch {
	case a > b:
		return -1
	case a < b:
		return 1
	}
	return 0
}
