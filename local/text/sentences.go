package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Sentences cuts s at line ends and after sentence-final marks. A mark ends a
// sentence if white space and then something other than a lower-case letter
// follow, unless the word before it is a known abbreviation or an initial.
// Sentences are trimmed and never empty.
func Sentences(s string) []string {
	var out []string
	for line := range strings.Lines(s) {
		start := 0
		for i := 0; i < len(line); {
			end := markEnd(line, i)
			if end < 0 {
				_, size := utf8.DecodeRuneInString(line[i:])
				i += size
				continue
			}

			if endsSentence(line, i, end) {
				out = appendTrimmed(out, line[start:end])
				start = end
			}
			i = end
		}
		out = appendTrimmed(out, line[start:])
	}
	return out
}

// fullMarks end a sentence whatever follows: no white space does in Chinese and Japanese. The
// others are those of Hindi and Bengali, Urdu, Arabic and Persian, Ethiopic and Burmese.
const fullMarks = "。！？｡．।॥۔؟።။"

// markEnd returns the offset after a run of final marks and closing quotes that
// begins at i, or -1 if none begins there.
func markEnd(s string, i int) int {
	start := i
	for i < len(s) {
		r, size := utf8.DecodeRuneInString(s[i:])
		if !strings.ContainsRune(".!?"+fullMarks, r) {
			break
		}
		i += size
	}
	if i == start {
		return -1
	}

	for i < len(s) {
		r, size := utf8.DecodeRuneInString(s[i:])
		if !strings.ContainsRune("\"'”’)]」』）", r) {
			break
		}
		i += size
	}
	return i
}

func endsSentence(s string, mark, end int) bool {
	if first, _ := utf8.DecodeRuneInString(s[mark:]); strings.ContainsRune(fullMarks, first) {
		return true
	}

	rest := s[end:]
	trimmed := strings.TrimLeftFunc(rest, unicode.IsSpace)
	if trimmed == "" {
		return true
	}
	if len(trimmed) == len(rest) {
		return false // no white space follows
	}
	if next, _ := utf8.DecodeRuneInString(trimmed); unicode.IsLower(next) {
		return false
	}

	// Only a point that stands alone can belong to an abbreviation.
	if s[mark] != '.' || end-mark > 1 {
		return true
	}

	word := s[strings.LastIndexFunc(s[:mark], unicode.IsSpace)+1 : mark]
	word = strings.TrimLeft(word, "\"'“‘([")
	if utf8.RuneCountInString(word) == 1 {
		r, _ := utf8.DecodeRuneInString(word)
		return !unicode.IsUpper(r)
	}
	return !abbreviations[strings.ToLower(word)]
}

var abbreviations = map[string]bool{
	"mr": true, "mrs": true, "ms": true, "dr": true, "prof": true, "st": true, "jr": true, "sr": true,
	"gen": true, "sen": true, "rep": true, "gov": true,
	"vs": true, "e.g": true, "i.e": true, "etc": true, "no": true, "fig": true, "approx": true,
	"u.s": true, "u.k": true, "inc": true, "ltd": true, "co": true, "corp": true, "dept": true,
	"jan": true, "feb": true, "mar": true, "apr": true, "jun": true, "jul": true, "aug": true,
	"sep": true, "sept": true, "oct": true, "nov": true, "dec": true,
}

func appendTrimmed(out []string, s string) []string {
	if s = strings.TrimSpace(s); s != "" {
		out = append(out, s)
	}
	return out
}
