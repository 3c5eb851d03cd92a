package metric

import "strings"

// nltkStem reduces a lower-case word as NLTK's PorterStemmer does in its default
// mode, which ROUGE implementations in Python use: Porter's algorithm (Porter,
// 1980) with the changes of his later versions and a few of NLTK's own (an
// irregular list, words of one or two letters untouched, "ies" and "ied" of short
// words kept as "ie", y after a consonant only, and the rules alli, fulli, logi).
func nltkStem(w string) string {
	if s, ok := irregular[w]; ok {
		return s
	}
	if len(w) <= 2 {
		return w
	}

	for _, step := range []func(string) string{step1a, step1b, step1c, step2, step3, step4, step5a, step5b} {
		w = step(w)
	}
	return w
}

var irregular = map[string]string{
	"sky": "sky", "skies": "sky",
	"dying": "die", "lying": "lie", "tying": "tie",
	"innings": "inning", "inning": "inning",
	"outings": "outing", "outing": "outing",
	"cannings": "canning", "canning": "canning",
	"news": "news", "howe": "howe",
	"proceed": "proceed", "exceed": "exceed", "succeed": "succeed",
}

func consonant(w string, i int) bool {
	switch w[i] {
	case 'a', 'e', 'i', 'o', 'u':
		return false
	case 'y':
		return i == 0 || !consonant(w, i-1)
	}
	return true
}

// measureOf counts the vowel-consonant sequences of a stem: Porter's m.
func measureOf(stem string) int {
	m, before := 0, false
	for i := range len(stem) {
		vowel := !consonant(stem, i)
		if before && !vowel {
			m++
		}
		before = vowel
	}
	return m
}

func hasVowel(stem string) bool {
	for i := range len(stem) {
		if !consonant(stem, i) {
			return true
		}
	}
	return false
}

func endsDouble(w string) bool {
	n := len(w)
	return n >= 2 && w[n-1] == w[n-2] && consonant(w, n-1)
}

// endsCVC is Porter's *o, which NLTK also grants to words of a vowel and a
// consonant.
func endsCVC(w string) bool {
	n := len(w)
	if n == 2 {
		return !consonant(w, 0) && consonant(w, 1)
	}
	return n >= 3 &&
		consonant(w, n-3) && !consonant(w, n-2) && consonant(w, n-1) &&
		!strings.ContainsRune("wxy", rune(w[n-1]))
}

type rule struct {
	suffix, to string
	when       func(stem string) bool
}

func positive(stem string) bool { return measureOf(stem) > 0 }
func above1(stem string) bool   { return measureOf(stem) > 1 }

// apply uses the first rule whose suffix fits; if its condition fails, the word
// stays as it is.
func apply(w string, rules []rule) string {
	for _, r := range rules {
		if stem, ok := strings.CutSuffix(w, r.suffix); ok {
			if r.when == nil || r.when(stem) {
				return stem + r.to
			}
			return w
		}
	}
	return w
}

func step1a(w string) string {
	if len(w) == 4 && strings.HasSuffix(w, "ies") {
		return w[:1] + "ie"
	}
	return apply(w, []rule{{"sses", "ss", nil}, {"ies", "i", nil}, {"ss", "ss", nil}, {"s", "", nil}})
}

func step1b(w string) string {
	if stem, ok := strings.CutSuffix(w, "ied"); ok {
		if len(w) == 4 {
			return stem + "ie"
		}
		return stem + "i"
	}

	if stem, ok := strings.CutSuffix(w, "eed"); ok {
		if positive(stem) {
			return stem + "ee"
		}
		return w
	}

	for _, suffix := range []string{"ed", "ing"} {
		if stem, ok := strings.CutSuffix(w, suffix); ok && hasVowel(stem) {
			return repair1b(stem)
		}
	}
	return w
}

func repair1b(w string) string {
	last := w[len(w)-1]
	switch {
	case strings.HasSuffix(w, "at"), strings.HasSuffix(w, "bl"), strings.HasSuffix(w, "iz"):
		return w + "e"
	case endsDouble(w):
		if strings.ContainsRune("lsz", rune(last)) {
			return w
		}
		return w[:len(w)-1]
	case measureOf(w) == 1 && endsCVC(w):
		return w + "e"
	}
	return w
}

func step1c(w string) string {
	return apply(w, []rule{{"y", "i", func(stem string) bool {
		return len(stem) > 1 && consonant(stem, len(stem)-1)
	}}})
}

func step2(w string) string {
	if stem, ok := strings.CutSuffix(w, "alli"); ok && positive(stem) {
		return step2(stem + "al")
	}
	return apply(w, []rule{
		{"ational", "ate", positive}, {"tional", "tion", positive}, {"enci", "ence", positive},
		{"anci", "ance", positive}, {"izer", "ize", positive}, {"bli", "ble", positive},
		{"alli", "al", positive}, {"entli", "ent", positive}, {"eli", "e", positive},
		{"ousli", "ous", positive}, {"ization", "ize", positive}, {"ation", "ate", positive},
		{"ator", "ate", positive}, {"alism", "al", positive}, {"iveness", "ive", positive},
		{"fulness", "ful", positive}, {"ousness", "ous", positive}, {"aliti", "al", positive},
		{"iviti", "ive", positive}, {"biliti", "ble", positive}, {"fulli", "ful", positive},
		{"logi", "log", func(stem string) bool { return positive(stem + "l") }},
	})
}

func step3(w string) string {
	return apply(w, []rule{
		{"icate", "ic", positive}, {"ative", "", positive}, {"alize", "al", positive},
		{"iciti", "ic", positive}, {"ical", "ic", positive}, {"ful", "", positive}, {"ness", "", positive},
	})
}

func step4(w string) string {
	return apply(w, []rule{
		{"al", "", above1}, {"ance", "", above1}, {"ence", "", above1}, {"er", "", above1},
		{"ic", "", above1}, {"able", "", above1}, {"ible", "", above1}, {"ant", "", above1},
		{"ement", "", above1}, {"ment", "", above1}, {"ent", "", above1},
		{"ion", "", func(stem string) bool {
			return above1(stem) && (strings.HasSuffix(stem, "s") || strings.HasSuffix(stem, "t"))
		}},
		{"ou", "", above1}, {"ism", "", above1}, {"ate", "", above1}, {"iti", "", above1},
		{"ous", "", above1}, {"ive", "", above1}, {"ize", "", above1},
	})
}

func step5a(w string) string {
	stem, ok := strings.CutSuffix(w, "e")
	if !ok {
		return w
	}
	if m := measureOf(stem); m > 1 || (m == 1 && !endsCVC(stem)) {
		return stem
	}
	return w
}

func step5b(w string) string {
	if strings.HasSuffix(w, "ll") && measureOf(w[:len(w)-1]) > 1 {
		return w[:len(w)-1]
	}
	return w
}
