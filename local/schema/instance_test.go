package schema_test

import (
	"encoding/json"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"lore/local/schema"
)

// What Instance makes obeys its schema, by another reader of schemas.
func TestInstanceObeys(t *testing.T) {
	list := schema.Array(schema.Object(
		schema.Field("label", schema.OneOf("full", "partial")),
		schema.Field("text", schema.String()),
		schema.Field("score", schema.Integer().Between(2, 5)),
	))
	for name, s := range map[string]schema.Schema{
		"flat":     schema.Object(schema.Field("b", schema.Boolean()), schema.Field("a", schema.String())).Closed(),
		"enum":     schema.Each(3, 9),
		"list":     schema.Object(schema.Field("items", list)),
		"at least": list.AtLeast(7),
		"at most":  list.AtMost(1),
		"sorted":   schema.Object(schema.Field("z", list), schema.Field("a", schema.Boolean())).Sorted(),
	} {
		text, err := schema.Instance(s.JSON(), 4, func(i int) string { return "text \"" + string(rune('a'+i)) })
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var read jsonschema.Schema
		if err := json.Unmarshal(s.JSON(), &read); err != nil {
			t.Fatal(err)
		}
		resolved, err := read.Resolve(nil)
		if err != nil {
			t.Fatal(err)
		}
		var value any
		if err := json.Unmarshal([]byte(text), &value); err != nil {
			t.Errorf("%s: %s is no JSON: %v", name, text, err)
		} else if err := resolved.Validate(value); err != nil {
			t.Errorf("%s: %s: %v", name, text, err)
		}
	}
}

// What is no schema of this package is an error, and never a wrong value.
func TestInstanceRefuses(t *testing.T) {
	for _, bad := range []string{``, `{}`, `{"type":"mystery"}`, `{"type":"array","items":{}}`, `{"type":"object"}`, `[1]`} {
		if text, err := schema.Instance(json.RawMessage(bad), 2, func(int) string { return "a" }); err == nil {
			t.Errorf("%s gives %s", bad, text)
		}
	}
}
