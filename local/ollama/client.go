// Package ollama talks to an Ollama server over its native API, and to nothing else.
//
// The native API is used because the OpenAI-style one cannot carry num_ctx,
// truncate, shift or keep_alive, and fills in sampling values of its own.
package ollama

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/ollama/ollama/api"

	"lore/local/wire"
)

// DefaultHost is where an Ollama server listens if nothing else is said.
const DefaultHost = "http://127.0.0.1:11434"

// Client is a connection to one server. It can dial no other host.
type Client struct{ wire *wire.Client }

// Config of a Client. The zero value is usable.
type Config struct {
	Host   string      // URL or host:port; empty means DefaultHost
	Dial   wire.Dialer // nil means net.Dialer
	Limits wire.Limits // of a reply's time; what is zero is found from what the model shows
}

// NewClient checks the host and builds a client. It opens no connection.
func NewClient(cfg Config) (*Client, error) {
	base, err := wire.ParseHost(cfg.Host, DefaultHost)
	if err != nil {
		return nil, err
	}
	return &Client{wire.New(wire.Config{
		Base:   base,
		Dial:   cfg.Dial,
		Limits: cfg.Limits,
		Accept: "application/x-ndjson",
		Start:  "start it with `ollama serve`",
	})}, nil
}

// Host returns the server's URL without its secrets.
func (c *Client) Host() string { return c.wire.Host() }

// OtherMachine is the name of the machine that a server's address names; empty where it is
// this one.
func OtherMachine(host string) (string, error) { return wire.OtherMachine(host, DefaultHost) }

// Bounds of what is read from a server, in bytes.
const (
	mostVersion = 64 << 10
	mostList    = 16 << 20 // names and details of models
	mostShow    = 32 << 20 // a model's details have its licence and its template
)

// Version returns the server's version.
func (c *Client) Version(ctx context.Context) (string, error) {
	var v struct {
		Version string `json:"version"`
	}
	err := c.wire.Call(ctx, "/api/version", mostVersion, nil, &v)
	return v.Version, err
}

// Models lists the models the server has.
func (c *Client) Models(ctx context.Context) ([]api.ListModelResponse, error) {
	var v api.ListResponse
	err := c.wire.Call(ctx, "/api/tags", mostList, nil, &v)
	return v.Models, err
}

// Running lists the models the server has in memory.
func (c *Client) Running(ctx context.Context) ([]api.ProcessModelResponse, error) {
	var v api.ProcessResponse
	err := c.wire.Call(ctx, "/api/ps", mostList, nil, &v)
	return v.Models, err
}

// Model is what lore needs to know of a model before it is used.
type Model struct {
	Name         string // full name with its tag
	Digest       string // of the weights and settings
	Context      int    // trained context length in tokens; 0 if unknown
	Thinks       bool   // the model can produce thoughts
	Embeds       bool   // the model produces embeddings
	Parameters   string // parameter count as the server words it
	Quantization string
	Family       string
	Bytes        int64 // of the weights on the server's disk; 0 if unknown
}

// Model looks a model up. Models that run on another host are refused: a run
// that is meant to stay on this machine would leave it.
func (c *Client) Model(ctx context.Context, name string) (Model, error) {
	list, err := c.Models(ctx)
	if err != nil {
		return Model{}, err
	}

	var have []string
	for _, m := range list {
		have = append(have, m.Name)
		if m.Name != name && m.Name != name+":latest" {
			continue
		}
		if m.RemoteHost != "" {
			return Model{}, elsewhere(name, m.RemoteHost)
		}
		return c.describe(ctx, m)
	}

	if len(have) == 0 {
		return Model{}, fmt.Errorf("%w: the server at %s has no models; fetch one with `ollama pull %s`",
			wire.ErrNoModel, c.Host(), name)
	}
	return Model{}, fmt.Errorf("%w: the server at %s does not have %q; it has %s; "+
		"fetch it with `ollama pull %s`", wire.ErrNoModel, c.Host(), name, strings.Join(have, ", "), name)
}

// ErrChanged marks a model whose weights are not those that were asked for.
var ErrChanged = errors.New("the model has changed")

// Still reports whether the name of a model still has its digest; the error wraps
// ErrChanged where it has not.
func (c *Client) Still(ctx context.Context, name, digest string) error {
	list, err := c.Models(ctx)
	if err != nil {
		return err
	}
	for _, m := range list {
		switch {
		case m.Name != name:
		case m.RemoteHost != "":
			return fmt.Errorf("%w: %w", ErrChanged, elsewhere(name, m.RemoteHost))
		case m.Digest != digest:
			return fmt.Errorf("%w: %s had the digest %s and has %s now", ErrChanged, name, digest, m.Digest)
		default:
			return nil
		}
	}
	return fmt.Errorf("%w: the server does not have %s any more", ErrChanged, name)
}

func elsewhere(name, host string) error {
	return fmt.Errorf("%w: %s runs on %s, not on this machine; choose a local model", wire.ErrNoModel, name, host)
}

func (c *Client) describe(ctx context.Context, m api.ListModelResponse) (Model, error) {
	var show api.ShowResponse
	if err := c.wire.Call(ctx, "/api/show", mostShow, api.ShowRequest{Model: m.Name}, &show); err != nil {
		return Model{}, fmt.Errorf("describe %s: %w", m.Name, err)
	}
	if show.RemoteHost != "" {
		return Model{}, elsewhere(m.Name, show.RemoteHost)
	}

	out := Model{
		Name:         m.Name,
		Digest:       m.Digest,
		Parameters:   show.Details.ParameterSize,
		Quantization: show.Details.QuantizationLevel,
		Family:       show.Details.Family,
		Bytes:        m.Size,
	}

	for key, value := range show.ModelInfo {
		if n, ok := value.(float64); ok && strings.HasSuffix(key, ".context_length") {
			out.Context = int(n)
		}
	}

	for _, capability := range show.Capabilities {
		switch string(capability) {
		case "thinking":
			out.Thinks = true
		case "embedding":
			out.Embeds = true
		}
	}
	return out, nil
}
