package text

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Sentences cuts s at line ends and after sentence-final marks. A mark ends a
// sentence if white space and then something other than a lower-case letter
// follow, unless the word before it is a known abbreviation or an initial.
// Sentences are trimmed and never empty.
func Sentences(s string) []string { return English.Sentences(s) }

// Sentences cuts s as the function Sentences does, with the abbreviations of the language. In
// Thai and Lao, which have no mark, a space ends a sentence or a part of one.
func (l *Language) Sentences(s string) []string {
	var out []string
	for line := range strings.Lines(s) {
		start := 0
		for i := 0; i < len(line); {
			end := markEnd(line, i)
			if end < 0 {
				r, size := utf8.DecodeRuneInString(line[i:])
				if unicode.IsSpace(r) && endsPart(line, start, i) {
					out = appendTrimmed(out, line[start:i])
					start = i
				}
				i += size
				continue
			}

			if l.endsSentence(line, i, end) {
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
// others are those of Hindi and Bengali, Urdu, Arabic and Persian, Ethiopic and Burmese,
// Armenian and Khmer.
const fullMarks = "。！？｡．।॥۔؟።။։។"

// leastPart is the number of letters from which a part of a Thai text stands for a sentence.
const leastPart = 30

// endsPart tells whether the white space at i ends a part of a text in Thai or Lao, which began
// at start.
func endsPart(line string, start, i int) bool {
	before, _ := utf8.DecodeLastRuneInString(line[:i])
	behind, _ := utf8.DecodeRuneInString(strings.TrimLeftFunc(line[i:], unicode.IsSpace))
	return unicode.In(before, unicode.Thai, unicode.Lao) && unicode.In(behind, unicode.Thai, unicode.Lao) &&
		utf8.RuneCountInString(line[start:i]) >= leastPart
}

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
		if !strings.ContainsRune("\"'”’)]」』）»›", r) && !closes(s[i:]) {
			break
		}
		i += size
	}
	return i
}

// closes tells whether s begins with a mark that closes quotations in German and Danish, and
// opens them in English and French: there no white space is before it.
func closes(s string) bool {
	mark, size := utf8.DecodeRuneInString(s)
	next, more := utf8.DecodeRuneInString(s[size:])
	return (mark == '“' || mark == '«') && (more == 0 || unicode.IsSpace(next))
}

func (l *Language) endsSentence(s string, mark, end int) bool {
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
	if l.ordinals && len(word) <= 2 && strings.Trim(word, "0123456789") == "" {
		return false // "am 3. Oktober"
	}
	if l.abbreviated(strings.ToLower(word)) {
		return false
	}
	if utf8.RuneCountInString(word) == 1 {
		r, _ := utf8.DecodeRuneInString(word)
		return !unicode.IsUpper(r)
	}
	return true
}

// abbreviated tells whether a point behind a word most likely belongs to it.
func (l *Language) abbreviated(word string) bool {
	if l == English || l == Unknown {
		return abbreviations[word]
	}
	return slices.Contains(strings.Fields(everywhere+" "+abbreviationsOf[l.Code]), word)
}

// everywhere are the abbreviations of many languages.
const everywhere = "dr prof st etc vs fig"

// abbreviations are those of English.
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
