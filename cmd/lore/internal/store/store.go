// Package store keeps a run folder:
//
//	manifest.json          what was run: data, prompts and models by hash, options, seeds
//	retrieval/<name>.trec  one ranking per retriever, and qrels.txt with the gold relevance
//	answers.jsonl          one answer per retriever, generator and item
//	verdicts.jsonl         one task's verdicts per retriever, generator, judge and item
//	scores.json            the table, with every value it was made of
//	report.md, report.html the same to read
//	calls/*.jsonl          the journal of model calls
//
// Only the journal is grown; everything else is derived from it and the data, and
// written whole, aside, and renamed. No derived file holds a time, so that the
// same run gives the same bytes.
package store

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/gofrs/flock"

	"lore/datasets"
	"lore/embed"
	"lore/index/condense"
	"lore/index/rerank"
	"lore/judge"
	"lore/local"
)

// Format is the version of the run folder. 1: first version.
const Format = 1

// Manifest says what was run.
type Manifest struct {
	Format     int               `json:"format"`
	Lore       string            `json:"lore"`
	Benchmark  string            `json:"benchmark"`
	Data       []string          `json:"data"`
	DataHash   string            `json:"data_sha256"`
	Prompts    map[string]string `json:"prompts_sha256"`
	Retrievers []string          `json:"retrievers"`
	Retrieval  Retrieval         `json:"retrieval,omitzero"`
	Generators []Model           `json:"generators"`
	Answers    []string          `json:"answers_from,omitempty"` // files of answers from outside
	Judges     []Model           `json:"judges"`
	Server     string            `json:"server_version,omitempty"`
	Tokenizer  string            `json:"tokenizer"`
	Settings   map[string]any    `json:"settings"`
	Seed       uint64            `json:"seed"`
	Items      int               `json:"items"`
	Warnings   []string          `json:"warnings,omitempty"`
}

// Retrieval is what the models of retrievers are and did.
type Retrieval struct {
	Stages        []string         `json:"stages,omitempty"`
	Embedders     []Embedder       `json:"embedders,omitempty"`
	CrossEncoders []embed.Settings `json:"cross_encoders,omitempty"`
	Rerankers     []Reranker       `json:"rerankers,omitempty"`
	Condensers    []Condenser      `json:"condensers,omitempty"`
}

// Condenser is how a pipeline's documents were shortened before they were shown.
type Condenser struct {
	Pipeline string `json:"pipeline"`
	By       string `json:"by"`
	condense.Stats
}

// Embedder is an embedding model with what became of the texts it was given.
type Embedder struct {
	Settings embed.Settings `json:"settings"`
	Texts    int            `json:"texts"`
	Windowed int            `json:"texts_in_windows"` // longer than one window, pooled from several
	Cut      int            `json:"texts_cut"`        // embedded without their end
}

// Reranker is a stage of a pipeline with the counts of its replies.
type Reranker struct {
	Pipeline string `json:"pipeline"`
	rerank.Stats
}

// Model is a generator or judge with all that bears on its answers.
type Model struct {
	Name    string         `json:"name"`
	Digest  string         `json:"digest,omitempty"`
	Context int            `json:"trained_context,omitempty"`
	Family  string         `json:"family,omitempty"`
	Size    string         `json:"parameters,omitempty"`
	Quant   string         `json:"quantization,omitempty"`
	Options *local.Options `json:"options,omitempty"`

	Mode      string `json:"mode,omitempty"`      // of a judge: how verdicts are read
	Agreement string `json:"agreement,omitempty"` // of a judge: what was measured against people
}

// Answer is one line of answers.jsonl.
type Answer struct {
	Retriever     string        `json:"retriever"`
	Generator     string        `json:"generator"`
	Item          string        `json:"item"`
	Title         string        `json:"title"`
	Group         string        `json:"group"`
	Outcome       local.Outcome `json:"outcome"`
	Reason        string        `json:"reason,omitempty"`
	Text          string        `json:"text"`
	Documents     []string      `json:"documents"` // labels of the passages shown, in order
	ContextTokens int           `json:"context_tokens"`
	Dropped       int           `json:"documents_dropped"` // retrieved, but over the budget
	Cut           int           `json:"documents_cut"`     // shown in part
	CutTokens     int           `json:"tokens_cut"`        // of the documents shown in part, and of those left out where the benchmark counts them

	Measures map[string]float64 `json:"measures,omitempty"` // computed by an encoder, or recorded with the answer
	Points   *datasets.Points   `json:"points,omitempty"`   // the answer's own points, where the benchmark judges these
	Notes    []string           `json:"notes,omitempty"`    // what is odd about the answer
}

// TaskVerdicts is one line of verdicts.jsonl. In the file the text of a question is
// left out where it is that of the question before: references are long.
type TaskVerdicts struct {
	Retriever string           `json:"retriever"`
	Generator string           `json:"generator"`
	Judge     string           `json:"judge"`
	Item      string           `json:"item"`
	Questions []judge.Question `json:"questions"`
	Verdicts  []judge.Verdict  `json:"verdicts"`
	Points    []judge.Verdict  `json:"point_verdicts,omitempty"` // on the answer's own points, in their order
	Notes     []string         `json:"notes,omitempty"`          // a benchmark's diagnosis of the context and the answer
}

// ContextVerdicts is one line of context_verdicts.jsonl: a judge's verdicts on a
// document that was shown for an item.
type ContextVerdicts struct {
	Judge    string          `json:"judge"`
	Item     string          `json:"item"`
	Document string          `json:"document"`
	Verdicts []judge.Verdict `json:"verdicts"`
}

// plainVerdicts has the fields of TaskVerdicts and not its methods.
type plainVerdicts TaskVerdicts

// MarshalJSON leaves repeated texts out.
func (t TaskVerdicts) MarshalJSON() ([]byte, error) {
	out := plainVerdicts(t)
	out.Questions = slices.Clone(t.Questions)
	for i := len(out.Questions) - 1; i > 0; i-- {
		if out.Questions[i].Text == out.Questions[i-1].Text {
			out.Questions[i].Text = ""
		}
	}
	return json.Marshal(out)
}

// UnmarshalJSON puts them back.
func (t *TaskVerdicts) UnmarshalJSON(data []byte) error {
	if err := json.Unmarshal(data, (*plainVerdicts)(t)); err != nil {
		return err
	}
	for i := 1; i < len(t.Questions); i++ {
		if t.Questions[i].Text == "" {
			t.Questions[i].Text = t.Questions[i-1].Text
		}
	}
	return nil
}

// Folder is an open run folder, locked against other processes.
type Folder struct {
	dir  string
	lock *flock.Flock
}

// ErrBusy says that another process works in the folder.
var ErrBusy = errors.New("another lore process is working in this run folder")

// Open creates or opens a run folder and locks it.
func Open(dir string) (*Folder, error) {
	if err := os.MkdirAll(filepath.Join(dir, "retrieval"), 0o777); err != nil {
		return nil, fmt.Errorf("create the run folder: %w; choose another with --out", err)
	}
	lock := flock.New(filepath.Join(dir, ".lock"))
	got, err := lock.TryLock()
	if err != nil {
		return nil, fmt.Errorf("lock the run folder %s: %w; choose another with --out", dir, err)
	}
	if !got {
		return nil, fmt.Errorf("%s: %w; wait for it or choose another with --out", dir, ErrBusy)
	}
	return &Folder{dir, lock}, nil
}

// Close unlocks the folder.
func (f *Folder) Close() error {
	if err := f.lock.Unlock(); err != nil {
		return fmt.Errorf("unlock the run folder: %w", err)
	}
	return nil
}

// Dir is the folder's path.
func (f *Folder) Dir() string { return f.dir }

// Calls is the folder of the journal.
func (f *Folder) Calls() string { return filepath.Join(f.dir, "calls") }

// Check refuses a folder that holds a run of other data, whose files would be
// overwritten.
func (f *Folder) Check(m Manifest) error {
	old, err := ReadManifest(f.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	switch {
	case old.Benchmark != m.Benchmark:
		return fmt.Errorf("%s holds a run of the benchmark %s; choose another folder with --out", f.dir, old.Benchmark)
	case old.DataHash != m.DataHash:
		return fmt.Errorf("%s holds a run over other data (%v); choose another folder with --out", f.dir, old.Data)
	}
	return nil
}

// ReadManifest reads the manifest of a run folder.
func ReadManifest(dir string) (Manifest, error) {
	var m Manifest
	path := filepath.Join(dir, "manifest.json")
	data, err := os.ReadFile(path)
	if err != nil {
		return m, fmt.Errorf("read the run folder: %w", err)
	}
	if err := json.Unmarshal(data, &m); err != nil {
		return m, fmt.Errorf("%s is damaged: %w; run the command again to write it anew", path, err)
	}
	if m.Format != Format {
		return m, fmt.Errorf("%s has format %d, this lore reads format %d", path, m.Format, Format)
	}
	return m, nil
}

// WriteFile puts data in place of a file of the folder, whole or not at all.
func (f *Folder) WriteFile(name string, data []byte) error {
	return writeFile(filepath.Join(f.dir, name), data)
}

func writeFile(path string, data []byte) error {
	tmp, err := os.CreateTemp(filepath.Dir(path), ".writing-*")
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	_, err = tmp.Write(data)
	if err == nil {
		err = tmp.Chmod(0o644)
	}
	if err == nil {
		err = tmp.Sync()
	}
	if closeErr := tmp.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		os.Remove(tmp.Name())
		return fmt.Errorf("write %s: %w; finished model calls are kept in the journal: make room and run the same command again", path, err)
	}
	return nil
}

// WriteJSON writes a value as indented JSON.
func (f *Folder) WriteJSON(name string, v any) error {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("encode %s: %w", name, err)
	}
	return f.WriteFile(name, buf.Bytes())
}

// WriteLines writes one JSON line per record.
func WriteLines[T any](f *Folder, name string, records []T) error {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	for _, r := range records {
		if err := enc.Encode(r); err != nil {
			return fmt.Errorf("encode %s: %w", name, err)
		}
	}
	return f.WriteFile(name, buf.Bytes())
}

// ReadLines reads a file of JSON lines from a run folder.
func ReadLines[T any](dir, name string) ([]T, error) {
	path := filepath.Join(dir, name)
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read the run folder: %w", err)
	}
	defer file.Close()
	var out []T
	r := bufio.NewReader(file)
	for line := 1; ; line++ {
		data, err := r.ReadBytes('\n')
		if len(bytes.TrimSpace(data)) > 0 {
			var v T
			if err := json.Unmarshal(data, &v); err != nil {
				return nil, fmt.Errorf("%s:%d: %w; run the command again to write it anew", path, line, err)
			}
			out = append(out, v)
		}
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", path, err)
		}
	}
}

// ReadJSON reads a JSON file from a run folder.
func ReadJSON(dir, name string, v any) error {
	path := filepath.Join(dir, name)
	data, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("read the run folder: %w", err)
	}
	if err := json.Unmarshal(data, v); err != nil {
		return fmt.Errorf("%s: %w; run the command again to write it anew", path, err)
	}
	return nil
}
