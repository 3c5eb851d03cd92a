package stage

import (
	"encoding/json"
	"fmt"
	"strings"
)

// A reply's JSON schema is put together from these. Its bytes are a part of every call's
// key, and servers make properties in the order in which they stand there: the same
// schema must stay the same text.
var (
	String  = json.RawMessage(`{"type":"string"}`)
	Boolean = json.RawMessage(`{"type":"boolean"}`)
)

// Enum is one of several texts.
func Enum(values ...string) json.RawMessage {
	return json.RawMessage(`{"type":"string","enum":[` + quoted(values) + `]}`)
}

// Integer is a whole number in a range.
func Integer(least, most int) json.RawMessage {
	return fmt.Appendf(nil, `{"type":"integer","minimum":%d,"maximum":%d}`, least, most)
}

// Array is a list of values; least 0 is no bound.
func Array(of json.RawMessage, least, most int) json.RawMessage {
	bound := ""
	if least > 0 {
		bound = fmt.Sprintf(`"minItems":%d,`, least)
	}
	return fmt.Appendf(nil, `{"type":"array","items":%s,%s"maxItems":%d}`, of, bound, most)
}

// Property is a named value of an object.
type Property struct {
	name   string
	schema json.RawMessage
}

// Field names a value of an object.
func Field(name string, schema json.RawMessage) Property { return Property{name, schema} }

// Object has all of its fields.
func Object(fields ...Property) json.RawMessage {
	properties, names := make([]string, len(fields)), make([]string, len(fields))
	for i, f := range fields {
		properties[i] = fmt.Sprintf("%q:%s", f.name, f.schema)
		names[i] = f.name
	}
	return fmt.Appendf(nil, `{"type":"object","properties":{%s},"required":[%s]}`,
		strings.Join(properties, ","), quoted(names))
}

func quoted(list []string) string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = fmt.Sprintf("%q", s)
	}
	return strings.Join(out, ",")
}
