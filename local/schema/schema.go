// Package schema builds the JSON schemas that the replies of a model must obey:
//
//	schema.Object(
//		schema.Field("type", schema.OneOf("simple", "complex", "vague")),
//		schema.Field("questions", schema.Array(schema.String()).AtMost(6)),
//	).JSON()
//
// A schema is part of a call's key in the journal. So its bytes depend on nothing but
// the order in which it is put together: keywords and properties are written as they
// were given, and a change of that order asks the model everything anew.
package schema

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
)

// Schema is a JSON schema. Its methods return an extended copy.
type Schema struct{ keywords ordered }

// Property is a named part of an object.
type Property struct {
	name   string
	schema Schema
}

// Field names a property of an object.
func Field(name string, s Schema) Property { return Property{name, s} }

// Object has the given properties, all of them required.
func Object(properties ...Property) Schema {
	members := make(ordered, len(properties))
	names := make([]string, len(properties))
	for i, p := range properties {
		members[i] = member{p.name, p.schema.keywords}
		names[i] = p.name
	}

	return kind("object").with("properties", members).with("required", names)
}

// Closed forbids an object all other properties.
func (s Schema) Closed() Schema { return s.with("additionalProperties", false) }

// Array is a list of items of one form.
func Array(items Schema) Schema { return kind("array").with("items", items.keywords) }

// AtLeast is the smallest number of items of an array.
func (s Schema) AtLeast(n int) Schema { return s.with("minItems", n) }

// AtMost is the largest number of items of an array.
func (s Schema) AtMost(n int) Schema { return s.with("maxItems", n) }

// String is any text.
func String() Schema { return kind("string") }

// OneOf is one of some texts.
func OneOf(texts ...string) Schema { return String().with("enum", texts) }

// Boolean is true or false.
func Boolean() Schema { return kind("boolean") }

// Integer is any whole number.
func Integer() Schema { return kind("integer") }

// Between bounds a number, both ends included.
func (s Schema) Between(least, most int) Schema {
	return s.with("minimum", least).with("maximum", most)
}

// Each lists the whole numbers from the first to the last, one by one.
func Each(first, last int) Schema {
	numbers := []int{}
	for n := first; n <= last; n++ {
		numbers = append(numbers, n)
	}

	return Integer().with("enum", numbers)
}

// Sorted puts keywords and properties in alphabetical order at every depth, as
// encoding/json writes maps. The list of required properties keeps its order.
func (s Schema) Sorted() Schema { return Schema{s.keywords.sorted()} }

// JSON is the schema as it is sent to a server.
func (s Schema) JSON() json.RawMessage {
	data, err := json.Marshal(s.keywords)
	if err != nil {
		panic(err) // texts, numbers and lists of them always encode
	}
	return data
}

func kind(name string) Schema { return Schema{}.with("type", name) }

// with adds a keyword to a copy: two schemas may begin alike.
func (s Schema) with(name string, value any) Schema {
	return Schema{append(slices.Clip(s.keywords), member{name, value})}
}

// ordered is a JSON object whose members keep their order.
type ordered []member

type member struct {
	name  string
	value any // ordered, or what encoding/json writes by itself
}

func (o ordered) sorted() ordered {
	out := slices.Clone(o)
	for i, m := range out {
		if inner, ok := m.value.(ordered); ok {
			out[i].value = inner.sorted()
		}
	}
	slices.SortFunc(out, func(a, b member) int { return cmp.Compare(a.name, b.name) })

	return out
}

// MarshalJSON implements json.Marshaler.
func (o ordered) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')

	for i, m := range o {
		name, err := json.Marshal(m.name)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(m.value)
		if err != nil {
			return nil, err
		}

		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(name)
		b.WriteByte(':')
		b.Write(value)
	}

	b.WriteByte('}')
	return b.Bytes(), nil
}
