package system

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"lore/local/cite"
)

// cite makes the answer of its pieces, and finds what it cites.
func (r Rules) cite(into *Reading, came reply, pieces []piece) error {
	answer, ends := r.Answer.join(pieces, came.stream)
	into.Answer = answer

	if r.Answer.Cites.Given() && !r.Answer.Last {
		for i, p := range pieces {
			if err := into.put(r, ends[i], p.cites); err != nil {
				return err
			}
		}
	}
	if err := r.citeText(into, came); err != nil {
		return err
	}
	slices.SortStableFunc(into.Cites, func(a, b Cite) int { return cmp.Compare(a.From, b.From) })
	return nil
}

// citeText reads citations that stand in the text of the answer, or in a list beside it.
func (r Rules) citeText(into *Reading, came reply) error {
	c := r.Citations
	switch {
	case c.At.Given():
		return r.citeList(into, came)
	case c.By == ByPlace && !r.Answer.Cites.Given():
		r.citeMarks(into, into.Documents, nil)
	}
	return nil
}

// citeList reads a list of citations: with places in the answer, or with the marks they
// belong to.
func (r Rules) citeList(into *Reading, came reply) error {
	c := r.Citations
	found, miss := c.At.at(came)
	if miss != nil {
		into.Odd = append(into.Odd, "no citations: "+miss.Error())
		return nil
	}

	var table []Document
	var marks []string
	for i, v := range flat(found) {
		named, err := c.named(v)
		if err != nil {
			return err
		}
		if c.End.Given() {
			if err := r.citeAt(into, v, named); err != nil {
				return err
			}
			continue
		}

		mark := strconv.Itoa(i + c.First)
		if c.Mark.Given() {
			if mark, err = within(c.Mark, "citations.mark", v); err != nil {
				return err
			}
		}
		docs, _, err := r.cited(into, named)
		if err != nil {
			return err
		}
		for _, d := range docs {
			table, marks = append(table, d), append(marks, strings.Trim(mark, "[]() "))
		}
	}
	if !c.End.Given() {
		r.citeMarks(into, table, marks)
	}
	return nil
}

// named is what a citation names.
func (c Citations) named(v any) ([]any, error) {
	if !c.Document.Given() {
		return []any{v}, nil
	}
	found, miss := c.Document.Find(v)
	if miss != nil {
		return nil, &ReadError{"citations.document", c.Document, miss}
	}
	return flat(found), nil
}

// citeAt puts a citation where it says that it ends.
func (r Rules) citeAt(into *Reading, v any, named []any) error {
	text, err := within(r.Citations.End, "citations.end", v)
	if err != nil {
		return err
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		return &ReadError{"citations.end", r.Citations.End, fmt.Errorf("it is %q, not a number of characters", text)}
	}

	at, ok := offset(into.Answer, n, r.Citations.Unit)
	if !ok {
		into.Odd = append(into.Odd, fmt.Sprintf("a citation ends at %d, beyond the end of the answer", n))
		at = len(into.Answer)
	}
	return into.put(r, at, named)
}

// offset is the place of a number of units in a text, in bytes.
func offset(s string, n int, unit string) (int, bool) {
	if n < 0 {
		return 0, false
	}
	if unit == Bytes {
		for n < len(s) && !utf8.RuneStart(s[n]) {
			n++
		}
		return min(n, len(s)), n <= len(s)
	}

	count := 0
	for i, c := range s {
		if count >= n {
			return i, true
		}
		count++
		if unit == UTF16 && c > 0xffff {
			count++
		}
	}
	return len(s), count >= n
}

// put adds a citation behind a place of the answer.
func (into *Reading) put(r Rules, at int, named []any) error {
	if len(named) == 0 {
		return nil
	}
	docs, unknown, err := r.cited(into, named)
	if err == nil && len(docs)+unknown > 0 {
		into.Cites = append(into.Cites, Cite{From: at, To: at, Documents: docs, Unknown: unknown})
	}
	return err
}

// cited is what names of documents stand for. Those that stand for nothing are counted.
func (r Rules) cited(into *Reading, named []any) (docs []Document, unknown int, err error) {
	for _, v := range named {
		name, ok := scalar(v)
		if !ok {
			return nil, 0, &ReadError{"citations", r.Citations.At, fmt.Errorf("a citation names %s, neither a text "+
				"nor a number; say with document: what of it names the document", kindOf(v))}
		}
		switch r.Citations.By {
		case ByText:
			docs = append(docs, Document{Text: name})
		case ByPlace:
			n, err := strconv.Atoi(strings.TrimSpace(name))
			if n -= r.Citations.First; err != nil || n < 0 || n >= len(into.Documents) {
				unknown++
				continue
			}
			docs = append(docs, into.Documents[n])
		default:
			id, missed := r.Documents.id(name)
			docs = append(docs, Document{ID: id, Missed: missed})
		}
	}
	return docs, unknown, nil
}

// citeMarks reads the marks of the answer: each number or name stands for a document of the
// table. marks are those of the table's documents; nil: they are numbered.
func (r Rules) citeMarks(into *Reading, table []Document, marks []string) {
	t := newMarkTable(table, marks, r.Citations.First)
	sources := cite.Sources{Count: t.count, Named: func(name string) (int, bool) {
		n, ok := t.names[foldMark(name)]
		return n, ok
	}}

	for _, line := range sources.Lines(into.Answer) {
		for _, m := range line.Marks {
			c := Cite{From: m.From, To: m.To}
			for _, n := range m.Cited {
				docs := t.meant(n, into.Answer[m.From:m.To])
				if c.Documents = append(c.Documents, docs...); docs == nil {
					c.Unknown++
				}
			}
			into.Cites = append(into.Cites, c)
		}
	}
}

// markTable says what marks stand for. Names have numbers, too, behind all real ones.
type markTable struct {
	documents map[int][]Document
	names     map[string]int
	numbered  int // the largest real number
	count     int // the largest number
}

// longestMark bounds the numbers that are taken for marks.
const longestMark = 100_000

func newMarkTable(table []Document, marks []string, first int) markTable {
	t := markTable{documents: map[int][]Document{}, names: map[string]int{}}
	var named []int
	for i, d := range table {
		n := i + first
		if marks != nil {
			var err error
			if n, err = strconv.Atoi(marks[i]); err != nil || n < 0 || n > longestMark {
				named = append(named, i)
				continue
			}
		}
		t.documents[n] = append(t.documents[n], d)
		t.numbered = max(t.numbered, n)

		// A numbered document may be called by its id, too.
		if name := foldMark(d.ID); name != "" {
			if _, taken := t.names[name]; !taken {
				t.names[name] = n
			}
		}
	}

	t.count = t.numbered
	for _, i := range named {
		name := foldMark(marks[i])
		if _, taken := t.names[name]; !taken {
			t.count++
			t.names[name] = t.count
		}
		n := t.names[name]
		t.documents[n] = append(t.documents[n], table[i])
	}
	return t
}

func foldMark(s string) string { return strings.ToLower(strings.TrimSpace(s)) }

// meant are the documents of a number in a mark. One that stands for a name was not written
// as a number.
func (t markTable) meant(n int, mark string) []Document {
	if n > t.numbered && slices.Contains(strings.FieldsFunc(mark, notInName), strconv.Itoa(n)) {
		return nil
	}
	return t.documents[n]
}

func notInName(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("_-.:", r)
}

// Marks counts what stands in an answer as a citation by number.
func Marks(answer string) int {
	n := 0
	for _, line := range (cite.Sources{Count: longestMark}).Lines(answer) {
		n += len(line.Marks)
	}
	return n
}
