package usage

import (
	"bytes"
	"slices"
	"testing"
)

func TestFold(t *testing.T) {
	for width, want := range map[int][]string{
		0:  {"ab cd éfgh i"},
		12: {"ab cd éfgh i"},
		6:  {"ab cd", "éfgh i"},
		3:  {"ab", "cd", "éfgh", "i"},
	} {
		if got := fold("ab cd éfgh i", width); !slices.Equal(got, want) {
			t.Errorf("%d: %q, want %q", width, got, want)
		}
	}
}

func TestWrapElsewhere(t *testing.T) {
	var b bytes.Buffer
	Wrap(&b, "one line  as it is\n\nand another")
	if got, want := b.String(), "one line  as it is\n\nand another\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
