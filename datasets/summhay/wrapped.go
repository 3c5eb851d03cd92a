package summhay

import (
	"regexp"
	"strings"
)

// apart begins a line that is never the rest of the bullet before it: a heading, a
// footnote's definition, a list of sources.
var apart = regexp.MustCompile(`(?i)^(?:#|\*\*|\[\^[^\]]+\]:|(?:sources?|references?)\s*:)`)

// finished ends a line after which a new thought may begin.
var finished = regexp.MustCompile(`[.!?:;…)\]}"”»*_¹²³⁰⁴-⁹]$`)

// unwrapped joins bullets that were wrapped over several lines. Where an answer marks its
// bullets, a line without a mark goes on with the bullet right before it if it is indented,
// or if that stops in the middle of a sentence. Other lines stay as they are.
func unwrapped(answer string) string {
	var out []string
	within := false // the last line is of a bullet

	for line := range strings.Lines(answer) {
		text := strings.TrimSpace(line)
		switch {
		case text == "":
			within = false
		case listMark.MatchString(text):
			within = true
		case within && !apart.MatchString(text):
			last := len(out) - 1
			if strings.HasPrefix(line, " ") || strings.HasPrefix(line, "\t") || !finished.MatchString(out[last]) {
				out[last] += " " + text
				continue
			}
			within = false
		default:
			within = false
		}
		out = append(out, strings.TrimRight(line, " \t\r\n"))
	}
	return strings.Join(out, "\n")
}
