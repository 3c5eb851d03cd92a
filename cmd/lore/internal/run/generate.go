package run

import (
	"context"
	"fmt"
	"slices"

	"lore/cmd/lore/internal/models"
	"lore/cmd/lore/internal/pipeline"
	"lore/cmd/lore/internal/store"
	"lore/datasets"
	"lore/datasets/stage"
	"lore/index"
	"lore/local"
	"lore/local/extractive"
	"lore/local/gate"
	"lore/local/parallel"
	remote "lore/local/system"
)

// outside is the retriever of systems that are not ours.
const outside = datasets.Outside

// beginGenerate has a step for every model that makes answers. Answers from outside are taken over.
func (e *engine) beginGenerate() ([]step, error) {
	e.cells = e.cellsFor(e.found)
	for _, c := range e.cells {
		if e.systems[c.system].answers != nil {
			e.tellFailed(c)
		}
	}
	e.correct()

	var steps []step
	for _, m := range append(slices.Clone(e.generators), e.asked...) {
		var of []*cell
		var calls []local.Call
		word := func() (err error) {
			if calls == nil {
				of, calls, err = e.requests(m)
			}
			return err
		}
		steps = append(steps, step{
			model: m.Spec,
			foresee: func() error {
				err := word()
				e.models.Foresee(m, calls)
				return err
			},
			do: func(ctx context.Context) error {
				if err := word(); err != nil {
					return err
				}
				e.models.Fit(m, calls, "prompts of the generator")
				tell := e.opt.Console.Start(generating(m), len(calls))
				done, misread := 0, &gate.Alike{}
				return e.gate.All(ctx, calls, func(n int, reply local.Reply) {
					e.take(of[n], m, reply)
					e.tellFailed(*of[n])
					e.tellMisread(*of[n], m, reply, misread)
					done++
					tell(done)
				})
			},
		})
	}
	return steps, nil
}

// requests are what a model is asked, with the cells that its answers go to.
func (e *engine) requests(m *models.Model) ([]*cell, []local.Call, error) {
	var of []*cell
	var calls []local.Call
	for i := range e.cells {
		c := &e.cells[i]
		if e.systems[c.system].model != m {
			continue
		}
		call, err := e.request(m, c)
		if err != nil {
			return nil, nil, err
		}
		of, calls = append(of, c), append(calls, call)
	}
	return of, calls, nil
}

// endGenerate readies the answers for what is asked about them, writes what systems named, and says
// what could not be read of it.
func (e *engine) endGenerate() error {
	parallel.Each(len(e.cells), func(i int) {
		c := &e.cells[i]
		c.evidence = c.evidence.Stripped(c.item)
	})
	e.tellReads()
	return e.writeNamed(e.cells)
}

// cellsFor lists every item for every system, with what is known of it before an answer is
// made.
func (e *engine) cellsFor(found [][]datasets.Retrieved) []cell {
	var cells []cell
	for n, s := range e.systems {
		for k, it := range e.items {
			c := cell{system: n, item: it, evidence: datasets.Evidence{Language: e.opt.Language}}
			switch {
			case s.answers != nil:
				c.evidence.Output = s.answers.Outputs[it.ID()]
				if found, ok := s.answers.Found[it.ID()]; ok {
					c.evidence.Retrieved = &found
					c.evidence.Context = it.Context(found, e.opt.Budget)
				}
			case s.at != noRetriever:
				c.evidence.Retrieved = &found[s.at][k]
				c.evidence.Context = it.Context(found[s.at][k], e.opt.Budget)
			}
			cells = append(cells, c)
		}
	}
	return cells
}

// tellFailed tells whoever looks on of an answer that failed: the journal has calls alone, and a
// call may go well whose answer cannot be used.
func (e *engine) tellFailed(c cell) {
	if e.opt.Failed != nil && c.failed() {
		e.opt.Failed(store.FailedAnswer{
			System: e.systems[c.system].System.String(),
			Item:   c.item.ID(),
			Reason: c.evidence.Output.Reason,
		})
	}
}

// tellMisread tells of an answer that failed though its call went well: it cannot be read, or names
// what the data does not have. Where this goes for the first ones alike, it is said at once.
func (e *engine) tellMisread(c cell, m *models.Model, reply local.Reply, first *gate.Alike) {
	out := c.evidence.Output
	if gate.Answered(reply) && c.failed() {
		e.opt.Console.Unusable()
		if first.See(out.Outcome, out.Reason) {
			e.opt.Console.Warn(gate.AlikeText(m.Called(), out.Outcome, out.Reason, e.opt.Models.Systems.Remedy(m)))
		}
		return
	}
	first.See(local.OK, "") // no more to tell: the door tells of calls
}

// request words what a model, or a system that is asked, is given.
func (e *engine) request(m *models.Model, c *cell) (local.Call, error) {
	if m.IsAsked() {
		call := e.opt.Models.Systems.Question(m, c.item.Title(), c.item.ID())
		call.About = e.systems[c.system].name(c.item)
		return call, nil
	}

	s := e.systems[c.system]
	shown := c.evidence.Context
	if !m.Structured() {
		shown = e.neutral(c.item.Corpus().ID, shown)
		e.forged.questions.Text(c.item.Title())
	}
	ask := datasets.Ask{Context: shown, Variant: s.variant, Prompt: s.asks.prompt}
	messages, source, err := c.item.Request(ask)
	if err != nil {
		return local.Call{}, s.asks.version.Locate(err)
	}

	call := m.Call()
	call.Prefix, call.About = c.item.Corpus().ID+" "+s.Retriever, s.name(c.item)
	if m.Structured() {
		source.Language = extractive.Language(e.opt.Language, source.Passages)
		call.Source = source
	} else {
		call.Messages = messages
		c.seen, c.prompt = shown.Passages, skeleton(c.item, ask, messages)
	}
	if most := c.evidence.Context.AnswerTokens; most > 0 && e.opt.NumPredict == 0 {
		call.Options.NumPredict = most
		if t := call.Options.Think; t != "" && t != "false" {
			call.Options.NumPredict += e.protocol.NumPredict // thoughts count, too
		}
	}
	return call, nil
}

// take puts a reply into its cell.
func (e *engine) take(c *cell, m *models.Model, reply local.Reply) {
	c.usage = reply.Usage
	if m.Service != nil {
		e.takeService(c, m, reply)
		return
	}
	c.evidence.Output = datasets.Output{Text: reply.Text, Outcome: reply.Outcome, Reason: reply.Detail}
	if reply.Outcome == local.Cut && !e.opt.StrictCut && begun(reply) {
		c.evidence.Output.Outcome, c.evidence.Output.Cut = local.OK, true
	}
	if m.IsAsked() && reply.Outcome == local.OK {
		e.takeNamed(c, reply)
	}
}

// begun reports whether a reply that was cut got as far as its answer: it has text, and
// that is not all thoughts.
func begun(reply local.Reply) bool {
	reply.Outcome = local.OK
	text, problem := stage.Plain(reply)
	return problem == "" && text != ""
}

// takeNamed reads what a system said, with the documents it names. Documents that the
// corpus does not have are a failure: the system answers from other data.
func (e *engine) takeNamed(c *cell, reply local.Reply) {
	fail := func(reason string) {
		c.evidence.Output = datasets.Output{Outcome: local.BadFormat, Reason: reason}
	}
	a, err := remote.Parse([]byte(reply.Text))
	if err != nil {
		fail(err.Error())
		return
	}

	found := datasets.Retrieved{}
	for _, id := range a.Documents {
		if !c.item.Corpus().Has(id) {
			fail(fmt.Sprintf("names the document %q, which the data does not have", id))
			return
		}
		if !slices.Contains(found.IDs, id) {
			found.IDs = append(found.IDs, id)
		}
	}

	c.evidence.Output = datasets.Output{Text: a.Answer, Outcome: local.OK}
	if len(found.IDs) > 0 {
		c.evidence.Retrieved = &found
		c.evidence.Context = c.item.Context(found, e.opt.Budget)
	}
}

// writeNamed writes the rankings of systems that name documents, or came with a ranking.
func (e *engine) writeNamed(cells []cell) error {
	for n, s := range e.systems {
		if s.at != noRetriever || s.answers != nil && s.answers.Found == nil {
			continue
		}

		var topics []string
		var rankings []index.Ranking
		for _, c := range cells {
			if c.system != n || c.evidence.Retrieved == nil {
				continue
			}
			r := index.Ranking{Whole: true}
			for _, id := range c.evidence.Retrieved.IDs {
				r.Hits = append(r.Hits, index.Hit{ID: id})
			}
			topics, rankings = append(topics, c.item.ID()), append(rankings, r)
		}

		if len(topics) == 0 {
			continue
		}
		name := s.Generator
		if s.answers != nil {
			name = s.Retriever
		}
		if err := e.writeRun(pipeline.FileName(outside+"-"+name), topics, rankings); err != nil {
			return err
		}
	}
	return nil
}
