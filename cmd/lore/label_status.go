package main

import (
	"fmt"
	"math"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"lore/cmd/lore/internal/label"
	"lore/cmd/lore/internal/report"
	"lore/cmd/lore/internal/usage"
	"lore/datasets"
	"lore/judge/metric"
)

func newLabelStatus() *cobra.Command {
	var json bool
	c := &cobra.Command{
		Use:   "status RUN | FOLDER",
		Short: "How far labelling is, whether people agree, and what the scores are by now",
		Long: "status shows, for a labelling folder or all those of a run, how far each annotator is, how they\n" +
			"agree with each other, and the scores corrected by what has been labelled so far, with intervals.",
		Example: "  lore label status first\n  lore label status first/labels/coverage --json",
		Args:    usageArgs(cobra.ExactArgs(1)),
		RunE:    func(c *cobra.Command, args []string) error { return labelStatus(c, args[0], json) },
	}
	group(c, outputFlags, func(fl *pflag.FlagSet) {
		fl.BoolVar(&json, "json", false, "print JSON, percentages with full precision")
	})
	return c
}

func labelStatus(c *cobra.Command, dir string, json bool) error {
	dirs, err := labelFolders(dir)
	if err != nil {
		return err
	}
	console := usage.NewConsole(c.ErrOrStderr())
	var all []label.Summary
	for _, d := range dirs {
		f, warnings, err := label.Read(d)
		if err != nil {
			return err
		}
		for _, w := range warnings {
			console.Warn(w)
		}
		if json {
			all = append(all, f.Summary())
			continue
		}
		if err := printStatus(c, f); err != nil {
			return err
		}
	}
	if json {
		return report.WriteJSON(c.OutOrStdout(), map[string]any{"labelling": all})
	}
	return nil
}

func printStatus(c *cobra.Command, f *label.Folder) error {
	w := c.OutOrStdout()
	fmt.Fprintf(w, "%s: %s\n\n", f.Dir, f.Sheet.Task.Title)
	grids := []datasets.Grid{progressGrid(f), raterGrid(f), correctedGrid(f), differencesGrid(f)}
	if err := printGrids(w, "text", grids); err != nil {
		return err
	}
	fmt.Fprintln(w)
	return nil
}

func progressGrid(f *label.Folder) datasets.Grid {
	g := datasets.Grid{
		Title: fmt.Sprintf("Progress: %d of %d items", len(f.Decide()), f.Plan.Labels),
		Head:  []string{"annotator", "labelled", "of", "cannot tell", "undone", "seconds, median"},
	}
	for _, p := range f.Progresses() {
		name := p.Annotator
		if p.Adjudicates {
			name += " (adjudicates)"
		}
		seconds := datasets.NoValue
		if !math.IsNaN(p.Seconds) {
			seconds = fmt.Sprintf("%.0f", p.Seconds)
		}
		g.Rows = append(g.Rows, []string{
			name, fmt.Sprint(p.Done), fmt.Sprint(p.Of), fmt.Sprint(p.Unsure), fmt.Sprint(p.Undone), seconds,
		})
	}
	if split := len(f.Split()); split > 0 {
		g.Note = fmt.Sprintf("Annotators differ on %s.", usage.Counted(split, "item"))
	}
	return g
}

func raterGrid(f *label.Folder) datasets.Grid {
	g := datasets.Grid{
		Title: "Do people agree?",
		Head:  []string{"question", "items", "alpha", "kappa", "Fleiss", "Pearson"},
		Note: "alpha: Krippendorff's, of values; kappa: Cohen's with quadratic weights, mean over pairs; both 1 where all agree, " +
			"0 as by chance.",
	}
	for _, a := range f.Agreements() {
		g.Rows = append(g.Rows, []string{
			a.Measure, fmt.Sprint(a.Questions), twoDigits(a.Alpha), twoDigits(a.Cohen), twoDigits(a.Fleiss), twoDigits(a.Pairs),
		})
	}
	return g
}

func twoDigits(v float64) string {
	if math.IsNaN(v) {
		return datasets.NoValue
	}
	return fmt.Sprintf("%.2f", v)
}

func correctedGrid(f *label.Folder) datasets.Grid {
	by := "judge " + f.Plan.Judge
	if f.Plan.Judge == "" {
		by = "the data"
	}
	g := datasets.Grid{
		Title: "Corrected by people, so far",
		Head:  []string{"of", "question", by, "corrected", shownLevel + " interval", "for items like these", "labelled", "of all"},
		Note:  "Times 100. The interval is for these very texts, the wide one for items like these.",
	}
	for _, e := range f.Estimates() {
		g.Rows = append(g.Rows, []string{
			e.Target.Name, e.Measure, hundred(e.Judged), hundred(e.Mean), between(e.Run), between(e.Wide),
			fmt.Sprint(e.Labels), fmt.Sprint(e.Of),
		})
	}
	return g
}

func differencesGrid(f *label.Folder) datasets.Grid {
	g := datasets.Grid{
		Title: "Corrected differences from the best, so far",
		Head:  []string{"best", "other", "difference", shownLevel + " interval", "for items like these"},
	}
	for _, d := range f.Differences() {
		g.Rows = append(g.Rows, []string{
			d.Best.Target.Name, d.Other.Target.Name, hundred(d.Mean), between(d.Run), between(d.Wide),
		})
	}
	return g
}

func hundred(v float64) string {
	if math.IsNaN(v) {
		return datasets.NoValue
	}
	return fmt.Sprintf("%.1f", 100*v)
}

func between(ci metric.Interval) string {
	if math.IsNaN(ci.Low) {
		return datasets.NoValue
	}
	return fmt.Sprintf("%.1f to %.1f", 100*ci.Low, 100*ci.High)
}
