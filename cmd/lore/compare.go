package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"lore/cmd/lore/internal/report"
	"lore/cmd/lore/internal/store"
	"lore/cmd/lore/internal/table"
	"lore/cmd/lore/internal/usage"
	"lore/datasets"
	"lore/local/files"
)

type compareFlags struct {
	format, metrics string
	level           float64
	resamples       int
	examples        int
	seed            uint64
}

// compareFormats are the formats of a comparison.
var compareFormats = []string{"text", "md", "latex", "json"}

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
		Example: "  lore compare lore-runs/summhay-1a2b3c4d\n" +
			"  lore compare mine theirs --metric joint --format latex",
		Args: usageArgs(cobra.MinimumNArgs(1)),
		RunE: func(c *cobra.Command, args []string) error { return compareRuns(c, f, args) },
	}

	group(c, judgingFlags, func(fl *pflag.FlagSet) {
		fl.StringVar(&f.metrics, "metric", "", "comma-separated metrics (default: the benchmark's main ones)")
		fl.Float64Var(&f.level, "level", 0.05, "level of significance after correction")
		fl.IntVar(&f.resamples, "resamples", table.Resamples, "random sign flips and bootstrap draws")
	})
	formatFlag(c, &f.format, compareFormats)
	group(c, outputFlags, func(fl *pflag.FlagSet) {
		fl.IntVar(&f.examples, "examples", 3, "items to show of those that changed most between the first two systems")
		fl.Uint64Var(&f.seed, "seed", 1, "seed of the resampling")
	})
	return c
}

func (f compareFlags) check() error {
	switch {
	case !(f.level > 0 && f.level < 1):
		return usage.Errorf("--level must be between 0 and 1, not %g", f.level)
	case f.resamples < 100:
		return usage.Errorf("--resamples is at least 100, not %d", f.resamples)
	case f.examples < 0:
		return usage.Errorf("--examples cannot be negative")
	}
	return checkFormat(f.format, compareFormats)
}

// comparison is what the tests between systems found.
type comparison struct {
	runs    []report.Run
	systems []table.Contestant
	metrics []datasets.Metric
	diffs   []table.Difference
}

func compareRuns(c *cobra.Command, f compareFlags, dirs []string) error {
	if err := f.check(); err != nil {
		return err
	}
	runs, bench, err := loadRuns(dirs)
	if err != nil {
		return err
	}
	for i, r := range runs[1:] {
		if r.Manifest.DataHash != runs[0].Manifest.DataHash {
			return usage.Errorf("%s and %s are runs over different data", dirs[0], dirs[i+1])
		}
	}
	metrics, err := chooseMetrics(bench, f.metrics)
	if err != nil {
		return err
	}

	tables := make([]table.Table, len(runs))
	names := make([]string, len(dirs))
	for i, r := range runs {
		tables[i], names[i] = r.Table, filepath.Clean(dirs[i])
	}
	systems := table.Contestants(names, tables)
	if len(systems) < 2 {
		return usage.Errorf("there is only one system; give a second run folder, or one whose run was a grid")
	}

	found := comparison{
		runs:    runs,
		systems: systems,
		metrics: metrics,
		diffs:   table.Compare(systems, metrics, f.resamples, f.seed),
	}
	return found.print(c.OutOrStdout(), f)
}

// loadRuns reads run folders of one benchmark, which has the settings of the first run.
func loadRuns(dirs []string) ([]report.Run, datasets.Benchmark, error) {
	var runs []report.Run
	for _, dir := range dirs {
		r, err := loadRun(dir)
		if err != nil {
			return nil, nil, err
		}
		if len(runs) > 0 && r.Table.Benchmark != runs[0].Table.Benchmark {
			return nil, nil, usage.Errorf("%s is a run of %s, %s one of %s; they cannot stand in one table",
				dirs[0], runs[0].Table.Benchmark, dir, r.Table.Benchmark)
		}
		runs = append(runs, r)
	}

	bench, err := find(runs[0].Table.Benchmark)
	if err != nil {
		return nil, nil, &files.Error{File: dirs[0], Msg: err.Error(), Err: err}
	}
	if bench, err = configured(bench, runs[0].Manifest); err != nil {
		msg := "its manifest has settings that make no sense: " + err.Error()
		return nil, nil, &files.Error{File: dirs[0], Msg: msg, Err: err}
	}
	return runs, bench, nil
}

func loadRun(dir string) (report.Run, error) {
	r, err := report.Load(dir)
	if err == nil {
		return r, nil
	}

	remedy := "write it anew by running its command again"
	if errors.Is(err, fs.ErrNotExist) {
		remedy = "give the folder that `lore run` names at its end; " +
			"an interrupted run has no scores yet, run its command again"
	}
	return r, &files.Error{File: dir, Msg: err.Error(), Remedy: remedy, Err: err}
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

// chooseMetrics finds metrics by a comma list of their names: the benchmark's main ones
// without any.
func chooseMetrics(bench datasets.Benchmark, names string) ([]datasets.Metric, error) {
	all := bench.Metrics()
	if names == "" {
		return slices.DeleteFunc(slices.Clone(all), func(m datasets.Metric) bool { return !m.Lead }), nil
	}

	known := make([]string, len(all))
	for i, m := range all {
		known[i] = m.Name
	}
	var out []datasets.Metric
	for _, n := range usage.List(names) {
		i := slices.Index(known, n)
		if i < 0 {
			return nil, usage.Unknown("metric of "+bench.Name(), n, known)
		}
		out = append(out, all[i])
	}
	return out, nil
}

func (found comparison) print(w io.Writer, f compareFlags) error {
	if f.format == "json" {
		return report.WriteJSON(w, map[string]any{
			"level":       f.level,
			"correction":  "Holm",
			"resamples":   f.resamples,
			"seed":        f.seed,
			"differences": report.Scaled(found.diffs, found.metrics),
		})
	}

	letters := report.Letters(found.systems, found.metrics, found.diffs, f.level)
	if f.format == "latex" {
		report.LaTeX(w, letters) // a paper has room for one table
		return nil
	}

	differences := report.Differences(found.diffs, found.metrics, f.level)
	if f.format == "md" {
		report.Markdown(w, letters)
		report.Markdown(w, differences)
		report.Markdown(w, found.judges())
	} else {
		report.Text(w, letters)
		fmt.Fprintln(w)
		report.Text(w, differences)
		fmt.Fprintln(w)
		report.Text(w, found.judges())
	}
	found.examples(w, f)
	return nil
}

// judges says what is known of the judges of all runs.
func (found comparison) judges() datasets.Grid {
	var all store.Manifest
	for _, r := range found.runs {
		all.Judges = append(all.Judges, r.Manifest.Judges...)
		all.Generators = append(all.Generators, r.Manifest.Generators...)
	}
	return report.JudgeNotes(all)
}

// examples shows the items that changed most between the first two systems, in
// the last main metric, which is the one that sums up the others.
func (found comparison) examples(w io.Writer, f compareFlags) {
	m := found.metrics[len(found.metrics)-1]
	a, b := found.systems[0], found.systems[1]
	for _, ch := range table.MostChanged(a.Row, b.Row, m.Name, f.examples) {
		left, right := found.answer(a, ch.Item), found.answer(b, ch.Item)
		title := fmt.Sprintf("%s: %s (%s %s against %s)",
			ch.Item, left.Title, m.Title, report.Number(ch.A, m), report.Number(ch.B, m))
		report.SideBySide(w, f.format == "md", title, a.Name, left.Text, b.Name, right.Text)
	}
}

// answer is a system's answer to an item.
func (found comparison) answer(s table.Contestant, item string) store.Answer {
	answers := found.runs[s.Run].Answers
	i := slices.IndexFunc(answers, func(x store.Answer) bool {
		return x.System == s.Row.System && x.Item == item
	})
	if i < 0 {
		return store.Answer{}
	}
	return answers[i]
}
