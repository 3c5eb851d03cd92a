package ollama

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/ollama/ollama/api"

	"lore/local"
	"lore/local/wire"
)

// BackendName is the value of Call.Backend for this package.
const BackendName = "ollama"

// keepAlive holds a model in memory between the calls of a run.
const keepAlive = 30 * time.Minute

// Do runs a call through /api/chat. Every option is sent, and truncate and shift
// are off: a prompt that does not fit is refused, never cut.
func (c *Client) Do(ctx context.Context, call local.Call) (local.Reply, error) {
	req, err := chatRequest(call)
	if err != nil {
		return local.Fail(local.RefusedOption, "%v", err), nil
	}

	got := chatStream{model: call.Model, tokens: call.Options.NumPredict}
	ask := wire.Request{
		Path:   "/api/chat",
		Model:  call.Model,
		Body:   req,
		Tokens: call.Options.NumPredict,
		Most:   mostReply(call),
	}
	took, err := c.wire.Stream(ctx, ask, got.line)
	if ctx.Err() != nil {
		return local.Reply{}, context.Cause(ctx)
	}

	reply := got.reply(err)
	reply.Detail = c.wire.Hide(reply.Detail)
	reply.Usage.Duration = took.Whole
	if !reply.Outcome.Sick() && err == nil {
		c.wire.Learn(call.Model, reply.Usage.OutputTokens, reply.Usage.Load, took)
	}
	return reply, nil
}

// Sizes of what a server may send for a token, in bytes: its text, and a frame of the
// stream with its log-probabilities. A model that thinks may begin twice.
const (
	mostTokenText  = 64
	mostFrame      = 1 << 10
	mostLogprob    = 256
	mostBeginning  = 4 << 10
	timesToBegin   = 2
	mostOfAnything = 1 << 20
)

// mostReply bounds the bytes of a reply by the tokens it may have.
func mostReply(call local.Call) int64 {
	perToken := mostFrame + (1+call.TopLogprobs)*mostLogprob
	return mostOfAnything + timesToBegin*int64(call.Options.NumPredict)*int64(perToken)
}

func chatRequest(call local.Call) (*api.ChatRequest, error) {
	if call.Options.NumPredict <= 0 || call.Options.NumCtx <= 0 {
		return nil, fmt.Errorf("num_predict and num_ctx must be positive "+
			"(0 means no cap to the server), got %d and %d",
			call.Options.NumPredict, call.Options.NumCtx)
	}
	if len(call.Messages) == 0 {
		return nil, errors.New("a call to a model needs messages")
	}

	no := false
	req := &api.ChatRequest{
		Model:       call.Model,
		Format:      call.Schema,
		KeepAlive:   &api.Duration{Duration: keepAlive},
		Options:     optionMap(call.Options),
		Truncate:    &no,
		Shift:       &no,
		Logprobs:    call.TopLogprobs > 0,
		TopLogprobs: call.TopLogprobs,
	}

	for _, m := range call.Messages {
		req.Messages = append(req.Messages, api.Message{Role: m.Role, Content: m.Content})
	}

	switch t := call.Options.Think; t {
	case "": // the model cannot think and a server may refuse the option
	case "true", "false":
		req.Think = &api.ThinkValue{Value: t == "true"}
	default:
		req.Think = &api.ThinkValue{Value: t}
	}
	return req, nil
}

// optionMap names every option the server knows that bears on the answer.
// Penalties stay neutral: a judge must be free to quote and to repeat braces.
func optionMap(o local.Options) map[string]any {
	return map[string]any{
		"num_ctx":           o.NumCtx,
		"num_predict":       o.NumPredict,
		"temperature":       o.Temperature,
		"top_p":             o.TopP,
		"top_k":             o.TopK,
		"min_p":             0.0,
		"typical_p":         1.0,
		"seed":              o.Seed,
		"repeat_penalty":    o.RepeatPenalty,
		"repeat_last_n":     64,
		"presence_penalty":  0.0,
		"frequency_penalty": 0.0,
		"stop":              []string{},
	}
}

// chatStream collects the frames of one reply.
type chatStream struct {
	model  string // that was asked
	tokens int    // most that it may generate

	text, thinking strings.Builder
	logprobs       []local.Position
	last           api.ChatResponse
	frames         int
	done           bool
}

func (s *chatStream) line(raw []byte) error {
	if s.done {
		return wire.Faulty(local.NoDone, "the reply goes on after its closing frame")
	}
	if !utf8.Valid(raw) {
		return wire.Faulty(local.Transport, "a frame of the reply is not UTF-8")
	}

	var frame struct {
		api.ChatResponse
		Error json.RawMessage `json:"error"`
	}
	if err := json.Unmarshal(raw, &frame); err != nil {
		return wire.Faulty(local.Transport, "a frame of the reply is not JSON: %v", err)
	}
	if len(frame.Error) > 0 {
		var text string
		if json.Unmarshal(frame.Error, &text) != nil {
			text = wire.Brief(string(frame.Error))
		}
		outcome, detail := classifyText(http.StatusInternalServerError, text)
		return wire.Faulty(outcome, "%s", detail)
	}
	return s.take(frame.ChatResponse)
}

// take adds a frame to the reply.
func (s *chatStream) take(frame api.ChatResponse) error {
	switch {
	case frame.RemoteHost != "" || frame.RemoteModel != "":
		return wire.Faulty(local.WrongModel, "the reply comes from %s on %s, not from this server",
			frame.RemoteModel, frame.RemoteHost)
	case frame.Model != "" && !sameModel(frame.Model, s.model):
		return wire.Faulty(local.WrongModel, "asked %s, and %s answered", s.model, frame.Model)
	}

	s.text.WriteString(frame.Message.Content)
	s.thinking.WriteString(frame.Message.Thinking)
	s.frames++
	if s.frames > timesToBegin*s.tokens+64 || s.text.Len()+s.thinking.Len() > mostBeginning+mostTokenText*s.tokens {
		return wire.Faulty(local.Oversized, "the reply is longer than the %d tokens it may have", s.tokens)
	}

	for _, p := range frame.Logprobs {
		pos := local.Position{TokenProb: local.TokenProb{Token: p.Token, Logprob: p.Logprob}}
		if p.Logprob > mostLogprobValue {
			return wire.Faulty(local.ModelError, "the reply has a log-probability of %g, which is none", p.Logprob)
		}
		for _, t := range p.TopLogprobs {
			if t.Logprob > mostLogprobValue {
				return wire.Faulty(local.ModelError, "the reply has a log-probability of %g, which is none", t.Logprob)
			}
			pos.Top = append(pos.Top, local.TokenProb{Token: t.Token, Logprob: t.Logprob})
		}
		s.logprobs = append(s.logprobs, pos)
	}
	if frame.Done {
		s.done = true
		s.last = frame
	}
	return nil
}

// mostLogprobValue is zero, with room for rounding.
const mostLogprobValue = 1e-3

// sameModel compares names; a tag that is missing is the latest.
func sameModel(a, b string) bool {
	full := func(name string) string {
		name = strings.TrimPrefix(strings.ToLower(name), "registry.ollama.ai/library/")
		if !strings.Contains(name[strings.LastIndex(name, "/")+1:], ":") {
			name += ":latest"
		}
		return name
	}
	return full(a) == full(b)
}

func (s *chatStream) reply(err error) local.Reply {
	r := local.Reply{Text: s.text.String(), Thinking: s.thinking.String(), Logprobs: s.logprobs, Usage: s.usage()}
	reason := s.last.DoneReason
	switch {
	case err != nil:
		failed := wire.Failed(err, classifyText)
		r.Outcome, r.Detail, r.Wait, r.Denied = failed.Outcome, failed.Detail, failed.Wait, failed.Denied
	case !s.done:
		r.Outcome = local.NoDone
		r.Detail = "the reply ended without its closing frame, as servers do after many equal tokens in a row"
	case s.last.PromptEvalCount < 0 || s.last.EvalCount < 0:
		r.Outcome = local.ModelError
		r.Detail = fmt.Sprintf("the reply counts %d tokens of the prompt and %d of its own: no server means that",
			s.last.PromptEvalCount, s.last.EvalCount)
	case r.Usage.OutputTokens > timesToBegin*s.tokens+64:
		r.Outcome = local.Oversized
		r.Detail = fmt.Sprintf("the reply has %d tokens, and %d were allowed", r.Usage.OutputTokens, s.tokens)
	case reason == "length":
		r.Outcome = local.Cut
		r.Detail = fmt.Sprintf("the reply reached its limit after %d tokens", r.Usage.OutputTokens)
	case reason != "" && reason != "stop": // an older server gives no reason
		r.Outcome = local.ModelError
		r.Detail = fmt.Sprintf("the reply ended for a reason that is no end: %q", wire.Brief(reason))
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

// invisible reports whether a text has nothing to see: blanks, and characters that only
// format.
func invisible(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool {
		return !unicode.IsSpace(r) && !unicode.In(r, unicode.Cf, unicode.Cc)
	}) < 0
}

// usage reads the server's counts. What is below zero was not counted.
func (s *chatStream) usage() local.Usage {
	m := s.last.Metrics
	u := local.Usage{
		PromptTokens: max(0, m.PromptEvalCount),
		OutputTokens: max(0, m.EvalCount),
		Load:         max(0, m.LoadDuration),
		Reading:      max(0, m.PromptEvalDuration),
		Writing:      max(0, m.EvalDuration),
	}
	if work := m.LoadDuration + m.PromptEvalDuration + m.EvalDuration; work >= 0 && m.TotalDuration > work {
		u.Queue = m.TotalDuration - work
	}
	if n := m.PromptEvalCachedCount; n != nil {
		u.CachedTokens = max(0, *n)
	}
	return u
}

// classifyText sorts a server's error by its status and words. Servers word the
// over-long prompt differently by version; all of them name the context.
func classifyText(code int, text string) (local.Outcome, string) {
	lower := strings.ToLower(text)
	detail := fmt.Sprintf("%s (status %d)", text, code)
	switch {
	case containsAny(lower, "context length", "context size", "exceed_context",
		"exceeds the available context", "prompt is too long"):
		return local.TooLong, detail
	case code == http.StatusServiceUnavailable, code == http.StatusTooManyRequests,
		code == http.StatusBadGateway, code == http.StatusGatewayTimeout:
		return local.Transport, detail
	case code == http.StatusBadRequest:
		return local.RefusedOption, detail
	case containsAny(lower, "runner", "eof", "connection re", "timed out"):
		return local.Transport, detail
	}
	return local.ModelError, detail
}

func containsAny(s string, parts ...string) bool {
	return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(s, part) })
}
