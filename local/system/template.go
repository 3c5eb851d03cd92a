package system

import (
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"lore/local/text"
)

// Ask is what a system is asked.
type Ask struct {
	Query string
	ID    string // of the item
	K     int    // documents to use
}

// Placeholders are the names that a template may hold in {{ }}.
var Placeholders = []string{"query", "k", "id"}

// placeholder is a name in double braces.
var placeholder = regexp.MustCompile(`\{\{\s*([^{}]*?)\s*\}\}`)

// CheckTemplate refuses a text with a placeholder that is not known.
func CheckTemplate(s string) error {
	for _, m := range placeholder.FindAllStringSubmatch(s, -1) {
		if slices.Contains(Placeholders, m[1]) {
			continue
		}
		hint := ""
		if near := text.Nearest(m[1], Placeholders); near != "" {
			hint = fmt.Sprintf("; did you mean {{%s}}?", near)
		}
		return fmt.Errorf("there is no {{%s}}: templates hold {{query}}, {{k}} and {{id}}%s", m[1], hint)
	}
	return nil
}

// holds reports whether a template holds a placeholder anywhere.
func holds(template any, name string) bool {
	switch t := template.(type) {
	case string:
		return slices.ContainsFunc(placeholder.FindAllStringSubmatch(t, -1), func(m []string) bool { return m[1] == name })
	case []any:
		return slices.ContainsFunc(t, func(v any) bool { return holds(v, name) })
	case map[string]any:
		for _, v := range t {
			if holds(v, name) {
				return true
			}
		}
	}
	return false
}

// fill puts what is asked into a text, in one pass: a query that holds braces stays as it is.
func (a Ask) fill(s string) string {
	return placeholder.ReplaceAllStringFunc(s, func(m string) string {
		switch placeholder.FindStringSubmatch(m)[1] {
		case "query":
			return a.Query
		case "k":
			return strconv.Itoa(a.K)
		case "id":
			return a.ID
		}
		return m
	})
}

// justK is a text that is nothing but the number.
var justK = regexp.MustCompile(`^\{\{\s*k\s*\}\}$`)

// render is the value of a template. A text that is {{k}} alone becomes a number.
func (a Ask) render(template any) any {
	switch t := template.(type) {
	case string:
		if justK.MatchString(t) {
			return a.K
		}
		return a.fill(t)
	case []any:
		out := make([]any, len(t))
		for i, v := range t {
			out[i] = a.render(v)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(t))
		for k, v := range t {
			out[k] = a.render(v)
		}
		return out
	}
	return template
}

// Param is a value of a URL's query, a template.
type Param struct{ Name, Value string }

// Content is what is sent: the values of the URL's query, and the body, with a line end
// between where there are both. It holds no secret, and is part of a call's identity.
func (s *Service) Content(a Ask) string {
	var parts []string
	if len(s.Query) > 0 {
		values := make([]string, len(s.Query))
		for i, p := range s.Query {
			values[i] = url.QueryEscape(p.Name) + "=" + url.QueryEscape(a.fill(p.Value))
		}
		parts = append(parts, strings.Join(values, "&"))
	}

	if s.Body != nil {
		data, err := json.Marshal(a.render(s.Body))
		if err != nil {
			panic(err) // what comes from a file always encodes
		}
		parts = append(parts, string(data))
	}
	return strings.Join(parts, "\n")
}

// parts takes Content apart again: the URL to ask, with its secrets, and the body.
func (s *Service) parts(content string) (target, body string) {
	target, _, _ = strings.Cut(s.URL, "#")
	body = content
	if len(s.Query) == 0 {
		return target, body
	}
	query, body, _ := strings.Cut(content, "\n")
	mark := "?"
	if strings.Contains(target, "?") {
		mark = "&"
	}
	return target + mark + query, body
}
