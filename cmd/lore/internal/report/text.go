package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"lore/cmd/lore/internal/usage"
	"lore/datasets"
)

// Text writes a table with aligned columns. A column whose cells all begin with a digit or are a dash
// is aligned right. On a screen, a table that is wider is folded, and what stands out is coloured.
func Text(w io.Writer, g datasets.Grid) {
	screen := usage.ScreenOf(w)
	line := func(text string, style usage.Style) {
		for _, l := range screen.FoldAll(text, screen.Width) {
			usage.Paint(w, usage.Piece{Text: l, Style: style}, usage.Piece{Text: "\n"})
		}
	}
	if g.Title != "" {
		line(usage.Line(g.Title), usage.Heading)
	}

	s, parts := newSheet(g, screen).fold()
	for i, p := range parts {
		if i > 0 {
			fmt.Fprintln(w)
		}
		if len(parts) > 1 {
			line(fmt.Sprintf("(columns, part %d of %d)", i+1, len(parts)), usage.Aside)
		}
		s.write(w, p)
	}

	if g.Note != "" {
		usage.WrapIn(w, usage.Aside, usage.Line(g.Note))
	}
	if screen.Colour && slices.Contains(marksOf(g), datasets.Best) {
		usage.WrapIn(w, usage.Aside, bestNote)
	}
}

// bestNote says what is green.
const bestNote = "Green: the highest under its judge, ends of the scale such as oracle left out. It is no test: lore compare makes these."

func marksOf(g datasets.Grid) []datasets.Mark {
	var out []datasets.Mark
	for _, m := range g.Marks {
		out = append(out, m)
	}
	return out
}

// styles are how marks look.
var styles = map[datasets.Mark]usage.Style{
	datasets.Best:    usage.Best,
	datasets.Doubted: usage.Caution,
	datasets.Failed:  usage.Failure,
}

// write writes the heading and the rows of some columns. A cell that is wider than its column goes on
// below; a heading that is less tall than others stands next to its column.
func (s sheet) write(w io.Writer, p part) {
	cells, height := s.lines(s.head, p)
	for k := range height {
		s.writeLine(w, p, cells, func(i int) int { return k - height + len(cells[i]) }, func(int) usage.Style { return usage.Heading })
	}
	for r, row := range s.rows {
		style := func(i int) usage.Style { return styles[s.marks[datasets.Cell{Row: r, Column: p.columns[i]}]] }
		cells, height := s.lines(row, p)
		for k := range height {
			s.writeLine(w, p, cells, func(int) int { return k }, style)
		}
	}
}

// lines breaks the cells of a row, and tells how many lines the tallest has.
func (s sheet) lines(row []string, p part) (cells [][]string, height int) {
	for i, c := range p.columns {
		width := p.widths[i]
		if s.screen.Width == 0 {
			width = 0
		}
		cells = append(cells, s.screen.FoldAll(row[c], width))
		height = max(height, len(cells[i]))
	}
	return cells, height
}

// writeLine writes one line of a row: of each cell the line at some place, if it has one there.
func (s sheet) writeLine(w io.Writer, p part, cells [][]string, at func(i int) int, style func(i int) usage.Style) {
	var line []usage.Piece
	spaces := 0
	for i, lines := range cells {
		text := ""
		if k := at(i); k >= 0 && k < len(lines) {
			text = lines[k]
		}
		pad := max(0, p.widths[i]-s.screen.Cells(text))
		if s.numbers[p.columns[i]] {
			spaces, pad = spaces+pad, 0
		}

		if text != "" {
			line = append(line, usage.Piece{Text: strings.Repeat(" ", spaces)}, usage.Piece{Text: text, Style: style(i)})
			spaces = 0
		}
		spaces += pad + gap
	}
	usage.Paint(w, append(trimmed(line), usage.Piece{Text: "\n"})...)
}

// trimmed leaves out the spaces at the end of a line.
func trimmed(line []usage.Piece) []usage.Piece {
	for len(line) > 0 {
		last := &line[len(line)-1]
		last.Text = strings.TrimRight(last.Text, " ")
		if last.Text != "" {
			return line
		}
		line = line[:len(line)-1]
	}
	return line
}
