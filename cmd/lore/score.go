package main

import (
	"fmt"
	"io"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"lore/cmd/lore/internal/models"
	"lore/cmd/lore/internal/report"
	"lore/cmd/lore/internal/run"
	"lore/cmd/lore/internal/table"
	"lore/cmd/lore/internal/usage"
	"lore/datasets"
	"lore/datasets/all"
	"lore/judge"
)

// newScore holds the analyses of benchmarks, and for every benchmark whose data may hold
// recorded systems the scoring of these.
func newScore() *cobra.Command {
	below := commands(datasets.Analyse)
	for _, e := range all.Entries {
		if e.Protocol().Recorded != nil {
			below = append(below, newScoreRecorded(e))
		}
	}
	return parent("score", "Score recorded outputs without generating anything",
		"score measures what came with the data: recorded outputs, by the verdicts that came with\n"+
			"them or by judges, or the data's own grades.",
		"  lore score summhay topic_news1.json topic_news2.json --system 'oracle_*'\n"+
			"  lore score summhay topic_news1.json --judge lexical --json\n"+
			"  lore score msrs --domain story --queries queries_test.json gpt-4o_summary.json", below...)
}

type scoreFlags struct {
	modelFlags
	judgeFlags
	system, out, format string
	limit               int
	json                bool
}

func newScoreRecorded(e all.Entry) *cobra.Command {
	var f scoreFlags
	c := &cobra.Command{
		Use:   e.Name() + " FILE...",
		Short: "Score the outputs that the data holds",
		Long: "score " + e.Name() + " scores the outputs that data files hold, by the verdicts that came\n" +
			"with them or by --judge. Several files are pooled.",
		Example: fmt.Sprintf("  lore score %[1]s FILE --system 'oracle_*'\n  lore score %[1]s FILE --judge lexical --json", e.Name()),
		Args:    usageArgs(cobra.MinimumNArgs(1)),
		RunE:    func(c *cobra.Command, args []string) error { return scoreRecorded(c, f, e, args) },
	}

	group(c, systemFlags, func(fl *pflag.FlagSet) {
		fl.StringVar(&f.system, "system", "*", "only systems whose name fits one of these patterns (* and ?), parted by commas;\n"+
			"each must fit one")
	})
	group(c, dataFlags, func(fl *pflag.FlagSet) {
		fl.IntVar(&f.limit, "limit", 0, "use only the first N items; 0 is all")
	})
	f.judgeFlags.add(c, "", "comma-separated judges to use instead of the recorded verdicts: "+judgeHelp)
	f.modelFlags.add(c)
	formatFlag(c, &f.format, formats)
	group(c, outputFlags, func(fl *pflag.FlagSet) {
		fl.BoolVar(&f.json, "json", false, "print JSON, percentages with full precision")
		fl.StringVar(&f.out, "out", "", "`folder` for the tables as a page, Markdown, LaTeX, CSV and JSON, and the journal of a model\n"+
			"judge (default of the journal: lore-runs/score-HASH)")
	})
	return c
}

func scoreRecorded(c *cobra.Command, f scoreFlags, e all.Entry, data []string) error {
	console := usage.NewConsole(c.ErrOrStderr())
	if err := checkJSON(c, f.format, f.json); err != nil {
		return err
	}
	if err := checkTables(f.out); err != nil {
		return err
	}
	if f.limit < 0 {
		return usage.Errorf("--limit cannot be negative")
	}
	ds, err := e.Load(data)
	if err != nil {
		return err
	}
	for _, w := range ds.Warnings {
		console.Warn(w)
	}
	if f.limit > 0 && f.limit < len(ds.Items) {
		console.Note(fmt.Sprintf("scored on the first %d of %d items: --limit", f.limit, len(ds.Items)))
		ds.Items = ds.Items[:f.limit]
	}
	systems, err := chosen(e.Protocol().Recorded(ds), f.system)
	if err != nil {
		return err
	}
	for _, s := range systems {
		for _, n := range s.Notes {
			console.Note(n)
		}
	}

	judges, err := f.open(c, ds, console)
	if err != nil {
		return err
	}
	var list []judge.Judge
	if judges != nil {
		defer judges.Close()
		list = judges.List
	}
	code, err := f.language.code()
	if err != nil {
		return err
	}
	recorded := run.Recorded{Bench: e.Benchmark, Data: ds, Systems: systems, Language: code, Seed: f.seed, Console: console}
	t, languages, err := recorded.Score(c.Context(), list)
	if err != nil {
		return err
	}
	report.LanguageLines(c.ErrOrStderr(), languages)
	if judges != nil {
		printCost(c.ErrOrStderr(), judges.Usage())
	}
	return f.print(c, e, t)
}

// open opens the judges; nil if the recorded verdicts are to be used.
func (f scoreFlags) open(c *cobra.Command, ds *datasets.Dataset, console usage.Console) (*models.Judges, error) {
	names, err := f.names()
	if err != nil || len(names) == 0 {
		return nil, err
	}
	if err := models.CheckBatch(names, models.Judging{Batch: f.batch}, ds.Items); err != nil {
		return nil, err
	}
	how, err := f.judging()
	if err != nil {
		return nil, err
	}
	if err := checkExamples(console, names, how, models.Planned(ds.Items)); err != nil {
		return nil, err
	}
	out := f.out
	if out == "" {
		out = filepath.Join("lore-runs", "score-"+ds.Hash[:8])
	}
	return openJudges(c, f.modelFlags, f.judgeFlags, names, filepath.Join(out, "calls"), console)
}

// chosen are the systems that fit one of some patterns, parted by commas. Every pattern must fit one.
func chosen(systems []datasets.Recorded, patterns string) ([]datasets.Recorded, error) {
	taken := make([]bool, len(systems))
	var nothing []string // patterns that fit none
	for _, p := range usage.List(patterns) {
		any := false
		for i, s := range systems {
			ok, err := fitsPattern(s.Name, p)
			if err != nil {
				return nil, err
			}
			any, taken[i] = any || ok, taken[i] || ok
		}
		if !any {
			nothing = append(nothing, p)
		}
	}
	if len(nothing) > 0 || !slices.Contains(taken, true) {
		return nil, noSystem(patterns, nothing, systems)
	}

	var out []datasets.Recorded
	for i, s := range systems {
		if taken[i] {
			out = append(out, s)
		}
	}
	return out, nil
}

// fitsPattern reports whether a name fits a pattern. Names hold slashes, and * may span them.
func fitsPattern(name, pattern string) (bool, error) {
	ok, err := path.Match(strings.ReplaceAll(pattern, "/", "\x00"), strings.ReplaceAll(name, "/", "\x00"))
	if err != nil {
		return false, usage.Errorf("--system %q is not a valid pattern: %v", pattern, err)
	}
	return ok, nil
}

// noSystem names the patterns that fit no recorded system, with the nearest name of one.
func noSystem(patterns string, nothing []string, systems []datasets.Recorded) error {
	names := make([]string, len(systems))
	for i, s := range systems {
		names[i] = s.Name
	}
	remedy := "leave it out to see all; a file without recorded outputs can be run with `lore run`"
	for _, p := range nothing {
		if near := nearestFit(p, names); near != "" {
			remedy = "did you mean " + near + "? Leave --system out to see all"
			break
		}
	}

	which := ""
	if len(nothing) > 0 && strings.Join(nothing, ",") != patterns {
		which = usage.Line(strings.Join(nothing, ", ")) + " "
	}
	return &datasets.InputError{
		File:   "--system " + patterns,
		Msg:    fmt.Sprintf("%sfits none of %d recorded systems", which, len(systems)),
		Remedy: remedy,
	}
}

// nearestFit is the name that a misspelt pattern most likely means: by what stands before its first *, or after
// its last one. It is empty where none is near.
func nearestFit(pattern string, names []string) string {
	const wild = "*?["
	first := strings.IndexAny(pattern, wild)
	if first < 0 {
		return usage.Nearest(pattern, names)
	}

	part, cut := pattern[:first], func(name string, n int) string { return name[:n] }
	if part == "" {
		part, cut = pattern[strings.LastIndexAny(pattern, "*?]")+1:], func(name string, n int) string { return name[len(name)-n:] }
	}
	whole := map[string]string{} // names by their beginnings, or ends
	var pieces []string
	for _, name := range names {
		for _, n := range []int{len(part), len(part) + 1, len(part) - 1} {
			if n <= 0 || n > len(name) || whole[cut(name, n)] != "" {
				continue
			}
			whole[cut(name, n)] = name
			pieces = append(pieces, cut(name, n))
		}
	}
	return whole[usage.Nearest(part, pieces)]
}

func (f scoreFlags) print(c *cobra.Command, e all.Entry, t table.Table) error {
	w := c.OutOrStdout()
	grids := []datasets.Grid{report.Recorded(t, e.Metrics()), judgesOf(t)}
	if tab, ok := e.Benchmark.(datasets.Tabulator); ok {
		grids = append(grids, tab.Tables(report.Systems(t))...)
	}
	if failed := report.MissingValues(t); len(failed.Rows) > 0 {
		grids = append(grids, failed)
	}
	json := func(w io.Writer) error { return report.ScoreJSON(w, t, e.Metrics()) }

	show := func() error { return printGrids(w, f.format, grids) }
	if f.json {
		show = func() error { return json(w) }
	} else {
		noteOneTable(c, f.format, grids, allTables)
	}
	if err := show(); err != nil {
		return err
	}
	if err := saveTables(c, e, f.out, grids, json); err != nil {
		return err
	}
	if _, missing := t.Missing(e.Metrics()); missing > 0 {
		return partialf("some items are unscored: %d values are missing; the table counts them per system", missing)
	}
	return nil
}

// judgesOf names the judges of a table with what is known of them.
func judgesOf(t table.Table) datasets.Grid {
	g := datasets.Grid{Title: "Can the judges be believed?", Head: []string{"judge", "agreement with people"}}
	for _, r := range t.Rows {
		known := func(row []string) bool { return row[0] == r.Judge }
		if !slices.ContainsFunc(g.Rows, known) {
			g.Rows = append(g.Rows, []string{r.Judge, models.Agreement(r.Judge)})
		}
	}
	return g
}
