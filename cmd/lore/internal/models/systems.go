package models

import (
	"context"
	"fmt"
	"net/textproto"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"lore/cmd/lore/internal/usage"
	"lore/local"
	"lore/local/redact"
	remote "lore/local/system"
)

// Systems are systems of people's own that are asked over HTTP.
type Systems struct {
	URLs    []string          // with their secrets, which stay in memory; Names are for all else
	Header  map[string]string // sent to every system
	Secrets []string          // in Header
	Hosts   []string          // that may be asked besides this machine
	K       int               // documents that a system is asked to use
	Timeout time.Duration
}

func (s Systems) backend() *remote.Backend {
	return remote.New(remote.Config{
		URLs:    s.URLs,
		Header:  s.Header,
		Secrets: s.Secrets,
		Hosts:   s.Hosts,
		Timeout: s.Timeout,
	})
}

// Names are the systems' URLs without secrets: what they are called in tables, files and
// the journal.
func (s Systems) Names() []string {
	out := make([]string, len(s.URLs))
	for i, u := range s.URLs {
		out[i] = redact.URL(u)
	}
	return out
}

// Check refuses what is not a URL, and hosts that must not be asked.
func (s Systems) Check() error {
	if len(s.URLs) > 0 && s.K < 1 {
		return usage.Errorf("--system-k is at least 1")
	}
	if len(s.URLs) > 0 && s.Timeout <= 0 {
		return usage.Errorf("--system-timeout is above 0")
	}
	if len(s.URLs) == 0 && len(s.Header) > 0 {
		return usage.Errorf("--system-header needs --system")
	}

	b := s.backend()
	for i, u := range s.URLs {
		if err := b.Check(u); err != nil {
			return usage.Errorf("--system: %v", err)
		}
		if name := redact.URL(u); slices.Contains(s.Names()[:i], name) {
			return usage.Errorf("--system %s is named twice; systems that differ only in user, password or token "+
				"are told apart by a label at the end: #first, #second", name)
		}
	}
	return nil
}

// Alive says which system cannot be reached, if any.
func (s Systems) Alive(ctx context.Context) error {
	b := s.backend()
	for _, u := range s.URLs {
		if err := b.Reachable(ctx, u); err != nil {
			return fmt.Errorf("%w; finished answers are kept: start it and run the same command again", err)
		}
	}
	return nil
}

// Asked is a system as a model, by its name.
func Asked(name string) *Model {
	return &Model{Spec: name, Backend: remote.BackendName, Name: name}
}

var (
	headerName = regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]+$")
	variable   = regexp.MustCompile(`\$(\w+|\{\w+\})`)
)

// ReadHeaders reads lines of "Name: $VARIABLE", with or without words around the variable,
// and takes the values from the environment; these are the secrets. Errors never show one.
func ReadHeaders(lines []string) (header map[string]string, secrets []string, err error) {
	header = map[string]string{}
	for _, line := range lines {
		name, value, ok := strings.Cut(line, ":")
		name, value = textproto.CanonicalMIMEHeaderKey(name), strings.TrimSpace(value)
		switch {
		case !ok || !headerName.MatchString(name):
			return nil, nil, usage.Errorf("--system-header takes 'Name: $VARIABLE', such as 'Authorization: Bearer $TOKEN'")
		case header[name] != "":
			return nil, nil, usage.Errorf("--system-header %s is given twice", name)
		case !variable.MatchString(value):
			return nil, nil, usage.Errorf("--system-header %s names no variable: lore reads the value from the environment, "+
				"and stores it nowhere; write '%s: $VARIABLE', in single quotes, so that the shell leaves it as it is",
				name, name)
		}

		var missing []string
		value = variable.ReplaceAllStringFunc(value, func(v string) string {
			v = strings.Trim(v, "${}")
			if os.Getenv(v) == "" {
				missing = append(missing, v)
			}
			secrets = append(secrets, os.Getenv(v))
			return os.Getenv(v)
		})
		switch {
		case len(missing) > 0:
			return nil, nil, usage.Errorf("--system-header %s: the environment has no %s; set it with export %s=…",
				name, strings.Join(missing, ", "), missing[0])
		case strings.ContainsFunc(value, unicode.IsControl):
			return nil, nil, usage.Errorf("--system-header %s: the value in the environment has a line end or "+
				"another control character", name)
		}
		header[name] = value
	}
	return header, secrets, nil
}

// IsAsked reports whether the model is a system of people's own.
func (m *Model) IsAsked() bool { return m.Backend == remote.BackendName }

// Question is the call that asks a system.
func (s Systems) Question(m *Model, query string) local.Call {
	content := remote.Body(query, s.K)
	return local.Call{
		Backend:  m.Backend,
		Model:    m.Name,
		Messages: []local.Message{{Role: local.User, Content: content}},
	}
}
