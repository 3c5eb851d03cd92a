package system

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"unicode/utf8"

	"lore/local"
)

// ask asks a service. What comes is kept as it is, so that it can be read again by other rules.
func (b *Backend) ask(ctx context.Context, call local.Call) (local.Reply, error) {
	s := b.forms[call.Digest]
	if s == nil {
		return local.Reply{}, fmt.Errorf("no service %s with the identity %s is configured", call.Model, call.Digest)
	}
	req, err := b.Request(s, call)
	if err != nil {
		return local.Fail(local.ModelError, "%v", b.hide.Error(err)), nil
	}
	return b.send(ctx, req, s.Timeout, func(resp *http.Response, data []byte) local.Reply {
		if resp.StatusCode/100 != 2 {
			return b.refused(resp, data)
		}
		return b.keep(s, resp.Header.Get("Content-Type"), data)
	})
}

// Request is what asks a service, with its secrets.
func (b *Backend) Request(s *Service, call local.Call) (*http.Request, error) {
	target, body := s.parts(call.Messages[0].Content)
	req, err := http.NewRequest(s.Method, target, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	if body == "" {
		req.Body = http.NoBody
	} else {
		req.Header.Set("Content-Type", "application/json")
	}

	req.Header.Set("Accept", accept(s.Stream))
	for _, header := range []map[string]string{b.header, s.Header} {
		for name, value := range header {
			req.Header.Set(name, value)
		}
	}
	return req, nil
}

// accept says what form is wanted, and that others will do.
func accept(form string) string {
	switch form {
	case SSE:
		return "text/event-stream, */*;q=0.5"
	case NDJSON:
		return "application/x-ndjson, */*;q=0.5"
	}
	return "application/json, */*;q=0.5"
}

// keep packs what a service answered, and says what it is.
func (b *Backend) keep(s *Service, contentType string, data []byte) local.Reply {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	switch {
	case len(data) > mostBytes:
		return local.Fail(local.Oversized, "the reply has more than %d MB", mostBytes>>20)
	case !utf8.Valid(data):
		return local.Fail(local.BadFormat, "the reply is not UTF-8: %s", begin(strings.ToValidUTF8(string(data), "?")))
	}
	kept := Kept{contentType, b.hideInAnswers.Text(string(data))}
	if b.repeats(s, kept) {
		return local.Fail(local.ModelError, "the reply repeats a secret that it was sent, in pieces or in a form that cannot be hidden; "+
			"it is not kept")
	}
	return s.Judge(local.Reply{Outcome: local.OK, Text: kept.pack()})
}

// repeats reports whether a secret is left in what is read of a reply: its pieces, put together, may
// hold one that none of them does.
func (b *Backend) repeats(s *Service, kept Kept) bool {
	read, _, detail, err := s.Read(kept)
	found := b.hideInAnswers.Finds(read.Answer) || b.hideInAnswers.Finds(detail) || err != nil && b.hideInAnswers.Finds(err.Error())
	for _, d := range read.Documents {
		found = found || b.hideInAnswers.Finds(d.ID) || b.hideInAnswers.Finds(d.Text)
	}
	return found
}

// Judge says how a call ended whose reply is Kept, by the rules as they are now. A reply that
// the rules cannot read stays an answer: it is the rules that must be mended.
func (s *Service) Judge(r local.Reply) local.Reply {
	kept, ok := Unpack(r.Text)
	if !ok {
		return r
	}
	read, outcome, detail, err := s.Read(kept)
	r.Outcome, r.Detail = outcome, detail
	if err == nil {
		r.Usage.PromptTokens, r.Usage.OutputTokens = read.Usage.PromptTokens, read.Usage.OutputTokens
	}
	return r
}

// CheckService refuses a service that cannot be asked, or whose host may not be.
func (b *Backend) CheckService(s *Service) error {
	if err := b.Check(s.URL); err != nil {
		return err
	}
	first := b.forms[s.Identity()]
	if first != nil && first.secrets() != s.secrets() {
		return errors.New("it asks the same as another system, with another secret; systems are told apart by a label " +
			"at the end of url: #first, #second")
	}
	return nil
}

// secrets are all that a service sends and nobody is shown, in one text.
func (s *Service) secrets() string {
	text := s.URL
	for _, name := range sortedNames(s.Header) {
		text += "\n" + name + ": " + s.Header[name]
	}
	return text
}

// Shown is a request for people, a line each, without a secret.
func (b *Backend) Shown(req *http.Request) []string {
	out := []string{req.Method + " " + b.public(req.URL.String())}
	header := map[string]string{}
	for name := range req.Header {
		header[name] = req.Header.Get(name)
	}
	for _, name := range sortedNames(header) {
		out = append(out, name+": "+b.hide.Text(header[name]))
	}
	return out
}
