package report

import (
	"fmt"
	"slices"
	"strings"

	"lore/cmd/lore/internal/table"
	"lore/datasets"
)

// Part are the runs of one benchmark, with the names of their folders.
type Part struct {
	Bench datasets.Benchmark
	Names []string
	Runs  []Run
}

// Overview is the headline of several benchmarks: a column for each, or for each of its runs where
// there are several, and a row for each judged system.
type Overview struct {
	Columns []OverviewColumn
	Rows    []OverviewRow
}

// OverviewColumn is the headline of one benchmark's run. Part and Run are its places.
type OverviewColumn struct {
	Part, Run int
	Metric    datasets.Metric
	Title     string
}

// OverviewRow is a system with its values, a place for each column; nil where the system took no part.
type OverviewRow struct {
	datasets.Judged
	Cells []*table.Row
}

// Across makes the overview. Values that need no judge stand in every row of their system; a
// system that has no others has a row without a judge.
func Across(parts []Part) Overview {
	var out Overview
	for i, p := range parts {
		for k, r := range p.Runs {
			title := p.Bench.Name()
			if len(p.Runs) > 1 {
				title = runTitle(p.Names[k], title)
			}
			if m, ok := headlineOfRun(r, p.Bench); ok {
				out.Columns = append(out.Columns, OverviewColumn{i, k, m, title + " " + m.Title})
			}
		}
	}

	// Those with a judge first: they decide which rows a system has.
	for _, judged := range []bool{true, false} {
		for i, c := range out.Columns {
			if c.Metric.Judged != judged {
				continue
			}
			for _, row := range parts[c.Part].Runs[c.Run].Table.Rows {
				out.put(i, row, judged)
			}
		}
	}
	return out
}

// runTitle is a benchmark with the name of a run, which may begin with that of the benchmark.
func runTitle(run, bench string) string {
	if strings.HasPrefix(run, bench+"-") {
		return run
	}
	return run + ": " + bench
}

// put puts a row's value into a column.
func (o *Overview) put(column int, row table.Row, judged bool) {
	key := row.Judged
	if !judged {
		key.Judge = ""
	}
	belongs := func(r OverviewRow) bool { return r.Judged == key || !judged && r.System == key.System }
	if !slices.ContainsFunc(o.Rows, belongs) {
		o.Rows = append(o.Rows, OverviewRow{Judged: key, Cells: make([]*table.Row, len(o.Columns))})
	}
	for i, r := range o.Rows {
		if belongs(r) {
			o.Rows[i].Cells[column] = &row
		}
	}
}

// headlineOfRun is the headline metric of a run.
func headlineOfRun(r Run, bench datasets.Benchmark) (datasets.Metric, bool) {
	for _, row := range r.Table.Rows {
		if _, m, ok := HeadlineOf(row, bench); ok {
			return m, true
		}
	}
	return datasets.Metric{}, false
}

// Grid shows the overview as tables are shown, with intervals, and values that are missing beside
// the figures.
func (o Overview) Grid() datasets.Grid {
	g := datasets.Grid{
		Title: "All benchmarks",
		Head:  []string{"retriever", "generator", "judge"},
		Note: "The main figure of each benchmark, with the interval of its own table. –: the system took no part. " +
			"Figures of different benchmarks are not comparable with each other.",
	}
	for _, c := range o.Columns {
		g.Head = append(g.Head, c.Title)
	}

	for _, r := range o.Rows {
		judge := r.Judge
		if judge == "" {
			judge = datasets.NoValue
		}
		row := []string{r.Retriever, r.Generator, judge}
		for i, c := range o.Columns {
			row = append(row, c.cell(r.Cells[i]))
		}
		g.Rows = append(g.Rows, row)
	}
	return g
}

func (c OverviewColumn) cell(r *table.Row) string {
	if r == nil {
		return datasets.NoValue
	}
	f, _ := r.Figure(c.Metric.Name)
	return figure(f, c.Metric) + Lacking(*r, f)
}

// Lacking words what a figure lacks, empty if it lacks nothing.
func Lacking(r table.Row, f table.Figure) string {
	switch {
	case r.ItemsFailed > 0:
		return " (" + fmt.Sprint(r.ItemsFailed) + " of " + fmt.Sprint(r.Items) + " answers failed)"
	case f.NUnscored > 0:
		return " (" + fmt.Sprint(f.NUnscored) + " unscored)"
	}
	return ""
}
