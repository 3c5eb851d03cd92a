package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"lore/cmd/lore/internal/models"
	"lore/cmd/lore/internal/pipeline"
	"lore/cmd/lore/internal/report"
	"lore/cmd/lore/internal/run"
	"lore/cmd/lore/internal/store"
	"lore/cmd/lore/internal/usage"
	"lore/datasets/all"
	"lore/index"
	"lore/index/collection"
	"lore/index/trec"
	"lore/local/files"
)

type retrieveFlags struct {
	modelFlags
	searchFlags
	retriever, out, tag, bench, qrels, calls, vectors string
	k                                                 int
	reread                                            bool
}

func newRetrieve() *cobra.Command {
	var f retrieveFlags
	c := &cobra.Command{
		Use:   "retrieve CORPUS QUERIES | retrieve BEIR | retrieve --bench NAME [DATA...]",
		Short: "Rank a corpus for queries and write a TREC run",
		Long: "retrieve ranks the documents of CORPUS for every query of QUERIES, or the documents of\n" +
			"a benchmark's data for its items. CORPUS is a folder of texts, of BEIR or of Pyserini,\n" +
			"or a file with ids and texts: lines of JSON, a JSON list, a table (.tsv, .csv, .parquet).\n" +
			"QUERIES is such a file, or topics of TREC, whose titles are the queries. Files may be\n" +
			"packed by gzip or zstd. Indexes, vectors and finished model calls are kept and used again.\n" +
			"A corpus whose files have their size, time and sampled content is not read again (--reread).",
		Example: "  lore retrieve corpus.jsonl queries.tsv --retriever bm25 --k 100 --out bm25.trec\n" +
			"  lore retrieve folder queries.jsonl --retriever 'rrf(bm25,keywords)>mmr:0.7'\n" +
			"  lore retrieve scifact --out bm25.trec && lore measure bm25.trec scifact -m ndcg_cut_10\n" +
			"  lore retrieve --bench summhay topic_news1.json --retriever bm25 --out bm25.trec --qrels qrels.txt",
		Args: usageArgs(cobra.ArbitraryArgs),
		RunE: func(c *cobra.Command, args []string) error { return retrieve(c, f, args) },
	}

	group(c, dataFlags, func(fl *pflag.FlagSet) {
		names := strings.Join(all.Names(), ", ")
		namesVar(fl, &f.bench, "bench", all.Names(), "", "rank for the items of a benchmark's data: "+names)
		fl.IntVar(&f.k, "k", 100, "documents per query; 0 is all that are ranked")
		fl.BoolVar(&f.reread, "reread", false, "read all of CORPUS, even if its files seem to be as they were")
	})
	group(c, systemFlags, func(fl *pflag.FlagSet) {
		namesVar(fl, &f.retriever, "retriever", retrieverNames, "bm25", "retriever, perhaps with stages; see lore help retrievers")
	})
	f.modelFlags.add(c)
	f.searchFlags.add(c)
	group(c, outputFlags, func(fl *pflag.FlagSet) {
		fl.StringVar(&f.out, "out", "", "run `file` to write (default: standard output)")
		fl.StringVar(&f.tag, "tag", "", "name of the run (default: the retriever)")
		fl.StringVar(&f.qrels, "qrels", "", "with --bench: also write the gold relevance to this `file`")
		fl.StringVar(&f.vectors, "write-vectors", "",
			"with sparse:DIR: `folder` to write the vectors of documents and queries to, as Anserini's JSON")
		calls := filepath.Join("lore-runs", "retrieve-calls")
		fl.StringVar(&f.calls, "calls", calls, "`folder` that keeps finished model calls")
	})
	return c
}

// ranking is what is needed to rank.
type ranking struct {
	pipeline.Alone
	by pipeline.Pipeline
}

// ranked is what came out: a ranking per topic.
type ranked struct {
	topics   []string
	rankings []index.Ranking
	notes    store.Retrieval
}

func (f retrieveFlags) open(c *cobra.Command) (ranking, error) {
	console := usage.NewConsole(c.ErrOrStderr())
	r := ranking{}
	if f.k < 0 {
		return r, usage.Errorf("--k cannot be negative")
	}
	m, err := f.modelFlags.config(console)
	if err != nil {
		return r, err
	}
	cfg, err := f.searchFlags.config(f.modelFlags, ".", console)
	if err != nil {
		return r, err
	}
	r.Alone = pipeline.Alone{Config: cfg, Models: models.New(m), Calls: f.calls, Vectors: f.vectors}

	retriever := f.retriever
	if f.pipelines != "" && !c.Flags().Changed("retriever") {
		retriever = "" // the file's only
	}
	r.by, err = f.searchFlags.one(retriever)
	return r, err
}

func retrieve(c *cobra.Command, f retrieveFlags, args []string) error {
	r, err := f.open(c)
	if err != nil {
		return err
	}
	if err := f.checkPlaces(r.by, args); err != nil {
		return err
	}
	rank := f.rankCorpus
	if f.bench != "" {
		rank = f.rankItems
	}
	got, err := rank(c.Context(), r, args)
	if err != nil {
		return err
	}

	results := map[string][]trec.Result{}
	for i, one := range got.rankings {
		results[got.topics[i]] = run.Results(one)
	}
	if w := withoutResult(got.topics, results); w != "" {
		r.Console.Warn(w)
	}
	for _, g := range report.RetrievalNotes(store.Manifest{Retrieval: got.notes}) {
		report.Text(c.ErrOrStderr(), g)
	}
	tag := f.tag
	if tag == "" {
		tag = tagOf(r.by.Name)
	}
	return f.write(c.OutOrStdout(), tag, got.topics, results)
}

// withoutResult says how many topics have no result; empty if all have some.
func withoutResult(topics []string, results map[string][]trec.Result) string {
	var missing []string
	for _, t := range topics {
		if len(results[t]) == 0 {
			missing = append(missing, t)
		}
	}
	switch len(missing) {
	case 0:
		return ""
	case len(topics):
		return fmt.Sprintf("none of %d queries found a document: the run is empty", len(topics))
	}
	return fmt.Sprintf("%d of %d queries found no document and have no line in the run: %s", len(missing), len(topics), abbreviate(missing))
}

// tagOf makes a name of a run of a retriever: run files separate fields by white space.
func tagOf(retriever string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ')':
			return -1
		case strings.ContainsRune("(,>:@/ ", r):
			return '_'
		}
		return r
	}, retriever)
}

// rankCorpus ranks a corpus of the user's own.
func (f retrieveFlags) rankCorpus(ctx context.Context, r ranking, args []string) (ranked, error) {
	var out ranked
	if len(args) == 1 {
		if folder, err := files.IsFolder(args[0], "give a corpus and queries"); err == nil && folder {
			args = append(args, args[0]) // a folder of BEIR is both
		}
	}
	if len(args) != 2 {
		return out, usage.Errorf("retrieve takes a corpus and queries, a BEIR folder, or --bench with the benchmark's data")
	}
	if f.qrels != "" {
		return out, usage.Errorf("--qrels needs --bench")
	}
	if kind := r.by.NeedsGold(); kind != "" {
		return out, usage.Errorf("the retriever %s needs gold documents, which a benchmark's data has: "+
			"give --bench NAME, or another retriever", kind)
	}
	docs, err := openCorpus(ctx, r.Config, args[0], f.reread)
	if err != nil {
		return out, err
	}
	defer docs.Close()
	for _, w := range docs.Warnings() {
		r.Console.Warn(w)
	}
	asked, notes, err := collection.Queries(args[1])
	if err != nil {
		return out, err
	}
	for _, n := range notes {
		r.Console.Note(n)
	}

	queries := make([]index.Query, len(asked))
	for i, q := range asked {
		out.topics = append(out.topics, q.ID)
		queries[i] = index.Query{ID: q.ID, Text: q.Text}
	}
	r.Console.Plan(r.by.Foresee(len(queries), docs.Len()))
	out.rankings, out.notes, err = r.Rank(ctx, r.by, docs, queries, f.k)
	return out, err
}

// openCorpus opens a corpus of the user's own beside the indexes of it.
func openCorpus(ctx context.Context, cfg pipeline.Config, path string, reread bool) (*index.Store, error) {
	source, err := collection.Open(path)
	if err != nil {
		return nil, err
	}
	from := index.Origin{Path: path, Files: source.Files, Each: source.Each}
	return index.OpenStore(index.OnBusy(ctx, cfg.Console.Note), cfg.IndexDir, from, index.StoreOptions{Reread: reread})
}

// rankItems ranks the documents of a benchmark's data for its items.
func (f retrieveFlags) rankItems(ctx context.Context, r ranking, data []string) (ranked, error) {
	var out ranked
	if f.vectors != "" {
		return out, usage.Errorf("--write-vectors takes a corpus and queries; leave --bench out")
	}
	bench, err := find(f.bench)
	if err != nil {
		return out, err
	}
	ds, err := bench.Load(data)
	if err != nil {
		return out, err
	}
	if ds.Unsearchable != nil {
		return out, ds.Unsearchable
	}
	for _, w := range ds.Warnings {
		r.Console.Warn(w)
	}

	if f.qrels != "" {
		write := func(w io.Writer) error { return trec.WriteQrels(w, run.Qrels(ds.Items)) }
		if err := collection.WriteTREC(f.qrels, write); err != nil {
			return out, fmt.Errorf("write the qrels: %w", err)
		}
	}
	for _, it := range ds.Items {
		out.topics = append(out.topics, it.ID())
	}
	r.Console.Plan(r.by.Foresee(len(ds.Items), run.Corpora(ds.Items)...))
	out.rankings, out.notes, err = r.RankItems(ctx, r.by, ds.Items, f.k)
	return out, err
}

func (f retrieveFlags) write(stdout io.Writer, tag string, topics []string, results map[string][]trec.Result) error {
	write := func(w io.Writer) error { return trec.WriteRun(w, tag, topics, results) }
	if f.out != "" {
		if err := collection.WriteTREC(f.out, write); err != nil {
			return fmt.Errorf("write the run: %w", err)
		}
		return nil
	}

	var buf bytes.Buffer // all of it or nothing
	if err := write(&buf); err != nil {
		return err
	}
	_, err := stdout.Write(buf.Bytes())
	return err
}
