package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"lore/cmd/lore/internal/report"
	"lore/cmd/lore/internal/run"
	"lore/cmd/lore/internal/store"
	"lore/datasets"
	"lore/datasets/all"
	"lore/embed"
	"lore/index"
	"lore/judge/llm"
	"lore/local/ollama"
)

type runFlags struct {
	retriever, generator, judge string
	retrieval, answers, order   string
	systems, allowHosts         string
	systemK                     int
	systemTimeout               time.Duration
	bertscore, bertBaseline     string
	bertIDF                     bool
	own                         map[string]*string // settings of benchmarks, by name
	out, prompts, host          string
	limit, budget, slots        int
	numCtx, numPredict          int
	temperature, topP           float64
	think                       string
	seed                        uint64
	retrievalFlags
	json              bool
	judgeMode, unsure string
	batch, average    bool
	minMass           float64
	samples           int
}

// thinking are the values of --think.
var thinking = []string{"", "false", "true", "low", "medium", "high"}

// noGeneration are the settings of verbs that open judges and generate nothing.
var noGeneration = runFlags{temperature: -1, topP: -1, retrievalFlags: retrievalFlags{bm25Flags: bm25Flags{analyzer: "en"}, long: string(embed.Mean)}}

// bm25Flags are the flags of verbs that retrieve.
type bm25Flags struct {
	analyzer, indexDir, variant string
	k1, b                       float64
}

func (f *bm25Flags) add(c *cobra.Command) {
	fl := c.Flags()
	fl.Float64Var(&f.k1, "bm25-k1", index.DefaultBM25.K1, "BM25 k1")
	fl.Float64Var(&f.b, "bm25-b", index.DefaultBM25.B, "BM25 b")
	fl.StringVar(&f.variant, "bm25-variant", string(index.Lucene), "form of BM25: lucene, or okapi as rank_bm25 computes it")
	fl.StringVar(&f.analyzer, "bm25-analyzer", "en", "text analyser of BM25: "+strings.Join(index.Analyzers, ", "))
	fl.StringVar(&f.indexDir, "index-dir", "", "folder for indexes (default: lore/index in the user's cache folder)")
}

func (f bm25Flags) params() index.BM25Params {
	return index.BM25Params{K1: f.k1, B: f.b, Variant: index.Variant(f.variant)}
}

// check refuses parameters and analysers that do not exist.
func (f bm25Flags) check() error {
	if err := f.params().Check(); err != nil {
		return &run.UsageError{Msg: err.Error()}
	}
	if !slices.Contains(index.Analyzers, f.analyzer) {
		return &run.UsageError{Msg: fmt.Sprintf("unknown analyser %q; there are: %s", f.analyzer, strings.Join(index.Analyzers, ", "))}
	}
	return nil
}

// retrievalFlags are the flags of verbs that open pipelines.
type retrievalFlags struct {
	bm25Flags
	pipelines        string
	runtime, library string
	long             string
	window, overlap  int
}

func (f *retrievalFlags) add(c *cobra.Command) {
	f.bm25Flags.add(c)
	fl := c.Flags()
	fl.StringVar(&f.pipelines, "pipelines", "", "YAML file of retrievers, besides those of --retriever")
	fl.StringVar(&f.runtime, "runtime", embed.Hugot, "what computes ONNX models: "+embed.Hugot+", or "+embed.ONNXRuntime+" in builds by make build-ort")
	fl.StringVar(&f.library, "onnxruntime", "", "path of libonnxruntime (default: $LORE_ONNXRUNTIME)")
	fl.StringVar(&f.long, "embed-long", string(embed.Mean), "texts longer than a window: mean or max of their windows, or cut")
	fl.IntVar(&f.window, "embed-window", 0, "tokens per window (default: what the model takes)")
	fl.IntVar(&f.overlap, "embed-overlap", 0, "tokens shared by neighbouring windows")
}

// retrieves reports whether the flags were added to the verb.
func (f retrievalFlags) retrieves() bool { return f.runtime != "" }

// embedding reads the flags of embedders.
func (f retrievalFlags) embedding() (run.Embedding, error) {
	e := run.Embedding{Windows: embed.Windows{Long: embed.Long(f.long), Tokens: f.window, Overlap: f.overlap}, Engine: embed.Engine{Runtime: f.runtime, Library: f.library}}
	if err := e.Windows.Check(); err != nil {
		return e, &run.UsageError{Msg: err.Error()}
	}
	if f.runtime != "" && f.runtime != embed.Hugot && f.runtime != embed.ONNXRuntime {
		return e, &run.UsageError{Msg: fmt.Sprintf("unknown runtime %q; there are %s and %s", f.runtime, embed.Hugot, embed.ONNXRuntime)}
	}
	return e, nil
}

// parse reads the pipelines of a comma list and of the YAML file.
func (f retrievalFlags) parse(retrievers string) ([]run.Pipeline, error) {
	var out []run.Pipeline
	for _, text := range run.SplitList(retrievers) {
		p, err := run.ParsePipeline(text)
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	if f.pipelines == "" {
		return out, nil
	}
	more, err := run.ReadPipelines(f.pipelines)
	return append(out, more...), err
}

func newRun() *cobra.Command {
	var f runFlags
	c := &cobra.Command{
		Use:   "run BENCHMARK [DATA...]",
		Short: "Retrieve, generate, judge and score",
		Long: "run takes every item of the data through retrieval, generation and judging, prints\n" +
			"a table with intervals, and writes a run folder. Comma lists make a grid. Without\n" +
			"DATA it uses the sample that comes with lore. The same command goes on where an\n" +
			"earlier one stopped.\n\nBenchmarks: " + strings.Join(all.Names(), ", ") + "\nRetrievers: " + run.RetrieverHelp +
			"\nThen, after \">\": " + run.StageHelp + "\nFor example: " + run.PipelineHelp +
			"\nGenerators: extractive, ollama:NAME, gold (the reference answers)\nJudges: lexical, ollama:NAME, or A+B",
		Example: "  lore run summhay --retriever bm25,random,oracle --limit 2\n" +
			"  lore run summhay topic_news1.json --generator ollama:qwen3:8b --judge lexical,ollama:qwen3:8b --slots 4",
		Args: usageArgs(cobra.MinimumNArgs(1)),
		RunE: func(c *cobra.Command, args []string) error { return runBenchmark(c, f, args[0], args[1:]) },
	}
	fl := c.Flags()
	fl.StringVar(&f.retriever, "retriever", "", "comma list of retrievers (default: the benchmark's)")
	fl.StringVar(&f.generator, "generator", "extractive", "comma list of generators")
	fl.StringVar(&f.judge, "judge", "lexical", "comma list of judges")
	fl.IntVar(&f.limit, "limit", 0, "use only the first N items; 0 is all")
	fl.IntVar(&f.budget, "budget-tokens", 0, "most tokens of documents to show (default: the benchmark's)")
	fl.StringVar(&f.out, "out", "", "run folder (default lore-runs/BENCHMARK-HASH)")
	fl.Uint64Var(&f.seed, "seed", 1, "seed of sampling, the random retriever and the bootstrap")
	fl.StringVar(&f.prompts, "prompts", "", "folder whose files replace built-in prompts of the same name")
	fl.BoolVar(&f.json, "json", false, "print the table as JSON")
	addJudgeFlags(c, &f)
	fl.IntVar(&f.numPredict, "num-predict", 0, "most tokens of an answer (default: the benchmark's)")
	fl.Float64Var(&f.temperature, "temperature", -1, "sampling temperature of the generator (default: the benchmark's)")
	fl.Float64Var(&f.topP, "top-p", -1, "top-p of the generator (default: the benchmark's)")
	fl.StringVar(&f.think, "think", "", "thoughts of models that can think: false, true, low, medium or high (default false)")
	fl.StringVar(&f.retrieval, "retrieval", "", "TREC run file of a system of your own, besides the retrievers; topics are item ids")
	fl.StringVar(&f.answers, "answers", "", "comma list of files with answers of systems of your own, judged besides the grid; without --retriever and --generator there is no grid")
	fl.StringVar(&f.systems, "system", "", "comma list of URLs of systems of your own: each is asked by POST {\"query\", \"k\"} and answers {\"answer\", \"documents\": [ids]}; without --retriever and --generator there is no grid")
	fl.StringVar(&f.allowHosts, "allow-host", "", "comma list of hosts besides this machine that --system may name")
	fl.IntVar(&f.systemK, "system-k", 10, "k that a --system is asked with")
	fl.DurationVar(&f.systemTimeout, "system-timeout", 2*time.Minute, "most time a --system may take for one answer")
	fl.StringVar(&f.order, "order", "", "position study: also give the generators the whole corpus as it is, and with the relevant documents at these places: a comma list of top, middle, bottom and random")
	fl.StringVar(&f.bertscore, "bertscore", "", "folder of an ONNX encoder: also compute BERTScore against the reference answers")
	fl.BoolVar(&f.bertIDF, "bertscore-idf", false, "weigh tokens by their idf over the references")
	fl.StringVar(&f.bertBaseline, "bertscore-baseline", "", "file of baselines to rescale BERTScore with: lines of LAYER,P,R,F")
	f.own = addSettings(c)
	f.retrievalFlags.add(c)
	return c
}

// addSettings adds the flags of all benchmarks' own settings.
func addSettings(c *cobra.Command) map[string]*string {
	out := map[string]*string{}
	for _, b := range all.Benchmarks() {
		conf, ok := b.(datasets.Configurable)
		if !ok {
			continue
		}
		for _, s := range conf.Settings() {
			if out[s.Name] == nil {
				out[s.Name] = c.Flags().String(s.Name, "", b.Name()+": "+s.Help)
			} else {
				c.Flags().Lookup(s.Name).Usage += "; " + b.Name() + ": " + s.Help
			}
		}
	}
	return out
}

// configure gives a benchmark the settings that were set, and refuses those it does
// not have.
func configure(bench datasets.Benchmark, own map[string]*string) (datasets.Benchmark, map[string]string, error) {
	given := map[string]string{}
	for name, v := range own {
		if *v != "" {
			given[name] = *v
		}
	}
	conf, ok := bench.(datasets.Configurable)
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if !ok || !slices.ContainsFunc(conf.Settings(), func(s datasets.Setting) bool { return s.Name == name }) {
			return nil, nil, &run.UsageError{Msg: fmt.Sprintf("the benchmark %s has no --%s", bench.Name(), name)}
		}
	}
	if !ok {
		return bench, nil, nil
	}
	out, err := conf.Configure(given)
	if err != nil {
		return nil, nil, &run.UsageError{Msg: err.Error()}
	}
	return out, given, nil
}

// addJudgeFlags are the flags of every verb that opens judges.
func addJudgeFlags(c *cobra.Command, f *runFlags) {
	fl := c.Flags()
	fl.IntVar(&f.slots, "slots", 1, "calls at once to the model server: its OLLAMA_NUM_PARALLEL; `lore doctor --model NAME` measures it")
	fl.IntVar(&f.numCtx, "num-ctx", 0, "context window in tokens (default: from the longest prompt, within what the model was trained for)")
	fl.StringVar(&f.judgeMode, "judge-mode", string(llm.Schema), "how a model's verdict is read: schema (a label in JSON) or logprob (mean grade under the token probabilities)")
	fl.BoolVar(&f.batch, "batch", false, "a model judges all statements of an answer in one call")
	fl.Float64Var(&f.minMass, "min-mass", 0.5, "logprob: flag verdicts whose labels have less probability than this")
	fl.IntVar(&f.samples, "samples", 0, "logprob: replace flagged verdicts by the mean of so many sampled ones")
	fl.StringVar(&f.unsure, "unsure", "0.2..0.6", "judge A+B: ask B where A's score lies between these")
	fl.BoolVar(&f.average, "average", false, "judge A+B: ask both and average")
	addHost(c, &f.host)
}

// judging reads the flags of judges.
func (f runFlags) judging() (run.Judging, error) {
	how := run.Judging{Mode: llm.Mode(f.judgeMode), Batch: f.batch, MinMass: f.minMass, Samples: f.samples, Average: f.average}
	low, high, ok := strings.Cut(f.unsure, "..")
	var err1, err2 error
	how.Low, err1 = strconv.ParseFloat(low, 64)
	how.High, err2 = strconv.ParseFloat(high, 64)
	switch {
	case !ok || err1 != nil || err2 != nil || how.Low > how.High:
		return how, &run.UsageError{Msg: fmt.Sprintf("--unsure %q is no range like 0.2..0.6", f.unsure)}
	case how.Mode != llm.Schema && how.Mode != llm.Logprob:
		return how, &run.UsageError{Msg: fmt.Sprintf("--judge-mode is %s or %s", llm.Schema, llm.Logprob)}
	case how.Batch && how.Mode != llm.Schema:
		return how, &run.UsageError{Msg: "--batch needs --judge-mode schema"}
	case f.minMass < 0 || f.minMass > 1 || f.samples < 0:
		return how, &run.UsageError{Msg: "--min-mass is between 0 and 1, --samples is not negative"}
	}
	return how, nil
}

func addHost(c *cobra.Command, host *string) {
	def := os.Getenv("OLLAMA_HOST")
	if def == "" || strings.HasPrefix(def, "0.0.0.0") {
		def = ollama.DefaultHost
	}
	c.Flags().StringVar(host, "host", def, "Ollama server; lore connects to no other host but those of --system")
}

func runBenchmark(c *cobra.Command, f runFlags, name string, data []string) error {
	bench, err := all.Find(name)
	if err != nil {
		return &run.UsageError{Msg: err.Error()}
	}
	bench, given, err := configure(bench, f.own)
	if err != nil {
		return err
	}
	opt, err := f.options(bench)
	if err != nil {
		return err
	}
	opt.Bench = given
	grid := c.Flags().Changed("retriever") || c.Flags().Changed("generator") || f.pipelines != "" || f.retrieval != "" || f.order != ""
	if f.answers+f.systems != "" && !grid {
		opt.Retrievers, opt.Generators = nil, nil
	} else if len(opt.Generators) == 0 && f.generator != run.Gold {
		return &run.UsageError{Msg: "--generator needs at least one name"}
	}
	ds, err := bench.Load(data)
	if err != nil {
		return err
	}
	if slices.Contains(list(f.generator), run.Gold) {
		a, err := run.GoldAnswers(ds)
		if err != nil {
			return err
		}
		opt.Answers = append(opt.Answers, a)
	}
	for _, file := range list(f.answers) {
		a, err := run.ReadAnswers(file, bench, ds)
		if err != nil {
			return err
		}
		opt.Answers = append(opt.Answers, a)
	}
	stderr := c.ErrOrStderr()
	opt.Warn = func(s string) { fmt.Fprintln(stderr, "warning: "+report.Plain(s)) }
	opt.Progress = newProgress(stderr)
	for _, w := range ds.Warnings {
		opt.Warn(w)
	}
	out := f.out
	if out == "" {
		out = filepath.Join("lore-runs", name+"-"+ds.Hash[:8])
	}
	folder, err := store.Open(out)
	if err != nil {
		return err
	}
	defer folder.Close()
	if opt.IndexDir == "" {
		opt.IndexDir = indexDir(out)
	}
	opt.Embedding.Dir = opt.IndexDir
	result, err := run.Run(c.Context(), bench, ds, opt, folder)
	if err != nil {
		return err
	}
	return finish(c, f, bench, folder, result)
}

// indexDir is the user's cache folder, or the run folder where there is none.
func indexDir(out string) string {
	cache, err := os.UserCacheDir()
	if err != nil {
		return filepath.Join(out, "index")
	}
	return filepath.Join(cache, "lore", "index")
}

func (f runFlags) options(bench datasets.Benchmark) (run.Options, error) {
	d := bench.Defaults()
	opt := run.Options{
		Generators: slices.DeleteFunc(list(f.generator), func(g string) bool { return g == run.Gold }), Judges: list(f.judge), Limit: f.limit, Budget: d.Budget,
		Seed: f.seed, Slots: f.slots, Host: f.host, NumCtx: f.numCtx, NumPredict: d.NumPredict, Temperature: d.Temperature, TopP: d.TopP, Think: f.think,
		Analyzer: f.analyzer, BM25: f.params(), IndexDir: f.indexDir, Version: versionText(),
	}
	retrievers := f.retriever
	if f.retrieval != "" {
		retrievers = strings.TrimPrefix(retrievers+",trec:"+f.retrieval, ",")
	}
	if retrievers == "" && f.pipelines == "" && f.order == "" {
		retrievers = d.Retrievers
	}
	for _, place := range list(f.order) {
		if !slices.Contains([]string{"top", "middle", "bottom", "random"}, place) {
			return opt, &run.UsageError{Msg: fmt.Sprintf("--order takes top, middle, bottom and random, not %q", place)}
		}
		if !slices.Contains(list(retrievers), "full") {
			retrievers = strings.TrimPrefix(retrievers+",full", ",")
		}
		retrievers += ",full-" + place
	}
	var err error
	if opt.Retrievers, err = f.parse(retrievers); err != nil {
		return opt, err
	}
	if opt.Embedding, err = f.embedding(); err != nil {
		return opt, err
	}
	set := func(ok bool, apply func()) {
		if ok {
			apply()
		}
	}
	set(f.budget > 0, func() { opt.Budget.Tokens = f.budget })
	set(f.numPredict > 0, func() { opt.NumPredict = f.numPredict })
	set(f.temperature >= 0, func() { opt.Temperature = f.temperature })
	set(f.topP >= 0, func() { opt.TopP = f.topP })
	switch {
	case f.limit < 0 || f.budget < 0 || f.slots < 1 || f.numCtx < 0 || f.numPredict < 0:
		return opt, &run.UsageError{Msg: "--limit, --budget-tokens, --num-ctx and --num-predict cannot be negative, and --slots is at least 1"}
	case len(opt.Judges) == 0:
		return opt, &run.UsageError{Msg: "--judge needs at least one name"}
	case !slices.Contains(thinking, f.think):
		return opt, &run.UsageError{Msg: "--think is false, true, low, medium or high"}
	}
	if opt.Judging, err = f.judging(); err != nil {
		return opt, err
	}
	if err := f.bm25Flags.check(); err != nil {
		return opt, err
	}
	opt.Systems = run.Outside{URLs: list(f.systems), Hosts: list(f.allowHosts), K: f.systemK, Timeout: f.systemTimeout}
	if err := opt.Systems.Check(); err != nil {
		return opt, err
	}
	if len(opt.Systems.URLs) > 0 && (f.systemK < 1 || f.systemTimeout <= 0) {
		return opt, &run.UsageError{Msg: "--system-k and --system-timeout are positive"}
	}
	if err := run.CheckNames(opt); err != nil {
		return opt, err
	}
	for _, names := range [][]string{opt.Generators, opt.Judges} {
		if dup := repeated(names); dup != "" {
			return opt, &run.UsageError{Msg: fmt.Sprintf("%q is named twice", dup)}
		}
	}
	if f.bertscore != "" {
		opt.BERTScore = &run.BERTScore{Dir: f.bertscore, IDF: f.bertIDF, Baseline: f.bertBaseline}
	} else if f.bertIDF || f.bertBaseline != "" {
		return opt, &run.UsageError{Msg: "--bertscore-idf and --bertscore-baseline need --bertscore"}
	}
	if f.prompts != "" {
		if info, err := os.Stat(f.prompts); err != nil || !info.IsDir() {
			return opt, &datasets.InputError{File: f.prompts, Msg: "is no folder", Remedy: "--prompts takes a folder with files such as summhay/answer.txt", Err: err}
		}
		opt.Prompts = os.DirFS(f.prompts)
	}
	return opt, nil
}

func list(s string) []string {
	var out []string
	for part := range strings.SplitSeq(s, ",") {
		if part = strings.TrimSpace(part); part != "" {
			out = append(out, part)
		}
	}
	return out
}

func repeated(names []string) string {
	for i, n := range names {
		if slices.Contains(names[:i], n) {
			return n
		}
	}
	return ""
}

// finish writes the report and prints the table.
func finish(c *cobra.Command, f runFlags, bench datasets.Benchmark, folder *store.Folder, result *run.Result) error {
	r := report.Run{Manifest: result.Manifest, Table: result.Table, Answers: result.Answers, Verdicts: result.Verdicts}
	if err := report.Save(folder, r, bench); err != nil {
		return err
	}
	stdout, stderr := c.OutOrStdout(), c.ErrOrStderr()
	if f.json {
		if err := report.JSON(stdout, result.Table, bench.Metrics()); err != nil {
			return err
		}
	} else {
		printTable(stdout, r, bench)
	}
	report.Text(stderr, report.Cost(result.Usage))
	dir := folder.Dir()
	fmt.Fprintf(stderr, "\nRun folder: %s\nRead it:    %s\nNext:       lore report %s --format latex\n            lore run %s YOUR_DATA --generator ollama:MODEL --judge lexical,ollama:MODEL\n",
		dir, filepath.Join(dir, "report.html"), dir, bench.Name())
	if items, values := result.Unscored(bench.Metrics()); items+values > 0 {
		return fmt.Errorf("%w: %d answers failed, %d values are missing; report.html lists each with its reason", errPartial, items, values)
	}
	return nil
}

func printTable(w io.Writer, r report.Run, bench datasets.Benchmark) {
	report.Text(w, report.Main(r.Table, bench.Metrics()))
	fmt.Fprintln(w)
	for _, g := range report.Own(r.Table, bench) {
		report.Text(w, g)
		fmt.Fprintln(w)
	}
	report.Text(w, report.JudgeNotes(r.Manifest))
	for _, g := range report.RetrievalNotes(r.Manifest) {
		fmt.Fprintln(w)
		report.Text(w, g)
	}
	if g := report.Failures(r.Answers, r.Verdicts); len(g.Rows) > 0 {
		fmt.Fprintln(w)
		report.Text(w, g)
	}
	fmt.Fprintln(w)
}

// missing reports whether a run folder is not there.
func missing(err error) bool { return errors.Is(err, fs.ErrNotExist) }
