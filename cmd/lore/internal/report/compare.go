package report

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"lore/cmd/lore/internal/table"
	"lore/cmd/lore/internal/usage"
	"lore/datasets"
)

// Scaled returns differences in the units that are shown: shares times 100.
func Scaled(diffs []table.Difference, metrics []datasets.Metric) []table.Difference {
	out := make([]table.Difference, len(diffs))
	for i, d := range diffs {
		f := 1.0
		for _, m := range metrics {
			if m.Name == d.Metric {
				f = factor(m)
			}
		}

		d.ValueA, d.ValueB, d.Diff = times(d.ValueA, f), times(d.ValueB, f), times(d.Diff, f)
		d.Low, d.High, d.Least = times(d.Low, f), times(d.High, f), times(d.Least, f)
		out[i] = d
	}
	return out
}

func number(v *float64, format string) string {
	if v == nil {
		return "–"
	}
	return fmt.Sprintf(format, *v)
}

// Differences lists every pair and metric. level is that of significance, in (0,1).
func Differences(diffs []table.Difference, metrics []datasets.Metric, level float64) datasets.Grid {
	note := fmt.Sprintf("p: paired randomisation test over clusters; Holm over these %d tests; * below %g. "+
		"effect: difference over the standard deviation of the differences. "+
		"least: smallest difference that so many clusters find in 80 %% of cases.", len(diffs), level)
	g := datasets.Grid{
		Title: "Differences on shared units",
		Head: []string{
			"metric", "A", "B", "A − B", "95 % interval", "p", "p Holm",
			"effect", "least", "win/tie/loss", "n", "clusters",
		},
		Note: note,
	}

	for _, d := range Scaled(diffs, metrics) {
		mark := ""
		if d.Significant(level) {
			mark = " *"
		}
		g.Rows = append(g.Rows, []string{
			d.Metric,
			d.A,
			d.B,
			number(d.Diff, "%+.1f"),
			number(d.Low, "%.1f") + " to " + number(d.High, "%.1f"),
			number(d.P, "%.4f"),
			number(d.PHolm, "%.4f") + mark,
			number(d.Effect, "%.2f"),
			number(d.Least, "%.1f"),
			fmt.Sprintf("%d/%d/%d", d.Win, d.Tie, d.Loss),
			fmt.Sprint(d.N),
			fmt.Sprintf("%d %ss", d.Groups, d.Cluster),
		})
	}
	return g
}

// Letters is the table of systems in which a letter after a value names each system that
// is significantly worse. level is that of significance, in (0,1).
func Letters(
	systems []table.Contestant, metrics []datasets.Metric, diffs []table.Difference, level float64,
) datasets.Grid {
	g := datasets.Grid{
		Title: "Systems",
		Head:  []string{"", "system"},
		Note: fmt.Sprintf("A letter after a value marks a system that is worse on the shared units "+
			"(randomisation test, Holm over %d tests, level %g).", len(diffs), level),
	}
	for _, m := range metrics {
		g.Head = append(g.Head, m.Title)
	}
	letter := map[string]string{}
	for i, s := range systems {
		letter[s.Name] = letterOf(i)
	}

	for i, s := range systems {
		row := []string{letterOf(i), s.Name}
		for _, m := range metrics {
			value := "–"
			if f, _ := s.Row.Figure(m.Name); f.Value != nil {
				value = Number(*f.Value, m)
			}
			for k, name := range beaten(s.Name, m.Name, diffs, level) {
				if k == 0 {
					value += " "
				}
				value += letter[name]
			}
			row = append(row, value)
		}
		g.Rows = append(g.Rows, row)
	}
	return g
}

// beaten lists the systems that are significantly worse than one in a metric.
func beaten(system, metric string, diffs []table.Difference, level float64) []string {
	var out []string
	for _, d := range diffs {
		switch {
		case d.Metric != metric || !d.Significant(level) || d.Diff == nil:
		case d.A == system && *d.Diff > 0:
			out = append(out, d.B)
		case d.B == system && *d.Diff < 0:
			out = append(out, d.A)
		}
	}
	return out
}

// letterOf names the i-th system: a to z, then aa, ab and so on.
func letterOf(i int) string {
	if i < 26 {
		return string(rune('a' + i))
	}
	return letterOf(i/26-1) + letterOf(i%26)
}

// columnWidth is the width of one answer in the side-by-side view, in characters.
const columnWidth = 58

// SideBySide shows two answers next to each other: in two columns of text, or as a table
// of Markdown.
func SideBySide(w io.Writer, markdown bool, title, nameA, a, nameB, b string) {
	if markdown {
		g := datasets.Grid{Title: title, Head: []string{nameA, nameB}}
		left, right := lines(a), lines(b)
		for i := range max(len(left), len(right)) {
			g.Rows = append(g.Rows, []string{at(left, i), at(right, i)})
		}
		Markdown(w, g)
		return
	}

	fmt.Fprintf(w, "\n%s\n", usage.Plain(title))
	left := wrap(append([]string{nameA, ""}, lines(a)...))
	right := wrap(append([]string{nameB, ""}, lines(b)...))
	for i := range max(len(left), len(right)) {
		l := at(left, i)
		pad := strings.Repeat(" ", columnWidth-utf8.RuneCountInString(l))
		fmt.Fprintln(w, strings.TrimRight(l+pad+" | "+at(right, i), " "))
	}
}

// lines are the lines of a text that are not blank, trimmed.
func lines(s string) []string {
	var out []string
	for line := range strings.Lines(usage.Plain(s)) {
		if line = strings.TrimSpace(line); line != "" {
			out = append(out, line)
		}
	}
	return out
}

// at is a line, empty below the last.
func at(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return ""
}

// wrap breaks lines so that each fits a column: at the last space of its second half, or
// inside a word if there is none. What is broken off is indented.
func wrap(in []string) []string {
	var out []string
	for _, line := range in {
		r := []rune(usage.Plain(line))
		for len(r) > columnWidth {
			cut := columnWidth
			for i := columnWidth; i > columnWidth/2; i-- {
				if r[i] == ' ' {
					cut = i
					break
				}
			}

			out = append(out, strings.TrimSpace(string(r[:cut])))
			r = []rune("  " + strings.TrimSpace(string(r[cut:])))
		}
		out = append(out, string(r))
	}
	return out
}
