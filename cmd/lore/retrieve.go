package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"lore/cmd/lore/internal/run"
	"lore/datasets"
	"lore/index"
	"lore/index/trec"
)

type retrieveFlags struct {
	bm25Flags
	retriever, out, tag string
	k                   int
	seed                uint64
}

const retrieveHelp = "bm25, keywords, random, or a fusion of them: rrf(bm25,keywords), convex(...), combmnz(...)"

func newRetrieve() *cobra.Command {
	var f retrieveFlags
	c := &cobra.Command{
		Use:   "retrieve CORPUS QUERIES",
		Short: "Rank a corpus for queries and write a TREC run",
		Long: "retrieve ranks the documents of CORPUS, a .jsonl file with id and text or a folder of\n" +
			"texts, for every query of QUERIES, a .jsonl file with id and text or lines of id, tab\n" +
			"and text. The index is kept and used again for the same documents.\n\nRetrievers: " + retrieveHelp,
		Example: "  lore retrieve corpus.jsonl queries.tsv --retriever bm25 --k 100 --out bm25.trec\n  lore retrieve folder queries.jsonl --retriever 'rrf(bm25,keywords)'",
		Args:    usageArgs(cobra.ExactArgs(2)),
		RunE:    func(c *cobra.Command, args []string) error { return retrieve(c, f, args[0], args[1]) },
	}
	fl := c.Flags()
	fl.StringVar(&f.retriever, "retriever", "bm25", retrieveHelp)
	fl.IntVar(&f.k, "k", 100, "documents per query; 0 is all that are ranked")
	fl.StringVar(&f.out, "out", "", "run file to write (default: standard output)")
	fl.StringVar(&f.tag, "tag", "", "name of the run (default: the retriever)")
	fl.Uint64Var(&f.seed, "seed", 1, "seed of the random retriever")
	f.bm25Flags.add(c)
	return c
}

func retrieve(c *cobra.Command, f retrieveFlags, corpus, queries string) error {
	if f.k < 0 {
		return &run.UsageError{Msg: "--k cannot be negative"}
	}
	if err := f.bm25Flags.check(); err != nil {
		return err
	}
	docs, err := readCorpus(corpus)
	if err != nil {
		return err
	}
	qs, err := readQueries(queries)
	if err != nil {
		return err
	}
	r, err := f.open(c.Context(), f.retriever, docs)
	if err != nil {
		return err
	}
	step := newProgress(c.ErrOrStderr()).Start("retrieve", len(qs))
	results := map[string][]trec.Result{}
	var topics []string
	for i, q := range qs {
		ranking, err := r.Retrieve(c.Context(), q, f.k)
		if err != nil {
			return err
		}
		topics = append(topics, q.ID)
		for _, h := range ranking.Hits {
			results[q.ID] = append(results[q.ID], trec.Result{Document: h.ID, Score: h.Score})
		}
		step(i + 1)
	}
	tag := f.tag
	if tag == "" {
		tag = strings.NewReplacer("(", "_", ")", "", ",", "_").Replace(f.retriever)
	}
	return f.write(c.OutOrStdout(), tag, topics, results)
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

// open builds a retriever by name, or a fusion of several.
func (f retrieveFlags) open(ctx context.Context, name string, docs []index.Document) (index.Retriever, error) {
	if fusion, inner, ok := strings.Cut(name, "("); ok {
		parts := list(strings.TrimSuffix(inner, ")"))
		if !slices.Contains(index.Fusions, index.Fusion(fusion)) || !strings.HasSuffix(inner, ")") || len(parts) < 2 {
			return nil, &run.UsageError{Msg: fmt.Sprintf("unknown retriever %q; there are %s", name, retrieveHelp)}
		}
		var rs []index.Retriever
		for _, p := range parts {
			r, err := f.open(ctx, p, docs)
			if err != nil {
				return nil, err
			}
			rs = append(rs, r)
		}
		return index.Fuse(index.Fusion(fusion), rs...), nil
	}
	switch name {
	case "bm25":
		dir := f.indexDir
		if dir == "" {
			dir = indexDir(".")
		}
		return index.OpenBM25(ctx, dir, docs, f.analyzer, f.params())
	case "keywords":
		return index.Keywords(docs), nil
	case "random":
		return index.Random(docs, f.seed), nil
	}
	return nil, &run.UsageError{Msg: fmt.Sprintf("unknown retriever %q; there are %s", name, retrieveHelp)}
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
