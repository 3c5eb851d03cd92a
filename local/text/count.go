package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Letters that make up a word on average, where no space says where it ends: about one and a
// half in Chinese and more in Japanese, four with their vowel signs in Thai and its like.
const (
	lettersOfHan  = 2
	lettersOfThai = 4
)

// Count is how many words a text has, as word limits mean it: the pieces between white space.
// In scripts without spaces two letters of Chinese and Japanese are taken for a word, and four
// of Thai, Lao, Khmer and Burmese.
func Count(s string) int {
	n := 0
	for field := range strings.FieldsSeq(s) {
		n += countField(field)
	}
	return n
}

func countField(field string) int {
	han, thai, others := 0, 0, false
	for _, r := range field {
		switch {
		case r < firstGram:
			others = others || unicode.IsLetter(r) || unicode.IsDigit(r) // a name or a number between them
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana):
			han++
		case unicode.In(r, threeScripts...):
			thai++
		}
	}

	if han+thai == 0 {
		return 1
	}
	n := (han+lettersOfHan-1)/lettersOfHan + (thai+lettersOfThai-1)/lettersOfThai
	if others {
		n++
	}
	return n
}

// First is the beginning of a text that has n words at most, as Count counts them, with single
// spaces between; cut says that something is left out. A text that is not cut is as it was.
func First(s string, n int) (first string, cut bool) {
	if Count(s) <= n {
		return s, false
	}

	var b strings.Builder
	for field := range strings.FieldsSeq(s) {
		part := field
		for len(part) > 0 && countField(part) > n {
			_, size := utf8.DecodeLastRuneInString(part)
			part = part[:len(part)-size]
		}
		if n <= 0 || part == "" {
			break
		}
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(part)
		n -= countField(part)
	}
	return b.String(), true
}
