package report

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"lore/cmd/lore/internal/run"
	"lore/datasets"
)

// scale is the factor from a metric's unit to what is shown.
func scale(metrics []datasets.Metric, name string) float64 {
	for _, m := range metrics {
		if m.Name == name && m.Percent {
			return 100
		}
	}
	return 1
}

// Scaled returns differences in the units that are shown: shares times 100.
func Scaled(diffs []run.Difference, metrics []datasets.Metric) []run.Difference {
	out := make([]run.Difference, len(diffs))
	for i, d := range diffs {
		by := scale(metrics, d.Metric)
		d.ValueA, d.ValueB, d.Diff = times(d.ValueA, by), times(d.ValueB, by), times(d.Diff, by)
		d.Low, d.High, d.Least = times(d.Low, by), times(d.High, by), times(d.Least, by)
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

// Differences lists every pair and metric.
func Differences(diffs []run.Difference, metrics []datasets.Metric, level float64) datasets.Grid {
	g := datasets.Grid{Title: "Differences on shared units", Head: []string{"metric", "A", "B", "A − B", "95 % interval", "p", "p Holm", "effect", "least", "win/tie/loss", "n", "clusters"},
		Note: fmt.Sprintf("p: paired randomisation test over clusters; Holm over these %d tests; * below %g. effect: difference over the standard deviation of the differences. least: smallest difference that so many clusters find in 80 %% of cases.", len(diffs), level)}
	for _, d := range Scaled(diffs, metrics) {
		mark := ""
		if d.Significant(level) {
			mark = " *"
		}
		g.Rows = append(g.Rows, []string{d.Metric, d.A, d.B, number(d.Diff, "%+.1f"), number(d.Low, "%.1f") + " to " + number(d.High, "%.1f"), number(d.P, "%.4f"), number(d.PHolm, "%.4f") + mark,
			number(d.Effect, "%.2f"), number(d.Least, "%.1f"), fmt.Sprintf("%d/%d/%d", d.Win, d.Tie, d.Loss), fmt.Sprint(d.N), fmt.Sprintf("%d %ss", d.Groups, d.Cluster)})
	}
	return g
}

// Letters is the table of systems in which a letter after a value names each
// system that is significantly worse.
func Letters(systems []run.Contestant, metrics []datasets.Metric, diffs []run.Difference, level float64) datasets.Grid {
	g := datasets.Grid{Title: "Systems", Head: []string{"", "system"}, Note: fmt.Sprintf("A letter after a value marks a system that is worse on the shared units (randomisation test, Holm over %d tests, level %g).", len(diffs), level)}
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
			f, _ := s.Row.Figure(m.Name)
			value := "–"
			if f.Value != nil {
				value = Number(*f.Value, m)
			}
			worse := ""
			for _, d := range diffs {
				if d.Metric != m.Name || !d.Significant(level) || d.Diff == nil {
					continue
				}
				if d.A == s.Name && *d.Diff > 0 {
					worse += letter[d.B]
				}
				if d.B == s.Name && *d.Diff < 0 {
					worse += letter[d.A]
				}
			}
			if worse != "" {
				value += " " + worse
			}
			row = append(row, value)
		}
		g.Rows = append(g.Rows, row)
	}
	return g
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

// SideBySide shows two answers next to each other.
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
	fmt.Fprintf(w, "\n%s\n", Plain(title))
	left, right := wrap(append([]string{nameA, ""}, lines(a)...)), wrap(append([]string{nameB, ""}, lines(b)...))
	for i := range max(len(left), len(right)) {
		l := at(left, i)
		fmt.Fprintln(w, strings.TrimRight(l+strings.Repeat(" ", columnWidth-utf8.RuneCountInString(l))+" | "+at(right, i), " "))
	}
}

func lines(s string) []string {
	var out []string
	for line := range strings.Lines(Plain(s)) {
		if line = strings.TrimSpace(line); line != "" {
			out = append(out, line)
		}
	}
	return out
}

func at(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return ""
}

// wrap breaks lines at spaces so that each fits a column.
func wrap(in []string) []string {
	var out []string
	for _, line := range in {
		r := []rune(Plain(line))
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
