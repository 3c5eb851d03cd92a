// Package wire speaks HTTP with one model server: it sends requests, reads answers line by
// line within bounds of time and size, and dials no other host. Clients of the different kinds
// of servers stand on it.
package wire

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
	"time"

	"lore/local"
	"lore/local/redact"
)

// Dialer opens a connection; tests replace it.
type Dialer func(ctx context.Context, network, addr string) (net.Conn, error)

// Config of a Client.
type Config struct {
	Base   *url.URL // of the server, with a port; see ParseHost
	Dial   Dialer   // nil means net.Dialer
	Limits Limits   // of a reply's time; what is zero is found from what the model shows
	Key    string   // shown to the server as a bearer's token, and to nobody else; empty: none
	Accept string   // the kind of answer that is wanted
	Start  string   // how people start such a server, for the message that it is not there
}

// Client is a connection to one server. It can dial no other host.
type Client struct {
	cfg   Config
	hide  *redact.Hider // takes the secrets of the URL and the key out of what is said
	http  *http.Client
	paces *paces
}

// ErrUnreachable marks errors of a server that cannot be reached.
var ErrUnreachable = errors.New("model server unreachable")

// ErrNoModel marks a model that a server does not have or that lore refuses.
var ErrNoModel = errors.New("model missing")

// New builds a client. It opens no connection.
func New(cfg Config) *Client {
	if cfg.Dial == nil {
		cfg.Dial = (&net.Dialer{Timeout: 10 * time.Second}).DialContext
	}

	allowed := net.JoinHostPort(cfg.Base.Hostname(), cfg.Base.Port())
	transport := &http.Transport{
		Proxy:                  nil, // a proxy would be another host
		MaxIdleConnsPerHost:    64,
		MaxResponseHeaderBytes: mostHeader,
		DisableCompression:     true, // a few bytes could become many
		DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
			if addr != allowed {
				return nil, fmt.Errorf("refused to connect to %s: only %s is configured", addr, allowed)
			}
			return cfg.Dial(ctx, network, addr)
		},
	}

	secrets := redact.Secrets(cfg.Base.String())
	if cfg.Key != "" {
		secrets = append(secrets, cfg.Key)
	}
	return &Client{cfg: cfg, hide: redact.NewHider(secrets, redact.InErrors), paces: newPaces(), http: &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// Host returns the server's URL without its secrets.
func (c *Client) Host() string { return redact.URL(c.cfg.Base.String()) }

// Hide takes secrets out of a text.
func (c *Client) Hide(text string) string { return c.hide.Text(text) }

// Request is one that is answered line by line.
type Request struct {
	Path   string
	Model  string
	Body   any
	Tokens int   // most tokens of the reply
	Most   int64 // most bytes of the answer
}

// Timing is how long the parts of an answer took, and how many bytes had been sent.
type Timing struct {
	First, Gap, Whole time.Duration // until it began, the longest pause in it, until it ended
	Sent              int
}

// Stream sends a request and hands each line of the answer to line. It ends with an error
// when a limit passes, of time or of size.
func (c *Client) Stream(ctx context.Context, r Request, line func([]byte) error) (t Timing, err error) {
	data, err := json.Marshal(r.Body)
	if err != nil {
		return t, fmt.Errorf("encode the request to %s: %w", r.Path, err)
	}
	t.Sent = len(data)

	limits := c.paces.begin(r.Model, len(data), r.Tokens, c.cfg.Limits)
	defer c.paces.end(r.Model)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	after := func(limit time.Duration, what string) *time.Timer {
		return time.AfterFunc(limit, func() { cancel(&TimeoutError{what, limit}) })
	}
	whole := after(limits.Total, "the reply did not end")
	defer whole.Stop()
	silence := after(limits.First, "the server did not begin to reply")
	defer func() { silence.Stop() }()

	start := time.Now()
	resp, err := c.send(ctx, r.Path, data)
	if err != nil {
		return t, err
	}
	defer resp.Body.Close()

	lines := NewLineReader(newBounded(resp.Body, r.Most))
	for last := start; ; {
		raw, err := lines.Next()
		now := time.Now()
		t.Whole = now.Sub(start)
		if errors.Is(err, io.EOF) {
			return t, nil
		}
		if err != nil {
			return t, c.hide.Error(causeOf(ctx, err))
		}

		if t.First == 0 {
			t.First = t.Whole
			silence.Stop()
			silence = after(limits.Idle, "the server sent nothing more")
		} else {
			t.Gap = max(t.Gap, now.Sub(last))
			silence.Reset(limits.Idle)
		}
		last = now
		if err := line(raw); err != nil {
			return t, err
		}
	}
}

// Learn takes in how long a good reply took: the limits of the next ones follow it.
func (c *Client) Learn(model string, tokens int, load time.Duration, t Timing) {
	c.paces.learn(model, t.Sent, tokens, load, t.First, t.Gap, t.Whole)
}

// send posts JSON and returns an answer that is a success, whose body must be closed.
func (c *Client) send(ctx context.Context, path string, data []byte) (*http.Response, error) {
	req, err := c.request(ctx, http.MethodPost, path, bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
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

func (c *Client) request(ctx context.Context, method, path string, body io.Reader) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, method, c.cfg.Base.JoinPath(path).String(), body)
	if err != nil {
		return nil, fmt.Errorf("build the request to %s: %w", path, c.hide.Error(err))
	}
	req.Header.Set("Content-Type", "application/json")
	if c.cfg.Accept != "" {
		req.Header.Set("Accept", c.cfg.Accept)
	}
	if c.cfg.Key != "" {
		req.Header.Set("Authorization", "Bearer "+c.cfg.Key)
	}
	return req, nil
}

// refuse is an error for an answer that is no success, or is packed.
func (c *Client) refuse(resp *http.Response) error {
	if resp.StatusCode != http.StatusOK {
		return c.readStatus(resp)
	}
	if e := resp.Header.Get("Content-Encoding"); e != "" && e != "identity" {
		return ErrEncoded
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
	wait := local.RetryAfter(resp.Header.Get("Retry-After"), time.Now())
	return &StatusError{resp.StatusCode, c.hide.Text(Brief(ErrorText(body))), wait}
}

// Call sends a request whose answer is one JSON value of at most so many bytes. An empty body
// means GET. Who is interrupted is told so: the server may well be there.
func (c *Client) Call(outer context.Context, path string, most int64, body, out any) error {
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
	req, err := c.request(ctx, method, path, reader)
	if err != nil {
		return err
	}

	resp, err := c.http.Do(req)
	if err != nil && errors.Is(outer.Err(), context.Canceled) {
		return fmt.Errorf("interrupted while the model server was asked for %s: %w", path, outer.Err())
	}
	if err != nil {
		return fmt.Errorf("%w: %w; %s, or name another with --host", ErrUnreachable, c.hide.Error(err), c.cfg.Start)
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
