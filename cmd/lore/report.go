package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"lore/cmd/lore/internal/report"
	"lore/cmd/lore/internal/run"
	"lore/datasets"
)

func newReport() *cobra.Command {
	var format, html, human string
	var sheet sheetFlags
	c := &cobra.Command{
		Use:   "report RUN...",
		Short: "Show run folders as a table, or write the page again",
		Long: "report reads run folders, one's own or somebody else's, and prints their systems in\n" +
			"one table. It needs neither the data nor a model.",
		Example: "  lore report lore-runs/summhay-1a2b3c4d\n  lore report mine theirs --format latex\n  lore report mine --html page.html",
		Args:    usageArgs(cobra.MinimumNArgs(1)),
		RunE: func(c *cobra.Command, args []string) error {
			if sheet.write != "" || sheet.read != "" {
				return errorSheet(c, args, sheet, format)
			}
			return reportRuns(c, args, format, html, human)
		},
	}
	c.Flags().StringVar(&format, "format", "text", "text, md, latex, csv or json")
	c.Flags().StringVar(&html, "html", "", "write the page of one run to this file")
	c.Flags().StringVar(&human, "human", "", "human verdicts on a part of one run (a line of JSON each: retriever, generator, item, question, label, unit): print corrected scores, too")
	c.Flags().StringVar(&sheet.write, "error-sheet", "", "write a sample of one run's answers to this CSV file, for people to mark what is wrong with each")
	c.Flags().IntVar(&sheet.n, "sample", 50, "answers in the sheet")
	c.Flags().StringVar(&sheet.read, "errors", "", "read a marked sheet back and print the share of each kind of error")
	return c
}

type sheetFlags struct {
	write, read string
	n           int
}

// errorSheet writes a sheet for people, or reads a marked one back.
func errorSheet(c *cobra.Command, dirs []string, f sheetFlags, format string) error {
	if len(dirs) != 1 || (f.write != "" && f.read != "") || f.n < 1 {
		return &run.UsageError{Msg: "--error-sheet and --errors take one run folder and exclude each other; --sample is at least 1"}
	}
	r, err := report.Load(dirs[0])
	if err != nil {
		return asInput(dirs[0], err)
	}
	if f.read != "" {
		file, err := os.Open(f.read)
		if err != nil {
			return asInput(f.read, err)
		}
		defer file.Close()
		g, err := report.ErrorTable(file, r, r.Manifest.Seed)
		if err != nil {
			return &datasets.InputError{File: f.read, Msg: err.Error(), Remedy: "mark the sheet that --error-sheet wrote, with 1 and 0", Err: err}
		}
		return printGrids(c.OutOrStdout(), format, []datasets.Grid{g})
	}
	file, err := os.Create(f.write)
	if err != nil {
		return fmt.Errorf("write the sheet: %w", err)
	}
	n, err := report.ErrorSheet(file, r, f.n, r.Manifest.Seed)
	if closeErr := file.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		fmt.Fprintf(c.ErrOrStderr(), "%s holds %d answers. Write 1 or 0 under %s, then: lore report %s --errors %s\n", f.write, n, strings.Join(report.ErrorKinds, ", "), dirs[0], f.write)
	}
	return err
}

func reportRuns(c *cobra.Command, dirs []string, format, html, human string) error {
	if !slices.Contains([]string{"text", "md", "latex", "csv", "json"}, format) {
		return &run.UsageError{Msg: fmt.Sprintf("unknown format %q; there are text, md, latex, csv and json", format)}
	}
	if (html != "" || human != "") && len(dirs) > 1 {
		return &run.UsageError{Msg: "--html and --human take one run folder"}
	}
	runs, bench, err := loadRuns(dirs)
	if err != nil {
		return err
	}
	if html != "" {
		return writePage(html, runs[0], bench)
	}
	if human != "" {
		return showCorrected(c, runs[0], human, format)
	}
	return show(c, merge(dirs, runs), bench, format)
}

// merge puts the rows of several runs into one, each marked with its folder.
func merge(dirs []string, runs []report.Run) report.Run {
	if len(runs) == 1 {
		return runs[0]
	}
	out := report.Run{Table: runs[0].Table, Manifest: runs[0].Manifest}
	out.Table.Rows = nil
	for i, r := range runs {
		mark := dirs[i] + ": "
		for _, row := range r.Table.Rows {
			row.Retriever = mark + row.Retriever
			out.Table.Rows = append(out.Table.Rows, row)
		}
		for _, a := range r.Answers {
			a.Retriever = mark + a.Retriever
			out.Answers = append(out.Answers, a)
		}
		for _, v := range r.Verdicts {
			v.Retriever = mark + v.Retriever
			out.Verdicts = append(out.Verdicts, v)
		}
	}
	return out
}

func show(c *cobra.Command, r report.Run, bench datasets.Benchmark, format string) error {
	w := c.OutOrStdout()
	grids := append([]datasets.Grid{report.Main(r.Table, bench.Metrics())}, report.Grids(r, bench)...)
	switch format {
	case "json":
		return report.JSON(w, r.Table, bench.Metrics())
	case "csv":
		return report.CSV(w, grids[0])
	case "md":
		report.WriteMarkdown(w, r, bench)
		return nil
	}
	for _, g := range grids {
		if len(g.Rows) == 0 {
			continue
		}
		if format == "latex" {
			report.LaTeX(w, g)
		} else {
			report.Text(w, g)
		}
		fmt.Fprintln(w)
	}
	return nil
}

// showCorrected prints the scores corrected by human verdicts.
func showCorrected(c *cobra.Command, r report.Run, human, format string) error {
	verdicts, err := readHuman(human)
	if err != nil {
		return err
	}
	g, err := report.Corrected(r, verdicts)
	if err != nil {
		return &datasets.InputError{File: human, Msg: err.Error(), Remedy: "retriever, generator, item and question are those of verdicts.jsonl", Err: err}
	}
	if format == "json" {
		return &run.UsageError{Msg: "--human prints text, md, latex or csv"}
	}
	return printGrids(c.OutOrStdout(), format, []datasets.Grid{g})
}

func writePage(path string, r report.Run, bench datasets.Benchmark) error {
	f, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("write the page: %w", err)
	}
	err = report.HTML(f, r, bench)
	if closeErr := f.Close(); err == nil && closeErr != nil {
		err = fmt.Errorf("write the page: %w", closeErr)
	}
	return err
}
