package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"lore/cmd/lore/internal/page"
	"lore/cmd/lore/internal/paper"
	"lore/cmd/lore/internal/report"
	"lore/cmd/lore/internal/store"
	"lore/cmd/lore/internal/study"
	"lore/cmd/lore/internal/tidy"
	"lore/cmd/lore/internal/usage"
	"lore/datasets"
	"lore/local/files"
)

type reportFlags struct {
	format, html, human   string
	words                 pageWords
	paper                 paperLook
	columns               string
	tidy, output          string
	forPaper              bool // some flag of a paper's table is given
	writeSheet, readSheet string
	sample                int
	semicolons            bool
}

// reportFormats are the formats of a report.
var reportFormats = []string{"text", "md", "latex", "csv", "json", "parquet"}

func newReport() *cobra.Command {
	var f reportFlags
	c := &cobra.Command{
		Use:   "report RUN...",
		Short: "Show run folders as a table, or write the page again",
		Long: "report reads run folders, one's own or somebody else's, and prints their systems in\n" +
			"one table. It needs neither the data nor a model. Runs of several benchmarks make a table\n" +
			"each, and one more with the main figure of each benchmark.\n\n" +
			"With --format latex, each of --columns, --label, --caption, --intervals and --no-note asks\n" +
			"for one table that a paper can take as it is: the best system in bold, and those that no\n" +
			"test shows to be worse underlined. For notebooks, --tidy values has one row a value, --tidy\n" +
			"figures one row a figure, as CSV or Parquet.\n\n" +
			"With --human it corrects the scores of one run by what people said of a part of it:\n" +
			"lines of JSON, or CSV, with retriever, generator, item, question, label and unit, and with\n" +
			"stratum and probability where lore label drew them. With\n" +
			"--error-sheet it writes a sample of one run's answers, in which people mark what is\n" +
			"wrong with each, and with --errors it reads the marked sheet back.",
		Example: "  lore report lore-runs/summhay-1a2b3c4d\n" +
			"  lore report mine theirs --format latex --label tab:main --columns joint,coverage\n" +
			"  lore report mine theirs --format parquet --tidy values -o values.parquet\n" +
			"  lore report mine --html page.html --title 'Before the new index' --date 'May 2026'",
		Args: usageArgs(cobra.MinimumNArgs(1)),
		RunE: func(c *cobra.Command, args []string) error {
			f.forPaper = f.paper.given(c) || c.Flags().Changed("columns")
			return reportRuns(c, f, args)
		},
	}

	group(c, dataFlags, func(fl *pflag.FlagSet) {
		fl.StringVar(&f.human, "human", "", "`file` of human verdicts on a part of one run: print the scores corrected by it")
		fl.StringVar(&f.readSheet, "errors", "", "marked sheet, a CSV `file`: print the share of each kind of error")
	})
	formatFlag(c, &f.format, reportFormats)
	group(c, outputFlags, func(fl *pflag.FlagSet) {
		fl.StringVar(&f.columns, "columns", "", "of a paper's table: comma-separated `headings` (default: the main figures)")
		f.paper.add(fl)
		namesVar(fl, &f.tidy, "tidy", tidy.Forms, "", "with csv or parquet: one row a value, or a figure: "+strings.Join(tidy.Forms, ", "))
		fl.StringVarP(&f.output, "output", "o", "", "`file` to write the tables to (default: standard output)")
		fl.StringVar(&f.html, "html", "", "write the page of one run, or of several with their trend, to this `file`")
		f.words.add(fl)
		fl.StringVar(&f.writeSheet, "error-sheet", "", "write a sample of one run's answers to this CSV `file`")
		fl.IntVar(&f.sample, "sample", 50, "answers in the sheet")
		fl.BoolVar(&f.semicolons, "semicolons", false, "part the sheet's cells by semicolons, as spreadsheets of many countries want it")
	})
	return c
}

// check refuses flags that make no sense together, or for so many runs.
func (f reportFlags) check(runs int) error {
	ofOne := []struct{ flag, value string }{
		{"--human", f.human},
		{"--error-sheet", f.writeSheet},
		{"--errors", f.readSheet},
	}
	given := ""
	for _, o := range ofOne {
		switch {
		case o.value == "":
			continue
		case runs != 1:
			return usage.Errorf("%s takes one run folder, not %d", o.flag, runs)
		case given != "":
			return usage.Errorf("%s and %s exclude each other", given, o.flag)
		}
		given = o.flag
	}

	switch {
	case f.html != "" && given != "":
		return usage.Errorf("--html and %s exclude each other", given)
	case f.html == "" && f.words.title+f.words.date != "":
		return usage.Errorf("--title and --date are for the page: give --html, too")
	case f.sample < 1:
		return usage.Errorf("--sample is at least 1, not %d", f.sample)
	case f.human != "" && f.format == "json":
		return usage.Errorf("--human cannot print json; it prints %s", strings.Join(formats, ", "))
	case f.readSheet != "" && f.format == "json":
		return usage.Errorf("--errors cannot print json; it prints %s", strings.Join(formats, ", "))
	}
	if err := checkFormat(f.format, reportFormats); err != nil {
		return err
	}
	if err := f.checkTidy(given); err != nil {
		return err
	}
	return f.checkPaper(given)
}

// checkTidy refuses a form of rows, or a file for them, that makes no sense, beside another flag that
// says what to print.
func (f reportFlags) checkTidy(given string) error {
	other := given
	if f.html != "" {
		other = "--html"
	}
	isTidy := f.tidy != "" || f.format == "parquet"

	switch {
	case isTidy && other != "":
		return usage.Errorf("--tidy and --format parquet are for the scores of systems, and exclude %s", other)
	case f.output != "" && (f.html != "" || f.writeSheet != ""):
		return usage.Errorf("--output is for tables, and excludes %s", other)
	case f.tidy != "" && !slices.Contains(tidy.Forms, f.tidy):
		return usage.Unknown("form of rows", f.tidy, tidy.Forms)
	case f.tidy != "" && f.format != "csv" && f.format != "parquet":
		return usage.Errorf("--tidy is for --format csv and parquet, not %s", f.format)
	case f.format == "parquet" && f.tidy == "":
		return usage.Errorf("--format parquet takes --tidy %s", strings.Join(tidy.Forms, " or "))
	case f.format == "parquet" && f.output == "":
		return usage.Errorf("Parquet is no text: name a file for it with -o")
	}
	return nil
}

// checkPaper refuses flags of a paper's table that make no sense, beside another flag that says what
// to print.
func (f reportFlags) checkPaper(given string) error {
	names := append([]string{"columns"}, paperFlags...)
	switch {
	case !f.forPaper:
		return nil
	case given != "" || f.html != "":
		return usage.Errorf("--%s are for the table of systems, and exclude %s", strings.Join(names, ", --"), cmp.Or(given, "--html"))
	}
	return f.paper.check(f.format, names)
}

func reportRuns(c *cobra.Command, f reportFlags, args []string) error {
	dirs, err := studyFolders(args)
	if err != nil {
		return err
	}
	if err := f.check(len(dirs)); err != nil {
		return err
	}
	parts, err := loadParts(c, dirs)
	if err != nil {
		return err
	}
	if f.output == "" {
		return showReport(c, f, parts, dirs)
	}

	var out bytes.Buffer
	screen := c.OutOrStdout()
	c.SetOut(&out)
	err = showReport(c, f, parts, dirs)
	c.SetOut(screen)
	if err != nil {
		return err
	}
	if err := files.WriteFile(f.output, out.Bytes()); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}

// studyFolders puts the run folders of studies in the place of these.
func studyFolders(args []string) ([]string, error) {
	var out []string
	for _, arg := range args {
		dirs, err := study.Folders(arg)
		if err != nil {
			return nil, files.Wrap(arg, err)
		}
		out = append(out, dirs...)
	}
	return out, nil
}

// showReport prints what the flags ask for.
func showReport(c *cobra.Command, f reportFlags, parts []part, dirs []string) error {
	switch {
	case f.format == "parquet":
		return tidy.Parquet(c.OutOrStdout(), f.tidy, reported(parts))
	case f.tidy != "":
		return tidy.CSV(c.OutOrStdout(), f.tidy, reported(parts))
	case f.forPaper:
		return showPaper(c, f, parts)
	case len(parts) > 1 && f.html != "":
		return usage.Errorf("a page is of one benchmark, and %s is a run of %s, %s one of %s; name the runs of one; "+
			"a study has a page over all in its folder, %s",
			parts[0].dirs[0], parts[0].Bench.Name(), parts[1].dirs[0], parts[1].Bench.Name(), study.PageFile)
	case len(parts) > 1 && f.format == "json":
		return showJSON(c, parts)
	case len(parts) > 1:
		return showParts(c, parts, f.format)
	}

	runs, bench := parts[0].Runs, parts[0].Bench
	switch {
	case f.writeSheet != "":
		return writeErrorSheet(c, f, runs[0], dirs[0])
	case f.readSheet != "":
		return showErrors(c, f, runs[0])
	case f.html != "":
		return writePage(f, dirs, runs, bench)
	case f.human != "":
		return showCorrected(c, f, runs[0])
	}
	return showOne(c, parts[0], f.format)
}

// showOne prints the tables of one benchmark's runs, and the mean over seeds where there are several.
func showOne(c *cobra.Command, p part, format string) error {
	merged, of := merge(p.dirs, p.Runs), []report.Part{p.Part}
	if format == "json" {
		out := report.TableJSON(merged.Table, p.Bench.Metrics())
		if seeds := report.SeedsJSON(of); len(seeds) > 0 {
			out["over_seeds"] = seeds
		}
		return report.WriteJSON(c.OutOrStdout(), out)
	}
	if err := showRun(c, p.Title(), merged, p.Bench, format); err != nil {
		return err
	}
	return showSeeds(c, of, format)
}

// showSeeds prints the mean over seeds where some runs differ in the seed alone. In CSV it has an
// empty line before it, as all tables but the first have.
func showSeeds(c *cobra.Command, of []report.Part, format string) error {
	seeds := report.OverSeeds(of)
	if len(seeds.Rows) == 0 {
		return nil
	}
	if format == "csv" {
		fmt.Fprintln(c.OutOrStdout())
	}
	return printGrids(c.OutOrStdout(), format, []datasets.Grid{seeds})
}

// showJSON prints the table of each run by its name, as lore run does of a study.
func showJSON(c *cobra.Command, parts []part) error {
	var runs []map[string]any
	for _, p := range parts {
		for i, r := range p.Runs {
			one := report.TableJSON(r.Table, p.Bench.Metrics())
			one["run"] = p.Names[i]
			runs = append(runs, one)
		}
	}
	out := map[string]any{"runs": runs}
	if seeds := report.SeedsJSON(reported(parts)); len(seeds) > 0 {
		out["over_seeds"] = seeds
	}
	return report.WriteJSON(c.OutOrStdout(), out)
}

// showPaper prints a table that a paper can take.
func showPaper(c *cobra.Command, f reportFlags, parts []part) error {
	opt := f.paper.options()
	opt.Columns, opt.How, opt.Seeds = usage.List(f.columns), paper.Usual(), true
	if c.Flags().Changed("intervals") {
		opt.Overview = f.paper.intervals
	}
	return paper.Write(c.OutOrStdout(), reported(parts), opt)
}

// reported are parts without the folders as they were given.
func reported(parts []part) []report.Part {
	out := make([]report.Part, len(parts))
	for i, p := range parts {
		out[i] = p.Part
	}
	return out
}

// merge puts the rows of several runs into one, each marked with its folder.
func merge(dirs []string, runs []report.Run) report.Run {
	if len(runs) == 1 {
		return runs[0]
	}

	out := report.Run{Table: runs[0].Table, Manifest: runs[0].Manifest, Measured: runs[0].Measured}
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

// showParts prints the tables of several benchmarks, and one that sums them up. CSV has no place for
// a title: its rows begin with the benchmark.
func showParts(c *cobra.Command, parts []part, format string) error {
	w := c.OutOrStdout()
	for _, p := range parts {
		name, merged := p.Title(), merge(p.dirs, p.Runs)
		if format == "csv" {
			if err := report.CSV(w, withColumn(report.Main(merged.Table, p.Bench.Metrics()), "benchmark", p.Bench.Name())); err != nil {
				return err
			}
			fmt.Fprintln(w)
			continue
		}
		if format == "text" {
			usage.Paint(w, usage.Piece{Text: name, Style: usage.Heading}, usage.Piece{Text: "\n"})
		}
		if err := showRun(c, name, merged, p.Bench, format); err != nil {
			return err
		}
	}

	all := report.Across(reported(parts)).Grid()
	if format == "csv" {
		all = withColumn(all, "benchmark", "all")
	}
	if err := printGrids(w, format, []datasets.Grid{all}); err != nil {
		return err
	}
	if format == "text" && len(report.OverSeeds(reported(parts)).Rows) > 0 {
		fmt.Fprintln(w)
	}
	return showSeeds(c, reported(parts), format)
}

// withColumn puts a column with the same text in all rows before the others.
func withColumn(g datasets.Grid, head, text string) datasets.Grid {
	out := datasets.Grid{Title: g.Title, Note: g.Note, Head: append([]string{head}, g.Head...)}
	for _, r := range g.Rows {
		out.Rows = append(out.Rows, append([]string{text}, r...))
	}
	return out
}

// showRun prints the main table, and what else there is to say where the format has room.
func showRun(c *cobra.Command, title string, r report.Run, bench datasets.Benchmark, format string) error {
	w := c.OutOrStdout()
	grids := append([]datasets.Grid{report.Headed(r, bench)}, report.Grids(r, bench)...)
	switch format {
	case "csv":
		noteOneTable(c, format, grids, "--format md and latex print them all, and --tidy has every value in one table")
		return report.CSV(w, grids[0])
	case "md":
		report.WriteMarkdown(w, title, r, bench)
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
func showCorrected(c *cobra.Command, f reportFlags, r report.Run) error {
	verdicts, err := readHuman(f.human)
	if err != nil {
		return err
	}
	grids, err := report.Corrected(r, verdicts)
	if err != nil {
		return &files.Error{File: f.human, Msg: err.Error(), Remedy: humanForm, Err: err}
	}
	return printGrids(c.OutOrStdout(), f.format, grids)
}

// writeErrorSheet writes a sheet for people, and says what to do with it.
func writeErrorSheet(c *cobra.Command, f reportFlags, r report.Run, dir string) error {
	file, err := files.CreateNew(f.writeSheet)
	if errors.Is(err, fs.ErrExist) {
		return usage.Errorf("%s is there already, perhaps filled in; choose another name or move it away", f.writeSheet)
	}
	if err != nil {
		return fmt.Errorf("write the sheet: %w", err)
	}
	var n int
	shown, err := store.ReadShown(dir)
	if err == nil {
		n, err = report.ErrorSheet(file, r, report.ShownTexts(shown), f.sample, r.Manifest.Seed, f.semicolons)
	}
	if closeErr := file.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return err
	}

	fmt.Fprintf(c.ErrOrStderr(), "%s holds %d answers. Write 1 or 0 under %s, then: lore report %s --errors %s\n",
		f.writeSheet, n, strings.Join(report.ErrorKinds, ", "), dir, f.writeSheet)
	return nil
}

// showErrors reads a marked sheet back.
func showErrors(c *cobra.Command, f reportFlags, r report.Run) error {
	data, err := files.Read(f.readSheet, "give the sheet that --error-sheet wrote")
	if err != nil {
		return err
	}
	g, err := report.ErrorTable(f.readSheet, data, r)
	if err != nil {
		return err
	}
	return printGrids(c.OutOrStdout(), f.format, []datasets.Grid{g})
}

// runName names a run on a page: by its folder, or by the whole path where others are called
// the same.
func runName(dirs []string, i int) string {
	name := filepath.Base(filepath.Clean(dirs[i]))
	for k, dir := range dirs {
		if k != i && filepath.Base(filepath.Clean(dir)) == name {
			return filepath.Clean(dirs[i])
		}
	}
	return name
}

// pageSources are run folders with what their systems were shown.
func pageSources(dirs []string, runs []report.Run) ([]page.Source, error) {
	var out []page.Source
	for i, r := range runs {
		shown, err := store.ReadShown(dirs[i])
		if err != nil {
			return nil, err
		}
		contexts, err := store.ReadContexts(dirs[i])
		if err != nil {
			return nil, err
		}
		out = append(out, page.Source{
			Name:     runName(dirs, i),
			Run:      r,
			Shown:    shown,
			Contexts: contexts,
			Settings: settingsOf(dirs[i], r.Manifest),
		})
	}
	return out, nil
}

// writePage writes the page of one run or of several.
func writePage(f reportFlags, dirs []string, runs []report.Run, bench datasets.Benchmark) error {
	if err := checkPageFile(f.html); err != nil {
		return err
	}
	sources, err := pageSources(dirs, runs)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	if err := page.HTML(&out, sources, bench, page.Words{Title: f.words.title, Date: f.words.date}); err != nil {
		return err
	}
	if err := files.WriteFile(f.html, out.Bytes()); err != nil {
		return fmt.Errorf("write the page: %w", err)
	}
	return nil
}

// checkPageFile refuses to write a page in place of what lore did not write, or where there
// is no folder.
func checkPageFile(path string) error {
	dir := filepath.Dir(path)
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		msg := "there is no such folder to write the page to"
		return &files.Error{File: dir, Msg: msg, Remedy: "make it, or name another file with --html"}
	}

	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("look at what is to be written over: %w", err)
	case info.IsDir():
		return usage.Errorf("--html %s is a folder; name a file in it, such as %s", path, filepath.Join(path, "page.html"))
	case !info.Mode().IsRegular() || info.Size() == 0:
		return nil // a device or pipe, or nothing to lose
	}
	data, err := files.ReadFile(path)
	if err != nil {
		return fmt.Errorf("look at what is to be written over: %w", err)
	}
	if !page.IsPage(data) {
		return usage.Errorf("%s is there already, and is no page of lore; choose another name with --html, or move it away", path)
	}
	return nil
}
