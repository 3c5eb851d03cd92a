// Package paper writes tables that a paper can take as they are: LaTeX with booktabs, chosen
// columns, the best in bold, and what is not shown to be worse underlined.
package paper

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"lore/cmd/lore/internal/report"
	"lore/cmd/lore/internal/table"
	"lore/cmd/lore/internal/tex"
	"lore/cmd/lore/internal/usage"
	"lore/datasets"
)

// Options say what a table looks like.
type Options struct {
	Lore      string       // version that writes the table
	Label     string       // for \ref; empty: none
	Caption   string       // plain text; empty: one that says what the table shows
	Columns   []string     // headings or names of metrics, in any case; empty: the main figures
	Intervals string       // one of Intervals
	Overview  string       // the same, of the table over all benchmarks; empty: None
	Seeds     bool         // runs that differ in the seed alone are one row, with mean and standard deviation
	NoNote    bool         // the note goes into comments
	How       table.Design // of the tests; Usual where nobody says otherwise
}

// Usual are the tests that lore compare makes without flags. Intervals of differences, which nobody
// sees here, are left out.
func Usual() table.Design {
	return table.Design{Unit: table.ByItem, Level: 0.05, Difference: 5, Seed: 1, Decisions: true}
}

// How intervals are shown.
const (
	Subscript = "subscript" // behind the value, below the line
	Separate  = "separate"  // in a column of their own
	None      = "none"
)

// Intervals are all ways to show intervals.
var Intervals = []string{Subscript, Separate, None}

// Write writes a table of each benchmark, and of several one more that sums them up. Labels and
// captions of a benchmark's table end with its name then.
func Write(w io.Writer, parts []report.Part, opt Options) error {
	if err := checkColumns(parts, opt.Columns); err != nil {
		return err
	}
	for i, p := range parts {
		if i > 0 {
			fmt.Fprintln(w)
		}
		o := opt
		if len(parts) > 1 {
			o.Label, o.Caption = of(opt.Label, "-"+p.Bench.Name()), of(opt.Caption, " ("+p.Title()+")")
		}
		build(p, o).write(w)
	}

	if len(parts) > 1 {
		fmt.Fprintln(w)
		summary(parts, opt).write(w)
	}
	return nil
}

// of adds an ending to what is not empty.
func of(s, ending string) string {
	if s == "" {
		return ""
	}
	return s + ending
}

// build makes the table of one benchmark's runs.
func build(p report.Part, opt Options) sheet {
	out := sheet{made: madeBy([]report.Part{p}, opt.Lore), label: opt.Label, caption: opt.Caption, noNote: opt.NoNote}
	if out.caption == "" {
		out.caption = "Results on " + p.Title() + "."
	}
	over, seeds := fold(p)
	if seeds = seeds && opt.Seeds; seeds {
		p = over.Part
	}

	systems := contestants(p)
	all := columnsOf(p, systems)
	chosen := layout(all, opt.Columns, systems)
	found, behind, title := findings{}, ofInterval, "[low, high]"
	if seeds {
		found, behind, title = over.highest(systems, leads(chosen)), over.deviation, "±"
	} else {
		found = test(p, systems, leads(chosen), opt.How)
	}

	for _, c := range chosen {
		out.add(c.right, c.head)
		if c.hasInterval() && opt.Intervals == Separate {
			out.add(true, title)
		}
	}
	for _, s := range systems {
		out.rows = append(out.rows, line(s, chosen, found, opt.Intervals, behind))
	}
	if seeds {
		opt.Intervals = None // the note has other words for what stands behind
	}
	out.note = note(p, systems, all, chosen, found, opt)
	if seeds {
		out.note = append(out.note, over.note(leads(chosen)))
	}
	return out
}

// line are the cells of a system's row. behind is what stands behind the main figures.
func line(s table.Contestant, chosen []column, found findings, intervals string,
	behind func(table.Contestant, datasets.Metric) string) []string {
	var out []string
	for _, c := range chosen {
		if c.metric == nil {
			out = append(out, tex.Escape(c.text(s)))
			continue
		}

		f, _ := s.Row.Figure(c.metric.Name)
		value := marked(figure(f, *c.metric)+asked(s.Row, *c.metric), found.mark(*c.metric, s))
		between := behind(s, *c.metric)
		switch {
		case !c.hasInterval():
		case intervals == Separate:
			out = append(out, value)
			value = between
		case intervals == Subscript:
			value += subscript(between)
		}
		out = append(out, value)
	}
	return out
}

// contestants are the rows of runs under the names that tests know them by.
func contestants(p report.Part) []table.Contestant {
	return report.Contestants(p.Names, p.Runs, p.Bench)
}

// marked sets a value in bold or underlined.
func marked(value string, as datasets.Mark) string {
	switch as {
	case datasets.Best:
		return `\textbf{` + value + `}`
	case near:
		return `\underline{` + value + `}`
	}
	return value
}

// figure is a value as LaTeX shows it, -- where there is none.
func figure(f table.Figure, m datasets.Metric) string {
	if f.Value == nil {
		return "--"
	}
	return number(*f.Value, m)
}

// number has a minus that is no hyphen.
func number(v float64, m datasets.Metric) string {
	s := report.Number(v, m)
	if rest, negative := strings.CutPrefix(s, "-"); negative {
		return "$-$" + rest
	}
	return s
}

// asked words how much was asked for, behind how much was given.
func asked(r table.Row, m datasets.Metric) string {
	f, _ := r.Figure(m.Asked)
	if m.Asked == "" || f.Value == nil {
		return ""
	}
	return " of " + number(*f.Value, m)
}

// ofInterval is the interval of a system's figure.
func ofInterval(s table.Contestant, m datasets.Metric) string {
	f, _ := s.Row.Figure(m.Name)
	return interval(f, m)
}

// interval is empty where there is none.
func interval(f table.Figure, m datasets.Metric) string {
	if f.Value == nil || f.Low == nil || f.High == nil {
		return ""
	}
	return "[" + number(*f.Low, m) + ", " + number(*f.High, m) + "]"
}

// subscript sets an interval below the line.
func subscript(between string) string {
	if between == "" {
		return ""
	}
	math := strings.NewReplacer("$", "", ", ", `,\,`)
	return `$_{` + math.Replace(between) + `}$`
}

// madeBy says which lore wrote a table, and what of.
func madeBy(parts []report.Part, lore string) []string {
	out := []string{"Made by lore " + lore + "."}
	for _, p := range parts {
		for i, r := range p.Runs {
			scores := ""
			if hash := r.Manifest.Files[table.File]; hash != "" {
				scores = ", " + table.File + " has the SHA-256 " + hash
			}
			out = append(out, fmt.Sprintf("Run: %s (%s, by lore %s%s).", p.Names[i], p.Bench.Name(), r.Manifest.Lore, scores))
		}
	}
	return out
}

// spread is a number, or the smallest and the largest of several.
func spread(ns []int) string {
	low, high := slices.Min(ns), slices.Max(ns)
	if low == high {
		return fmt.Sprint(low)
	}
	return fmt.Sprintf("%d to %d", low, high)
}

// unknown is the error of a column that no benchmark has.
func unknown(name string, all []column) error {
	heads := make([]string, len(all))
	for i, c := range all {
		heads[i] = c.head
	}
	return usage.Unknown("column", name, heads)
}
