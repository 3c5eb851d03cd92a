package prompt

import (
	"regexp"
	"slices"
	"strings"

	"lore/local/text"
)

// headerKey is a line that begins a mapping, as the first line of a header does.
var headerKey = regexp.MustCompile(`^(\w+)[ \t]*:(.*)$`)

// misplaced refuses what was meant to be a header and does not stand on line 1, where alone it is read: a
// first line of --- with nothing but blank lines above it, "reply:" below a line of dashes, and
// "reply:" above one of a form's keys. Without this it would be sent to the model as text.
func misplaced(name, source string) error {
	lines := strings.Split(source, "\n")
	first := slices.IndexFunc(lines, func(l string) bool { return strings.TrimSpace(l) != "" })
	for i, line := range lines {
		after := next(lines, i+1)
		switch {
		case i == first && strings.TrimSpace(line) == fence:
		case dashed(line) && after < len(lines) && saysReply(lines, after):
		case strings.HasPrefix(line, "reply:") && after < len(lines) && saysForm(line, lines[after]):
		default:
			continue
		}
		return &Error{
			Name: name,
			Line: i + 1,
			Msg: "has a header that does not begin on line 1, so that it would be sent to the model as text: the first line " +
				"of the file is to be --- alone, with nothing above it, and --- alone ends the header",
		}
	}
	return nil
}

// next is the first line from one on that is neither blank nor a comment.
func next(lines []string, from int) int {
	for from < len(lines) {
		if s := strings.TrimSpace(lines[from]); s != "" && !strings.HasPrefix(s, "#") {
			break
		}
		from++
	}
	return from
}

// dashed reports whether a line is three dashes or more, and nothing else.
func dashed(line string) bool {
	s := strings.TrimSpace(line)
	return len(s) >= len(fence) && strings.Trim(s, "-") == ""
}

// saysReply reports whether a line is the key of a header, or nearly so, with a key below it or in braces behind it.
func saysReply(lines []string, at int) bool {
	m := headerKey.FindStringSubmatch(strings.TrimSpace(lines[at]))
	if m == nil || text.Nearest(m[1], []string{"reply"}) == "" {
		return false
	}
	if below := next(lines, at+1); strings.TrimSpace(m[2]) == "" && below < len(lines) {
		return strings.HasPrefix(lines[below], " ") && headerKey.MatchString(strings.TrimSpace(lines[below]))
	}
	return strings.Contains(m[2], "{")
}

// saysForm reports whether "reply:" has one of the keys of a form on its line, or below it.
func saysForm(line, after string) bool {
	if _, inline, flow := strings.Cut(line, "{"); flow {
		after = " " + inline
	}
	m := headerKey.FindStringSubmatch(strings.TrimSpace(after))
	return m != nil && strings.HasPrefix(after, " ") && slices.Contains(keys, m[1])
}
