package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"lore/cmd/lore/internal/label"
	"lore/cmd/lore/internal/page"
	"lore/cmd/lore/internal/report"
	"lore/cmd/lore/internal/store"
	"lore/cmd/lore/internal/table"
	"lore/cmd/lore/internal/usage"
	"lore/datasets"
	"lore/datasets/all"
	"lore/judge"
	"lore/judge/agreement"
	"lore/local/files"
)

func newLabel() *cobra.Command {
	return parent("label", "Have people check what a judge decided, or a model built",
		"label chooses what people look at, so that their time narrows the scores most, keeps what\n"+
			"they say, and corrects the scores by it. docs/labelling.md goes through it.",
		"  lore label plan first --task coverage --minutes 30 --annotators anna,ben\n"+
			"  lore label add first/labels/coverage anna.jsonl ben.jsonl\n"+
			"  lore label status first\n"+
			"  lore label export first/labels/coverage -o human.jsonl --as human",
		newLabelPlan(), newLabelAdd(), newLabelUndo(), newLabelStatus(), newLabelExport())
}

// labelsFolder is where a run keeps its labelling folders.
const labelsFolder = "labels"

// usualShare is the share of the items that all annotators label, where nobody says another.
const usualShare = 0.2

type planFlags struct {
	task, annotators, adjudicator, judge, out string
	labels                                    int
	minutes, shared, correlation              float64
	differences, evenly, sharedGiven          bool
	seed                                      uint64
}

func newLabelPlan() *cobra.Command {
	var f planFlags
	c := &cobra.Command{
		Use:   "plan RUN | BENCHMARK DATA...",
		Short: "Choose what people label, and say beforehand what it will give",
		Long: "plan chooses verdicts of a run, or parts of a benchmark's data, for people to check: more where\n" +
			"the judge is likely wrong, each with a known probability, so that the corrected scores stay\n" +
			"unbiased. It writes a folder with items.json, which annotators get, and plan.json, the key.\n" +
			"Whoever stops early has still labelled a fair sample. The same command with more --labels goes on.",
		Example: "  lore label plan first --task coverage --labels 100\n" +
			"  lore label plan first --task entailment --labels 180 --evenly --annotators anna,ben --shared 1\n" +
			"  lore label plan first --task preference --minutes 30 --annotators anna,ben --adjudicator carl\n" +
			"  lore label plan summhay town/town.json --task subtopic --labels 50 --out town/subtopics",
		Args: usageArgs(cobra.MinimumNArgs(1)),
		RunE: func(c *cobra.Command, args []string) error {
			f.sharedGiven = c.Flags().Changed("shared")
			return planLabels(c, f, args)
		},
	}

	group(c, dataFlags, func(fl *pflag.FlagSet) {
		namesVar(fl, &f.task, "task", taskNames, "", "what is asked: "+strings.Join(label.TaskNames(), ", "))
		fl.IntVar(&f.labels, "labels", 0, "`number` of items to label")
		fl.Float64Var(&f.minutes, "minutes", 0, "or the time that each annotator has")
		fl.StringVar(&f.annotators, "annotators", "", "comma-separated `names`; none: whoever comes labels everything")
		fl.Float64Var(&f.shared, "shared", usualShare, "`share` of the items that all annotators label, to see whether they agree")
		fl.StringVar(&f.adjudicator, "adjudicator", "", "`name` of who decides where the annotators differ")
		fl.BoolVar(&f.differences, "differences", false, "narrow the differences between systems, not each score")
		fl.BoolVar(&f.evenly, "evenly", false, "as many items of each system, drawn by lot, whatever the judge says of them")
		fl.Uint64Var(&f.seed, "seed", 1, "seed of the draw")
	})
	group(c, judgingFlags, func(fl *pflag.FlagSet) {
		fl.StringVar(&f.judge, "judge", "", "judge of the run whose scores choose; empty: its first one")
		fl.Float64Var(&f.correlation, "correlation", -1, "expected Pearson of the judge with people; -1: what was measured of it")
	})
	group(c, outputFlags, func(fl *pflag.FlagSet) {
		fl.StringVar(&f.out, "out", "", "labelling `folder`; empty: RUN/labels/TASK")
	})
	return c
}

// check refuses settings that make no sense.
func (f planFlags) check() error {
	names := usage.List(f.annotators)
	if f.task == "" {
		return usage.Errorf("--task says what is asked: %s", strings.Join(label.TaskNames(), ", "))
	}
	if _, ok := label.FindTask(f.task); !ok {
		return usage.Unknown("task", f.task, label.TaskNames())
	}
	switch {
	case (f.labels == 0) == (f.minutes == 0):
		return usage.Errorf("give either --labels or --minutes")
	case f.labels < 0 || f.minutes < 0:
		return usage.Errorf("--labels and --minutes cannot be negative")
	case !(f.shared >= 0 && f.shared <= 1):
		return usage.Errorf("--shared is a share from 0 to 1, not %g", f.shared)
	case f.correlation != -1 && !(f.correlation >= 0 && f.correlation < 1):
		return usage.Errorf("--correlation is at least 0 and below 1, not %g", f.correlation)
	case f.evenly && f.differences:
		return usage.Errorf("--evenly and --differences draw in different ways: give one of them")
	case f.adjudicator != "" && slices.Contains(names, f.adjudicator):
		return usage.Errorf("%s cannot be an annotator and the adjudicator", f.adjudicator)
	case f.adjudicator != "" && len(names) == 1:
		return usage.Errorf("--adjudicator needs two annotators or more")
	}
	for _, n := range append(slices.Clone(names), f.adjudicator) {
		if n == "" {
			continue
		}
		if err := label.CheckName(n); err != nil {
			return usage.Errorf("%v", err)
		}
	}
	return unique("annotator", names)
}

func planLabels(c *cobra.Command, f planFlags, args []string) error {
	p, err := f.draw(c, args)
	if err != nil {
		return err
	}
	if err := p.write(); err != nil {
		return err
	}
	printPlan(c, p)
	return nil
}

// drawn is a plan before it is written.
type drawn struct {
	sheet *label.Sheet
	plan  *label.Plan
	task  label.Task
	dir   string
	old   *label.Folder // the plan that it goes on from; nil: it is a new one
}

// draw makes a plan. Nothing is written.
func (f planFlags) draw(c *cobra.Command, args []string) (drawn, error) {
	if err := f.check(); err != nil {
		return drawn{}, err
	}
	task, _ := label.FindTask(f.task) // it was checked
	frame, correlation, err := f.frame(c, args)
	if err != nil {
		return drawn{}, err
	}
	dir := f.out
	if dir == "" {
		dir = filepath.Join(args[0], labelsFolder, task.Name)
	}
	s := label.Settings{
		Correlation: correlation, Differences: f.differences, Evenly: f.evenly, Annotators: usage.List(f.annotators),
		Adjudicator: f.adjudicator, Shared: f.shared, Seed: f.seed,
	}
	old, err := f.earlier(dir, frame, task)
	if err != nil {
		return drawn{}, err
	}
	if old != nil {
		f.goOn(old, &s)
	}
	if len(s.Annotators) < 2 {
		s.Shared = 0
	}
	if s.Labels, err = f.number(old, task, s); err != nil {
		return drawn{}, err
	}
	if err := keeps(old, s); err != nil {
		return drawn{}, err
	}
	if s.Adjudicator != "" && len(s.Annotators) < 2 {
		return drawn{}, usage.Errorf("--adjudicator needs two annotators or more")
	}
	sheet, plan, err := label.Make(frame, task, args[0], s)
	return drawn{sheet, plan, task, dir, old}, err
}

// labelPage is the file of a labelling folder that an annotator opens.
const labelPage = "label.html"

// write writes the labelling folder, with the page for who has no lore.
func (d drawn) write() error {
	if err := label.Write(d.dir, d.sheet, d.plan); err != nil {
		return err
	}
	var file bytes.Buffer
	if err := page.Labelling(&file, d.task.Title, d.sheet); err != nil {
		return err
	}
	path := filepath.Join(d.dir, labelPage)
	if err := files.WriteFile(path, file.Bytes()); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

// frame is what there is to label, with the correlation that is expected of who claims it.
func (f planFlags) frame(c *cobra.Command, args []string) (label.Frame, float64, error) {
	if e, ok := all.Find(args[0]); ok && !(len(args) == 1 && isRun(args[0])) {
		frame, err := f.dataFrame(e.Benchmark, args[1:])
		return frame, f.expected(0), err
	}
	if len(args) > 1 {
		return label.Frame{}, 0, usage.Errorf("label plan takes one run folder, or a benchmark with its data")
	}
	return f.runFrame(c, args[0])
}

// expected is the correlation to reckon with: the one that was given, or else the one measured,
// or else a cautious one.
func (f planFlags) expected(measured float64) float64 {
	const cautious = 0.5
	switch {
	case f.correlation >= 0:
		return f.correlation
	case measured > 0 && measured < 1:
		return measured
	}
	return cautious
}

func (f planFlags) dataFrame(b datasets.Benchmark, paths []string) (label.Frame, error) {
	checkable, ok := b.(datasets.Checkable)
	if !ok {
		return label.Frame{}, usage.Errorf("the data of %s has nothing to label; give a run folder", b.Name())
	}
	if tasks := checkable.CheckTasks(); !slices.Contains(tasks, f.task) {
		return label.Frame{}, usage.Errorf("the data of %s has nothing to label for the task %s; there is %s",
			b.Name(), f.task, strings.Join(tasks, ", "))
	}
	if f.out == "" {
		return label.Frame{}, usage.Errorf("--out names the labelling folder, where data is labelled")
	}
	ds, err := b.Load(paths)
	if err != nil {
		return label.Frame{}, err
	}
	return label.FromData(checkable.Checks(ds, f.task), f.task, ds.Hash), nil
}

func (f planFlags) runFrame(c *cobra.Command, dir string) (label.Frame, float64, error) {
	r, err := loadRun(c, dir)
	if err != nil {
		return label.Frame{}, 0, err
	}
	warnUnchecked(c, r, dir)
	shown, err := store.ReadShown(dir)
	if err != nil {
		return label.Frame{}, 0, err
	}
	if tasks := label.RunTasks(r, shown); !slices.Contains(tasks, f.task) {
		return label.Frame{}, 0, usage.Errorf("%s has nothing to label for the task %s; there is %s",
			dir, f.task, strings.Join(tasks, ", "))
	}

	var judges []string
	for _, row := range r.Table.Rows {
		judges = appendNew(judges, row.Judge)
	}
	name := f.judge
	if name == "" && len(judges) > 0 {
		name = judges[0]
	}
	if !slices.Contains(judges, name) {
		return label.Frame{}, 0, usage.Unknown("judge of the run", name, judges)
	}
	frame := label.FromRun(r, shown, f.task, name, f.seed)
	frame.Source = sourceOf(r)
	return frame, f.expected(measuredPearson(r, f.task, name)), nil
}

// sourceOf names what a run's items are made of: its answers and verdicts.
func sourceOf(r report.Run) string {
	return r.Manifest.Files[store.AnswersFile] + r.Manifest.Files[store.VerdictsFile] + r.Manifest.DataHash
}

// measuredPearson is how far a judge was found to agree with people on such questions and
// texts; 0 where nobody knows.
func measuredPearson(r report.Run, task, name string) float64 {
	kinds := map[string]judge.Kind{
		label.Coverage: judge.Coverage, label.Entailment: judge.Entailment, label.Answerable: judge.Answerability,
		label.Relevance: judge.Relevance, label.Consistency: judge.Consistency,
	}
	for _, k := range agreement.Look(name, kinds[task], r.Manifest.Texts, report.ForeignLanguage(r.Manifest), r.Measured...).Here {
		if v, err := strconv.ParseFloat(k.Value, 64); err == nil && k.Measure == "Pearson" && k.Against == "people" {
			return v
		}
	}
	return 0
}

// number is how many items there are to label in all: so many, or those labelled already and
// those that fit into the time of each annotator, by what earlier ones took, or else by what
// such items are known to take. Shared ones are labelled by everybody.
func (f planFlags) number(old *label.Folder, task label.Task, s label.Settings) (int, error) {
	if f.labels > 0 {
		return f.labels, nil
	}
	seconds, labelled, planned := float64(task.Seconds), 0, 0
	if old != nil {
		labelled, planned = len(old.Decide()), old.Plan.Labels
		for _, p := range old.Progresses() {
			if p.Seconds == p.Seconds && p.Seconds > 0 {
				seconds = p.Seconds
			}
		}
	}
	each := 60 * f.minutes / seconds
	people := float64(max(1, len(s.Annotators)))
	n := int(each / (s.Shared + (1-s.Shared)/people))
	if n < 1 {
		return 0, usage.Errorf("%g minutes are too short for one item of about %.0f seconds", f.minutes, seconds)
	}
	return max(labelled+n, planned), nil
}

// earlier is the plan that a folder has already, which more labels are added to; nil where it
// has none. One of something else is refused.
func (f planFlags) earlier(dir string, frame label.Frame, task label.Task) (*label.Folder, error) {
	old, _, err := label.Read(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	p := old.Plan
	if p.Task != task.Name || p.Source != frame.Source || p.Judge != frame.Judge || p.Seed != f.seed ||
		p.Differences != f.differences || p.Evenly != f.evenly {
		return nil, &files.Error{File: dir, Msg: "holds another plan, or one of another run", Remedy: "choose another folder with --out"}
	}
	return old, nil
}

// goOn keeps of an earlier plan what is not given anew.
func (f planFlags) goOn(old *label.Folder, s *label.Settings) {
	p := old.Plan
	s.CutFor, s.Correlation = p.CutFor, p.Correlation
	if len(s.Annotators) == 0 {
		s.Annotators = p.Annotators
	}
	if s.Adjudicator == "" && !slices.Contains(s.Annotators, p.Adjudicator) {
		s.Adjudicator = p.Adjudicator
	}
	if !f.sharedGiven && len(p.Annotators) > 1 {
		s.Shared = p.Shared
	}
}

// keeps refuses settings that would drop what is planned, or who has labelled.
func keeps(old *label.Folder, s label.Settings) error {
	if old == nil {
		return nil
	}
	if s.Labels < old.Plan.Labels {
		return usage.Errorf("%s has a plan of %d labels already; --labels can only be more", old.Dir, old.Plan.Labels)
	}
	for _, l := range old.Labels {
		if len(s.Annotators) > 0 && l.Annotator != s.Adjudicator && !slices.Contains(s.Annotators, l.Annotator) {
			return usage.Errorf("%s has labels by %s; name all who have labelled in --annotators", old.Dir, l.Annotator)
		}
	}
	return nil
}

// changes says what of an earlier plan is not as it was.
func (d drawn) changes() []string {
	if d.old == nil {
		return nil
	}
	was, is := d.old.Plan, d.plan
	out := []string{fmt.Sprintf("The plan of %d items goes on to %d; %d are labelled.", was.Labels, is.Labels, len(d.old.Decide()))}
	if !slices.Equal(was.Annotators, is.Annotators) {
		out = append(out, fmt.Sprintf("Annotators: %s, who were %s.", named(is.Annotators), named(was.Annotators)))
	}
	if was.Adjudicator != is.Adjudicator {
		now, before := named(usage.List(is.Adjudicator)), named(usage.List(was.Adjudicator))
		out = append(out, fmt.Sprintf("Adjudicator: %s, who was %s.", now, before))
	}
	if was.Shared != is.Shared {
		out = append(out, fmt.Sprintf("All label %g of the items, which was %g.", is.Shared, was.Shared))
	}
	return out
}

func named(names []string) string {
	if len(names) == 0 {
		return "nobody by name"
	}
	return strings.Join(names, ", ")
}

// forecastAt are the numbers of labels that a plan tells the width of.
func forecastAt(p *label.Plan) []int {
	var out []int
	for _, n := range []int{25, 50, 100, 200, 400, 800, 1600, p.Labels} {
		if n <= len(p.Draws) {
			out = append(out, n)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func printPlan(c *cobra.Command, d drawn) {
	w, p, task := c.OutOrStdout(), d.plan, d.task
	g := datasets.Grid{
		Title: fmt.Sprintf("%s: %d of %d items", task.Title, p.Labels, len(p.Draws)),
		Head:  []string{"labels", "expected 95 % interval", "time"},
		Note: fmt.Sprintf("±: half the width for these very texts, the mean over %s, if the judge correlates %.2f with people. "+
			"Time: of all annotators together, at %d seconds an item.",
			usage.Counted(len(p.Targets), "score"), p.Correlation, task.Seconds),
	}
	for _, f := range p.Forecasts(forecastAt(p)) {
		half := datasets.NoValue
		if !math.IsNaN(f.Half) {
			half = fmt.Sprintf("± %.1f", 100*f.Half)
		}
		if f.Half > 0.5 {
			half = "says nothing yet" // as wide as all values
		}
		g.Rows = append(g.Rows, []string{fmt.Sprint(f.Labels), half, fmt.Sprintf("%.0f min", float64(f.Labels*task.Seconds)/60)})
	}
	report.Text(w, g)
	if p.LeftOut > 0 {
		fmt.Fprintf(w, "\nLeft out: %s that the judge left unscored.\n", usage.Counted(p.LeftOut, "verdict"))
	}

	for _, line := range d.changes() {
		fmt.Fprintf(w, "\n%s", line)
	}
	if d.old != nil {
		fmt.Fprintln(w)
	}

	fmt.Fprintf(w, "\nLabelling folder: %s\n", d.dir)
	fmt.Fprintf(w, "Label here:       lore view %s\n", d.dir)
	fmt.Fprintf(w, "Or elsewhere:     send %s, which needs only a browser;\n", filepath.Join(d.dir, labelPage))
	fmt.Fprintf(w, "                  then lore label add %s LABELS.jsonl\n", d.dir)
	fmt.Fprintf(w, "And then:         lore label status %s\n", d.dir)
}

// labelFolders are the labelling folders that a name means: itself, or those of a run.
func labelFolders(dir string) ([]string, error) {
	if isLabelling(dir) {
		return []string{dir}, nil
	}
	out := labelFoldersOf(dir)
	if len(out) == 0 {
		return nil, &files.Error{File: dir, Msg: "holds no labelling folder", Remedy: "make one with lore label plan"}
	}
	return out, nil
}

// isLabelling reports whether a folder is a labelling folder.
func isLabelling(dir string) bool {
	folder, err := files.IsFolder(dir, "")
	if err != nil || !folder {
		return false
	}
	_, err = fs.Stat(files.DirFS(dir), label.PlanFile)
	return err == nil
}

// labelFoldersOf are the labelling folders of a run.
func labelFoldersOf(run string) []string {
	found, _ := fs.Glob(files.DirFS(run), labelsFolder+"/*") // the pattern is fine
	var out []string
	for _, name := range found {
		if d := filepath.Join(run, filepath.FromSlash(name)); isLabelling(d) {
			out = append(out, d)
		}
	}
	return out
}

// shownLevel is the level of intervals in words.
var shownLevel = fmt.Sprintf("%g %%", 100*table.Level)
