package system

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"lore/local/text"
)

// Path says where in a JSON value something stands: choices[0].message.content. It is the
// part of JSONPath (RFC 9535) that names places: names by dots, ["any name"], [0], [-1] and
// [*], with or without "$" in front; "$" alone is the whole value. The zero Path names nothing.
//
// It is our own because a path that leads nowhere must say how far it went, and what is there.
type Path struct {
	Text string // as it was written
	Line int    // of its file; 0: not from one

	steps []step
}

// step is a name, a number or all.
type step struct {
	name  string
	index int
	kind  stepKind
	text  string // as it was written, for messages
}

type stepKind int

const (
	byName stepKind = iota
	byIndex
	allOf
)

// Given reports whether there is a path.
func (p Path) Given() bool { return p.Text != "" }

// String is the path as it was written.
func (p Path) String() string { return p.Text }

// Whole reports whether the path is "$", the whole value.
func (p Path) Whole() bool { return p.Given() && len(p.steps) == 0 }

// The forms of a step. A name without quotes may hold letters of any language, digits, "_",
// "-", "@" and ":", which replies have and JSONPath would want quoted.
var (
	plainName  = regexp.MustCompile(`^\.?([\p{L}_@][\p{L}\p{N}_@:-]*)`)
	starName   = regexp.MustCompile(`^\.\*`)
	quotedName = regexp.MustCompile(`^\[\s*("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')\s*\]`)
	indexName  = regexp.MustCompile(`^\[\s*(-?\d{1,9})\s*\]`)
	starIndex  = regexp.MustCompile(`^\[\s*\*\s*\]`)
)

// ParsePath reads a path.
func ParsePath(s string) (Path, error) {
	p := Path{Text: strings.TrimSpace(s)}
	rest, rooted := strings.CutPrefix(p.Text, "$")
	if p.Text == "" {
		return p, errors.New("the path is empty; $ is the whole reply")
	}

	for first := !rooted; rest != ""; first = false {
		st, length := nextStep(rest, first)
		if length == 0 {
			return Path{}, fmt.Errorf(`the path %q cannot be read from %q on; write it like choices[0].message.content, `+
				`with [*] for all of a list and ["any name"] for odd names`, s, rest)
		}
		st.text = rest[:length]
		p.steps = append(p.steps, st)
		rest = rest[length:]
	}
	return p, nil
}

// nextStep reads what a path begins with; the length is 0 where that is no step. Only the
// first name has no dot.
func nextStep(s string, first bool) (st step, length int) {
	if m := plainName.FindStringSubmatch(s); m != nil && first == !strings.HasPrefix(s, ".") {
		return step{name: m[1]}, len(m[0])
	}
	if m := quotedName.FindStringSubmatch(s); m != nil {
		name, err := unquote(m[1])
		if err != nil {
			return st, 0
		}
		return step{name: name}, len(m[0])
	}
	if m := indexName.FindStringSubmatch(s); m != nil {
		n, err := strconv.Atoi(m[1])
		if err != nil {
			return st, 0
		}
		return step{index: n, kind: byIndex}, len(m[0])
	}
	if m := starIndex.FindString(s); m != "" {
		return step{kind: allOf}, len(m)
	}
	return step{kind: allOf}, len(starName.FindString(s))
}

// unquote reads a name in double or single quotes.
func unquote(s string) (string, error) {
	if s[0] == '\'' {
		s = strings.ReplaceAll(s[1:len(s)-1], `\'`, `'`)
		s = `"` + strings.ReplaceAll(s, `"`, `\"`) + `"`
	}
	var out string
	err := json.Unmarshal([]byte(s), &out)
	return out, err
}

// Miss says how far a path went in a value, and what is there instead of its next step.
type Miss struct {
	Reached string   // the part of the path that is there; empty: nothing
	Wanted  string   // the step that is not
	There   string   // what is there, in words
	Keys    []string // of the object there, sorted
	Nearest string   // of these, what was most likely meant; empty: none is near

	depth int
}

// Error words it.
func (m *Miss) Error() string {
	where := "at its top"
	if m.Reached != "" {
		where = "at " + m.Reached
	}
	s := fmt.Sprintf("the reply has no %s: %s is %s", m.Wanted, where, m.There)
	switch {
	case m.Nearest != "":
		s += fmt.Sprintf("; did you mean %s?", m.Nearest)
	case strings.HasPrefix(m.There, "a list of") && !strings.HasPrefix(m.Wanted, "["):
		s += fmt.Sprintf("; write %s[0] for its first value, or %s[*] for all", m.Reached, m.Reached)
	}
	return s
}

// Find returns all that stands at the path, in the order of lists and of the names of
// objects. After [*] whatever lacks the next step is passed over, as in JSONPath. Where
// nothing stands there, miss says how far the path went.
func (p Path) Find(v any) (found []any, miss *Miss) {
	found = []any{v}
	reached := ""
	for depth, st := range p.steps {
		var next []any
		for _, at := range found {
			next = append(next, st.from(at)...)
		}
		if len(next) == 0 {
			return nil, missing(found, reached, st, depth)
		}
		found, reached = next, reached+st.text
	}
	return found, nil
}

// from is what a step leads to.
func (s step) from(v any) []any {
	switch v := v.(type) {
	case map[string]any:
		if s.kind == allOf {
			out := make([]any, 0, len(v))
			for _, key := range slices.Sorted(maps.Keys(v)) {
				out = append(out, v[key])
			}
			return out
		}
		if at, ok := v[s.name]; ok && s.kind == byName {
			return []any{at}
		}
	case []any:
		i := s.index
		if i < 0 {
			i += len(v)
		}
		switch {
		case s.kind == allOf:
			return v
		case s.kind == byIndex && i >= 0 && i < len(v):
			return []any{v[i]}
		}
	}
	return nil
}

// missing says what is at the place from which a step led nowhere.
func missing(found []any, reached string, st step, depth int) *Miss {
	m := &Miss{Reached: reached, Wanted: strings.TrimPrefix(st.text, "."), There: "an empty list", depth: depth}
	if len(found) == 0 {
		return m
	}
	m.There = kindOf(found[0])
	if object, ok := found[0].(map[string]any); ok {
		m.Keys = slices.Sorted(maps.Keys(object))
		m.Nearest = text.Nearest(st.name, m.Keys)
	}
	return m
}

// mostKeys is how many keys of an object a message names.
const mostKeys = 12

// kindOf words what a JSON value is, with the keys of an object.
func kindOf(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return "true or false"
	case string:
		return "a text"
	case json.Number:
		return "a number"
	case []any:
		if len(v) == 0 {
			return "an empty list"
		}
		return fmt.Sprintf("a list of %d", len(v))
	case map[string]any:
		keys := slices.Sorted(maps.Keys(v))
		if len(keys) == 0 {
			return "an empty object"
		}

		more := ""
		if len(keys) > mostKeys {
			more = fmt.Sprintf(" and %d more", len(keys)-mostKeys)
			keys = keys[:mostKeys]
		}
		return "an object with " + text.Line(strings.Join(keys, ", ")) + more
	}
	return "something else"
}
