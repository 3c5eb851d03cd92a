package datasets

import (
	"fmt"
	"math"
	"slices"
)

// Grid is a table to print: a heading, columns and cells. Cells are plain text;
// the renderer escapes them.
type Grid struct {
	Title string
	Note  string
	Head  []string
	Rows  [][]string
	Later bool // for the report alone: too much for what a run prints

	// Marks are cells that a screen with colours lets stand out. A mark says nothing that the
	// cells do not: without colours it is not there.
	Marks map[Cell]Mark
}

// Cell is a place in the rows of a table; both numbers begin at 0.
type Cell struct{ Row, Column int }

// Mark is why a cell stands out.
type Mark int

// The marks there are.
const (
	Best    Mark = iota + 1 // the highest of those that it is compared with
	Doubted                 // to be read with care
	Failed
)

// Mark marks a cell of the row that was added last.
func (g *Grid) Mark(column int, as Mark) { g.MarkAt(len(g.Rows)-1, column, as) }

// MarkAt marks a cell.
func (g *Grid) MarkAt(row, column int, as Mark) {
	if g.Marks == nil {
		g.Marks = map[Cell]Mark{}
	}
	g.Marks[Cell{Row: row, Column: column}] = as
}

// Plain is tables for programs: title, note, head and rows of cells, as they are shown.
func Plain(grids []Grid) []map[string]any {
	out := []map[string]any{}
	for _, g := range grids {
		out = append(out, map[string]any{"title": g.Title, "note": g.Note, "head": g.Head, "rows": g.Rows})
	}
	return out
}

// NoValue stands in a cell where there is nothing to show.
const NoValue = "–"

// Filled leaves out the grids without rows.
func Filled(grids ...Grid) []Grid {
	return slices.DeleteFunc(grids, func(g Grid) bool { return len(g.Rows) == 0 })
}

// Title is the heading of a metric, or its name where there is no such metric.
func Title(metrics []Metric, name string) string {
	for _, m := range metrics {
		if m.Name == name {
			return m.Title
		}
	}
	return name
}

// Percent is the cell of a share, in percent.
func (s Scored) Percent(metric string) string {
	if v, ok := s.Value(metric); ok {
		return fmt.Sprintf("%.1f", 100*v)
	}
	return NoValue
}

// Coefficient is the cell of a correlation or an agreement over n pairs.
func Coefficient(v float64, n int) string {
	if math.IsNaN(v) {
		return NoValue
	}
	return fmt.Sprintf("%.2f (n %d)", v, n)
}
