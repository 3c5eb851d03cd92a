package text

import (
	"slices"
	"testing"
)

func TestSpellings(t *testing.T) {
	got := Spellings("The CEO’s turbines rest (50 minutes), 1,025.5 kW; grid-scale. End.Then it's naïve… ")
	want := []string{"The", "CEO’s", "turbines", "rest", "50", "minutes", "1,025.5", "kW", "grid", "scale", "End", "Then",
		"it's", "naïve"}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

func TestDistance(t *testing.T) {
	for words, want := range map[[2]string]int{
		{"kitten", "sitting"}: 3, {"", "abc"}: 3, {"é", "e"}: 1, {"same", "same"}: 0,
	} {
		if d := Distance(words[0], words[1]); d != want {
			t.Errorf("%q: %d, want %d", words, d, want)
		}
	}
}
