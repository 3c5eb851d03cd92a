package ollama

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/ollama/ollama/api"

	"lore/local"
	"lore/local/tokens"
	"lore/local/wire"
)

// ErrTooLong marks an input that does not fit the model's window.
var ErrTooLong = errors.New("input too long for the model")

// ErrFault marks what a server did wrong.
var ErrFault = errors.New("the model server is at fault")

// Embed returns one vector per text. Nothing is cut: one text that does not fit
// makes the whole call fail with ErrTooLong. A server that is busy or restarts its
// runner gives an error that Tries knows to pass.
func (c *Client) Embed(ctx context.Context, model string, texts []string, numCtx int) ([][]float32, error) {
	if len(texts) == 0 {
		return nil, nil
	}

	truncate := false
	req := api.EmbedRequest{Model: model, Input: texts, Truncate: &truncate}
	if numCtx > 0 {
		req.Options = map[string]any{"num_ctx": numCtx}
	}

	var resp api.EmbedResponse
	ask := wire.Request{Path: "/api/embed", Model: model, Body: req, Most: mostVectors * int64(1+len(texts))}
	took, err := c.wire.Stream(ctx, ask, func(line []byte) error {
		if err := json.Unmarshal(line, &resp); err != nil {
			return wire.Faulty(local.ModelError, "the vectors cannot be read: %v", err)
		}
		return nil
	})
	if err != nil {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		failed := wire.Failed(err, classifyText)
		if failed.Outcome == local.TooLong {
			return nil, fmt.Errorf("%w: %s", ErrTooLong, failed.Detail)
		}
		return nil, &embedError{failed.Outcome, failed.Detail}
	}

	if len(resp.Embeddings) != len(texts) {
		detail := fmt.Sprintf("the server gave %d vectors for %d texts", len(resp.Embeddings), len(texts))
		return nil, &embedError{local.ModelError, detail}
	}
	if err := c.whole(model, resp, texts); err != nil {
		return nil, err
	}
	c.wire.Learn(model, 0, resp.LoadDuration, took)
	return resp.Embeddings, nil
}

// mostVectors is the most bytes of a vector in an answer: 16,384 numbers.
const mostVectors = 16384 * 26

// whole refuses vectors of texts that the server has cut, by the tokens it counts. It is a
// fault that asking again does not mend.
func (c *Client) whole(model string, resp api.EmbedResponse, texts []string) error {
	if remote := resp.Model; remote != "" && !sameModel(remote, model) {
		return &embedError{local.WrongModel, fmt.Sprintf("asked %s, and %s answered", model, remote)}
	}
	least := 0
	for _, t := range texts {
		least += tokens.Least(t)
	}
	if n := resp.PromptEvalCount; n > 0 && float64(n) < tokens.Slack*float64(least) {
		return &embedError{local.Truncated, fmt.Sprintf("the server has read %d tokens of texts with at least %d words: "+
			"it cuts them", n, least)}
	}
	return nil
}

type embedError struct {
	outcome local.Outcome
	detail  string
}

func (e *embedError) Error() string {
	return fmt.Sprintf("embed: %s: %s; see to the server and run the same command again, or choose another model",
		e.outcome, e.detail)
}

// Is reports whether the server is to blame.
func (e *embedError) Is(target error) bool { return target == ErrFault && e.outcome.Sick() }

// Tries is how often a call that fails so is worth making in all: some failures pass in a
// moment, and some of these cost much each time.
func Tries(err error) int {
	var e *embedError
	switch {
	case !errors.As(err, &e) || !e.outcome.Transient():
		return 1
	case e.outcome == local.Transport:
		return 4
	}
	return 2
}
