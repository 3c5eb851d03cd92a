package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"lore/cmd/lore/internal/report"
	"lore/cmd/lore/internal/run"
	"lore/datasets"
	"lore/datasets/summhay"
	"lore/judge"
	"lore/judge/agreement"
	"lore/judge/ensemble"
	"lore/judge/lexical"
	"lore/local/gate"
)

func newJudge() *cobra.Command {
	c := &cobra.Command{Use: "judge", Short: "Work with judges", Args: usageArgs(cobra.NoArgs), RunE: func(c *cobra.Command, _ []string) error { return c.Help() }}
	c.AddCommand(newValidate())
	return c
}

type validateFlags struct {
	runFlags
	human string
}

func newValidate() *cobra.Command {
	f := validateFlags{runFlags: noGeneration}
	c := &cobra.Command{
		Use:   "validate LABELS",
		Short: "Measure judges against people",
		Long: "validate asks judges the questions that people have answered, and measures how far they\n" +
			"agree. LABELS is SummHay's file of human coverage labels, a .csv or .jsonl file with\n" +
			"the columns kind, group, system, about, text, statement, label and unit, or a run folder\n" +
			"together with --human FILE, a line of JSON per verdict with retriever, generator, item,\n" +
			"question, label and unit. recorded:KEY is a judge whose verdicts stand in the file.",
		Example: "  lore judge validate human_coverage_labels.json --judge lexical,recorded:predictions_prompted_gpt-4o\n  lore judge validate labels.csv --judge lexical,ollama:qwen3:8b --json",
		Args:    usageArgs(cobra.ExactArgs(1)),
		RunE:    func(c *cobra.Command, args []string) error { return validate(c, f, args[0]) },
	}
	fl := c.Flags()
	fl.StringVar(&f.judge, "judge", "lexical", "comma list of judges: lexical, ollama:NAME, recorded:KEY, or A+B")
	fl.StringVar(&f.human, "human", "", "human verdicts on a run, if LABELS is a run folder")
	fl.BoolVar(&f.json, "json", false, "print JSON")
	fl.StringVar(&f.out, "out", "", "folder for the journal of a model judge (default lore-runs/validate)")
	fl.StringVar(&f.prompts, "prompts", "", "folder whose files replace built-in prompts of the same name")
	fl.Uint64Var(&f.seed, "seed", 1, "seed of the bootstrap")
	addJudgeFlags(c, &f.runFlags)
	return c
}

func validate(c *cobra.Command, f validateFlags, path string) error {
	items, err := loadLabels(path, f.human)
	if err != nil {
		return err
	}
	names := list(f.judge)
	if len(names) == 0 {
		return &run.UsageError{Msg: "--judge needs at least one name"}
	}
	results, err := askJudges(c, f, names, items)
	if err != nil {
		return err
	}
	w := c.OutOrStdout()
	if f.json {
		return validateJSON(w, results)
	}
	printValidation(w, results, items, f.seed)
	for _, r := range results {
		if r.report.NUnscored > 0 {
			return fmt.Errorf("%w: %s left %d of %d questions without a verdict", errPartial, r.report.Judge, r.report.NUnscored, r.report.N+r.report.NUnscored)
		}
	}
	return nil
}

// loadLabels reads labels of any of the known forms.
func loadLabels(path, human string) ([]agreement.Item, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, &datasets.InputError{File: path, Msg: "cannot be read: no such file or folder", Remedy: "give a labels file or a run folder", Err: err}
	}
	if info.IsDir() {
		if human == "" {
			return nil, &run.UsageError{Msg: path + " is a folder; with a run folder, --human FILE names the human verdicts on it"}
		}
		return runLabels(path, human)
	}
	read := map[string]func(io.Reader, string) ([]agreement.Item, error){".csv": agreement.ReadCSV, ".jsonl": agreement.ReadJSONL}[strings.ToLower(filepath.Ext(path))]
	if read == nil {
		return summhay.LoadLabels(path)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, &datasets.InputError{File: path, Msg: err.Error(), Err: err}
	}
	items, err := read(bytes.NewReader(data), path)
	if err != nil {
		return nil, asInput(path, err)
	}
	return items, nil
}

// runLabels joins human verdicts with the answers and questions of a run.
func runLabels(dir, human string) ([]agreement.Item, error) {
	verdicts, err := readHuman(human)
	if err != nil {
		return nil, err
	}
	r, err := report.Load(dir)
	if err != nil {
		return nil, &datasets.InputError{File: dir, Msg: err.Error(), Remedy: "give the folder that `lore run` names at its end", Err: err}
	}
	items, err := report.HumanItems(r, verdicts)
	if err != nil {
		return nil, &datasets.InputError{File: human, Msg: err.Error(), Remedy: "retriever, generator, item and question are those of verdicts.jsonl", Err: err}
	}
	return items, nil
}

func readHuman(path string) ([]agreement.HumanVerdict, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, asInput(path, err)
	}
	defer f.Close()
	verdicts, err := agreement.ReadHuman(f, path)
	if err != nil {
		return nil, asInput(path, err)
	}
	return verdicts, nil
}

// validated is one judge's outcome.
type validated struct {
	report   agreement.Report
	verdicts [][]judge.Verdict
	seconds  float64
	usage    []gate.ModelUsage
}

// recordedJudge is a judge whose verdicts stand in the labels file.
const recordedJudge = "recorded:"

func askJudges(c *cobra.Command, f validateFlags, names []string, items []agreement.Item) ([]validated, error) {
	tasks := make([]judge.Task, len(items))
	questions := 0
	for i, it := range items {
		tasks[i] = it.Task
		questions += len(it.Task.Questions)
	}
	var out []validated
	for _, name := range names {
		start := time.Now()
		var v validated
		var err error
		if key, ok := strings.CutPrefix(name, recordedJudge); ok {
			v.verdicts, err = recordedVerdicts(items, key)
		} else {
			v.verdicts, v.usage, err = askJudge(c, f, name, tasks, questions)
		}
		if err != nil {
			return nil, err
		}
		v.seconds = time.Since(start).Seconds()
		v.report = agreement.Measure(name, items, v.verdicts, f.seed)
		out = append(out, v)
	}
	return out, nil
}

func recordedVerdicts(items []agreement.Item, key string) ([][]judge.Verdict, error) {
	out := make([][]judge.Verdict, len(items))
	found := false
	have := map[string]bool{}
	for i, it := range items {
		for k := range it.Recorded {
			have[k] = true
		}
		out[i] = it.Recorded[key]
		if out[i] != nil {
			found = true
			continue
		}
		for _, q := range it.Task.Questions {
			out[i] = append(out[i], agreement.Unlabelled(q.ID))
		}
	}
	if !found {
		var names []string
		for k := range have {
			names = append(names, k)
		}
		slices.Sort(names)
		return nil, &run.UsageError{Msg: fmt.Sprintf("the labels hold no judge %q; they hold: %s", key, strings.Join(names, ", "))}
	}
	return out, nil
}

func askJudge(c *cobra.Command, f validateFlags, name string, tasks []judge.Task, questions int) ([][]judge.Verdict, []gate.ModelUsage, error) {
	one := f.runFlags
	one.judge = name
	opt, err := one.options(summhay.Benchmark{})
	if err != nil {
		return nil, nil, err
	}
	opt.Warn = func(s string) { fmt.Fprintln(c.ErrOrStderr(), "warning: "+report.Plain(s)) }
	out := f.out
	if out == "" {
		out = filepath.Join("lore-runs", "validate")
	}
	judges, err := run.OpenJudges(c.Context(), opt, filepath.Join(out, "calls"))
	if err != nil {
		return nil, nil, err
	}
	defer judges.Close()
	verdicts, err := judges.List[0].Judge(c.Context(), tasks, newProgress(c.ErrOrStderr()).Start("judge by "+name, questions))
	if both, ok := judges.List[0].(*ensemble.Judge); ok && err == nil {
		asked, all := both.Asked()
		fmt.Fprintf(c.ErrOrStderr(), "note: %s asked the second judge %d of %d questions and saved the other %d\n", name, asked, all, all-asked)
	}
	return verdicts, judges.Usage(), err
}

func decimal(v float64) string {
	if v != v {
		return "–"
	}
	return fmt.Sprintf("%.3f", v)
}

func printValidation(w io.Writer, results []validated, items []agreement.Item, seed uint64) {
	g := datasets.Grid{Head: []string{"judge", "Pearson", "95 % interval", "Spearman", "kappa", "accuracy", "linking", "(n)", "bias", "Kendall of systems", "error~length", "error~copying", "n", "unscored", "seconds"},
		Note: "Interval: bootstrap over groups. kappa: Cohen's with quadratic weights. linking: share naming the same bullet where both name one. bias: mean value minus people's. error~: Pearson of the error with words per bullet, and with the share of the answer's trigrams found in its source."}
	for _, v := range results {
		r := v.report
		g.Rows = append(g.Rows, []string{r.Judge, decimal(r.Pearson), decimal(r.PearsonCI.Low) + " to " + decimal(r.PearsonCI.High), decimal(r.Spearman), decimal(r.Kappa), decimal(r.Accuracy),
			decimal(r.LinkingAccuracy), fmt.Sprintf("(%d)", r.LinkingN), decimal(r.Bias), fmt.Sprintf("%s (%d)", decimal(r.KendallSystems), r.Systems), decimal(r.LengthCorr), decimal(r.CopyCorr), fmt.Sprint(r.N), fmt.Sprint(r.NUnscored), fmt.Sprintf("%.2f", v.seconds)})
	}
	report.Text(w, g)
	for _, v := range results {
		fmt.Fprintln(w)
		report.Text(w, confusionGrid(v.report))
	}
	if len(results) > 1 {
		fmt.Fprintln(w)
		report.Text(w, pairedGrid(results, items, seed))
	}
	for _, v := range results {
		if len(v.usage) > 0 && slices.ContainsFunc(v.usage, func(u gate.ModelUsage) bool { return u.Asked+u.Journaled > 0 }) {
			fmt.Fprintln(w)
			report.Text(w, report.Cost(v.usage))
		}
		if strings.Contains(v.report.Judge, "lexical") {
			fit := lexical.Current
			fmt.Fprintf(w, "\nThe lexical judge was fitted on %s (%d labels). On subtopics left out of the fit its Pearson was %.3f and its linking %.3f;\nfigures on that file itself are a little better than on new data.\n", fit.Data, fit.N, fit.CV.Pearson, fit.CV.LinkingAccuracy)
		}
	}
}

func confusionGrid(r agreement.Report) datasets.Grid {
	g := datasets.Grid{Title: "Labels of " + r.Judge + " (columns) against people's (rows)", Head: []string{"people say"}}
	labels := labelsOf(r)
	g.Head = append(append(g.Head, labels...), "accuracy")
	for _, h := range labels {
		row := []string{h}
		for _, l := range labels {
			row = append(row, fmt.Sprint(r.Confusion[h][l]))
		}
		if acc, ok := r.ByLabel[h]; ok {
			row = append(row, decimal(acc))
		} else {
			row = append(row, "–")
		}
		g.Rows = append(g.Rows, row)
	}
	return g
}

// labelsOf lists the labels in use, in the order of their scale.
func labelsOf(r agreement.Report) []string {
	used := map[string]bool{}
	for h, row := range r.Confusion {
		used[h] = true
		for l := range row {
			used[l] = true
		}
	}
	var out []string
	for _, kind := range judge.Kinds {
		for _, l := range judge.Labels[kind] {
			if used[l] && !slices.Contains(out, l) {
				out = append(out, l)
			}
		}
	}
	return out
}

func pairedGrid(results []validated, items []agreement.Item, seed uint64) datasets.Grid {
	g := datasets.Grid{Title: "Difference in Pearson on the questions both answered", Head: []string{"A", "B", "A − B", "95 % interval", "n"}}
	for i, a := range results {
		for _, b := range results[i+1:] {
			p := agreement.Compare(a.report.Judge, b.report.Judge, items, a.verdicts, b.verdicts, seed)
			g.Rows = append(g.Rows, []string{p.A, p.B, decimal(p.Diff), decimal(p.CI.Low) + " to " + decimal(p.CI.High), fmt.Sprint(p.N)})
		}
	}
	return g
}

func validateJSON(w io.Writer, results []validated) error {
	out := make([]map[string]any, len(results))
	for i, v := range results {
		r := v.report
		calls, tokens := 0, 0
		for _, u := range v.usage {
			calls += u.Asked + u.Journaled
			tokens += u.Usage.PromptTokens + u.Usage.OutputTokens
		}
		out[i] = map[string]any{"judge": r.Judge, "n": r.N, "n_unscored": r.NUnscored, "pearson": agreement.Finite(r.Pearson),
			"pearson_ci": []*float64{agreement.Finite(r.PearsonCI.Low), agreement.Finite(r.PearsonCI.High)}, "pearson_score": agreement.Finite(r.PearsonScore),
			"spearman": agreement.Finite(r.Spearman), "kappa": agreement.Finite(r.Kappa), "accuracy": agreement.Finite(r.Accuracy), "accuracy_by_label": r.ByLabel, "confusion": r.Confusion,
			"linking_accuracy": agreement.Finite(r.LinkingAccuracy), "linking_n": r.LinkingN, "bias": agreement.Finite(r.Bias), "bias_by_system": r.BiasBySystem,
			"error_length_corr": agreement.Finite(r.LengthCorr), "error_copy_corr": agreement.Finite(r.CopyCorr), "kendall_systems": agreement.Finite(r.KendallSystems), "systems": r.Systems,
			"seconds": v.seconds, "calls": calls, "tokens": tokens}
	}
	value := map[string]any{}
	if len(out) == 1 { // one judge's figures also stand at the top, where a script finds them first
		for k, v := range out[0] {
			value[k] = v
		}
	}
	value["judges"] = out
	return report.WriteJSON(w, value)
}
