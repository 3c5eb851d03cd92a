// Package local describes one call to a language model on this machine: what is
// asked (Call), what comes back (Reply), how it ended (Outcome) and who answers
// (Backend). It imports nothing of lore, so every other package may use it.
package local

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"
)

// Backend runs calls. An implementation must be safe for concurrent use.
//
// Do returns a Reply whose Outcome says how the call ended. The error is for
// things that are not the model's doing: a cancelled context, or a journal that
// cannot be written. A backend never retries and never waits for a free slot;
// local/gate does both.
type Backend interface {
	Do(ctx context.Context, call Call) (Reply, error)
}

// BackendFunc lets a function be a Backend.
type BackendFunc func(ctx context.Context, call Call) (Reply, error)

// Do calls f.
func (f BackendFunc) Do(ctx context.Context, call Call) (Reply, error) { return f(ctx, call) }

// Roles of a message.
const (
	System    = "system"
	User      = "user"
	Assistant = "assistant"
)

// Canary begins the text of a call that only finds out how a server counts, and whether it
// cuts what is too long.
const Canary = "This text only finds out how long a text may be. Answer with one word.\n\n"

// Message is one turn of a conversation.
type Message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// Options are the sampling and loading options of a call. All of them are sent:
// nothing is left to a server's defaults, which differ by version and by model.
type Options struct {
	NumCtx        int     `json:"num_ctx"`        // context window in tokens, a load option
	NumPredict    int     `json:"num_predict"`    // most tokens to generate, always positive
	Temperature   float64 `json:"temperature"`    // 0 is greedy
	TopP          float64 `json:"top_p"`          // in (0,1]
	TopK          int     `json:"top_k"`          // 0 means no limit
	Seed          int     `json:"seed"`           // sampler seed
	RepeatPenalty float64 `json:"repeat_penalty"` // 1 means no penalty
	Think         string  `json:"think"`          // false, true, low, medium or high; "" where a model cannot think
}

// Source is a generation request before it is put into words: what the built-in
// extractive generator works from instead of a prompt.
type Source struct {
	Query    string    `json:"query"`
	Passages []Passage `json:"passages"`
	Bullets  int       `json:"bullets,omitempty"` // number of bullet lines wanted; 0 means prose
	Words    int       `json:"words,omitempty"`   // length limit of prose, in words

	// Language is the code of that of the texts, "auto" where each text's own is told, and empty
	// for English.
	Language string `json:"language,omitempty"`
}

// Passage is one document of a Source with the label an answer cites it by.
type Passage struct {
	Label string `json:"label"`
	Text  string `json:"text"`

	Document string `json:"-"` // its id in the corpus; nobody is shown it
}

// Call is one request to a model.
//
// The fields with a JSON name make up the call's identity (see Key). The others
// steer how it is run and cannot change the answer.
type Call struct {
	Backend     string          `json:"backend"`          // "ollama", "extractive", ...
	Model       string          `json:"model"`            // name as the backend knows it
	Digest      string          `json:"digest"`           // digest of the weights; names move, digests do not
	Messages    []Message       `json:"messages"`         // rendered conversation
	Source      *Source         `json:"source,omitempty"` // instead of Messages, for structured backends
	Schema      json.RawMessage `json:"schema,omitempty"` // JSON schema the reply must obey
	Options     Options         `json:"options"`          //
	TopLogprobs int             `json:"top_logprobs"`     // 0..20; above 0 asks for token log-probabilities
	Sample      int             `json:"sample"`           // repeat number, so repeats are different calls

	Prefix string `json:"-"` // calls with an equal Prefix share a long beginning and are run side by side
	About  string `json:"-"` // what the call is for, in words for people; may be empty
}

// Key is the call's identity: the SHA-256 of its canonical JSON, in hex.
func (c Call) Key() string {
	canonical := c
	if len(c.Schema) > 0 {
		var buf bytes.Buffer
		if err := json.Compact(&buf, c.Schema); err == nil {
			canonical.Schema = buf.Bytes()
		}
	}

	data, err := json.Marshal(canonical)
	if err != nil { // only a schema that is not JSON can fail; its bytes still identify the call
		data = fmt.Appendf(nil, "%+v", c)
	}

	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// Outcome says how a call ended.
type Outcome string

// The outcomes. Only OK carries a value; every other one is a failure that is
// counted and shown, never a score.
const (
	OK            Outcome = "ok"
	TooLong       Outcome = "too_long"       // the prompt does not fit the context window
	Cut           Outcome = "cut"            // the output limit was reached before the end
	NoDone        Outcome = "no_done"        // the stream ended without its closing frame
	BadFormat     Outcome = "bad_format"     // the reply does not obey the schema, also after one repair
	Empty         Outcome = "empty"          // no answer text
	RefusedOption Outcome = "refused_option" // the server does not take an option
	ModelError    Outcome = "model_error"    // the server answered with an error
	Transport     Outcome = "transport"      // the server could not be reached, is busy, or broke off
	Timeout       Outcome = "timeout"        // the server took longer than its limit
	Truncated     Outcome = "truncated"      // the server read less of the prompt than was sent, or does not say
	WrongModel    Outcome = "wrong_model"    // another model answered, or another machine
	Oversized     Outcome = "oversized"      // the reply is larger than its limits allow
)

// Outcomes lists all outcomes in a fixed order, for tables.
var Outcomes = []Outcome{
	OK, TooLong, Cut, NoDone, BadFormat, Empty, RefusedOption, ModelError,
	Transport, Timeout, Truncated, WrongModel, Oversized,
}

// Transient reports whether trying the same call again in a moment may help.
func (o Outcome) Transient() bool { return o == Transport || o == Timeout || o == Truncated }

// Final reports whether the outcome would come back on a rerun: it is an answer, or a
// failure that follows from the call. The others are asked again next time.
func (o Outcome) Final() bool {
	switch o {
	case OK, TooLong, Cut:
		return true
	}
	return false
}

// Sick reports whether the outcome is the server's fault, whatever was asked.
func (o Outcome) Sick() bool {
	switch o {
	case Transport, Timeout, NoDone, ModelError, Truncated, WrongModel, Oversized:
		return true
	}
	return false
}

// Usage counts what a call cost.
type Usage struct {
	PromptTokens int           `json:"prompt_tokens"`           // all prompt tokens, cached ones included
	CachedTokens int           `json:"cached_tokens,omitempty"` // of these, from the server's prefix cache, where known
	OutputTokens int           `json:"output_tokens"`           // tokens generated, thoughts included
	Duration     time.Duration `json:"duration_ns"`             // from sending to the last byte
	Load         time.Duration `json:"load_ns,omitempty"`       // model load time within Duration
	Queue        time.Duration `json:"queue_ns,omitempty"`      // time spent waiting for a slot in the server, if known
	Reading      time.Duration `json:"reading_ns,omitempty"`    // of the prompt, where the server tells it
	Writing      time.Duration `json:"writing_ns,omitempty"`    // of the reply, where the server tells it
}

// Add returns the sum of two usages.
func (u Usage) Add(v Usage) Usage {
	u.PromptTokens += v.PromptTokens
	u.CachedTokens += v.CachedTokens
	u.OutputTokens += v.OutputTokens
	u.Duration += v.Duration
	u.Load += v.Load
	u.Queue += v.Queue
	u.Reading += v.Reading
	u.Writing += v.Writing
	return u
}

// TokenProb is a token text and its natural-log probability.
type TokenProb struct {
	Token   string  `json:"token"`
	Logprob float64 `json:"logprob"`
}

// Position is one generated token with the most probable alternatives.
type Position struct {
	TokenProb
	Top []TokenProb `json:"top,omitempty"`
}

// Reply is what came back from a call.
type Reply struct {
	Outcome  Outcome    `json:"outcome"`
	Detail   string     `json:"detail,omitempty"`   // what went wrong, for people
	Text     string     `json:"text"`               // the answer without thoughts; kept for inspection when not OK
	Thinking string     `json:"thinking,omitempty"` // the model's thoughts: logged, never judged
	Logprobs []Position `json:"logprobs,omitempty"` // one per generated token, if asked for
	Usage    Usage      `json:"usage"`

	Wait   time.Duration `json:"-"` // of a failure: how long the server asks to be left alone
	Denied int           `json:"-"` // of a failure: 401 or 403, by which the server refused whoever asks; else 0
	Stale  bool          `json:"-"` // a failure of an earlier run, which may be asked again
	Spent  bool          `json:"-"` // a failure of an earlier run, which has had its tries
}

// Fail builds a failed reply.
func Fail(o Outcome, format string, args ...any) Reply {
	return Reply{Outcome: o, Detail: fmt.Sprintf(format, args...)}
}
