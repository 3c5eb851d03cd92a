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

	"github.com/ollama/ollama/api"

	"lore/local"
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

	start := time.Now()
	var got chatStream
	err = c.post(ctx, "/api/chat", req, got.line)
	if ctx.Err() != nil {
		return local.Reply{}, context.Cause(ctx)
	}

	reply := got.reply(err)
	reply.Detail = c.hide.Text(reply.Detail)
	reply.Usage.Duration = time.Since(start)
	return reply, nil
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
	text, thinking strings.Builder
	logprobs       []local.Position
	last           api.ChatResponse
	failure        string // an error frame inside a 200 answer
	done           bool
}

func (s *chatStream) line(raw []byte) error {
	var frame struct {
		api.ChatResponse
		Error string `json:"error"`
	}
	if err := json.Unmarshal(raw, &frame); err != nil {
		return fmt.Errorf("a frame of the reply is not JSON: %w", err)
	}
	if frame.Error != "" {
		s.failure = frame.Error
		return nil
	}

	s.text.WriteString(frame.Message.Content)
	s.thinking.WriteString(frame.Message.Thinking)
	for _, p := range frame.Logprobs {
		pos := local.Position{TokenProb: local.TokenProb{Token: p.Token, Logprob: p.Logprob}}
		for _, t := range p.TopLogprobs {
			pos.Top = append(pos.Top, local.TokenProb{Token: t.Token, Logprob: t.Logprob})
		}
		s.logprobs = append(s.logprobs, pos)
	}

	if frame.Done {
		s.done = true
		s.last = frame.ChatResponse
	}
	return nil
}

func (s *chatStream) reply(err error) local.Reply {
	r := local.Reply{Text: s.text.String(), Thinking: s.thinking.String(), Logprobs: s.logprobs}

	m := s.last.Metrics
	r.Usage = local.Usage{PromptTokens: m.PromptEvalCount, OutputTokens: m.EvalCount, Load: m.LoadDuration}
	if work := m.LoadDuration + m.PromptEvalDuration + m.EvalDuration; m.TotalDuration > work {
		r.Usage.Queue = m.TotalDuration - work
	}
	if m.PromptEvalCachedCount != nil {
		r.Usage.CachedTokens = *m.PromptEvalCachedCount
	}

	switch {
	case err != nil:
		r.Outcome, r.Detail = classify(err)
	case s.failure != "":
		r.Outcome, r.Detail = classifyText(http.StatusInternalServerError, s.failure)
	case !s.done:
		r.Outcome = local.NoDone
		r.Detail = "the reply ended without its closing frame, as servers do after many equal tokens in a row"
	case s.last.DoneReason == "length":
		r.Outcome = local.Cut
		r.Detail = fmt.Sprintf("the reply reached its limit after %d tokens", m.EvalCount)
	case strings.TrimSpace(r.Text) == "":
		r.Outcome, r.Detail = local.Empty, "the reply has no text"
		if r.Thinking != "" {
			r.Detail = "the reply has thoughts but no answer"
		}
	default:
		r.Outcome = local.OK
	}
	return r
}

func classify(err error) (local.Outcome, string) {
	var status *statusError
	if errors.As(err, &status) {
		return classifyText(status.code, status.text)
	}
	return local.Transport, err.Error()
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
