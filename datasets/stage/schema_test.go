package stage

import (
	"encoding/json"
	"testing"
)

// The bytes of schemas are in the keys of journals: a change makes people pay for every
// reply again.
func TestSchemaBytes(t *testing.T) {
	for want, got := range map[string]json.RawMessage{
		`{"type":"object","properties":{"topic":{"type":"string"}},"required":["topic"]}`: Object(Field("topic",
			String)),
		`{"type":"object","properties":{"present":{"type":"array","items":{"type":"integer","minimum":1,"maximum":3},"maxItems":6}},"required":["present"]}`: Object(Field("present",
			Array(Integer(1, 3), 0, 6))),
		`{"type":"object","properties":{"type":{"type":"string","enum":["simple","vague"]},"ok":{"type":"boolean"}},"required":["type","ok"]}`: Object(Field("type",
			Enum("simple", "vague")), Field("ok", Boolean)),
		`{"type":"array","items":{"type":"string"},"minItems":1,"maxItems":4}`: Array(String,
			1, 4),
	} {
		if string(got) != want {
			t.Errorf("%s, want %s", got, want)
		}
		if !json.Valid(got) {
			t.Errorf("%s is not JSON", got)
		}
	}
}
