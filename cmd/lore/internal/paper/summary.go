package paper

import (
	"slices"

	"lore/cmd/lore/internal/report"
	"lore/cmd/lore/internal/table"
	"lore/datasets"
)

// summary makes the table of all benchmarks' main figures. Each column is tested by itself, over the
// systems of its run.
func summary(parts []report.Part, opt Options) sheet {
	o := report.Across(parts)
	out := sheet{made: madeBy(parts, opt.Lore), label: opt.Label, caption: opt.Caption, noNote: opt.NoNote}
	if out.caption == "" {
		out.caption = "The main figure of each benchmark."
	}

	judged := slices.ContainsFunc(o.Rows, func(r report.OverviewRow) bool { return r.Judge != o.Rows[0].Judge })
	for _, head := range []string{"retriever", "generator"} {
		out.add(head, false)
	}
	if judged {
		out.add("judge", false)
	}
	tested := make([]testedColumn, len(o.Columns))
	for i, c := range o.Columns {
		out.add(c.Title, true)
		if opt.Intervals == Separate {
			out.add("[low, high]", true)
		}
		tested[i] = testColumn(parts[c.Part], c, opt.How)
	}

	for _, r := range o.Rows {
		cells := []string{Escape(r.Retriever), Escape(r.Generator)}
		if judged {
			cells = append(cells, Escape(dash(r.Judge)))
		}
		for i, c := range tested {
			cells = append(cells, c.cells(r.Cells[i], opt.Intervals)...)
		}
		out.rows = append(out.rows, cells)
	}
	out.note = summaryNote(o, tested, judged)
	return out
}

// testedColumn is a headline with the marks of its systems.
type testedColumn struct {
	report.OverviewColumn
	found findings
}

// testColumn tests the systems of a column's run against each other.
func testColumn(p report.Part, c report.OverviewColumn, how table.Design) testedColumn {
	one := report.Part{Bench: p.Bench, Names: p.Names[c.Run : c.Run+1], Runs: p.Runs[c.Run : c.Run+1]}
	var metrics []datasets.Metric
	if c.Metric.Lead {
		metrics = append(metrics, c.Metric)
	}
	return testedColumn{c, test(one, contestants(one), metrics, how)}
}

// cells are a system's value, and its interval where that has a column of its own.
func (c testedColumn) cells(r *table.Row, intervals string) []string {
	value, between := "--", ""
	if r != nil {
		f, _ := r.Figure(c.Metric.Name)
		value = marked(figure(f, c.Metric), c.found.mark(c.Metric, table.Contestant{Name: r.System.String(), Row: *r}))
		between = interval(f, c.Metric)
		if intervals == Subscript {
			value += subscript(between)
		}
		value += Escape(report.Lacking(*r, f))
	}
	if intervals == Separate {
		return []string{value, between}
	}
	return []string{value}
}

// dash stands where there is nothing.
func dash(s string) string {
	if s == "" {
		return datasets.NoValue
	}
	return s
}

func summaryNote(o report.Overview, tested []testedColumn, judged bool) []string {
	out := []string{"–: the system took no part."}
	if !judged && len(o.Rows) > 0 && o.Rows[0].Judge != "" {
		out = append(out, "All with judge "+o.Rows[0].Judge+".")
	}

	var said []string
	for _, c := range tested {
		words := c.found.words()
		if words != "" && !slices.Contains(said, words) {
			said = append(said, words)
		}
	}
	if len(said) == 1 {
		return append(out, said...)
	}
	for _, c := range tested {
		if words := c.found.words(); words != "" {
			out = append(out, c.Title+": "+words)
		}
	}
	return out
}
