package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"lore/cmd/lore/internal/report"
	"lore/cmd/lore/internal/run"
	"lore/datasets"
	"lore/datasets/msrs"
	msrsbuild "lore/datasets/msrs/build"
	"lore/datasets/stage"
	"lore/local/gate"
)

// makerFlags are the flags of every build in which a model writes. Builds that retrieve
// add retrievalFlags besides.
type makerFlags struct {
	retrievalFlags
	model, out, host, prompts, think string
	tries, slots, numCtx             int
	seed                             uint64
}

func (f *makerFlags) add(c *cobra.Command) {
	fl := c.Flags()
	fl.StringVar(&f.model, "model", "", "model that writes: ollama:NAME")
	fl.StringVar(&f.out, "out", "", "folder to write")
	fl.StringVar(&f.prompts, "prompts", "", "folder whose files replace built-in prompts of the same name")
	fl.IntVar(&f.tries, "tries", 3, "most tries of a reply that is refused")
	fl.IntVar(&f.slots, "slots", 1, "calls at once to the model server: its OLLAMA_NUM_PARALLEL")
	fl.IntVar(&f.numCtx, "num-ctx", 0, "context window in tokens (default: from the longest prompt)")
	fl.Uint64Var(&f.seed, "seed", 1, "seed of the model and of all that is drawn")
	fl.StringVar(&f.think, "think", "", "thoughts of models that can think: false, true, low, medium or high (default false)")
	addHost(c, &f.host)
}

// check refuses what no build takes. whole is the file that ends a finished build.
func (f makerFlags) check(verb, whole string) error {
	switch {
	case f.out == "":
		return &run.UsageError{Msg: verb + " needs --out"}
	case f.model != "" && (!strings.HasPrefix(f.model, "ollama:") || f.model == "ollama:"):
		return &run.UsageError{Msg: fmt.Sprintf("--model is ollama:NAME, not %q", f.model)}
	case f.tries < 1 || f.slots < 1 || f.numCtx < 0:
		return &run.UsageError{Msg: "--tries and --slots are at least 1, and --num-ctx is not negative"}
	case !slices.Contains(thinking, f.think):
		return &run.UsageError{Msg: "--think is false, true, low, medium or high"}
	}
	if _, err := os.Stat(filepath.Join(f.out, whole)); err == nil {
		return &run.UsageError{Msg: f.out + " holds a whole dataset already; choose another --out or remove it"}
	}
	return nil
}

// options are the settings of the build for the engine.
func (f makerFlags) options(c *cobra.Command) (run.Options, error) {
	stderr := c.ErrOrStderr()
	opt := run.Options{Host: f.host, Slots: f.slots, NumCtx: f.numCtx, Seed: f.seed, Think: f.think, Analyzer: f.analyzer, BM25: f.params(), IndexDir: f.indexDir, Progress: newProgress(stderr),
		Warn: func(s string) { fmt.Fprintln(stderr, "warning: "+report.Plain(s)) }}
	if opt.IndexDir == "" {
		opt.IndexDir = indexDir(f.out)
	}
	if f.retrieves() {
		var err error
		if opt.Embedding, err = f.embedding(); err != nil {
			return opt, err
		}
		opt.Embedding.Dir = opt.IndexDir
	}
	if f.prompts != "" {
		opt.Prompts = os.DirFS(f.prompts)
	}
	return opt, nil
}

// session is a build by the model that was named, if any.
func (f makerFlags) session(door *run.Door, opt run.Options) *stage.Session {
	s := &stage.Session{Prompts: door.Prompts, Tries: f.tries, Step: opt.Progress.Start}
	if f.model != "" {
		s.Calls, s.Call, s.Fit = door.Gate, door.Call, door.Fit
	}
	return s
}

// printUsage says what the model's calls cost, below the tables of a build.
func printUsage(stdout, stderr io.Writer, usage []gate.ModelUsage) {
	fmt.Fprintln(stdout)
	report.Text(stderr, report.Cost(usage))
	fmt.Fprintln(stderr)
}

type buildFlags struct {
	makerFlags
	domain, docs, queries, delimiter, embedder string
	headings                                   bool
	threshold                                  float64
}

func newBuild() *cobra.Command {
	c := &cobra.Command{
		Use: "build", Short: "Make a dataset from documents of your own", Example: "  lore build summhay -h", Args: usageArgs(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newBuildMSRS(), newBuildCRUX(), newBuildLong2RAG(), newBuildSummHay())
	return c
}

func newBuildMSRS() *cobra.Command {
	var f buildFlags
	c := &cobra.Command{
		Use:   "msrs --domain story|meeting --docs DIR --queries FILE",
		Short: "Make an MSRS dataset",
		Long: "build msrs makes a dataset in lore's own layout from a folder of texts and lines of\n" +
			"JSON with query and summary.\n\n" +
			"story: each text is split into chapters at --delimiter or at --headings, and each\n" +
			"query, which names its story, is rewritten by the model to stand alone. The model\n" +
			"checks the result; a refused one is tried again with the reason.\n\n" +
			"meeting: queries are compared by lexical or dense vectors and clustered; the queries\n" +
			"and summaries of a cluster are merged by the model, or joined where none is named.\n\n" +
			"build-log.jsonl in the new folder lists every part, cluster, try and drop. The same\n" +
			"command goes on where an earlier one stopped.",
		Example: "  lore build msrs --domain meeting --docs transcripts --queries queries.jsonl --out mine\n" +
			"  lore build msrs --domain story --docs books --headings --queries queries.jsonl --model ollama:qwen3:8b --out mine",
		Args: usageArgs(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error { return buildMSRS(c, f) },
	}
	fl := c.Flags()
	fl.StringVar(&f.domain, "domain", "", "story or meeting")
	fl.StringVar(&f.docs, "docs", "", "folder of .txt and .md files")
	fl.StringVar(&f.queries, "queries", "", "lines of JSON: id, query, summary, documents, and for stories story")
	fl.StringVar(&f.delimiter, "delimiter", "", "story: regular expression of the lines that begin a chapter")
	fl.BoolVar(&f.headings, "headings", false, "story: chapters begin at Markdown headings and lines like \"Chapter 3\" or \"IV.\"")
	fl.Float64Var(&f.threshold, "threshold", 0.3, "meeting: least mean similarity in a cluster, from -1 to 1")
	fl.StringVar(&f.embedder, "embedder", "", "meeting: dense:DIR or dense:ollama:NAME (default: lexical vectors)")
	f.makerFlags.add(c)
	f.retrievalFlags.add(c)
	return c
}

// check refuses flags that do not go together, and compiles the delimiter.
func (f buildFlags) check() (*regexp.Regexp, error) {
	usage := func(format string, args ...any) (*regexp.Regexp, error) {
		return nil, &run.UsageError{Msg: fmt.Sprintf(format, args...)}
	}
	switch {
	case f.domain != "story" && f.domain != "meeting":
		return usage("--domain is story or meeting")
	case f.docs == "" || f.queries == "":
		return usage("build msrs needs --docs and --queries")
	case f.domain == "story" && f.model == "":
		return usage("stories need --model: their queries are rewritten by one")
	case f.domain == "story" && (f.delimiter == "") == !f.headings:
		return usage("stories need either --delimiter or --headings")
	case f.embedder != "" && !strings.HasPrefix(f.embedder, "dense:"):
		return usage("--embedder is dense:DIR or dense:ollama:NAME, not %q", f.embedder)
	case !(f.threshold >= -1 && f.threshold <= 1):
		return usage("--threshold is from -1 to 1")
	}
	if err := f.makerFlags.check("build msrs", msrs.OwnFile); err != nil {
		return nil, err
	}
	if f.headings || f.domain == "meeting" {
		return msrsbuild.Headings, nil
	}
	at, err := regexp.Compile("(?m)^(?:" + f.delimiter + ")")
	if err != nil {
		return usage("--delimiter is no regular expression: %v", err)
	}
	return at, nil
}

func buildMSRS(c *cobra.Command, f buildFlags) error {
	at, err := f.check()
	if err != nil {
		return err
	}
	docs, err := msrsbuild.ReadTexts(os.DirFS(f.docs), f.docs)
	if err != nil {
		return err
	}
	data, err := os.ReadFile(f.queries)
	if err != nil {
		return asInput(f.queries, err)
	}
	sources, err := msrsbuild.ReadSources(f.queries, data)
	if err != nil {
		return err
	}
	opt, err := f.options(c)
	if err != nil {
		return err
	}
	return f.build(c, opt, at, docs, sources)
}

func (f buildFlags) build(c *cobra.Command, opt run.Options, at *regexp.Regexp, docs []datasets.Document, sources []msrsbuild.Source) error {
	door, err := run.OpenModel(c.Context(), opt, f.model, filepath.Join(f.out, "calls"), msrsbuild.Prompts())
	if err != nil {
		return err
	}
	defer door.Close()
	b := &msrsbuild.Builder{Session: f.session(door, opt)}
	raw := msrs.Raw{Domain: f.domain, Documents: docs, Queries: map[string][]msrs.Query{}}
	if f.domain == "story" {
		raw.Documents = b.Split(docs, at)
		raw.Queries["test"], err = b.Story(c.Context(), raw.Documents, sources)
	} else {
		raw.Queries["test"], err = f.meeting(c, opt, b, sources)
	}
	if err != nil {
		return err
	}
	if err := run.WriteLog(filepath.Join(f.out, "build-log.jsonl"), b.Log()); err != nil {
		return err
	}
	return f.finish(c, b, raw, len(sources))
}

// meeting clusters by the vectors that were asked for.
func (f buildFlags) meeting(c *cobra.Command, opt run.Options, b *msrsbuild.Builder, sources []msrsbuild.Source) ([]msrs.Query, error) {
	texts := make([]string, len(sources))
	for i, s := range sources {
		texts[i] = s.Query
	}
	similarity, err := run.Similarity(c.Context(), opt, strings.TrimPrefix(f.embedder, "dense:"), texts)
	if err != nil {
		return nil, err
	}
	return b.Meeting(c.Context(), sources, similarity, f.threshold)
}

// finish writes the dataset, checks that it loads, and says what was dropped.
func (f buildFlags) finish(c *cobra.Command, b *msrsbuild.Builder, raw msrs.Raw, asked int) error {
	stderr := c.ErrOrStderr()
	logFile := filepath.Join(f.out, "build-log.jsonl")
	if len(raw.Queries["test"]) == 0 {
		return fmt.Errorf("%w: no query was built of %d; %s says why", errPartial, asked, logFile)
	}
	if err := msrs.Write(f.out, raw, "built by lore"); err != nil {
		return err
	}
	ds, err := (msrs.Benchmark{}).Load([]string{f.out})
	if err != nil {
		return err
	}
	for _, w := range ds.Warnings {
		fmt.Fprintln(stderr, "warning: "+report.Plain(w))
	}
	g := datasets.Grid{Head: []string{"queries given", "queries built", "documents", "refused tries", "dropped"},
		Rows: [][]string{{fmt.Sprint(asked), fmt.Sprint(len(ds.Items)), fmt.Sprint(len(raw.Documents)), fmt.Sprint(b.Refused()), fmt.Sprint(b.Dropped())}}}
	report.Text(c.OutOrStdout(), g)
	fmt.Fprintf(stderr, "What was done and why: %s\nNext: lore run msrs %s\n", logFile, f.out)
	if b.Dropped() > 0 {
		return fmt.Errorf("%w: %d queries or clusters were dropped; %s says why", errPartial, b.Dropped(), logFile)
	}
	return nil
}
