package run

import (
	"context"
	"fmt"
	"strings"

	"lore/datasets"
	"lore/index"
	"lore/index/trec"
	"lore/judge/lexical"
	"lore/local/extractive"
	"lore/local/ollama"
)

// RetrieverHelp lists the retrievers for help texts and errors.
const RetrieverHelp = "bm25, keywords, random, oracle, full, full-top, full-middle, full-bottom, none, recorded:NAME, trec:FILE"

// CheckNames refuses unknown names before anything is read or written.
func CheckNames(opt Options) error {
	for _, name := range opt.Retrievers {
		kind, rest, named := strings.Cut(name, ":")
		switch kind {
		case "bm25", "keywords", "random", "oracle", "full", "full-top", "full-middle", "full-bottom", "none":
			if named {
				return usage("the retriever %s takes no name after a colon", kind)
			}
		case "recorded", "trec":
			if rest == "" {
				return usage("the retriever %s needs a name: %s:NAME", kind, kind)
			}
		default:
			return usage("unknown retriever %q; there are: %s", name, RetrieverHelp)
		}
	}
	for _, name := range opt.Generators {
		if name != extractive.BackendName && !isOllama(name) {
			return usage("unknown generator %q; write %s or %s:NAME", name, extractive.BackendName, ollama.BackendName)
		}
	}
	for _, name := range opt.Judges {
		for _, part := range splitJudge(name) {
			if part != (lexical.Judge{}).Name() && !isOllama(part) {
				return usage("unknown judge %q; write %s, %s:NAME, or two of them as A+B", name, lexical.Judge{}.Name(), ollama.BackendName)
			}
		}
	}
	return nil
}

func isOllama(name string) bool {
	backend, model, _ := strings.Cut(name, ":")
	return backend == ollama.BackendName && model != ""
}

// retrievers builds retrievers per corpus.
type retrievers struct {
	opt  Options
	docs map[*datasets.Corpus][]index.Document
	runs map[string]*trec.Run

	close []func() error // of what was opened
}

// Close frees what the retrievers hold open.
func (r *retrievers) Close() {
	for _, c := range r.close {
		_ = c() // a mapped file that cannot be unmapped is freed with the process
	}
}

func newRetrievers(opt Options, ds *datasets.Dataset) *retrievers {
	r := &retrievers{opt: opt, docs: map[*datasets.Corpus][]index.Document{}, runs: map[string]*trec.Run{}}
	for _, c := range ds.Corpora {
		docs := make([]index.Document, len(c.Documents))
		for i, d := range c.Documents {
			docs[i] = index.Document{ID: d.ID, Text: d.Text}
		}
		r.docs[c] = docs
	}
	return r
}

// open builds the named retriever over a corpus.
func (r *retrievers) open(ctx context.Context, name string, c *datasets.Corpus) (index.Retriever, error) {
	docs := r.docs[c]
	kind, rest, _ := strings.Cut(name, ":")
	switch kind {
	case "bm25":
		b, err := index.OpenBM25(ctx, r.opt.IndexDir, docs, r.opt.Analyzer, r.opt.BM25)
		if err != nil {
			return nil, err
		}
		r.close = append(r.close, b.Close)
		return b, nil
	case "keywords":
		return index.Keywords(docs), nil
	case "random":
		return index.Random(docs, r.opt.Seed), nil
	case "oracle":
		return index.Oracle(docs), nil
	case "full":
		return index.Full(docs, index.AsGiven), nil
	case "full-top", "full-bottom", "full-middle":
		return index.Full(docs, index.Order(strings.TrimPrefix(kind, "full-"))), nil
	case "none":
		return index.None(), nil
	case "recorded":
		return index.Recorded(docs, rest), nil
	case "trec":
		return r.fromRun(rest, docs)
	}
	return nil, fmt.Errorf("no retriever %q", name) // CheckNames lets none through
}

// fromRun ranks by a TREC run file whose topics are item ids.
func (r *retrievers) fromRun(path string, docs []index.Document) (index.Retriever, error) {
	run := r.runs[path]
	if run == nil {
		var err error
		if run, err = trec.ReadRunFile(path); err != nil {
			return nil, inputError(path, err)
		}
		r.runs[path] = run
	}
	known := make(map[string]bool, len(docs))
	for _, d := range docs {
		known[d.ID] = true
	}
	return fromRun{path, run, known}, nil
}

type fromRun struct {
	path  string
	run   *trec.Run
	known map[string]bool
}

func (f fromRun) Retrieve(_ context.Context, q index.Query, k int) (index.Ranking, error) {
	var hits []index.Hit
	for _, r := range f.run.Topics[q.ID] {
		if !f.known[r.Document] {
			return index.Ranking{}, &datasets.InputError{File: f.path, Place: "topic " + q.ID, Msg: fmt.Sprintf("ranks the document %q, which is not in the corpus", r.Document),
				Remedy: "document ids must be those of the data"}
		}
		hits = append(hits, index.Hit{ID: r.Document, Score: r.Score})
	}
	if len(hits) == 0 {
		return index.Ranking{}, &datasets.InputError{File: f.path, Msg: fmt.Sprintf("has no result for the item %s", q.ID),
			Remedy: "topics must be the item ids of the data; see retrieval/*.trec of any run folder"}
	}
	index.SortHits(hits)
	if k > 0 && len(hits) > k {
		hits = hits[:k]
	}
	return index.Ranking{Hits: hits}, nil
}

func inputError(path string, err error) error {
	return &datasets.InputError{File: path, Msg: strings.TrimPrefix(err.Error(), path+":"), Err: err}
}
