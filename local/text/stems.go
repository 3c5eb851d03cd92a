package text

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
)

// Stem reduces one word, as Words gives it, to its stem: by Porter's algorithm in English, by
// Snowball's in the languages that it has. Words with a digit are returned with digits as they
// are in English.
func (l *Language) Stem(w string) string {
	if l == English || l == Unknown {
		return Stem(w)
	}

	w = l.fold(w)
	switch {
	case strings.ContainsAny(w, "0123456789"):
		return w
	case l.snowball != nil:
		env := snowballstem.NewEnv(w)
		l.snowball(env)
		return env.Current()
	case l.stem != nil:
		return l.stem(w)
	}
	return w
}

// Stemmed lists all words of a text, function words too, each reduced to its stem: the words
// that ROUGE compares.
func (l *Language) Stemmed(s string) []string {
	out := l.Words(s)
	for i, w := range out {
		out[i] = l.Stem(w)
	}
	return out
}

// fold makes one of letters that are written in several ways: digits become those of English,
// and marks that Arabic and Persian may leave out are left out.
func (l *Language) fold(w string) string {
	if l == English || l == Unknown || isASCII(w) {
		return w
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return digit(r)
		}
		switch l.script {
		case arabicScript:
			return l.foldArabic(r)
		case cyrillic:
			if r == 'ё' {
				return 'е'
			}
		}
		return r
	}, w)
}

func (l *Language) foldArabic(r rune) rune {
	switch {
	case r == 'ـ' || r >= '\u064b' && r <= '\u0652' || r == '\u0670': // tatweel and vowel marks
		return -1
	case l.Code == "ar":
		return r // its stemmer does the rest
	case r == 'ي' || r == 'ى':
		return 'ی'
	case r == 'ك':
		return 'ک'
	}
	return r
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// digit is the digit of English for one of any script.
func digit(r rune) rune {
	for _, t := range unicode.Nd.R16 {
		if lo := rune(t.Lo); r >= lo && r <= rune(t.Hi) {
			return '0' + (r-lo)%10
		}
	}
	return r
}

// hindiEndings by their number of letters, the longest first (Ramanathan and Rao, A Lightweight
// Stemmer for Hindi, 2003).
var hindiEndings = [][]string{
	strings.Fields("ाएंगी ाएंगे ाऊंगी ाऊंगा ाइयाँ ाइयों ाइयां"),
	strings.Fields("ाएगी ाएगा ाओगी ाओगे एंगी ेंगी एंगे ेंगे ूंगी ूंगा ातीं नाओं नाएं ताओं ताएं ियाँ ियों ियां"),
	strings.Fields("ाकर ाइए ाईं ाया ेगी ेगा ोगी ोगे ाने ाना ाते ाती ाता तीं ाओं ाएं ुओं ुएं ुआं"),
	strings.Fields("कर ाओ िए ाई ाए ने नी ना ते ीं ती ता ाँ ां ों ें"),
	strings.Fields("ो े ू ु ी ि ा"),
}

// hindiStem cuts the longest ending that leaves two letters at least.
func hindiStem(w string) string {
	n := utf8.RuneCountInString(w)
	for i, endings := range hindiEndings {
		if n < len(hindiEndings)-i+2 {
			continue
		}
		for _, e := range endings {
			if strings.HasSuffix(w, e) {
				return strings.TrimSuffix(w, e)
			}
		}
	}
	return w
}
