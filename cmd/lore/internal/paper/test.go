package paper

import (
	"fmt"
	"slices"
	"strings"

	"lore/cmd/lore/internal/report"
	"lore/cmd/lore/internal/table"
	"lore/datasets"
)

// near marks a system that no test shows to be worse than the best.
const near = datasets.Failed + 1

// place is a value in a table: of a system, by a judge where the metric needs one.
type place struct{ metric, system, judge string }

// findings are what tests say of the systems of runs.
type findings struct {
	how      table.Design
	marks    map[place]datasets.Mark
	tests    []string // those that decided
	can      bool     // some test could have passed
	untested bool     // a system shares too few items with the best
	otherRun bool     // the runs are over different data: nothing was tested
}

func (f findings) mark(m datasets.Metric, s table.Contestant) datasets.Mark {
	judge := s.Row.Judge
	if _, free := f.marks[place{m.Name, s.Name, ""}]; free {
		judge = ""
	}
	return f.marks[place{m.Name, s.Name, judge}]
}

// test finds the best system in each metric, and those that are not shown to be worse, by the tests
// that lore compare makes, of all pairs. Ends of the scale take part in the tests, so that p is what
// lore compare prints, and are never marked.
func test(p report.Part, systems []table.Contestant, metrics []datasets.Metric, how table.Design) findings {
	out := findings{how: how, marks: map[place]datasets.Mark{}}
	for _, r := range p.Runs {
		out.otherRun = out.otherRun || r.Manifest.DataHash != p.Runs[0].Manifest.DataHash
	}
	if out.otherRun || len(metrics) == 0 {
		return out
	}

	for _, b := range table.Compare(systems, metrics, how) {
		for _, m := range b.Metrics {
			out.judge(b, m)
		}
	}
	slices.Sort(out.tests)
	return out
}

// judge marks the systems of one block in one metric.
func (f *findings) judge(b table.Block, m datasets.Metric) {
	value := func(s table.Contestant) (float64, bool) {
		v, _ := s.Row.Figure(m.Name)
		if _, end := report.EndOf(s.Row.System); v.Value == nil || end {
			return 0, false
		}
		return *v.Value, true
	}

	var best []string
	most, compete := 0.0, 0
	for _, s := range b.Systems {
		v, ok := value(s)
		if !ok {
			continue
		}
		if compete == 0 || v > most {
			best, most = nil, v
		}
		if v == most {
			best = append(best, s.Name)
		}
		compete++
	}
	if compete < 2 {
		return
	}

	for _, s := range b.Systems {
		at := place{m.Name, s.Name, b.Judge}
		switch _, competes := value(s); {
		case !competes:
		case slices.Contains(best, s.Name):
			f.marks[at] = datasets.Best
		case !f.worse(b, m, s.Name, best):
			f.marks[at] = near
		}
	}
}

// worse reports whether a system is shown to be worse than one of the best, or cannot be tested
// against any.
func (f *findings) worse(b table.Block, m datasets.Metric, name string, best []string) bool {
	shown, tested := false, false
	for _, d := range b.Diffs {
		isA := d.A == name && slices.Contains(best, d.B)
		isB := d.B == name && slices.Contains(best, d.A)
		if d.Metric != m.Name || !isA && !isB || d.P == nil || d.Diff == nil {
			continue
		}

		tested, f.can = true, f.can || d.Can
		if !slices.Contains(f.tests, d.Test) {
			f.tests = append(f.tests, d.Test)
		}
		lower := isA && *d.Diff < 0 || isB && *d.Diff > 0
		shown = shown || lower && d.Significant(f.how.Level)
	}
	f.untested = f.untested || !tested
	return shown || !tested
}

// testNames are the tests in words.
var testNames = map[string]string{
	table.SignFlips: "paired randomisation test",
	table.RobustT:   "cluster-robust paired t test",
}

// words say what the marks of a table mean.
func (f findings) words() string {
	switch {
	case f.otherRun:
		return "The runs are over different data: nothing is tested or marked."
	case len(f.marks) == 0:
		return ""
	case len(f.tests) == 0 && f.untested:
		return "Bold: the highest under its judge among systems that compete. They share too few " + f.how.Unit + "s for a test."
	case len(f.tests) == 0:
		return "Bold: the highest under its judge among systems that compete."
	}

	names := make([]string, len(f.tests))
	for i, t := range f.tests {
		names[i] = testNames[t]
	}
	text := fmt.Sprintf("Bold: the highest under its judge among systems that compete; underlined: not shown to be worse than it "+
		"(%s over %ss, Holm over the pairs of each metric, level %g).", strings.Join(names, " or "), f.how.Unit, f.how.Level)
	if !f.can {
		text += fmt.Sprintf(" With so few %ss no test can show a difference.", f.how.Unit)
	}
	if f.untested {
		text += " Neither bold nor underlined may be a system that shares too few " + f.how.Unit + "s with the best to be tested."
	}
	return text
}
