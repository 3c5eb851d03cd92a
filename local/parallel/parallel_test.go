package parallel

import (
	"slices"
	"testing"
)

// Every number is done once, however many there are.
func TestEach(t *testing.T) {
	for _, n := range []int{0, 1, 2, 1000} {
		done := make([]int, n)
		Each(n, func(i int) { done[i]++ })
		if slices.ContainsFunc(done, func(times int) bool { return times != 1 }) {
			t.Errorf("of %d: %v", n, done)
		}
	}
}
