package main

import (
	"errors"
	"fmt"
	"io"
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
	"lore/judge"
	"lore/judge/agreement"
	"lore/judge/llm"
	"lore/local/files"
)

type auditFlags struct {
	modelFlags
	judgeFlags
	out, format    string
	json, estimate bool
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
	group(c, outputFlags, func(fl *pflag.FlagSet) {
		fl.BoolVar(&f.json, "json", false, "print JSON")
		fl.BoolVar(&f.estimate, "estimate", false, "only say how many calls it takes, and how long, from three of them")
		fl.StringVar(&f.out, "out", filepath.Join("lore-runs", "audit"), "`folder` for the journal of a model judge")
	})
	return c
}

// labelFile is a file of labels that was read.
type labelFile struct {
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
	if len(args) == 0 {
		return printGrids(c.OutOrStdout(), f.format, []datasets.Grid{shippedGrid(names)})
	}
	all, err := labelFiles(c, args)
	if err != nil {
		return err
	}
	if f.estimate {
		return estimate(c, f, names, all)
	}

	var cards []agreement.Card
	for _, name := range names {
		card, err := auditJudge(c, f, name, all)
		if err != nil {
			return err
		}
		cards = append(cards, card)
	}
	return printCards(c.OutOrStdout(), f, cards)
}

// labelFiles reads the files, and those of the folders, that are named.
func labelFiles(c *cobra.Command, args []string) ([]labelFile, error) {
	var paths []string
	for _, arg := range args {
		if !isFolder(arg) {
			paths = append(paths, arg)
			continue
		}
		entries, err := os.ReadDir(arg)
		if err != nil {
			return nil, files.Unreadable(arg, err, "give a folder with files of labels")
		}
		n := len(paths)
		for _, e := range entries {
			if ext := strings.ToLower(filepath.Ext(e.Name())); ext == ".jsonl" || ext == ".csv" {
				paths = append(paths, filepath.Join(arg, e.Name()))
			}
		}
		if len(paths) == n {
			return nil, &files.Error{File: arg, Msg: "has no files of labels", Remedy: "they end in .jsonl or .csv"}
		}
	}

	var out []labelFile
	for _, path := range paths {
		items, err := loadLabels(c, path, "")
		if err != nil {
			return nil, err
		}
		name := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
		for i := range items { // tasks of different files are different
			items[i].Task.ID = name + " " + items[i].Task.ID
		}
		out = append(out, labelFile{name, items})
	}
	return out, nil
}

// auditJudge makes a judge's card, and keeps it.
func auditJudge(c *cobra.Command, f auditFlags, name string, all []labelFile) (agreement.Card, error) {
	card := agreement.Card{Format: agreement.CardFormat, Judge: name}
	console := usage.NewConsole(c.ErrOrStderr())
	var last validated
	for _, file := range all {
		if lacks := lackingRecord(name, file); lacks != "" {
			console.Note(fmt.Sprintf("%s has no verdicts of %s, and is left out", file.name, lacks))
			continue
		}
		p, err := openPanel(c, f.modelFlags, f.judgeFlags, f.out, []string{name}, file.items)
		if err != nil {
			return card, err
		}
		last, err = p.ask(c.Context(), name, f.seed)
		err = errors.Join(err, p.Close())
		if err != nil {
			return card, err
		}
		card.Judge = last.report.Judge
		if len(last.languages.Texts) > 0 {
			console.Note(file.name + ":")
			report.LanguageLines(c.ErrOrStderr(), last.languages)
		}
		card.Rows = append(card.Rows, agreement.NewRows(card.Judge, file.name, file.items, last.verdicts, f.seed)...)
	}
	if len(card.Rows) == 0 {
		return card, usage.Errorf("none of the files has labels that %s can be measured on", name)
	}

	cache := cacheDir(f.cache)
	if cache == "" {
		console.Note("the card is not kept: there is no cache folder")
		return card, nil
	}
	path, err := models.SaveCard(cache, card, last.keys)
	if err != nil {
		console.Warn(fmt.Sprintf("the card cannot be kept: %v", err))
		return card, nil
	}
	console.Note(fmt.Sprintf("reports print the card of %s from now on; it is kept as %s", card.Judge, path))
	return card, nil
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

// trials are the calls that an estimate is made from. They are kept: the audit does not make them
// again.
const trials = 3

// estimate says what an audit would take.
func estimate(c *cobra.Command, f auditFlags, names []string, all []labelFile) error {
	w := c.OutOrStdout()
	for _, name := range names {
		for _, part := range models.SplitJudge(name) {
			if !models.IsOllama(part) {
				fmt.Fprintf(w, "%s: no calls\n", part)
				continue
			}
			low, high, err := trial(c, f, part, all)
			if err != nil {
				return err
			}
			calls := callsOf(all, f.batch)
			whole := func(each time.Duration) time.Duration {
				return (each * time.Duration(calls) / time.Duration(max(f.slots, 1))).Round(time.Second)
			}
			fmt.Fprintf(w, "%s: at most %d calls; %d of them took %s to %s each: %s to %s in all, with --slots %d\n",
				part, calls, trials, low.Round(time.Millisecond), high.Round(time.Millisecond),
				whole(low), whole(high), f.slots)
		}
	}
	return nil
}

// callsOf counts the calls of a model: one a question, or one a text and kind with --batch.
func callsOf(all []labelFile, batch bool) int {
	n := 0
	for _, file := range all {
		for _, it := range file.items {
			if batch && llm.Batchable(it.Task) {
				n++
				continue
			}
			n += len(it.Task.Questions)
		}
	}
	return n
}

// trial times a model on single questions from all over the files, after one that loads it.
func trial(c *cobra.Command, f auditFlags, part string, all []labelFile) (low, high time.Duration, err error) {
	var items []agreement.Item
	for _, file := range all {
		items = append(items, file.items...)
	}
	own := f.judgeFlags
	own.judge, own.calibration, own.batch = part, "", false
	p, err := openPanel(c, f.modelFlags, own, f.out, []string{part}, items)
	if err != nil {
		return 0, 0, err
	}
	defer p.Close()

	for i := range trials + 1 {
		t := items[i*(len(items)-1)/trials].Task
		t.Questions = t.Questions[:1]
		start := time.Now()
		if _, err := p.parts[part].Judge(c.Context(), []judge.Task{t}, nil); err != nil {
			return 0, 0, err
		}
		took := time.Since(start)
		if i == 1 || i > 1 && took < low {
			low = took
		}
		if i > 0 {
			high = max(high, took)
		}
	}
	return low, high, nil
}

// withCards adds what the cache says of the judges of a run.
func withCards(r report.Run, cache string) report.Run {
	var names []string
	for _, row := range r.Table.Rows {
		if !slices.Contains(names, row.Judge) {
			names = append(names, row.Judge)
		}
	}
	r.Measured = models.Measured(cache, r.Manifest, names)
	return r
}
