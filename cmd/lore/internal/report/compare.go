package report

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

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
		d.Power = times(d.Power, 100)
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

// pairsShown is how many pairs of a metric are shown unless all are asked for.
const pairsShown = 10

// Differences lists the pairs of a block by metric: all of them, or where there are many
// and all is false, those with the best system.
func Differences(b table.Block, how table.Design, all bool) datasets.Grid {
	g := datasets.Grid{
		Title: "Differences on shared units" + by(b),
		Head: []string{
			"metric", "A", "B", "A − B", "95 % interval", "p", "p t", "p Holm",
			"effect", "least", "power", "win/tie/loss", "n", "clusters",
		},
		Note: fmt.Sprintf("p: paired randomisation test; p t: cluster-robust t; p Holm: of the one that decides, "+
			"corrected over the pairs of its metric; * below %g. effect: difference over the standard deviation of "+
			"the differences. least: true difference that is found in 80 %% of cases after correction; power: percent "+
			"of cases in which a true difference of %g is.", how.Level, how.Difference),
	}

	left := 0
	for _, d := range Scaled(b.Diffs, b.Metrics) {
		best := bestOf(b, d.Metric)
		if !all && how.Baseline == "" && d.Tests > pairsShown && d.A != best && d.B != best {
			left++
			continue
		}

		decimals := decimalsOf(b.Metrics, d.Metric)
		mark := ""
		if d.Significant(how.Level) {
			mark = " *"
		}
		g.Rows = append(g.Rows, []string{
			d.Metric,
			d.A,
			d.B,
			number(d.Diff, "%+"+decimals),
			number(d.Low, "%"+decimals) + " to " + number(d.High, "%"+decimals),
			number(d.P, "%.4f"),
			number(d.PT, "%.4f"),
			number(d.PHolm, "%.4f") + mark,
			number(d.Effect, "%.2f"),
			number(d.Least, "%"+decimals),
			number(d.Power, "%.0f"),
			fmt.Sprintf("%d/%d/%d", d.Win, d.Tie, d.Loss),
			fmt.Sprint(d.N),
			fmt.Sprintf("%d %ss", d.Groups, d.Cluster),
		})
	}

	if left > 0 {
		g.Note += fmt.Sprintf(" Shown are the pairs with the best system of each metric; %d more are tested: --all.",
			left)
	}
	return g
}

// decimalsOf is the end of a format for values of a metric, such as ".1f".
func decimalsOf(metrics []datasets.Metric, name string) string {
	for _, m := range metrics {
		if m.Name == name {
			return fmt.Sprintf(".%df", places(m))
		}
	}
	return ".1f"
}

// by names the judge of a block in titles.
func by(b table.Block) string {
	judged := func(s table.Contestant) bool { return s.Row.Judge != "" }
	switch {
	case b.Judge == "" && !slices.ContainsFunc(b.Systems, judged):
		return b.Which // nothing here has a judge, and nobody expects one
	case b.Judge == "":
		return ", figures without a judge" + b.Which
	}
	return ", judge " + b.Judge + b.Which
}

// bestOf names the system of a block with the highest value of a metric.
func bestOf(b table.Block, name string) string {
	best, most := "", math.Inf(-1)
	for _, s := range b.Systems {
		if f, _ := s.Row.Figure(name); f.Value != nil && *f.Value > most {
			best, most = s.Name, *f.Value
		}
	}
	return best
}

// DesignLines say what the tests of a block could find at all: how many are corrected
// over, how small p has to be and can be, which test decides, and a warning where none
// can pass. Metrics with equal designs share a line.
func DesignLines(w io.Writer, b table.Block, how table.Design) {
	said := map[string][]string{}
	var order []string
	for _, m := range b.Metrics {
		line := designOf(b, m.Name, how)
		if said[line] == nil {
			order = append(order, line)
		}
		said[line] = append(said[line], m.Title)
	}
	for _, line := range order {
		usage.Wrap(w, usage.Line(strings.Join(said[line], ", "))+": "+line)
	}

	if how.Unit == table.ByItem && slices.ContainsFunc(b.Systems, grouped) {
		usage.Wrap(w, "Items are drawn: this tells of other questions on the same haystacks or topics; "+
			"for others of these, --unit group.")
	}
	fmt.Fprintln(w)
}

// grouped reports whether a system's items share haystacks or topics.
func grouped(s table.Contestant) bool {
	groups := map[string]bool{}
	for _, it := range s.Row.Scores {
		groups[it.Group] = true
	}
	return len(groups) < len(s.Row.Scores)
}

// designOf words the design of a block's tests of one metric: of the pair with the fewest
// clusters.
func designOf(b table.Block, name string, how table.Design) string {
	var least *table.Difference
	for i, d := range b.Diffs {
		if d.Metric == name && d.Test != "" && (least == nil || d.Groups < least.Groups) {
			least = &b.Diffs[i]
		}
	}
	if len(b.Systems) < 2 {
		return "Nothing is tested: no other system was measured so."
	}
	if least == nil {
		return fmt.Sprintf("Warning: nothing can be tested, the systems share fewer than two %ss.", how.Unit)
	}

	d := *least
	text := fmt.Sprintf("%s; Holm at %g asks for p ≤ %.2g of the smallest. Sign flips of %d %ss reach p %.2g",
		usage.Counted(d.Tests, "test"), how.Level, how.Level/float64(d.Tests), d.Groups, d.Cluster, *d.MinP)
	switch {
	case d.Test == table.RobustT:
		return text + ", which is too coarse: there the t test decides."
	case !d.Can:
		return "Warning: no test can pass. " + text +
			", and there are too few of them for a t test. Compare fewer systems (--baseline, --system)" +
			widen(how) + "."
	}
	return text + " and decide."
}

// widen is the remedy for too few groups.
func widen(how table.Design) string {
	if how.Unit == table.ByGroup {
		return " or draw items (--unit item)"
	}
	return " or score more items"
}

// Letters is the table of a block's systems in which a letter after a value names each
// system that is significantly worse.
func Letters(b table.Block, how table.Design) datasets.Grid {
	g := datasets.Grid{
		Title: "Systems" + by(b),
		Head:  []string{"", "system"},
		Note: fmt.Sprintf("A letter after a value marks a system that is worse on the shared units "+
			"(Holm over the pairs of each metric, level %g).", how.Level),
	}
	if b.Note != "" {
		g.Note += " " + b.Note
	}
	for _, m := range b.Metrics {
		g.Head = append(g.Head, m.Title)
	}
	g.Head = append(g.Head, "n", "unscored")
	letter := map[string]string{}
	for i, s := range b.Systems {
		letter[s.Name] = letterOf(i)
	}

	bounds, rows := false, table.Table{}
	for i, s := range b.Systems {
		row := []string{letterOf(i), s.Name}
		for _, m := range b.Metrics {
			f, _ := s.Row.Figure(m.Name)
			row = append(row, lettered(f, m, beaten(s.Name, m.Name, b.Diffs, how.Level), letter))
			bounds = bounds || f.Value != nil && f.Worst != nil
		}
		n, unscored := countsIn(s.Row, b.Metrics)
		g.Rows = append(g.Rows, append(row, fmt.Sprint(n), missingWords(s.Row, unscored)))
		markMissing(&g, s.Row, unscored, len(g.Head)-1)
		rows.Rows = append(rows.Rows, s.Row)
	}
	g.Note += " n: values scored; unscored: values missing, never counted as 0."
	if bounds {
		g.Note += " " + boundsNote
	}
	g.Note += countsNote(rows, b.Metrics)
	return g
}

// lettered shows a value, with its bounds where values are missing, and the letters of the systems that are worse.
func lettered(f table.Figure, m datasets.Metric, worse []string, letter map[string]string) string {
	value := "–"
	if f.Value != nil {
		f.Low = nil // the differences have intervals
		m.Lead = true
		value = figure(f, m)
	}
	for k, name := range worse {
		if k == 0 {
			value += " "
		}
		value += letter[name]
	}
	return value
}

// countsIn are how many values the first of some metrics has, and the most values that one of them misses.
func countsIn(r table.Row, metrics []datasets.Metric) (n, unscored int) {
	for i, m := range metrics {
		f, _ := r.Figure(m.Name)
		if i == 0 {
			n = f.N
		}
		unscored = max(unscored, f.NUnscored)
	}
	return n, unscored
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

// The width of one answer in the side-by-side view, in cells: as wide as is good to read, or as the
// screen has room for.
const (
	columnWidth = 58
	columnLeast = 16
)

// between is what stands between two answers.
const between = " | "

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

	screen := usage.ScreenOf(w)
	width := columnWidth
	if screen.Width > 0 {
		width = min(width, max(columnLeast, (screen.Width-len(between))/2))
	}
	fmt.Fprintln(w)
	for _, l := range screen.FoldAll(usage.Line(title), screen.Width) {
		usage.Paint(w, usage.Piece{Text: l, Style: usage.Heading}, usage.Piece{Text: "\n"})
	}
	left := wrap(screen, width, append([]string{nameA, ""}, lines(a)...))
	right := wrap(screen, width, append([]string{nameB, ""}, lines(b)...))
	for i := range max(len(left), len(right)) {
		l := at(left, i)
		pad := strings.Repeat(" ", max(0, width-screen.Cells(l)))
		fmt.Fprintln(w, strings.TrimRight(l+pad+between+at(right, i), " "))
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
func wrap(screen usage.Screen, width int, in []string) []string {
	var out []string
	for _, line := range in {
		rest, indent := usage.Line(line), ""
		for {
			first, after := screen.First(rest, width-len(indent))
			if after == "" {
				out = append(out, indent+first)
				break
			}
			space := strings.LastIndex(first, " ")
			if after[0] != ' ' && space >= 0 && len(indent)+screen.Cells(first[:space]) > width/2 {
				first, after = first[:space], rest[space:]
			}
			out = append(out, strings.TrimRight(indent+first, " "))
			rest, indent = strings.TrimSpace(after), "  "
		}
	}
	return out
}
