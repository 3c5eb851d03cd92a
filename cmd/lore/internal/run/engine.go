// Package run is the engine: the one loop that every benchmark goes through.
//
//	retrieve → generate → plan → judge → score
package run

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"slices"
	"strings"

	"lore/cmd/lore/internal/store"
	"lore/datasets"
	"lore/index"
	"lore/index/condense"
	"lore/index/rerank"
	"lore/index/trec"
	"lore/judge"
	"lore/judge/ensemble"
	"lore/judge/llm"
	"lore/local"
	"lore/local/gate"
	"lore/local/ollama"
	"lore/local/prompt"
	remote "lore/local/system"
	"lore/local/tokens"
)

// Options say what to run.
type Options struct {
	Retrievers  []Pipeline
	Generators  []string
	Judges      []string
	Limit       int // items; 0 is all
	Budget      datasets.Budget
	Seed        uint64
	Slots       int // calls at once to the model server
	Host        string
	Dial        ollama.Dialer
	NumCtx      int // 0: from the longest prompt
	NumPredict  int
	Temperature float64
	TopP        float64
	Think       string
	Judging     Judging
	Answers     []Answers         // of systems from outside, judged besides the grid
	Systems     Outside           // systems that are asked over HTTP
	BERTScore   *BERTScore        // nil: not computed
	Bench       map[string]string // the benchmark's own settings that were given
	Prompts     fs.FS             // replaces built-in prompts by name; may be nil
	Analyzer    string
	BM25        index.BM25Params
	IndexDir    string
	Embedding   Embedding
	Version     string
	Progress    Progress
	Warn        func(string)
}

// Progress shows how far a phase has come.
type Progress interface {
	// Start begins a phase of n steps and returns a function that is told the number
	// of steps done.
	Start(phase string, n int) func(done int)
}

// Result is a finished run.
type Result struct {
	Table    Table
	Manifest store.Manifest
	Answers  []store.Answer
	Verdicts []store.TaskVerdicts
	Contexts []store.ContextVerdicts // on shown documents, for benchmarks that judge these
	Usage    []gate.ModelUsage
}

// Unscored reports how many items failed and how many values are missing.
func (r *Result) Unscored(metrics []datasets.Metric) (items, values int) {
	for _, row := range r.Table.Rows {
		_, u := row.N(metrics)
		items += row.ItemsFailed
		values += u
	}
	return items, values
}

// engine carries what the phases share.
type engine struct {
	bench      datasets.Benchmark
	ds         *datasets.Dataset
	items      []datasets.Item
	opt        Options
	folder     *store.Folder
	models     *models
	rankers    map[string]*model
	retrieval  store.Retrieval // what the pipelines' models did
	generators []*model
	asked      []*model // systems that are asked over HTTP
	systems    []system
	judges     []resolvedJudge
	judgeNames []string                                // with mode, as they stand in tables
	contexts   []map[string]map[string][]judge.Verdict // judge, item, document
	prompts    *prompt.Set
	answer     *prompt.Prompt
	pointModel *model // takes answers apart; nil: no model does
	gate       *gate.Gate
	texts      map[*datasets.Corpus]map[string]string // of documents, by id, as far as they were wanted
}

// cell is one answer to be made and judged.
type cell struct {
	system    int
	item      datasets.Item
	retrieved *datasets.Retrieved // nil for answers from outside
	context   datasets.Context
	output    datasets.Output
	task      judge.Task
	points    judge.Task        // of the answer's own points; no questions where these are not judged
	own       [][]judge.Verdict // on them, by judge
}

// system is a row of the grid before judging: a retriever with a generator, or
// answers from outside.
type system struct {
	retriever, generator string
	answers              *Answers // nil: a cell of the grid, or a system that is asked
	model                *model
	at                   int    // place of the retriever; -1 for a system that is asked
	variant              string // how the benchmark asks
}

// plan lists the systems.
func (e *engine) plan() {
	variants := []string{""}
	if v, ok := e.bench.(datasets.Varied); ok && len(v.Variants()) > 0 {
		variants = v.Variants()
	}
	for r, p := range e.opt.Retrievers {
		for _, g := range e.generators {
			for _, v := range variants {
				name := g.spec
				if v != "" {
					name += " (" + v + ")"
				}
				e.systems = append(e.systems, system{retriever: p.Name, generator: name, model: g, at: r, variant: v})
			}
		}
	}
	for _, m := range e.asked {
		e.systems = append(e.systems, system{retriever: outside, generator: m.name, model: m, at: -1})
	}
	for i := range e.opt.Answers {
		a := &e.opt.Answers[i]
		e.systems = append(e.systems, system{retriever: a.Retriever, generator: a.Generator, answers: a})
	}
}

// Run does the whole job in the run folder. It is resumed by calling it again
// with the same options: finished model calls are taken from the journal.
func Run(ctx context.Context, bench datasets.Benchmark, ds *datasets.Dataset, opt Options, folder *store.Folder) (*Result, error) {
	e := &engine{bench: bench, ds: ds, items: ds.Items, opt: opt, folder: folder, models: &models{opt: opt, byName: map[string]*model{}}}
	if opt.Limit > 0 && opt.Limit < len(e.items) {
		e.items = e.items[:opt.Limit]
	}
	if err := e.prepare(ctx); err != nil {
		return nil, err
	}
	defer e.gate.Close()
	found, err := e.retrieve(ctx)
	if err != nil {
		return nil, err
	}
	cells, err := e.generate(ctx, found)
	if err != nil {
		return nil, err
	}
	if err := e.makePoints(ctx, cells); err != nil {
		return nil, err
	}
	if err := e.measure(ctx, cells); err != nil {
		return nil, err
	}
	verdicts, err := e.judge(ctx, cells)
	if err != nil {
		return nil, err
	}
	if err := e.judgeContexts(ctx, cells); err != nil {
		return nil, err
	}
	result := e.collect(cells, verdicts)
	return result, e.save(result)
}

// prepare resolves models and prompts before anything is written or asked.
func (e *engine) prepare(ctx context.Context) error {
	e.prompts = prompt.NewSet(e.opt.Prompts, e.bench.Prompts(), llm.Prompts(), rerank.Prompts(), condense.Prompts())
	var err error
	if e.answer, err = e.prompts.Load(e.bench.AnswerPrompt()); err != nil {
		return err
	}
	if e.rankers, err = resolveRankers(ctx, e.models, e.opt.Retrievers, e.opt.Seed); err != nil {
		return err
	}
	generate := local.Options{NumPredict: e.opt.NumPredict, Temperature: e.opt.Temperature, TopP: e.opt.TopP, Seed: int(e.opt.Seed), RepeatPenalty: 1}
	for _, spec := range e.opt.Generators {
		m, err := e.models.resolve(ctx, spec, generate)
		if err != nil {
			return err
		}
		e.generators = append(e.generators, m)
	}
	if err := e.opt.Systems.alive(ctx); err != nil {
		return err
	}
	for _, url := range e.opt.Systems.URLs {
		e.asked = append(e.asked, &model{spec: url, backend: remote.BackendName, name: url})
	}
	for _, spec := range e.opt.Judges {
		j, err := e.models.resolveJudge(ctx, spec)
		if err != nil {
			return err
		}
		e.judges = append(e.judges, j)
	}
	if m, ok := e.bench.(datasets.PointMaker); ok && m.PointModel() != "" {
		if e.pointModel, err = e.models.resolve(ctx, m.PointModel(), local.Options{TopP: 1, Seed: int(e.opt.Seed), RepeatPenalty: 1}); err != nil {
			return err
		}
	}
	e.plan()
	if err := e.folder.Check(store.Manifest{Benchmark: e.bench.Name(), DataHash: e.ds.Hash}); err != nil {
		return &UsageError{err.Error()}
	}
	e.gate, err = gate.Open(gate.Config{Dir: e.folder.Calls(), Lanes: e.models.lanes(), Warn: e.opt.Warn})
	return err
}

// retrieve ranks for every retriever and item, and writes the run files.
func (e *engine) retrieve(ctx context.Context) ([][]datasets.Retrieved, error) {
	set := newRetrievers(e.opt, e.models, e.gate, e.prompts, e.rankers)
	defer set.Close()
	if err := e.writeQrels(); err != nil {
		return nil, err
	}
	out := make([][]datasets.Retrieved, len(e.opt.Retrievers))
	for i, p := range e.opt.Retrievers {
		rankings, err := retrieveItems(ctx, set, p, e.items, e.bench.Defaults().Depth)
		if err != nil {
			return nil, err
		}
		out[i] = make([]datasets.Retrieved, len(e.items))
		results := map[string][]trec.Result{}
		var topics []string
		for k, it := range e.items {
			ranking := rankings[k]
			out[i][k].Whole = ranking.Whole
			topics = append(topics, it.ID())
			for rank, h := range ranking.Hits {
				out[i][k].IDs = append(out[i][k].IDs, h.ID)
				score := h.Score
				if ranking.Whole {
					score = float64(len(ranking.Hits) - rank) // a fixed order must survive sorting by score
				}
				results[it.ID()] = append(results[it.ID()], trec.Result{Document: h.ID, Score: score})
			}
		}
		var buf bytes.Buffer
		if err := trec.WriteRun(&buf, fileName(p.Name), topics, results); err != nil {
			return nil, err
		}
		if err := e.folder.WriteFile("retrieval/"+fileName(p.Name)+".trec", buf.Bytes()); err != nil {
			return nil, err
		}
	}
	if err := e.condense(ctx, set, out); err != nil {
		return nil, err
	}
	e.retrieval = set.notes(e.opt.Retrievers)
	return out, nil
}

// retrieveItems ranks for all items of each corpus at once.
func retrieveItems(ctx context.Context, set *retrievers, p Pipeline, items []datasets.Item, depth int) ([]index.Ranking, error) {
	var corpora []*datasets.Corpus
	members := map[*datasets.Corpus][]int{}
	for k, it := range items {
		if c := it.Corpus(); members[c] == nil {
			corpora = append(corpora, c)
		}
		members[it.Corpus()] = append(members[it.Corpus()], k)
	}
	out := make([]index.Ranking, len(items))
	step := set.opt.Progress.Start("retrieve by "+p.Name, len(items))
	before := 0
	for _, c := range corpora {
		r, err := set.open(ctx, p, set.documents(c))
		if err != nil {
			return nil, err
		}
		queries := make([]index.Query, len(members[c]))
		for n, k := range members[c] {
			q := items[k].Query()
			queries[n] = index.Query{ID: items[k].ID(), Text: q.Text, Gold: q.Gold, Recorded: q.Recorded}
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

// writeQrels writes the gold relevance, so that rankings can be measured by
// themselves.
func (e *engine) writeQrels() error {
	var buf bytes.Buffer
	if err := trec.WriteQrels(&buf, Qrels(e.items)); err != nil {
		return err
	}
	return e.folder.WriteFile("retrieval/qrels.txt", buf.Bytes())
}

// Qrels are the gold relevance of items' documents.
func Qrels(items []datasets.Item) *trec.Qrels {
	q := &trec.Qrels{Topics: map[string][]trec.Judgement{}}
	for _, it := range items {
		q.Order = append(q.Order, it.ID())
		gold := it.Query().Gold
		for _, doc := range slices.Sorted(maps.Keys(gold)) {
			q.Topics[it.ID()] = append(q.Topics[it.ID()], trec.Judgement{Iteration: "0", Document: doc, Relevance: int(math.Round(gold[doc]))})
		}
	}
	return q
}

// fileName makes a name safe for a file.
func fileName(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', strings.ContainsRune("-_.", r):
			return r
		}
		return '_'
	}, name)
}

// generate makes every answer of the grid, one model after the other, and takes
// over the answers from outside.
func (e *engine) generate(ctx context.Context, found [][]datasets.Retrieved) ([]cell, error) {
	var cells []cell
	for n, s := range e.systems {
		for k, it := range e.items {
			c := cell{system: n, item: it}
			switch {
			case s.answers != nil:
				c.setOutput(s, s.answers.Outputs[it.ID()])
			case s.at >= 0:
				c.retrieved = &found[s.at][k]
				c.context = it.Context(*c.retrieved, e.opt.Budget)
			}
			cells = append(cells, c)
		}
	}
	step := e.opt.Progress.Start("generate", len(cells))
	done := 0
	for _, m := range append(slices.Clone(e.generators), e.asked...) {
		var places []int
		var calls []local.Call
		for i := range cells {
			if e.systems[cells[i].system].model != m {
				continue
			}
			call, err := e.request(m, &cells[i])
			if err != nil {
				return nil, err
			}
			places = append(places, i)
			calls = append(calls, call)
		}
		e.models.fit(m, calls, "prompts of the generator")
		err := e.gate.All(ctx, calls, func(n int, reply local.Reply) {
			c := &cells[places[n]]
			out := datasets.Output{Text: reply.Text, Outcome: reply.Outcome, Reason: reply.Detail}
			if m.backend == remote.BackendName && reply.Outcome == local.OK {
				out = e.takeAnswer(c, reply)
			}
			c.setOutput(e.systems[c.system], out)
			done++
			step(done)
		})
		if err != nil {
			return nil, err
		}
	}
	return cells, e.writeOutside(cells)
}

func (c *cell) setOutput(s system, out datasets.Output) {
	c.output = out
	c.task = c.item.Plan(out)
	c.task.ID = fmt.Sprintf("%s %s %s", s.retriever, s.generator, c.item.ID())
}

func (e *engine) request(m *model, c *cell) (local.Call, error) {
	if m.backend == remote.BackendName {
		return local.Call{Backend: m.backend, Model: m.name, Messages: []local.Message{{Role: local.User, Content: remote.Body(c.item.Title(), e.opt.Systems.K)}}}, nil
	}
	item := c.item
	if v := e.systems[c.system].variant; v != "" {
		item = item.(datasets.VariedItem).Vary(v)
	}
	messages, source, err := item.Request(c.context, e.answer)
	if err != nil {
		return local.Call{}, err
	}
	call := local.Call{Backend: m.backend, Model: m.name, Digest: m.digest, Options: m.options,
		Prefix: c.item.Corpus().ID + " " + e.systems[c.system].retriever}
	if m.structured() {
		call.Source = source
	} else {
		call.Messages = messages
	}
	return call, nil
}

// judge asks every judge about every answer. Answers that failed are not shown
// to a judge: all their questions are unscored for the same reason.
func (e *engine) judge(ctx context.Context, cells []cell) ([][][]judge.Verdict, error) {
	out := make([][][]judge.Verdict, len(e.judges))
	for i := range cells {
		cells[i].own = make([][]judge.Verdict, len(e.judges))
	}
	for j, m := range e.judges {
		out[j] = make([][]judge.Verdict, len(cells))
		var tasks []judge.Task
		var places []int
		questions := 0
		for i, c := range cells {
			if c.output.Outcome != local.OK {
				out[j][i] = unanswered(c.task, c.output)
				continue
			}
			tasks = append(tasks, c.task)
			places = append(places, i)
			questions += len(c.task.Questions)
			if len(c.points.Questions) > 0 {
				tasks = append(tasks, c.points)
				places = append(places, i)
				questions += len(c.points.Questions)
			}
		}
		one, err := e.models.openJudge(m, e.gate, e.prompts)
		if err != nil {
			return nil, err
		}
		e.judgeNames = append(e.judgeNames, one.Name())
		verdicts, err := one.Judge(ctx, tasks, e.opt.Progress.Start("judge by "+one.Name(), questions))
		if err != nil {
			return nil, err
		}
		for n, i := range places {
			if n > 0 && places[n-1] == i { // the second task of an answer is about its own points
				cells[i].own[j] = verdicts[n]
			} else {
				out[j][i] = verdicts[n]
			}
		}
		if both, ok := one.(*ensemble.Judge); ok {
			asked, all := both.Asked()
			e.opt.Warn(fmt.Sprintf("note: %s asked the second judge %d of %d questions and saved the other %d", both.Name(), asked, all, all-asked))
		}
	}
	return out, nil
}

// unanswered are the verdicts on an answer that failed.
func unanswered(t judge.Task, out datasets.Output) []judge.Verdict {
	verdicts := make([]judge.Verdict, len(t.Questions))
	for i, q := range t.Questions {
		verdicts[i] = judge.Unscored(q.ID, out.Outcome, "the answer failed: "+out.Reason)
	}
	return verdicts
}

// checker is an item that can say what is odd about an output.
type checker interface {
	Check(out datasets.Output) []string
}

// collect scores and pools.
func (e *engine) collect(cells []cell, verdicts [][][]judge.Verdict) *Result {
	res := &Result{Usage: e.gate.Usage(), Table: Table{Format: store.Format, Benchmark: e.bench.Name(),
		Pooling:  "all values of a metric over all items; by_item averages the items' means instead",
		Interval: fmt.Sprintf("%g %% BCa bootstrap over items, %d resamples, seed %d", 100*Level, Resamples, e.opt.Seed)}}
	metrics := e.bench.Metrics()
	for n, sys := range e.systems {
		var of []int
		for i, c := range cells {
			if c.system == n {
				of = append(of, i)
			}
		}
		for j := range e.judges {
			row := Row{Retriever: sys.retriever, Generator: sys.generator, Judge: e.judgeNames[j], Items: len(of)}
			for _, i := range of {
				c := cells[i]
				if c.output.Outcome != local.OK {
					row.ItemsFailed++
				}
				scores := c.item.Score(c.output, verdicts[j][i])
				if x, ok := c.item.(datasets.ContextJudged); ok && c.retrieved != nil {
					scores = append(scores, x.ScoreContext(*c.retrieved, e.contexts[j][c.item.ID()])...)
				}
				if r, ok := c.item.(datasets.RetrievalScorer); ok && c.retrieved != nil {
					scores = append(scores, r.ScoreRetrieval(*c.retrieved, c.context)...)
				}
				if p, ok := c.item.(datasets.PointJudged); ok {
					scores = append(scores, p.ScorePoints(c.output, verdicts[j][i], c.own[j])...)
				}
				values := group(c.item, scores, metrics)
				if f, ok := c.item.(datasets.Faceted); ok {
					values.Facets = f.Facets(c.context, c.output)
				}
				row.Scores = append(row.Scores, values)
				line := store.TaskVerdicts{Retriever: sys.retriever, Generator: sys.generator, Judge: e.judgeNames[j],
					Item: c.item.ID(), Questions: c.task.Questions, Verdicts: verdicts[j][i], Points: c.own[j]}
				if d, ok := c.item.(datasets.Diagnoser); ok {
					line.Notes = d.Diagnose(c.retrieved, e.contexts[j][c.item.ID()], c.output, verdicts[j][i])
				}
				res.Verdicts = append(res.Verdicts, line)
			}
			row.Figures = figures(row.Scores, metrics, e.opt.Seed)
			res.Table.Rows = append(res.Table.Rows, row)
		}
		for _, i := range of {
			res.Answers = append(res.Answers, e.record(cells[i]))
		}
	}
	res.Contexts = e.contextLines()
	res.Manifest = e.manifest()
	return res
}

func (e *engine) record(c cell) store.Answer {
	a := store.Answer{Retriever: e.systems[c.system].retriever, Generator: e.systems[c.system].generator, Item: c.item.ID(), Title: c.item.Title(),
		Group: c.item.Group(), Outcome: c.output.Outcome, Reason: c.output.Reason, Text: c.output.Text,
		ContextTokens: c.context.Tokens, Dropped: c.context.Dropped, Cut: c.context.Cut, CutTokens: c.context.CutTokens, Measures: c.output.Measures, Points: c.output.Points, Documents: []string{}}
	for _, p := range c.context.Passages {
		a.Documents = append(a.Documents, p.Label)
	}
	if k, ok := c.item.(checker); ok && c.output.Outcome == local.OK {
		a.Notes = k.Check(c.output)
	}
	return a
}

func (e *engine) manifest() store.Manifest {
	m := store.Manifest{Format: store.Format, Lore: e.opt.Version, Benchmark: e.bench.Name(), Data: e.ds.Files, DataHash: e.ds.Hash,
		Prompts: e.prompts.Hashes(), Retrievers: names(e.opt.Retrievers), Retrieval: e.retrieval, Server: e.models.server, Tokenizer: tokens.Name, Seed: e.opt.Seed,
		Items: len(e.items), Warnings: append(append([]string(nil), e.ds.Warnings...), e.models.warnings...),
		Settings: map[string]any{"budget_tokens": e.opt.Budget.Tokens, "limit": e.opt.Limit, "bm25": e.opt.BM25.Describe(), "bm25_analyzer": e.opt.Analyzer,
			"resamples": Resamples, "level": Level}}
	if n, ok := e.bench.(datasets.Noter); ok {
		m.Settings["notes"] = n.Notes(e.ds, e.opt.Budget)
	}
	if len(e.opt.Bench) > 0 {
		m.Settings["benchmark"] = e.opt.Bench
	}
	if e.opt.BERTScore != nil {
		m.Settings["bertscore"] = e.opt.BERTScore.notes
	}
	for _, a := range e.opt.Answers {
		m.Answers = append(m.Answers, a.File)
	}
	m.Answers = append(m.Answers, e.opt.Systems.URLs...)
	for _, g := range e.generators {
		m.Generators = append(m.Generators, g.manifest())
	}
	for _, j := range e.judges {
		m.Judges = append(m.Judges, j.manifest(e.opt.Judging)...)
	}
	return m
}

func names(pipelines []Pipeline) []string {
	out := make([]string, len(pipelines))
	for i, p := range pipelines {
		out[i] = p.Name
	}
	return out
}

// save writes the derived files, the scores last: a folder with scores is whole.
func (e *engine) save(r *Result) error {
	if err := store.WriteLines(e.folder, "answers.jsonl", r.Answers); err != nil {
		return err
	}
	if err := store.WriteLines(e.folder, "verdicts.jsonl", r.Verdicts); err != nil {
		return err
	}
	if len(r.Contexts) > 0 {
		if err := store.WriteLines(e.folder, "context_verdicts.jsonl", r.Contexts); err != nil {
			return err
		}
	}
	if err := e.folder.WriteJSON("manifest.json", r.Manifest); err != nil {
		return err
	}
	return e.folder.WriteJSON("scores.json", r.Table)
}
