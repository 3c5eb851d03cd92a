package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"lore/cmd/lore/internal/report"
	"lore/cmd/lore/internal/run"
	"lore/datasets"
	"lore/datasets/crux"
	cruxbuild "lore/datasets/crux/build"
	"lore/datasets/msrs"
)

type buildCRUXFlags struct {
	runFlags
	docs, pairs, msrs, model string
	questions, eta, tries    int
}

func newBuildCRUX() *cobra.Command {
	var f buildCRUXFlags
	c := &cobra.Command{
		Use:   "crux --docs DIR --pairs FILE | crux --msrs DIR",
		Short: "Make a CRUX dataset",
		Long: "build crux makes topics and passages from summaries that people wrote and the\n" +
			"documents they wrote them from. A model splits each document into passages, and\n" +
			"makes a request and sub-questions of each summary; a judge grades every passage by\n" +
			"every question. Replies are checked and asked for again with the reason.\n\n" +
			"build-log.jsonl in the new folder lists every refusal and drop. The same command\n" +
			"goes on where an earlier one stopped.",
		Example: "  lore build crux --docs texts --pairs pairs.jsonl --model ollama:qwen3:8b --judge lexical --out mine\n" +
			"  lore build crux --msrs MSRS/story --limit 20 --model ollama:qwen3:8b --judge ollama:qwen3:8b --out mine",
		Args: usageArgs(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error { return buildCRUX(c, f) },
	}
	f.runFlags = noGeneration
	fl := c.Flags()
	fl.StringVar(&f.docs, "docs", "", "folder of .txt and .md files, or a .jsonl file with id and text")
	fl.StringVar(&f.pairs, "pairs", "", "lines of JSON: id, summary, documents")
	fl.StringVar(&f.msrs, "msrs", "", "take pairs from an MSRS folder: reference answers with their gold documents")
	fl.IntVar(&f.limit, "limit", 0, "use only the first N pairs; 0 is all")
	fl.StringVar(&f.model, "model", "", "model that writes: ollama:NAME")
	fl.StringVar(&f.judge, "judge", "lexical", "judge that grades")
	fl.IntVar(&f.questions, "questions", 10, "sub-questions per summary")
	fl.IntVar(&f.eta, "eta", 3, "least grade that makes a passage relevant")
	fl.IntVar(&f.tries, "tries", 3, "most tries of a reply that is refused")
	fl.StringVar(&f.out, "out", "", "folder to write")
	fl.StringVar(&f.prompts, "prompts", "", "folder whose files replace built-in prompts of the same name")
	fl.Uint64Var(&f.seed, "seed", 1, "seed of the model")
	addJudgeFlags(c, &f.runFlags)
	return c
}

func (f buildCRUXFlags) check() error {
	switch {
	case (f.msrs == "") == (f.docs == "" && f.pairs == ""), (f.docs == "") != (f.pairs == ""):
		return &run.UsageError{Msg: "build crux needs either --docs and --pairs, or --msrs"}
	case f.out == "":
		return &run.UsageError{Msg: "build crux needs --out"}
	case !strings.HasPrefix(f.model, "ollama:") || f.model == "ollama:":
		return &run.UsageError{Msg: "build crux needs --model ollama:NAME, which writes passages and questions"}
	case f.questions < 1 || f.questions > 50 || f.eta < 1 || f.eta > crux.MaxGrade || f.tries < 1 || f.limit < 0 || len(list(f.judge)) != 1:
		return &run.UsageError{Msg: fmt.Sprintf("--questions is from 1 to 50, --eta from 1 to %d, --tries at least 1, --limit not negative, and --judge one judge", crux.MaxGrade)}
	}
	if _, err := os.Stat(filepath.Join(f.out, crux.TopicsFile)); err == nil {
		return &run.UsageError{Msg: f.out + " holds a whole dataset already; choose another --out or remove it"}
	}
	return nil
}

// sources reads pairs and documents.
func (f buildCRUXFlags) sources() ([]cruxbuild.Pair, map[string]string, error) {
	texts := map[string]string{}
	var pairs []cruxbuild.Pair
	if f.msrs != "" {
		ds, err := msrs.Benchmark{}.Load([]string{f.msrs})
		if err != nil {
			return nil, nil, err
		}
		for _, d := range ds.Corpora[0].Documents {
			texts[d.ID] = d.Text
		}
		for _, it := range ds.Items {
			var gold []string
			for _, d := range ds.Corpora[0].Documents {
				if it.Query().Gold[d.ID] > 0 {
					gold = append(gold, d.ID)
				}
			}
			if len(gold) > 0 {
				pairs = append(pairs, cruxbuild.Pair{ID: "s" + it.ID(), Summary: it.(datasets.Referenced).References()[0], Documents: gold})
			}
		}
		return pairs, texts, nil
	}
	docs, err := readCorpus(f.docs)
	if err != nil {
		return nil, nil, err
	}
	for _, d := range docs {
		texts[strings.TrimSuffix(strings.TrimSuffix(d.ID, ".txt"), ".md")] = d.Text
	}
	data, err := os.ReadFile(f.pairs)
	if err != nil {
		return nil, nil, asInput(f.pairs, err)
	}
	pairs, err = cruxbuild.ReadPairs(f.pairs, data, texts)
	return pairs, texts, err
}

func buildCRUX(c *cobra.Command, f buildCRUXFlags) error {
	if err := f.check(); err != nil {
		return err
	}
	pairs, texts, err := f.sources()
	if err != nil {
		return err
	}
	if f.limit > 0 && f.limit < len(pairs) {
		pairs = pairs[:f.limit]
	}
	opt, err := f.options(crux.Benchmark{})
	if err != nil {
		return err
	}
	stderr := c.ErrOrStderr()
	opt.Progress = newProgress(stderr)
	opt.Warn = func(s string) { fmt.Fprintln(stderr, "warning: "+report.Plain(s)) }
	door, err := run.OpenModel(c.Context(), opt, f.model, filepath.Join(f.out, "calls"), cruxbuild.Prompts())
	if err != nil {
		return err
	}
	defer door.Close()
	judges, err := run.OpenJudges(c.Context(), opt, filepath.Join(f.out, "calls-judge"))
	if err != nil {
		return err
	}
	defer judges.Close()
	session := makerFlags{tries: f.tries, model: f.model}.session(door, opt)
	b := &cruxbuild.Builder{Session: session, Judge: judges.List[0], Questions: f.questions, Eta: f.eta, Graded: opt.Progress.Start}
	topics, passages, err := b.Build(c.Context(), pairs, texts)
	if err != nil {
		return err
	}
	logFile := filepath.Join(f.out, "build-log.jsonl")
	if err := run.WriteLog(logFile, b.Log()); err != nil {
		return err
	}
	if len(topics) == 0 {
		return fmt.Errorf("%w: no topic was built of %d pairs; %s says why", errPartial, len(pairs), logFile)
	}
	if err := crux.Write(f.out, topics, passages); err != nil {
		return err
	}
	return f.finish(c, b, len(pairs), logFile)
}

// finish checks that the dataset loads and prints what became of the pairs.
func (f buildCRUXFlags) finish(c *cobra.Command, b *cruxbuild.Builder, asked int, logFile string) error {
	ds, err := crux.Benchmark{Etas: []int{f.eta}}.Load([]string{f.out})
	if err != nil {
		return err
	}
	g := datasets.Grid{Head: []string{"pairs", "topics", "passages", "refused replies", "grades not read", "dropped"},
		Rows: [][]string{{fmt.Sprint(asked), fmt.Sprint(len(ds.Items)), fmt.Sprint(documents(ds)), fmt.Sprint(b.Refused()), fmt.Sprint(b.Ungraded), fmt.Sprint(b.Dropped())}}}
	report.Text(c.OutOrStdout(), g)
	fmt.Fprintf(c.ErrOrStderr(), "What was done and why: %s\nNext: lore run crux %s\n", logFile, f.out)
	if b.Dropped()+b.Ungraded > 0 {
		return fmt.Errorf("%w: %d pairs or documents were dropped and %d grades could not be read; %s says why", errPartial, b.Dropped(), b.Ungraded, logFile)
	}
	return nil
}
