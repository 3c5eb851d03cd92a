package text

import (
	"strings"
	"testing"
)

func TestBeginning(t *testing.T) {
	long := strings.Repeat("ü", 60)
	for in, want := range map[string]string{
		"":                        "",
		" a\nb  c ":               "a b c",
		long:                      long,
		long + "ü":                long + "…",
		"a " + long:               "a " + strings.Repeat("ü", 60-2) + "…",
		strings.Repeat("ab ", 60): strings.TrimSpace(strings.Repeat("ab ", 60/3)) + "…",
	} {
		if got := Beginning(in, 60); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}
