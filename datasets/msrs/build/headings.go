package build

import (
	"regexp"
	"strings"
)

// Splitter finds where the parts of a text begin, in bytes and ascending.
type Splitter func(text string) []int

// At splits at the matches of an expression.
func At(expression *regexp.Regexp) Splitter {
	return func(text string) []int {
		var out []int
		for _, m := range expression.FindAllStringIndex(text, -1) {
			out = append(out, m[0])
		}
		return out
	}
}

var (
	markdown = regexp.MustCompile(`^#{1,6} `)

	// numbered is a chapter's number and nothing else, which no line of prose is.
	numbered = regexp.MustCompile(`^(?i:chapter|part|act|scene)\s+(?i:\d+|[ivxlc]+|one|two|three|four|five|six|seven|eight|nine|ten)\.?$`)

	// named begins like a heading, or is a number alone: it is one if nothing stands beside it.
	named = regexp.MustCompile(`^(?:(?i:chapter|part|act|scene)\b.{0,60}|[IVXLC]+\.?)$`)

	// titled has a number after the word, so that it may end like a sentence.
	titled = regexp.MustCompile(`^(?i:chapter|part|act|scene)\s+(?i:\d+|[ivxlc]+)\b`)
)

// Headings splits at Markdown headings, at lines that hold a chapter's number alone, such as
// "Chapter 3", and at lines such as "Chapter 3: The storm" or "IV." between blank lines. A line of a
// paragraph that begins "Part of the wall" is none.
func Headings(text string) []int {
	var out []int
	blank := true // the line before
	for at := 0; at < len(text); {
		line, rest, _ := strings.Cut(text[at:], "\n")
		next, _, _ := strings.Cut(rest, "\n")
		alone := blank && strings.TrimSpace(next) == ""

		trimmed := strings.TrimSpace(line)
		switch {
		case markdown.MatchString(line), numbered.MatchString(trimmed):
			out = append(out, at)
		case alone && named.MatchString(trimmed) && (titled.MatchString(trimmed) || !endsSentence(trimmed)):
			out = append(out, at)
		}
		blank = trimmed == ""
		at += len(line) + 1
	}
	return out
}

// endsSentence reports whether a line with more than a number ends as prose does.
func endsSentence(line string) bool {
	return strings.Contains(line, " ") && strings.ContainsAny(line[len(line)-1:], ".!?,;:\"")
}
