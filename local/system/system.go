// Package system asks a question-answering system of one's own over HTTP, as a
// local.Backend. It posts {"query": "...", "k": 10} and reads
// {"answer": "...", "documents": ["id", ...]}; the documents are optional. A Service is a
// system with a form of its own, which is described.
package system

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
	"slices"
	"strings"
	"time"

	"lore/local"
	"lore/local/redact"
)

// BackendName is the value of Call.Backend for this package.
const BackendName = "system"

// mostBytes bounds an answer.
const mostBytes = 16 << 20

// mostShown is how much of an error's text is searched for secrets, in bytes; the first
// 200 are shown.
const mostShown = 64 << 10

// Answer is what a system says.
type Answer struct {
	Answer    string   `json:"answer"`
	Documents []string `json:"documents,omitempty"` // ids, best first
}

// Config says which systems and hosts may be asked, and with what.
type Config struct {
	URLs    []string          // of the systems, with their secrets
	Header  map[string]string // sent to every system
	Secrets []string          // in the header, to be hidden in what systems say
	Hosts   []string          // besides loopback: host names, without a port
	Timeout time.Duration     // of one call; 0 is two minutes

	Services []*Service // systems with a form of their own
}

// Backend asks systems. Call.Model is the public form of a system's URL (redact.URL), so
// that no secret gets into a journal, a name or a hash. What follows a "#" is not sent,
// and tells versions of a system apart. Secrets that a system repeats are hidden in what
// it says.
type Backend struct {
	urls   map[string]string // whole ones, by their public form
	header map[string]string
	forms  map[string]*Service // by identity
	hide   *redact.Hider
	hosts  []string
	http   *http.Client

	timeout       time.Duration
	hideInAnswers *redact.Hider
}

// New builds a backend. It opens no connection.
func New(cfg Config) *Backend {
	timeout := cfg.Timeout
	if timeout == 0 {
		timeout = 2 * time.Minute
	}

	b := &Backend{urls: map[string]string{}, header: cfg.Header, hosts: cfg.Hosts, forms: map[string]*Service{}}
	secrets := slices.Clone(cfg.Secrets)
	for _, s := range cfg.Services {
		secrets = append(secrets, s.Secrets...)
		if id := s.Identity(); b.forms[id] == nil {
			b.forms[id] = s
		}
	}
	for _, u := range cfg.URLs {
		b.urls[redact.URL(u)] = u
		secrets = append(secrets, redact.Secrets(u)...)
	}
	b.hide = redact.NewHider(secrets, redact.InErrors)
	b.hideInAnswers = redact.NewHider(secrets, redact.InAnswers)

	dialer := &net.Dialer{Timeout: 10 * time.Second}
	b.timeout = timeout
	b.http = &http.Client{
		Transport: &http.Transport{
			Proxy:                  nil, // a proxy would be another host
			MaxIdleConnsPerHost:    64,
			MaxResponseHeaderBytes: 64 << 10,
			DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
				host, _, err := net.SplitHostPort(addr)
				if err != nil || !b.allowed(host) {
					return nil, fmt.Errorf("refused to connect to %s", addr)
				}
				return dialer.DialContext(ctx, network, addr)
			},
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return b
}

func (b *Backend) allowed(host string) bool {
	if ip := net.ParseIP(host); ip != nil && ip.IsLoopback() || host == "localhost" {
		return true
	}
	return slices.Contains(b.hosts, host)
}

// Check refuses what is not a URL, and a URL whose host may not be asked.
func (b *Backend) Check(raw string) error {
	u, err := url.Parse(raw)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return fmt.Errorf("%q is not a URL like http://127.0.0.1:8000/answer%s", b.public(raw), hint(raw))
	case !b.allowed(u.Hostname()):
		return fmt.Errorf("the host %s is neither this machine nor allowed; allow it with --allow-host %s",
			u.Hostname(), u.Hostname())
	}
	return nil
}

// public is a URL without secrets, those that the environment puts into its path included.
func (b *Backend) public(raw string) string { return b.hide.Text(redact.URL(raw)) }

// hint says how secrets are written, where a text has some and cannot be read.
func hint(raw string) string {
	if !strings.Contains(raw, "@") && redact.URL(raw) == raw {
		return ""
	}
	return " (what may be secret is not shown; in a user name or password write / as %2F, @ as %40, , as %2C, " +
		"and so on, or send them with --system-header)"
}

// Errors of a system: it takes no connection, or does and then gives no answer.
var (
	ErrUnreachable = errors.New("the system cannot be reached")
	ErrFails       = errors.New("the system fails")
)

// Reachable opens a connection to a system's host, and asks nothing.
func (b *Backend) Reachable(ctx context.Context, raw string) error {
	if err := b.Check(raw); err != nil {
		return err
	}

	u, err := url.Parse(raw)
	if err != nil {
		return fmt.Errorf("read the URL: %w", b.hide.Error(err))
	}

	port := u.Port()
	if port == "" {
		port = u.Scheme // http and https name ports, too
	}

	dialer := &net.Dialer{Timeout: 10 * time.Second}
	c, err := dialer.DialContext(ctx, "tcp", net.JoinHostPort(u.Hostname(), port))
	if err != nil && errors.Is(ctx.Err(), context.Canceled) {
		return fmt.Errorf("interrupted while %s was looked for: %w", b.public(raw), ctx.Err())
	}
	if err != nil {
		return fmt.Errorf("%w: %s: %w", ErrUnreachable, b.public(raw), b.hide.Error(err))
	}
	return c.Close()
}

// Body is what is posted for a query.
func Body(query string, k int) string {
	data, err := json.Marshal(struct {
		Query string `json:"query"`
		K     int    `json:"k"`
	}{query, k})
	if err != nil {
		panic(err) // a text and a number always encode
	}
	return string(data)
}

// Do sends the first message. What a system with the usual form answers is returned as JSON
// of Answer, and what a Service does as Kept.
func (b *Backend) Do(ctx context.Context, call local.Call) (local.Reply, error) {
	if call.Digest != "" {
		return b.ask(ctx, call)
	}
	whole, known := b.urls[call.Model]
	if !known {
		whole = call.Model
	}
	target, _, _ := strings.Cut(whole, "#")
	body := strings.NewReader(call.Messages[0].Content)
	req, err := http.NewRequest(http.MethodPost, target, body)
	if err != nil {
		return local.Fail(local.ModelError, "%v", b.hide.Error(err)), nil
	}
	for name, value := range b.header {
		req.Header.Set(name, value)
	}
	req.Header.Set("Content-Type", "application/json")
	return b.send(ctx, req, b.timeout, func(resp *http.Response, data []byte) local.Reply {
		return b.read(resp, data)
	})
}

// send makes a request, and reads what comes as far as the bound. Failures have their types.
func (b *Backend) send(ctx context.Context, req *http.Request, timeout time.Duration,
	read func(*http.Response, []byte) local.Reply) (local.Reply, error) {
	inTime, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	failed := func(err error, what string) (local.Reply, error) {
		if ctx.Err() != nil {
			return local.Reply{}, context.Cause(ctx)
		}
		var late net.Error
		if inTime.Err() != nil || errors.As(err, &late) && late.Timeout() {
			return local.Fail(local.Timeout, "no answer within %s", timeout), nil
		}
		return local.Fail(local.Transport, "%s%v", what, b.hide.Error(err)), nil
	}

	start := time.Now()
	resp, err := b.http.Do(req.WithContext(inTime))
	if err != nil {
		return failed(err, "")
	}
	defer resp.Body.Close()
	local.Heard(ctx)
	data, err := io.ReadAll(io.LimitReader(resp.Body, mostBytes+1))
	if err != nil {
		return failed(err, "the answer broke off: ")
	}

	r := read(resp, data)
	r.Usage.Duration = time.Since(start)
	if r.Outcome == local.Transport {
		r.Wait = local.RetryAfter(resp.Header.Get("Retry-After"), time.Now())
	}
	return r, nil
}

// refused types an answer whose status is not that of success.
func (b *Backend) refused(resp *http.Response, data []byte) local.Reply {
	status := resp.StatusCode
	text := strings.TrimSpace(b.hide.Text(string(data[:min(len(data), mostShown)])))
	text = text[:min(len(text), 200)] // cut after hiding, so that no half of a secret is left
	if to, err := resp.Location(); err == nil && status/100 == 3 {
		return local.Fail(local.ModelError, "status %d: it sends to %s, and redirects are not followed: if that is the right address, "+
			"ask it", status, b.public(to.String()))
	}
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden:
		r := local.Fail(local.ModelError, "status %d: %s", status, text)
		r.Denied = status
		return r
	case http.StatusRequestTimeout, http.StatusTooManyRequests,
		http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return local.Fail(local.Transport, "status %d: %s", status, text)
	case http.StatusRequestEntityTooLarge:
		return local.Fail(local.TooLong, "status %d: %s", status, text)
	}
	return local.Fail(local.ModelError, "status %d: %s", status, text)
}

// read types an HTTP answer.
func (b *Backend) read(resp *http.Response, data []byte) local.Reply {
	if resp.StatusCode != http.StatusOK {
		return b.refused(resp, data)
	}
	if len(data) > mostBytes {
		return local.Fail(local.BadFormat, "the answer has more than %d MB", mostBytes>>20)
	}
	a, err := Parse(data)
	switch {
	case err != nil:
		return local.Fail(local.BadFormat, "%v", b.hide.Error(err))
	case strings.TrimSpace(a.Answer) == "":
		return local.Fail(local.Empty, "the answer is empty")
	}

	a.Answer = b.hideInAnswers.Text(a.Answer)
	for i, id := range a.Documents {
		a.Documents[i] = b.hideInAnswers.Text(id)
	}
	out, err := json.Marshal(a)
	if err != nil {
		return local.Fail(local.BadFormat, "%v", err)
	}
	return local.Reply{Outcome: local.OK, Text: string(out)}
}

// Parse reads an answer.
func Parse(data []byte) (Answer, error) {
	var a struct {
		Answer    *string  `json:"answer"`
		Documents []string `json:"documents"`
	}

	dec := json.NewDecoder(bytes.NewReader(data))
	if err := dec.Decode(&a); err != nil {
		return Answer{}, fmt.Errorf(`the answer is not {"answer": "...", "documents": ["id", ...]}: %w`, err)
	}
	if a.Answer == nil {
		return Answer{}, errors.New(`the answer has no field "answer"`)
	}
	return Answer{*a.Answer, a.Documents}, nil
}
