package summhay

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
)

// apart begins a line that is never the rest of the bullet before it: a heading, a
// footnote's definition, a list of sources.
var apart = regexp.MustCompile(`(?i)^(?:#|\*\*|\[\^[^\]]+\]:|(?:sources?|references?)\s*:)`)

// finished ends a line after which a new thought may begin.
var finished = regexp.MustCompile(`[.!?:;…)\]}"”»*_¹²³⁰⁴-⁹]$`)

// joined is an answer whose wrapped bullets are one line each.
type joined struct {
	text   string
	pieces []piece // in order, of which the text is made, with a sign between each two
}

// piece says where a piece of the joined text begins there, and in the answer.
type piece struct{ here, answer int }

// place is where a byte of the joined text stands in the answer.
func (j joined) place(at int) int {
	i, found := slices.BinarySearchFunc(j.pieces, at, func(p piece, at int) int { return cmp.Compare(p.here, at) })
	if !found {
		i--
	}
	return j.pieces[max(0, i)].answer + at - j.pieces[max(0, i)].here
}

// unwrapped joins bullets that were wrapped over several lines. Where an answer marks its
// bullets, a line without a mark goes on with the bullet right before it if it is indented,
// or if that stops in the middle of a sentence. Other lines stay as they are.
func unwrapped(answer string) joined {
	var b strings.Builder
	out := joined{}
	add := func(separator, text string, at int) {
		if len(out.pieces) > 0 {
			b.WriteString(separator)
		}
		out.pieces = append(out.pieces, piece{b.Len(), at})
		b.WriteString(text)
	}

	within := false // the last line is of a bullet
	next, last := 0, ""
	for line := range strings.Lines(answer) {
		at := next
		next += len(line)
		text := strings.TrimSpace(line)
		switch {
		case text == "":
			within = false
		case listMark.MatchString(text):
			within = true
		case within && !apart.MatchString(text):
			if strings.HasPrefix(line, " ") || strings.HasPrefix(line, "\t") || !finished.MatchString(last) {
				add(" ", text, at+strings.Index(line, text))
				last = text
				continue
			}
			within = false
		default:
			within = false
		}
		last = strings.TrimRight(line, " \t\r\n")
		add("\n", last, at)
	}
	out.text = b.String()
	return out
}
