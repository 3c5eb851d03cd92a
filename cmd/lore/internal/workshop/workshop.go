// Package workshop gives the verbs of benchmarks what they work with: the models, judges
// and retrievers that a command line names. It knows no benchmark.
package workshop

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"lore/cmd/lore/internal/models"
	"lore/cmd/lore/internal/pipeline"
	"lore/cmd/lore/internal/usage"
	"lore/datasets"
	"lore/datasets/all"
	"lore/datasets/stage"
	"lore/judge"
	"lore/judge/llm"
	"lore/local"
	"lore/local/files"
	"lore/local/gate"
	"lore/local/prompt"
)

// Config is what the command line says.
type Config struct {
	Out     string // folder to write
	Calls   string // folder of the journals: of the writer, the search, and the judges
	Model   string // that writes, ollama:NAME, or empty
	Checker string // that checks; empty: the one that writes

	Writing, Checking stage.Decoding // how the two draw their words

	Tries   int // most tries of a reply that is refused
	Judges  []string
	Judging models.Judging
	Journal string // name of the judges' journal in Calls

	Retriever pipeline.Pipeline // finds documents
	Rerank    []pipeline.Stage  // order what was found
	Models    models.Config
	Pipelines pipeline.Config
	Prompts   fs.FS // replaces built-in prompts by name; may be nil
	Console   usage.Console

	// Phase is told what begins where models are stood in for, of how many steps it is, and how many
	// of them are done; nil: models are asked.
	Phase func(stage string, steps int) (done func(int))
}

// Workshop implements datasets.Workshop. It must be closed.
type Workshop struct {
	cfg    Config
	opened []interface {
		Usage() []gate.ModelUsage
		Close() error
	}
	writers []*stage.Session
}

var _ datasets.Workshop = (*Workshop)(nil)

// New asks nobody yet.
func New(cfg Config) *Workshop { return &Workshop{cfg: cfg} }

// Close closes the journals.
func (w *Workshop) Close() error {
	var err error
	for _, o := range w.opened {
		err = errors.Join(err, o.Close())
	}
	return err
}

// Usage is what the model's calls cost.
func (w *Workshop) Usage() []gate.ModelUsage {
	var out []gate.ModelUsage
	for _, o := range w.opened {
		out = append(out, o.Usage()...)
	}
	return out
}

// Forged counts the texts in which marks that pose as something else were made neutral before
// the model that writes saw them.
func (w *Workshop) Forged() int {
	n := 0
	for _, s := range w.writers {
		n += s.Forged()
	}
	return n
}

// MadeWith is a model that a build was made with.
type MadeWith struct {
	Model  string `json:"model"`
	Digest string `json:"digest,omitempty"`
	Role   string `json:"role"`

	Temperature float64 `json:"temperature"`
	TopP        float64 `json:"top_p,omitempty"`
}

// Models are those that write and check, as they answered.
func (w *Workshop) Models() []MadeWith {
	var out []MadeWith
	for _, s := range w.writers {
		if s.Calls == nil {
			continue
		}
		one := func(call local.Call, role string, how stage.Decoding) {
			made := MadeWith{call.Backend + ":" + call.Model, call.Digest, role, how.Temperature, how.TopP}
			if !slices.Contains(out, made) {
				out = append(out, made)
			}
		}
		checker := s.Call
		if s.Checker != nil {
			checker = *s.Checker
		}
		one(s.Call, "writes", s.Writing)
		one(checker, "checks", s.Checking)
	}
	return out
}

// PromptHashes are the SHA-256 of the prompts that were used, by name.
func (w *Workshop) PromptHashes() map[string]string {
	out := map[string]string{}
	for _, s := range w.writers {
		maps.Copy(out, s.Prompts.Hashes())
	}
	return out
}

// Out is the folder of --out.
func (w *Workshop) Out() string { return w.cfg.Out }

// Model is the model that writes.
func (w *Workshop) Model() string { return w.cfg.Model }

// Seed is --seed.
func (w *Workshop) Seed() uint64 { return w.cfg.Models.Seed }

// Slots is --slots.
func (w *Workshop) Slots() int { return w.cfg.Models.Slots }

// Language is --language.
func (w *Workshop) Language() string { return w.cfg.Judging.Language }

// Warn tells the user what is odd.
func (w *Workshop) Warn(s string) { w.cfg.Console.Warn(s) }

// Note tells the user what is good to know.
func (w *Workshop) Note(s string) { w.cfg.Console.Note(s) }

// Start shows how far a phase has come.
func (w *Workshop) Start(phase string, n int) func(done int) {
	if w.dry() {
		stage, _, _ := strings.Cut(phase, ", try ")
		return w.cfg.Phase(stage, n)
	}
	return w.cfg.Console.Start(phase, n)
}

// dry reports whether models are stood in for, and nothing is written.
func (w *Workshop) dry() bool { return w.cfg.Phase != nil }

// Fresh refuses to write over what a finished job has written.
func (w *Workshop) Fresh(path string) error {
	if _, err := os.Stat(path); err == nil {
		return usage.Errorf("%s is there already; choose another --out or remove it", path)
	}
	return nil
}

// Load reads the data of a benchmark by its name.
func (w *Workshop) Load(benchmark string, paths []string) (*datasets.Dataset, error) {
	e, ok := all.Find(benchmark)
	if !ok {
		return nil, usage.Unknown("benchmark", benchmark, all.Names())
	}
	ds, err := e.Load(paths)
	if err != nil {
		return nil, err
	}
	for _, warning := range ds.Warnings {
		w.Warn(warning)
	}
	return ds, nil
}

// Writer opens a session with the model that writes.
func (w *Workshop) Writer(ctx context.Context, need int, prompts ...fs.FS) (*stage.Session, error) {
	s := &stage.Session{
		Prompts:  prompt.NewSet(w.cfg.Prompts, prompts...),
		Tries:    w.cfg.Tries,
		Step:     w.Start,
		Writing:  w.cfg.Writing,
		Checking: w.cfg.Checking,

		Rehearsed: w.dry(),
	}
	w.writers = append(w.writers, s)
	if w.cfg.Model == "" {
		return s, nil
	}

	d, err := w.open(ctx, need, filepath.Join(w.cfg.Calls, "calls"))
	if err != nil {
		return nil, err
	}
	if !w.dry() {
		// The journal's lock is the folder's: what is being written there is nobody's.
		if err := files.Sweep(w.cfg.Calls, 0); err != nil {
			return nil, err
		}
	}
	s.Calls, s.Call, s.Fit = d.gate, d.writer.call, d.fit
	if d.checker != nil {
		s.Checker = &d.checker.call
	}
	return s, nil
}

// Judges opens the judges.
func (w *Workshop) Judges(ctx context.Context, g datasets.Grading) ([]judge.Judge, error) {
	if len(w.cfg.Judges) == 0 {
		return nil, nil
	}
	how := w.cfg.Judging
	if g.Together && how.Mode == llm.Schema && how.Calibration == nil {
		how.Batch = true
	}
	var own []fs.FS
	if g.Prompts != nil {
		own = append(own, g.Prompts)
	}

	dir := filepath.Join(w.cfg.Calls, w.cfg.Journal)
	j, err := models.New(w.cfg.Models).OpenJudges(ctx, w.cfg.Judges, how, w.cfg.Prompts, dir, own...)
	if err != nil {
		return nil, err
	}
	w.opened = append(w.opened, j)
	return j.List, nil
}

// alone ranks outside a run.
func (w *Workshop) alone() pipeline.Alone {
	return pipeline.Alone{
		Config: w.cfg.Pipelines,
		Models: models.New(w.cfg.Models),
		Calls:  filepath.Join(w.cfg.Calls, "calls-search"),
	}
}

// Find searches documents.
func (w *Workshop) Find(ctx context.Context, docs []datasets.Document, questions []datasets.Search, n int) (
	[][]string, error) {
	return w.alone().Find(ctx, w.cfg.Retriever, w.cfg.Rerank, docs, questions, n)
}

// Similarity compares texts.
func (w *Workshop) Similarity(ctx context.Context, embedder string, texts []string) (func(i, j int) float64, error) {
	name, ok := strings.CutPrefix(embedder, "dense:")
	if embedder != "" && (!ok || name == "") {
		return nil, usage.Errorf("--embedder is dense:DIR or dense:ollama:NAME, not %q", embedder)
	}
	return w.alone().Similarity(ctx, name, texts)
}

// WriteLog writes a build's log, a line of JSON per event.
func WriteLog(path string, events []stage.Event) error {
	err := files.MkdirAll(filepath.Dir(path))
	if err == nil {
		err = files.WriteLines(path, events)
	}
	if err != nil {
		return fmt.Errorf("write the build's log: %w", err)
	}
	return nil
}
