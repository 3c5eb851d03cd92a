package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"lore/cmd/lore/internal/report"
	"lore/cmd/lore/internal/run"
	"lore/cmd/lore/internal/store"
	"lore/cmd/lore/internal/table"
	"lore/datasets"
	"lore/local/files"
)

// runsFolder is where runs without --out lie.
const runsFolder = "lore-runs"

type runsFlags struct {
	json, watch bool
}

func newRuns() *cobra.Command {
	var f runsFlags
	c := &cobra.Command{
		Use:   "runs [FOLDER...]",
		Short: "List run folders, and what differs between them",
		Long: "runs lists the runs below the folders, or below " + runsFolder + ", the newest first: their data,\n" +
			"judges and best system, and for each benchmark the settings that are not the same in all.\n" +
			"A folder that cannot be read has a line that says so. Runs that go on, or were stopped, come first,\n" +
			"with what is done of them and the time left. With --watch they are shown until none goes on.",
		Example: "  lore runs\n  lore runs --watch\n  lore runs studies/may studies/june --json",
		RunE: func(c *cobra.Command, args []string) error {
			if f.watch {
				return watchRuns(c, f, args)
			}
			return listRuns(c, f, args)
		},
	}
	group(c, outputFlags, func(fl *pflag.FlagSet) {
		fl.BoolVar(&f.watch, "watch", false, "show the runs that go on, every second, until none does; Ctrl-C ends it")
		fl.BoolVar(&f.json, "json", false, "print JSON, percentages with full precision")
	})
	c.AddCommand(newRunsVerify())
	return c
}

// listed is a run folder as a line of the list. Date is when its scores were written.
type listed struct {
	Folder    string            `json:"folder"`
	Problem   string            `json:"problem,omitempty"` // why nothing else is known
	Benchmark string            `json:"benchmark,omitempty"`
	Data      []string          `json:"data,omitempty"`
	DataHash  string            `json:"data_sha256,omitempty"`
	Items     int               `json:"items"`
	Systems   []string          `json:"systems,omitempty"`
	Judges    []string          `json:"judges,omitempty"`
	Date      time.Time         `json:"date,omitzero"`
	Metric    string            `json:"metric,omitempty"` // the headline figure
	Value     *float64          `json:"value,omitempty"`  // of the best system, 0 to 100 where it is a share
	Best      string            `json:"best,omitempty"`   // that system, with its judge
	Settings  map[string]string `json:"settings,omitempty"`
	State     store.State       `json:"state"`
	Work      *headway          `json:"progress,omitempty"` // of a run that is not finished

	failed, unscored int // answers and values that are missing
}

func listRuns(c *cobra.Command, f runsFlags, args []string) error {
	dirs, err := findRuns(args)
	if err != nil {
		return err
	}
	list := []listed{}
	for _, dir := range dirs {
		list = append(list, readListed(dir))
	}

	slices.SortStableFunc(list, func(a, b listed) int {
		if c := b.Date.Compare(a.Date); c != 0 {
			return c
		}
		return strings.Compare(a.Folder, b.Folder)
	})
	if f.json {
		return report.WriteJSON(c.OutOrStdout(), map[string]any{"runs": list})
	}
	if len(list) == 0 {
		fmt.Fprintln(c.ErrOrStderr(), noRuns(args))
		return nil
	}
	grids := []datasets.Grid{workGrid(list), runsGrid(list)}
	grids = slices.DeleteFunc(append(grids, differences(list)...), func(g datasets.Grid) bool { return len(g.Rows) == 0 })
	return printGrids(c.OutOrStdout(), "text", grids)
}

// noRuns says that there is nothing to list.
func noRuns(args []string) string {
	if len(args) == 0 {
		args = []string{runsFolder}
	}
	return fmt.Sprintf("No runs below %s.", strings.Join(args, ", "))
}

// findRuns are the run folders below folders, or below the one where runs without --out
// lie.
func findRuns(args []string) ([]string, error) {
	roots := args
	if len(roots) == 0 {
		roots = []string{runsFolder}
	}

	var out []string
	for _, root := range roots {
		dirs, err := runFolders(root)
		if errors.Is(err, fs.ErrNotExist) && len(args) == 0 {
			break // nothing has been run here
		}
		if err != nil {
			return nil, &files.Error{File: root, Msg: err.Error(), Remedy: "give folders that hold run folders"}
		}
		for _, dir := range dirs {
			out = appendNew(out, dir)
		}
	}
	return out, nil
}

// deepest is how far below a folder runs are looked for.
const deepest = 4

// runFolders are the run folders below a folder, or itself. Folders that hold nothing but a
// journal, such as those of `lore score`, are no runs.
func runFolders(root string) ([]string, error) {
	if isRun(root) {
		return []string{filepath.Clean(root)}, nil
	}

	var out []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		below, _ := filepath.Rel(root, path)
		switch {
		case err != nil && path == root:
			return err
		case err != nil || !d.IsDir() || path == root:
			return nil // what cannot be read below is not a run
		case isRun(path):
			out = append(out, path)
			return fs.SkipDir
		case strings.HasPrefix(d.Name(), ".") || strings.Count(below, string(filepath.Separator)) >= deepest-1:
			return fs.SkipDir
		}
		return nil
	})
	return out, err
}

// isRun reports whether a folder is one that `lore run` made, whole or not: `lore run`
// makes its folder for rankings first.
func isRun(dir string) bool {
	for _, name := range []string{"manifest.json", run.ConfigurationFile, "scores.json", "retrieval"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			return true
		}
	}
	return false
}

// notFinished is what is wrong with a run that was stopped.
const notFinished = "not finished: the same command again goes on"

// readListed reads what is listed of a run. What is wrong with the folder is part of it.
func readListed(dir string) listed {
	l := readResults(dir)
	l.State, l.Work = workOf(dir)
	if l.State == store.Running && l.Problem == notFinished {
		l.Problem = ""
	}
	if l.Work != nil && l.Benchmark == "" {
		l.Benchmark, l.Items, l.Judges = l.Work.Benchmark, l.Work.Items, l.Work.Judges
	}
	return l
}

func readResults(dir string) listed {
	r, err := report.Load(dir)
	if errors.Is(err, fs.ErrNotExist) && !errors.Is(err, store.ErrDamaged) {
		return listed{Folder: dir, Problem: notFinished}
	}
	if err != nil {
		return listed{Folder: dir, Problem: err.Error()}
	}
	// A benchmark of another version of lore is listed without a figure.
	unscored := 0
	if bench, err := benchmarkOf(r, dir); err == nil {
		if err := r.Recount(dir, bench.Metrics()); err != nil {
			return listed{Folder: dir, Problem: err.Error()}
		}
		_, unscored = r.Table.Missing(bench.Metrics())
	}
	info, err := os.Stat(filepath.Join(dir, table.File))
	if err != nil {
		return listed{Folder: dir, Problem: err.Error()}
	}

	m := r.Manifest
	l := listed{
		Folder:    dir,
		Benchmark: m.Benchmark,
		Data:      m.Data,
		DataHash:  m.DataHash,
		Items:     m.Items,
		Date:      info.ModTime().UTC().Truncate(time.Second),
		Settings:  settingsOf(dir, m),
		unscored:  unscored,
	}
	for _, a := range r.Answers {
		if a.Failed() {
			l.failed++
		}
	}
	for _, row := range r.Table.Rows {
		l.Systems = appendNew(l.Systems, row.System.String())
		l.Judges = appendNew(l.Judges, row.Judge)
	}
	l.headline(r, dir)
	return l
}

func appendNew(list []string, s string) []string {
	if slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}

// headline finds the system that is best by the benchmark's headline. Ends of the scale,
// such as oracle and random, count only where there is nothing else.
func (l *listed) headline(r report.Run, dir string) {
	bench, err := benchmarkOf(r, dir)
	if err != nil {
		return // a benchmark of another version of lore: the rest is listed
	}
	t := r.Table
	isEnd := func(r table.Row) bool { _, end := report.EndOf(r.System); return end }
	rows := slices.DeleteFunc(slices.Clone(t.Rows), isEnd)
	if len(rows) == 0 {
		rows = t.Rows
	}

	var metric datasets.Metric
	for _, r := range rows {
		f, m, ok := report.HeadlineOf(r, bench)
		if !ok || f.Value == nil || metric.Name != "" && f.Metric != metric.Name {
			continue
		}
		value := *f.Value
		if m.Percent {
			value *= 100
		}
		if l.Value == nil || value > *l.Value {
			metric, l.Metric, l.Value = m, m.Title, &value
			l.Best = fmt.Sprintf("%s, %s, %s", r.Retriever, r.Generator, r.Judge)
		}
	}
}

// settingsOf are what a run was made with, as words: its settings and the parts of its
// grid. An older folder has only what its manifest tells.
func settingsOf(dir string, m store.Manifest) map[string]string {
	out := map[string]string{
		"data":       fmt.Sprintf("%s (%.8s)", strings.Join(m.Data, ", "), m.DataHash),
		"retrievers": strings.Join(m.Retrievers, ", "),
	}
	for _, g := range m.Generators {
		name := g.Name
		if strings.Contains(name, ":") {
			name += fmt.Sprintf(" (%.12s)", g.Digest)
		}
		out["generators"] = joined(out["generators"], name)
	}
	for _, j := range m.Judges {
		out["judges"] = joined(out["judges"], j.Name)
	}

	c, err := run.ReadConfiguration(dir)
	if err != nil {
		out["seed"] = fmt.Sprint(m.Seed)
		out["settings"] = "not kept: the folder was made by an earlier lore"
		return out
	}
	for _, a := range c.Answers {
		out["answers"] = joined(out["answers"], fmt.Sprintf("%s (%.8s)", a.Name, a.SHA256))
	}
	for _, s := range c.Systems {
		out["systems"] = joined(out["systems"], s.Name)
	}
	for k, v := range c.Settings {
		out[k] = v
	}
	return out
}

func joined(list, more string) string {
	if list == "" {
		return more
	}
	return list + ", " + more
}

// runsGrid is the list as a table.
func runsGrid(list []listed) datasets.Grid {
	g := datasets.Grid{
		Head: []string{"run", "benchmark", "items", "systems", "judges", "date", "best", "by"},
		Note: "best: the highest value of the benchmark's main figure, oracle, random, none and gold left out; " +
			"intervals: lore report; tests: lore compare",
	}
	for _, l := range list {
		if l.Date.IsZero() && (l.Problem == "" || l.Problem == notFinished) {
			continue // among those that go on, or were stopped
		}
		if l.Problem != "" {
			g.Rows = append(g.Rows, []string{l.Folder, "–", "–", "–", "–", "–", "–", l.Problem})
			g.Mark(len(g.Head)-1, datasets.Doubted)
			continue
		}

		best := "–"
		if l.Value != nil {
			best = fmt.Sprintf("%s %.1f", l.Metric, *l.Value)
		}

		g.Rows = append(g.Rows, []string{
			l.Folder,
			l.Benchmark,
			fmt.Sprint(l.Items),
			fmt.Sprint(len(l.Systems)),
			strings.Join(l.Judges, ", "),
			l.Date.Local().Format("2006-01-02 15:04"),
			best,
			l.Best,
		})
	}
	return g
}

// differences are tables, one per benchmark, of the settings that its runs do not share.
func differences(list []listed) []datasets.Grid {
	var benchmarks []string
	for _, l := range list {
		if !l.Date.IsZero() {
			benchmarks = appendNew(benchmarks, l.Benchmark)
		}
	}

	var out []datasets.Grid
	for _, b := range benchmarks {
		var of []listed
		var settings []map[string]string
		for _, l := range list {
			if !l.Date.IsZero() && l.Benchmark == b {
				of, settings = append(of, l), append(settings, l.Settings)
			}
		}
		g := datasets.Grid{Title: "What differs between the runs of " + b, Head: []string{"setting", "value", "runs"}}
		for _, key := range run.Keys(settings...) {
			g.Rows = append(g.Rows, valuesOf(key, of)...)
		}
		out = append(out, g)
	}
	return slices.DeleteFunc(out, func(g datasets.Grid) bool { return len(g.Rows) == 0 })
}

// valuesOf lists the values of a setting with the runs that have them; none where all have
// the same.
func valuesOf(key string, of []listed) [][]string {
	var values []string
	folders := map[string][]string{}
	for _, l := range of {
		v := l.Settings[key]
		if v == "" {
			v = "not set"
		}
		values = appendNew(values, v)
		folders[v] = append(folders[v], filepath.Base(l.Folder))
	}
	if len(values) < 2 {
		return nil
	}

	rows := make([][]string, len(values))
	for i, v := range values {
		rows[i] = []string{key, v, strings.Join(folders[v], ", ")}
	}
	return rows
}
