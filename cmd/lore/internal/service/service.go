// Package service reads the files that describe systems of people's own, for --system: what
// is sent, and where in the reply the answer, the documents and the citations stand.
package service

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"net/textproto"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"lore/cmd/lore/internal/models"
	"lore/cmd/lore/internal/usage"
	"lore/cmd/lore/internal/yamlfile"
	"lore/local/files"
	"lore/local/redact"
	"lore/local/system"
)

// IsFile reports whether what --system names is a file, and not a URL.
func IsFile(entry string) bool {
	return !strings.Contains(entry, "://") && slices.Contains([]string{".yaml", ".yml", ".json"}, strings.ToLower(filepath.Ext(entry)))
}

// remedy ends the errors of a file.
const remedy = "docs/systems.md shows such files; lore doctor --system FILE tries one"

// ReadFile reads a description. Secrets come from the environment.
func ReadFile(path string) (*system.Service, error) {
	data, err := files.Read(path, remedy)
	if err != nil {
		return nil, err
	}
	s, err := Parse(filepath.Base(path), data)
	if err != nil {
		return nil, wrap(path, err)
	}
	s.Hash = fmt.Sprintf("%x", sha256.Sum256(data))
	if s.Name == "" {
		s.Name = strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	}
	if err := files.CheckName("name of the system", s.Name); err != nil {
		return nil, wrap(path, fmt.Errorf("%w; give it another one, with name: at the top", err))
	}
	return s, nil
}

// lineOf finds the line in an error, which the YAML library names in front.
var lineOf = regexp.MustCompile(`^(?:yaml: )?(line \d+): `)

// wrap names file, line and remedy.
func wrap(path string, err error) error {
	bad := &files.Error{File: path, Msg: err.Error(), Remedy: remedy, Err: err}
	if m := lineOf.FindStringSubmatch(bad.Msg); m != nil {
		bad.Place, bad.Msg = m[1], strings.TrimPrefix(bad.Msg, m[0])
	}
	return bad
}

// atLine is an error at a place of the file.
func atLine(n *yaml.Node, format string, args ...any) error {
	return fmt.Errorf("line %d: %w", n.Line, fmt.Errorf(format, args...))
}

// reader is a description as it is read.
type reader struct {
	out           *system.Service
	preset        string
	model, prompt *yaml.Node // of a preset
	body, stream  *yaml.Node
}

// Parse reads a description; name is what its errors in replies call the file.
func Parse(name string, data []byte) (*system.Service, error) {
	root, err := yamlfile.Parse(data, "a description of a system", "of it")
	if err != nil {
		return nil, err
	}
	if root == nil {
		return nil, errors.New("is empty; it needs url, body and answer")
	}

	r := &reader{out: &system.Service{
		File:    name,
		Method:  "POST",
		Retries: -1,
		Stream:  system.Auto,
	}}
	if err := r.take(root); err != nil {
		return nil, err
	}
	return r.out, r.finish(root)
}

// take reads the keys at the top of a file.
func (r *reader) take(root *yaml.Node) error {
	s, rules := r.out, &r.out.Rules
	node := func(into **yaml.Node) func(*yaml.Node) error {
		return func(n *yaml.Node) error { *into = n; return nil }
	}
	// A preset comes first, so that every other key says something else.
	if at := valueOf(root, "preset"); at != nil {
		if err := r.takePreset(at); err != nil {
			return err
		}
	}

	return object(root, "the file", keys{
		{"name", text(&s.Name)},
		{"preset", func(*yaml.Node) error { return nil }},
		{"url", r.takeURL},
		{"method", r.takeMethod},
		{"headers", r.takeHeaders},
		{"query", r.takeQuery},
		{"body", node(&r.body)},
		{"model", node(&r.model)},
		{"system", node(&r.prompt)},
		{"stream", r.takeStream},
		{"answer", func(n *yaml.Node) error { return takeAnswer(n, &rules.Answer) }},
		{"documents", func(n *yaml.Node) error { return takeDocuments(n, &rules.Documents) }},
		{"citations", func(n *yaml.Node) error { return takeCitations(n, &rules.Citations) }},
		{"error", paths(&rules.Errors)},
		{"cut", func(n *yaml.Node) error { return takeCut(n, &rules.Cut) }},
		{"end", func(n *yaml.Node) error { return takeEnds(n, &rules.Ends) }},
		{"tokens", func(n *yaml.Node) error {
			return object(n, "tokens", keys{{"prompt", path(&rules.PromptTokens)}, {"answer", path(&rules.AnswerTokens)}})
		}},
		{"k", whole(&s.K, 1)},
		{"timeout", duration(&s.Timeout)},
		{"slots", whole(&s.Slots, 1)},
		{"retries", whole(&s.Retries, 0)},
	})
}

// finish puts together what several keys say, and checks the whole.
func (r *reader) finish(root *yaml.Node) error {
	if r.out.URL == "" {
		return atLine(root, "there is no url:; write the whole address, such as url: http://127.0.0.1:8000/ask")
	}
	if err := r.takeBody(); err != nil {
		return err
	}
	if r.out.Method == "GET" && r.out.Body != nil {
		return atLine(r.body, "a GET sends no body; write its values under query:, or method: POST")
	}
	if err := r.out.Check(); err != nil {
		return atLine(root, "%w", err)
	}
	return nil
}

// takeMethod reads how the system is asked.
func (r *reader) takeMethod(n *yaml.Node) error {
	var m string
	if err := text(&m)(n); err != nil {
		return err
	}
	r.out.Method = strings.ToUpper(m)
	if known := []string{"POST", "GET", "PUT"}; !slices.Contains(known, r.out.Method) {
		return atLine(n, "unknown method %q; there are %s", m, strings.Join(known, ", "))
	}
	return nil
}

// takeURL reads the address. What variables put into the path and the query is secret, as are
// user, password and values that are named like credentials.
func (r *reader) takeURL(n *yaml.Node) error {
	var raw string
	if err := text(&raw)(n); err != nil {
		return err
	}
	whole, _, missing := models.Expand(raw)
	if len(missing) > 0 {
		return unset(n, "url", missing)
	}

	path := pathAt(raw)
	open, _, _ := models.Expand(raw[:path])
	_, hidden, _ := models.Expand(raw[path:])
	masked := variableMark(raw)
	if redact.IsSecretValue(masked) {
		return openSecret(n, "url")
	}
	for _, s := range redact.Secrets(masked) {
		// A user's name may stand there where the password does not.
		if !strings.Contains(s, "$") && !strings.Contains(masked, "//"+s+":$") {
			return atLine(n, "url holds a password or a key; write $VARIABLE in its place, which lore reads from the environment, "+
				"so that no file holds it")
		}
	}

	r.out.URL, r.out.Address = whole, redact.URL(open+raw[path:])
	r.out.Secrets = append(append(r.out.Secrets, hidden...), redact.Secrets(whole)...)
	return nil
}

// openSecret says that a value is a secret by its form.
func openSecret(n *yaml.Node, where string) error {
	return atLine(n, "%s: what stands there looks like a key or a token by its form; send it under headers:, with $VARIABLE in its "+
		"place, which lore reads from the environment, so that no file holds it", where)
}

// variableMark is a URL with a mark for each variable, which every URL may hold anywhere.
func variableMark(raw string) string {
	var b strings.Builder
	last := 0
	for _, at := range models.Variables(raw) {
		b.WriteString(raw[last:at[0]] + "$")
		last = at[1]
	}
	return b.String() + raw[last:]
}

// pathAt is where the path of a URL begins, or what follows.
func pathAt(raw string) int {
	from := strings.Index(raw, "//")
	if from < 0 {
		from = -2
	}
	if i := strings.IndexAny(raw[from+2:], "/?#"); i >= 0 {
		return from + 2 + i
	}
	return len(raw)
}

// unset says which variables the environment lacks.
func unset(n *yaml.Node, key string, missing []string) error {
	return atLine(n, "%s: the environment has no %s; set it with export %s=…", key, strings.Join(missing, ", "), missing[0])
}

// Names of headers that are sent by themselves, and those whose values are secrets besides
// the names that look it.
var (
	ownHeaders = []string{"Accept-Encoding", "Connection", "Content-Length", "Host", "Transfer-Encoding"}
	headerName = regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]+$")
	credential = regexp.MustCompile(`(?i)^(bearer|basic|token)\s+\S`)
)

// takeHeaders reads header lines. Values of variables are secrets.
func (r *reader) takeHeaders(n *yaml.Node) error {
	r.out.Header, r.out.Public = map[string]string{}, map[string]string{}
	return each(n, "headers", func(key, value *yaml.Node) error {
		name := textproto.CanonicalMIMEHeaderKey(key.Value)
		var raw string
		if err := text(&raw)(value); err != nil {
			return err
		}
		whole, values, missing := models.Expand(raw)
		secret := redact.IsSecretName(name) || strings.Contains(strings.ToLower(name), "cookie") || credential.MatchString(raw)
		open := redact.IsSecretValue(variableMark(raw))

		switch {
		case !headerName.MatchString(key.Value):
			return atLine(key, "%q is not the name of a header", key.Value)
		case slices.Contains(ownHeaders, name):
			return atLine(key, "the header %s is set by lore itself; leave it out", name)
		case r.out.Header[name] != "":
			return atLine(key, "the header %s is there twice", name)
		case len(missing) > 0:
			return unset(value, "the header "+name, missing)
		case secret && len(values) == 0 || open:
			return atLine(value, "the header %s holds a secret; write $VARIABLE in its place, which lore reads from the "+
				"environment, so that no file holds it", name)
		case strings.ContainsFunc(whole, func(c rune) bool { return c < ' ' || c == 0x7f }):
			return atLine(value, "the value of the header %s has a line end or another control character", name)
		}

		r.out.Header[name], r.out.Public[name] = whole, variables(raw)
		r.out.Secrets = append(r.out.Secrets, values...)
		return nil
	})
}

// variables is a text with the mark of secrets for each variable.
func variables(raw string) string { return strings.ReplaceAll(variableMark(raw), "$", redact.Mark) }

// takeQuery reads what goes into the URL.
func (r *reader) takeQuery(n *yaml.Node) error {
	return each(n, "query", func(key, value *yaml.Node) error {
		if redact.IsSecretName(key.Value) {
			return atLine(key, "query: %s looks like a secret, and what is sent is kept in the run folder; "+
				"send it under headers:, or in url: as ?%[1]s=$VARIABLE", key.Value)
		}
		p := system.Param{Name: key.Value}
		if err := text(&p.Value)(value); err != nil {
			return err
		}
		if redact.IsSecretValue(p.Value) {
			return openSecret(value, "query: "+key.Value)
		}
		if err := system.CheckTemplate(p.Value); err != nil {
			return atLine(value, "%w", err)
		}
		r.out.Query = append(r.out.Query, p)
		return nil
	})
}

// duration reads a time, such as 90s or 2m; a number is seconds.
func duration(into *time.Duration) func(*yaml.Node) error {
	return func(n *yaml.Node) error {
		value := n.Value
		if n.Tag == "!!int" {
			value += "s"
		}
		d, err := time.ParseDuration(value)
		if n.Kind != yaml.ScalarNode || err != nil || d <= 0 || d > 1000*time.Hour {
			return atLine(n, "a time such as 90s or 2m is wanted, not %q", usage.Line(n.Value))
		}
		*into = d
		return nil
	}
}
