package store

import (
	"encoding/json"
	"fmt"
	"path/filepath"

	"lore/embed"
	"lore/index/condense"
	"lore/index/rerank"
	"lore/judge/nli"
	"lore/local"
)

// Manifest is manifest.json: it says what was run. Hashes are SHA-256 in hexadecimal.
type Manifest struct {
	Format     int               `json:"format"`
	Lore       string            `json:"lore"`
	Title      string            `json:"title,omitempty"` // words of the user for the page
	Date       string            `json:"date,omitempty"`  // words, too: folders know no date of their own
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
	ItemsOf    int               `json:"items_of,omitempty"`     // of the data, where a limit left fewer; 0: all are used
	Chosen     string            `json:"items_chosen,omitempty"` // how, where they are not all: "subset, seed 1"
	Texts      string            `json:"texts,omitempty"`        // kind of text, such as news; empty: not known
	Warnings   []string          `json:"warnings,omitempty"`
	Forged     Forged            `json:"forged_marks,omitzero"`
	Languages  Languages         `json:"languages,omitzero"`
	Files      map[string]string `json:"files,omitempty"`  // SHA-256 of each other derived file
	SHA256     string            `json:"sha256,omitempty"` // of all of the manifest but this
}

// Forged counts texts with marks that would have posed as something else to a model, such as
// tokens of chat templates or headings of documents. They were shown with these made neutral.
type Forged struct {
	Documents int `json:"documents,omitempty"`   // shown to a generator
	Questions int `json:"questions,omitempty"`   // asked of a generator
	Apart     int `json:"taken_apart,omitempty"` // answers, and their questions, that a model took apart
	Judged    int `json:"judged,omitempty"`      // shown to a judge: answers, their points, and documents
}

// Languages counts judged texts by language. It is empty where all are in English.
type Languages struct {
	Texts    map[string]int `json:"texts,omitempty"`    // by language, in English words
	Problems map[string]int `json:"problems,omitempty"` // by what the lexical judge said of its words in them
}

// Add takes over the counts of another judge on the same texts.
func (l *Languages) Add(other Languages) {
	if other.Texts != nil {
		l.Texts = other.Texts
	}
	if other.Problems != nil {
		l.Problems = other.Problems
	}
}

// ManifestFile is the file of a run folder that holds its Manifest. It is written last.
const ManifestFile = "manifest.json"

// Retrieval is what the models of retrievers are and did.
type Retrieval struct {
	Stages        []string         `json:"stages,omitempty"`
	Embedders     []Embedder       `json:"embedders,omitempty"`
	CrossEncoders []embed.Settings `json:"cross_encoders,omitempty"`
	Rerankers     []Reranker       `json:"rerankers,omitempty"`
	Condensers    []Condenser      `json:"condensers,omitempty"`
}

// Condenser is how a pipeline's documents were shortened before they were shown, with
// their lengths in tokens.
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
	Context int            `json:"trained_context,omitempty"` // tokens
	Family  string         `json:"family,omitempty"`
	Size    string         `json:"parameters,omitempty"`
	Quant   string         `json:"quantization,omitempty"`
	Options *local.Options `json:"options,omitempty"`

	Mode      string `json:"mode,omitempty"`      // of a judge: how verdicts are read
	Agreement string `json:"agreement,omitempty"` // of a judge: what was measured against people

	Encoder    *embed.Settings `json:"encoder,omitempty"`    // of a judge that is an encoder, with what its outputs mean
	Thresholds *nli.Thresholds `json:"thresholds,omitempty"` // of such a judge, from scores to labels
}

// ReadManifest reads the manifest of a run folder, and compares it with its own hash.
func ReadManifest(dir string) (Manifest, error) {
	var m Manifest
	path := filepath.Join(dir, ManifestFile)
	data, err := read(path)
	if err != nil {
		return m, err
	}

	if err := json.Unmarshal(data, &m); err != nil {
		return m, damaged(path, lineOf(data, err), "is damaged: "+err.Error())
	}
	if m.Format < 0 || m.Format > Format {
		return m, fmt.Errorf("%s has format %d; this lore reads formats 1 to %d", path, m.Format, Format)
	}
	if err := m.checkSeal(data); err != nil {
		return m, damaged(path, "", err.Error())
	}
	return m, m.valid(path)
}

// valid refuses what no run can have had.
func (m Manifest) valid(path string) error {
	switch {
	case m.Format == 0 || m.Benchmark == "":
		return damaged(path, "", "is damaged: it has no format, or no benchmark")
	case m.Items < 0:
		return damaged(path, "", fmt.Sprintf("is damaged: it has %d items", m.Items))
	case m.Hashed() && len(m.Files) == 0:
		return damaged(path, "", "is damaged: it names no files")
	}
	return nil
}
