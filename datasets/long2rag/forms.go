package long2rag

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// entry is an object of a file.
type entry struct {
	place string // such as "line 3"
	key   string // its name in the object that holds it, which is its id; empty: it stands by itself
	raw   json.RawMessage
}

// shape tells, in an object with members under names, whether it is itself what is looked for.
type shape func(members map[string]json.RawMessage) bool

// eachEntry hands over the objects of a file, in its order: lines of JSON, objects one after the other however they
// are indented, a list of them, an object of them by their ids, or an object whose one member is such a list or object.
// It stops at the first error; those of do come back as they are.
func eachEntry(data []byte, is shape, do func(entry) error) error {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	dec := json.NewDecoder(bytes.NewReader(data))
	at := cursor{data: data, line: 1}
	for n := 1; ; n++ {
		place := fmt.Sprintf("line %d", at.lineOf(dec.InputOffset()))
		var raw json.RawMessage
		err := dec.Decode(&raw)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return &formError{place, at.word(err)}
		}

		if more := len(bytes.TrimSpace(data[dec.InputOffset():])) > 0; n == 1 && !more {
			return eachInside(entry{place: place, raw: raw}, is, true, do)
		}
		if err := do(entry{place: place, raw: raw}); err != nil {
			return err
		}
	}
}

// eachInside hands over the objects in the only value of a file.
func eachInside(e entry, is shape, unwrap bool, do func(entry) error) error {
	if e.raw[0] == '[' {
		var list []json.RawMessage
		if err := json.Unmarshal(e.raw, &list); err != nil {
			return &formError{e.place, err}
		}
		for i, raw := range list {
			if err := do(entry{place: fmt.Sprintf("entry %d", i+1), raw: raw}); err != nil {
				return err
			}
		}
		return nil
	}

	names, members, err := membersOf(e.raw)
	switch {
	case err != nil:
		return &formError{e.place, err}
	case names == nil || is(asMap(names, members)):
		return do(e)
	case unwrap && len(names) == 1 && holdsSeveral(members[0], is):
		return eachInside(entry{place: e.place, raw: members[0]}, is, false, do)
	}
	for i := range names {
		if members[i][0] != '{' {
			return do(e) // an object that is not known: whoever reads it says what it lacks
		}
	}
	for i, name := range names {
		if err := do(entry{place: fmt.Sprintf("%q", name), key: name, raw: members[i]}); err != nil {
			return err
		}
	}
	return nil
}

// holdsSeveral tells the one member of an object that is a list, or objects by their ids, from an object with an id.
func holdsSeveral(raw json.RawMessage, is shape) bool {
	if raw[0] == '[' {
		return true
	}
	names, members, err := membersOf(raw)
	return err == nil && names != nil && !is(asMap(names, members))
}

// membersOf are the members of an object in the order of the file; names is nil where there is no object. A name that
// is there twice is an error: package json would take the last one and lose the others.
func membersOf(raw []byte) (names []string, members []json.RawMessage, err error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil, nil, err
	}
	seen := map[string]bool{}
	for dec.More() {
		t, err := dec.Token()
		if err != nil {
			return nil, nil, err
		}
		name := t.(string) // of an object, as the decoder says
		if seen[name] {
			return nil, nil, fmt.Errorf("%q is there twice", name)
		}
		seen[name] = true

		var v json.RawMessage
		if err := dec.Decode(&v); err != nil {
			return nil, nil, err
		}
		names, members = append(names, name), append(members, v)
	}
	return names, members, nil
}

func asMap(names []string, members []json.RawMessage) map[string]json.RawMessage {
	out := make(map[string]json.RawMessage, len(names))
	for i, n := range names {
		out[n] = members[i]
	}
	return out
}

// withID is an object with its key as its id, if it has none.
func (e entry) withID(has bool) json.RawMessage {
	if e.key == "" || has {
		return e.raw
	}
	key, _ := json.Marshal(e.key) // a text
	inside := bytes.TrimSpace(e.raw[1:])
	if bytes.HasPrefix(inside, []byte("}")) {
		return fmt.Appendf(nil, `{"id":%s}`, key)
	}
	return fmt.Appendf(nil, `{"id":%s,%s`, key, inside)
}

// formError says where a file is not JSON.
type formError struct {
	place string
	err   error
}

func (e *formError) Error() string { return e.place + ": " + e.err.Error() }
func (e *formError) Unwrap() error { return e.err }

// cursor counts lines on the way through a file.
type cursor struct {
	data []byte
	at   int
	line int
}

// lineOf is the line on which the first thing after an offset stands, which is not before the last one asked for.
func (c *cursor) lineOf(offset int64) int {
	to := int(min(offset, int64(len(c.data))))
	for to < len(c.data) && strings.IndexByte(" \t\r\n", c.data[to]) >= 0 {
		to++
	}
	if to > c.at {
		c.line += bytes.Count(c.data[c.at:to], []byte("\n"))
		c.at = to
	}
	return c.line
}

// word says on which line JSON breaks, which is not always the one where its value begins.
func (c *cursor) word(err error) error {
	var syntax *json.SyntaxError
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("unexpected end of the JSON that begins here")
	case errors.As(err, &syntax):
		first := c.line
		if at := c.lineOf(max(0, syntax.Offset-1)); at != first {
			return fmt.Errorf("the JSON that begins here breaks on line %d: %w", at, err)
		}
	}
	return err
}
