package usage

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Wrap prints lines, broken between words where a terminal is narrower than they are. Elsewhere, as in
// a file, a line stays one.
func Wrap(w io.Writer, lines string) {
	width := Width(w)
	for line := range strings.SplitSeq(lines, "\n") {
		for _, part := range fold(line, width) {
			fmt.Fprintln(w, part)
		}
	}
}

// fold breaks a line between words; a word that is wider than the width stays whole. A width of 0 is none.
func fold(line string, width int) []string {
	if width <= 0 || utf8.RuneCountInString(line) <= width {
		return []string{line}
	}
	var out []string
	now := ""
	for _, word := range strings.Fields(line) {
		if now != "" && utf8.RuneCountInString(now)+1+utf8.RuneCountInString(word) > width {
			out, now = append(out, now), ""
		}
		if now != "" {
			now += " "
		}
		now += word
	}
	return append(out, now)
}
