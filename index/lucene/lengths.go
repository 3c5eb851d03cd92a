package lucene

import "math/bits"

// free is how many of the least lengths have a byte of their own. Of the rest of longer ones a byte holds the first four
// binary digits, so that lengths up to 39 are exact.
const free = 24

// Length is what Lucene knows of a document of n terms: the length that a byte can hold, which is at most n and
// above n·8/9. Negative lengths are 0.
func Length(n int) int {
	if n < free {
		return max(n, 0)
	}
	rest := n - free
	if shift := bits.Len(uint(rest)) - 4; shift > 0 {
		rest = rest >> shift << shift
	}
	return free + rest
}
