package openai

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"lore/local"
	"lore/local/wire"
)

func (c *Client) chatRequest(call local.Call) (map[string]any, error) {
	switch {
	case call.Options.NumPredict <= 0:
		return nil, fmt.Errorf("num_predict must be positive (without it a server has its own limit), got %d", call.Options.NumPredict)
	case len(call.Messages) == 0:
		return nil, errors.New("a call to a model needs messages")
	}

	body := map[string]any{
		"model":          call.Model,
		"messages":       call.Messages,
		"max_tokens":     call.Options.NumPredict,
		"n":              1,
		"stream":         true,
		"stream_options": map[string]any{"include_usage": true},
	}
	maps.Copy(body, c.engine.options(call.Options))
	maps.Copy(body, c.engine.thoughts(call.Options.Think))
	maps.Copy(body, c.engine.schema(c.version, call.Schema))
	if call.TopLogprobs > 0 {
		body["logprobs"], body["top_logprobs"] = true, call.TopLogprobs
	}
	return body, nil
}

// Sizes of what a server may send for a token, in bytes: its text, and an event of the stream with
// its log-probabilities.
const (
	mostTokenText  = 64
	mostFrame      = 2 << 10
	mostLogprob    = 512 // each has its bytes in numbers, too
	mostBeginning  = 4 << 10
	mostOfAnything = 1 << 20
)

// mostReply bounds the bytes of a reply by the tokens it may have.
func mostReply(call local.Call) int64 {
	perToken := mostFrame + (1+call.TopLogprobs)*mostLogprob
	return mostOfAnything + int64(call.Options.NumPredict)*int64(perToken)
}

// event is one of the stream.
type event struct {
	Model   string `json:"model"`
	Choices []struct {
		Index int `json:"index"`
		Delta struct {
			Content          string `json:"content"`
			Reasoning        string `json:"reasoning"`         // newer vLLM, Ollama
			ReasoningContent string `json:"reasoning_content"` // the others
			Refusal          string `json:"refusal"`
		} `json:"delta"`
		Logprobs *struct {
			Content []struct {
				local.TokenProb
				Top []local.TokenProb `json:"top_logprobs"`
			} `json:"content"`
		} `json:"logprobs"`
		FinishReason *string `json:"finish_reason"`
	} `json:"choices"`
	Usage *struct {
		PromptTokens     int `json:"prompt_tokens"`
		CompletionTokens int `json:"completion_tokens"`
		Details          *struct {
			CachedTokens int `json:"cached_tokens"`
		} `json:"prompt_tokens_details"`
	} `json:"usage"`

	Error  json.RawMessage `json:"error"`
	Object string          `json:"object"` // "error" in older versions of vLLM, whose error is the event itself
	Code   json.RawMessage `json:"code"`   // status of such an error
}

// chatStream collects the events of one reply.
type chatStream struct {
	engine Engine
	model  string // that was asked
	tokens int    // most that it may generate

	text, thinking strings.Builder
	logprobs       []local.Position
	usage          local.Usage
	counted        bool   // the server has told its counts
	reason         string // why it ended
	events         int
	done           bool // the closing event has come
}

var closing = []byte("[DONE]")

// line takes a line of the stream: "data: JSON", or what server-sent events have besides.
func (s *chatStream) line(raw []byte) error {
	if !utf8.Valid(raw) {
		return wire.Faulty(local.Transport, "an event of the reply is not UTF-8")
	}
	data, ok := bytes.CutPrefix(raw, []byte("data:"))
	switch {
	case ok:
		data = bytes.TrimSpace(data)
	case raw[0] == '{': // an error, or a server that does not stream
		data = raw
	default:
		return nil // a comment that keeps the line open, an id, or the name of an event
	}
	if bytes.Equal(data, closing) {
		s.done = true
		return nil
	}
	if s.done {
		return wire.Faulty(local.NoDone, "the reply goes on after its closing event")
	}

	var e event
	if err := json.Unmarshal(data, &e); err != nil {
		return wire.Faulty(local.Transport, "an event of the reply is not JSON: %v", err)
	}
	if len(e.Error) > 0 && string(e.Error) != "null" || e.Object == "error" {
		outcome, detail := outcomeOf(statusOf(e), wire.Brief(wire.ErrorText(data)))
		return wire.Faulty(outcome, "%s", detail)
	}
	return s.take(e)
}

// statusOf is the status that an error inside a stream names; 500 where it names none. The code may
// also be a word.
func statusOf(e event) int {
	var inner struct {
		Code json.RawMessage `json:"code"`
	}
	_ = json.Unmarshal(e.Error, &inner) // an error may be a text
	for _, told := range []json.RawMessage{inner.Code, e.Code} {
		var code int
		if json.Unmarshal(told, &code) == nil && code >= 100 {
			return code
		}
	}
	return http.StatusInternalServerError
}

// take adds an event to the reply.
func (s *chatStream) take(e event) error {
	if s.engine.namesModel() && e.Model != "" && e.Model != s.model {
		return wire.Faulty(local.WrongModel, "asked %s, and %s answered", s.model, e.Model)
	}
	if u := e.Usage; u != nil {
		if u.PromptTokens < 0 || u.CompletionTokens < 0 {
			return wire.Faulty(local.ModelError, "the reply counts %d tokens of the prompt and %d of its own: no server means that",
				u.PromptTokens, u.CompletionTokens)
		}
		s.counted = true
		s.usage.PromptTokens, s.usage.OutputTokens = u.PromptTokens, u.CompletionTokens
		if u.Details != nil {
			s.usage.CachedTokens = max(0, u.Details.CachedTokens)
		}
	}

	for _, c := range e.Choices {
		if c.Index != 0 {
			return wire.Faulty(local.ModelError, "the server gave %d replies, and one was asked for", c.Index+1)
		}
		s.text.WriteString(c.Delta.Content)
		s.text.WriteString(c.Delta.Refusal)
		s.thinking.WriteString(c.Delta.Reasoning)
		s.thinking.WriteString(c.Delta.ReasoningContent)
		if c.Logprobs != nil && c.Delta.Content != "" { // not those of thoughts
			for _, p := range c.Logprobs.Content {
				s.logprobs = append(s.logprobs, local.Position{TokenProb: p.TokenProb, Top: p.Top})
			}
		}
		if c.FinishReason != nil && *c.FinishReason != "" {
			s.reason = *c.FinishReason
		}
	}
	s.events++
	if s.events > 2*s.tokens+64 || s.text.Len()+s.thinking.Len() > mostBeginning+mostTokenText*s.tokens {
		return wire.Faulty(local.Oversized, "the reply is longer than the %d tokens it may have", s.tokens)
	}
	return s.checkLogprobs()
}

// mostLogprobValue is zero, with room for rounding.
const mostLogprobValue = 1e-3

// checkLogprobs refuses numbers that are no log-probabilities, in what came last.
func (s *chatStream) checkLogprobs() error {
	if len(s.logprobs) == 0 {
		return nil
	}
	last := s.logprobs[len(s.logprobs)-1]
	for _, p := range append([]local.TokenProb{last.TokenProb}, last.Top...) {
		if p.Logprob > mostLogprobValue {
			return wire.Faulty(local.ModelError, "the reply has a log-probability of %g, which is none", p.Logprob)
		}
	}
	return nil
}

// reply is what came of the stream, which may have ended by an error.
func (s *chatStream) reply(err error) local.Reply {
	thinking, answer := thoughts(s.thinking.String(), s.text.String())
	r := local.Reply{Text: answer, Thinking: thinking, Logprobs: s.logprobs, Usage: s.usage}
	if len(answer) < s.text.Len() {
		r.Logprobs = afterThoughts(r.Logprobs)
	}
	switch {
	case err != nil:
		failed := wire.Failed(err, outcomeOf)
		r.Outcome, r.Detail, r.Wait, r.Denied = failed.Outcome, failed.Detail, failed.Wait, failed.Denied
	case s.reason == "" || !s.done && !s.counted:
		r.Outcome, r.Detail = local.NoDone, "the reply ended without its closing event"
	case s.reason == "length":
		r.Outcome = local.Cut
		r.Detail = fmt.Sprintf("the reply reached its limit after %d tokens", r.Usage.OutputTokens)
	case s.reason != "stop":
		r.Outcome = local.ModelError
		r.Detail = fmt.Sprintf("the reply ended for a reason that is no end: %q", wire.Brief(s.reason))
	case r.Usage.OutputTokens > s.tokens+64:
		r.Outcome = local.Oversized
		r.Detail = fmt.Sprintf("the reply has %d tokens, and %d were allowed", r.Usage.OutputTokens, s.tokens)
	case invisible(r.Text):
		r.Outcome, r.Detail = local.Empty, "the reply has no text"
		if r.Thinking != "" {
			r.Detail = "the reply has thoughts but no answer"
		}
	default:
		r.Outcome = local.OK
	}
	return r
}

// Marks around thoughts, which engines that were not told of them leave in the answer.
const (
	thinkOpen  = "<think>"
	thinkClose = "</think>"
)

// thoughts parts an answer from the thoughts before it. A template may have opened them, so that
// only their end is there; what is opened and never closed is all thoughts.
func thoughts(told, text string) (thinking, answer string) {
	begun := strings.HasPrefix(strings.TrimSpace(text), thinkOpen)
	before, after, closed := strings.Cut(text, thinkClose)
	switch {
	case told != "" || !begun && !closed:
		return told, text
	case !closed:
		before, after = text, ""
	}
	before = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(before), thinkOpen))
	return before, strings.TrimLeft(after, "\r\n ")
}

// afterThoughts leaves out the tokens of thoughts, up to the mark that ends them.
func afterThoughts(positions []local.Position) []local.Position {
	var said strings.Builder
	for i, p := range positions {
		said.WriteString(p.Token)
		if strings.Contains(said.String(), thinkClose) {
			return positions[i+1:]
		}
	}
	return nil
}

// invisible reports whether a text has nothing to see: blanks, and characters that only format.
func invisible(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool {
		return !unicode.IsSpace(r) && !unicode.In(r, unicode.Cf, unicode.Cc)
	}) < 0
}

// tooLongWords are in the errors of engines whose window a prompt does not fit: vLLM and SGLang
// ("maximum context length", "longer than the model's context length"), llama.cpp ("available context
// size"), LM Studio ("tokens to keep from the initial prompt is greater than the context length").
var tooLongWords = []string{"context length", "context size", "context window", "prompt is too long", "maximum allowed input length"}

// outcomeOf sorts a server's error by its status and words.
func outcomeOf(code int, text string) (local.Outcome, string) {
	lower := strings.ToLower(text)
	detail := fmt.Sprintf("%s (status %d)", text, code)
	says := func(words ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(lower, w) })
	}
	switch {
	case says(tooLongWords...):
		return local.TooLong, detail
	case code == http.StatusServiceUnavailable, code == http.StatusTooManyRequests,
		code == http.StatusBadGateway, code == http.StatusGatewayTimeout:
		return local.Transport, detail
	case code == http.StatusNotFound && says("model"):
		return local.WrongModel, detail
	case code == http.StatusBadRequest, code == http.StatusUnprocessableEntity:
		return local.RefusedOption, detail
	case says("connection re", "timed out", "engine core", "enginedeaderror"):
		return local.Transport, detail
	}
	return local.ModelError, detail
}
