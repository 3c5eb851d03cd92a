package models

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"lore/cmd/lore/internal/store"
	"lore/embed"
	"lore/judge"
	"lore/judge/nli"
	"lore/local/ollama"
)

// Encoders says how the models of judges that are no language models are computed, and
// where on disk it is kept what they gave.
type Encoders struct {
	Dir    string // empty: nothing is kept
	Engine embed.Engine
}

// Kinds of judges that are encoders, as they stand before the model's folder.
const (
	entailmentJudge = "nli"
	cosineJudge     = "embed"
)

// encoder is the model of such a judge.
type encoder struct {
	settings embed.Settings
	entails  embed.Entailer // one of the two
	vectors  embed.Embedder
	judge    *nli.Judge // nil until it is opened, with what is kept on disk
}

// IsEncoder reports whether a name is nli:DIR, embed:DIR or embed:ollama:NAME.
func IsEncoder(spec string) bool {
	kind, model, _ := strings.Cut(spec, ":")
	return (kind == entailmentJudge || kind == cosineJudge) && model != "" && model != ollama.BackendName+":"
}

// resolveEncoder opens the model of a judge once, so that it is refused before anything is
// asked.
func (s *Set) resolveEncoder(ctx context.Context, spec string) (*Model, error) {
	if m := s.encoders[spec]; m != nil {
		return m, nil
	}

	kind, name, _ := strings.Cut(spec, ":")
	e := &encoder{}
	var err error
	if kind == entailmentJudge {
		if e.entails, err = embed.OpenEntailer(ctx, name, s.cfg.Encoders.Engine); err != nil {
			return nil, err
		}
		e.settings = e.entails.Settings()
	} else {
		if e.vectors, err = s.openVectors(ctx, name); err != nil {
			return nil, err
		}
		e.settings = e.vectors.Settings()
	}
	for _, d := range e.settings.Doubts {
		doubt := spec + ": " + d
		s.warnings = append(s.warnings, doubt)
		s.cfg.Console.Warn(doubt)
	}

	m := &Model{Spec: spec, Backend: kind, Name: name, Digest: e.settings.Model, encoder: e}
	s.encoders[spec] = m
	return m, nil
}

// openVectors opens an embedder in a folder, or one that is served.
func (s *Set) openVectors(ctx context.Context, name string) (embed.Embedder, error) {
	long := embed.Windows{Long: embed.Mean}
	served, ok := strings.CutPrefix(name, ollama.BackendName+":")
	if !ok {
		return embed.OpenONNX(ctx, name, long, s.cfg.Encoders.Engine)
	}
	client, err := s.Client(ctx)
	if err != nil {
		return nil, err
	}
	return embed.OpenOllama(ctx, client, served, long)
}

// openEncoder makes the judge of a model that was resolved. Only now its file of values is
// locked: a retriever may have had the same model. fresh uses no file.
func (s *Set) openEncoder(m *Model, fresh bool) (judge.Judge, error) {
	e := m.encoder
	if e.judge != nil {
		return e.judge, nil
	}

	dir, warn := s.cfg.Encoders.Dir, s.cfg.Console.Warn
	if fresh {
		dir = ""
	}
	out := &nli.Judge{Label: m.Spec, Thresholds: e.thresholds()}
	switch {
	case e.entails != nil && dir != "":
		kept, err := embed.CacheEntailments(dir, e.entails, warn)
		if err != nil {
			return nil, fmt.Errorf("open the values of %s: %w", m.Spec, err)
		}
		e.entails = kept
	case e.vectors != nil && dir != "":
		kept, err := embed.OpenCache(dir, e.vectors, warn)
		if err != nil {
			return nil, fmt.Errorf("open the vectors of %s: %w", m.Spec, err)
		}
		e.vectors = kept
	}

	out.Model = e.entails
	if e.entails == nil {
		out.Model = nli.Cosine{Embedder: e.vectors}
	}
	e.judge = out
	return out, nil
}

func (e *encoder) thresholds() nli.Thresholds {
	if e.entails != nil {
		return nli.Probabilities
	}
	return nli.Cosines
}

func (e *encoder) close() error {
	if e.entails != nil {
		return e.entails.Close()
	}
	return e.vectors.Close()
}

// Close frees the models of judges, and the files of what they gave.
func (s *Set) Close() error {
	var err error
	for _, m := range s.encoders {
		err = errors.Join(err, m.encoder.close())
	}
	clear(s.encoders)
	return err
}

// manifest is what a run folder keeps of a judge that is an encoder: its weights, what its
// outputs mean, and how scores become labels.
func (e *encoder) manifest(m *Model) store.Model {
	thresholds := e.thresholds()
	return store.Model{
		Name:       m.Spec,
		Digest:     m.Digest,
		Context:    e.settings.MaxTokens,
		Agreement:  Agreement(m.Spec),
		Encoder:    &e.settings,
		Thresholds: &thresholds,
	}
}

// baseline words what is known of a judge by cosine, whatever the embedder; empty for other
// judges.
func baseline(spec string) string {
	if kind, _, _ := strings.Cut(spec, ":"); kind == cosineJudge {
		return "not measured: a baseline, near vectors need not say the same; measure it with `lore judge validate`"
	}
	return ""
}
