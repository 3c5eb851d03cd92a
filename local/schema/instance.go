package schema

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Instance is a value that obeys a schema as this package builds them: the first of some
// texts or numbers, the smallest number, and lists of n items, or as many as are allowed.
// Texts come from words, which is given how many there were before.
func Instance(schema json.RawMessage, n int, words func(i int) string) (string, error) {
	b := builder{n: n, words: words}
	if err := b.value(schema); err != nil {
		return "", err
	}
	return b.out.String(), nil
}

type builder struct {
	out   bytes.Buffer
	n     int
	words func(i int) string
	texts int
	item  int // the place in the list that is being written
}

// keywords are those that Instance knows.
type keywords struct {
	Type       string            `json:"type"`
	Enum       []json.RawMessage `json:"enum"`
	Const      json.RawMessage   `json:"const"`
	Properties json.RawMessage   `json:"properties"`
	Items      json.RawMessage   `json:"items"`
	MinItems   int               `json:"minItems"`
	MaxItems   *int              `json:"maxItems"`
	Minimum    float64           `json:"minimum"`
}

func (b *builder) value(schema json.RawMessage) error {
	var k keywords
	if err := json.Unmarshal(schema, &k); err != nil {
		return fmt.Errorf("read a schema: %w", err)
	}
	switch {
	case len(k.Enum) > 0:
		b.out.Write(k.Enum[b.item%len(k.Enum)]) // those of a list differ, as numbers of statements do
	case len(k.Const) > 0:
		b.out.Write(k.Const)
	case k.Type == "object":
		return b.object(k.Properties)
	case k.Type == "array":
		return b.list(k)
	case k.Type == "integer", k.Type == "number":
		fmt.Fprintf(&b.out, "%g", k.Minimum)
	case k.Type == "boolean":
		b.out.WriteString("true")
	case k.Type == "string":
		text, err := json.Marshal(b.words(b.texts))
		if err != nil {
			return fmt.Errorf("write a text: %w", err)
		}
		b.texts++
		b.out.Write(text)
	default:
		return fmt.Errorf("a schema of the type %q is not known", k.Type)
	}
	return nil
}

func (b *builder) list(k keywords) error {
	n := max(b.n, k.MinItems)
	if k.MaxItems != nil {
		n = min(n, *k.MaxItems)
	}
	b.out.WriteByte('[')
	outer := b.item
	defer func() { b.item = outer }()
	for i := range n {
		b.item = i
		if i > 0 {
			b.out.WriteByte(',')
		}
		if err := b.value(k.Items); err != nil {
			return err
		}
	}
	b.out.WriteByte(']')
	return nil
}

// object writes properties in the order of the schema, as models do.
func (b *builder) object(properties json.RawMessage) error {
	dec := json.NewDecoder(bytes.NewReader(properties))
	if _, err := dec.Token(); err != nil {
		return fmt.Errorf("read the properties of a schema: %w", err)
	}
	b.out.WriteByte('{')
	for i := 0; dec.More(); i++ {
		name, err := dec.Token()
		if err != nil {
			return fmt.Errorf("read the properties of a schema: %w", err)
		}
		var schema json.RawMessage
		if err := dec.Decode(&schema); err != nil {
			return fmt.Errorf("read a property of a schema: %w", err)
		}
		if i > 0 {
			b.out.WriteByte(',')
		}
		fmt.Fprintf(&b.out, "%q:", name)
		if err := b.value(schema); err != nil {
			return err
		}
	}
	b.out.WriteByte('}')
	return nil
}

// Free reports whether what obeys a schema has words of its own: a text that is none of some given
// ones.
func Free(schema json.RawMessage) bool {
	var k struct {
		keywords
		Properties map[string]json.RawMessage `json:"properties"`
	}
	if json.Unmarshal(schema, &k) != nil || len(k.Enum) > 0 || len(k.Const) > 0 {
		return false
	}
	if k.Type == "string" || len(k.Items) > 0 && Free(k.Items) {
		return true
	}
	for _, p := range k.Properties {
		if Free(p) {
			return true
		}
	}
	return false
}
