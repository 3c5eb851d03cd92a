package sources

import (
	"slices"
	"strings"
)

// flow gathers running text from marked-up pages: paragraphs, tables row by row, and notes that wait for the end of
// their paragraph. It writes blank lines between paragraphs; extracted does the rest.
type flow struct {
	out   strings.Builder
	rows  []*tableRow // rows that are open, those of inner tables last
	notes []*strings.Builder
	held  []string // notes that are complete, and wait
}

// tableRow is a row of a table on its way: the cells that are complete, and the one that is open.
type tableRow struct {
	cells []string
	cell  strings.Builder
}

// cellMark parts the cells of a row.
const cellMark = " | "

// here is where text goes now.
func (f *flow) here() *strings.Builder {
	switch {
	case len(f.notes) > 0:
		return f.notes[len(f.notes)-1]
	case len(f.rows) > 0:
		return &f.rows[len(f.rows)-1].cell
	}
	return &f.out
}

// write adds to the paragraph.
func (f *flow) write(s string) { f.here().WriteString(s) }

// paragraph ends one. The notes of a paragraph follow it: inside it they would part its sentences.
func (f *flow) paragraph() {
	f.write("\n\n")
	if len(f.notes) > 0 {
		return
	}
	for _, note := range f.held {
		f.write(note + "\n\n")
	}
	f.held = nil
}

func (f *flow) beginNote() { f.notes = append(f.notes, &strings.Builder{}) }

func (f *flow) endNote() {
	if n := len(f.notes) - 1; n >= 0 {
		f.held = append(f.held, oneLine(f.notes[n].String()))
		f.notes = f.notes[:n]
	}
}

func (f *flow) beginRow() { f.rows = append(f.rows, &tableRow{}) }

func (f *flow) endCell() {
	if n := len(f.rows) - 1; n >= 0 {
		r := f.rows[n]
		r.cells = append(r.cells, strings.TrimSpace(r.cell.String()))
		r.cell.Reset()
	}
}

// laidOut is how many words a cell of several paragraphs has at least where a table lays out a page.
const laidOut = 100

// endRow writes a row as a paragraph of one line, so that it stays whole. A row with one cell that says anything, or with
// one of long paragraphs, is no row of a table, but text that was laid out by one: its paragraphs stay.
func (f *flow) endRow() {
	n := len(f.rows) - 1
	if n < 0 {
		return
	}
	r := f.rows[n]
	f.rows = f.rows[:n]
	if rest := strings.TrimSpace(r.cell.String()); rest != "" { // outside any cell, in a broken file
		r.cells = append(r.cells, rest)
	}

	said := slices.DeleteFunc(slices.Clone(r.cells), func(c string) bool { return c == "" })
	long := func(c string) bool { return strings.Contains(c, "\n\n") && len(strings.Fields(c)) >= laidOut }
	switch {
	case len(said) == 0:
		return
	case len(said) == 1, slices.ContainsFunc(said, long):
		f.write("\n\n" + strings.Join(said, "\n\n"))
	default:
		for i, c := range r.cells {
			r.cells[i] = oneLine(c)
		}
		f.write("\n\n" + strings.TrimSpace(strings.Join(r.cells, cellMark)))
	}
	f.paragraph()
}

// text is all that was gathered; what a broken file left open is in it.
func (f *flow) text() string {
	for len(f.notes) > 0 {
		f.endNote()
	}
	for len(f.rows) > 0 {
		f.endRow()
	}
	f.paragraph()
	return f.out.String()
}

// oneLine joins lines and paragraphs.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
