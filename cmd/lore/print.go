package main

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"lore/cmd/lore/internal/models"
	"lore/cmd/lore/internal/report"
	"lore/cmd/lore/internal/usage"
	"lore/datasets"
	"lore/local/extractive"
	"lore/local/gate"
)

// printGrids prints tables in a format, with a blank line between them. CSV has room for
// the first one alone.
func printGrids(w io.Writer, format string, grids []datasets.Grid) error {
	shown := slices.DeleteFunc(slices.Clone(grids), func(g datasets.Grid) bool { return len(g.Rows) == 0 })
	if len(shown) == 0 {
		shown = grids[:min(1, len(grids))] // a heading says what there is none of
	}

	for i, g := range shown {
		switch format {
		case "md":
			report.Markdown(w, g)
		case "latex":
			report.LaTeX(w, g)
		case "csv":
			return report.CSV(w, g)
		default:
			if i > 0 {
				fmt.Fprintln(w)
			}
			report.Text(w, g)
		}
	}
	return nil
}

// noteOneTable says which tables CSV leaves out, as it has room for the first alone, and what has them all.
func noteOneTable(c *cobra.Command, format string, grids []datasets.Grid, remedy string) {
	if n := len(datasets.Filled(grids...)); format == "csv" && n > 1 {
		usage.NewConsole(c.ErrOrStderr()).Note(fmt.Sprintf("CSV holds one table, the first of %d; %s", n, remedy))
	}
}

// checkJSON refuses --json beside another format.
func checkJSON(c *cobra.Command, format string, json bool) error {
	if json && c.Flags().Changed("format") {
		return usage.Errorf("--json and --format %s exclude each other", format)
	}
	return checkFormat(format, formats)
}

// allTables is the remedy where a command that analyses has written one table of several.
const allTables = "--out FOLDER writes the cells of all into one tables.csv, and --json prints all tables"

// printCost says what the calls of models cost. Calls of the built-in generator cost
// nothing, and are named only where all were finished before.
func printCost(w io.Writer, usage []gate.ModelUsage) {
	asked := slices.DeleteFunc(slices.Clone(usage), func(u gate.ModelUsage) bool {
		return u.Backend == extractive.BackendName && u.Asked > 0
	})
	if len(asked) > 0 {
		report.Text(w, report.Cost(asked))
		fmt.Fprintln(w)
	}
}

// openJudges opens judges outside a run, with their journal in the folder calls.
func openJudges(c *cobra.Command, m modelFlags, j judgeFlags, names []string, calls string, console usage.Console) (*models.Judges, error) {
	how, err := j.judging()
	if err != nil {
		return nil, err
	}
	return openJudgesAs(c, m, how, names, calls, console)
}

// openJudgesAs opens judges that are to be used in a given way.
func openJudgesAs(c *cobra.Command, m modelFlags, how models.Judging, names []string, calls string,
	console usage.Console) (*models.Judges, error) {
	cfg, err := m.config(console)
	if err != nil {
		return nil, err
	}
	if cfg.Encoders, err = encoders(c, filepath.Dir(calls)); err != nil {
		return nil, err
	}

	replaced, err := m.replaced()
	if err != nil {
		return nil, err
	}
	return models.New(cfg).OpenJudges(c.Context(), names, how, replaced, calls)
}
