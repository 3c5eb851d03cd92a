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

// withFormat checks every reply that has a schema, because servers ignore the
// schema in some versions. A reply that does not obey gets one repair: the
// conversation goes on with the reply and what is wrong with it. The repair is a
// call of its own, with its own key and journal entry.
func withFormat(inner local.Backend) local.Backend {
	var schemas schemaCache
	return local.BackendFunc(func(ctx context.Context, call local.Call) (local.Reply, error) {
		reply, err := inner.Do(ctx, call)
		if err != nil || len(call.Schema) == 0 || reply.Outcome != local.OK {
			return reply, err
		}

		problem := schemas.check(call.Schema, reply.Text)
		if problem == nil {
			return reply, nil
		}

		again, err := inner.Do(ctx, repairCall(call, reply.Text, problem))
		if err != nil {
			return again, err
		}
		if again.Outcome != local.OK {
			return again, nil
		}

		if second := schemas.check(call.Schema, again.Text); second != nil {
			again.Outcome = local.BadFormat
			again.Detail = fmt.Sprintf("reply does not obey the schema, also after one repair: %v", second)
		}
		return again, nil
	})
}

func repairCall(call local.Call, text string, problem error) local.Call {
	complaint := fmt.Sprintf("That reply cannot be read: %v. "+
		"Answer again with one JSON value that fits the required schema and nothing else.", problem)

	fix := call
	fix.Messages = append(append([]local.Message(nil), call.Messages...),
		local.Message{Role: local.Assistant, Content: text},
		local.Message{Role: local.User, Content: complaint})
	return fix
}

// schemaCache holds compiled schemas by their text.
type schemaCache struct{ m sync.Map }

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
	return nil
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
