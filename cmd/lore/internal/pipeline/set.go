package pipeline

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"lore/cmd/lore/internal/models"
	"lore/cmd/lore/internal/store"
	"lore/cmd/lore/internal/usage"
	"lore/datasets"
	"lore/embed"
	"lore/index"
	"lore/index/collection"
	"lore/index/condense"
	"lore/index/rerank"
	"lore/index/trec"
	"lore/local"
	"lore/local/gate"
	"lore/local/ollama"
	"lore/local/prompt"
)

// Set opens pipelines over corpora and keeps what they share.
type Set struct {
	cfg     Config
	models  *models.Set
	gate    *gate.Gate
	prompts *prompt.Set
	rankers Rankers

	corpora   map[*datasets.Corpus]index.Corpus
	searchers map[searcher]index.Retriever // those that take long to open
	runs      map[string]*trec.Run
	embedders map[string]*embed.Cache
	sparse    map[string]*sparseModel
	crosses   map[string]embed.CrossEncoder // by folder and kind
	stages    []stageMade
	shaped    []store.Condenser
	closers   []func() error

	vectorFiles map[string]*collection.Vectors
}

// Rankers are the language models of pipelines, by name.
type Rankers map[string]*models.Model

// searcher names an opened source over documents.
type searcher struct {
	source string
	docs   index.Corpus
}

// stageMade is a reranker, or a decomposition, that was opened for a pipeline.
type stageMade struct {
	pipeline string
	place    int // among the pipeline's stages; sourcePlace for its source
	ranker   rerank.Reranker
	stats    func() rerank.Stats
}

// sourcePlace stands for the place of a pipeline's source among its stages.
const sourcePlace = -1

// Resolve looks the language models of pipelines up.
func Resolve(ctx context.Context, m *models.Set, pipelines []Pipeline) (Rankers, error) {
	out := Rankers{}
	for _, p := range pipelines {
		for _, name := range p.models() {
			if out[name] != nil {
				continue
			}
			one, err := m.Resolve(ctx, models.Full(name), m.Greedy())
			if err != nil {
				return nil, err
			}
			out[name] = one
		}
	}
	return out, nil
}

// NewSet prepares the opening of pipelines, whose models were resolved.
func NewSet(cfg Config, m *models.Set, g *gate.Gate, prompts *prompt.Set, rankers Rankers) *Set {
	return &Set{
		cfg:       cfg,
		models:    m,
		gate:      g,
		prompts:   prompts,
		rankers:   rankers,
		corpora:   map[*datasets.Corpus]index.Corpus{},
		searchers: map[searcher]index.Retriever{},
		runs:      map[string]*trec.Run{},
		embedders: map[string]*embed.Cache{},
		sparse:    map[string]*sparseModel{},
		crosses:   map[string]embed.CrossEncoder{},

		vectorFiles: map[string]*collection.Vectors{},
	}
}

// Close frees what the pipelines hold open.
func (s *Set) Close() {
	for _, c := range s.closers {
		_ = c() // a mapped file that cannot be unmapped is freed with the process
	}
}

// Open builds a pipeline over documents.
func (s *Set) Open(ctx context.Context, p Pipeline, docs index.Corpus) (index.Retriever, error) {
	r, err := s.source(ctx, p, docs)
	if err != nil {
		return nil, err
	}
	for i, stage := range p.Stages {
		ranker, err := s.stage(ctx, p.Name, i, stage)
		if err != nil {
			return nil, err
		}
		r = rerank.New(r, docs, ranker, stage.Depth)
	}
	return r, nil
}

// Items ranks for all items of each corpus at once.
func (s *Set) Items(ctx context.Context, p Pipeline, items []datasets.Item, depth int) ([]index.Ranking, error) {
	var corpora []*datasets.Corpus
	members := map[*datasets.Corpus][]int{}
	for k, it := range items {
		if c := it.Corpus(); members[c] == nil {
			corpora = append(corpora, c)
		}
		members[it.Corpus()] = append(members[it.Corpus()], k)
	}

	out := make([]index.Ranking, len(items))
	step := s.cfg.Console.Start(Retrieving+p.Name, len(items))
	before := 0
	for _, c := range corpora {
		r, err := s.Open(ctx, p, s.corpus(c))
		if err != nil {
			return nil, err
		}

		queries := make([]index.Query, len(members[c]))
		for n, k := range members[c] {
			q := items[k].Query()
			queries[n] = index.Query{
				ID:       items[k].ID(),
				Text:     q.Text,
				Gold:     q.Gold,
				Recorded: q.Recorded,
				BestGold: q.BestGold,
			}
		}
		rankings, err := index.RetrieveAll(ctx, r, queries, depth, func(done int) { step(before + done) })
		if err != nil {
			return nil, err
		}

		before += len(queries)
		for n, k := range members[c] {
			out[k] = rankings[n]
		}
	}
	return out, nil
}

// corpus is a benchmark's corpus as retrievers take it, the same one for all pipelines.
func (s *Set) corpus(c *datasets.Corpus) index.Corpus {
	if s.corpora[c] == nil {
		s.corpora[c] = index.InMemory(c.Documents)
	}
	return s.corpora[c]
}

// search opens a source that reads all documents, once for all pipelines over them.
func (s *Set) search(ctx context.Context, from Source, docs index.Corpus) (index.Retriever, error) {
	key := searcher{source: from.String(), docs: docs}
	if have := s.searchers[key]; have != nil {
		return have, nil
	}

	made, err := s.openSearch(ctx, from, docs)
	if err != nil {
		return nil, err
	}
	s.searchers[key] = made
	return made, nil
}

func (s *Set) openSearch(ctx context.Context, from Source, docs index.Corpus) (index.Retriever, error) {
	if from.Kind == bm25 {
		analyzer, params := from.bm25(s.cfg)
		if err := params.Check(); err != nil {
			return nil, usage.Errorf("%s: %v", from, err)
		}
		b, err := index.OpenBM25(index.OnBusy(ctx, s.cfg.Console.Note), s.cfg.IndexDir, docs, analyzer, params)
		if err != nil {
			return nil, err
		}
		s.closers = append(s.closers, b.Close)
		return b, nil
	}

	if from.Kind == sparse {
		return s.openSparse(ctx, from, docs)
	}

	e, err := s.embedder(ctx, from.Arg)
	if err != nil {
		return nil, err
	}
	step := s.cfg.Console.Start(embedding, docs.Len())
	e.OnProgress(func(done, _ int) { step(done) })
	return index.NewDense(ctx, docs, e, index.DenseOptions{})
}

func (s *Set) source(ctx context.Context, p Pipeline, docs index.Corpus) (index.Retriever, error) {
	switch from := p.Source; from.Kind {
	// Searches, which read every document.
	case "bm25", "dense", sparse:
		return s.search(ctx, from, docs)
	case decompose:
		return s.decomposed(ctx, p, docs)
	case rm3:
		return s.expanded(ctx, from, docs)

	// Baselines, and rankings that are there already.
	case "keywords":
		return index.Keywords(docs), nil
	case keywordsReleased:
		return index.KeywordsReleased(docs), nil
	case "random":
		return index.Random(docs, s.cfg.Seed), nil
	case "oracle":
		return index.Oracle(docs), nil
	case oracleK:
		return index.OracleK(docs), nil
	case oracle1:
		return s.bestGold(ctx, p, docs)
	case "full":
		return index.Full(docs, index.AsGiven), nil
	case "full-top", "full-bottom", "full-middle":
		return index.Full(docs, index.Order(strings.TrimPrefix(from.Kind, "full-"))), nil
	case "full-random":
		return index.Shuffled(docs, s.cfg.Seed), nil
	case "none":
		return index.None(), nil
	case "recorded":
		return recorded{index.Recorded(docs, from.Arg), from.Arg}, nil
	case given:
		return recorded{index.Recorded(docs, given), given}, nil
	case "trec":
		return s.fromRun(from.Arg, docs)
	default:
		return s.fused(ctx, from, docs)
	}
}

// bestGold shows the gold document that a model ranks first, or else the benchmark's own
// rule, or the lexical judge.
func (s *Set) bestGold(ctx context.Context, p Pipeline, docs index.Corpus) (index.Retriever, error) {
	ranker := rerank.Reranker(goldRanker{})
	if p.Source.Arg != "" {
		var err error
		stage := Stage{Kind: string(rerank.Pointwise5), Model: p.Source.Arg}
		if ranker, err = s.stage(ctx, p.Name, sourcePlace, stage); err != nil {
			return nil, err
		}
	}
	return index.Cut(rerank.New(index.Oracle(docs), docs, ranker, docs.Len()), 1), nil
}

func (s *Set) fused(ctx context.Context, from Source, docs index.Corpus) (index.Retriever, error) {
	parts := make([]index.Retriever, len(from.Parts))
	for i, part := range from.Parts {
		var err error
		if parts[i], err = s.Open(ctx, part, docs); err != nil {
			return nil, err
		}
	}
	return from.fusing().Over(parts...), nil
}

// expanded is RM3 over BM25.
func (s *Set) expanded(ctx context.Context, from Source, docs index.Corpus) (index.Retriever, error) {
	first, err := s.search(ctx, from.Parts[0].Source, docs)
	if err != nil {
		return nil, err
	}
	return index.RM3(first.(*index.BM25), docs, from.rm3())
}

func (s *Set) decomposed(ctx context.Context, p Pipeline, docs index.Corpus) (index.Retriever, error) {
	first, err := s.Open(ctx, p.Source.Parts[0], docs)
	if err != nil {
		return nil, err
	}
	d, err := rerank.Decompose(first, s.Ranker(p.Source.Arg), s.prompts)
	if err != nil {
		return nil, err
	}
	s.stages = append(s.stages, stageMade{pipeline: p.Name, place: sourcePlace, stats: d.Stats})
	return d, nil
}

// embedder opens a model once for all corpora and pipelines, behind its vectors on
// disk.
func (s *Set) embedder(ctx context.Context, name string) (*embed.Cache, error) {
	if e := s.embedders[name]; e != nil {
		return e, nil
	}

	inner, err := s.openEmbedder(ctx, name)
	if err != nil {
		return nil, err
	}
	e, err := embed.OpenCache(s.cfg.IndexDir, inner, s.cfg.Console.Warn)
	if err != nil {
		return nil, errors.Join(err, inner.Close())
	}
	s.embedders[name] = e
	s.closers = append(s.closers, e.Close)
	return e, nil
}

func (s *Set) openEmbedder(ctx context.Context, name string) (embed.Embedder, error) {
	served, ok := strings.CutPrefix(name, ollama.BackendName+":")
	if !ok {
		return embed.OpenONNX(ctx, name, s.cfg.Embedding.Windows, s.cfg.Embedding.Engine, s.cfg.Embedding.Prefixes)
	}
	client, err := s.models.Client(ctx)
	if err != nil {
		return nil, err
	}
	return embed.OpenOllama(ctx, client, served, s.cfg.Embedding.Windows, s.cfg.Embedding.Prefixes)
}

// stage opens a reranker once for all corpora.
func (s *Set) stage(ctx context.Context, pipeline string, place int, stage Stage) (rerank.Reranker, error) {
	for _, m := range s.stages {
		if m.pipeline == pipeline && m.place == place && m.ranker != nil {
			return m.ranker, nil
		}
	}

	made, err := s.newStage(ctx, stage)
	if err != nil {
		return nil, err
	}
	s.stages = append(s.stages, stageMade{pipeline, place, made, made.Stats})
	return made, nil
}

func (s *Set) newStage(ctx context.Context, stage Stage) (rerank.Reranker, error) {
	switch stage.Kind {
	case mmr:
		vectors, err := s.stageVectors(ctx, stage.Model)
		if err != nil {
			return nil, err
		}
		return rerank.MMR(stage.Lambda, vectors)
	case crossEncoder, colbert:
		c, err := s.cross(ctx, stage)
		if err != nil {
			return nil, err
		}
		return rerank.Cross(c), nil
	}
	return rerank.NewLLM(rerank.Kind(stage.Kind), s.Ranker(stage.Model), s.prompts)
}

// stageVectors are those that a stage of MMR names.
func (s *Set) stageVectors(ctx context.Context, name string) (rerank.Vectors, error) {
	dir, ok := strings.CutPrefix(name, sparse+":")
	if !ok {
		return s.vectors(ctx, strings.TrimPrefix(name, "dense:"))
	}
	m, err := s.sparseModel(ctx, Source{Kind: sparse, Arg: dir})
	if err != nil {
		return nil, err
	}
	return rerank.SparseVectors(m), nil
}

// vectors are those of an embedder, or lexical ones if none is named.
func (s *Set) vectors(ctx context.Context, embedder string) (rerank.Vectors, error) {
	if embedder == "" {
		return rerank.LexicalVectors(s.cfg.Analyzer)
	}
	e, err := s.embedder(ctx, embedder)
	if err != nil {
		return nil, err
	}
	return rerank.DenseVectors(e), nil
}

// cross opens a model that scores pairs, once for all stages.
func (s *Set) cross(ctx context.Context, stage Stage) (embed.CrossEncoder, error) {
	key := stage.Model + "\x00" + stage.Kind
	if c := s.crosses[key]; c != nil {
		return c, nil
	}
	open := embed.OpenCrossEncoder
	if stage.Kind == colbert {
		open = embed.OpenColBERT
	}
	inner, err := open(ctx, stage.Model, s.cfg.Embedding.Engine)
	if err != nil {
		return nil, err
	}
	c, err := rerank.CacheScores(s.cfg.IndexDir, inner, s.cfg.Console.Warn)
	if err != nil {
		return nil, errors.Join(err, inner.Close())
	}
	s.crosses[key] = c
	s.closers = append(s.closers, c.Close)
	return c, nil
}

// Ranker is a language model as rerankers use it.
func (s *Set) Ranker(name string) rerank.Model {
	m := s.rankers[name]
	fit := func(calls []local.Call) {
		s.models.Keep(m, calls)
		s.models.Fit(m, calls, "prompts of the reranker")
	}
	return rerank.Model{Calls: s.gate, Call: m.Call(), Fit: fit}
}

// Shaped notes how a pipeline's documents were shortened.
func (s *Set) Shaped(p Pipeline, by string, stats condense.Stats) {
	s.shaped = append(s.shaped, store.Condenser{Pipeline: p.Name, By: by, Stats: stats})
}

// Notes describe what the pipelines' models did. Only what a rerun gives again is
// in them.
func (s *Set) Notes(pipelines []Pipeline) store.Retrieval {
	var out store.Retrieval
	for _, name := range slices.Sorted(maps.Keys(s.embedders)) {
		e := s.embedders[name]
		r := e.Report()
		out.Embedders = append(out.Embedders, store.Embedder{
			Settings: e.Settings(),
			Texts:    r.Texts,
			Windowed: r.Windowed,
			Cut:      r.Cut,
		})
	}
	for _, name := range slices.Sorted(maps.Keys(s.sparse)) {
		r := s.sparse[name].report()
		out.Embedders = append(out.Embedders, store.Embedder{
			Settings: s.sparse[name].Settings(),
			Texts:    r.Texts,
			Windowed: r.Windowed,
			Cut:      r.Cut,
		})
	}
	for _, name := range slices.Sorted(maps.Keys(s.crosses)) {
		out.CrossEncoders = append(out.CrossEncoders, s.crosses[name].Settings())
	}

	for _, p := range pipelines { // in their order, whichever was opened first
		for _, m := range s.stages {
			if stats := m.stats(); m.pipeline == p.Name && stats.Calls > 0 {
				out.Rerankers = append(out.Rerankers, store.Reranker{Pipeline: m.pipeline, Stats: stats})
			}
		}
		for _, shaped := range s.shaped {
			if shaped.Pipeline == p.Name {
				out.Condensers = append(out.Condensers, shaped)
			}
		}
	}

	for _, p := range pipelines {
		for _, stage := range p.Stages {
			out.Stages = append(out.Stages, fmt.Sprintf("%s: %s", p.Name, stage))
		}
	}
	return out
}
