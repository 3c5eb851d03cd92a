package nli

import (
	"regexp"
	"strings"
	"unicode"

	"lore/local/guard"
	"lore/local/text"
)

// window is some neighbouring units, from..to-1, with their text.
type window struct {
	from, to int
	text     string
}

// windows lists every unit by itself, then windows of 2, 4, 8 … neighbouring units, each
// half a window after the one before it. Units without words are left out.
func windows(units []string) []window {
	var out []window
	for i, u := range units {
		if u != "" {
			out = append(out, window{i, i + 1, u})
		}
	}

	for size := 2; size < 2*len(units); size *= 2 {
		for from := 0; ; from += size / 2 {
			to := min(from+size, len(units))
			if w := join(units, from, to); w.to-w.from > 1 {
				out = append(out, w)
			}
			if to == len(units) {
				break
			}
		}
	}
	return out
}

// join makes one text of units, without those that are blank.
func join(units []string, from, to int) window {
	for from < to && units[from] == "" {
		from++
	}
	for to > from && units[to-1] == "" {
		to--
	}
	var parts []string
	for _, u := range units[from:to] {
		if u != "" {
			parts = append(parts, u)
		}
	}
	if len(parts) < 2 {
		return window{}
	}
	return window{from, to, strings.Join(parts, "\n")}
}

// citation is a mark of sources, which says nothing by itself.
var citation = regexp.MustCompile(`[ \t]*\[\d+(?:\s*[,;]\s*\d+)*\]`)

// bullet begins a line of a list.
var bullet = regexp.MustCompile(`^(?:[-*•–]|\d+[.)])\s+`)

// plain takes marks of lists and sources out of units, and makes forged ones neutral, which
// it counts; a unit without letters and digits is empty.
func plain(units []string) (out []string, forged int) {
	out = make([]string, len(units))
	for i, u := range units {
		u, n := guard.Text(u)
		forged += n
		u = bullet.ReplaceAllString(strings.TrimSpace(citation.ReplaceAllString(u, "")), "")
		if strings.IndexFunc(u, isWord) >= 0 {
			out[i] = u
		}
	}
	return out, forged
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// sentences are those of a unit that have words.
func sentences(unit string) []string {
	var out []string
	for _, s := range text.Detect(unit).Sentences(unit) {
		if strings.IndexFunc(s, isWord) >= 0 {
			out = append(out, s)
		}
	}
	return out
}
