package main

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"lore/cmd/lore/internal/accept"
	"lore/cmd/lore/internal/store"
	"lore/cmd/lore/internal/table"
	"lore/cmd/lore/internal/usage"
	"lore/datasets"
	"lore/local/files"
)

type gateFlags struct {
	baseline, save, critical       string
	system, judge, ofBaseline      string
	rules                          []string
	cannotTell, unit, format, file string
	level                          float64
	seed                           uint64
}

// gateFormats are the formats of a gate's report.
var gateFormats = []string{"text", "junit", "markdown", "json"}

// What becomes of a run of which nobody can tell whether it keeps the rules.
const (
	cannotFails  = "fail"
	cannotPasses = "pass"
)

func newGate() *cobra.Command {
	var f gateFlags
	c := &cobra.Command{
		Use:   "gate RUN",
		Short: "Hold a run against rules and a baseline, for CI",
		Long: "gate tells whether a run keeps rules: what a metric may drop by, compared item by item with a\n" +
			"baseline; bounds of metrics; and counts, which are exact. Percent metrics are in points, 0 to 100.\n\n" +
			"A rule passes where even the one-sided bound of the drop, or of the value, is within its limit: of\n" +
			"systems just beyond the limit at most 5 % pass (--level). It is broken where the run is shown\n" +
			"to be beyond the limit. Otherwise lore cannot tell with so few items, and says which limit\n" +
			"they would do for. With no change at all drop<=10 takes 29 items, drop<=5 59, drop<=2 149.\n\n" +
			"Exit code: 0 pass, 6 a rule is broken, 7 cannot tell (0 with --cannot-tell pass).",
		Example: "  lore gate RUN --save-baseline baseline.jsonl\n" +
			"  lore gate RUN --baseline baseline.jsonl --rule 'joint: drop<=5' --rule 'coverage>=20' --rule 'failed==0'\n" +
			"  lore gate RUN --baseline baseline.jsonl --rule 'joint: drop<=5' --format junit -o gate.xml",
		Args: usageArgs(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, args []string) error { return gateRun(c, f, args[0]) },
	}

	group(c, dataFlags, func(fl *pflag.FlagSet) {
		fl.StringVar(&f.baseline, "baseline", "", "`file` of --save-baseline, or a run folder, to compare with")
		fl.StringVar(&f.critical, "critical", "",
			"`file` with an item on each line: on these no answer may fall from full to none")
	})
	group(c, systemFlags, func(fl *pflag.FlagSet) {
		fl.StringVar(&f.system, "system", "",
			"`system` of the run where it has several: 'bm25, extractive', or bm25 where one alone has it")
		fl.StringVar(&f.ofBaseline, "baseline-system", "", "`system` of a baseline folder (default: the same)")
	})
	group(c, judgingFlags, func(fl *pflag.FlagSet) {
		fl.StringVar(&f.judge, "judge", "", "judge, where the run has several")
		fl.StringArrayVar(&f.rules, "rule", nil,
			"a `rule`: 'joint: drop<=2', 'coverage>=60', 'failed==0', 'unscored==0'; repeatable")
		namesVar(fl, &f.cannotTell, "cannot-tell", []string{cannotFails, cannotPasses}, cannotFails,
			"what becomes of a rule that cannot be told: "+
				"fail (exit code 7) or pass (0)")
		namesVar(fl, &f.unit, "unit", unitNames, table.ByItem, "what is drawn at random: item, or group (haystack, topic)")
		fl.Float64Var(&f.level, "level", 0.05, "how often a run that is just beyond a rule may pass")
	})
	formatFlag(c, &f.format, gateFormats)
	group(c, outputFlags, func(fl *pflag.FlagSet) {
		fl.StringVarP(&f.file, "output", "o", "", "write the format to this `file`; the text goes to the screen")
		fl.StringVar(&f.save, "save-baseline", "",
			"write the run's scores and hashes, and no texts, to this `file`, for --baseline")
		fl.Uint64Var(&f.seed, "seed", 1, "seed of the resampling")
	})
	return c
}

// check refuses flags that make no sense, and reads the rules.
func (f gateFlags) check() ([]accept.Rule, error) {
	var rules []accept.Rule
	for _, text := range f.rules {
		r, err := accept.Parse(text)
		if err != nil {
			return nil, err
		}
		if r.Kind == accept.Drop && f.baseline == "" {
			return nil, usage.Errorf("the rule %q compares with a baseline: name it with --baseline", text)
		}
		rules = append(rules, r)
	}

	switch {
	case f.save != "" && len(f.rules)+len(f.baseline)+len(f.critical) > 0:
		return nil, usage.Errorf("--save-baseline saves a run and tests nothing; " +
			"leave --rule, --baseline and --critical out")
	case f.save == "" && len(f.rules)+len(f.critical) == 0:
		return nil, usage.Errorf("give a --rule, such as --rule 'failed==0', or --save-baseline FILE")
	case f.critical != "" && f.baseline == "":
		return nil, usage.Errorf("--critical compares with a baseline: name it with --baseline")
	case f.baseline == "" && f.ofBaseline != "":
		return nil, usage.Errorf("--baseline-system is for --baseline, which is not given")
	case !(f.level > 0 && f.level < 0.5):
		return nil, usage.Errorf("--level must be between 0 and 0.5, not %g", f.level)
	case f.unit != table.ByItem && f.unit != table.ByGroup:
		return nil, usage.Errorf("--unit is %s or %s, not %q", table.ByItem, table.ByGroup, f.unit)
	case f.cannotTell != cannotFails && f.cannotTell != cannotPasses:
		return nil, usage.Errorf("--cannot-tell is %s or %s, not %q", cannotFails, cannotPasses, f.cannotTell)
	}
	return rules, checkFormat(f.format, gateFormats)
}

// checkOutputs refuses to write over what is read: the run, its baseline and the list of critical
// items, by whatever path.
func (f gateFlags) checkOutputs(dir string) error {
	for _, out := range []struct{ flag, path string }{{"-o", f.file}, {"--save-baseline", f.save}} {
		for _, in := range []struct{ what, path string }{
			{"the baseline", f.baseline}, {"the list of --critical", f.critical}, {"the run", dir},
		} {
			same := func(path string) bool { return files.Same(path, out.path) }
			if in.path != "" && out.path != "" && slices.ContainsFunc(filesOf(in.path), same) {
				return usage.Errorf("%s %s would write over %s, %s; name another file", out.flag, out.path, in.what, in.path)
			}
		}
	}
	return nil
}

// filesOf are a file, or the files of a run folder that lore wrote.
func filesOf(path string) []string {
	out := []string{path}
	m, err := store.ReadManifest(path)
	if err != nil {
		return out // it is a file, or whoever reads it says what is wrong
	}
	for _, name := range append(slices.Collect(maps.Keys(m.Files)), store.ManifestFile) {
		out = append(out, filepath.Join(path, filepath.FromSlash(name)))
	}
	return out
}

func gateRun(c *cobra.Command, f gateFlags, dir string) error {
	// A path that is mistyped comes first: flags are no matter where there is no run.
	if err := checkFolder(dir); err != nil {
		return err
	}
	rules, err := f.check()
	if err == nil {
		err = f.checkOutputs(dir)
	}
	if err != nil {
		return err
	}
	run, bench, err := loadSubject(c, dir, f.system, "", f.judge, "--system")
	if err != nil {
		return err
	}
	if f.save != "" {
		return saveBaseline(c, f.save, run)
	}

	// A rule that names no metric is refused before anything else is read.
	for _, r := range rules {
		if _, err := r.Resolve(bench.Metrics()); err != nil {
			return err
		}
	}
	baseline, warnings, err := f.loadBaseline(c, run)
	if err != nil {
		return err
	}
	var critical []string
	if f.critical != "" {
		if critical, err = accept.ReadCritical(f.critical, run, *baseline); err != nil {
			return err
		}
	}

	how := accept.Design{Unit: f.unit, Level: f.level, Draws: accept.Draws, Seed: f.seed}
	found, err := accept.Judge(rules, critical, run, baseline, bench.Metrics(), how)
	if err != nil {
		return err
	}
	found.Warnings = append(found.Warnings, warnings...)
	found.Lenient = f.cannotTell == cannotPasses
	gate := gateError(found)
	found.ExitCode = exitCode(c.Context(), gate)
	if err := f.print(c.OutOrStdout(), found); err != nil {
		return err
	}
	return gate
}

// loadSubject reads a run folder and takes the system and judge that are named, or the only
// ones. Where prefer is a system of it, that one needs no naming.
func loadSubject(c *cobra.Command, dir, system, prefer, judge, flag string) (accept.Subject, datasets.Benchmark, error) {
	runs, bench, err := loadRuns(c, []string{dir})
	if err != nil {
		return accept.Subject{}, nil, err
	}
	r := runs[0]
	var systems []datasets.System
	var judges []string
	for _, row := range r.Table.Rows {
		systems, judges = append(systems, row.System), append(judges, row.Judge)
	}
	if slices.ContainsFunc(systems, func(s datasets.System) bool { return s.String() == prefer }) && system == "" {
		system = prefer
	}

	if system, err = oneSystem(flag, dir, system, systems); err != nil {
		return accept.Subject{}, nil, err
	}
	if judge, err = oneOf("judge", "--judge", dir, judge, judges); err != nil {
		return accept.Subject{}, nil, err
	}
	i := slices.IndexFunc(r.Table.Rows, func(row table.Row) bool {
		return row.System.String() == system && row.Judge == judge
	})
	if i < 0 {
		return accept.Subject{}, nil, usage.Errorf("%s has no answers of %s that %s judged", dir, system, judge)
	}
	return accept.FromRun(dir, r, r.Table.Rows[i], bench), bench, nil
}

// oneSystem is the name of the system that is given whole, or by its retriever or generator where no
// other has it, in any case.
func oneSystem(flag, dir, name string, all []datasets.System) (string, error) {
	var whole, parts []string
	for _, s := range all {
		whole = append(whole, s.String())
		parts = append(parts, s.Retriever, s.Generator)
	}
	spaced := strings.Join(usage.List(name), ", ") // a,b is a, b
	for _, of := range []func(datasets.System) string{
		datasets.System.String,
		func(s datasets.System) string { return s.Retriever },
		func(s datasets.System) string { return s.Generator },
	} {
		var found []string
		for _, s := range all {
			if n := of(s); strings.EqualFold(n, name) || strings.EqualFold(n, spaced) {
				found = append(found, s.String())
			}
		}
		slices.Sort(found)
		switch found = slices.Compact(found); {
		case len(found) == 1:
			return found[0], nil
		case len(found) > 1:
			return "", usage.Errorf("%s has %d systems of %s: name one with %s. There are: %s",
				dir, len(found), name, flag, strings.Join(found, "; "))
		}
	}

	if near := usage.Nearest(name, parts); near != "" && usage.Nearest(name, whole) == "" {
		return "", usage.Errorf("unknown system of %s %q; did you mean %s? There are: %s",
			dir, name, near, strings.Join(distinct(whole), "; "))
	}
	return oneOf("system", flag, dir, name, whole)
}

// distinct are names in their order, each once.
func distinct(names []string) []string {
	var out []string
	for _, n := range names {
		if !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out
}

// oneOf is the name that is given, in any case, or the only one there is.
func oneOf(what, flag, dir, name string, all []string) (string, error) {
	known := distinct(all)
	same := func(n string) bool { return strings.EqualFold(n, name) }
	switch i := slices.IndexFunc(known, same); {
	case i >= 0:
		return known[i], nil
	case name != "":
		return "", usage.Unknown(what+" of "+dir, name, known)
	case len(known) > 1:
		return "", usage.Errorf("%s has %d %ss: name one with %s. There are: %s",
			dir, len(known), what, flag, strings.Join(known, "; "))
	}
	return known[0], nil
}

// loadBaseline reads the baseline, if one is named, and refuses what cannot be compared with the
// run.
func (f gateFlags) loadBaseline(c *cobra.Command, run accept.Subject) (*accept.Subject, []string, error) {
	if f.baseline == "" {
		return nil, nil, nil
	}
	const remedy = "give a file that `lore gate RUN --save-baseline FILE` has written, or a run folder"
	folder, err := files.IsFolder(f.baseline, remedy)
	if err != nil {
		return nil, nil, err
	}

	var out accept.Subject
	if folder {
		out, _, err = loadSubject(c, f.baseline, f.ofBaseline, run.System.String(), run.Judge, "--baseline-system")
	} else {
		out, err = baselineFile(f.baseline, f.ofBaseline, remedy)
	}
	if err != nil {
		return nil, nil, err
	}
	warnings, err := accept.Comparable(run, out)
	return &out, warnings, err
}

func baselineFile(path, system, remedy string) (accept.Subject, error) {
	data, err := files.Read(path, remedy)
	if err != nil {
		return accept.Subject{}, err
	}
	out, err := accept.Decode(path, data)
	if err != nil {
		return out, err
	}
	_, err = oneSystem("--baseline-system", path, system, []datasets.System{out.System})
	return out, err
}

func saveBaseline(c *cobra.Command, path string, run accept.Subject) error {
	data, err := accept.Encode(run)
	if err != nil {
		return err
	}
	if err := files.WriteFile(path, data); err != nil {
		return fmt.Errorf("write the baseline: %w", err)
	}
	fmt.Fprintf(c.OutOrStdout(), "%s holds the scores of %s, judge %s, on %s: %d bytes, and no texts.\n",
		usage.Line(path), usage.Line(run.System.String()), usage.Line(run.Judge),
		usage.Counted(len(run.Items), "item"), len(data))
	return nil
}

// print shows a report on the screen, or puts it into a file and its text on the screen.
func (f gateFlags) print(w io.Writer, found accept.Report) error {
	write := func(w io.Writer) error {
		switch f.format {
		case "junit":
			return accept.JUnit(w, found)
		case "json":
			return accept.JSON(w, found)
		case "markdown":
			accept.Markdown(w, found)
		default:
			accept.Text(w, found)
		}
		return nil
	}
	if f.file == "" {
		return write(w)
	}

	var out bytes.Buffer
	if err := write(&out); err != nil {
		return err
	}
	if err := files.WriteFile(f.file, out.Bytes()); err != nil {
		return fmt.Errorf("write the report of the gate: %w", err)
	}
	accept.Text(w, found)
	return nil
}

// gateError is what a gate ends with; nil where the run may pass.
func gateError(r accept.Report) error {
	var names []string
	for _, f := range r.Findings {
		if f.Outcome == r.Outcome {
			names = append(names, f.Rule)
		}
	}
	list := strings.Join(names, "; ")
	switch {
	case r.Outcome == accept.Broken:
		return &closed{exitBroken, "broken: " + list}
	case r.Outcome == accept.CannotTell && !r.Lenient:
		return &closed{exitCannotTell, "cannot tell: " + list +
			"; more items help, or a wider limit (--cannot-tell pass lets such runs through)"}
	}
	return nil
}
