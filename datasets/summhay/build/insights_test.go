package build

import "testing"

func TestSpecific(t *testing.T) {
	for s, want := range map[string]bool{"It cost 40 crowns.": true, "The mayor, Arlen, was late.": true,
		"Nobody was late.": false, "It rained. Nobody came.": false, "I said so.": false} {
		if specific(s) != want {
			t.Errorf("%q: %v", s, !want)
		}
	}
}
