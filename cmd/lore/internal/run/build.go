package run

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

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
	Fit     func(calls []local.Call)
}

// Close closes the journal.
func (d *Door) Close() error { return d.Gate.Close() }

// OpenModel resolves a model, ollama:NAME or "" for none, and opens its journal in
// the folder calls.
func OpenModel(ctx context.Context, opt Options, spec, calls string, prompts ...fs.FS) (*Door, error) {
	m := &models{opt: opt, byName: map[string]*model{}}
	d := &Door{Prompts: prompt.NewSet(opt.Prompts, prompts...)}
	if spec != "" {
		one, err := m.resolve(ctx, spec, local.Options{TopP: 1, Seed: int(opt.Seed), RepeatPenalty: 1})
		if err != nil {
			return nil, err
		}
		d.Call = local.Call{Backend: one.backend, Model: one.name, Digest: one.digest, Options: one.options}
		d.Fit = func(calls []local.Call) { m.fit(one, calls, "prompts of the build") }
	} else {
		calls = ""
	}
	var err error
	d.Gate, err = gate.Open(gate.Config{Dir: calls, Lanes: m.lanes(), Warn: opt.Warn})
	return d, err
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
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	for _, e := range events {
		if err := enc.Encode(e); err != nil {
			return fmt.Errorf("encode the build's log: %w", err)
		}
	}
	err := os.MkdirAll(filepath.Dir(path), 0o777)
	if err = errors.Join(err, os.WriteFile(path, buf.Bytes(), 0o666)); err != nil {
		return fmt.Errorf("write the build's log: %w", err)
	}
	return nil
}
