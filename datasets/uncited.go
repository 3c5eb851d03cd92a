package datasets

import (
	"strings"

	"lore/local/cite"
)

// unseen is how many documents an answer may cite by number where nobody knows what it was
// shown.
const unseen = 100

// Uncited is an answer without the marks by which it cites, for benchmarks that do not
// score citations: marks of any style then change no figure.
func Uncited(it Item, e Evidence) string {
	if e.plain != nil {
		return *e.plain
	}
	return uncitedSources(it, e).Strip(e.Output.Text)
}

// Stripped is evidence that keeps what Uncited gives, which is asked for several times. The answer
// and what was shown must not change any more.
func (e Evidence) Stripped(it Item) Evidence {
	if it.Query().Cites == nil {
		plain := Uncited(it, e)
		e.plain = &plain
	}
	return e
}

// uncitedSources are the documents that such an answer may name.
func uncitedSources(it Item, e Evidence) cite.Sources {
	count := len(e.Context.Passages)
	if count == 0 {
		count = unseen
	}
	return cite.Sources{Count: count, Named: func(name string) (int, bool) {
		place, ok := it.Corpus().Place(strings.TrimSpace(name))
		return min(place+1, count), ok
	}}
}

// UncitedReading is what Reader says of such a benchmark.
const UncitedReading = "Citation marks are left out of what is judged and measured."
