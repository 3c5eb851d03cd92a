package stage

import (
	"strings"
	"testing"
)

func TestLostFigures(t *testing.T) {
	for _, c := range [][3]string{
		{"In 1931 it cost 40,000 crowns.", "It cost 40000 crowns in 1931.", ""},
		{"In 1931 it cost 40,000 crowns, in 1932 2.5 times that.", "It cost 40,000 crowns.", "1931 1932 2.5"},
		{"It rose by 3.", "It rose by 3.5.", "3"},
		{"No number.", "", ""},
	} {
		if got := strings.Join(LostFigures(c[0], c[1]), " "); got != c[2] {
			t.Errorf("%q in %q: %q, want %q", c[0], c[1], got, c[2])
		}
	}
}
