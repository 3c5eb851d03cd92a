package run

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"lore/datasets"
	"lore/embed"
	"lore/index/rerank"
	"lore/local"
	"lore/local/gate"
	"lore/local/prompt"
)

// Door is a model with the door its calls go through, for builders.
type Door struct {
	Gate    *gate.Gate
	Call    local.Call // backend, model, digest and options
	Prompts *prompt.Set
	Fit     func(calls []local.Call) // sets the window of each stage; nil once Reserve has set one for all

	model *model
	opt   Options
}

// Close closes the journal.
func (d *Door) Close() error { return d.Gate.Close() }

// OpenModel resolves a model, ollama:NAME or "" for none, and opens its journal in
// the folder calls.
func OpenModel(ctx context.Context, opt Options, spec, calls string, prompts ...fs.FS) (*Door, error) {
	m := &models{opt: opt, byName: map[string]*model{}}
	d := &Door{Prompts: prompt.NewSet(opt.Prompts, prompts...), opt: opt}
	if spec != "" {
		one, err := m.resolve(ctx, spec, local.Options{TopP: 1, Seed: int(opt.Seed), RepeatPenalty: 1})
		if err != nil {
			return nil, err
		}
		d.model = one
		d.Call = local.Call{Backend: one.backend, Model: one.name, Digest: one.digest, Options: one.options}
		d.Fit = func(calls []local.Call) { m.fit(one, calls, "prompts of the build") }
	} else {
		calls = ""
	}
	var err error
	d.Gate, err = gate.Open(gate.Config{Dir: calls, Lanes: m.lanes(), Warn: opt.Warn})
	return d, err
}

// Reserve sets the context window that the whole build has, for prompts of at most need
// tokens with their replies. A model that was not trained for so many is refused.
func (d *Door) Reserve(need int) error {
	trained := d.model.info.Context
	have := d.opt.NumCtx
	if have == 0 {
		have = window(need, trained)
	}
	if have < need || trained > 0 && have > trained {
		return usage("the build needs a context window of about %d tokens; %s has %d (it was trained for %d): choose another model, shorter documents, or another --num-ctx", need, d.model.spec, have, trained)
	}
	d.Call.Options.NumCtx = have
	d.Fit = nil // nothing is left to fit
	return nil
}

// Probe asks the model for the smallest reply that obeys a schema. A model whose
// template or size is not up to that is refused before any work.
func (d *Door) Probe(ctx context.Context) error {
	call := d.Call
	call.Messages = []local.Message{{Role: local.System, Content: "You answer in JSON."}, {Role: local.User, Content: `Reply with JSON: {"ready": "yes"}`}}
	call.Schema = json.RawMessage(`{"type":"object","properties":{"ready":{"type":"string","enum":["yes"]}},"required":["ready"]}`)
	call.Options.NumPredict = 200
	reply, err := d.Gate.Do(ctx, call)
	switch {
	case err != nil:
		return err
	case reply.Outcome == local.Transport, reply.Outcome == local.ModelError, reply.Outcome == local.NoDone:
		return fmt.Errorf("the first call to %s failed: %s: %s", d.model.spec, reply.Outcome, reply.Detail)
	case reply.Outcome != local.OK:
		return usage("%s does not keep to a schema (%s: %s): its chat template may be missing, or it is too small; choose another model", d.model.spec, reply.Outcome, reply.Detail)
	}
	return nil
}

// Speed is how fast a model is, in tokens per second of one call.
type Speed struct{ Prompt, Output float64 }

// Measure times two calls: one with a long prompt, one with a long reply. The door must
// have been opened without a journal: a measured time must be of now.
func (d *Door) Measure(ctx context.Context) (Speed, error) {
	var s Speed
	ask := func(text string, predict int) (local.Reply, error) {
		call := d.Call
		call.Messages = []local.Message{{Role: local.User, Content: text}}
		call.Options.NumPredict = predict
		r, err := d.Gate.Do(ctx, call)
		if err == nil && r.Outcome != local.OK && r.Outcome != local.Cut && r.Outcome != local.Empty {
			err = fmt.Errorf("measure %s: %s: %s", d.model.spec, r.Outcome, r.Detail)
		}
		return r, err
	}
	// The first call loads the model, and is not timed.
	if _, err := ask("Say hello.", 2); err != nil {
		return s, err
	}
	long, err := ask(strings.Repeat("The wall of the harbour held through the storm, and nobody knew why. ", 60)+"Answer in one word: did it hold?", 2)
	if err != nil {
		return s, err
	}
	written, err := ask("Tell a long story about a harbour.", 128)
	if err != nil {
		return s, err
	}
	s.Prompt = float64(long.Usage.PromptTokens) / max(1e-3, long.Usage.Duration.Seconds())
	left := written.Usage.Duration.Seconds() - float64(written.Usage.PromptTokens)/s.Prompt
	s.Output = float64(written.Usage.OutputTokens) / max(1e-3, left)
	return s, nil
}

// Similarity compares texts by an embedder, a folder or ollama:NAME, or by lexical
// vectors if none is named.
func Similarity(ctx context.Context, opt Options, embedder string, texts []string) (func(i, j int) float64, error) {
	if embedder == "" {
		vectors, err := rerank.LexicalVectors(opt.Analyzer)
		if err != nil {
			return nil, err
		}
		return vectors(ctx, texts)
	}
	r := newRetrievers(opt, &models{opt: opt, byName: map[string]*model{}}, nil, nil, nil)
	defer r.Close()
	e, err := r.embedder(ctx, embedder)
	if err != nil {
		return nil, err
	}
	return rerank.DenseVectors(queriesOnly{e})(ctx, texts)
}

// queriesOnly embeds all texts as queries.
type queriesOnly struct{ embed.Embedder }

func (q queriesOnly) Embed(ctx context.Context, _ embed.Role, texts []string) ([]embed.Embedding, error) {
	return q.Embedder.Embed(ctx, embed.Query, texts)
}

// WriteLog writes a build's log, a line of JSON per event.
func WriteLog[E any](path string, events []E) error {
	err := os.MkdirAll(filepath.Dir(path), 0o777)
	if err == nil {
		err = datasets.WriteLines(path, events)
	}
	if err != nil {
		return fmt.Errorf("write the build's log: %w", err)
	}
	return nil
}
