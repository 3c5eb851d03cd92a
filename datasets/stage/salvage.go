package stage

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"lore/local"
)

// salvage takes what is closed of a reply that reached its length limit, as a reply that
// is whole. what says what was taken, for the log; it is empty where nothing was.
func (q Question[T]) salvage(r local.Reply) (out local.Reply, what string) {
	closed := q.Closed
	if closed == nil && q.Read == nil && len(q.Schema) > 0 {
		closed = func(text string) (string, int) { return closedList(text, q.Schema) }
	}
	if r.Outcome != local.Cut || q.Complete || closed == nil {
		return r, ""
	}

	text, n := closed(r.Text)
	if n == 0 {
		return r, ""
	}
	r.Text, r.Outcome = text, local.OK
	return r, fmt.Sprintf("%s: the first %d of the list are closed, and are taken", r.Detail, n)
}

// closedList is the JSON of a cut reply up to the last closed element of its first list,
// with the brackets closed, and the number of these elements: 0 where the schema asks for
// more elements, or for fields that are not there.
func closedList(text string, schema json.RawMessage) (whole string, n int) {
	var open, around []byte       // brackets: open now, and open when the list began, its own last
	start, end, commas := 0, 0, 0 // of the present element, of the last closed one, and in the list

scan:
	for i := 0; i < len(text); i++ {
		inList := around != nil && len(open) == len(around)
		switch c := text[i]; c {
		case '"':
			if i = stringEnd(text, i); i < len(text) && inList {
				end, n = i+1, commas+1
			}

		case '{', '[':
			open = append(open, c)
			if c == '[' && around == nil {
				around, start = slices.Clone(open), i+1
			}

		case '}', ']':
			if len(open) == 0 || open[len(open)-1] != c-2 { // "[" and "{" stand two before
				return "", 0
			}
			if inList { // the list ends, perhaps with a number
				if n == commas && strings.TrimSpace(text[start:i]) != "" {
					end, n = i, commas+1
				}
				break scan
			}
			if open = open[:len(open)-1]; around != nil && len(open) == len(around) {
				end, n = i+1, commas+1
			}

		case ',':
			if inList {
				commas++
				start, end, n = i+1, i, commas
			}
		}
	}

	out := []byte(text[:end])
	for _, b := range slices.Backward(around) {
		out = append(out, b+2)
	}
	if n == 0 || !json.Valid(out) || !fits(out, schema) {
		return "", 0
	}
	return string(out), n
}

// stringEnd is the place of the quote that ends the string which begins at i; the text's
// length if none does.
func stringEnd(text string, i int) int {
	for i++; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i
		}
	}
	return len(text)
}

// fits reports whether an object has the fields that a schema requires, and lists of the
// lengths it asks for.
func fits(object []byte, schema json.RawMessage) bool {
	var rule struct {
		Required   []string `json:"required"`
		Properties map[string]struct {
			MinItems *int `json:"minItems"`
			MaxItems *int `json:"maxItems"`
		} `json:"properties"`
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal(schema, &rule) != nil || json.Unmarshal(object, &fields) != nil {
		return false
	}

	for _, name := range rule.Required {
		if _, ok := fields[name]; !ok {
			return false
		}
	}
	for name, p := range rule.Properties {
		var list []json.RawMessage
		if json.Unmarshal(fields[name], &list) != nil {
			continue // no list
		}
		if p.MinItems != nil && len(list) < *p.MinItems || p.MaxItems != nil && len(list) > *p.MaxItems {
			return false
		}
	}
	return true
}
