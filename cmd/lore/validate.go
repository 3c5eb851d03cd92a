package main

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"lore/cmd/lore/internal/usage"
	"lore/judge"
	"lore/judge/agreement"
	"lore/local/files"
)

type validateFlags struct {
	modelFlags
	judgeFlags
	human, out, verdicts, by string
	limit                    int
	json                     bool
}

func newValidate() *cobra.Command {
	var f validateFlags
	c := &cobra.Command{
		Use:   "validate LABELS",
		Short: "Measure judges against people",
		Long: "validate asks judges the questions that people have answered, and measures how far they\n" +
			"agree. LABELS is SummHay's file of human coverage labels; a .csv or .jsonl file with the\n" +
			"columns kind, group, system, about, text, statement, label or value, unit, annotators,\n" +
			"recorded, and any others to group by; or a run folder together with --human FILE, a line\n" +
			"of JSON per verdict with retriever, generator, item, question, label and unit.\n" +
			"recorded:KEY is a judge whose verdicts stand in the file; it may be a part of A+B.",
		Example: "  lore judge validate human_coverage_labels.json" +
			" --judge lexical,recorded:predictions_prompted_gpt-4o\n" +
			"  lore judge validate labels.csv --judge lexical,ollama:qwen3:8b --json",
		Args: usageArgs(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, args []string) error { return validate(c, f, args[0]) },
	}

	group(c, dataFlags, func(fl *pflag.FlagSet) {
		fl.StringVar(&f.human, "human", "", "`file` of human verdicts on a run, if LABELS is a run folder")
		fl.IntVar(&f.limit, "limit", 0, "use only the first N labelled texts; 0 is all")
		fl.StringVar(&f.by, "by", "", "`columns` of the labels to measure apart, such as kind, group, system or split")
	})
	f.judgeFlags.add(c, lexicalJudge, "comma-separated judges: "+judgeHelp+", or recorded:KEY")
	f.modelFlags.add(c)
	group(c, outputFlags, func(fl *pflag.FlagSet) {
		fl.BoolVar(&f.json, "json", false, "print JSON")
		fl.StringVar(&f.verdicts, "verdicts", "", "`file` for the verdicts beside people's, a line of JSON per question")
		fl.StringVar(&f.out, "out", filepath.Join("lore-runs", "validate"), "`folder` for the journal of a model judge")
	})
	return c
}

func validate(c *cobra.Command, f validateFlags, path string) error {
	if err := checkPlace(f.verdicts); err != nil {
		return err
	}
	if f.limit < 0 {
		return usage.Errorf("--limit cannot be negative")
	}
	items, err := loadLabels(c, path, f.human)
	if err != nil {
		return err
	}
	if f.limit > 0 && f.limit < len(items) {
		usage.NewConsole(c.ErrOrStderr()).Note(fmt.Sprintf("measured on the first %d of %d labelled texts: --limit", f.limit, len(items)))
		items = items[:f.limit]
	}
	names := usage.List(f.judge)
	if len(names) == 0 {
		return usage.Errorf("--judge needs at least one name")
	}
	if err := unique("judge", names); err != nil {
		return err
	}

	for _, column := range usage.List(f.by) {
		if err := agreement.CheckColumn(column, items); err != nil {
			return usage.Errorf("--by: %v", err)
		}
	}

	p, err := openPanel(c, f.modelFlags, f.judgeFlags, f.out, names, items)
	if err != nil {
		return err
	}
	defer p.Close()
	warnCalibratedOn(p.console, p.how, cmp.Or(f.human, path))
	p.foresee(names)
	var results []validated
	for _, name := range names {
		v, err := p.ask(c.Context(), name, f.seed)
		if err != nil {
			return err
		}
		results = append(results, v)
	}

	if f.verdicts != "" {
		if err := files.WriteLines(f.verdicts, verdictLines(items, results)); err != nil {
			return err
		}
	}
	shown, err := refine(items, results, usage.List(f.by), f.seed)
	if err != nil {
		return err
	}
	w := c.OutOrStdout()
	if f.json {
		return validateJSON(w, shown)
	}
	printValidation(w, shown, items, f.seed)
	return unscored(results)
}

// checkPlace refuses a file that cannot be written, before anything is asked.
func checkPlace(file string) error {
	if file == "" {
		return nil
	}
	dir := filepath.Dir(file)
	switch folder, err := files.IsFolder(dir, "make the folder first, or name another file"); {
	case err != nil:
		return err
	case !folder:
		return &files.Error{File: dir, Msg: "is a file, not a folder", Remedy: "name another file"}
	case isFolder(file):
		return &files.Error{File: file, Msg: "is a folder, not a file", Remedy: "name a file in it"}
	}
	return nil
}

// unscored is an error where a judge left questions without a verdict.
func unscored(results []validated) error {
	for _, v := range results {
		if r := v.report; r.NUnscored > 0 {
			return partialf("some items are unscored: %s left %d of %d questions without a verdict",
				r.Judge, r.NUnscored, r.N+r.NUnscored)
		}
	}
	return nil
}

// shownResult is a judge's outcome with its agreement by column, and beside several annotators.
type shownResult struct {
	validated
	texts  agreement.Texts
	parts  []agreement.Part
	people *agreement.People // nil: no question has several annotators
}

// refine adds the agreement by kind, where there are several, and by the columns asked for.
func refine(items []agreement.Item, results []validated, by []string, seed uint64) ([]shownResult, error) {
	if len(by) == 0 && len(agreement.KindsOf(items)) > 1 {
		by = append(by, "kind")
	}
	if !slices.Contains(by, agreement.LanguageColumn) && agreement.InLanguages(items) {
		by = append(slices.Clone(by), agreement.LanguageColumn)
	}
	var out []shownResult
	for _, v := range results {
		s := shownResult{validated: v, texts: agreement.MeasureTexts(items, v.verdicts)}
		for _, column := range by {
			parts, err := agreement.By(column, v.report.Judge, items, v.verdicts, seed)
			if err != nil {
				return nil, err
			}
			s.parts = append(s.parts, parts...)
		}
		if p, ok := agreement.MeasurePeople(items, v.verdicts); ok {
			s.people = &p
		}
		out = append(out, s)
	}
	return out, nil
}

// verdictLine is a judge's verdict on a question beside people's.
type verdictLine struct {
	Judge     string            `json:"judge"`
	Task      string            `json:"task"`
	System    string            `json:"system,omitempty"`
	Group     string            `json:"group,omitempty"`
	Kind      judge.Kind        `json:"kind"`
	Statement string            `json:"statement"`
	Human     *judge.Verdict    `json:"human"` // null where nobody labelled
	Columns   map[string]string `json:"columns,omitempty"`
	judge.Verdict
}

// verdictLines lists what every judge said of every question.
func verdictLines(items []agreement.Item, results []validated) []verdictLine {
	var out []verdictLine
	for _, r := range results {
		for i, it := range items {
			for k, q := range it.Task.Questions {
				line := verdictLine{
					Judge:     r.report.Judge,
					Task:      it.Task.ID,
					System:    it.System,
					Group:     it.Group,
					Kind:      q.Kind,
					Statement: q.Text,
					Verdict:   r.verdicts[i][k],
				}
				if k < len(it.Columns) {
					line.Columns = it.Columns[k]
				}
				if h := it.Human[k]; h.Scored() {
					line.Human = &h
				}
				out = append(out, line)
			}
		}
	}
	return out
}
