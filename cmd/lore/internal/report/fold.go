package report

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"lore/cmd/lore/internal/usage"
	"lore/datasets"
)

// gap is the space between two columns, in letters.
const gap = 2

// leastText is how narrow a column of words may become before the table is folded.
const leastText = 24

// folded is a part of a table that fits, with the width of each column in letters.
type folded struct {
	datasets.Grid
	widths []int
}

// fold makes a table fit into lines of at most so many letters; 0 is no limit. A wide
// column of words is wrapped; where that is not enough, columns stand in blocks below each
// other, each with the columns that tell the rows apart, or with the rows' numbers.
func fold(g datasets.Grid, most int) []folded {
	widths := columnWidths(g)
	if most <= 0 || lineWidth(widths) <= most {
		return []folded{{g, widths}}
	}
	if narrow, ok := shrink(g, widths, most); ok {
		return []folded{{g, narrow}}
	}

	keys := keyColumns(g)
	if lineWidth(widths[:keys]) > most/2 {
		g, keys = numbered(g), 1
		widths = columnWidths(g)
	}
	room := max(1, most-lineWidth(widths[:keys])-gap)

	var out []folded
	columns, used := []int{}, 0
	flush := func() {
		if len(columns) > 0 {
			out = append(out, pick(g, widths, keys, columns))
		}
		columns, used = nil, 0
	}
	for c := keys; c < len(widths); c++ {
		widths[c] = min(widths[c], room)
		if used+widths[c] > room {
			flush()
		}
		columns, used = append(columns, c), used+widths[c]+gap
	}
	flush()
	return out
}

// pick takes some columns after the first ones.
func pick(g datasets.Grid, widths []int, keys int, columns []int) folded {
	take := func(cells []string) []string {
		out := slices.Clone(cells[:keys])
		for _, c := range columns {
			out = append(out, cells[c])
		}
		return out
	}

	f := folded{widths: slices.Clone(widths[:keys])}
	for _, c := range columns {
		f.widths = append(f.widths, widths[c])
	}
	f.Head = take(g.Head)
	for _, r := range g.Rows {
		f.Rows = append(f.Rows, take(r))
	}
	return f
}

// shrink narrows the widest column of words, if that is enough.
func shrink(g datasets.Grid, widths []int, most int) ([]int, bool) {
	widest := -1
	for c := range widths {
		if !numeric(g, c) && (widest < 0 || widths[c] > widths[widest]) {
			widest = c
		}
	}
	if widest < 0 {
		return nil, false
	}

	out := slices.Clone(widths)
	out[widest] -= lineWidth(widths) - most
	longest := utf8.RuneCountInString(g.Head[widest])
	return out, out[widest] >= max(leastText, longest)
}

// keyColumns is how many columns at the beginning tell all rows apart: words only, and
// one at least.
func keyColumns(g datasets.Grid) int {
	for n := 1; n < len(g.Head); n++ {
		seen := map[string]bool{}
		for _, r := range g.Rows {
			seen[strings.Join(r[:n], "\x00")] = true
		}
		if len(seen) == len(g.Rows) || numeric(g, n) {
			return n
		}
	}
	return 1
}

// numbered puts the number of each row before it.
func numbered(g datasets.Grid) datasets.Grid {
	out := datasets.Grid{Head: slices.Concat([]string{"#"}, g.Head)}
	for i, r := range g.Rows {
		out.Rows = append(out.Rows, slices.Concat([]string{fmt.Sprint(i + 1)}, r))
	}
	return out
}

func columnWidths(g datasets.Grid) []int {
	out := make([]int, len(g.Head))
	for _, l := range slices.Concat([][]string{g.Head}, g.Rows) {
		for i, c := range l {
			out[i] = max(out[i], utf8.RuneCountInString(usage.Line(c)))
		}
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

// breakLine breaks a text between words into lines of at most so many letters; a longer word
// is cut. 0 is no limit.
func breakLine(s string, most int) []string {
	if most <= 0 || utf8.RuneCountInString(s) <= most {
		return []string{s}
	}

	var out []string
	line := []rune{}
	for _, word := range strings.Fields(s) {
		w := []rune(word)
		if len(line) > 0 && len(line)+1+len(w) > most {
			out, line = append(out, string(line)), nil
		}
		if len(line) > 0 {
			line = append(line, ' ')
		}
		for len(line)+len(w) > most {
			cut := most - len(line)
			out, line, w = append(out, string(append(line, w[:cut]...))), nil, w[cut:]
		}
		line = append(line, w...)
	}
	return append(out, string(line))
}
