package ollama

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/ollama/ollama/api"

	"lore/local"
)

// ErrTooLong marks an input that does not fit the model's window.
var ErrTooLong = errors.New("input too long for the model")

// Embed returns one vector per text. Nothing is cut: one text that does not fit
// makes the whole call fail with ErrTooLong. A server that is busy or restarts its
// runner gives an error that Transient recognises.
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
	err := c.post(ctx, "/api/embed", req, func(line []byte) error { return json.Unmarshal(line, &resp) })
	if err != nil {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		outcome, detail := classify(err)
		if outcome == local.TooLong {
			return nil, fmt.Errorf("%w: %s", ErrTooLong, detail)
		}
		return nil, &embedError{outcome, detail}
	}

	if len(resp.Embeddings) != len(texts) {
		return nil, fmt.Errorf("the server gave %d vectors for %d texts", len(resp.Embeddings), len(texts))
	}
	return resp.Embeddings, nil
}

type embedError struct {
	outcome local.Outcome
	detail  string
}

func (e *embedError) Error() string { return fmt.Sprintf("embed: %s: %s", e.outcome, e.detail) }

// Transient reports whether asking again may help.
func Transient(err error) bool {
	var e *embedError
	return errors.As(err, &e) && e.outcome.Transient()
}
