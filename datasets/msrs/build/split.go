package build

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"lore/datasets"
)

// Split cuts documents where parts begin. Parts are numbered from 1; a document in which none
// begins stays whole, and is remembered.
func (b *Builder) Split(docs []datasets.Document, at Splitter) []datasets.Document {
	var out []datasets.Document
	for _, d := range docs {
		starts := at(d.Text)
		if len(starts) == 0 {
			b.whole = append(b.whole, d.ID)
		}

		parts := partsOf(d.Text, starts)
		for i, part := range parts {
			out = append(out, datasets.Document{ID: fmt.Sprintf("%s-%d", d.ID, i+1), Text: part})
		}
		b.Note("split", "", 0, "%s: %d parts", d.ID, len(parts))
	}
	return out
}

// partsOf cuts a text. What stands before the first part is one, too; a title alone is none, and
// belongs to what comes after it, or to what comes before the last.
func partsOf(text string, starts []int) []string {
	if len(starts) == 0 || starts[0] > 0 {
		starts = append([]int{0}, starts...)
	}

	var parts []string
	titles := "" // that wait for their part
	for i, s := range starts {
		end := len(text)
		if i+1 < len(starts) {
			end = starts[i+1]
		}
		part := strings.TrimSpace(text[s:end])
		switch {
		case part == "":
		case isTitle(part):
			titles += part + "\n\n"
		default:
			parts = append(parts, titles+part)
			titles = ""
		}
	}

	titles = strings.TrimSpace(titles)
	switch {
	case titles == "":
	case len(parts) == 0:
		parts = []string{titles}
	default:
		parts[len(parts)-1] += "\n\n" + titles
	}
	return parts
}

// longestTitle is how many letters a title has at most that no mark shows to be one.
const longestTitle = 80

// isTitle reports whether a part is one line, and that a heading.
func isTitle(part string) bool {
	if strings.Contains(part, "\n") {
		return false
	}
	return markdown.MatchString(part) || numbered.MatchString(part) ||
		utf8.RuneCountInString(part) <= longestTitle && !endsSentence(part)
}

// mostNamed is how many stories a warning names.
const mostNamed = 10

// wholeWarning says which stories were not split, and by which flag; empty where all were.
func (b *Builder) wholeWarning(flag string, of int) string {
	n := len(b.whole)
	if n == 0 {
		return ""
	}
	which := strings.Join(b.whole[:min(n, mostNamed)], ", ")
	if n > mostNamed {
		which += fmt.Sprintf(" and %d more", n-mostNamed)
	}
	return fmt.Sprintf("%s finds no beginning of a chapter in %d of %d stories, each of which stays one document: %s", flag, n, of, which)
}
