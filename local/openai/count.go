package openai

import (
	"context"
	"errors"

	"lore/local"
	"lore/local/wire"
)

// mostCounted is the most bytes of an answer that counts a prompt: it lists every token.
const mostCounted = 64 << 20

// templateTokens is more than a chat template adds to a message.
const templateTokens = 64

// tooLong refuses a prompt that the server's own tokenizer finds too long for its window, together
// with the reply. A prompt that cannot be so long, as it has fewer bytes, is not counted.
func (c *Client) tooLong(ctx context.Context, call local.Call) (*local.Reply, error) {
	window := call.Options.NumCtx
	bytes := 0
	for _, m := range call.Messages {
		bytes += len(m.Content) + templateTokens
	}
	if window <= 0 || bytes+call.Options.NumPredict <= window {
		return nil, nil
	}
	n, counted, err := c.Count(ctx, call)
	if err != nil || !counted || n+call.Options.NumPredict <= window {
		return nil, err
	}
	r := local.Fail(local.TooLong, "the prompt has %d tokens and the reply may have %d, the window %d",
		n, call.Options.NumPredict, window)
	r.Usage.PromptTokens = n
	return &r, nil
}

// Count counts the tokens of a call's prompt by the server's own tokenizer, its chat template
// included; counted is false where the engine has no address for that.
func (c *Client) Count(ctx context.Context, call local.Call) (n int, counted bool, err error) {
	switch c.engine {
	case VLLM:
		n, err = c.countByVLLM(ctx, call)
	case LlamaCpp:
		n, err = c.countByLlama(ctx, call)
	default:
		return 0, false, nil
	}

	// A router in between may not hand the address on.
	var status *wire.StatusError
	if errors.As(err, &status) && (status.Code == 404 || status.Code == 405) {
		return 0, false, nil
	}
	return n, err == nil, err
}

func (c *Client) countByVLLM(ctx context.Context, call local.Call) (int, error) {
	var out struct {
		Count int `json:"count"`
	}
	body := map[string]any{
		"model":                 call.Model,
		"messages":              call.Messages,
		"add_generation_prompt": true,
	}
	for key, value := range c.engine.thoughts(call.Options.Think) {
		body[key] = value
	}
	err := c.wire.Call(ctx, "/tokenize", mostCounted, body, &out)
	return out.Count, err
}

func (c *Client) countByLlama(ctx context.Context, call local.Call) (int, error) {
	var rendered struct {
		Prompt string `json:"prompt"`
	}
	body := map[string]any{"messages": call.Messages}
	for key, value := range c.engine.thoughts(call.Options.Think) {
		body[key] = value
	}
	if err := c.wire.Call(ctx, "/apply-template", mostCounted, body, &rendered); err != nil {
		return 0, err
	}
	var out struct {
		Tokens []int `json:"tokens"`
	}
	err := c.wire.Call(ctx, "/tokenize", mostCounted, map[string]any{
		"content": rendered.Prompt, "add_special": true, "parse_special": true,
	}, &out)
	return len(out.Tokens), err
}
