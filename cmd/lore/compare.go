package main

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"lore/cmd/lore/internal/report"
	"lore/cmd/lore/internal/run"
	"lore/cmd/lore/internal/store"
	"lore/datasets"
	"lore/datasets/all"
)

type compareFlags struct {
	format, metrics string
	level           float64
	resamples       int
	examples        int
	seed            uint64
}

func newCompare() *cobra.Command {
	var f compareFlags
	c := &cobra.Command{
		Use:   "compare RUN [RUN...]",
		Short: "Test whether systems differ",
		Long: "compare takes the systems of one or more run folders, all on the same data, and tests\n" +
			"every pair on the units both have: difference with a paired BCa bootstrap interval,\n" +
			"paired randomisation test, Holm's correction over all pairs and metrics, effect size,\n" +
			"the smallest difference that so many items can show, and wins, ties and losses. Units\n" +
			"of one item are resampled together, and items of one haystack or topic where there are\n" +
			"at least eight of them. The items that changed most are shown with both answers.",
		Example: "  lore compare lore-runs/summhay-1a2b3c4d\n  lore compare mine theirs --metric joint --format latex",
		Args:    usageArgs(cobra.MinimumNArgs(1)),
		RunE:    func(c *cobra.Command, args []string) error { return compareRuns(c, f, args) },
	}
	fl := c.Flags()
	fl.StringVar(&f.format, "format", "text", "text, md, latex or json")
	fl.StringVar(&f.metrics, "metric", "", "comma list of metrics (default: the benchmark's main ones)")
	fl.Float64Var(&f.level, "level", 0.05, "level of significance after correction")
	fl.IntVar(&f.resamples, "resamples", run.Resamples, "random sign flips and bootstrap draws")
	fl.IntVar(&f.examples, "examples", 3, "items to show of those that changed most between the first two systems")
	fl.Uint64Var(&f.seed, "seed", 1, "seed of the resampling")
	return c
}

func compareRuns(c *cobra.Command, f compareFlags, dirs []string) error {
	switch {
	case !slices.Contains([]string{"text", "md", "latex", "json"}, f.format):
		return &run.UsageError{Msg: fmt.Sprintf("unknown format %q; there are text, md, latex and json", f.format)}
	case f.level <= 0 || f.level >= 1 || f.resamples < 100 || f.examples < 0:
		return &run.UsageError{Msg: "--level is between 0 and 1, --resamples at least 100, --examples not negative"}
	}
	runs, bench, err := loadRuns(dirs)
	if err != nil {
		return err
	}
	for i, r := range runs[1:] {
		if r.Manifest.DataHash != runs[0].Manifest.DataHash {
			return &run.UsageError{Msg: fmt.Sprintf("%s and %s are runs over different data", dirs[0], dirs[i+1])}
		}
	}
	metrics, err := chooseMetrics(bench, f.metrics)
	if err != nil {
		return err
	}
	tables := make([]run.Table, len(runs))
	for i, r := range runs {
		tables[i] = r.Table
	}
	names := make([]string, len(dirs))
	for i, d := range dirs {
		names[i] = filepath.Clean(d)
	}
	systems := run.Contestants(names, tables)
	if len(systems) < 2 {
		return &run.UsageError{Msg: "there is only one system; give a second run folder, or one whose run was a grid"}
	}
	diffs := run.Compare(systems, metrics, f.resamples, f.seed)
	return printComparison(c.OutOrStdout(), f, systems, metrics, diffs, runs)
}

// loadRuns reads run folders of one benchmark.
func loadRuns(dirs []string) ([]report.Run, datasets.Benchmark, error) {
	var runs []report.Run
	for _, dir := range dirs {
		r, err := report.Load(dir)
		if err != nil {
			remedy := "write it anew by running its command again"
			if missing(err) {
				remedy = "give the folder that `lore run` names at its end; an interrupted run has no scores yet, run its command again"
			}
			return nil, nil, &datasets.InputError{File: dir, Msg: err.Error(), Remedy: remedy, Err: err}
		}
		if len(runs) > 0 && r.Table.Benchmark != runs[0].Table.Benchmark {
			return nil, nil, &run.UsageError{Msg: fmt.Sprintf("%s is a run of %s, %s one of %s; they cannot stand in one table", dirs[0], runs[0].Table.Benchmark, dir, r.Table.Benchmark)}
		}
		runs = append(runs, r)
	}
	bench, err := all.Find(runs[0].Table.Benchmark)
	if err != nil {
		return nil, nil, &datasets.InputError{File: dirs[0], Msg: err.Error(), Err: err}
	}
	if bench, err = configured(bench, runs[0].Manifest); err != nil {
		return nil, nil, &datasets.InputError{File: dirs[0], Msg: "its manifest has settings that make no sense: " + err.Error(), Err: err}
	}
	return runs, bench, nil
}

// configured gives a benchmark the settings that a run had.
func configured(bench datasets.Benchmark, m store.Manifest) (datasets.Benchmark, error) {
	conf, ok := bench.(datasets.Configurable)
	given, some := m.Settings["benchmark"].(map[string]any)
	if !ok || !some {
		return bench, nil
	}
	values := map[string]string{}
	for k, v := range given {
		values[k] = fmt.Sprint(v)
	}
	return conf.Configure(values)
}

func chooseMetrics(bench datasets.Benchmark, names string) ([]datasets.Metric, error) {
	var out []datasets.Metric
	if names == "" {
		for _, m := range bench.Metrics() {
			if m.Lead {
				out = append(out, m)
			}
		}
		return out, nil
	}
	for _, n := range list(names) {
		i := slices.IndexFunc(bench.Metrics(), func(m datasets.Metric) bool { return m.Name == n })
		if i < 0 {
			var have []string
			for _, m := range bench.Metrics() {
				have = append(have, m.Name)
			}
			return nil, &run.UsageError{Msg: fmt.Sprintf("unknown metric %q; %s has %s", n, bench.Name(), strings.Join(have, ", "))}
		}
		out = append(out, bench.Metrics()[i])
	}
	return out, nil
}

func printComparison(w io.Writer, f compareFlags, systems []run.Contestant, metrics []datasets.Metric, diffs []run.Difference, runs []report.Run) error {
	if f.format == "json" {
		return report.WriteJSON(w, map[string]any{"level": f.level, "correction": "Holm", "resamples": f.resamples, "seed": f.seed, "differences": report.Scaled(diffs, metrics)})
	}
	letters := report.Letters(systems, metrics, diffs, f.level)
	if f.format == "latex" {
		report.LaTeX(w, letters)
		return nil
	}
	show := report.Text
	if f.format == "md" {
		show = report.Markdown
	}
	show(w, letters)
	if f.format == "text" {
		fmt.Fprintln(w)
	}
	show(w, report.Differences(diffs, metrics, f.level))
	var manifest store.Manifest
	for _, r := range runs {
		manifest.Judges = append(manifest.Judges, r.Manifest.Judges...)
		manifest.Generators = append(manifest.Generators, r.Manifest.Generators...)
	}
	if f.format == "text" {
		fmt.Fprintln(w)
	}
	show(w, report.JudgeNotes(manifest))
	return examples(w, f, systems, metrics, runs)
}

// examples shows the items that changed most between the first two systems, in
// the last main metric, which is the one that sums up the others.
func examples(w io.Writer, f compareFlags, systems []run.Contestant, metrics []datasets.Metric, runs []report.Run) error {
	m := metrics[len(metrics)-1]
	a, b := systems[0], systems[1]
	at := func(s run.Contestant, item string) store.Answer {
		for _, x := range runs[s.Run].Answers {
			if x.Retriever == s.Row.Retriever && x.Generator == s.Row.Generator && x.Item == item {
				return x
			}
		}
		return store.Answer{}
	}
	for _, ch := range run.MostChanged(a.Row, b.Row, m.Name, f.examples) {
		left, right := at(a, ch.Item), at(b, ch.Item)
		report.SideBySide(w, f.format == "md", fmt.Sprintf("%s: %s (%s %s against %s)", ch.Item, left.Title, m.Title, report.Number(ch.A, m), report.Number(ch.B, m)), a.Name, left.Text, b.Name, right.Text)
	}
	return nil
}
