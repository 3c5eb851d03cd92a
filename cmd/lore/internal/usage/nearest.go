package usage

import (
	"fmt"
	"slices"
	"strings"

	"lore/local/text"
)

// Unknown words the refusal of a name: the nearest right one where one is near, and all
// that there are.
func Unknown(what, name string, known []string) error {
	hint := ""
	if near := Nearest(name, known); near != "" {
		hint = fmt.Sprintf("; did you mean %s?", near)
	}
	comma := ", "
	if slices.ContainsFunc(known, func(n string) bool { return strings.Contains(n, comma) }) {
		comma = "; " // names of systems have commas of their own
	}
	return Errorf("unknown %s %q%s There are: %s", what, name, end(hint), strings.Join(known, comma))
}

// end closes a sentence that has no question mark.
func end(hint string) string {
	if hint == "" {
		return "."
	}
	return hint
}

// Nearest is the known name that a misspelt one most likely means, empty where none is
// near.
func Nearest(name string, known []string) string { return text.Nearest(name, known) }
