package text

import (
	"unicode"
)

// Support says how the words of a text are told.
type Support string

// Words of English are reduced to stems; in scripts without spaces sequences of letters stand
// for words; in other languages a word counts only as it is written.
const (
	English   Support = "english"
	Sequences Support = "sequences"
	AsWritten Support = "as written"
)

// letterShare is the share of its letters from which a script is that of a text.
const letterShare = 0.3

// englishShare is the share of function words among words from which a text in Latin letters
// is taken for English: running English has near a half.
const englishShare = 0.2

// SupportOf finds out how the words of a text are told. A text without letters, or of less
// than eight words, counts as English: it says too little.
func SupportOf(s string) Support {
	letters, sequences, latin := 0, 0, 0
	for _, r := range s {
		switch {
		case !unicode.IsLetter(r):
			continue
		case gramOf(r) > 0:
			sequences++
		case unicode.Is(unicode.Latin, r):
			latin++
		}
		letters++
	}
	if float64(sequences) > letterShare*float64(letters) {
		return Sequences
	}
	if letters > 0 && float64(latin) < (1-letterShare)*float64(letters) {
		return AsWritten
	}

	words, known := 0, 0
	for _, w := range Words(s) {
		words++
		if stop[w] {
			known++
		}
	}
	if words >= 8 && float64(known) < englishShare*float64(words) {
		return AsWritten
	}
	return English
}
