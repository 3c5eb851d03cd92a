package lucene

import "testing"

// What Lucene's SmallFloat.byte4ToInt gives back of intToByte4, up to the first that share a byte, and for some long ones.
func TestLength(t *testing.T) {
	for n := range 40 {
		if Length(n) != n {
			t.Errorf("%d is kept as %d", n, Length(n))
		}
	}
	for n, want := range map[int]int{
		-1: 0, 40: 40, 41: 40, 42: 42, 55: 54, 56: 56, 59: 56, 60: 60, 87: 84, 88: 88, 95: 88, 100: 96,
		300: 280, 1000: 984, 5000: 4632, 1 << 20: 983064,
	} {
		if got := Length(n); got != want {
			t.Errorf("%d is kept as %d, want %d", n, got, want)
		}
	}
}
