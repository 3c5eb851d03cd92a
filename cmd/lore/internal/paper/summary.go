package paper

import (
	"slices"
	"strings"

	"lore/cmd/lore/internal/report"
	"lore/cmd/lore/internal/table"
	"lore/cmd/lore/internal/tex"
	"lore/datasets"
)

// summary makes the table of all benchmarks' main figures. Each column is tested by itself, over the
// systems of its run. What all rows share stands in the note.
func summary(parts []report.Part, opt Options) sheet {
	o := report.Across(parts)
	out := sheet{made: madeBy(parts, opt.Lore), label: opt.Label, caption: opt.Caption, noNote: opt.NoNote}
	if out.caption == "" {
		out.caption = "The main figure of each benchmark."
	}

	own, shared := identities(o.Rows)
	for _, of := range own {
		out.add(false, of.head)
	}
	tested := make([]testedColumn, len(o.Columns))
	for i, c := range o.Columns {
		tested[i] = testColumn(parts[c.Part], c, opt.How)
		out.add(true, strings.TrimSuffix(c.Title, " "+c.Metric.Title), c.Metric.Title)
		if opt.Overview == Separate {
			out.add(true, tested[i].behindHead())
		}
	}

	absent := false
	for _, r := range o.Rows {
		var cells []string
		for _, of := range own {
			cells = append(cells, tex.Escape(dash(of.text(r))))
		}
		for i, c := range tested {
			absent = absent || len(r.Cells[i]) == 0
			cells = append(cells, c.cells(r.Cells[i], opt.Overview)...)
		}
		out.rows = append(out.rows, cells)
	}
	out.note = summaryNote(parts, tested, opt, shared, absent)
	return out
}

// identity is a part of what a row is called.
type identity struct {
	head string
	text func(r report.OverviewRow) string
}

// identities are those that tell rows apart, and in words those that all rows share. The retriever is
// a column where nothing else is.
func identities(rows []report.OverviewRow) (own []identity, shared string) {
	var same []string
	for _, of := range []identity{
		{"retriever", func(r report.OverviewRow) string { return r.Retriever }},
		{"generator", func(r report.OverviewRow) string { return r.Generator }},
		{"judge", func(r report.OverviewRow) string { return r.Judge }},
	} {
		differs := slices.ContainsFunc(rows, func(r report.OverviewRow) bool { return of.text(r) != of.text(rows[0]) })
		switch {
		case differs || of.head == "retriever" && len(rows) < 2:
			own = append(own, of)
		case len(rows) > 0 && of.text(rows[0]) != "":
			same = append(same, of.head+" "+of.text(rows[0]))
		}
	}
	if len(same) > 0 {
		shared = "All with " + strings.Join(same, ", ") + "."
	}
	return own, shared
}

// testedColumn is a headline with the marks of its systems.
type testedColumn struct {
	report.OverviewColumn
	found findings
}

// testColumn tests the systems of a column's run against each other. Over seeds the highest means are
// marked.
func testColumn(p report.Part, c report.OverviewColumn, how table.Design) testedColumn {
	one := report.Part{Bench: p.Bench}
	for _, run := range c.Runs {
		one.Names, one.Runs = append(one.Names, p.Names[run]), append(one.Runs, p.Runs[run])
	}
	var metrics []datasets.Metric
	if c.Metric.Lead {
		metrics = append(metrics, c.Metric)
	}
	if over, seeds := fold(one); seeds {
		return testedColumn{c, over.highest(contestants(over.Part), metrics)}
	}
	return testedColumn{c, test(one, contestants(one), metrics, how)}
}

// behindHead is the heading of what stands behind values.
func (c testedColumn) behindHead() string {
	if len(c.Runs) > 1 {
		return "±"
	}
	return "[low, high]"
}

// cells are a system's value, and its interval where that has a column of its own. A mean over seeds
// never stands without its deviation.
func (c testedColumn) cells(rows []*table.Row, intervals string) []string {
	value, between := "--", ""
	if len(rows) > 0 {
		row, spreads := *rows[0], map[string]report.Spread(nil)
		if len(c.Runs) > 1 {
			row, spreads = mean(rows, len(c.Runs))
		}
		f, _ := row.Figure(c.Metric.Name)
		value = marked(figure(f, c.Metric), c.found.mark(c.Metric, table.Contestant{Name: row.System.String(), Row: row}))
		between = interval(f, c.Metric)
		if s := spreads[c.Metric.Name]; len(s.Values) > 1 {
			between = `$\pm$` + number(s.SD(), c.Metric)
		}
		if intervals == Subscript || len(c.Runs) > 1 && intervals != Separate {
			value += subscript(between)
		}
		if lacking := strings.TrimSpace(report.LackingOf(rows, c.Metric.Name)); lacking != "" {
			value += " " + tex.Escape(lacking)
		}
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

// summaryNote says what the cells hold, and nothing that is not there.
func summaryNote(parts []report.Part, tested []testedColumn, opt Options, shared string, absent bool) []string {
	var out []string
	if shared != "" {
		out = append(out, shared)
	}
	if absent {
		out = append(out, "–: the system took no part.")
	}
	out = append(out, behindNotes(parts, tested, opt)...)

	var said []string
	for _, c := range tested {
		words := c.found.words()
		if words != "" && !slices.Contains(said, words) {
			said = append(said, words)
		}
	}
	if len(said) == 1 {
		return slices.Concat(out, said, judges(parts...))
	}
	for _, c := range tested {
		if words := c.found.words(); words != "" {
			out = append(out, c.Title+": "+words)
		}
	}
	return append(out, judges(parts...)...)
}

// behindNotes say what stands behind values: intervals, or deviations over seeds.
func behindNotes(parts []report.Part, tested []testedColumn, opt Options) []string {
	var kinds []string
	seeds := false
	for _, c := range tested {
		if len(c.Runs) > 1 {
			seeds = true
			continue
		}
		kind := parts[c.Part].Runs[c.Runs[0]].Table.Interval
		if !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
	}

	var out []string
	if len(kinds) > 0 && (opt.Overview == Subscript || opt.Overview == Separate) {
		out = append(out, "[low, high]: "+strings.Join(kinds, "; ")+".")
	}
	if seeds {
		out = append(out, "±: mean and standard deviation over runs that differ in the seed alone; these are not tested.")
	}
	return out
}
