package text

import (
	"unicode"
	"unicode/utf8"
)

// Scripts that put no space between words, by the number of letters that are taken as a word.
// Chinese, Japanese and Korean are cut into pairs of letters that overlap, as Lucene's and
// Bleve's CJK analysers cut them; the others into threes, for which a pair says too little.
var (
	pairScripts  = []*unicode.RangeTable{unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul}
	threeScripts = []*unicode.RangeTable{unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar}
)

// script is a writing.
type script string

// The scripts by which languages are told. That of Chinese, Japanese and Korean is told by
// what they have besides Chinese characters.
const (
	latin        script = "" // of most languages
	arabicScript script = "Arabic"
	armenian     script = "Armenian"
	bengali      script = "Bengali"
	cyrillic     script = "Cyrillic"
	devanagari   script = "Devanagari"
	ethiopic     script = "Ethiopic"
	georgian     script = "Georgian"
	greek        script = "Greek"
	gujarati     script = "Gujarati"
	gurmukhi     script = "Gurmukhi"
	han          script = "Han"
	hangul       script = "Hangul"
	hebrew       script = "Hebrew"
	kana         script = "Hiragana"
	kannada      script = "Kannada"
	khmer        script = "Khmer"
	lao          script = "Lao"
	malayalam    script = "Malayalam"
	myanmar      script = "Myanmar"
	tamil        script = "Tamil"
	telugu       script = "Telugu"
	thai         script = "Thai"
	other        script = "other"
)

// byScript are the scripts' letters.
var byScript = func() map[script]*unicode.RangeTable {
	out := map[script]*unicode.RangeTable{latin: unicode.Latin}
	for _, l := range []script{
		arabicScript, armenian, bengali, cyrillic, devanagari, ethiopic, georgian, greek, gujarati, gurmukhi,
		han, hangul, hebrew, kana, kannada, khmer, lao, malayalam, myanmar, tamil, telugu, thai,
	} {
		out[l] = unicode.Scripts[string(l)]
	}
	return out
}()

// scriptOf is the script of a letter.
func scriptOf(r rune) script {
	switch {
	case r < 0x250:
		return latin
	case unicode.Is(unicode.Katakana, r):
		return kana
	}
	for s, letters := range byScript {
		if unicode.Is(letters, r) {
			return s
		}
	}
	return other
}

// firstGram is the first letter of a script without spaces: Thai begins there.
const firstGram = 0x0e00

// gramOf is the number of letters that are a word in the script of a letter, 0 where words
// are told by the spaces between them.
func gramOf(r rune) int {
	switch {
	case r < firstGram:
		return 0
	case unicode.In(r, pairScripts...):
		return 2
	case unicode.In(r, threeScripts...) && !unicode.IsPunct(r) && !unicode.IsDigit(r):
		return 3
	}
	return 0
}

// eachGram hands the sequences of n letters of the run that begins at i to f, a shorter run
// whole, and returns where it ends.
func eachGram(s string, i, n int, f func(word []byte, from, to int)) int {
	var ring [3]int // where the last letters begin
	letters, end := 0, i
	for end < len(s) {
		r, size := utf8.DecodeRuneInString(s[end:])
		if gramOf(r) != n && (letters == 0 || r != 'ー') {
			break
		}

		ring[letters%n] = end
		letters++
		end += size
		if letters >= n {
			from := ring[letters%n]
			f([]byte(s[from:end]), from, end)
		}
	}

	if letters < n {
		f([]byte(s[i:end]), i, end)
	}
	return end
}
