package main

import (
	"cmp"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"lore/cmd/lore/internal/models"
	"lore/cmd/lore/internal/pipeline"
	"lore/cmd/lore/internal/prompts"
	"lore/cmd/lore/internal/usage"
	"lore/embed"
	"lore/index"
	"lore/judge/ensemble"
	"lore/judge/lexical"
	"lore/judge/llm"
	"lore/local/files"
	"lore/local/gate"
)

// Groups of flags, in the order of help texts.
const (
	dataFlags    = "Data"
	systemFlags  = "Systems"
	judgingFlags = "Judging"
	modelsFlags  = "Models"
	outputFlags  = "Output"
)

// Topics of `lore help` that show the flags which -h leaves out.
const (
	benchmarksTopic = "benchmarks"
	retrieversTopic = "retrievers"
	generatorsTopic = "generators"
	judgesTopic     = "judges"
	serversTopic    = "servers"
	estimatesTopic  = "estimates"
)

// group adds flags to a command under a heading of its help.
func group(c *cobra.Command, heading string, add func(fl *pflag.FlagSet)) {
	topic(c, heading, "", add)
}

// topic adds flags that -h leaves to a page of `lore help`.
func topic(c *cobra.Command, heading, page string, add func(fl *pflag.FlagSet)) {
	fl := pflag.NewFlagSet("", pflag.ContinueOnError)
	add(fl)
	fl.VisitAll(func(f *pflag.Flag) {
		f.Annotations = map[string][]string{"heading": {heading}, "page": {page}}
		c.Flags().AddFlag(f)
	})
}

// modelFlags are the flags of every verb that may ask a model.
type modelFlags struct {
	hostFlags
	serverFlags
	cache, think, prompts string
	slots, numCtx         int
	seed                  uint64
	dry                   gate.StandIn // no flag: answers in place of models; nil: they are asked
}

// thinking are the values of --think.
var thinking = []string{"", "false", "true", "low", "medium", "high"}

func (f *modelFlags) add(c *cobra.Command) {
	group(c, modelsFlags, func(fl *pflag.FlagSet) {
		f.hostFlags.add(fl)
		fl.StringVar(&f.cache, "cache", "", "`folder` of finished calls that runs share, or none "+
			"(default: lore/calls in the user's cache folder)")
		fl.IntVar(&f.slots, "slots", 1, "parallel calls; set it to the server's OLLAMA_NUM_PARALLEL")
		fl.IntVar(&f.numCtx, "num-ctx", 0, "context window in tokens (default: from the longest prompt)")
		fl.StringVar(&f.think, "think", "", "reasoning, for models that can: false, true, low, medium or high")
		fl.StringVar(&f.prompts, "prompts", "", "`folder` with prompts of your own, by path or by name below prompts/; "+
			"lore run takes several, with commas, and builtin for lore's own")
	})
	f.serverFlags.add(c)
	progressFlag(c)
	group(c, outputFlags, func(fl *pflag.FlagSet) {
		fl.Uint64Var(&f.seed, "seed", 1, "random seed, for models and all sampling")
	})
}

// config checks the flags.
func (f modelFlags) config(console usage.Console) (models.Config, error) {
	cfg := models.Config{
		Server:  f.server(),
		Cache:   cacheDir(f.cache),
		Slots:   f.slots,
		NumCtx:  f.numCtx,
		Think:   f.think,
		Seed:    f.seed,
		Console: console,
		Dry:     f.dry,
	}
	if err := f.serverFlags.set(&cfg); err != nil {
		return cfg, err
	}

	switch {
	case f.slots < 1:
		return cfg, usage.Errorf("--slots is at least 1, not %d", f.slots)
	case f.numCtx < 0:
		return cfg, usage.Errorf("--num-ctx cannot be negative")
	case !slices.Contains(thinking, f.think):
		return cfg, usage.Errorf("--think is false, true, low, medium or high, not %q", f.think)
	}
	return cfg, nil
}

// replaced are the prompts of --prompts, where it takes one folder; nil: lore's own.
func (f modelFlags) replaced() (fs.FS, error) { return prompts.One(f.prompts, ".", "") }

// noCache is the value of --cache that shares no calls.
const noCache = "none"

// cacheDir is the folder of calls that runs share; empty for none, and where the user has
// no cache folder.
func cacheDir(flag string) string {
	switch flag {
	case noCache:
		return ""
	case "":
		cache, err := os.UserCacheDir()
		if err != nil {
			return ""
		}
		return filepath.Join(cache, "lore", "calls")
	}
	return flag
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// judgeFlags are the flags of every verb that opens judges.
type judgeFlags struct {
	judge, mode, unsure string
	calibration         string
	examples            string
	batch, average      bool
	minMass, askShare   float64
	samples             int
	language            languageFlag

	fresh bool // no flag: an estimate computes everything anew
}

// judgeHelp lists the judges.
const judgeHelp = "lexical, ollama:NAME, openai:NAME, nli:DIR, embed:DIR, or A+B"

// defaultZone is where A+B averages where nobody says otherwise. On people's labels of SummHay it takes
// what averaging everywhere brings, for half of the calls, and keeps a weak B from doing harm;
// `make fit` measures it on subtopics that took no part.
const defaultZone = "0.3..0.75"

func (f *judgeFlags) add(c *cobra.Command, def, help string) {
	group(c, judgingFlags, func(fl *pflag.FlagSet) {
		namesVar(fl, &f.judge, "judge", judgeNames, def, help)
	})
	topic(c, judgingFlags, judgesTopic, func(fl *pflag.FlagSet) {
		namesVar(fl, &f.mode, "judge-mode", modeNames, string(llm.Schema),
			"how a model's verdict is read: schema (a label in JSON) or logprob (mean grade under the token probabilities)")
		fl.BoolVar(&f.batch, "batch", false, "a model judges all statements, key points or sub-questions on a text in one call")
		fl.StringVar(&f.examples, "judge-examples", "",
			"show a model nine examples before it judges coverage: a labels `file`, or builtin")
		fl.Float64Var(&f.minMass, "min-mass", 0.5, "logprob: flag verdicts whose labels have less probability than this")
		fl.IntVar(&f.samples, "samples", 0, "logprob: replace flagged verdicts by the mean of so many sampled ones")
		fl.StringVar(&f.unsure, "unsure", "", "judge A+B: average with B where A's `score` lies between these "+
			"(default "+defaultZone+", or everywhere where A has no score)")
		fl.BoolVar(&f.average, "average", false, "judge A+B: ask all of them everything and average")
		fl.Float64Var(&f.askShare, "ask-share", 0,
			"judge A+B: ask B this `share` of the questions, those where it pays most")
		fl.StringVar(&f.calibration, "calibration", "",
			"`file` of lore judge calibrate: weights, maps and thresholds of a judge")
	})
	f.language.add(c)
	addEncoders(c)
}

// names lists the judges, which must be known and different.
func (f judgeFlags) names() ([]string, error) {
	names := usage.List(f.judge)
	if err := models.CheckJudges(names); err != nil {
		return nil, err
	}
	return names, unique("judge", names)
}

// judging says how they judge.
func (f judgeFlags) judging() (models.Judging, error) {
	how := models.Judging{
		Mode:    llm.Mode(f.mode),
		Batch:   f.batch,
		MinMass: f.minMass,
		Samples: f.samples,
		Average: f.average,
		Share:   f.askShare,
		Zoned:   f.unsure != "",
		Fresh:   f.fresh,
	}
	var err error
	if how.Language, err = f.language.code(); err != nil {
		return how, err
	}

	if how.Examples, err = examplesOf(f.examples); err != nil {
		return how, err
	}

	switch {
	case how.Batch && how.Examples != nil:
		return how, usage.Errorf("examples are of one question a call; leave --batch or --judge-examples out")
	case how.Mode != llm.Schema && how.Mode != llm.Logprob:
		return how, usage.Errorf("--judge-mode is %s or %s, not %q", llm.Schema, llm.Logprob, f.mode)
	case how.Batch && how.Mode != llm.Schema:
		return how, usage.Errorf("--batch needs --judge-mode schema")
	case f.minMass < 0 || f.minMass > 1:
		return how, usage.Errorf("--min-mass is between 0 and 1")
	case f.samples < 0:
		return how, usage.Errorf("--samples cannot be negative")
	}
	if err := f.together(&how); err != nil {
		return how, err
	}
	names := usage.List(f.judge)
	how.Pair = how.DescribePair(names)
	return how, how.CheckCalibration(names)
}

// together says how several judges work as one.
func (f judgeFlags) together(how *models.Judging) error {
	low, high, ok := strings.Cut(cmp.Or(f.unsure, defaultZone), "..")
	var err1, err2 error
	how.Low, err1 = strconv.ParseFloat(low, 64)
	how.High, err2 = strconv.ParseFloat(high, 64)

	switch {
	case !ok || err1 != nil || err2 != nil || !(how.Low <= how.High):
		return usage.Errorf("--unsure %q is not a range like %s", f.unsure, defaultZone)
	case how.Zoned && f.average:
		return usage.Errorf("--average is everywhere and --unsure in a zone; leave one of them out")
	case !(f.askShare >= 0 && f.askShare <= 1):
		return usage.Errorf("--ask-share is a share from 0 to 1 such as 0.3, not %g", f.askShare)
	case f.askShare > 0 && (how.Zoned || f.average):
		return usage.Errorf("--ask-share chooses the questions itself; leave --unsure and --average out")
	}

	if f.calibration == "" {
		return nil
	}
	const remedy = "give a file that `lore judge calibrate LABELS --judge A+B -o FILE` has written"
	data, err := files.Read(f.calibration, remedy)
	if err != nil {
		return err
	}
	how.CalibrationFile = f.calibration
	how.Calibration, err = ensemble.Parse(data)
	if err != nil {
		return &files.Error{File: f.calibration, Msg: "is no calibration: " + err.Error(), Remedy: remedy, Err: err}
	}
	if where, err := badWeights(how.Calibration); err != nil {
		return &files.Error{File: f.calibration, Msg: where + ": " + err.Error(), Remedy: remedy}
	}
	return nil
}

// sumRounded is how far weights that are rounded to six places may be from a sum of 1.
const sumRounded = 1e-4

// badWeights finds weights that no calibration has: shares that do not sum to 1.
func badWeights(c *ensemble.Calibration) (where string, err error) {
	for _, kind := range slices.Sorted(maps.Keys(c.Kinds)) {
		sum := 0.0
		for _, w := range c.Kinds[kind].Weights {
			sum += w
		}
		if math.Abs(sum-1) > sumRounded {
			return fmt.Sprintf("kinds.%s.weights", kind), fmt.Errorf("they sum to %g, not to 1", sum)
		}
	}
	return "", nil
}

// unique refuses a name that is given twice.
func unique(what string, names []string) error {
	for i, n := range names {
		if slices.Contains(names[:i], n) {
			return usage.Errorf("the %s %q is named twice", what, n)
		}
	}
	return nil
}

// searchFlags are the flags of every verb that opens pipelines.
type searchFlags struct {
	analyzer, indexDir, variant string
	lengths                     string
	k1, b                       float64
	pipelines                   string
	runtime, library            string
	long                        string
	window, overlap             int
	queryPrefix, passagePrefix  optionalText
}

// optionalText is the value of a flag whose empty text says something, too.
type optionalText struct{ given *string }

// Set takes a text, as pflag.Value has it.
func (t *optionalText) Set(s string) error {
	t.given = &s
	return nil
}

// String is empty where nothing was given.
func (t *optionalText) String() string {
	if t.given == nil {
		return ""
	}
	return *t.given
}

// Type stands for the value in help.
func (t *optionalText) Type() string { return "text" }

func (f *searchFlags) add(c *cobra.Command) {
	topic(c, systemFlags, retrieversTopic, func(fl *pflag.FlagSet) {
		fl.StringVar(&f.pipelines, "pipelines", "", "YAML `file` of retrievers, besides those of --retriever")
		fl.Float64Var(&f.k1, "bm25-k1", index.DefaultBM25.K1, "BM25 k1")
		fl.Float64Var(&f.b, "bm25-b", index.DefaultBM25.B, "BM25 b")
		namesVar(fl, &f.variant, "bm25-variant", variantNames, string(index.Lucene),
			"form of BM25: lucene, or okapi as rank_bm25 computes it")
		namesVar(fl, &f.lengths, "bm25-lengths", lengthNames, string(index.ExactLengths),
			"lengths of documents in BM25: exact, or lucene as Lucene's byte holds them, to the digit of its scores")
		namesVar(fl, &f.analyzer, "bm25-analyzer", analyzerNames, "en", "text analyser of BM25: "+strings.Join(analyzerNames, ", "))
		encoderFlags(fl, &f.indexDir, &f.runtime, &f.library)
		namesVar(fl, &f.long, "embed-long", longNames, string(embed.Mean),
			"texts longer than a window: mean or max of their windows, or cut")
		fl.IntVar(&f.window, "embed-window", 0, "tokens per window (default: what the model takes)")
		fl.IntVar(&f.overlap, "embed-overlap", 0, "tokens shared by neighbouring windows")
		fl.Var(&f.queryPrefix, "embed-query-prefix", "`text` before each query (default: what the model's files or its name say)")
		fl.Var(&f.passagePrefix, "embed-passage-prefix", "`text` before each window of a document (default: the same)")
	})
}

// config checks the flags. Indexes lie in the user's cache folder, or in the folder out
// where there is none.
func (f searchFlags) config(m modelFlags, out string, console usage.Console) (pipeline.Config, error) {
	cfg := pipeline.Config{
		Analyzer: index.CanonicalAnalyzer(f.analyzer),
		BM25:     index.BM25Params{K1: f.k1, B: f.b, Variant: index.Variant(f.variant), Lengths: index.Lengths(f.lengths)},
		IndexDir: f.indexDir,
		Embedding: pipeline.Embedding{
			Windows:  embed.Windows{Long: embed.Long(f.long), Tokens: f.window, Overlap: f.overlap},
			Engine:   embed.Engine{Runtime: f.runtime, Library: f.library},
			Prefixes: embed.Prefixes{Query: f.queryPrefix.given, Passage: f.passagePrefix.given},
		},
		Seed:    m.seed,
		Console: console,
	}
	if cfg.IndexDir == "" {
		cfg.IndexDir = indexDir(out)
	}
	var err error
	if cfg.Prompts, err = m.replaced(); err != nil {
		return cfg, err
	}
	return cfg, cfg.Check()
}

// one is the only pipeline that a verb takes.
func (f searchFlags) one(list string) (pipeline.Pipeline, error) {
	all, err := pipeline.ParseList(list, f.pipelines)
	if err != nil {
		return pipeline.Pipeline{}, err
	}
	if len(all) != 1 {
		return pipeline.Pipeline{}, usage.Errorf("this takes exactly one pipeline, from --retriever or --pipelines; "+
			"there are %d: %s", len(all), strings.Join(pipeline.Names(all), ", "))
	}
	return all[0], nil
}

// formats of tables.
var formats = []string{"text", "md", "latex", "csv"}

// formatFlag adds --format.
func formatFlag(c *cobra.Command, format *string, known []string) {
	group(c, outputFlags, func(fl *pflag.FlagSet) {
		namesVar(fl, format, "format", known, "text", strings.Join(known, ", "))
	})
}

func checkFormat(format string, known []string) error {
	if !slices.Contains(known, format) {
		return usage.Unknown("format", format, known)
	}
	return nil
}

// lexicalJudge is the judge that needs no model.
var lexicalJudge = lexical.Judge{}.Name()

// describeDefault words a flag's default for help; empty where there is none to tell.
func describeDefault(f *pflag.Flag) string {
	switch f.DefValue {
	case "", "0", "false", "[]":
		return ""
	}
	if strings.Contains(f.Usage, "(default") {
		return ""
	}
	return fmt.Sprintf(" (default %s)", f.DefValue)
}
