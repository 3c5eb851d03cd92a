package paper

import (
	"fmt"
	"slices"
	"strings"

	"lore/cmd/lore/internal/report"
	"lore/cmd/lore/internal/table"
	"lore/datasets"
)

// column is one of a table: a metric, or else a text of each system.
type column struct {
	head     string
	metric   *datasets.Metric
	text     func(s table.Contestant) string
	identity bool // tells systems apart
	right    bool // aligned right
}

// hasInterval reports whether intervals are shown for a column.
func (c column) hasInterval() bool { return c.metric != nil && c.metric.Lead }

// called reports whether a column's heading is a name, in any case, or its metric has that name.
func (c column) called(name string) bool { return strings.EqualFold(c.head, name) }

func (c column) named(name string) bool {
	return c.metric != nil && strings.EqualFold(c.metric.Name, name)
}

// unscored is the heading of the column of missing values.
const unscored = "unscored"

// columnsOf are all columns that a benchmark's runs have.
func columnsOf(p report.Part, systems []table.Contestant) []column {
	out := []column{
		{head: "run", identity: true, text: func(s table.Contestant) string { return p.Names[s.Run] }},
		{head: "retriever", identity: true, text: func(s table.Contestant) string { return s.Row.Retriever }},
		{head: "generator", identity: true, text: func(s table.Contestant) string { return s.Row.Generator }},
		{head: "judge", identity: true, text: func(s table.Contestant) string { return s.Row.Judge }},
	}
	metrics := p.Bench.Metrics()
	for _, m := range metrics {
		has := slices.ContainsFunc(systems, func(s table.Contestant) bool {
			f, _ := s.Row.Figure(m.Name)
			return f.N+f.NUnscored > 0
		})
		if has {
			out = append(out, column{head: m.Title, metric: &m, right: true})
		}
	}
	return append(out,
		column{head: "n", right: true, text: func(s table.Contestant) string {
			n, _ := s.Row.Counts(metrics)
			return fmt.Sprint(n)
		}},
		column{head: unscored, right: true, text: func(s table.Contestant) string { return missing(s.Row, metrics) }},
		column{head: "cut", right: true, text: func(s table.Contestant) string { return fmt.Sprint(s.Row.ItemsCut) }},
	)
}

// missing words how many values a row misses.
func missing(r table.Row, metrics []datasets.Metric) string {
	_, n := r.Counts(metrics)
	if r.ItemsFailed > 0 {
		return fmt.Sprintf("%d (%d of %d answers failed)", n, r.ItemsFailed, r.Items)
	}
	return fmt.Sprint(n)
}

// find is the place of the column that a name means: a heading before the name of a metric.
func find(all []column, name string) int {
	if i := slices.IndexFunc(all, func(c column) bool { return c.called(name) }); i >= 0 {
		return i
	}
	return slices.IndexFunc(all, func(c column) bool { return c.named(name) })
}

// checkColumns refuses a name that no benchmark has a column of.
func checkColumns(parts []report.Part, names []string) error {
	var all []column
	for _, p := range parts {
		for _, c := range columnsOf(p, contestants(p)) {
			if find(all, c.head) < 0 {
				all = append(all, c)
			}
		}
	}
	for _, n := range names {
		known := slices.ContainsFunc(parts, func(p report.Part) bool { return find(columnsOf(p, contestants(p)), n) >= 0 })
		if !known {
			return unknown(n, all)
		}
	}
	return nil
}

// layout are the columns of a table: what tells its rows apart, the columns that were asked for or
// else the main figures, and what is missing, where anything is: a figure never stands without it.
func layout(all []column, names []string, systems []table.Contestant) []column {
	asked := map[int]bool{}
	var chosen []column
	for _, n := range names {
		if i := find(all, n); i >= 0 && !asked[i] {
			asked[i] = true
			chosen = append(chosen, all[i])
		}
	}

	var front []column
	for i, c := range all {
		if c.identity && !asked[i] && (varies(c, systems) || c.head == "retriever" && len(systems) == 1) {
			front = append(front, c)
		}
		if len(names) == 0 && c.hasInterval() {
			chosen = append(chosen, c)
		}
		if c.head == unscored && !asked[i] && anyMissing(systems, all) {
			chosen = append(chosen, c)
		}
	}
	return append(front, chosen...)
}

func varies(c column, systems []table.Contestant) bool {
	return slices.ContainsFunc(systems, func(s table.Contestant) bool { return c.text(s) != c.text(systems[0]) })
}

// anyMissing reports whether a value of any metric is missing, or an answer.
func anyMissing(systems []table.Contestant, all []column) bool {
	i := find(all, unscored)
	return slices.ContainsFunc(systems, func(s table.Contestant) bool { return all[i].text(s) != "0" })
}

// leads are the main figures among columns: those that tests are made of.
func leads(columns []column) []datasets.Metric {
	var out []datasets.Metric
	for _, c := range columns {
		if c.hasInterval() {
			out = append(out, *c.metric)
		}
	}
	return out
}
