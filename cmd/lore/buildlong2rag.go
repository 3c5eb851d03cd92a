package main

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"lore/cmd/lore/internal/report"
	"lore/cmd/lore/internal/run"
	"lore/datasets"
	"lore/datasets/long2rag"
	long2ragbuild "lore/datasets/long2rag/build"
	"lore/local/gate"
)

// long2ragFile holds the questions of a build; the verified ones lie in a folder beside.
const long2ragFile = "questions.jsonl"

type buildLong2RAGFlags struct {
	makerFlags
	questions, docs, retriever, rerank, domains string
	evolve, criteria, rounds                    int
	threshold                                   float64
}

func newBuildLong2RAG() *cobra.Command {
	var f buildLong2RAGFlags
	c := &cobra.Command{
		Use:   "long2rag --questions FILE --docs DIR|FILE --model ollama:NAME",
		Short: "Make a Long²RAG dataset",
		Long: "build long2rag makes questions with documents and key points from questions to start\n" +
			"with and a corpus. A model screens the questions by five criteria, may evolve new ones\n" +
			"from them for every category and domain, splits each into sub-questions to search by,\n" +
			"and reads the best documents several times for key points with evidence copied word\n" +
			"for word. Points that say the same are merged, and those that the model finds\n" +
			"significant are kept.\n\n" +
			"build-log.jsonl in the new folder lists every refusal, repair and drop. The same\n" +
			"command goes on where an earlier one stopped. People then check the key points:\n" +
			"lore build long2rag sheets, and verify.",
		Example: "  lore build long2rag --questions seeds.txt --docs texts --model ollama:qwen3:8b --out mine\n" +
			"  lore build long2rag --questions seeds.txt --docs texts --model ollama:qwen3:8b --evolve 1 --domains history,biology --rerank rerank:cross:models/cross --out mine",
		Args: usageArgs(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error { return buildLong2RAG(c, f) },
	}
	fl := c.Flags()
	fl.StringVar(&f.questions, "questions", "", "questions to start with: a line each, or lines of JSON with question and perhaps id, category, domain")
	fl.StringVar(&f.docs, "docs", "", "corpus: a folder of .txt and .md files, or a .jsonl file with id and text")
	fl.StringVar(&f.retriever, "retriever", "bm25", "searches documents by each sub-question")
	fl.StringVar(&f.rerank, "rerank", "", "stages that order what was found by the question itself, as after \">\" in --retriever of lore run (default: the fused ranking)")
	fl.IntVar(&f.evolve, "evolve", 0, "new questions per category, domain and method (in width, in depth); 0 keeps the given ones themselves")
	fl.StringVar(&f.domains, "domains", strings.Join(long2rag.Domains, ","), "comma list of the domains to evolve questions for")
	fl.IntVar(&f.criteria, "criteria", long2ragbuild.LeastCriteria, "how many of the five criteria a question must meet, 0 to 5")
	fl.IntVar(&f.rounds, "rounds", 2, "how often each document is read for key points")
	fl.Float64Var(&f.threshold, "threshold", long2ragbuild.Threshold, "least significance of a key point, 0 to 1")
	f.makerFlags.add(c)
	f.retrievalFlags.add(c)
	c.AddCommand(newLong2RAGSheets(), newLong2RAGVerify())
	return c
}

func (f buildLong2RAGFlags) check() error {
	switch {
	case f.questions == "" || f.docs == "" || f.model == "":
		return &run.UsageError{Msg: "build long2rag needs --questions, --docs and --model"}
	case f.evolve < 0 || f.criteria < 0 || f.criteria > 5 || f.rounds < 1 || !(f.threshold >= 0 && f.threshold <= 1):
		return &run.UsageError{Msg: "--evolve is not negative, --criteria from 0 to 5, --rounds at least 1, and --threshold from 0 to 1"}
	case f.evolve > 0 && len(list(f.domains)) == 0:
		return &run.UsageError{Msg: "--evolve needs --domains"}
	}
	return f.makerFlags.check("build long2rag", long2ragFile)
}

func buildLong2RAG(c *cobra.Command, f buildLong2RAGFlags) error {
	if err := f.check(); err != nil {
		return err
	}
	data, err := os.ReadFile(f.questions)
	if err != nil {
		return asInput(f.questions, err)
	}
	seeds, err := long2ragbuild.ReadSeeds(f.questions, data)
	if err != nil {
		return err
	}
	docs, err := readCorpus(f.docs)
	if err != nil {
		return err
	}
	opt, err := f.options(c)
	if err != nil {
		return err
	}
	if opt.Retrievers, err = f.parse(f.retriever); err != nil {
		return err
	}
	if len(opt.Retrievers) != 1 {
		return &run.UsageError{Msg: "--retriever is one pipeline"}
	}
	stages, err := run.ParseStages(f.rerank)
	if err != nil {
		return err
	}
	door, err := run.OpenModel(c.Context(), opt, f.model, filepath.Join(f.out, "calls"), long2ragbuild.Prompts())
	if err != nil {
		return err
	}
	defer door.Close()
	corpus := map[string]string{}
	for _, d := range docs {
		corpus[d.ID] = d.Text
	}
	if err := door.Reserve(long2ragbuild.Window(corpus)); err != nil {
		return err
	}
	if err := door.Probe(c.Context()); err != nil {
		return err
	}
	b := &long2ragbuild.Builder{Session: f.session(door, opt), Domains: list(f.domains), Evolve: f.evolve, Criteria: f.criteria, Rounds: f.rounds, Threshold: f.threshold, Seed: f.seed,
		Find: func(ctx context.Context, questions []long2ragbuild.Search) ([][]string, error) {
			return run.FindDocuments(ctx, opt, filepath.Join(f.out, "calls-search"), docs, stages, questions, long2rag.Shown)
		}}
	questions, err := b.Build(c.Context(), seeds, corpus)
	if err != nil {
		return err
	}
	logFile := filepath.Join(f.out, "build-log.jsonl")
	if err := run.WriteLog(logFile, b.Log()); err != nil {
		return err
	}
	return f.finish(c, b.Report(), questions, logFile, door.Gate.Usage())
}

// finish writes the data, checks that it loads, and prints what became of everything.
func (f buildLong2RAGFlags) finish(c *cobra.Command, r long2ragbuild.Report, questions []long2rag.Question, logFile string, usage []gate.ModelUsage) error {
	stdout, stderr := c.OutOrStdout(), c.ErrOrStderr()
	share := func(n, of int) string {
		if of == 0 {
			return fmt.Sprint(n)
		}
		return fmt.Sprintf("%d (%.1f %%)", n, 100*float64(n)/float64(of))
	}
	scored := 0
	for _, n := range r.Histogram {
		scored += n
	}
	g := datasets.Grid{Head: []string{"questions given", "screened in", "evolved", "built", "refused replies", "questions lost"},
		Rows: [][]string{{fmt.Sprint(r.Seeds), share(r.Screened, r.Seeds), fmt.Sprint(r.Evolved), fmt.Sprint(r.Questions), fmt.Sprint(r.Refused), fmt.Sprint(r.Dropped)}}}
	report.Text(stdout, g)
	fmt.Fprintln(stdout)
	g = datasets.Grid{Head: []string{"points read", "tag repaired", "rejected", "after merging", "mappings repaired", "without a score", "kept"},
		Rows: [][]string{{fmt.Sprint(r.Points), fmt.Sprint(r.Repaired), share(r.Rejected, r.Points), fmt.Sprint(r.Merged), fmt.Sprint(r.Unpartitioned), share(r.Unscored, r.Merged), share(r.Kept, r.Merged)}},
		Note: fmt.Sprintf("rejected: without evidence that stands in the document word for word; kept: significance of at least %g", f.threshold)}
	report.Text(stdout, g)
	if scored > 0 {
		fmt.Fprintln(stdout)
		g = datasets.Grid{Title: "Significance", Head: []string{"from", "to", "points", "share", "share so far"}, Note: "exp(YES) / (exp(YES) + exp(NO)) from the model's token probabilities"}
		sum := 0
		for i, n := range r.Histogram {
			sum += n
			g.Rows = append(g.Rows, []string{fmt.Sprintf("%.1f", float64(i)/10), fmt.Sprintf("%.1f", float64(i+1)/10), fmt.Sprint(n), fmt.Sprintf("%.1f", 100*float64(n)/float64(scored)), fmt.Sprintf("%.1f", 100*float64(sum)/float64(scored))})
		}
		report.Text(stdout, g)
	}
	if len(questions) == 0 {
		return fmt.Errorf("%w: %w of %d; %s says why", errPartial, long2ragbuild.ErrNothing, r.Seeds, logFile)
	}
	path := filepath.Join(f.out, long2ragFile)
	if err := datasets.WriteLines(path, questions); err != nil {
		return err
	}
	if _, err := (long2rag.Benchmark{}).Load([]string{path}); err != nil {
		return err
	}
	printUsage(stdout, stderr, usage)
	fmt.Fprintf(stderr, "What was done and why: %s\nNext: lore build long2rag sheets %s\n      lore run long2rag %s\n", logFile, f.out, path)
	if r.Dropped+r.Unscored > 0 {
		return fmt.Errorf("%w: %d questions were lost on the way and %d points have no score; %s says why", errPartial, r.Dropped, r.Unscored, logFile)
	}
	return nil
}

// builtQuestions reads the questions of a built dataset, by folder or file.
func builtQuestions(path string) ([]long2rag.Question, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, long2ragFile)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, asInput(path, err)
	}
	return long2rag.ReadQuestions(path, data)
}

func newLong2RAGSheets() *cobra.Command {
	var out string
	var raters int
	var shared float64
	var seed uint64
	c := &cobra.Command{
		Use:   "sheets DATA",
		Short: "Write sheets on which people check key points",
		Long: "sheets deals the key points of a dataset out to raters as CSV files, one each. A\n" +
			"rater fills in found_in_text (yes or no: does the text say it?) and\n" +
			"key_point_verdict (agree: it answers the question directly; neutral: background;\n" +
			"disagree: it does not belong into an answer). A share of the points goes to all\n" +
			"raters, to measure how far they agree.",
		Example: "  lore build long2rag sheets mine --raters 2 --out sheets",
		Args:    usageArgs(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, args []string) error {
			if raters < 1 || raters > 100 || !(shared >= 0 && shared <= 1) || out == "" {
				return &run.UsageError{Msg: "--raters is from 1 to 100, --shared from 0 to 1, and --out a folder"}
			}
			questions, err := builtQuestions(args[0])
			if err != nil {
				return err
			}
			sheets, err := long2ragbuild.Sheets(questions, raters, shared, seed)
			if err != nil {
				return err
			}
			if err := os.MkdirAll(out, 0o777); err != nil {
				return fmt.Errorf("make the folder for sheets: %w", err)
			}
			for i, s := range sheets {
				path := filepath.Join(out, fmt.Sprintf("rater%d.csv", i+1))
				if _, err := os.Stat(path); err == nil {
					return &run.UsageError{Msg: path + " is there already, perhaps filled in; choose another --out"}
				}
				if err := os.WriteFile(path, s, 0o666); err != nil {
					return fmt.Errorf("write a sheet: %w", err)
				}
				fmt.Fprintln(c.OutOrStdout(), path)
			}
			fmt.Fprintf(c.ErrOrStderr(), "Next, when they are filled in: lore build long2rag verify %s %s\n", args[0], filepath.Join(out, "*.csv"))
			return nil
		},
	}
	fl := c.Flags()
	fl.StringVar(&out, "out", "sheets", "folder to write")
	fl.IntVar(&raters, "raters", 2, "number of raters")
	fl.Float64Var(&shared, "shared", 0.1, "share of the points that all raters judge")
	fl.Uint64Var(&seed, "seed", 1, "seed of the deal")
	return c
}

func newLong2RAGVerify() *cobra.Command {
	var out string
	c := &cobra.Command{
		Use:   "verify DATA SHEET...",
		Short: "Keep the key points that people confirmed, and measure how far they agree",
		Long: "verify reads filled-in sheets, keeps the key points that more than half of their\n" +
			"raters found in the text and agree to be key points, and prints the free-marginal\n" +
			"multi-rater kappa over the points that all raters judged.",
		Example: "  lore build long2rag verify mine sheets/rater1.csv sheets/rater2.csv --out verified.jsonl",
		Args:    usageArgs(cobra.MinimumNArgs(2)),
		RunE:    func(c *cobra.Command, args []string) error { return verifyLong2RAG(c, args[0], args[1:], out) },
	}
	c.Flags().StringVar(&out, "out", "", "file to write (default: verified.jsonl beside the data)")
	return c
}

func verifyLong2RAG(c *cobra.Command, data string, files []string, out string) error {
	questions, err := builtQuestions(data)
	if err != nil {
		return err
	}
	if out == "" {
		dir := filepath.Dir(data)
		if info, err := os.Stat(data); err == nil && info.IsDir() {
			dir = data
		}
		out = filepath.Join(dir, "verified.jsonl")
	}
	var sheets [][]long2ragbuild.HumanVerdict
	open := 0
	for i, file := range files {
		if slices.Contains(files[:i], file) {
			return &run.UsageError{Msg: file + " is named twice"}
		}
		content, err := os.ReadFile(file)
		if err != nil {
			return asInput(file, err)
		}
		verdicts, n, err := long2ragbuild.ReadSheet(file, content, questions)
		if err != nil {
			return err
		}
		sheets, open = append(sheets, verdicts), open+n
	}
	v := long2ragbuild.Verify(questions, sheets)
	kappa := func(k float64, n int) string {
		if math.IsNaN(k) {
			return "–"
		}
		return fmt.Sprintf("%.2f (n %d)", k, n)
	}
	report.Text(c.OutOrStdout(), datasets.Grid{Head: []string{"key points", "judged", "found in the text", "kept", "κ of found", "κ of key point", "raters", "questions left"},
		Rows: [][]string{{fmt.Sprint(v.Points), fmt.Sprint(v.Judged), fmt.Sprint(v.Found), fmt.Sprintf("%d (%.1f %%)", v.Agree, 100*float64(v.Agree)/float64(max(1, v.Points))), kappa(v.KappaFound, v.Shared), kappa(v.KappaKey, v.SharedKey), fmt.Sprint(v.Raters), fmt.Sprint(len(v.Questions))}},
		Note: "κ: free-marginal multi-rater kappa over the points that all raters judged"})
	if len(v.Questions) == 0 {
		return fmt.Errorf("%w: no key point was confirmed, and nothing is written", errPartial)
	}
	if err := datasets.WriteLines(out, v.Questions); err != nil {
		return err
	}
	fmt.Fprintf(c.ErrOrStderr(), "Next: lore run long2rag %s\n", out)
	if v.Judged < v.Points {
		return fmt.Errorf("%w: %d of %d key points were judged by nobody and are left out; %d rows of the sheets are open", errPartial, v.Points-v.Judged, v.Points, open)
	}
	return nil
}
