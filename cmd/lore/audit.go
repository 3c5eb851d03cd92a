package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"lore/cmd/lore/internal/models"
	"lore/cmd/lore/internal/report"
	"lore/cmd/lore/internal/usage"
	"lore/datasets"
	"lore/judge/agreement"
	"lore/judge/ensemble"
	"lore/judge/lexical"
	"lore/local/files"
)

type auditFlags struct {
	modelFlags
	judgeFlags
	estimateFlags
	out, format string
	json        bool
}

// cardFormats are those of a card.
var cardFormats = append(slices.Clone(formats), "json")

func newAudit() *cobra.Command {
	var f auditFlags
	c := &cobra.Command{
		Use:   "audit [FILE... | FOLDER]",
		Short: "Make the card of a judge: how far it may be trusted, by kind of question and of text",
		Long: "audit measures judges on many files of people's labels, and prints a card for each: by kind of\n" +
			"question, kind of text and language, with intervals, people's own agreement, simple baselines\n" +
			"and a verdict in words. The card stays in the cache folder, by the judge's weights and prompts,\n" +
			"and reports print it. Without files it prints what is known of the judges so far.",
		Example: "  lore judge audit labels/ --judge lexical\n" +
			"  lore judge audit labels/ --judge ollama:qwen3:8b --estimate",
		Args: usageArgs(cobra.ArbitraryArgs),
		RunE: func(c *cobra.Command, args []string) error { return audit(c, f, args) },
	}

	f.judgeFlags.add(c, lexicalJudge, "comma-separated judges: "+judgeHelp+", or recorded:KEY")
	f.modelFlags.add(c)
	formatFlag(c, &f.format, cardFormats)
	f.estimateFlags.add(c)
	group(c, outputFlags, func(fl *pflag.FlagSet) {
		fl.BoolVar(&f.json, "json", false, "print JSON")
		fl.StringVar(&f.out, "out", filepath.Join("lore-runs", "audit"), "`folder` for the journal of a model judge")
	})
	return c
}

// labelFile is a file of labels that was read.
type labelFile struct {
	path  string
	name  string // without folder and ending
	items []agreement.Item
}

func audit(c *cobra.Command, f auditFlags, args []string) error {
	if err := checkFormat(f.format, cardFormats); err != nil {
		return err
	}
	names := usage.List(f.judge)
	if len(names) == 0 {
		return usage.Errorf("--judge needs at least one name")
	}
	if err := unique("judge", names); err != nil {
		return err
	}
	if err := f.estimateFlags.check(); err != nil {
		return err
	}
	if f.on && f.format != formats[0] {
		return usage.Errorf("--estimate prints text, or JSON by --json; leave --format out")
	}
	if len(args) == 0 && f.on {
		return usage.Errorf("--estimate needs files of labels")
	}
	if err := checkAudited(names, len(args) > 0); err != nil {
		return err
	}
	if len(args) == 0 {
		return printGrids(c.OutOrStdout(), f.format, []datasets.Grid{shippedGrid(names)})
	}
	all, err := labelFiles(c, args)
	if err != nil {
		return err
	}
	fit, err := fitting(usage.NewConsole(c.ErrOrStderr()), names, all)
	if err != nil {
		return err
	}
	if f.on {
		return estimateAudit(c, f, names, fit, all)
	}

	cards, err := auditAll(c, f, names, fit, all)
	if err != nil {
		return err
	}
	return printCards(c.OutOrStdout(), f, cards)
}

// checkAudited refuses names of judges that do not exist, and recorded ones where there are no files.
func checkAudited(names []string, files bool) error {
	for _, name := range names {
		parts := models.SplitJudge(name)
		for _, part := range parts {
			recorded := strings.HasPrefix(part, recordedJudge)
			if recorded && !files {
				return usage.Errorf("the verdicts of %s stand in files of labels: name these, too", part)
			}
			if recorded {
				continue
			}
			if err := models.CheckJudges([]string{part}); err != nil {
				return err
			}
		}
		if err := models.CheckParts(name, parts); err != nil {
			return err
		}
	}
	return nil
}

// labelFiles reads the files, and those of the folders, that are named.
func labelFiles(c *cobra.Command, args []string) ([]labelFile, error) {
	var paths []string
	for _, arg := range args {
		if !isFolder(arg) {
			paths = append(paths, arg)
			continue
		}
		below, err := labelsIn(c, arg)
		if err != nil {
			return nil, err
		}
		paths = append(paths, below...)
	}

	var out []labelFile
	for _, path := range paths {
		items, err := loadLabels(c, path, "")
		if err != nil {
			return nil, err
		}
		name := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
		if slices.ContainsFunc(out, func(f labelFile) bool { return f.name == name }) {
			return nil, usage.Errorf("two files are called %s, by which a card names its labels; rename one of them", name)
		}
		for i := range items { // tasks of different files are different
			items[i].Task.ID = name + " " + items[i].Task.ID
		}
		out = append(out, labelFile{path, name, items})
	}
	return out, nil
}

// labelsIn are the files of labels in a folder. Published labels end in .json, as much else does: what cannot
// be read as such is left out, and said.
func labelsIn(c *cobra.Command, dir string) (paths []string, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, files.Unreadable(dir, err, "give a folder with files of labels")
	}
	console := usage.NewConsole(c.ErrOrStderr())
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		switch ending := strings.ToLower(filepath.Ext(e.Name())); {
		case slices.Contains(labelEndings, ending):
			paths = append(paths, path)
		case ending == ".json":
			if _, err := publishedLabels(path); err != nil {
				console.Note(fmt.Sprintf("left out, since it is not read as published labels: %v", err))
				continue
			}
			paths = append(paths, path)
		}
	}
	if len(paths) == 0 {
		const remedy = "they end in .jsonl, .csv or .tsv; published ones in .json"
		return nil, &files.Error{File: dir, Msg: "has no files of labels", Remedy: remedy}
	}
	return paths, nil
}

// fitting are the files that each judge can be measured on.
func fitting(console usage.Console, names []string, all []labelFile) (fit map[string][]labelFile, err error) {
	fit = map[string][]labelFile{}
	for _, name := range names {
		if fit[name], err = recordedIn(console, name, all); err != nil {
			return nil, err
		}
	}
	return fit, nil
}

// auditAll makes the judges' cards. All judges are opened before one is asked, so that a wrong path is
// known at once.
func auditAll(
	c *cobra.Command, f auditFlags, names []string, fit map[string][]labelFile, all []labelFile,
) (cards []agreement.Card, err error) {
	console := usage.NewConsole(c.ErrOrStderr())
	p, err := openPanel(c, f.modelFlags, f.judgeFlags, f.out, names, itemsOf(all))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	for _, file := range all {
		warnCalibratedOn(console, p.how, file.path)
	}
	for _, name := range names {
		for _, file := range fit[name] {
			p.over(file.items).foresee([]string{name})
		}
	}
	for _, name := range names {
		card, err := auditJudge(c, f, p, name, fit[name])
		if err != nil {
			return nil, err
		}
		cards = append(cards, card)
	}
	return cards, nil
}

// warnCalibratedOn says where a judge is measured on the labels it was calibrated with.
func warnCalibratedOn(console usage.Console, how models.Judging, path string) {
	if how.Calibration == nil {
		return
	}
	if hash, err := labelsHash(path, ""); err == nil && hash == how.Calibration.Data {
		console.Warn(fmt.Sprintf("%s holds the labels that %s was made from: the figures on them flatter the calibrated judge",
			path, how.CalibrationFile))
	}
}

// recordedIn leaves out the files that lack a judge's recorded verdicts, and says so.
func recordedIn(console usage.Console, name string, all []labelFile) ([]labelFile, error) {
	some := slices.DeleteFunc(slices.Clone(all), func(file labelFile) bool {
		lacks := lackingRecord(name, file)
		if lacks != "" {
			console.Note(fmt.Sprintf("%s has no verdicts of %s, and is left out", file.name, lacks))
		}
		return lacks != ""
	})
	if len(some) == 0 {
		return nil, usage.Errorf("none of the files has labels that %s can be measured on", name)
	}
	return some, nil
}

// auditJudge makes a judge's card, and keeps it. A model has one window for all files, so that it is
// loaded once, and so that the calls of an estimate are not made again.
func auditJudge(c *cobra.Command, f auditFlags, p *panel, name string, all []labelFile) (agreement.Card, error) {
	card := agreement.Card{Format: agreement.CardFormat, Judge: name}
	if err := p.over(itemsOf(all)).reserve(name); err != nil {
		return card, err
	}

	kept := ""
	for _, file := range all {
		last, err := p.over(file.items).ask(c.Context(), name, f.seed)
		if err != nil {
			return card, err
		}
		card.Judge = last.report.Judge
		if len(last.languages.Texts) > 0 {
			p.console.Note(file.name + ":")
			report.LanguageLines(c.ErrOrStderr(), last.languages)
		}
		card.Rows = append(card.Rows, agreement.NewRows(card.Judge, file.name, file.items, last.verdicts, f.seed)...)
		kept = keepCard(p.console, cacheDir(f.cache), card, last.keys) // after each file: an interrupt loses one at most
	}
	switch {
	case cacheDir(f.cache) == "":
		p.console.Note("the card is not kept: there is no cache folder")
	case kept != "":
		p.console.Note(fmt.Sprintf("reports print the card of %s from now on; it is kept as %s", card.Judge, kept))
	}
	return card, nil
}

// itemsOf are those of all files.
func itemsOf(all []labelFile) []agreement.Item {
	var out []agreement.Item
	for _, file := range all {
		out = append(out, file.items...)
	}
	return out
}

// keepCard puts a card into the cache, where reports find it, and gives its file; empty where it is not kept.
func keepCard(console usage.Console, cache string, card agreement.Card, parts []ensemble.Part) string {
	if cache == "" {
		return ""
	}
	path, err := models.SaveCard(cache, card, parts)
	if err != nil {
		console.Warn(fmt.Sprintf("the card cannot be kept: %v", err))
		return ""
	}
	return path
}

// lackingRecord names a recorded part of a judge that a file does not have; empty for none.
func lackingRecord(name string, file labelFile) string {
	for _, part := range models.SplitJudge(name) {
		key, recorded := strings.CutPrefix(part, recordedJudge)
		has := func(it agreement.Item) bool { return it.Recorded[key] != nil }
		if recorded && !slices.ContainsFunc(file.items, has) {
			return part
		}
	}
	return ""
}

func printCards(w io.Writer, f auditFlags, cards []agreement.Card) error {
	if f.json || f.format == "json" {
		return report.WriteJSON(w, map[string]any{"limits": agreement.VerdictLimits, "cards": cards})
	}
	var grids []datasets.Grid
	for _, c := range cards {
		grids = append(grids, cardGrid(c))
	}
	return printGrids(w, f.format, grids)
}

// cardGrid is a card for people.
func cardGrid(c agreement.Card) datasets.Grid {
	g := datasets.Grid{
		Title: "Card of " + c.Judge,
		Head: []string{
			"question", "texts", "language", "labels", "Pearson", "95 % interval", "of score", "AUC", "bias",
			"Kendall of systems", "people", "accuracy", "majority", "word recall", "length", "worth", "verdict",
		},
		Note: agreement.VerdictLimits + " people: Pearson of annotators, mean over pairs. " +
			"majority: accuracy of people's most frequent label. word recall and length: Pearson of the share of " +
			"the statement's words in the text, and of the text's words. language: told from the text, where no column says it.",
	}
	if hasLexical(c.Judge) {
		g.Note += " The lexical judge was fitted on " + lexical.Current.Data + ": labels of these sets flatter it " +
			"(docs/judges.md#the-lexical-judge)."
	}
	cell := func(v *float64) string {
		if v == nil {
			return datasets.NoValue
		}
		return fmt.Sprintf("%.2f", *v)
	}
	for _, r := range c.Rows {
		g.Rows = append(g.Rows, []string{
			string(r.Kind),
			r.Texts,
			r.Language,
			fmt.Sprint(r.N),
			cell(r.Pearson),
			cell(r.Low) + " to " + cell(r.High),
			cell(r.Score),
			cell(r.AUC),
			cell(r.Bias),
			fmt.Sprintf("%s (%d)", cell(r.Kendall), r.Systems),
			cell(r.People),
			cell(r.Accuracy),
			cell(r.Majority),
			cell(r.Recall),
			cell(r.Length),
			string(r.Worth),
			string(r.Verdict),
		})
	}
	return g
}

// shippedGrid is what lore knows of judges without measuring anything.
func shippedGrid(names []string) datasets.Grid {
	g := datasets.Grid{
		Title: "Known of " + strings.Join(names, ", "),
		Head:  []string{"judge", "question", "texts", "agreement", "worth", "measured on"},
		Note:  "Give files of labels to measure more.",
	}
	for _, k := range agreement.AllKnown() {
		if slices.Contains(names, k.Judge) {
			g.Rows = append(g.Rows, []string{k.Judge, string(k.Kind), k.Texts, k.String(), string(k.Worth), k.Set})
		}
	}
	return g
}

// withCards adds what the cache says of the judges of a run.
func withCards(c *cobra.Command, r report.Run, cache string) report.Run {
	var names []string
	for _, row := range r.Table.Rows {
		if !slices.Contains(names, row.Judge) {
			names = append(names, row.Judge)
		}
	}
	r.Measured = models.Measured(cache, r.Manifest, names, usage.NewConsole(c.ErrOrStderr()).Warn)
	return r
}
