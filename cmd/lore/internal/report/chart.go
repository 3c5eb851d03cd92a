package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"lore/cmd/lore/internal/table"
	"lore/cmd/lore/internal/usage"
	"lore/datasets"
)

// chart is one metric drawn as a dot with its interval per system. Lengths are in the
// units of its SVG.
type chart struct {
	Title         string
	Width, Height float64
	Bars          []bar
	Ticks         []tick
}

type bar struct {
	Label                  string
	X, Low, High, Y, TextY float64
	Has, CI                bool
}

type tick struct {
	X, Y  float64
	Label string
}

// Measures of a chart: the room for labels, the plot beside it, a line of it, and the
// room above and below the lines.
const (
	chartLeft   = 190.0
	chartPlot   = 240.0
	chartStep   = 22.0
	chartMargin = 14.0
)

// chartLabel is the most characters that fit beside a plot.
const chartLabel = 28

// PlotBottom is where the axis lines of a chart end, above their labels.
func (view) PlotBottom(labelY float64) float64 { return labelY - chartMargin }

func newChart(t table.Table, m datasets.Metric) chart {
	c := chart{Title: m.Title, Width: chartLeft + chartPlot + 20}
	right := chartEnd(t, m)
	x := func(v float64) float64 { return math.Round((chartLeft+chartPlot*v/right)*10) / 10 }

	for i, r := range t.Rows {
		y := chartMargin + chartStep*float64(i)
		b := bar{Label: clip(label(t, r), chartLabel), Y: y, TextY: y + 4, X: chartLeft}
		if f, ok := r.Figure(m.Name); ok && f.Value != nil {
			b.X, b.Has = x(*f.Value), true
			if f.Low != nil {
				b.Low, b.High, b.CI = x(*f.Low), x(*f.High), true
			}
		}
		c.Bars = append(c.Bars, b)
	}

	bottom := chartMargin + chartStep*float64(len(t.Rows)) + chartMargin
	for i := range 6 {
		v := right * float64(i) / 5
		c.Ticks = append(c.Ticks, tick{x(v), bottom, strings.TrimSuffix(fmt.Sprintf("%.1f", 100*v), ".0")})
	}
	c.Height = bottom + 6
	return c
}

// chartEnd is the value at the right end of a metric's axis: the largest that is drawn,
// in whole steps of ten points, so that ticks are round.
func chartEnd(t table.Table, m datasets.Metric) float64 {
	top := 0.0
	for _, r := range t.Rows {
		if f, ok := r.Figure(m.Name); ok && f.Value != nil {
			top = max(top, *f.Value)
			if f.High != nil {
				top = max(top, *f.High)
			}
		}
	}
	return math.Max(0.1, math.Ceil(top*10)/10)
}

// label names a row by what differs between rows.
func label(t table.Table, r table.Row) string {
	names := []func(table.Row) string{
		func(r table.Row) string { return r.Retriever },
		func(r table.Row) string { return r.Generator },
		func(r table.Row) string { return r.Judge },
	}
	var parts []string
	for _, name := range names {
		if slices.ContainsFunc(t.Rows, func(o table.Row) bool { return name(o) != name(t.Rows[0]) }) {
			parts = append(parts, name(r))
		}
	}

	if len(parts) == 0 {
		return r.Retriever
	}
	return strings.Join(parts, " · ")
}

// clip shortens a text to n characters.
func clip(s string, n int) string {
	r := []rune(usage.Line(s))
	if len(r) <= n {
		return string(r)
	}
	return string(r[:n-1]) + "…"
}
