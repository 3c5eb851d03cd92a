// Package ollama talks to an Ollama server over its native API, and to nothing
// else. It is the only package that opens network connections to reach models.
//
// The native API is used because the OpenAI-style one cannot carry num_ctx,
// truncate, shift or keep_alive, and fills in sampling values of its own.
package ollama

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/ollama/ollama/api"

	"lore/local"
	"lore/local/redact"
	"lore/local/text"
)

// DefaultHost is where an Ollama server listens if nothing else is said.
const DefaultHost = "http://127.0.0.1:11434"

// Dialer opens a connection; tests replace it.
type Dialer func(ctx context.Context, network, addr string) (net.Conn, error)

// Client is a connection to one server. It can dial no other host.
type Client struct {
	base *url.URL
	hide *redact.Hider // takes the secrets of the URL out of what is said
	http *http.Client

	limits Limits
	paces  *paces
}

// Config of a Client. The zero value is usable.
type Config struct {
	Host   string // URL or host:port; empty means DefaultHost
	Dial   Dialer // nil means net.Dialer
	Limits Limits // of a reply's time; what is zero is found from what the model shows
}

// ErrUnreachable marks errors of a server that cannot be reached.
var ErrUnreachable = errors.New("model server unreachable")

// ErrNoModel marks a model that the server does not have or that lore refuses.
var ErrNoModel = errors.New("model missing")

// NewClient checks the host and builds a client. It opens no connection.
func NewClient(cfg Config) (*Client, error) {
	base, err := parseHost(cfg.Host)
	if err != nil {
		return nil, err
	}

	dial := cfg.Dial
	if dial == nil {
		dial = (&net.Dialer{Timeout: 10 * time.Second}).DialContext
	}

	allowed := net.JoinHostPort(base.Hostname(), base.Port())
	transport := &http.Transport{
		Proxy:                  nil, // a proxy would be another host
		MaxIdleConnsPerHost:    64,
		MaxResponseHeaderBytes: mostHeader,
		DisableCompression:     true, // a few bytes could become many
		DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
			if addr != allowed {
				return nil, fmt.Errorf("refused to connect to %s: only %s is configured", addr, allowed)
			}
			return dial(ctx, network, addr)
		},
	}

	hide := redact.NewHider(redact.Secrets(base.String()), redact.InErrors)
	return &Client{base: base, hide: hide, limits: cfg.Limits, paces: newPaces(), http: &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

// Host returns the server's URL without its secrets.
func (c *Client) Host() string { return redact.URL(c.base.String()) }

// statusError is an HTTP answer that is not a success.
type statusError struct {
	code int
	text string
	wait time.Duration // how long the server asks to be left alone
}

func (e *statusError) Error() string { return fmt.Sprintf("server answered %d: %s", e.code, e.text) }

// errEncoded says that an answer is packed, which was not asked for.
var errEncoded = errors.New("the answer is compressed, which was not asked for")

// request is one that is answered line by line.
type request struct {
	path   string
	model  string
	body   any
	tokens int   // most tokens of the reply
	most   int64 // most bytes of the answer
}

// timing is how long the parts of an answer took.
type timing struct{ first, gap, whole time.Duration }

// post sends a request and hands each line of the answer to line. It ends with an error
// when a limit passes, of time or of size.
func (c *Client) post(ctx context.Context, r request, line func([]byte) error) (t timing, bytesSent int, err error) {
	data, err := json.Marshal(r.body)
	if err != nil {
		return t, 0, fmt.Errorf("encode the request to %s: %w", r.path, err)
	}

	limits := c.paces.begin(r.model, len(data), r.tokens, c.limits)
	defer c.paces.end(r.model)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	after := func(limit time.Duration, what string) *time.Timer {
		return time.AfterFunc(limit, func() { cancel(&timeoutError{what, limit}) })
	}
	whole := after(limits.Total, "the reply did not end")
	defer whole.Stop()
	silence := after(limits.First, "the server did not begin to reply")
	defer func() { silence.Stop() }()

	start := time.Now()
	resp, err := c.send(ctx, r.path, data)
	if err != nil {
		return t, len(data), err
	}
	defer resp.Body.Close()

	lines := newLineReader(newBounded(resp.Body, r.most))
	for last := start; ; {
		raw, err := lines.next()
		now := time.Now()
		t.whole = now.Sub(start)
		if errors.Is(err, io.EOF) {
			return t, len(data), nil
		}
		if err != nil {
			return t, len(data), c.hide.Error(causeOf(ctx, err))
		}

		if t.first == 0 {
			t.first = t.whole
			silence.Stop()
			silence = after(limits.Idle, "the server sent nothing more")
		} else {
			t.gap = max(t.gap, now.Sub(last))
			silence.Reset(limits.Idle)
		}
		last = now
		if err := line(raw); err != nil {
			return t, len(data), err
		}
	}
}

// send posts JSON and returns an answer that is a success, whose body must be closed.
func (c *Client) send(ctx context.Context, path string, data []byte) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base.JoinPath(path).String(), bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("build the request to %s: %w", path, c.hide.Error(err))
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/x-ndjson")

	resp, err := c.http.Do(req)
	if err != nil {
		return nil, c.hide.Error(causeOf(ctx, err))
	}
	local.Heard(ctx)
	if err := c.refuse(resp); err != nil {
		return nil, errors.Join(err, resp.Body.Close())
	}
	return resp, nil
}

// refuse is an error for an answer that is no success, or is packed.
func (c *Client) refuse(resp *http.Response) error {
	if resp.StatusCode != http.StatusOK {
		return c.readStatus(resp)
	}
	if e := resp.Header.Get("Content-Encoding"); e != "" && e != "identity" {
		return errEncoded
	}
	return nil
}

func causeOf(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return err
}

func (c *Client) readStatus(resp *http.Response) error {
	body, _ := io.ReadAll(io.LimitReader(resp.Body, mostStatus)) // what can be read of an error text is enough
	var e struct {
		Error string `json:"error"`
	}
	text := strings.TrimSpace(string(body))
	if json.Unmarshal(body, &e) == nil && e.Error != "" {
		text = e.Error
	}
	return &statusError{resp.StatusCode, c.hide.Text(brief(text)), local.RetryAfter(resp.Header.Get("Retry-After"), time.Now())}
}

// mostShown is how many bytes of an error's text a person may want to read.
const mostShown = 500

func brief(s string) string { return text.Clipped(s, mostShown) }

// call sends a request whose answer is one JSON value. An empty body means GET.
// Who is interrupted is told so: the server may well be there.
func (c *Client) call(outer context.Context, path string, most int64, body, out any) error {
	ctx, cancel := context.WithTimeout(outer, 30*time.Second)
	defer cancel()

	method, reader := http.MethodGet, io.Reader(nil)
	if body != nil {
		data, err := json.Marshal(body)
		if err != nil {
			return fmt.Errorf("encode the request to %s: %w", path, err)
		}
		method, reader = http.MethodPost, bytes.NewReader(data)
	}

	req, err := http.NewRequestWithContext(ctx, method, c.base.JoinPath(path).String(), reader)
	if err != nil {
		return fmt.Errorf("build the request to %s: %w", path, c.hide.Error(err))
	}

	resp, err := c.http.Do(req)
	if err != nil && errors.Is(outer.Err(), context.Canceled) {
		return fmt.Errorf("interrupted while the model server was asked for %s: %w", path, outer.Err())
	}
	if err != nil {
		return fmt.Errorf("%w: %w; start it with `ollama serve`, or name another with --host",
			ErrUnreachable, c.hide.Error(err))
	}
	defer resp.Body.Close()
	if err := c.refuse(resp); err != nil {
		return err
	}
	if err := decode(resp.Body, most, out); err != nil {
		if errors.Is(outer.Err(), context.Canceled) {
			return fmt.Errorf("interrupted while the model server answered %s: %w", path, outer.Err())
		}
		return fmt.Errorf("%w: read the answer of %s: %w", ErrUnreachable, path, c.hide.Error(err))
	}
	return nil
}

// Version returns the server's version.
func (c *Client) Version(ctx context.Context) (string, error) {
	var v struct {
		Version string `json:"version"`
	}
	err := c.call(ctx, "/api/version", mostVersion, nil, &v)
	return v.Version, err
}

// Models lists the models the server has.
func (c *Client) Models(ctx context.Context) ([]api.ListModelResponse, error) {
	var v api.ListResponse
	err := c.call(ctx, "/api/tags", mostList, nil, &v)
	return v.Models, err
}

// Running lists the models the server has in memory.
func (c *Client) Running(ctx context.Context) ([]api.ProcessModelResponse, error) {
	var v api.ProcessResponse
	err := c.call(ctx, "/api/ps", mostList, nil, &v)
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
			ErrNoModel, c.Host(), name)
	}
	return Model{}, fmt.Errorf("%w: the server at %s does not have %q; it has %s; "+
		"fetch it with `ollama pull %s`", ErrNoModel, c.Host(), name, strings.Join(have, ", "), name)
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
	return fmt.Errorf("%w: %s runs on %s, not on this machine; choose a local model", ErrNoModel, name, host)
}

func (c *Client) describe(ctx context.Context, m api.ListModelResponse) (Model, error) {
	var show api.ShowResponse
	if err := c.call(ctx, "/api/show", mostShow, api.ShowRequest{Model: m.Name}, &show); err != nil {
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
