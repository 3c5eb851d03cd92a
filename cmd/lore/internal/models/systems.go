package models

import (
	"cmp"
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
	"lore/local/files"
	"lore/local/gate"
	"lore/local/redact"
	remote "lore/local/system"
)

// Systems are systems of people's own that are asked over HTTP.
type Systems struct {
	// URLs are those of the systems, with their secrets, which stay in memory, or the names of
	// files that describe one; Names are for all else.
	URLs  []string
	Files map[string]*remote.Service // what the files say, by name

	Header  map[string]string // sent to every system
	Secrets []string          // in Header
	Hosts   []string          // that may be asked besides this machine
	K       int               // documents that a system is asked to use
	Timeout time.Duration
}

func (s Systems) backend() *remote.Backend {
	cfg := remote.Config{
		Header:  s.Header,
		Secrets: s.Secrets,
		Hosts:   s.Hosts,
		Timeout: s.Timeout,
	}
	for _, u := range s.URLs {
		if service := s.Files[u]; service != nil {
			cfg.Services = append(cfg.Services, service)
		} else {
			cfg.URLs = append(cfg.URLs, u)
		}
	}
	return remote.New(cfg)
}

// Names are what the systems are called in tables and files: their URLs without secrets, or
// the names that their files give them.
func (s Systems) Names() []string {
	out := make([]string, len(s.URLs))
	for i, u := range s.URLs {
		out[i] = redact.URL(u)
		if service := s.Files[u]; service != nil {
			out[i] = service.Name
		}
	}
	return out
}

// Asks says what a system is asked, as far as all questions have it in common, without
// secrets: a renewed token is the same system. How replies are read is no part of it.
func (s Systems) Asks(entry string) string {
	if service := s.Files[entry]; service != nil {
		return fmt.Sprintf("%s %s %d", service.Name, service.Identity(), service.K)
	}
	return redact.URL(entry)
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
		if service := s.Files[u]; service != nil {
			if err := b.CheckService(service); err != nil {
				return usage.Errorf("--system %s: %v", u, err)
			}
			if slices.Contains(s.Names()[:i], service.Name) {
				return usage.Errorf("--system %s: another system is called %s, too; give this one another name:", u, service.Name)
			}
			continue
		}
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
		if err := s.alive(ctx, b, u); err != nil {
			return err
		}
	}
	return nil
}

// alive says whether one system can be reached.
func (s Systems) alive(ctx context.Context, b *remote.Backend, entry string) error {
	if service := s.Files[entry]; service != nil {
		entry = service.URL
	}
	if err := b.Reachable(ctx, entry); err != nil {
		return fmt.Errorf("%w; finished answers are kept: start it and run the same command again", err)
	}
	return nil
}

// Asked are the systems as models.
func (s Systems) Asked() []*Model {
	var out []*Model
	for i, name := range s.Names() {
		m := &Model{Spec: name, Backend: remote.BackendName, Name: name}
		if m.Service = s.Files[s.URLs[i]]; m.Service != nil {
			m.Name, m.Digest = m.Service.Address, m.Service.Identity()
		}
		out = append(out, m)
	}
	return out
}

// Lanes are those of the systems. One that a file describes has a lane of its own.
func (s Systems) lanes(slots int) map[string]gate.Lane {
	out := map[string]gate.Lane{}
	b := s.backend()
	for _, u := range s.URLs {
		service := s.Files[u]
		if service == nil {
			plain := s
			plain.URLs = slices.DeleteFunc(slices.Clone(s.URLs), func(u string) bool { return s.Files[u] != nil })
			out[remote.BackendName] = gate.Lane{
				Backend: b,
				Slots:   slots,
				Alive:   plain.Alive,
				Server:  plain.called(),
				Remedy:  remedy,
			}
			continue
		}

		name := gate.OwnLane(remote.BackendName, service.Identity())
		if _, taken := out[name]; taken {
			continue // it asks the same, and is read in another way
		}
		retry := gate.DefaultRetry
		retry.Unended = true
		if service.Retries >= 0 {
			retry.Attempts = service.Retries + 1
		}
		out[name] = gate.Lane{
			Backend: b,
			Slots:   cmp.Or(service.Slots, slots),
			Alive:   func(ctx context.Context) error { return s.alive(ctx, b, u) },
			Reread:  service.Judge,
			Retry:   retry,
			Server:  "the system " + service.Name,
			Remedy:  func(string) string { return remedy(u) },
		}
	}
	return out
}

// called names the systems for messages.
func (s Systems) called() string {
	if len(s.URLs) == 1 {
		return "the system " + s.Names()[0]
	}
	return "the systems " + strings.Join(s.Names(), ", ")
}

// remedy is what shows why the replies of a system cannot be used.
func remedy(entry string) string {
	return fmt.Sprintf("lore doctor --system %s tries one question", files.Quoted(redact.URL(entry)))
}

// Remedy is what helps where the answers of a system fail alike.
func (s Systems) Remedy(m *Model) string {
	for i, name := range s.Names() {
		if name == m.Spec {
			return remedy(s.URLs[i])
		}
	}
	return ""
}

// Called names a model, or a system, for messages.
func (m *Model) Called() string {
	if m.IsAsked() {
		return "the system " + m.Spec
	}
	return m.Spec
}

// Ask asks a system, past the door: nothing is kept.
func (s Systems) Ask(ctx context.Context, call local.Call) (local.Reply, error) {
	return s.backend().Do(ctx, call)
}

// Request words what Ask sends, a line each, without secrets.
func (s Systems) Request(m *Model, call local.Call) ([]string, error) {
	b := s.backend()
	req, err := b.Request(m.Service, call)
	if err != nil {
		return nil, err
	}
	return b.Shown(req), nil
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

		value, values, missing := Expand(value)
		secrets = append(secrets, values...)
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

// Expand puts the environment's values in the place of $VARIABLE and ${VARIABLE}. missing are
// the names of those that are not set.
func Expand(text string) (whole string, values, missing []string) {
	whole = variable.ReplaceAllStringFunc(text, func(v string) string {
		v = strings.Trim(v, "${}")
		if os.Getenv(v) == "" {
			missing = append(missing, v)
		}
		values = append(values, os.Getenv(v))
		return os.Getenv(v)
	})
	return whole, values, missing
}

// Variables are the places in a text where Expand puts values, as strings.Index has them.
func Variables(text string) [][]int { return variable.FindAllStringIndex(text, -1) }

// IsAsked reports whether the model is a system of people's own.
func (m *Model) IsAsked() bool { return m.Backend == remote.BackendName }

// Question is the call that asks a system. id is the item's.
func (s Systems) Question(m *Model, query, id string) local.Call {
	if m.Service != nil {
		return m.Service.Call(query, id)
	}
	content := remote.Body(query, s.K)
	return local.Call{
		Backend:  m.Backend,
		Model:    m.Name,
		Messages: []local.Message{{Role: local.User, Content: content}},
	}
}
