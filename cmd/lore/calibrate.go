package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"lore/cmd/lore/internal/report"
	"lore/cmd/lore/internal/usage"
	"lore/datasets"
	"lore/judge"
	"lore/judge/agreement"
	"lore/judge/calibrate"
	"lore/judge/ensemble"
	"lore/local/files"
)

type calibrateFlags struct {
	modelFlags
	judgeFlags
	human, out, file string
}

func newCalibrate() *cobra.Command {
	var f calibrateFlags
	c := &cobra.Command{
		Use:   "calibrate LABELS",
		Short: "Learn from labels what a judge's scores mean, and how much each of several counts",
		Long: "calibrate asks a judge the questions that people have answered, and finds weights, monotone\n" +
			"maps and thresholds by nested cross-validation. LABELS is as for lore judge validate; 100 of a\n" +
			"kind help. The file holds figures alone, and --calibration takes it.",
		Example: "  lore judge calibrate labels.jsonl --judge lexical+ollama:qwen3:8b -o calibration.json\n" +
			"  lore run summhay DATA --judge lexical+ollama:qwen3:8b --calibration calibration.json",
		Args: usageArgs(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, args []string) error { return calibrateJudge(c, f, args[0]) },
	}

	group(c, dataFlags, func(fl *pflag.FlagSet) {
		fl.StringVar(&f.human, "human", "", "`file` of human verdicts on a run, if LABELS is a run folder")
	})
	f.judgeFlags.add(c, lexicalJudge, "the judge: "+judgeHelp+", recorded:KEY among them")
	f.modelFlags.add(c)
	group(c, outputFlags, func(fl *pflag.FlagSet) {
		fl.StringVarP(&f.file, "output", "o", "", "`file` for the calibration")
		fl.StringVar(&f.out, "out", filepath.Join("lore-runs", "validate"), "`folder` for the journal of a model judge")
	})
	return c
}

func calibrateJudge(c *cobra.Command, f calibrateFlags, path string) error {
	names := usage.List(f.judge)
	switch {
	case len(names) != 1:
		return usage.Errorf("--judge takes one judge here, which may be A+B, not %d", len(names))
	case f.calibration != "":
		return usage.Errorf("calibrate makes a calibration; leave --calibration out")
	case f.file == "":
		return usage.Errorf("-o FILE says where the calibration goes")
	}
	if err := checkPlace(f.file); err != nil {
		return err
	}
	items, err := loadLabels(c, path, f.human)
	if err != nil {
		return err
	}

	p, err := openPanel(c, f.modelFlags, f.judgeFlags, f.out, names, items)
	if err != nil {
		return err
	}
	defer p.Close()
	made, err := p.calibrate(c, names[0])
	if err != nil {
		return err
	}
	if made.N == 0 {
		return &files.Error{
			File:   path,
			Msg:    "has no label on which every judge has a verdict",
			Remedy: "look at what fails with lore judge validate",
		}
	}
	if made.Data, err = labelsHash(path, f.human); err != nil {
		return err
	}
	if err := files.WriteFile(f.file, made.Encode()); err != nil {
		return err
	}
	printCalibration(c.OutOrStdout(), made, f.file)
	return nil
}

// calibrate asks every part of a judge everything, and learns from it.
func (p *panel) calibrate(c *cobra.Command, spec string) (*ensemble.Calibration, error) {
	members, keys := p.members(spec)
	p.foreseeParts(keys)
	var verdicts [][][]judge.Verdict
	for i, m := range members {
		v, err := m.Judge(c.Context(), p.tasks, p.console.Start(judgeBy+keys[i].Name, p.questions))
		if err != nil {
			return nil, err
		}
		if r := agreement.Measure("", p.items, v, 1); r.NUnscored > 0 {
			p.console.Warn(fmt.Sprintf("%s left %d of %d labelled questions without a verdict; they are left out",
				keys[i].Name, r.NUnscored, r.N+r.NUnscored))
		}
		verdicts = append(verdicts, v)
		report.LanguageLines(c.ErrOrStderr(), p.languages(v))
	}
	return calibrate.Calibrate(keys, p.items, verdicts), nil
}

// labelsHash is the SHA-256 of labels: of the file, or of the people's verdicts on a run.
func labelsHash(path, human string) (string, error) {
	if human != "" {
		path = human
	}
	data, err := files.Read(path, "give a labels file")
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:]), err
}

// printCalibration says what was learnt, and what it is worth.
func printCalibration(w io.Writer, c *ensemble.Calibration, file string) {
	g := datasets.Grid{
		Title: "Calibration of " + c.Spec(),
		Head: []string{
			"question", "labels", "groups", "used", "weights",
			"Pearson", "as they are", "squared error", "as they are",
		},
		Note: "Pearson with people and mean squared error of values, in nested cross-validation over groups, beside " +
			"those of each judge as it is. used: all together, or the one that was chosen where together they were " +
			"no better.",
	}
	for _, kind := range slices.Sorted(maps.Keys(c.Kinds)) {
		f := c.Kinds[kind]
		row := []string{
			string(kind),
			fmt.Sprint(f.N),
			fmt.Sprint(f.Groups),
			f.Use,
			list(f.Weights, "%.2f"),
			datasets.NoValue,
			datasets.NoValue,
			datasets.NoValue,
			datasets.NoValue,
		}
		if f.N >= calibrate.Least {
			row = append(row[:5], correlations([]float64{f.Pearson.Together}), correlations(f.Pearson.Judges),
				decimal(f.Error.Together), list(f.Error.Judges, "%.3f"))
		}
		g.Rows = append(g.Rows, row)
	}
	report.Text(w, g)

	fmt.Fprintln(w)
	for _, kind := range slices.Sorted(maps.Keys(c.Kinds)) {
		if note := c.Kinds[kind].Note; note != "" {
			usage.Wrap(w, fmt.Sprintf("%s: %s.", kind, note))
		}
	}
	printUse(w, c, file)
}

// printUse says how a calibration is used, or why it should not be.
func printUse(w io.Writer, c *ensemble.Calibration, file string) {
	doubts := 0
	for _, kind := range slices.Sorted(maps.Keys(c.Kinds)) {
		f := c.Kinds[kind]
		if why := calibrate.Doubt(f); why != "" {
			usage.Wrap(w, fmt.Sprintf("Do not use it for %s: %s.", kind, why))
			doubts++
			continue
		}
		if f.Groups < 2 {
			usage.Wrap(w, fmt.Sprintf("%s: all labels are of one group, so that the figure is by single labels, not by groups; "+
				"on other groups it may be worse.", kind))
		}
	}

	switch use := fmt.Sprintf("--judge %s --calibration %s", c.Spec(), file); {
	case doubts == 0:
		fmt.Fprintf(w, "Use it: %s\n", use)
	case doubts < len(c.Kinds):
		fmt.Fprintf(w, "Use it for other questions alone: %s\n", use)
	}
}

// correlations are those of a calibration, in which 0 stands for one that is undefined.
func correlations(values []float64) string {
	out := make([]string, len(values))
	for i, v := range values {
		if out[i] = decimal(v); v == 0 {
			out[i] = datasets.NoValue
		}
	}
	return strings.Join(out, ", ")
}

func list(values []float64, format string) string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = fmt.Sprintf(format, v)
	}
	return strings.Join(out, ", ")
}
