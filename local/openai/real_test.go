package openai_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"lore/local"
	"lore/local/gate"
	"lore/local/ollama/ollamatest"
	"lore/local/openai"
	"lore/local/wire"
)

// A real server that speaks the protocol: Ollama's /v1. It tells the digest of the weights, and cuts
// what is too long, which the door finds out.
func TestRealServer(t *testing.T) {
	if testing.Short() {
		t.Skip("the long run has it")
	}
	s := ollamatest.StartReal(t, 2, "tiny")
	ctx := context.Background()
	c, err := openai.Open(ctx, openai.Config{Host: s.URL + "/v1", Limits: wire.Limits{First: 5 * time.Minute}})
	if err != nil {
		t.Fatal(err)
	}
	m, err := c.Model(ctx, "tiny:latest")
	if err != nil || c.Engine() != openai.Ollama || !m.Exact || len(m.Digest) != 64 {
		t.Fatalf("%s: %+v, %v", c.Server(), m, err)
	}
	if err := c.Still(ctx, m.Name, m.Digest); err != nil {
		t.Error(err)
	}

	lane := gate.Lane{Prove: true, Version: c.Server(), Hosts: []gate.Host{{Name: c.Host(), Backend: c, Slots: 2, Alive: c.Alive}}}
	g, err := gate.Open(gate.Config{Lanes: map[string]gate.Lane{openai.BackendName: lane}})
	if err != nil {
		t.Fatal(err)
	}
	do := func(text, schema string) local.Reply {
		t.Helper()
		r, err := g.Do(ctx, local.Call{
			Backend: openai.BackendName, Model: m.Name, Digest: m.Digest, Messages: []local.Message{{Role: local.User, Content: text}},
			Schema: json.RawMessage(schema), Options: local.Options{NumCtx: 4096, NumPredict: 64, TopP: 1, RepeatPenalty: 1, Seed: 7},
		})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}

	typed := []local.Outcome{local.OK, local.Cut, local.Empty, local.NoDone}
	r := do("say something", "")
	if !slices.Contains(typed, r.Outcome) || r.Usage.PromptTokens == 0 || r.Usage.OutputTokens > 64 {
		t.Errorf("%+v", r)
	}
	if again := do("say something", ""); again.Text != r.Text {
		t.Errorf("greedy replies: %q and %q", r.Text, again.Text)
	}
	r = do("yes or no?", `{"type":"object","properties":{"a":{"type":"string","enum":["yes","no"]}},"required":["a"],"additionalProperties":false}`)
	if r.Outcome == local.OK && !strings.Contains(r.Text, `"a"`) || !slices.Contains(append(typed, local.BadFormat), r.Outcome) {
		t.Errorf("a schema: %+v", r)
	}
	if r := do(strings.Repeat("word ", 6000), ""); r.Outcome != local.Truncated && r.Outcome != local.TooLong {
		t.Errorf("a prompt that is too long: %s (%s)", r.Outcome, r.Detail)
	}
}
