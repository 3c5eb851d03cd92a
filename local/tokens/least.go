package tokens

import (
	"unicode"
	"unicode/utf8"
)

// joined are the scripts that are written without spaces between words.
var joined = []*unicode.RangeTable{
	unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai, unicode.Lao, unicode.Khmer,
	unicode.Myanmar,
}

// Slack is the share of the least tokens that a server's count may have at least: what is
// below was not read whole.
const Slack = 0.9

// perToken is how many characters of such a script one token may stand for at most.
const perToken = 4

// Least is the fewest tokens that a tokeniser of a language model makes of a text: one a
// word, and in scripts without spaces one for four characters. Tokenisers part at white
// space first, so they make more of almost every text.
func Least(text string) int {
	words, dense := 0, 0
	inWord := false
	for i := 0; i < len(text); {
		// Most of most texts is ASCII, and this is done for every prompt.
		if c := text[i]; c < utf8.RuneSelf {
			i++
			switch {
			case c == ' ' || c-'\t' < 5:
				inWord = false
			case c < ' ' || c == 0x7f: // some tokenisers drop what cannot be seen
			case !inWord:
				words++
				inWord = true
			}
			continue
		}

		r, n := utf8.DecodeRuneInString(text[i:])
		i += n
		switch {
		case unicode.IsSpace(r):
			inWord = false
		case unicode.In(r, unicode.C):
		case unicode.In(r, joined...):
			dense++
			inWord = false
		case !inWord:
			words++
			inWord = true
		}
	}
	return words + dense/perToken
}
