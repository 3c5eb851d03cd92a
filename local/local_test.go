package local

import (
	"encoding/json"
	"reflect"
	"testing"
)

// Every field with a JSON name must change the key; the others must not.
func TestKeyCoversEveryIdentityField(t *testing.T) {
	base := Call{Backend: "ollama", Model: "m", Digest: "d", Messages: []Message{{User, "hi"}}, Options: Options{NumCtx: 1, NumPredict: 1, TopP: 1}}
	changed := map[string]Call{}
	with := func(name string, f func(*Call)) { c := base; f(&c); changed[name] = c }
	with("backend", func(c *Call) { c.Backend = "x" })
	with("model", func(c *Call) { c.Model = "x" })
	with("digest", func(c *Call) { c.Digest = "x" })
	with("messages", func(c *Call) { c.Messages = []Message{{System, "hi"}} })
	with("source", func(c *Call) { c.Source = &Source{Query: "q"} })
	with("schema", func(c *Call) { c.Schema = json.RawMessage(`{}`) })
	with("top_logprobs", func(c *Call) { c.TopLogprobs = 1 })
	with("sample", func(c *Call) { c.Sample = 1 })
	with("num_ctx", func(c *Call) { c.Options.NumCtx++ })
	with("num_predict", func(c *Call) { c.Options.NumPredict++ })
	with("temperature", func(c *Call) { c.Options.Temperature++ })
	with("top_p", func(c *Call) { c.Options.TopP++ })
	with("top_k", func(c *Call) { c.Options.TopK++ })
	with("seed", func(c *Call) { c.Options.Seed++ })
	with("repeat_penalty", func(c *Call) { c.Options.RepeatPenalty++ })
	with("think", func(c *Call) { c.Options.Think = "low" })

	if want := countNamed(reflect.TypeFor[Call]()) - 1 + reflect.TypeFor[Options]().NumField(); len(changed) != want {
		t.Fatalf("test covers %d fields, Call and Options have %d", len(changed), want)
	}
	seen := map[string]string{base.Key(): "base"}
	for name, c := range changed {
		if other, dup := seen[c.Key()]; dup {
			t.Errorf("changing %s gives the key of %s", name, other)
		}
		seen[c.Key()] = name
	}
	c := base
	c.Prefix = "p"
	if c.Key() != base.Key() {
		t.Error("Prefix must not change the key")
	}
}

func countNamed(t reflect.Type) int {
	n := 0
	for i := range t.NumField() {
		if t.Field(i).Tag.Get("json") != "-" {
			n++
		}
	}
	return n
}

func TestKeyIgnoresSchemaSpacing(t *testing.T) {
	a := Call{Schema: json.RawMessage(`{"type":"object"}`)}
	b := Call{Schema: json.RawMessage("{ \"type\": \"object\"\n}")}
	if a.Key() != b.Key() {
		t.Error("white space in a schema changes the key")
	}
}
