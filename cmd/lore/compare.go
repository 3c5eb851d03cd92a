package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"lore/cmd/lore/internal/paper"
	"lore/cmd/lore/internal/report"
	"lore/cmd/lore/internal/store"
	"lore/cmd/lore/internal/study"
	"lore/cmd/lore/internal/table"
	"lore/cmd/lore/internal/usage"
	"lore/datasets"
	"lore/local/files"
)

type compareFlags struct {
	format, metrics, judges string
	unit, baseline          string
	systems                 []string
	all                     bool
	level, difference       float64
	resamples               int
	examples                int
	seed                    uint64
	qrels                   string   // judgements: the runs are files of rankings
	measures                []string // over these
	paper                   paperLook
	forPaper                bool // some flag of a paper's table is given
}

// compareFormats are the formats of a comparison.
var compareFormats = []string{"text", "md", "latex", "json"}

func newCompare() *cobra.Command {
	var f compareFlags
	c := &cobra.Command{
		Use:   "compare RUN [RUN...]",
		Short: "Test whether systems differ",
		Long: "compare takes the systems of one or more run folders, all on the same data, and tests\n" +
			"every pair under the same judge: difference with an interval, paired randomisation test,\n" +
			"cluster-robust t test where sign flips are too few, Holm's correction over the pairs of a\n" +
			"metric, effect size, power, the smallest difference that such data can show, and wins,\n" +
			"ties and losses.\n\n" +
			"--unit says what is drawn at random. item: would other questions on these haystacks or\n" +
			"topics show the same? group: would other haystacks or topics? That asks more, and needs\n" +
			"five of them at least.\n\n" +
			"With --format latex, each of --label, --caption, --intervals and --no-note asks for one\n" +
			"table that a paper can take: the best system in bold, and those that no test shows to be\n" +
			"worse underlined.\n\n" +
			"With --qrels, RUNs are TREC run files, which are compared over topics by the measures of\n" +
			"lore measure with the same tests.",
		Example: "  lore compare lore-runs/summhay-1a2b3c4d\n" +
			"  lore compare mine theirs --baseline 'bm25, extractive' --metric joint --format latex\n" +
			"  lore compare bm25.trec dense.trec --qrels qrels.txt -m 'nDCG@10 AP'",
		Args: usageArgs(cobra.MinimumNArgs(1)),
		RunE: func(c *cobra.Command, args []string) error {
			f.forPaper = f.paper.given(c)
			if f.qrels != "" {
				return compareRankings(c, f, args)
			}
			if len(f.measures) > 0 {
				return usage.Errorf("--measure is of run files, which need --qrels FILE; for a benchmark's runs there is --metric")
			}
			return compareRuns(c, f, args)
		},
	}

	group(c, systemFlags, func(fl *pflag.FlagSet) {
		fl.StringVar(&f.baseline, "baseline", "", "test this `system` against each other one, and no other pairs")
		fl.StringArrayVar(&f.systems, "system", nil,
			"only systems whose name holds this `pattern`; * stands for anything; repeatable")
	})
	group(c, judgingFlags, func(fl *pflag.FlagSet) {
		fl.StringVar(&f.metrics, "metric", "", "comma-separated metrics (default: the benchmark's main ones)")
		fl.StringVar(&f.judges, "judge", "", "comma-separated judges (default: all, each in a table of its own)")
		fl.StringVar(&f.qrels, "qrels", "", "TREC judgements: the runs are TREC run `file`s")
		fl.StringArrayVarP(&f.measures, "measure", "m", nil, "`measures` of run files, separated by spaces; may be repeated")
		namesVar(fl, &f.unit, "unit", unitNames, table.ByItem, "what is drawn at random: item, or group (haystack, topic)")
		fl.Float64Var(&f.level, "level", 0.05, "level of significance after correction")
		fl.Float64Var(&f.difference, "difference", 5, "true difference in points; the table shows the power to find it")
		fl.IntVar(&f.resamples, "resamples", 0,
			"random sign flips and bootstrap draws (default 10000, and more flips if the correction needs them)")
	})
	formatFlag(c, &f.format, compareFormats)
	group(c, outputFlags, func(fl *pflag.FlagSet) {
		fl.BoolVar(&f.all, "all", false, "show all pairs of many systems, not only those with the best one")
		fl.IntVar(&f.examples, "examples", 3, "items to show of those that changed most between two systems")
		fl.Uint64Var(&f.seed, "seed", 1, "seed of the resampling")
		f.paper.add(fl)
	})
	return c
}

func (f compareFlags) check() error {
	switch {
	case !(f.level > 0 && f.level < 1):
		return usage.Errorf("--level must be between 0 and 1, not %g", f.level)
	case !(f.difference > 0):
		return usage.Errorf("--difference is a number of points above 0, not %g", f.difference)
	case f.unit != table.ByItem && f.unit != table.ByGroup:
		return usage.Errorf("--unit is %s or %s, not %q", table.ByItem, table.ByGroup, f.unit)
	case f.resamples != 0 && f.resamples < 100:
		return usage.Errorf("--resamples is at least 100, not %d", f.resamples)
	case f.examples < 0:
		return usage.Errorf("--examples cannot be negative")
	case f.forPaper && f.baseline != "":
		return usage.Errorf("a paper's table marks what is not shown to be worse than the best, which --baseline does not test")
	}
	if err := checkFormat(f.format, compareFormats); err != nil || !f.forPaper {
		return err
	}
	return f.paper.check(f.format, paperFlags)
}

// design words the flags for the tests.
func (f compareFlags) design() table.Design {
	how := table.Design{
		Unit:       f.unit,
		Level:      f.level,
		Baseline:   f.baseline,
		Difference: f.difference,
		Flips:      f.resamples,
		Draws:      f.resamples,
		Seed:       f.seed,
	}
	if how.Draws == 0 {
		how.Draws = table.Resamples
	}
	return how
}

// comparison is what the tests between systems found.
type comparison struct {
	runs    []report.Run
	systems []table.Contestant
	metrics []datasets.Metric
	how     table.Design
	blocks  []table.Block
	bench   datasets.Benchmark // nil: of rankings
	names   []string           // of the runs
}

func compareRuns(c *cobra.Command, f compareFlags, dirs []string) error {
	if err := f.check(); err != nil {
		return err
	}
	dirs, err := comparedFolders(dirs)
	if err != nil {
		return err
	}
	runs, bench, err := loadRuns(c, dirs)
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

	names := make([]string, len(dirs))
	for i := range runs {
		names[i] = filepath.Clean(dirs[i])
	}
	systems, err := f.choose(report.Contestants(names, runs, bench))
	if err != nil {
		return err
	}

	if f.forPaper {
		return writeChosen(c, f, report.Part{Bench: bench, Names: names, Runs: runs}, systems, metrics)
	}
	found := comparison{
		runs:    runs,
		systems: systems,
		metrics: metrics,
		how:     f.design(),
		blocks:  table.Compare(systems, metrics, f.design()),
		bench:   bench,
		names:   names,
	}
	found.tellApart()
	return found.print(c.OutOrStdout(), f)
}

// comparedFolders puts the runs of a study in its place where all are of one benchmark.
func comparedFolders(args []string) ([]string, error) {
	var out []string
	for _, arg := range args {
		if err := checkFolder(arg); err != nil {
			return nil, err
		}
		benchmarks, err := study.Benchmarks(arg)
		if err != nil {
			return nil, files.Wrap(arg, err)
		}
		dirs, err := study.Folders(arg)
		if err != nil {
			return nil, files.Wrap(arg, err)
		}
		if len(benchmarks) > 1 {
			return nil, oneOfStudy(arg, dirs)
		}
		out = append(out, dirs...)
	}
	return out, nil
}

// oneOfStudy refuses the folder of a study where one run is wanted.
func oneOfStudy(dir string, runs []string) error {
	return &files.Error{File: dir, Msg: "is a study", Remedy: "give one of its runs: " + usage.Line(strings.Join(runs, ", "))}
}

// writeChosen writes the table of a paper: of the chosen systems alone, by the chosen tests.
func writeChosen(c *cobra.Command, f compareFlags, p report.Part, systems []table.Contestant, metrics []datasets.Metric) error {
	p.Runs = slices.Clone(p.Runs)
	for i := range p.Runs {
		p.Runs[i].Table.Rows = nil
	}
	for _, s := range systems {
		t := &p.Runs[s.Run].Table
		t.Rows = append(t.Rows, s.Row)
	}

	opt := f.paper.options()
	opt.How = f.design()
	opt.How.Draws, opt.How.Decisions = 0, true // nobody sees intervals of differences here
	for _, m := range metrics {
		opt.Columns = append(opt.Columns, m.Title)
	}
	return paper.Write(c.OutOrStdout(), []report.Part{p}, opt)
}

// choose takes the systems and judges that the flags name. There must be two systems, or
// there is nothing to compare.
func (f compareFlags) choose(all []table.Contestant) ([]table.Contestant, error) {
	var systems, judges []string
	for _, s := range all {
		if !slices.Contains(systems, s.Name) {
			systems = append(systems, s.Name)
		}
		if !slices.Contains(judges, s.Row.Judge) {
			judges = append(judges, s.Row.Judge)
		}
	}
	if f.baseline != "" && !slices.Contains(systems, f.baseline) {
		return nil, usage.Unknown("system", f.baseline, systems)
	}
	for _, p := range f.systems {
		if !slices.ContainsFunc(systems, func(name string) bool { return holds(name, p) }) {
			return nil, usage.Unknown("system", p, systems)
		}
	}
	wanted := usage.List(f.judges)
	for _, j := range wanted {
		if !slices.Contains(judges, j) {
			return nil, usage.Unknown("judge", j, judges)
		}
	}

	var out []table.Contestant
	left := map[string]bool{}
	for _, s := range all {
		named := len(f.systems) == 0 || s.Name == f.baseline ||
			slices.ContainsFunc(f.systems, func(p string) bool { return holds(s.Name, p) })
		if named && (len(wanted) == 0 || slices.Contains(wanted, s.Row.Judge)) {
			out, left[s.Name] = append(out, s), true
		}
	}

	switch {
	case len(left) == 0:
		return nil, usage.Errorf("no system matches --system and --judge; there are: %s", strings.Join(systems, "; "))
	case len(left) == 1:
		return nil, usage.Errorf("there is only one system, %s; give a second run folder, "+
			"or one whose run was a grid (several judges of one system are compared by `lore judge validate`)",
			out[0].Name)
	}
	return out, nil
}

// holds reports whether a name holds a pattern, in which * stands for anything.
func holds(name, pattern string) bool {
	for _, part := range strings.Split(pattern, "*") {
		_, rest, ok := strings.Cut(name, part)
		if !ok {
			return false
		}
		name = rest
	}
	return true
}

// part are the runs of one benchmark, with their folders as they were given.
type part struct {
	report.Part
	dirs []string
}

// loadParts reads run folders, and sorts them by benchmark in the order of their first runs. A
// benchmark has the settings of its first run.
func loadParts(c *cobra.Command, dirs []string) ([]part, error) {
	if err := checkOnce(dirs); err != nil {
		return nil, err
	}
	var out []part
	for i, dir := range dirs {
		r, err := loadRun(c, dir)
		if err != nil {
			return nil, err
		}
		at := slices.IndexFunc(out, func(p part) bool { return p.Runs[0].Table.Benchmark == r.Table.Benchmark })
		if at < 0 {
			at = len(out)
			_, err := study.ReadManifest(filepath.Dir(dir))
			out = append(out, part{Part: report.Part{Study: err == nil}})
		}
		p := &out[at]
		p.Runs, p.Names, p.dirs = append(p.Runs, r), append(p.Names, runName(dirs, i)), append(p.dirs, dir)
	}

	for i := range out {
		p := &out[i]
		var err error
		if p.Bench, err = benchmarkOf(p.Runs[0], p.dirs[0]); err != nil {
			return nil, err
		}
		for k, r := range p.Runs {
			if err := r.Recount(p.dirs[k], p.Bench.Metrics()); err != nil {
				return nil, err
			}
			warnUnchecked(c, r, p.dirs[k])
		}
		warnUnlike(c, *p)
	}
	return out, nil
}

// loadRuns reads run folders of one benchmark, which has the settings of the first run.
func loadRuns(c *cobra.Command, dirs []string) ([]report.Run, datasets.Benchmark, error) {
	parts, err := loadParts(c, dirs)
	if err == nil {
		err = oneBenchmark(parts)
	}
	if err != nil {
		return nil, nil, err
	}
	return parts[0].Runs, parts[0].Bench, nil
}

// oneBenchmark refuses runs of several benchmarks.
func oneBenchmark(parts []part) error {
	if len(parts) == 1 {
		return nil
	}
	return usage.Errorf("%s is a run of %s, %s one of %s; they cannot stand in one table",
		parts[0].dirs[0], parts[0].Bench.Name(), parts[1].dirs[0], parts[1].Bench.Name())
}

// checkOnce refuses a folder that is named twice, by whatever paths: its systems would be
// compared with themselves.
func checkOnce(dirs []string) error {
	for i, dir := range dirs {
		for _, earlier := range dirs[:i] {
			if files.Same(dir, earlier) {
				return usage.Errorf("%s and %s are the same run; name it once", earlier, dir)
			}
		}
	}
	return nil
}

// benchmarkOf is the benchmark of a run, with the settings that it had.
func benchmarkOf(r report.Run, dir string) (datasets.Benchmark, error) {
	const remedy = "this lore may be older than the one that made the folder"
	bench, err := find(r.Table.Benchmark)
	if err != nil {
		return nil, &files.Error{File: dir, Msg: err.Error(), Remedy: remedy}
	}
	if bench, err = configured(bench, r.Manifest); err != nil {
		msg := "its manifest has settings that make no sense: " + err.Error()
		return nil, &files.Error{File: filepath.Join(dir, store.ManifestFile), Msg: msg, Remedy: remedy}
	}
	return bench, nil
}

// loadRun reads a run folder, with what the cards in the user's cache say of its judges.
func loadRun(c *cobra.Command, dir string) (report.Run, error) {
	if err := checkFolder(dir); err != nil {
		return report.Run{}, err
	}
	if runs, err := study.Folders(dir); err != nil {
		return report.Run{}, files.Wrap(dir, err)
	} else if !slices.Equal(runs, []string{dir}) {
		return report.Run{}, oneOfStudy(dir, runs)
	}

	r, err := report.Load(dir)
	if errors.Is(err, fs.ErrNotExist) && !errors.Is(err, store.ErrDamaged) {
		const remedy = runRemedy + "; a run that was interrupted has no scores yet: run its command again"
		return r, &files.Error{File: dir, Msg: "holds no finished run", Remedy: remedy, Err: err}
	}
	return withCards(c, r, cacheDir("")), files.Wrap(dir, err)
}

// warnUnchecked tells of a folder of which nobody can tell whether it was changed.
func warnUnchecked(c *cobra.Command, r report.Run, dir string) {
	if !r.Manifest.Hashed() {
		usage.NewConsole(c.ErrOrStderr()).Warn(dir + uncheckedText)
	}
}

// runRemedy says where run folders come from.
const runRemedy = "give the folder that `lore run` names at its end"

// checkFolder refuses what is no folder where a run is wanted.
func checkFolder(dir string) error {
	folder, err := files.IsFolder(dir, runRemedy)
	if err == nil && !folder {
		err = &files.Error{File: dir, Msg: "is a file, not a folder", Remedy: runRemedy + "; TREC run files are compared with --qrels FILE"}
	}
	return err
}

// uncheckedText is what is wrong with a folder that has no hashes.
const uncheckedText = " cannot be checked: an earlier lore made it, which kept no hashes of its files. " +
	"Its figures follow from the values of its items, and these do not contradict the verdicts; more only the " +
	"same command again can tell"

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
		i := slices.IndexFunc(all, func(m datasets.Metric) bool { return strings.EqualFold(m.Name, n) || strings.EqualFold(m.Title, n) })
		if i < 0 {
			return nil, usage.Unknown("metric of "+bench.Name(), n, known)
		}
		out = append(out, all[i])
	}
	return out, nil
}

func (found comparison) print(w io.Writer, f compareFlags) error {
	if f.format == "json" {
		diffs := []table.Difference{}
		for _, b := range found.blocks {
			diffs = append(diffs, report.Scaled(b.Diffs, b.Metrics)...)
		}
		return report.WriteJSON(w, map[string]any{
			"untested":    found.untested(),
			"level":       f.level,
			"correction":  "Holm, over the pairs of one metric under one judge",
			"unit":        f.unit,
			"difference":  f.difference,
			"resamples":   found.how.Draws,
			"seed":        f.seed,
			"differences": diffs,
		})
	}

	write := map[string]func(io.Writer, datasets.Grid){
		"text":  func(w io.Writer, g datasets.Grid) { report.Text(w, g); fmt.Fprintln(w) },
		"md":    report.Markdown,
		"latex": func(w io.Writer, g datasets.Grid) { report.LaTeX(w, g); fmt.Fprintln(w) },
	}[f.format]
	for _, b := range found.blocks {
		write(w, report.Letters(b, found.how))
		if len(b.Diffs) > 0 {
			write(w, report.Differences(b, found.how, f.all))
		}
		if f.format != "latex" {
			report.DesignLines(w, b, found.how)
		}
	}

	if f.format == "latex" || len(found.runs) == 0 {
		return nil // a paper has no room for the rest, and rankings have neither judges nor answers
	}
	for _, g := range found.judges() {
		write(w, g)
	}
	found.examples(w, f)
	return nil
}

// examples shows the items that changed most between the first two systems, or between the
// baseline and the first other one, in the last main metric, which sums up the others.
func (found comparison) examples(w io.Writer, f compareFlags) {
	m := found.metrics[len(found.metrics)-1]
	a := found.systems[0]
	if i := slices.IndexFunc(found.systems, func(s table.Contestant) bool { return s.Name == f.baseline }); i >= 0 {
		a = found.systems[i]
	}
	at := slices.IndexFunc(found.systems, func(s table.Contestant) bool {
		return s.Name != a.Name && s.Row.Judge == a.Row.Judge && s.Measured == a.Measured
	})
	if at < 0 {
		return
	}
	b := found.systems[at]
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
