package report

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"lore/cmd/lore/internal/usage"
	"lore/datasets"
)

// gap is the space between two columns, in cells of the screen.
const gap = 2

// Bounds of how a table is folded, in lines.
const (
	tallest     = 4 // of a row whose words are wrapped, before the columns are parted
	tallestHead = 3 // of the headings of parted columns
)

// sheet is a table that is laid out for a screen: its cells are plain text, each one line.
type sheet struct {
	screen  usage.Screen
	head    []string
	rows    [][]string
	numbers []bool // columns that are aligned right, and never wrapped
	marks   map[datasets.Cell]datasets.Mark
}

// part is some of a sheet's columns, side by side, with the width of each in cells.
type part struct {
	columns []int
	widths  []int
}

func newSheet(g datasets.Grid, screen usage.Screen) sheet {
	s := sheet{screen: screen, head: plainLines(g.Head), marks: g.Marks}
	for i := range g.Head {
		s.numbers = append(s.numbers, Numeric(g, i))
	}
	for _, r := range g.Rows {
		s.rows = append(s.rows, plainLines(r))
	}
	return s
}

func plainLines(cells []string) []string {
	out := make([]string, len(cells))
	for i, c := range cells {
		out[i] = usage.Line(c)
	}
	return out
}

// numbered puts the number of each row before it: it tells rows apart where words would take too
// much room.
func (s sheet) numbered() sheet {
	out := s
	out.head, out.rows = slices.Concat([]string{"#"}, s.head), nil
	out.numbers = slices.Concat([]bool{true}, s.numbers)
	out.marks = map[datasets.Cell]datasets.Mark{}
	for i, r := range s.rows {
		out.rows = append(out.rows, slices.Concat([]string{fmt.Sprint(i + 1)}, r))
	}
	for at, mark := range s.marks {
		out.marks[datasets.Cell{Row: at.Row, Column: at.Column + 1}] = mark
	}
	return out
}

// fold makes a table fit into lines of the screen. Headings and columns of words are wrapped; where
// rows would grow too tall by that, columns stand in parts below each other, each with the columns
// that tell the rows apart, or with the rows' numbers. Every cell is there, and figures stay whole.
func (s sheet) fold() (sheet, []part) {
	all := indexes(0, len(s.head))
	most := s.screen.Width
	if widths, ok := s.fit(all, most, tallest); ok || most <= 0 {
		return s, []part{{all, widths}}
	}

	n := s.numbered()
	byNumber, lines := n.parts(part{[]int{0}, []int{n.width(0, 1)}})
	names := indexes(0, s.keyColumns())
	if widths, ok := s.fit(names, most*2/3, tallestHead); ok && len(names) > 0 {
		if byName, taller := s.parts(part{names, widths}); taller <= namesWorth*lines {
			return s, byName
		}
	}
	return n, byNumber
}

// namesWorth is how many times taller parts with names may be than parts with numbers.
const namesWorth = 2

// parts are the columns behind the keys, in parts that fit, with the lines that all take. Cells are
// wrapped as it takes the fewest lines: taller rows may make for fewer parts.
func (s sheet) parts(keys part) (best []part, lines int) {
	room := max(1, s.screen.Width-lineWidth(keys.widths)-gap)
	for height := 1; height <= tallestHead; height++ {
		var parts []part
		for _, group := range s.groups(len(keys.columns), room, height) {
			widths, ok := s.fit(group, room, tallestHead)
			if !ok {
				widths = []int{room} // a column that is wider than a line
			}
			parts = append(parts, part{slices.Concat(keys.columns, group), slices.Concat(keys.widths, widths)})
		}
		if n := s.height(parts); best == nil || n < lines {
			best, lines = parts, n
		}
	}
	return best, lines
}

// height is how many lines parts take.
func (s sheet) height(parts []part) int {
	sum := 0
	for _, p := range parts {
		for _, row := range slices.Concat([][]string{s.head}, s.rows) {
			_, n := s.lines(row, p)
			sum += n
		}
		sum += 2 // what stands above a part
	}
	return sum
}

// fit are the widths of columns with which they stand in so many cells: those with which rows grow
// least tall. 0 cells are no limit. It fails where rows would be taller than allowed.
func (s sheet) fit(columns []int, most, tallest int) ([]int, bool) {
	widths := make([]int, len(columns))
	for height := 1; height <= tallest; height++ {
		for i, c := range columns {
			widths[i] = s.width(c, height)
		}
		if most <= 0 {
			return widths, true
		}
		if spare := most - lineWidth(widths); spare >= 0 {
			s.widen(columns, widths, spare)
			return widths, true
		}
	}
	return widths, false
}

// widen gives the cells that are left to the columns of words that want them most.
func (s sheet) widen(columns, widths []int, spare int) {
	lacks := make([]int, len(columns))
	for i, c := range columns {
		if !s.numbers[c] {
			lacks[i] = s.width(c, 1) - widths[i]
		}
	}
	for ; spare > 0; spare-- {
		most := 0
		for i := range lacks {
			if lacks[i] > lacks[most] {
				most = i
			}
		}
		if len(lacks) == 0 || lacks[most] <= 0 {
			return
		}
		widths[most], lacks[most] = widths[most]+1, lacks[most]-1
	}
}

// width is the least width with which no cell of a column is taller than so many lines, and no word
// is cut. Numbers and what stands with them, such as an interval, stay in one line.
func (s sheet) width(column, height int) int {
	texts := []string{s.head[column]}
	least := 0
	for _, r := range s.rows {
		if s.numbers[column] {
			least = max(least, s.screen.Cells(r[column]))
		} else {
			texts = append(texts, r[column])
		}
	}

	for _, text := range texts {
		natural := s.screen.Cells(text)
		if height == 1 {
			least = max(least, natural)
			continue
		}
		for _, word := range strings.Fields(text) {
			least = max(least, s.screen.Cells(word))
		}
		if least < natural {
			fits := func(more int) bool { return len(s.screen.Fold(text, least+more)) <= height }
			least += sort.Search(natural-least, fits)
		}
	}
	return least
}

// keyColumns is how many columns at the beginning tell all rows apart: words, and one column of numbers
// at most, such as a threshold. 0 where they do not.
func (s sheet) keyColumns() int {
	numbers := 0
	for n := 1; n < len(s.head); n++ {
		if s.numbers[n-1] {
			numbers++
		}
		if numbers > 1 {
			return 0
		}

		seen := map[string]bool{}
		for _, r := range s.rows {
			seen[strings.Join(r[:n], "\x00")] = true
		}
		if len(seen) == len(s.rows) {
			return n
		}
	}
	return 0
}

// groups parts the columns from the first on so that each group fits into the room, in as few groups
// as can be, and of these in ones that are about as wide as each other.
func (s sheet) groups(first, room, height int) [][]int {
	widths := map[int]int{}
	for c := first; c < len(s.head); c++ {
		widths[c] = min(s.width(c, height), room)
	}
	out := pack(widths, first, room)
	for narrower := room - 1; narrower > 0; narrower-- {
		groups := pack(widths, first, narrower)
		if len(groups) > len(out) {
			break
		}
		out = groups
	}
	return out
}

// pack puts as many columns into each group as the room has place for, and one at least.
func pack(widths map[int]int, first, room int) [][]int {
	var out [][]int
	used := 0
	for c := first; c < first+len(widths); c++ {
		if len(out) == 0 || used+widths[c] > room {
			out, used = append(out, nil), 0
		}
		out[len(out)-1] = append(out[len(out)-1], c)
		used += widths[c] + gap
	}
	return out
}

// lineWidth is that of columns side by side.
func lineWidth(widths []int) int {
	n := gap * max(0, len(widths)-1)
	for _, w := range widths {
		n += w
	}
	return n
}

// indexes are the numbers from one to before another.
func indexes(from, to int) []int {
	var out []int
	for i := from; i < to; i++ {
		out = append(out, i)
	}
	return out
}
