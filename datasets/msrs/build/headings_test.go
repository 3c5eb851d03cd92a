package build

import (
	"strings"
	"testing"
)

// Headings are Markdown, a chapter's number on a line of its own, or a title between blank lines; prose that begins
// with such a word is none.
func TestHeadings(t *testing.T) {
	for text, want := range map[string]string{
		"# One\na\n## Two\nb":                             "# One|## Two",
		"Chapter 1\nThe tide.\nCHAPTER II.\nIt turned.":   "Chapter 1|CHAPTER II.",
		"Chapter 3: The storm\n\nIt blew.\n\nPart Two\n":  "Chapter 3: The storm|Part Two",
		"He knew it,\nchapter and verse\nfrom the book.":  "",
		"He fell.\n\nPart of the wall fell, too.\n\nYes.": "",
		"Act 2. The storm.\n\nIt blew.":                   "Act 2. The storm.",
		"I\n\nIt blew.\n\n  IV.  \n\nIt stopped.":         "I|  IV.",
		"It was\nI\nwho came.":                            "",
		"Part of it\nfell down.\n\nScene of the crime\n":  "Scene of the crime",
		"Chapter and verse\r\n\r\nIt blew.\r\n":           "Chapter and verse",
		"#no heading\n":                                   "",
		"":                                                "",
	} {
		var got []string
		for _, at := range Headings(text) {
			line, _, _ := strings.Cut(text[at:], "\n")
			got = append(got, strings.TrimRight(line, " \r"))
		}
		if strings.Join(got, "|") != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// Places ascend, lie in the text, and begin lines.
func FuzzHeadings(f *testing.F) {
	f.Add("Chapter 1\na\n\nIV.\n\n# b")
	f.Fuzz(func(t *testing.T, text string) {
		last := -1
		for _, at := range Headings(text) {
			if at <= last || at >= len(text) || at > 0 && text[at-1] != '\n' {
				t.Errorf("%q: %d after %d", text, at, last)
			}
			last = at
		}
	})
}
