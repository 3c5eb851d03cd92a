package usage

import (
	"cmp"
	"slices"
	"strings"

	"lore/local/text"
)

// Unknown words the refusal of a name: the nearest right one where one is near, and all
// that there are.
func Unknown(what, name string, known []string) error {
	comma := ", "
	if slices.ContainsFunc(known, func(n string) bool { return strings.Contains(n, comma) }) {
		comma = "; " // names of systems have commas of their own
	}
	return Errorf("unknown %s %q%s There are: %s", what, name, Hint(name, known), strings.Join(known, comma))
}

// Hint ends a sentence about a name that is not known: with a question for the nearest one, or with
// a full stop.
func Hint(name string, known []string) string {
	return cmp.Or(text.DidYouMean(name, known), ".")
}

// Nearest is the known name that a misspelt one most likely means, empty where none is
// near.
func Nearest(name string, known []string) string { return text.Nearest(name, known) }
