package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"lore/cmd/lore/internal/report"
	"lore/cmd/lore/internal/run"
	"lore/datasets"
	"lore/datasets/msrs"
	"lore/local/stage"
)

type buildFlags struct {
	retrievalFlags
	domain, docs, queries, delimiter, model, embedder, out, host, prompts string
	headings                                                              bool
	tries, slots, numCtx                                                  int
	threshold                                                             float64
	seed                                                                  uint64
}

func newBuild() *cobra.Command {
	c := &cobra.Command{
		Use: "build", Short: "Make a dataset from documents of your own", Example: "  lore build msrs -h", Args: usageArgs(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newBuildMSRS(), newBuildCRUX())
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
	fl.StringVar(&f.out, "out", "", "folder to write")
	fl.StringVar(&f.model, "model", "", "model that rewrites, checks and merges: ollama:NAME")
	fl.StringVar(&f.delimiter, "delimiter", "", "story: regular expression of the lines that begin a chapter")
	fl.BoolVar(&f.headings, "headings", false, "story: chapters begin at Markdown headings and lines like \"Chapter 3\" or \"IV.\"")
	fl.IntVar(&f.tries, "tries", 3, "story: most rewritings of a query")
	fl.Float64Var(&f.threshold, "threshold", 0.3, "meeting: least mean similarity in a cluster, from -1 to 1")
	fl.StringVar(&f.embedder, "embedder", "", "meeting: dense:DIR or dense:ollama:NAME (default: lexical vectors)")
	fl.StringVar(&f.prompts, "prompts", "", "folder whose files replace built-in prompts of the same name")
	fl.IntVar(&f.slots, "slots", 1, "calls at once to the model server: its OLLAMA_NUM_PARALLEL")
	fl.IntVar(&f.numCtx, "num-ctx", 0, "context window in tokens (default: from the longest prompt)")
	fl.Uint64Var(&f.seed, "seed", 1, "seed of the model")
	addHost(c, &f.host)
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
	case f.docs == "" || f.queries == "" || f.out == "":
		return usage("build msrs needs --docs, --queries and --out")
	case f.domain == "story" && f.model == "":
		return usage("stories need --model: their queries are rewritten by one")
	case f.domain == "story" && (f.delimiter == "") == !f.headings:
		return usage("stories need either --delimiter or --headings")
	case f.model != "" && (!strings.HasPrefix(f.model, "ollama:") || f.model == "ollama:"):
		return usage("--model is ollama:NAME, not %q", f.model)
	case f.embedder != "" && !strings.HasPrefix(f.embedder, "dense:"):
		return usage("--embedder is dense:DIR or dense:ollama:NAME, not %q", f.embedder)
	case f.tries < 1 || f.slots < 1 || f.numCtx < 0:
		return usage("--tries and --slots are at least 1, and --num-ctx is not negative")
	case !(f.threshold >= -1 && f.threshold <= 1):
		return usage("--threshold is from -1 to 1")
	}
	if f.headings || f.domain == "meeting" {
		return msrs.Headings, nil
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
	if _, err := os.Stat(filepath.Join(f.out, msrs.OwnFile)); err == nil {
		return &run.UsageError{Msg: f.out + " holds a whole dataset already; choose another --out or remove it"}
	}
	docs, err := msrs.ReadTexts(os.DirFS(f.docs), f.docs)
	if err != nil {
		return err
	}
	data, err := os.ReadFile(f.queries)
	if err != nil {
		return asInput(f.queries, err)
	}
	sources, err := msrs.ReadSources(f.queries, data)
	if err != nil {
		return err
	}
	stderr := c.ErrOrStderr()
	progress := newProgress(stderr)
	opt := run.Options{Host: f.host, Slots: f.slots, NumCtx: f.numCtx, Seed: f.seed, Analyzer: f.analyzer, IndexDir: f.indexDir, Progress: progress,
		Warn: func(s string) { fmt.Fprintln(stderr, "warning: "+report.Plain(s)) }}
	if opt.IndexDir == "" {
		opt.IndexDir = indexDir(f.out)
	}
	if opt.Embedding, err = f.embedding(); err != nil {
		return err
	}
	opt.Embedding.Dir = opt.IndexDir
	if f.prompts != "" {
		opt.Prompts = os.DirFS(f.prompts)
	}
	return f.build(c, opt, at, docs, sources)
}

func (f buildFlags) build(c *cobra.Command, opt run.Options, at *regexp.Regexp, docs []datasets.Document, sources []msrs.Source) error {
	door, err := run.OpenModel(c.Context(), opt, f.model, filepath.Join(f.out, "calls"), msrs.Benchmark{}.Prompts())
	if err != nil {
		return err
	}
	defer door.Close()
	b := &msrs.Builder{Session: f.session(door, opt)}
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

// session is a build by the model that was named, if any.
func (f buildFlags) session(door *run.Door, opt run.Options) *stage.Session {
	s := &stage.Session{Prompts: door.Prompts, Tries: f.tries, Step: opt.Progress.Start}
	if f.model != "" {
		s.Calls, s.Call, s.Fit = door.Gate, door.Call, door.Fit
	}
	return s
}

// meeting clusters by the vectors that were asked for.
func (f buildFlags) meeting(c *cobra.Command, opt run.Options, b *msrs.Builder, sources []msrs.Source) ([]msrs.Query, error) {
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
func (f buildFlags) finish(c *cobra.Command, b *msrs.Builder, raw msrs.Raw, asked int) error {
	stages := map[string]int{}
	for _, e := range b.Log() {
		stages[e.Stage]++
	}
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
		Rows: [][]string{{fmt.Sprint(asked), fmt.Sprint(len(ds.Items)), fmt.Sprint(len(raw.Documents)), fmt.Sprint(stages["check"] + refusals(b.Log())), fmt.Sprint(stages["drop"])}}}
	report.Text(c.OutOrStdout(), g)
	fmt.Fprintf(stderr, "What was done and why: %s\nNext: lore run msrs %s\n", logFile, f.out)
	if stages["drop"] > 0 {
		return fmt.Errorf("%w: %d queries or clusters were dropped; %s says why", errPartial, stages["drop"], logFile)
	}
	return nil
}

func refusals(log []stage.Event) int {
	n := 0
	for _, e := range log {
		if e.Stage == "rewrite" && strings.HasPrefix(e.Detail, "refused") {
			n++
		}
	}
	return n
}
