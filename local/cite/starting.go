package cite

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// A pattern whose matches all begin with one of a few characters. It is tried at these alone:
// the answers of a large run are read some times over, and a search of whole lines for
// alternatives took more than a third of the time of judging them.
type pattern struct {
	first string
	re    *regexp.Regexp
}

// starting compiles a pattern that begins with one of the characters of first. It must not look
// at what stands before its match: no ^, no \b at its start.
func starting(first, expr string) pattern {
	return pattern{first, regexp.MustCompile(`^(?:` + expr + `)`)}
}

// all are the matches from left to right that do not overlap, as FindAllStringSubmatchIndex has them.
func (p pattern) all(s string) [][]int {
	var found [][]int
	for at := 0; at < len(s); {
		next := strings.IndexAny(s[at:], p.first)
		if next < 0 {
			break
		}
		at += next

		m := p.re.FindStringSubmatchIndex(s[at:])
		if m == nil {
			_, size := utf8.DecodeRuneInString(s[at:])
			at += size
			continue
		}
		for i := range m {
			if m[i] >= 0 {
				m[i] += at
			}
		}
		found = append(found, m)
		at = m[1]
	}
	return found
}

// replace is the text with every match written as ReplaceAllString writes it.
func (p pattern) replace(s, template string) string {
	found := p.all(s)
	if found == nil {
		return s
	}

	var out []byte
	at := 0
	for _, m := range found {
		out = append(out, s[at:m[0]]...)
		out = p.re.ExpandString(out, template, s, m)
		at = m[1]
	}
	return string(append(out, s[at:]...))
}
