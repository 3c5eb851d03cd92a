package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"lore/cmd/lore/internal/report"
	"lore/cmd/lore/internal/run"
	"lore/datasets"
	"lore/datasets/sources"
	"lore/datasets/summhay"
	summhaybuild "lore/datasets/summhay/build"
	"lore/judge/lexical"
	"lore/local/gate"
)

type buildSummHayFlags struct {
	makerFlags
	summhaybuild.Sizes
	topic, docs, participants      string
	edits, chapters, fresh, export int
	temperature                    float64
	estimate                       bool
}

func newBuildSummHay() *cobra.Command {
	var f buildSummHayFlags
	c := &cobra.Command{
		Use:   "summhay --docs DIR|FILE | summhay --topic TEXT",
		Short: "Synthesise and verify a SummHay haystack",
		Long: "build summhay makes a haystack in the published format, with a model that writes and\n" +
			"checks. From --docs, documents of your own, come the subtopics and insights of news\n" +
			"articles; from --topic alone, those of conversations. Each insight is planned for\n" +
			"several documents; a document is written, and edited until an audit finds that it\n" +
			"says what was planned and no other insight; one that cannot be mended is replaced.\n" +
			"What the audit found stands in the data, and a table counts what each check found.\n\n" +
			"Documents are read from .txt, .md and .html files, text that was extracted from PDF,\n" +
			"and .jsonl files with id and text. --estimate says what it will cost before anything\n" +
			"is made. build-log.jsonl in the new folder lists every refusal and drop. The same\n" +
			"command goes on where an earlier one stopped.\n\n" +
			"--export-validation N writes sheets for people, also for a haystack that is there\n" +
			"already; lore build summhay validate reads them.",
		Example: "  lore build summhay --docs texts --model ollama:qwen3:8b --estimate --out mine\n" +
			"  lore build summhay --docs texts --model ollama:qwen3:8b --slots 4 --out mine\n" +
			"  lore build summhay --topic 'neighbours plan a street festival' --model ollama:qwen3:8b --out festival",
		Args: usageArgs(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error { return buildSummHay(c, f) },
	}
	fl := c.Flags()
	fl.StringVar(&f.docs, "docs", "", "seed documents: a folder, or a .jsonl file with id and text")
	fl.StringVar(&f.topic, "topic", "", "what the haystack is about (with --docs: found by the model if not given)")
	fl.StringVar(&f.participants, "participants", "", "of conversations: people with who they are, separated by semicolons (default: invented)")
	fl.IntVar(&f.Sizes.Subtopics, "subtopics", 10, "number of subtopics")
	fl.IntVar(&f.Sizes.Insights, "insights", 6, "most insights of a subtopic; at least 3 are kept, or the subtopic is left out")
	fl.IntVar(&f.Sizes.Documents, "documents", 100, "number of documents")
	fl.IntVar(&f.Sizes.Words, "words", 750, "words of a document, about")
	fl.IntVar(&f.Sizes.Repeat, "repeat", 6, "documents that each insight is planned for")
	fl.IntVar(&f.edits, "edits", 5, "most edits of a document that disagrees with its plan")
	fl.IntVar(&f.chapters, "chapter-tries", 10, "most tries of a chapter of a conversation")
	fl.IntVar(&f.fresh, "replace", 2, "how often a document that cannot be mended is replaced by a new one")
	fl.Float64Var(&f.temperature, "temperature", 0.7, "sampling temperature of what is written; checks are greedy")
	fl.BoolVar(&f.estimate, "estimate", false, "measure the model with three short calls, print calls, tokens and time, and stop")
	fl.IntVar(&f.export, "export-validation", 0, "write sheets for people to check: all insights, and N documents")
	f.makerFlags.add(c)
	c.AddCommand(newSummHayValidate())
	return c
}

// haystackFile is the data: named after its folder, so that several haystacks can be
// run together.
func haystackFile(out string) string {
	abs, err := filepath.Abs(out)
	if err != nil {
		abs = out
	}
	return filepath.Base(abs) + ".json"
}

func (f buildSummHayFlags) check() error {
	switch {
	case f.docs == "" && f.topic == "":
		return &run.UsageError{Msg: "build summhay needs --docs, --topic, or both"}
	case f.model == "":
		return &run.UsageError{Msg: "build summhay needs --model ollama:NAME"}
	case f.edits < 0 || f.chapters < 1 || f.fresh < 0 || f.export < 0 || !(f.temperature >= 0 && f.temperature <= 2):
		return &run.UsageError{Msg: "--edits, --replace and --export-validation are not negative, --chapter-tries at least 1, and --temperature from 0 to 2"}
	case f.docs != "" && f.participants != "":
		return &run.UsageError{Msg: "--participants are of conversations, which are made from --topic alone"}
	}
	if err := f.Sizes.Check(); err != nil {
		return &run.UsageError{Msg: err.Error()}
	}
	return f.makerFlags.check("build summhay", haystackFile(f.out))
}

// seeds reads the documents; one alone, or none, makes no haystack.
func (f buildSummHayFlags) seeds(c *cobra.Command) ([]datasets.Document, error) {
	if f.docs == "" {
		return nil, nil
	}
	docs, notes, err := sources.Read(f.docs)
	for _, n := range notes {
		fmt.Fprintln(c.ErrOrStderr(), "warning: "+report.Plain(n))
	}
	if err == nil && len(docs) < 2 {
		err = &datasets.InputError{File: f.docs, Msg: "holds one document; a haystack is made from at least 2", Remedy: "add documents, or split it into its articles"}
	}
	return docs, err
}

func buildSummHay(c *cobra.Command, f buildSummHayFlags) error {
	path := filepath.Join(f.out, haystackFile(f.out))
	if _, err := os.Stat(path); err == nil && f.export > 0 && f.out != "" {
		return f.exportSheets(c, path)
	}
	if err := f.check(); err != nil {
		return err
	}
	seeds, err := f.seeds(c)
	if err != nil {
		return err
	}
	opt, err := f.options(c)
	if err != nil {
		return err
	}
	b := &summhaybuild.Builder{Sizes: f.Sizes, Topic: f.topic, Conversation: f.docs == "", Edits: f.edits, Chapters: f.chapters, Fresh: f.fresh, Workers: 2 * f.slots,
		Temperature: f.temperature, Seed: f.seed, Judge: lexical.Judge{}}
	for p := range strings.SplitSeq(f.participants, ";") {
		if p = strings.TrimSpace(p); p != "" {
			b.Participants = append(b.Participants, p)
		}
	}
	calls := filepath.Join(f.out, "calls")
	if f.estimate {
		calls = ""
	}
	door, err := run.OpenModel(c.Context(), opt, f.model, calls, summhaybuild.Prompts())
	if err != nil {
		return err
	}
	defer door.Close()
	if err := door.Reserve(b.Window(seeds)); err != nil {
		return err
	}
	if err := door.Probe(c.Context()); err != nil {
		return err
	}
	if f.estimate {
		return f.printEstimate(c, b.Estimate(seeds), door)
	}
	b.Session = f.session(door, opt)
	file, err := b.Build(c.Context(), seeds)
	if err != nil {
		return err
	}
	logFile := filepath.Join(f.out, "build-log.jsonl")
	if err := run.WriteLog(logFile, b.Log()); err != nil {
		return err
	}
	report.Text(c.OutOrStdout(), b.Quality().Grid())
	return f.finish(c, b, file, path, logFile, door.Gate.Usage())
}

// finish writes the haystack, checks that it loads, and says what is less than was
// asked for.
func (f buildSummHayFlags) finish(c *cobra.Command, b *summhaybuild.Builder, file *summhay.File, path, logFile string, usage []gate.ModelUsage) error {
	stdout, stderr := c.OutOrStdout(), c.ErrOrStderr()
	q := b.Quality()
	if file == nil || len(file.Documents) == 0 {
		return fmt.Errorf("%w: no haystack was built: %d subtopics and %d documents passed; %s says why", errPartial, q.SubtopicsKept, q.DocumentsKept, logFile)
	}
	fmt.Fprintln(stdout)
	report.Text(stdout, summhaybuild.Assignment(file))
	if err := summhay.WriteFile(path, file); err != nil {
		return err
	}
	ds, err := summhay.Benchmark{}.Load([]string{path})
	if err != nil {
		return err
	}
	for _, w := range ds.Warnings {
		fmt.Fprintln(stderr, "warning: "+report.Plain(w))
	}
	if f.export > 0 {
		if err := f.exportSheets(c, path); err != nil {
			return err
		}
	}
	printUsage(stdout, stderr, usage)
	fmt.Fprintf(stderr, "What was done and why: %s\nNext: lore run summhay %s\n", logFile, path)
	if q.SubtopicsKept < f.Sizes.Subtopics || len(file.Documents) < f.Sizes.Documents {
		return fmt.Errorf("%w: %d of %d subtopics and %d of %d documents were made; %s says why", errPartial, q.SubtopicsKept, f.Sizes.Subtopics, len(file.Documents), f.Sizes.Documents, logFile)
	}
	return nil
}

func (f buildSummHayFlags) printEstimate(c *cobra.Command, costs []summhaybuild.Cost, door *run.Door) error {
	speed, err := door.Measure(c.Context())
	if err != nil {
		return err
	}
	g := datasets.Grid{Title: "Estimate", Head: []string{"stage", "calls", "prompt tokens", "output tokens", "time"},
		Note: fmt.Sprintf("if every reply passes at once; measured: %.0f prompt and %.0f output tokens a second; times are for %d at once, as if none slowed another down", speed.Prompt, speed.Output, f.slots)}
	var all summhaybuild.Cost
	row := func(name string, k summhaybuild.Cost) {
		seconds := (float64(k.Prompt)/speed.Prompt + float64(k.Output)/speed.Output) / float64(f.slots)
		g.Rows = append(g.Rows, []string{name, fmt.Sprint(k.Calls), fmt.Sprint(k.Prompt), fmt.Sprint(k.Output), (time.Duration(seconds) * time.Second).String()})
	}
	for _, k := range costs {
		if k.Calls > 0 {
			row(k.Stage, k)
		}
		all.Calls, all.Prompt, all.Output = all.Calls+k.Calls, all.Prompt+k.Prompt, all.Output+k.Output
	}
	row("all", all)
	report.Text(c.OutOrStdout(), g)
	return nil
}

// exportSheets writes the sheets of a haystack into the folder validation beside it.
func (f buildSummHayFlags) exportSheets(c *cobra.Command, path string) error {
	file, err := readHaystack(path)
	if err != nil {
		return err
	}
	insights, err1 := summhaybuild.InsightSheet(file, f.seed)
	documents, err2 := summhaybuild.DocumentSheet(file, f.export, f.seed)
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	dir := filepath.Join(filepath.Dir(path), "validation")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return fmt.Errorf("make the folder for sheets: %w", err)
	}
	for name, data := range map[string][]byte{"insights.csv": insights, "documents.csv": documents} {
		sheet := filepath.Join(dir, name)
		if _, err := os.Stat(sheet); err == nil {
			return &run.UsageError{Msg: sheet + " is there already, perhaps filled in; move it away first"}
		}
		if err := os.WriteFile(sheet, data, 0o666); err != nil {
			return fmt.Errorf("write a sheet: %w", err)
		}
	}
	fmt.Fprintf(c.ErrOrStderr(), "Sheets for people: %s\nNext, when they are filled in: lore build summhay validate %s %s\n", filepath.Join(dir, "*.csv"), path, filepath.Join(dir, "*.csv"))
	return nil
}

func readHaystack(path string) (*summhay.File, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, asInput(path, err)
	}
	return summhay.Parse(path, data)
}

func newSummHayValidate() *cobra.Command {
	return &cobra.Command{
		Use:   "validate HAYSTACK SHEET...",
		Short: "Measure how far people agree with a haystack",
		Long: "validate reads sheets that were written by --export-validation and filled in: of\n" +
			"insights the numbers of their subtopics, of documents yes or no per statement. It\n" +
			"prints what the paper's Tables 4 and 5 do. Sheets of several people add up.",
		Example: "  lore build summhay validate mine/mine.json mine/validation/insights.csv mine/validation/documents.csv",
		Args:    usageArgs(cobra.MinimumNArgs(2)),
		RunE: func(c *cobra.Command, args []string) error {
			file, err := readHaystack(args[0])
			if err != nil {
				return err
			}
			var v summhaybuild.Validation
			for _, name := range args[1:] {
				data, err := os.ReadFile(name)
				if err != nil {
					return asInput(name, err)
				}
				if err := v.Read(file, name, data); err != nil {
					return err
				}
			}
			for i, g := range v.Grids() {
				if i > 0 {
					fmt.Fprintln(c.OutOrStdout())
				}
				report.Text(c.OutOrStdout(), g)
			}
			return nil
		},
	}
}
