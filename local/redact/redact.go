// Package redact keeps secrets out of all that lore writes and prints.
//
// What is public of a URL is its scheme, host, path and label ("#…"), and its query but
// for the values of names that look like credentials. The public form is the name of a
// server everywhere: in tables, files, errors, and in the key of a call. So a secret is
// in no hash either, and a renewed token finds the journal's answers again. Servers whose
// URLs differ in secrets alone have one name, and must be told apart by a label.
package redact

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode/utf16"
)

// Mark stands where a secret was.
const Mark = "***"

// The shortest secrets, in bytes, that are looked for in errors and in answers from
// outside: shorter ones would be found in ordinary words.
const (
	InErrors  = 4
	InAnswers = 8
)

// secretName is a name of a query value that is taken for a credential. Names such as
// max_tokens, passages and author are not.
var secretName = regexp.MustCompile(`(?i)key(_?id)?$|token$|(^|[_-])pass$|passw|passphrase|passcode|^pwd|pwd$|secret|` +
	`auth$|authori[sz]|sig$|signature|creds?$|credentials?$|session|jwt|bearer|^(user|user_?name|login|code|sas|sid)$`)

// IsSecretName reports whether a value of this name, in a URL or a header, is taken for a
// credential.
func IsSecretName(name string) bool { return secretName.MatchString(name) }

// secretForm is what well-known services give out as keys and tokens: by its beginning, or as a JSON web token.
var secretForm = regexp.MustCompile(`(?:^|[^A-Za-z0-9])(?:sk-[\w-]{8,}|AIza[\w-]{8,}|gh[pousr]_\w{8,}|github_pat_\w{8,}|` +
	`xox[abeprs]-[\w-]{8,}|eyJ[\w-]*\.[\w-]+\.[\w-]*)`)

// IsSecretValue reports whether a text holds what looks like a key or a token by its form. Words such as
// sk-learn-docs are none: keys have digits.
func IsSecretValue(s string) bool {
	for _, found := range secretForm.FindAllString(s, -1) {
		if strings.ContainsAny(found, "0123456789") || strings.Count(found, ".") == 2 {
			return true
		}
	}
	return false
}

// flag is a part of a query without a value that is no secret, such as ?debug: a plain word.
var flag = regexp.MustCompile(`^[a-z][a-z_-]{0,19}$`)

// URL is the public form of a URL, or of a text that was meant as one. A URL without
// secrets is returned as it is.
func URL(raw string) string {
	u, err := parse(raw)
	if err != nil {
		return unreadable(raw)
	}

	before, query, label := pieces(raw)
	if u.User != nil {
		_, after, _ := strings.Cut(before, "//")
		authority, path, slash := strings.Cut(after, "/")
		authority = authority[strings.LastIndexByte(authority, '@')+1:]
		before = before[:strings.Index(before, "//")+2] + authority
		if slash {
			before += "/" + path
		}
	}
	return before + publicQuery(query) + label
}

// parse reads a URL strictly: an "@" that is left in host or label shows that a user or
// password was not written as URLs need it.
func parse(raw string) (*url.URL, error) {
	before, _, label := pieces(raw)
	u, err := url.Parse(raw)
	switch {
	case err != nil:
		return nil, err
	case u.Host == "", u.User == nil && strings.Contains(before, "@"), strings.Contains(label, "@"):
		return nil, errors.New("not a URL with a host")
	}
	return u, nil
}

// pieces cuts a URL into what is before "?", its query with that mark, and its label
// with "#".
func pieces(raw string) (before, query, label string) {
	before, label, labelled := strings.Cut(raw, "#")
	if labelled {
		label = "#" + label
	}
	before, query, asked := strings.Cut(before, "?")
	if asked {
		query = "?" + query
	}
	return before, query, label
}

// publicQuery hides the values of names that look like credentials, and values that look like keys. A
// part without a name is one value, which may be a token, unless it is a plain word.
func publicQuery(query string) string {
	if len(query) < 2 {
		return query
	}
	parts := strings.Split(query[1:], "&")
	for i, p := range parts {
		name, value, named := strings.Cut(p, "=")
		plain, err := url.QueryUnescape(name)
		switch {
		case !named && p != "" && !flag.MatchString(p):
			parts[i] = Mark
		case named && (err != nil || secretName.MatchString(plain) || IsSecretValue(value)):
			parts[i] = name + "=" + Mark
		}
	}
	return "?" + strings.Join(parts, "&")
}

// plainPort is how a host without a user and a password goes on after its colon.
var plainPort = regexp.MustCompile(`^[^/:]*(:\d*)?(/|$)`)

// unreadable is what can be shown of a text that is no URL, without what may be a secret:
// all before its last "@", its query and its label.
func unreadable(raw string) string {
	scheme, rest, ok := strings.Cut(raw, "//")
	if !ok {
		scheme, rest = "", raw
	} else {
		scheme += "//"
	}
	if at := strings.LastIndexByte(rest, '@'); at >= 0 {
		rest = rest[at+1:]
	}

	shown, _, _ := strings.Cut(rest, "#")
	shown, _, _ = strings.Cut(shown, "?")
	switch {
	case !plainPort.MatchString(shown) && !strings.Contains(shown, "["):
		shown = Mark // user:password, cut at a comma or slash
	case shown != rest:
		shown += "?" + Mark
	}
	return scheme + shown
}

// Secrets lists the secrets of a URL: user, password and hidden query values, each as it
// stands and decoded.
func Secrets(raw string) []string {
	u, err := parse(raw)
	if err != nil {
		return nil
	}

	var out []string
	if u.User != nil {
		password, _ := u.User.Password()
		before, _, _ := pieces(raw)
		_, after, _ := strings.Cut(before, "//")
		info := after[:max(0, strings.LastIndexByte(after, '@'))]
		user, pass, _ := strings.Cut(info, ":")
		out = append(out, u.User.Username()+":"+password, u.User.Username(), password, user, pass)
	}

	_, query, _ := pieces(raw)
	for p := range strings.SplitSeq(strings.TrimPrefix(query, "?"), "&") {
		name, value, named := strings.Cut(p, "=")
		plain, err := url.QueryUnescape(name)
		switch {
		case !named && !flag.MatchString(p):
			out = append(out, p)
		case named && (err != nil || secretName.MatchString(plain) || IsSecretValue(value)):
			out = append(out, value)
			if decoded, err := url.QueryUnescape(value); err == nil {
				out = append(out, decoded)
			}
		}
	}
	return slices.DeleteFunc(out, func(s string) bool { return s == "" })
}

// Hider takes secrets out of texts from outside: a server may say in an error, or in an
// answer, what it was sent.
type Hider struct {
	replace *strings.Replacer
	escaped *regexp.Regexp // the secrets with any of their signs escaped; nil: there are none
}

// NewHider hides secrets of at least so many bytes in the forms in which servers repeat
// them: plain, as Basic authorisation, and with any sign escaped as JSON, HTML or a URL may.
// Longer ones go first, so that no part of them is left.
func NewHider(secrets []string, least int) *Hider {
	var forms, patterns []string
	for _, s := range secrets {
		forms = append(forms, s, url.QueryEscape(s), url.PathEscape(s), base64.StdEncoding.EncodeToString([]byte(s)))
		if data, err := json.Marshal(s); err == nil {
			forms = append(forms, string(data[1:len(data)-1]))
		}
	}
	long := func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), strings.Compare(a, b)) }
	short := func(s string) bool { return len(s) < least }

	forms = slices.DeleteFunc(forms, short)
	slices.SortFunc(forms, long)
	var pairs []string
	for _, s := range slices.Compact(forms) {
		pairs = append(pairs, s, Mark)
	}
	h := &Hider{replace: strings.NewReplacer(pairs...)}

	for _, s := range slices.SortedFunc(slices.Values(secrets), long) {
		if !short(s) {
			patterns = append(patterns, escapedPattern(s))
		}
	}
	if len(patterns) > 0 {
		h.escaped = regexp.MustCompile(strings.Join(patterns, "|"))
	}
	return h
}

// escapedPattern finds a secret whose signs are written plainly, or escaped one by one.
func escapedPattern(secret string) string {
	var b strings.Builder
	for _, r := range secret {
		forms := []string{regexp.QuoteMeta(string(r)), regexp.QuoteMeta(html.EscapeString(string(r)))}
		for _, unit := range utf16.Encode([]rune{r}) {
			forms = append(forms, fmt.Sprintf(`\\u(?i:%04x)`, unit))
		}
		if len(forms) == 4 { // outside the basic plane: two units, one behind the other
			forms = append(forms[:2], forms[2]+forms[3])
		}
		percent := ""
		for _, c := range []byte(string(r)) {
			percent += fmt.Sprintf(`%%(?i:%02x)`, c)
		}
		forms = append(forms, percent, fmt.Sprintf(`&#0*%d;`, r), fmt.Sprintf(`&#(?i:x0*%x);`, r))
		switch r {
		case '/', '"', '\\':
			forms = append(forms, `\\`+regexp.QuoteMeta(string(r)))
		case '\'':
			forms = append(forms, `&apos;`)
		case ' ':
			forms = append(forms, `\+`)
		}
		if r == '"' {
			forms = append(forms, `&quot;`)
		}
		b.WriteString("(?:" + strings.Join(forms, "|") + ")")
	}
	return b.String()
}

// Text hides the secrets in a text. A nil Hider hides nothing.
func (h *Hider) Text(s string) string {
	if h == nil {
		return s
	}
	s = h.replace.Replace(s)
	if h.escaped != nil && strings.ContainsAny(s, `\&%`) {
		s = h.escaped.ReplaceAllString(s, Mark)
	}
	return s
}

// Finds reports whether a text has a secret.
func (h *Hider) Finds(s string) bool { return h.Text(s) != s }

// Error words an error without secrets. What net/http says of a request begins with its
// URL, which is left out. The error's chain is kept for errors.Is and errors.As.
func (h *Hider) Error(err error) error {
	if err == nil {
		return nil
	}
	text := err.Error()
	var of *url.Error
	if errors.As(err, &of) {
		text = strings.ReplaceAll(text, of.Error(), fmt.Sprintf("%s %q: %v", of.Op, URL(of.URL), of.Err))
	}
	if text = h.Text(text); text == err.Error() {
		return err
	}
	return &hidden{text, err}
}

// hidden is an error in words without secrets.
type hidden struct {
	text string
	err  error
}

func (e *hidden) Error() string { return e.text }
func (e *hidden) Unwrap() error { return e.err }
