package tokens

import "unicode"

// joined are the scripts that are written without spaces between words.
var joined = []*unicode.RangeTable{
	unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai, unicode.Lao, unicode.Khmer,
	unicode.Myanmar,
}

// perToken is how many characters of such a script one token may stand for at most.
const perToken = 4

// Least is the fewest tokens that a tokeniser of a language model makes of a text: one a
// word, and in scripts without spaces one for four characters. Tokenisers part at white
// space first, so they make more of almost every text.
func Least(text string) int {
	words, dense := 0, 0
	inWord := false
	for _, r := range text {
		switch {
		case unicode.IsSpace(r):
			inWord = false
		case r >= 0x0E00 && unicode.In(r, joined...):
			dense++
			inWord = false
		case !inWord:
			words++
			inWord = true
		}
	}
	return words + dense/perToken
}
