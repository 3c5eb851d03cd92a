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
	Study bool // the names are those that a study gives, and not of folders
}

// Overview is the headline of several benchmarks: a column for each, or for each batch of its runs
// where there are several, and a row for each judged system.
type Overview struct {
	Columns []OverviewColumn
	Rows    []OverviewRow
}

// OverviewColumn is the headline of one benchmark's batch. Part is its place, Runs are those in it.
type OverviewColumn struct {
	Part   int
	Runs   []int
	Metric datasets.Metric
	Title  string
}

// OverviewRow is a system with its values. Each column has a row of each run that the system took part
// in; none where it took part in no run.
type OverviewRow struct {
	datasets.Judged
	Cells [][]*table.Row
}

// Across makes the overview. Values that need no judge stand in every row of their system; a
// system that has no others has a row without a judge.
func Across(parts []Part) Overview {
	var out Overview
	for i, p := range parts {
		batches := p.Batches()
		for _, b := range batches {
			if m, ok := headlineOfRun(p.Runs[b.Runs[0]], p.Bench); ok {
				title := runTitle(b.Name, p.Bench.Name(), len(batches) == 1 && !p.Study)
				out.Columns = append(out.Columns, OverviewColumn{i, b.Runs, m, title + " " + m.Title})
			}
		}
	}

	// Those with a judge first: they decide which rows a system has.
	for _, judged := range []bool{true, false} {
		for i, c := range out.Columns {
			if c.Metric.Judged != judged {
				continue
			}
			for _, run := range c.Runs {
				out.putRun(i, parts[c.Part].Runs[run].Table.Rows, judged)
			}
		}
	}
	return out
}

// putRun puts the values of a run into a column. One that needs no judge stands in several rows of
// the run, and is taken once.
func (o *Overview) putRun(column int, rows []table.Row, judged bool) {
	var seen []datasets.Judged
	for _, row := range rows {
		key := row.Judged
		if !judged {
			key.Judge = ""
		}
		if !slices.Contains(seen, key) {
			seen = append(seen, key)
			o.put(column, key, row, judged)
		}
	}
}

// put puts a row's value into a column. One that needs no judge belongs to all rows of its system.
func (o *Overview) put(column int, key datasets.Judged, row table.Row, judged bool) {
	belongs := func(r OverviewRow) bool { return r.Judged == key || !judged && r.System == key.System }
	if !slices.ContainsFunc(o.Rows, belongs) {
		o.Rows = append(o.Rows, OverviewRow{Judged: key, Cells: make([][]*table.Row, len(o.Columns))})
	}
	for i, r := range o.Rows {
		if belongs(r) {
			o.Rows[i].Cells[column] = append(o.Rows[i].Cells[column], &row)
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
	g := datasets.Grid{Title: "All benchmarks", Head: []string{"retriever", "generator", "judge"}}
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
	g.Note = strings.Join(o.notes(), " ")
	return g
}

// notes explain what stands in the cells, and nothing else.
func (o Overview) notes() []string {
	single, seeds, bounds, absent := false, false, false, false
	for _, r := range o.Rows {
		for i, c := range o.Columns {
			single, seeds = single || len(c.Runs) == 1, seeds || len(c.Runs) > 1
			absent = absent || len(r.Cells[i]) == 0
			for _, row := range r.Cells[i] {
				f, _ := row.Figure(c.Metric.Name)
				bounds = bounds || len(c.Runs) == 1 && f.Worst != nil
			}
		}
	}

	out := []string{"The main figure of each benchmark."}
	add := func(is bool, said string) {
		if is {
			out = append(out, said)
		}
	}
	add(single, "[low, high]: the interval of its own table.")
	add(bounds, boundsNote)
	add(seeds, "±: mean and standard deviation over runs that differ in the seed alone.")
	add(absent, datasets.NoValue+": the system took no part.")
	add(len(o.Columns) > 1, "Figures of different benchmarks are not comparable with each other.")
	return out
}

func (c OverviewColumn) cell(rows []*table.Row) string {
	if len(rows) == 0 {
		return datasets.NoValue
	}
	if len(c.Runs) == 1 {
		f, _ := rows[0].Figure(c.Metric.Name)
		return figure(f, c.Metric) + Lacking(*rows[0], f)
	}

	s := Over(rows, c.Metric.Name, len(c.Runs))
	lacking := LackingOf(rows, c.Metric.Name)
	switch len(s.Values) {
	case 0:
		return datasets.NoValue + lacking
	case 1:
		return fmt.Sprintf("%s (%s)%s", Number(s.Values[0], c.Metric), s.Seeds(), lacking)
	}
	return fmt.Sprintf("%s ± %s (%s)%s", Number(s.Mean(), c.Metric), Number(s.SD(), c.Metric), s.Seeds(), lacking)
}

// LackingOf words what the figures of several runs lack together.
func LackingOf(rows []*table.Row, name string) string {
	var all table.Row
	var of table.Figure
	for _, r := range rows {
		f, _ := r.Figure(name)
		all.Items, all.ItemsFailed = all.Items+r.Items, all.ItemsFailed+r.ItemsFailed
		of.NUnscored += f.NUnscored
	}
	return Lacking(all, of)
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
