package datasets

import (
	"strconv"
	"strings"
	"unicode"

	"lore/local"
	"lore/local/cite"
)

// Reading says how an answer was read: where its parts and its citations stand in its text,
// in bytes, in order.
type Reading struct {
	Parts [][2]int   // of the units that a judge is shown, as they came; none: not known
	Marks []Citation // nil: not known
}

// Citation is a place in an answer that cites.
type Citation struct {
	From  int     `json:"from"`
	To    int     `json:"to"`
	Cited []Cited `json:"cited"`
}

// Cited is a document that an answer cites.
type Cited struct {
	Label    string `json:"label"`
	Document string `json:"document,omitempty"` // its id; empty: the data has no such document
}

// Citing is how scoring reads the citations of answers, by the numbers and names of the data.
// Whoever was shown what does not matter.
type Citing struct {
	Reading func(e Evidence) Reading

	// Label is the number by which answers cite a document of the corpus.
	Label func(document string) string
}

// Read says how an answer is read. Where citations are not scored, the marks are those that
// Uncited leaves out, as far as it is known which documents they name.
func Read(it Item, e Evidence) Reading {
	if e.Output.Outcome != local.OK {
		return Reading{}
	}
	if c := it.Query().Cites; c != nil {
		return c.Reading(e)
	}

	out := Reading{Marks: []Citation{}}
	for _, l := range uncitedSources(it, e).Lines(e.Output.Text) {
		for _, m := range l.Marks {
			if cited := namedBy(it, e, e.Output.Text[m.From:m.To], m); len(cited) > 0 {
				out.Marks = append(out.Marks, Citation{m.From, m.To, cited})
			}
		}
	}
	return out
}

// namedBy are the documents that a mark names: by their ids, else by their places among those
// shown. Numbers mean nothing where nobody knows what was shown.
func namedBy(it Item, e Evidence, text string, m cite.Mark) []Cited {
	var out []Cited
	isApart := func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("[](){}【】,;", r) }
	for word := range strings.FieldsFuncSeq(text, isApart) {
		if it.Corpus().Has(word) {
			out = append(out, Cited{word, word})
		}
	}
	if len(out) > 0 {
		return out
	}

	passages := e.Context.Passages
	for _, n := range m.Cited {
		if len(passages) == 0 {
			return nil
		}
		c := Cited{Label: strconv.Itoa(n)}
		if n >= 1 && n <= len(passages) {
			c.Document = passages[n-1].Document
		}
		out = append(out, c)
	}
	return out
}
