// Package openai talks to model servers that speak the protocol of OpenAI's chat completions and
// run locally or in a cluster: vLLM (also behind Ray Serve), SGLang, llama.cpp's server, LM Studio,
// and Ollama's own /v1. No paid service is needed, and nothing is asked but the hosts that are
// configured.
//
// The protocol leaves much open. What a server does with a prompt that is too long, how it takes a
// schema, which options it knows and what it tells of the weights differs by engine; engine.go,
// identity.go and count.go have what is known of each.
package openai

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"lore/local"
	"lore/local/wire"
)

// BackendName is the value of Call.Backend for this package.
const BackendName = "openai"

// DefaultHost is where vLLM listens if nothing else is said.
const DefaultHost = "http://127.0.0.1:8000"

// Config of a Client. The zero value is usable.
type Config struct {
	Host   string      // URL or host:port, with or without /v1; empty means DefaultHost
	Key    string      // a bearer's token that the server wants; empty: none
	Dial   wire.Dialer // nil means net.Dialer
	Limits wire.Limits // of a reply's time; what is zero is found from what the model shows
}

// Client is a connection to one server. It can dial no other host. It is safe for concurrent use
// once Open has returned it.
type Client struct {
	wire    *wire.Client
	engine  Engine
	version string // of the server; empty where it does not tell
	models  []model
	keyed   bool // a key is shown
}

// Bounds of what is read from a server, in bytes.
const (
	mostAbout = 4 << 20  // versions and settings; a chat template is among them
	mostList  = 16 << 20 // names and details of models
)

// Open checks the host, asks the server what it is and which models it has.
func Open(ctx context.Context, cfg Config) (*Client, error) {
	base, err := wire.ParseHost(cfg.Host, DefaultHost)
	if err != nil {
		return nil, err
	}
	base.Path = strings.TrimSuffix(strings.TrimSuffix(base.Path, "/"), "/v1")

	c := &Client{keyed: cfg.Key != "", wire: wire.New(wire.Config{
		Base:   base,
		Key:    cfg.Key,
		Dial:   cfg.Dial,
		Limits: cfg.Limits,
		Accept: "text/event-stream, application/json",
		Start:  "start the engine",
	})}
	if c.models, err = c.list(ctx); err != nil {
		return nil, c.notThere(err)
	}
	return c, c.recognise(ctx)
}

// list asks for the models on offer.
func (c *Client) list(ctx context.Context) ([]model, error) {
	var list struct {
		Data []model `json:"data"`
	}
	err := c.wire.Call(ctx, "/v1/models", mostList, nil, &list)
	return list.Data, err
}

// notThere says what to do about a server that does not list its models.
func (c *Client) notThere(err error) error {
	var status *wire.StatusError
	if !errors.As(err, &status) {
		return err
	}
	switch status.Code {
	case 401, 403:
		if c.keyed {
			return fmt.Errorf("%w: %s refused the key (status %d): the environment variable %s holds another one than it takes",
				wire.ErrUnreachable, c.Host(), status.Code, KeyVariable)
		}
		return fmt.Errorf("%w: %s wants a key (status %d): put it into the environment variable %s",
			wire.ErrUnreachable, c.Host(), status.Code, KeyVariable)
	case 404:
		return fmt.Errorf("%w: %s has no /v1/models: is it an engine that speaks OpenAI's protocol?", wire.ErrUnreachable, c.Host())
	}
	return fmt.Errorf("%w: list the models of %s: %w", wire.ErrUnreachable, c.Host(), err)
}

// KeyVariable is the environment variable that a server's key is taken from, and nowhere else.
const KeyVariable = "LORE_API_KEY"

// Host returns the server's URL without its secrets.
func (c *Client) Host() string { return c.wire.Host() }

// Engine is the kind of the server.
func (c *Client) Engine() Engine { return c.engine }

// Server names the engine with its version, for what is remembered of it.
func (c *Client) Server() string { return strings.TrimSpace(string(c.engine) + " " + c.version) }

// Alive asks whether the server is still there.
func (c *Client) Alive(ctx context.Context) error {
	_, err := c.list(ctx)
	return err
}

// Do runs a call through /v1/chat/completions. A prompt that the server's own tokenizer finds too
// long is refused here; of engines without one the door checks what they have read.
func (c *Client) Do(ctx context.Context, call local.Call) (local.Reply, error) {
	body, err := c.chatRequest(call)
	if err != nil {
		return local.Fail(local.RefusedOption, "%v", err), nil
	}
	if refused, err := c.tooLong(ctx, call); err != nil || refused != nil {
		if ctx.Err() != nil {
			return local.Reply{}, context.Cause(ctx)
		}
		if err != nil {
			return c.failed(err), nil
		}
		return *refused, nil
	}

	got := chatStream{engine: c.engine, model: call.Model, tokens: call.Options.NumPredict}
	ask := wire.Request{
		Path:   "/v1/chat/completions",
		Model:  call.Model,
		Body:   body,
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
		c.wire.Learn(call.Model, reply.Usage.OutputTokens, 0, took)
	}
	return reply, nil
}

// failed is the reply of a call whose prompt could not be counted.
func (c *Client) failed(err error) local.Reply {
	r := wire.Failed(err, outcomeOf)
	if errors.Is(err, wire.ErrUnreachable) {
		r.Outcome = local.Transport
	}
	r.Detail = "count the prompt: " + c.wire.Hide(r.Detail)
	return r
}
