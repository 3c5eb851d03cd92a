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
		b.out.Write(k.Enum[0])
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
	for i := range n {
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
