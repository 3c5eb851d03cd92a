package run

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"lore/cmd/lore/internal/store"
	"lore/datasets"
	"lore/embed"
	"lore/index"
	"lore/index/rerank"
	"lore/index/trec"
	"lore/judge"
	"lore/judge/lexical"
	"lore/local"
	"lore/local/extractive"
	"lore/local/gate"
	"lore/local/ollama"
	"lore/local/prompt"
)

// CheckNames refuses unknown names before anything is read or written.
func CheckNames(opt Options) error {
	files := map[string]string{}
	for _, p := range opt.Retrievers {
		if other, ok := files[fileName(p.Name)]; ok {
			if other == p.Name {
				return usage("%q is named twice", p.Name)
			}
			return usage("the retrievers %q and %q would write one file; give one of them another name with --pipelines", other, p.Name)
		}
		files[fileName(p.Name)] = p.Name
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

// Embedding says how texts become vectors.
type Embedding struct {
	Windows embed.Windows
	Engine  embed.Engine
	Dir     string // of vectors on disk
}

// retrievers opens pipelines over corpora and keeps what they share.
type retrievers struct {
	opt     Options
	models  *models
	gate    *gate.Gate
	prompts *prompt.Set
	rankers map[string]*model // language models of pipelines, by name

	corpora   map[*datasets.Corpus][]index.Document
	searchers map[searcher]index.Retriever // those that take long to open
	runs      map[string]*trec.Run
	embedders map[string]*embed.Cache
	crosses   map[string]embed.CrossEncoder
	rerankers map[string]rerank.Reranker // by pipeline and stage
	decompose map[string]*rerank.Decomposed
	order     []string // of rerankers and decompositions, as they were made
	shaped    []store.Condenser
	closers   []func() error
}

// searcher names an opened source over documents, which are known by their first one.
type searcher struct {
	kind, arg string
	first     *index.Document
}

// documents are those of a corpus, the same slice each time.
func (r *retrievers) documents(c *datasets.Corpus) []index.Document {
	if docs, ok := r.corpora[c]; ok {
		return docs
	}
	docs := make([]index.Document, len(c.Documents))
	for i, d := range c.Documents {
		docs[i] = index.Document{ID: d.ID, Text: d.Text}
	}
	r.corpora[c] = docs
	return docs
}

// Close frees what the retrievers hold open.
func (r *retrievers) Close() {
	for _, c := range r.closers {
		_ = c() // a mapped file that cannot be unmapped is freed with the process
	}
}

func newRetrievers(opt Options, m *models, g *gate.Gate, prompts *prompt.Set, rankers map[string]*model) *retrievers {
	return &retrievers{opt: opt, models: m, gate: g, prompts: prompts, rankers: rankers, corpora: map[*datasets.Corpus][]index.Document{}, searchers: map[searcher]index.Retriever{}, runs: map[string]*trec.Run{}, embedders: map[string]*embed.Cache{},
		crosses: map[string]embed.CrossEncoder{}, rerankers: map[string]rerank.Reranker{}, decompose: map[string]*rerank.Decomposed{}}
}

// resolveRankers looks the language models of pipelines up.
func resolveRankers(ctx context.Context, m *models, pipelines []Pipeline, seed uint64) (map[string]*model, error) {
	out := map[string]*model{}
	for _, p := range pipelines {
		for _, name := range p.models() {
			if out[name] != nil {
				continue
			}
			one, err := m.resolve(ctx, ollama.BackendName+":"+name, local.Options{TopP: 1, Seed: int(seed), RepeatPenalty: 1})
			if err != nil {
				return nil, err
			}
			out[name] = one
		}
	}
	return out, nil
}

// open builds a pipeline over documents.
func (r *retrievers) open(ctx context.Context, p Pipeline, docs []index.Document) (index.Retriever, error) {
	first, err := r.source(ctx, p, docs)
	if err != nil {
		return nil, err
	}
	for i, s := range p.Stages {
		ranker, err := r.stage(ctx, fmt.Sprintf("%s #%d", p.Name, i), s)
		if err != nil {
			return nil, err
		}
		first = rerank.New(first, docs, ranker, s.Depth)
	}
	return first, nil
}

// search opens a source that reads all documents, once for all pipelines over them.
func (r *retrievers) search(ctx context.Context, s Source, docs []index.Document) (index.Retriever, error) {
	key := searcher{kind: s.Kind, arg: s.Arg}
	if len(docs) > 0 {
		key.first = &docs[0]
	}
	if have := r.searchers[key]; have != nil {
		return have, nil
	}
	var made index.Retriever
	if s.Kind == "bm25" {
		b, err := index.OpenBM25(ctx, r.opt.IndexDir, docs, r.opt.Analyzer, r.opt.BM25)
		if err != nil {
			return nil, err
		}
		r.closers = append(r.closers, b.Close)
		made = b
	} else {
		e, err := r.embedder(ctx, s.Arg)
		if err != nil {
			return nil, err
		}
		step := r.opt.Progress.Start("embed", len(docs))
		e.OnProgress(func(done, _ int) { step(done) })
		if made, err = index.NewDense(ctx, docs, e, index.DenseOptions{}); err != nil {
			return nil, err
		}
	}
	r.searchers[key] = made
	return made, nil
}

func (r *retrievers) source(ctx context.Context, p Pipeline, docs []index.Document) (index.Retriever, error) {
	switch s := p.Source; s.Kind {
	case "bm25", "dense":
		return r.search(ctx, s, docs)
	case "keywords":
		return index.Keywords(docs), nil
	case "random":
		return index.Random(docs, r.opt.Seed), nil
	case "oracle":
		return index.Oracle(docs), nil
	case oracle1:
		ranker := rerank.Reranker(lexicalRanker{})
		if s.Arg != "" {
			var err error
			if ranker, err = r.stage(ctx, p.Name+" #oracle1", StageSpec{Kind: string(rerank.Pointwise5), Model: s.Arg}); err != nil {
				return nil, err
			}
		}
		return index.Cut(rerank.New(index.Oracle(docs), docs, ranker, len(docs)), 1), nil
	case "full":
		return index.Full(docs, index.AsGiven), nil
	case "full-top", "full-bottom", "full-middle":
		return index.Full(docs, index.Order(strings.TrimPrefix(s.Kind, "full-"))), nil
	case "full-random":
		return index.Shuffled(docs, r.opt.Seed), nil
	case "none":
		return index.None(), nil
	case "recorded":
		return index.Recorded(docs, s.Arg), nil
	case given:
		return index.Recorded(docs, given), nil
	case "trec":
		return r.fromRun(s.Arg, docs)
	case decompose:
		return r.decomposed(ctx, p, docs)
	default:
		parts := make([]index.Retriever, len(s.Parts))
		for i, part := range s.Parts {
			var err error
			if parts[i], err = r.open(ctx, part, docs); err != nil {
				return nil, err
			}
		}
		return index.Fuse(index.Fusion(s.Kind), parts...), nil
	}
}

// embedder opens a model once for all corpora and pipelines, behind its vectors on
// disk.
func (r *retrievers) embedder(ctx context.Context, name string) (*embed.Cache, error) {
	if e := r.embedders[name]; e != nil {
		return e, nil
	}
	var inner embed.Embedder
	var err error
	if served, ok := strings.CutPrefix(name, ollama.BackendName+":"); ok {
		if err = r.models.connect(ctx); err == nil {
			inner, err = embed.OpenOllama(ctx, r.models.client, served, r.opt.Embedding.Windows)
		}
	} else {
		inner, err = embed.OpenONNX(ctx, name, r.opt.Embedding.Windows, r.opt.Embedding.Engine)
	}
	if err != nil {
		return nil, err
	}
	e, err := embed.OpenCache(r.opt.Embedding.Dir, inner, r.opt.Warn)
	if err != nil {
		return nil, errors.Join(err, inner.Close())
	}
	r.embedders[name] = e
	r.closers = append(r.closers, e.Close)
	return e, nil
}

// stage opens a reranker once for all corpora.
func (r *retrievers) stage(ctx context.Context, key string, s StageSpec) (rerank.Reranker, error) {
	if made := r.rerankers[key]; made != nil {
		return made, nil
	}
	made, err := r.newStage(ctx, s)
	if err != nil {
		return nil, err
	}
	r.rerankers[key] = made
	r.order = append(r.order, key)
	return made, nil
}

func (r *retrievers) newStage(ctx context.Context, s StageSpec) (rerank.Reranker, error) {
	switch s.Kind {
	case mmrStage:
		if s.Model == "" {
			vectors, err := rerank.LexicalVectors(r.opt.Analyzer)
			if err != nil {
				return nil, err
			}
			return rerank.MMR(s.Lambda, vectors)
		}
		e, err := r.embedder(ctx, strings.TrimPrefix(s.Model, "dense:"))
		if err != nil {
			return nil, err
		}
		return rerank.MMR(s.Lambda, rerank.DenseVectors(e))
	case crossStage:
		c, err := r.cross(ctx, s.Model)
		if err != nil {
			return nil, err
		}
		return rerank.Cross(c), nil
	}
	return rerank.NewLLM(rerank.Kind(s.Kind), r.ranker(s.Model), r.prompts)
}

func (r *retrievers) cross(ctx context.Context, dir string) (embed.CrossEncoder, error) {
	if c := r.crosses[dir]; c != nil {
		return c, nil
	}
	inner, err := embed.OpenCrossEncoder(ctx, dir, r.opt.Embedding.Engine)
	if err != nil {
		return nil, err
	}
	c, err := rerank.CacheScores(r.opt.Embedding.Dir, inner, r.opt.Warn)
	if err != nil {
		return nil, errors.Join(err, inner.Close())
	}
	r.crosses[dir] = c
	r.closers = append(r.closers, c.Close)
	return c, nil
}

// ranker is a language model as rerankers use it.
func (r *retrievers) ranker(name string) rerank.Model {
	m := r.rankers[name]
	return rerank.Model{Calls: r.gate, Call: local.Call{Backend: m.backend, Model: m.name, Digest: m.digest, Options: m.options},
		Fit: func(calls []local.Call) {
			r.models.reserve(m, calls)
			r.models.fit(m, calls, "prompts of the reranker")
		}}
}

func (r *retrievers) decomposed(ctx context.Context, p Pipeline, docs []index.Document) (index.Retriever, error) {
	first, err := r.open(ctx, p.Source.Parts[0], docs)
	if err != nil {
		return nil, err
	}
	d, err := rerank.Decompose(first, r.ranker(p.Source.Arg), r.prompts)
	if err != nil {
		return nil, err
	}
	key := fmt.Sprintf("%s #decompose %d", p.Name, len(r.decompose))
	r.decompose[key] = d
	r.order = append(r.order, key)
	return d, nil
}

// notes describe what the pipelines' models did. Only what a rerun gives again is
// in them.
func (r *retrievers) notes(pipelines []Pipeline) store.Retrieval {
	var out store.Retrieval
	for _, name := range slices.Sorted(maps.Keys(r.embedders)) {
		e := r.embedders[name]
		report := e.Report()
		out.Embedders = append(out.Embedders, store.Embedder{Settings: e.Settings(), Texts: report.Texts, Windowed: report.Windowed, Cut: report.Cut})
	}
	for _, name := range slices.Sorted(maps.Keys(r.crosses)) {
		out.CrossEncoders = append(out.CrossEncoders, r.crosses[name].Settings())
	}
	for _, key := range r.order {
		pipeline, _, _ := strings.Cut(key, " #")
		var s rerank.Stats
		if d := r.decompose[key]; d != nil {
			s = d.Stats()
		} else {
			s = r.rerankers[key].Stats()
		}
		if s.Calls > 0 {
			out.Rerankers = append(out.Rerankers, store.Reranker{Pipeline: pipeline, Stats: s})
		}
	}
	out.Condensers = r.shaped
	for _, p := range pipelines {
		for _, s := range p.Stages {
			out.Stages = append(out.Stages, p.Name+": "+s.text())
		}
	}
	return out
}

// lexicalRanker scores a passage by the lexical judge: the share of the query's
// words, weighted by idf, that it holds.
type lexicalRanker struct{}

func (lexicalRanker) Stats() rerank.Stats { return rerank.Stats{Name: (lexical.Judge{}).Name()} }

func (lexicalRanker) Rerank(ctx context.Context, jobs []rerank.Job, step func(int)) ([][]float64, error) {
	out := make([][]float64, len(jobs))
	for i, j := range jobs {
		task := judge.Task{ID: j.Query.ID, Questions: []judge.Question{{ID: "q", Kind: judge.Answerability, Text: j.Query.Text}}}
		tasks := make([]judge.Task, len(j.Candidates))
		for k, c := range j.Candidates {
			tasks[k] = task
			tasks[k].Units = []string{c.Text}
		}
		verdicts, err := (lexical.Judge{}).Judge(ctx, tasks, nil)
		if err != nil {
			return nil, err
		}
		for _, v := range verdicts {
			out[i] = append(out[i], v[0].Score)
		}
		if step != nil {
			step(i + 1)
		}
	}
	return out, nil
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
