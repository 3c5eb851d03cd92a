package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"lore/cmd/lore/internal/report"
	"lore/cmd/lore/internal/run"
	"lore/cmd/lore/internal/store"
	"lore/datasets"
	"lore/datasets/all"
	"lore/index"
	"lore/index/trec"
)

type retrieveFlags struct {
	retrievalFlags
	retriever, out, tag, bench, qrels, host, calls string
	k, slots, numCtx                               int
	seed                                           uint64
}

func newRetrieve() *cobra.Command {
	var f retrieveFlags
	c := &cobra.Command{
		Use:   "retrieve CORPUS QUERIES | retrieve --bench NAME [DATA...]",
		Short: "Rank a corpus for queries and write a TREC run",
		Long: "retrieve ranks the documents of CORPUS, a .jsonl file with id and text or a folder of\n" +
			"texts, for every query of QUERIES, a .jsonl file with id and text or lines of id, tab\n" +
			"and text; or the documents of a benchmark's data for its items. Indexes, vectors and\n" +
			"finished model calls are kept and used again.\n\nRetrievers: " + run.RetrieverHelp + "\nThen, after \">\": " + run.StageHelp,
		Example: "  lore retrieve corpus.jsonl queries.tsv --retriever bm25 --k 100 --out bm25.trec\n" +
			"  lore retrieve folder queries.jsonl --retriever 'rrf(bm25,keywords)>mmr:0.7'\n" +
			"  lore retrieve --bench summhay topic_news1.json --retriever bm25 --out bm25.trec --qrels qrels.txt",
		Args: usageArgs(cobra.ArbitraryArgs),
		RunE: func(c *cobra.Command, args []string) error { return retrieve(c, f, args) },
	}
	fl := c.Flags()
	fl.StringVar(&f.retriever, "retriever", "bm25", "retriever, perhaps with stages: "+run.PipelineHelp)
	fl.IntVar(&f.k, "k", 100, "documents per query; 0 is all that are ranked")
	fl.StringVar(&f.out, "out", "", "run file to write (default: standard output)")
	fl.StringVar(&f.tag, "tag", "", "name of the run (default: the retriever)")
	fl.StringVar(&f.bench, "bench", "", "rank for the items of a benchmark's data: "+strings.Join(all.Names(), ", "))
	fl.StringVar(&f.qrels, "qrels", "", "with --bench: also write the gold relevance to this file")
	fl.StringVar(&f.calls, "calls", filepath.Join("lore-runs", "retrieve-calls"), "folder that keeps finished model calls")
	fl.IntVar(&f.slots, "slots", 1, "calls at once to the model server: its OLLAMA_NUM_PARALLEL")
	fl.IntVar(&f.numCtx, "num-ctx", 0, "context window in tokens (default: from the longest prompt)")
	fl.Uint64Var(&f.seed, "seed", 1, "seed of the random retriever and of models")
	addHost(c, &f.host)
	f.retrievalFlags.add(c)
	return c
}

func (f retrieveFlags) options(c *cobra.Command) (run.Options, error) {
	stderr := c.ErrOrStderr()
	opt := run.Options{Seed: f.seed, Slots: f.slots, Host: f.host, NumCtx: f.numCtx, Analyzer: f.analyzer, BM25: f.params(), IndexDir: f.indexDir, Progress: newProgress(stderr),
		Warn: func(s string) { fmt.Fprintln(stderr, "warning: "+report.Plain(s)) }}
	if f.k < 0 || f.slots < 1 || f.numCtx < 0 {
		return opt, &run.UsageError{Msg: "--k and --num-ctx cannot be negative, and --slots is at least 1"}
	}
	if opt.IndexDir == "" {
		opt.IndexDir = indexDir(".")
	}
	err := f.bm25Flags.check()
	if err == nil {
		opt.Embedding, err = f.embedding()
	}
	opt.Embedding.Dir = opt.IndexDir
	if err != nil {
		return opt, err
	}
	retriever := f.retriever
	if f.pipelines != "" && !c.Flags().Changed("retriever") {
		retriever = ""
	}
	if opt.Retrievers, err = f.parse(retriever); err != nil {
		return opt, err
	}
	if len(opt.Retrievers) != 1 {
		return opt, &run.UsageError{Msg: fmt.Sprintf("retrieve writes one run and takes one retriever, not %d", len(opt.Retrievers))}
	}
	return opt, nil
}

func retrieve(c *cobra.Command, f retrieveFlags, args []string) error {
	opt, err := f.options(c)
	if err != nil {
		return err
	}
	topics, rankings, notes, err := f.rank(c, opt, args)
	if err != nil {
		return err
	}
	results := map[string][]trec.Result{}
	for i, r := range rankings {
		for _, h := range r.Hits {
			results[topics[i]] = append(results[topics[i]], trec.Result{Document: h.ID, Score: h.Score})
		}
	}
	for _, g := range report.RetrievalNotes(store.Manifest{Retrieval: notes}) {
		report.Text(c.ErrOrStderr(), g)
	}
	tag := f.tag
	if tag == "" {
		tag = strings.NewReplacer("(", "_", ")", "", ",", "_", ">", "_", ":", "_", "@", "_", "/", "_", " ", "_").Replace(opt.Retrievers[0].Name)
	}
	return f.write(c.OutOrStdout(), tag, topics, results)
}

// rank ranks a corpus of the user's own, or a benchmark's.
func (f retrieveFlags) rank(c *cobra.Command, opt run.Options, args []string) (topics []string, rankings []index.Ranking, notes store.Retrieval, err error) {
	if f.bench != "" {
		return f.rankItems(c, opt, args)
	}
	if len(args) != 2 || f.qrels != "" {
		return nil, nil, notes, &run.UsageError{Msg: "retrieve takes a corpus and queries, or --bench with the benchmark's data; --qrels needs --bench"}
	}
	docs, err := readCorpus(args[0])
	if err != nil {
		return nil, nil, notes, err
	}
	queries, err := readQueries(args[1])
	if err != nil {
		return nil, nil, notes, err
	}
	for _, q := range queries {
		topics = append(topics, q.ID)
	}
	rankings, notes, err = run.Retrieve(c.Context(), opt, f.calls, docs, queries, f.k)
	return topics, rankings, notes, err
}

func (f retrieveFlags) rankItems(c *cobra.Command, opt run.Options, data []string) (topics []string, rankings []index.Ranking, notes store.Retrieval, err error) {
	bench, err := all.Find(f.bench)
	if err != nil {
		return nil, nil, notes, &run.UsageError{Msg: err.Error()}
	}
	ds, err := bench.Load(data)
	if err != nil {
		return nil, nil, notes, err
	}
	for _, w := range ds.Warnings {
		opt.Warn(w)
	}
	for _, it := range ds.Items {
		topics = append(topics, it.ID())
	}
	if f.qrels != "" {
		var buf bytes.Buffer
		if err := trec.WriteQrels(&buf, run.Qrels(ds.Items)); err != nil {
			return nil, nil, notes, err
		}
		if err := os.WriteFile(f.qrels, buf.Bytes(), 0o666); err != nil {
			return nil, nil, notes, fmt.Errorf("write the qrels: %w", err)
		}
	}
	rankings, notes, err = run.RetrieveItems(c.Context(), opt, f.calls, ds.Items, f.k)
	return topics, rankings, notes, err
}

func (f retrieveFlags) write(stdout io.Writer, tag string, topics []string, results map[string][]trec.Result) error {
	var buf bytes.Buffer
	if err := trec.WriteRun(&buf, tag, topics, results); err != nil {
		return err
	}
	if f.out == "" {
		_, err := stdout.Write(buf.Bytes())
		return err
	}
	if err := os.WriteFile(f.out, buf.Bytes(), 0o666); err != nil {
		return fmt.Errorf("write the run: %w", err)
	}
	return nil
}

func readCorpus(path string) ([]index.Document, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, &datasets.InputError{File: path, Msg: "cannot be read: no such file or folder", Remedy: "give a .jsonl file with id and text, or a folder of .txt and .md files", Err: err}
	}
	if info.IsDir() {
		docs, err := index.ReadFolder(path)
		return docs, input(path, err)
	}
	return readInput(path, index.ReadCorpus)
}

func readQueries(path string) ([]index.Query, error) { return readInput(path, index.ReadQueries) }

func readInput[T any](path string, read func(io.Reader, string) (T, error)) (T, error) {
	var zero T
	f, err := os.Open(path)
	if err != nil {
		return zero, &datasets.InputError{File: path, Msg: "cannot be read: " + errors.Unwrap(err).Error(), Remedy: "check the path", Err: err}
	}
	defer f.Close()
	v, err := read(f, path)
	return v, input(path, err)
}

// input marks an error of reading as one of input; nil stays nil.
func input(path string, err error) error {
	if err == nil {
		return nil
	}
	return asInput(path, err)
}
