package gate

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"

	"lore/local"
)

// withSchema checks every reply that has a schema, because servers ignore the schema in
// some versions.
func withSchema(inner local.Backend, check *schemaCache) local.Backend {
	return local.BackendFunc(func(ctx context.Context, call local.Call) (local.Reply, error) {
		reply, err := inner.Do(ctx, call)
		if err != nil {
			return reply, err
		}
		return check.obeyed(call, reply), nil
	})
}

// withRepair asks once for a repair of a reply that does not obey its schema: the
// conversation goes on with the reply and what is wrong with it. The repair is a call of
// its own, with its own key and journal entry. Where both are known from an earlier run,
// and failed, they are asked again.
func withRepair(inner local.Backend) local.Backend {
	repaired := func(ctx context.Context, call local.Call) (reply local.Reply, stale bool, err error) {
		first, err := inner.Do(ctx, call)
		if err != nil || !repairable(call, first) {
			return first, false, err
		}
		second, err := inner.Do(ctx, repairCall(call, first.Text, first.Detail))
		if err != nil {
			return second, false, err
		}
		if second.Outcome == local.BadFormat {
			second.Detail = "reply does not obey the schema, also after one repair: " + second.Detail
		}
		return second, second.Outcome != local.OK && (first.Stale || second.Stale), nil
	}

	return local.BackendFunc(func(ctx context.Context, call local.Call) (local.Reply, error) {
		reply, stale, err := repaired(ctx, call)
		if err == nil && stale {
			reply, _, err = repaired(anew(ctx), call)
		}
		return reply, err
	})
}

func repairCall(call local.Call, text, problem string) local.Call {
	complaint := fmt.Sprintf("That reply cannot be read: %s. "+
		"Answer again with one JSON value that fits the required schema and nothing else.", problem)

	fix := call
	fix.Messages = append(append([]local.Message(nil), call.Messages...),
		local.Message{Role: local.Assistant, Content: text},
		local.Message{Role: local.User, Content: complaint})
	return fix
}

// Obeys reports what is wrong with a text that must obey a schema; nil if nothing is.
func Obeys(schema json.RawMessage, text string) error { return new(schemaCache).check(schema, text) }

// schemaCache holds compiled schemas by their text. It knows what is wanted of replies.
type schemaCache struct {
	m     sync.Map
	lanes map[string]Lane
}

// reread judges a reply of the journal by what its lane wants now.
func (c *schemaCache) reread(call local.Call, reply local.Reply) local.Reply {
	if name, ok := laneOf(c.lanes, call); ok && c.lanes[name].Reread != nil {
		reply = c.lanes[name].Reread(reply)
	}
	return c.obeyed(call, reply)
}

// obeyed turns an answer that does not obey its schema into a failure.
func (c *schemaCache) obeyed(call local.Call, reply local.Reply) local.Reply {
	if reply.Outcome != local.OK || len(call.Schema) == 0 {
		return reply
	}
	if err := c.check(call.Schema, reply.Text); err != nil {
		reply.Outcome, reply.Detail = local.BadFormat, err.Error()
	}
	return reply
}

func (c *schemaCache) check(schema json.RawMessage, text string) error {
	resolved, err := c.resolve(schema)
	if err != nil {
		return err
	}

	dec := json.NewDecoder(bytes.NewReader([]byte(text)))
	var value any
	if err := dec.Decode(&value); err != nil {
		return fmt.Errorf("it is not JSON (%v)", err)
	}
	if rest := strings.TrimSpace(text[dec.InputOffset():]); rest != "" {
		return fmt.Errorf("it has text after the JSON value")
	}

	if err := resolved.Validate(value); err != nil {
		return fmt.Errorf("it does not fit the schema (%v)", err)
	}
	if name := doubled(text); name != "" {
		return fmt.Errorf("it has the field %q twice", name)
	}
	return nil
}

// doubled finds a name that an object of a JSON value has twice, whatever its case. Package
// json would silently take the last of them.
func doubled(text string) string {
	dec := json.NewDecoder(strings.NewReader(text))
	type level struct {
		names map[string]bool // nil in a list
		value bool            // a value comes next, not a name
	}
	var stack []level
	for {
		token, err := dec.Token()
		if err != nil {
			return "" // the end
		}

		top := len(stack) - 1
		if delim, ok := token.(json.Delim); ok {
			switch delim {
			case '{':
				stack = append(stack, level{names: map[string]bool{}})
			case '[':
				stack = append(stack, level{})
			default:
				stack = stack[:top]
				if top > 0 {
					stack[top-1].value = false
				}
			}
			continue
		}
		if top < 0 || stack[top].names == nil {
			continue
		}

		if stack[top].value {
			stack[top].value = false
			continue
		}
		name := strings.ToLower(token.(string))
		if stack[top].names[name] {
			return token.(string)
		}
		stack[top].names[name], stack[top].value = true, true
	}
}

func (c *schemaCache) resolve(schema json.RawMessage) (*jsonschema.Resolved, error) {
	if r, ok := c.m.Load(string(schema)); ok {
		return r.(*jsonschema.Resolved), nil
	}

	var s jsonschema.Schema
	if err := json.Unmarshal(schema, &s); err != nil {
		return nil, fmt.Errorf("the request's own schema is broken: %w", err)
	}
	r, err := s.Resolve(nil)
	if err != nil {
		return nil, fmt.Errorf("the request's own schema is broken: %w", err)
	}

	c.m.Store(string(schema), r)
	return r, nil
}
