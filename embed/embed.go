// Package embed turns texts into vectors and scores pairs of texts, with models on
// this machine: ONNX files run by hugot in pure Go (or by onnxruntime, in builds
// with the tag ort), or an Ollama server.
//
// lore tokenises, cuts windows, pads, pools and normalises by itself, by what the
// model's own folder says; the runtimes only compute the graph. So all of them give
// the same vectors.
package embed

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
)

// Role says what a text is for. Some models put a prefix before it.
type Role string

// The roles.
const (
	Query   Role = "query"
	Passage Role = "passage"
)

// Embedding is the vector of one text and how it came about.
type Embedding struct {
	Vector  []float32 // all of one embedder have the same length, but those of a SparseEncoder
	Terms   []uint32  // of a SparseEncoder: the terms whose weights Vector holds, ascending
	Tokens  int       // of the text, special tokens not counted; 0 where the backend does not tell
	Windows int       // parts that were embedded and pooled; 1 for a text that fits
	Cut     bool      // the end of the text was left out
}

// Embedder turns texts into vectors. It is safe for concurrent use.
type Embedder interface {
	// Settings say what the vectors depend on.
	Settings() Settings
	// Embed returns one embedding per text, in order. No texts give no embeddings. A
	// blank text has a vector, too: that of the special tokens.
	Embed(ctx context.Context, role Role, texts []string) ([]Embedding, error)
	// Close frees the model.
	Close() error
}

// CrossEncoder scores pairs of a query and a passage. It is safe for concurrent
// use.
type CrossEncoder interface {
	Settings() Settings
	// Score returns one score per passage, in order.
	Score(ctx context.Context, query string, passages []string) ([]PairScore, error)
	Close() error
}

// PairScore is what a cross-encoder gives a pair.
type PairScore struct {
	Logit float64 // raw: no sigmoid, which ties at its ends
	Cut   bool    // the pair was cut to fit
}

// Long says what is done with texts longer than the model's window.
type Long string

// The ways. Mean and Max embed every window of a text; Cut leaves out its end, as
// most libraries do without saying so.
const (
	Mean Long = "mean" // mean of the windows' vectors, weighted by their length in tokens
	Max  Long = "max"  // greatest value per dimension
	Cut  Long = "cut"
)

// Windows say how long texts are taken apart.
type Windows struct {
	Long    Long `json:"long"`
	Tokens  int  `json:"tokens,omitempty"`  // per window, without special tokens; 0 is all that the model takes
	Overlap int  `json:"overlap,omitempty"` // tokens shared by neighbouring windows
}

// Check refuses settings that make no sense.
func (w Windows) Check() error {
	switch {
	case w.Long != Mean && w.Long != Max && w.Long != Cut:
		return fmt.Errorf("long texts are treated by %s, %s or %s, not %q", Mean, Max, Cut, w.Long)
	case w.Tokens < 0 || w.Overlap < 0 || (w.Tokens > 0 && w.Overlap >= w.Tokens):
		return fmt.Errorf("windows of %d tokens cannot overlap by %d", w.Tokens, w.Overlap)
	}
	return nil
}

// Settings are all that a vector depends on besides the text. They are written to
// the manifest of a run.
type Settings struct {
	Name          string   `json:"name"`    // as the user named the model
	Backend       string   `json:"backend"` // hugot-go, onnxruntime or ollama
	Model         string   `json:"model"`   // SHA-256 of the model file, or the server's digest
	Tokenizer     string   `json:"tokenizer,omitempty"`
	Output        string   `json:"output,omitempty"`
	Pooling       string   `json:"pooling,omitempty"` // mean, cls, last, max; none if the model pools by itself
	Normalize     bool     `json:"normalize"`
	Similarity    string   `json:"similarity,omitempty"` // cosine or dot, of vectors
	MaxTokens     int      `json:"max_tokens,omitempty"` // special tokens included
	QueryPrefix   string   `json:"query_prefix,omitempty"`
	PassagePrefix string   `json:"passage_prefix,omitempty"`
	EachWindow    bool     `json:"prefix_in_each_window,omitempty"` // true where there are prefixes
	Windows       Windows  `json:"windows,omitzero"`
	Activation    string   `json:"activation,omitempty"`    // of a sparse model: relu or log1p_relu
	Special       string   `json:"special_terms,omitempty"` // of a sparse model: "left out", or kept
	QuerySide     string   `json:"query_side,omitempty"`    // of a sparse model: what encodes queries in its place
	Notes         []string `json:"notes,omitempty"`         // what was assumed

	Labels  []string  `json:"labels,omitempty"`    // of a model of entailment: what its outputs mean, in order
	Reading string    `json:"reading,omitempty"`   // how they are read: softmax, sigmoid or regression
	Scale   []float64 `json:"scale,omitempty"`     // of a regression: what is 0 and what is 1
	Joined  string    `json:"joined_by,omitempty"` // what joins the two texts of a pair to one

	Dense    []string `json:"dense,omitempty"` // SHA-256 of the weights of Dense modules, in order
	Late     *Late    `json:"late_interaction,omitempty"`
	Relevant []string `json:"relevant_tokens,omitempty"` // of an encoder with a decoder: for relevant, and for not

	Doubts []string `json:"doubts,omitempty"` // what speaks against the model
}

// Similarities of vectors.
const (
	Cosine = "cosine"
	Dot    = "dot"
)

// Hash identifies the settings: equal hashes give equal vectors for equal texts.
// The name, the notes and the doubts do not count.
func (s Settings) Hash() string {
	s.Name, s.Notes, s.Doubts = "", nil, nil
	data, err := json.Marshal(s)
	if err != nil {
		panic(err) // plain strings and numbers
	}

	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// Report counts what happened to the texts of a corpus.
type Report struct {
	Texts    int `json:"texts"`
	Windowed int `json:"windowed"` // longer than one window, pooled from several
	Cut      int `json:"cut"`      // embedded without their end
	Cached   int `json:"cached"`   // vectors taken from disk
	Tokens   int `json:"tokens"`   // of the texts that were embedded
}

// Add counts embeddings.
func (r *Report) Add(embeddings []Embedding) {
	for _, e := range embeddings {
		r.Texts++
		r.Tokens += e.Tokens
		if e.Cut {
			r.Cut++
		}
		if e.Windows > 1 {
			r.Windowed++
		}
	}
}
