package stage

import (
	"fmt"
	"testing"
)

// A log is summed up by reasons, whatever names and numbers stand in them.
func TestThrownAway(t *testing.T) {
	s := &Session{}
	for i := range 3 {
		s.Note("insights", "a", 0, "left out: not particular, or not of %d to %d words: %q", 6, 60, fmt.Sprint("text ", i))
	}
	s.Note("insights", "a", 0, "left out: shares its words with another: %q", "b \"c\"")
	s.Note("extract", "d", 0, "rejected %q: %s", "point", "no evidence")
	s.Note("extract", "d", 0, "rejected %q: %s", "other", "no evidence")
	s.Refuse("write", "doc1", 1, "refused: the text has %d words, not about %d", 3, 100)
	s.Refuse("write", "doc2", 1, "refused: the text has %d words, not about %d", 7, 100)
	s.Drop("doc1", "given up after %d documents that could not be mended", 3)
	s.Note("plan", "doc1", 0, "is to hold s1")

	got := ""
	for _, w := range ThrownAway(s.Log()) {
		got += fmt.Sprintf("%s|%s|%s|%d|%s\n", w.Stage, w.Fate, w.Reason, w.Times, w.Example.Subject)
	}
	want := `insights|left out|not particular, or not of 6 to 60 words|3|a
extract|left out|no evidence|2|d
write|asked again|the text has … words, not about …|2|doc1
insights|left out|shares its words with another|1|a
drop|dropped|given up after 3 documents that could not be mended|1|doc1
`
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}
