package tokens

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// Expected counts are tiktoken's for cl100k_base ("tiktoken is great!" is the
// example of OpenAI's cookbook: 6 tokens).
func TestCount(t *testing.T) {
	for text, want := range map[string]int{"": 0, "tiktoken is great!": 6, "hello world": 2} {
		if got := Count(text); got != want {
			t.Errorf("Count(%q) = %d, want %d", text, got, want)
		}
	}
}

func TestCut(t *testing.T) {
	text := strings.Repeat("Grüße aus 東京 🙂 ", 20)
	total := Count(text)
	for limit := 0; limit <= total+2; limit++ {
		got, n := Cut(text, limit)
		if !strings.HasPrefix(text, got) || !utf8.ValidString(got) {
			t.Fatalf("Cut(%d) = %q is not a valid beginning", limit, got)
		}
		if n > limit || n > total {
			t.Fatalf("Cut(%d) counts %d tokens of %d", limit, n, total)
		}
	}
	if got, n := Cut(text, total); got != text || n != total {
		t.Errorf("Cut at the full length changes the text")
	}
}
