package main

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"lore/cmd/lore/internal/models"
	"lore/cmd/lore/internal/report"
	"lore/cmd/lore/internal/usage"
	"lore/datasets"
	"lore/datasets/all"
	"lore/judge"
	"lore/judge/agreement"
	"lore/judge/lexical"
	"lore/local/files"
	"lore/local/gate"
)

func newJudge() *cobra.Command {
	return parent("judge", "Work with judges", "", "  lore judge validate -h", newValidate())
}

type validateFlags struct {
	modelFlags
	judgeFlags
	human, out string
	json       bool
}

func newValidate() *cobra.Command {
	var f validateFlags
	c := &cobra.Command{
		Use:   "validate LABELS",
		Short: "Measure judges against people",
		Long: "validate asks judges the questions that people have answered, and measures how far they\n" +
			"agree. LABELS is SummHay's file of human coverage labels, a .csv or .jsonl file with\n" +
			"the columns kind, group, system, about, text, statement, label and unit, or a run folder\n" +
			"together with --human FILE, a line of JSON per verdict with retriever, generator, item,\n" +
			"question, label and unit. recorded:KEY is a judge whose verdicts stand in the file.",
		Example: "  lore judge validate human_coverage_labels.json" +
			" --judge lexical,recorded:predictions_prompted_gpt-4o\n" +
			"  lore judge validate labels.csv --judge lexical,ollama:qwen3:8b --json",
		Args: usageArgs(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, args []string) error { return validate(c, f, args[0]) },
	}

	group(c, dataFlags, func(fl *pflag.FlagSet) {
		fl.StringVar(&f.human, "human", "", "`file` of human verdicts on a run, if LABELS is a run folder")
	})
	f.judgeFlags.add(c, lexicalJudge, "comma-separated judges: "+judgeHelp+", or recorded:KEY")
	f.modelFlags.add(c)
	group(c, outputFlags, func(fl *pflag.FlagSet) {
		fl.BoolVar(&f.json, "json", false, "print JSON")
		fl.StringVar(&f.out, "out", filepath.Join("lore-runs", "validate"), "`folder` for the journal of a model judge")
	})
	return c
}

func validate(c *cobra.Command, f validateFlags, path string) error {
	items, err := loadLabels(c, path, f.human)
	if err != nil {
		return err
	}
	names := usage.List(f.judge)
	if len(names) == 0 {
		return usage.Errorf("--judge needs at least one name")
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
	for _, v := range results {
		if r := v.report; r.NUnscored > 0 {
			return partialf("some items are unscored: %s left %d of %d questions without a verdict",
				r.Judge, r.NUnscored, r.N+r.NUnscored)
		}
	}
	return nil
}

// loadLabels reads labels of any of the known forms.
func loadLabels(c *cobra.Command, path, human string) ([]agreement.Item, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, files.Unreadable(path, err, "give a labels file or a run folder")
	}
	if info.IsDir() {
		if human == "" {
			return nil, usage.Errorf("%s is a folder; "+
				"with a run folder, --human FILE names the human verdicts on it", path)
		}
		return runLabels(c, path, human)
	}

	read := agreement.ReadCSV
	switch strings.ToLower(filepath.Ext(path)) {
	case ".csv":
	case ".jsonl":
		read = agreement.ReadJSONL
	default:
		return publishedLabels(path)
	}
	data, err := files.Read(path, "give a labels file")
	if err != nil {
		return nil, err
	}
	items, err := read(bytes.NewReader(data), path)
	return items, files.Wrap(path, err)
}

// publishedLabels reads labels in the form of the first benchmark that can.
func publishedLabels(path string) ([]agreement.Item, error) {
	err := fmt.Errorf("%s is not a file of labels: give .csv or .jsonl", path)
	for _, b := range all.Benchmarks() {
		read := b.Protocol().Labels
		if read == nil {
			continue
		}
		var items []agreement.Item
		if items, err = read(path); err == nil {
			return items, nil
		}
	}
	return nil, err
}

// runLabels joins human verdicts with the answers and questions of a run.
func runLabels(c *cobra.Command, dir, human string) ([]agreement.Item, error) {
	verdicts, err := readHuman(human)
	if err != nil {
		return nil, err
	}
	r, err := loadRun(dir)
	if err != nil {
		return nil, err
	}
	warnUnchecked(c, r, dir)
	items, err := report.HumanItems(r, verdicts)
	if err != nil {
		return nil, &files.Error{File: human, Msg: err.Error(), Remedy: humanForm, Err: err}
	}
	return items, nil
}

// humanForm is what a file of human verdicts on a run must hold, for errors.
const humanForm = "retriever, generator, item and question are those of verdicts.jsonl"

// readHuman reads human verdicts on a run.
func readHuman(path string) ([]agreement.HumanVerdict, error) {
	data, err := files.Read(path, "give human verdicts on a run, lines of JSON")
	if err != nil {
		return nil, err
	}
	verdicts, err := agreement.ReadHuman(bytes.NewReader(data), path)
	return verdicts, files.Wrap(path, err)
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

// askJudges measures each judge on all items. Recorded ones are read, not asked.
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

// recordedVerdicts are those of a judge in the labels file, unscored where it has none.
func recordedVerdicts(items []agreement.Item, key string) ([][]judge.Verdict, error) {
	out := make([][]judge.Verdict, len(items))
	have := map[string]bool{}
	for i, it := range items {
		for k := range it.Recorded {
			have[k] = true
		}
		if out[i] = it.Recorded[key]; out[i] != nil {
			continue
		}
		for _, q := range it.Task.Questions {
			out[i] = append(out[i], agreement.Unlabelled(q.ID))
		}
	}

	switch {
	case len(have) == 0:
		return nil, usage.Errorf("%s%s cannot be measured: the labels hold no recorded verdicts", recordedJudge, key)
	case !have[key]:
		return nil, usage.Unknown("judge recorded in the labels", key, slices.Sorted(maps.Keys(have)))
	}
	return out, nil
}

// askJudge has one judge answer all questions. Finished calls of a model are kept.
func askJudge(c *cobra.Command, f validateFlags, name string, tasks []judge.Task, questions int) (
	[][]judge.Verdict, []gate.ModelUsage, error,
) {
	console := usage.NewConsole(c.ErrOrStderr())
	if err := models.CheckJudges([]string{name}); err != nil {
		return nil, nil, err
	}
	calls := filepath.Join(f.out, "calls")
	judges, err := openJudges(c, f.modelFlags, f.judgeFlags, []string{name}, calls, console)
	if err != nil {
		return nil, nil, err
	}
	defer judges.Close()

	one := judges.List[0]
	verdicts, err := one.Judge(c.Context(), tasks, console.Start("judge by "+name, questions))
	if err != nil {
		return nil, nil, err
	}
	if note := models.Saved(one); note != "" {
		console.Note(note)
	}
	return verdicts, judges.Usage(), nil
}

func decimal(v float64) string {
	if v != v {
		return "–"
	}
	return fmt.Sprintf("%.3f", v)
}

func printValidation(w io.Writer, results []validated, items []agreement.Item, seed uint64) {
	report.Text(w, agreementGrid(results))
	for _, v := range results {
		fmt.Fprintln(w)
		report.Text(w, confusionGrid(v.report))
	}
	if len(results) > 1 {
		fmt.Fprintln(w)
		report.Text(w, pairedGrid(results, items, seed))
	}

	for _, v := range results {
		asked := func(u gate.ModelUsage) bool { return u.Calls() > 0 }
		if slices.ContainsFunc(v.usage, asked) {
			fmt.Fprintln(w)
			report.Text(w, report.Cost(v.usage))
		}
		if strings.Contains(v.report.Judge, "lexical") {
			fit := lexical.Current
			fmt.Fprintf(w, "\nThe lexical judge was fitted on %s (%d labels). On subtopics left out of the fit "+
				"its Pearson was %.3f and its linking %.3f;\n"+
				"figures on that file itself are a little better than on new data.\n",
				fit.Data, fit.N, fit.CV.Pearson, fit.CV.LinkingAccuracy)
		}
	}
}

// agreementNote explains the columns of agreementGrid.
const agreementNote = "Interval: bootstrap over groups. kappa: Cohen's with quadratic weights. " +
	"linking: share naming the same bullet where both name one. bias: mean value minus people's. " +
	"error~: Pearson of the error with words per bullet, " +
	"and with the share of the answer's trigrams found in its source."

// agreementGrid has a line per judge.
func agreementGrid(results []validated) datasets.Grid {
	g := datasets.Grid{
		Head: []string{
			"judge", "Pearson", "95 % interval", "Spearman", "kappa", "accuracy", "linking", "(n)", "bias",
			"Kendall of systems", "error~length", "error~copying", "n", "unscored", "seconds",
		},
		Note: agreementNote,
	}

	for _, v := range results {
		r := v.report
		g.Rows = append(g.Rows, []string{
			r.Judge,
			decimal(r.Pearson),
			decimal(r.PearsonCI.Low) + " to " + decimal(r.PearsonCI.High),
			decimal(r.Spearman),
			decimal(r.Kappa),
			decimal(r.Accuracy),
			decimal(r.LinkingAccuracy),
			fmt.Sprintf("(%d)", r.LinkingN),
			decimal(r.Bias),
			fmt.Sprintf("%s (%d)", decimal(r.KendallSystems), r.Systems),
			decimal(r.LengthCorr),
			decimal(r.CopyCorr),
			fmt.Sprint(r.N),
			fmt.Sprint(r.NUnscored),
			fmt.Sprintf("%.2f", v.seconds),
		})
	}
	return g
}

// confusionGrid counts the judge's labels for each label of people.
func confusionGrid(r agreement.Report) datasets.Grid {
	labels := labelsOf(r)
	g := datasets.Grid{
		Title: "Labels of " + r.Judge + " (columns) against people's (rows)",
		Head:  slices.Concat([]string{"people say"}, labels, []string{"accuracy"}),
	}
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

// pairedGrid compares every two judges.
func pairedGrid(results []validated, items []agreement.Item, seed uint64) datasets.Grid {
	g := datasets.Grid{
		Title: "Difference in Pearson on the questions both answered",
		Head:  []string{"A", "B", "A − B", "95 % interval", "n"},
	}
	for i, a := range results {
		for _, b := range results[i+1:] {
			p := agreement.Compare(a.report.Judge, b.report.Judge, items, a.verdicts, b.verdicts, seed)
			interval := decimal(p.CI.Low) + " to " + decimal(p.CI.High)
			g.Rows = append(g.Rows, []string{p.A, p.B, decimal(p.Diff), interval, fmt.Sprint(p.N)})
		}
	}
	return g
}

func validateJSON(w io.Writer, results []validated) error {
	out := make([]map[string]any, len(results))
	for i, v := range results {
		out[i] = v.json()
	}
	value := map[string]any{}
	if len(out) == 1 { // one judge's figures also stand at the top, where a script finds them first
		maps.Copy(value, out[0])
	}
	value["judges"] = out
	return report.WriteJSON(w, value)
}

// json holds a judge's figures by key, as correlations and shares in [0,1], null for
// undefined.
func (v validated) json() map[string]any {
	calls, tokens := 0, 0
	for _, u := range v.usage {
		calls += u.Calls()
		tokens += u.Usage.PromptTokens + u.Usage.OutputTokens
	}

	r := v.report
	return map[string]any{
		"judge":             r.Judge,
		"n":                 r.N,
		"n_unscored":        r.NUnscored,
		"pearson":           agreement.Finite(r.Pearson),
		"pearson_ci":        []*float64{agreement.Finite(r.PearsonCI.Low), agreement.Finite(r.PearsonCI.High)},
		"pearson_score":     agreement.Finite(r.PearsonScore),
		"spearman":          agreement.Finite(r.Spearman),
		"kappa":             agreement.Finite(r.Kappa),
		"accuracy":          agreement.Finite(r.Accuracy),
		"accuracy_by_label": r.ByLabel,
		"confusion":         r.Confusion,
		"linking_accuracy":  agreement.Finite(r.LinkingAccuracy),
		"linking_n":         r.LinkingN,
		"bias":              agreement.Finite(r.Bias),
		"bias_by_system":    r.BiasBySystem,
		"error_length_corr": agreement.Finite(r.LengthCorr),
		"error_copy_corr":   agreement.Finite(r.CopyCorr),
		"kendall_systems":   agreement.Finite(r.KendallSystems),
		"systems":           r.Systems,
		"seconds":           v.seconds,
		"calls":             calls,
		"tokens":            tokens,
	}
}
