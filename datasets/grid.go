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
