package run

import (
	"strings"
	"sync"

	"lore/datasets"
)

// Matcher finds documents of a corpus by what a system gives of them: their text, or a passage
// of it. White space makes no difference. It is safe for concurrent use.
type Matcher struct {
	corpus *datasets.Corpus

	once  sync.Once
	texts []string         // of the documents, with single spaces
	whole map[string][]int // places by text

	known sync.Map // what was found before, by text: passages are cited, and come again
}

// NewMatcher matches with a corpus. It reads it when it is first asked.
func NewMatcher(c *datasets.Corpus) *Matcher { return &Matcher{corpus: c} }

// spaced is a text with single spaces.
func spaced(s string) string { return strings.Join(strings.Fields(s), " ") }

// Fates of a text.
const (
	matched   = "matched"
	unmatched = "unmatched" // no document has it
	ambiguous = "ambiguous" // several have
)

// Match finds the one document whose text this is, or else the one that holds it as a passage.
func (m *Matcher) Match(text string) (id, fate string) {
	m.once.Do(func() {
		m.whole = map[string][]int{}
		for i, d := range m.corpus.Documents {
			t := spaced(d.Text)
			m.texts = append(m.texts, t)
			m.whole[t] = append(m.whole[t], i)
		}
	})

	text = spaced(text)
	found, ok := m.known.Load(text)
	if !ok {
		at := m.whole[text]
		if len(at) == 0 {
			at = m.holders(shortened(text))
		}
		m.known.Store(text, at)
		found = at
	}

	switch at := found.([]int); len(at) {
	case 0:
		return "", unmatched
	case 1:
		return m.corpus.Documents[at[0]].ID, matched
	}
	return "", ambiguous
}

// shortened is a passage without the dots that show that more stands around it.
func shortened(passage string) string {
	dots := func(s string) string { return strings.Trim(s, "… ") }
	passage = strings.TrimSuffix(strings.TrimPrefix(dots(passage), "..."), "...")
	return dots(passage)
}

// holders are the documents that hold a passage; two are enough to know that it is not one.
func (m *Matcher) holders(passage string) []int {
	var out []int
	if passage == "" {
		return nil
	}
	for i, t := range m.texts {
		if strings.Contains(t, passage) {
			if out = append(out, i); len(out) > 1 {
				break
			}
		}
	}
	return out
}

// Named is what became of a document that a system named.
type Named struct {
	ID   string // of the corpus; empty: it is not known which it is
	Fate string // of its text; empty: it was named by its id
}

// Name finds a document by its id, or else by its text.
func (m *Matcher) Name(id, text string) Named {
	if id != "" && m.corpus.Has(id) {
		return Named{ID: id}
	}
	if id != "" && text == "" {
		return Named{}
	}
	found, fate := m.Match(text)
	return Named{found, fate}
}
