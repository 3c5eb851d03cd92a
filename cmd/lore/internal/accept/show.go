package accept

import (
	"fmt"
	"io"

	"lore/cmd/lore/internal/report"
	"lore/cmd/lore/internal/usage"
	"lore/datasets"
)

// Text prints a report for a terminal: what became of all rules, a table of them, and why.
func Text(w io.Writer, r Report) {
	style := map[Outcome]usage.Style{Pass: usage.Fine, CannotTell: usage.Caution, Broken: usage.Failure}[r.Outcome]
	usage.Paint(w, usage.Piece{Text: "Gate: ", Style: usage.Heading}, usage.Piece{Text: r.verdict(), Style: style},
		usage.Piece{Text: "\n"})
	for _, l := range r.about() {
		usage.Wrap(w, usage.Line(l))
	}

	fmt.Fprintln(w)
	report.Text(w, r.grid(false))
	fmt.Fprintln(w)
	for _, f := range r.Findings {
		usage.Wrap(w, usage.Line(fmt.Sprintf("%s: %s: %s.", f.Rule, f.Outcome, f.Why)))
		for _, fall := range f.Falls {
			usage.Wrap(w, "  "+usage.Line(fall.words(f.Asks)))
		}
	}
}

// Markdown prints a report for a page of GitHub or GitLab, such as the summary of a job.
func Markdown(w io.Writer, r Report) {
	alert := map[Outcome]string{Pass: "NOTE", CannotTell: "WARNING", Broken: "CAUTION"}[r.Outcome]
	fmt.Fprintf(w, "## lore gate: %s\n\n> [!%s]\n> %s\n\n", r.Outcome, alert, r.verdict())
	report.Markdown(w, r.grid(true))

	about := datasets.Grid{Head: []string{"of what"}}
	for _, l := range r.about() {
		about.Rows = append(about.Rows, []string{l})
	}
	report.Markdown(w, about)
	for _, f := range r.Findings {
		if len(f.Falls) == 0 {
			continue
		}
		g := datasets.Grid{Title: "Fallen from full to none", Head: []string{"item", "title", f.Asks, "text"}}
		for _, fall := range f.Falls {
			g.Rows = append(g.Rows, []string{fall.Item, fall.Title, fall.Unit, fall.Text})
		}
		report.Markdown(w, g)
	}
}

// JSON prints a report for programs.
func JSON(w io.Writer, r Report) error { return report.WriteJSON(w, r) }

// verdict is the outcome of all rules in a sentence.
func (r Report) verdict() string {
	n := map[Outcome]int{}
	for _, f := range r.Findings {
		n[f.Outcome]++
	}
	all := usage.Counted(len(r.Findings), "rule")
	switch r.Outcome {
	case Broken:
		return fmt.Sprintf("broken: %d of %s broken, %d that cannot be told, %d passed",
			n[Broken], all, n[CannotTell], n[Pass])
	case CannotTell:
		text := fmt.Sprintf("cannot tell: %d of %s cannot be told, %d passed", n[CannotTell], all, n[Pass])
		if r.Lenient {
			text += "; let through, as --cannot-tell pass says"
		}
		return text
	}
	return "pass: " + all + " passed"
}

// about says what was compared with what, and what to bear in mind.
func (r Report) about() []string {
	out := []string{fmt.Sprintf("Run: %s: %s, judge %s", r.Run, r.System, r.Judge)}
	if r.Baseline != "" {
		out = append(out,
			fmt.Sprintf("Baseline: %s: %s", r.Baseline, r.BaselineSystem),
			fmt.Sprintf("Items: %d shared, %d of the run alone, %d of the baseline alone; drops are over the shared ones. "+
				"%d of these have the same answer as before.", r.Shared, r.OnlyRun, r.OnlyBaseline, r.SameAnswers))
	}
	for _, w := range r.Warnings {
		out = append(out, "Warning: "+w)
	}
	return out
}

// grid is the table of rules; with why, it says why in its last column.
func (r Report) grid(why bool) datasets.Grid {
	g := datasets.Grid{
		Head: []string{"rule", "outcome", "run", "baseline", "drop", "at least", "at most", "detectable", "n", "clusters"},
		Note: fmt.Sprintf("at least, at most: one-sided bounds of the drop, or of the run's value where the rule is "+
			"a bound, at %g %%. detectable: the smallest limit of a drop that a run without any drop meets in 80 %% of "+
			"cases, or how much better than its limit a value must be to pass in 80 %%.", 100*(1-r.Level)),
	}
	if why {
		g.Head = append(g.Head, "why")
	}
	for i, f := range r.Findings {
		row := []string{
			f.Rule, string(f.Outcome),
			f.number(f.Value), f.number(f.Baseline), f.number(f.Drop),
			f.number(f.Low), f.number(f.High), f.number(f.Least),
			datasets.NoValue, datasets.NoValue,
		}
		if f.N > 0 {
			row[8] = fmt.Sprint(f.N)
		}
		if f.Clusters > 0 {
			row[9] = usage.Counted(f.Clusters, f.Unit)
		}
		if why {
			row = append(row, f.Why)
		}
		g.Rows = append(g.Rows, row)
		if mark, ok := map[Outcome]datasets.Mark{Broken: datasets.Failed, CannotTell: datasets.Doubted}[f.Outcome]; ok {
			g.MarkAt(i, 1, mark)
		}
	}
	return g
}

func (f Finding) number(v *float64) string {
	switch {
	case v == nil:
		return datasets.NoValue
	case f.Kind == Count:
		return fmt.Sprintf("%.0f", *v)
	}
	return fmt.Sprintf("%.1f", *v)
}
