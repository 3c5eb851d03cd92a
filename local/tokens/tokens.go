// Package tokens counts and cuts text by cl100k_base tokens, offline.
//
// The vocabulary is embedded in the binary. It is the tokeniser the SummHay
// paper budgets its contexts with; served models have their own, so a count here
// is a budget, not a promise about a server.
package tokens

import (
	"fmt"
	"sync"
	"unicode/utf8"

	"github.com/tiktoken-go/tokenizer"
)

// Name of the encoding, for manifests and reports.
const Name = "cl100k_base"

var codec = sync.OnceValue(func() tokenizer.Codec {
	c, err := tokenizer.Get(tokenizer.Cl100kBase)
	if err != nil {
		panic(fmt.Sprintf("tokens: embedded vocabulary: %v", err)) // the vocabulary is compiled in
	}
	return c
})

// Count returns the number of tokens in text.
func Count(text string) int {
	n, err := codec().Count(text)
	if err != nil { // Count fails only where Encode does; cl100k_base encodes every string
		return len(text)
	}
	return n
}

// Cut returns the longest beginning of text that has at most limit tokens, and
// its number of tokens. The cut may fall inside a word, as in the paper's release.
func Cut(text string, limit int) (string, int) {
	if limit <= 0 {
		return "", 0
	}
	ids, _, err := codec().Encode(text)
	if err != nil || len(ids) <= limit {
		return text, len(ids)
	}

	cut, err := codec().Decode(ids[:limit])
	if err != nil {
		return "", 0
	}
	return validPrefix(cut), limit
}

// validPrefix drops a broken rune that a cut between two byte tokens leaves.
func validPrefix(s string) string {
	for i := 1; i <= 3 && i <= len(s); i++ {
		c := s[len(s)-i]
		if c < 0x80 {
			return s
		}

		if c >= 0xC0 { // first byte of a rune of known length
			want := 2
			switch {
			case c >= 0xF0:
				want = 4
			case c >= 0xE0:
				want = 3
			}
			if i < want {
				return s[:len(s)-i]
			}
			return s
		}
	}
	return s
}

// Windows cuts a text into pieces of at most size tokens; neighbours share overlap
// tokens. A text that fits is one piece; a cut moves back to a rune's beginning.
func Windows(text string, size, overlap int) []string {
	ids, _, err := codec().Encode(text)
	if err != nil || len(ids) <= size || size <= 0 {
		return []string{text}
	}

	// ends[i] is where token i ends in the text.
	ends := make([]int, len(ids)+1)
	for i, id := range ids {
		piece, err := codec().Decode([]uint{id})
		if err != nil {
			return []string{text}
		}
		ends[i+1] = ends[i] + len(piece)
	}

	place := func(token int) int {
		at := min(ends[token], len(text))
		for at > 0 && at < len(text) && !utf8.RuneStart(text[at]) {
			at--
		}
		return at
	}

	var out []string
	for start := 0; ; start += max(1, size-overlap) {
		end := min(start+size, len(ids))
		out = append(out, text[place(start):place(end)])
		if end == len(ids) {
			return out
		}
	}
}
