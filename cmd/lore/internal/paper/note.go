package paper

import (
	"slices"
	"strings"

	"lore/cmd/lore/internal/report"
	"lore/cmd/lore/internal/table"
)

// note says what a table does not: what all its systems have in common, of how many values its
// figures are, what the marks mean, and what the intervals are.
func note(p report.Part, systems []table.Contestant, all, chosen []column, found findings, opt Options) []string {
	var out []string
	if same := common(systems, all, chosen); same != "" {
		out = append(out, same)
	}
	out = append(out, counts(p, systems))
	if marks := found.words(); marks != "" {
		out = append(out, marks)
	}
	if ends := endsOfScale(systems); ends != "" && len(found.marks) > 0 {
		out = append(out, "Ends of the scale, which do not compete: "+ends+".")
	}
	if opt.Intervals != None && slices.ContainsFunc(chosen, column.hasInterval) {
		out = append(out, "[low, high]: "+intervals(p)+".")
	}
	if slices.ContainsFunc(chosen, func(c column) bool { return c.head == unscored }) {
		out = append(out, "unscored: values missing, never counted as 0.")
	}
	return append(out, judges(p)...)
}

// judges say how far those of the runs agree with people, and what they favour: figures without that are
// believed too much.
func judges(parts ...report.Part) []string {
	var out []string
	for _, p := range parts {
		for _, r := range p.Runs {
			for _, line := range report.JudgeTexts(r) {
				line = strings.TrimSuffix(strings.TrimSuffix(line, "."), report.SeeJudges) + "."
				if !slices.Contains(out, line) {
					out = append(out, line)
				}
			}
		}
	}
	return out
}

// common are the parts that all systems share and no column shows.
func common(systems []table.Contestant, all, chosen []column) string {
	var out []string
	for _, c := range all {
		if !c.identity || len(systems) == 0 || find(chosen, c.head) >= 0 || c.head == "run" {
			continue
		}
		if text := c.text(systems[0]); text != "" {
			out = append(out, c.head+" "+text)
		}
	}
	if len(out) == 0 {
		return ""
	}
	return "All with " + strings.Join(out, ", ") + "."
}

// counts says how many values and items figures are of.
func counts(p report.Part, systems []table.Contestant) string {
	values, items := make([]int, len(systems)), make([]int, len(systems))
	for i, s := range systems {
		values[i], _ = s.Row.Counts(p.Bench.Metrics())
		items[i] = s.Row.Items
	}
	switch {
	case len(systems) == 0:
		return "No systems."
	case slices.Max(values) == 0: // no figure needs a judge
		return "Items: " + spread(items) + "."
	}
	return "n = " + spread(values) + " values of " + spread(items) + " items."
}

// endsOfScale names the retrievers or generators of systems that do not compete.
func endsOfScale(systems []table.Contestant) string {
	var out []string
	for _, s := range systems {
		if _, end := report.EndOf(s.Row.System); !end {
			continue
		}
		name := s.Row.Retriever
		if !s.Row.Reference() {
			name = s.Row.Generator
		}
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return strings.Join(out, ", ")
}

// intervals says how the intervals of runs were made.
func intervals(p report.Part) string {
	var out []string
	for _, r := range p.Runs {
		if !slices.Contains(out, r.Table.Interval) {
			out = append(out, r.Table.Interval)
		}
	}
	return strings.Join(out, "; ")
}
