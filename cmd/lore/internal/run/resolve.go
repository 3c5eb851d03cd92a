package run

import (
	"cmp"
	"context"
	"fmt"

	"lore/cmd/lore/internal/pipeline"
	"lore/cmd/lore/internal/store"
	"lore/cmd/lore/internal/usage"
	"lore/datasets"
	"lore/index/condense"
	"lore/index/rerank"
	"lore/judge/llm"
	"lore/local"
	"lore/local/prompt"
)

// resolve looks models and prompts up before anything is written or asked.
func (e *engine) resolve(ctx context.Context) error {
	var err error
	e.prompts = prompt.NewSet(e.opt.Prompts, e.bench.Prompts(), llm.Prompts(), rerank.Prompts(), condense.Prompts())
	if e.answer, err = e.prompts.Load(e.protocol.AnswerPrompt); err != nil {
		return err
	}

	if e.rankers, err = pipeline.Resolve(ctx, e.models, e.opt.Retrievers); err != nil {
		return err
	}
	if err := e.resolveGenerators(ctx); err != nil {
		return err
	}
	for _, spec := range e.opt.Judges {
		j, err := e.models.ResolveJudge(ctx, spec)
		if err != nil {
			return err
		}
		e.judges = append(e.judges, j)
	}
	if rule := e.protocol.Points; rule != nil && rule.Model != "" {
		if e.points, err = e.models.Resolve(ctx, rule.Model, e.models.Greedy()); err != nil {
			return err
		}
	}

	e.listSystems()
	for _, note := range e.leftOut {
		e.opt.Console.Note(note)
	}
	if len(e.systems) == 0 {
		return usage.Errorf("nothing is left to run: add a retriever that finds documents, " +
			"or a generator that needs none, --generator ollama:NAME")
	}
	if err := e.folder.Check(e.resolved()); err != nil {
		return usage.Errorf("%v", err)
	}
	e.gate, err = e.models.Open(e.folder.Calls())
	return err
}

// resolved is what a folder's earlier run must agree with.
func (e *engine) resolved() store.Manifest {
	m := store.Manifest{Benchmark: e.bench.Name(), DataHash: e.ds.Hash}
	for _, g := range e.generators {
		m.Generators = append(m.Generators, g.Manifest())
	}
	for _, j := range e.judges {
		m.Judges = append(m.Judges, j.Manifest(e.opt.Judging)...)
	}
	return m
}

func (e *engine) resolveGenerators(ctx context.Context) error {
	options := local.Options{
		NumPredict:    cmp.Or(e.opt.NumPredict, e.protocol.NumPredict),
		Temperature:   e.opt.Temperature,
		TopP:          e.opt.TopP,
		Seed:          int(e.opt.Seed),
		RepeatPenalty: 1,
	}
	_, most := e.answerTokens()
	longest := max(options.NumPredict, most)
	for _, spec := range e.opt.Generators {
		m, err := e.models.Resolve(ctx, spec, options)
		if err != nil {
			return err
		}
		e.generators = append(e.generators, m)
		shown := e.mostShown()
		e.models.Promise(spec, shown+shown/5+longest+1024)
	}

	systems := e.opt.Models.Systems
	if err := systems.Alive(ctx); err != nil {
		return err
	}
	e.asked = systems.Asked()
	return nil
}

// mostShown bounds the tokens of documents in a prompt: the budget, or all that there is. A token is
// a byte at least.
func (e *engine) mostShown() int {
	most := 0
	seen := map[*datasets.Corpus]bool{}
	for _, it := range e.items {
		c := it.Corpus()
		if seen[c] || most >= e.opt.Budget.Tokens {
			continue
		}
		seen[c] = true
		bytes := 0
		for _, d := range c.Documents {
			bytes += len(d.Text)
		}
		most = max(most, bytes)
	}
	return min(most, e.opt.Budget.Tokens)
}

// answerTokens are the smallest and the largest limit that the items set to their answers;
// 0 where none does, or the user has set one for all.
func (e *engine) answerTokens() (least, most int) {
	if e.opt.NumPredict > 0 {
		return 0, 0
	}
	for _, it := range e.items {
		// A context of nothing tells the limit without reading documents.
		n := it.Context(datasets.Retrieved{}, datasets.Budget{}).AnswerTokens
		if n > 0 && (least == 0 || n < least) {
			least = n
		}
		most = max(most, n)
	}
	return least, most
}

// listSystems lists the grid, then the systems that are asked, then answers from outside. A
// generator that copies from documents is left out, with a note, where none are shown: it
// could only fail on every item.
func (e *engine) listSystems() {
	variants := e.protocol.Variants
	if len(variants) == 0 {
		variants = []string{""}
	}

	for r, p := range e.opt.Retrievers {
		for _, g := range e.generators {
			if g.Structured() && p.ShowsNothing() {
				e.leftOut = append(e.leftOut, fmt.Sprintf("left out: the generator %s copies from documents, "+
					"and the retriever %s shows none", g.Spec, p.Name))
				continue
			}
			for _, v := range variants {
				name := g.Spec
				if v != "" {
					name += " (" + v + ")"
				}
				s := datasets.System{Retriever: p.Name, Generator: name}
				e.systems = append(e.systems, system{System: s, model: g, at: r, variant: v})
			}
		}
	}
	for _, m := range e.asked {
		s := datasets.System{Retriever: outside, Generator: m.Spec}
		e.systems = append(e.systems, system{System: s, model: m, at: noRetriever})
	}
	for i := range e.opt.Answers {
		a := &e.opt.Answers[i]
		e.systems = append(e.systems, system{System: a.System, answers: a, at: noRetriever})
	}
}
