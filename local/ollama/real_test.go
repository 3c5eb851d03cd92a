package ollama_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"lore/local"
	"lore/local/gate"
	"lore/local/ollama"
	"lore/local/ollama/ollamatest"
	"lore/local/wire"
)

var realOptions = local.Options{NumCtx: 1024, NumPredict: 64, TopP: 1, RepeatPenalty: 1, Seed: 7}

func realCall(model, text string) local.Call {
	return local.Call{Backend: "ollama", Model: model, Messages: []local.Message{{Role: local.User, Content: text}}, Options: realOptions}
}

// answered: a model with random weights may reach its limit or say nothing
// readable; both are typed outcomes of a working server.
func answered(r local.Reply) bool {
	return slices.Contains([]local.Outcome{local.OK, local.Cut, local.Empty, local.NoDone}, r.Outcome)
}

func TestRealServer(t *testing.T) {
	s := ollamatest.StartReal(t, 2, "tiny", "other")
	c, err := ollama.NewClient(ollama.Config{Host: s.URL, Limits: wire.Limits{First: 5 * time.Minute}})
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	do := func(call local.Call) local.Reply {
		t.Helper()
		r, err := c.Do(ctx, call)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	t.Run("schema", func(t *testing.T) {
		for i := range 20 {
			call := realCall("tiny", fmt.Sprintf("question %d", i))
			call.Options.Temperature, call.Options.Seed = 1, i
			call.Schema = json.RawMessage(`{"type":"object","properties":{"coverage":{"type":"string","enum":["full","partial","none"]},"bullet":{"type":"integer","enum":[0,1,2]}},"required":["coverage","bullet"],"additionalProperties":false}`)
			r := do(call)
			if r.Outcome == local.Cut {
				continue // white space up to the limit is allowed by the grammar and typed as cut
			}
			var v struct {
				Coverage string
				Bullet   int
			}
			if err := json.Unmarshal([]byte(r.Text), &v); err != nil || r.Outcome != local.OK || !slices.Contains([]string{"full", "partial", "none"}, v.Coverage) {
				t.Errorf("outcome %s (%s), text %q", r.Outcome, r.Detail, r.Text)
			}
		}
	})
	t.Run("logprobs", func(t *testing.T) {
		call := realCall("tiny", "say something")
		call.TopLogprobs = 5
		r := do(call)
		if !answered(r) || len(r.Logprobs) == 0 || len(r.Logprobs[0].Top) != 5 {
			t.Fatalf("%+v", r)
		}
		if p := r.Logprobs[0]; p.Logprob > 0 || p.Top[0].Logprob < p.Top[4].Logprob {
			t.Errorf("positions %+v", p)
		}
	})
	t.Run("over-long prompts are refused, never cut", func(t *testing.T) {
		for _, n := range []int{1100, 2000, 20000} {
			if r := do(realCall("tiny", strings.Repeat("x", n))); r.Outcome != local.TooLong {
				t.Errorf("%d tokens into 1024: %s (%s)", n, r.Outcome, r.Detail)
			}
		}
	})
	t.Run("a reply that reaches num_predict is cut", func(t *testing.T) {
		call := realCall("tiny", "talk")
		call.Options.NumPredict = 6
		if r := do(call); r.Outcome != local.Cut || r.Usage.OutputTokens != 6 {
			t.Errorf("%+v", r)
		}
	})
	t.Run("greedy replies repeat", func(t *testing.T) {
		if a, b := do(realCall("tiny", "same")), do(realCall("tiny", "same")); a.Text != b.Text {
			t.Errorf("%q and %q", a.Text, b.Text)
		}
	})
	t.Run("two models in phases load once each", func(t *testing.T) { twoModels(t, c) })
	t.Run("a missing model is named", func(t *testing.T) {
		if _, err := c.Model(ctx, "gone"); err == nil || !strings.Contains(err.Error(), "tiny:latest") {
			t.Errorf("%v", err)
		}
	})
}

// twoModels interleaves the calls of two models; the gate must run them in
// phases. A call that found its model loaded has next to no load time.
func twoModels(t *testing.T, c *ollama.Client) {
	g, err := gate.Open(gate.Config{Lanes: map[string]gate.Lane{"ollama": {Backend: c, Slots: 2}}})
	if err != nil {
		t.Fatal(err)
	}
	var calls []local.Call
	for i := range 20 {
		call := realCall([]string{"tiny", "other"}[i%2], fmt.Sprintf("item %d", i))
		call.Options.NumCtx = 768 // not the window of the tests before, so that both models load anew
		call.Options.NumPredict = 8
		calls = append(calls, call)
	}
	var order []string
	loads := map[string]int{}
	err = g.All(context.Background(), calls, func(i int, r local.Reply) {
		order = append(order, calls[i].Model)
		if r.Usage.Load > 100*time.Millisecond {
			loads[calls[i].Model]++
		}
		if !answered(r) {
			t.Errorf("call %d: %s (%s)", i, r.Outcome, r.Detail)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if switches := slices.Compact(order); len(switches) != 2 {
		t.Errorf("models took turns: %v", order)
	}
	for m, n := range loads {
		if n > 2 { // both slots of the first moment wait for the same load
			t.Errorf("%s was loaded in %d calls", m, n)
		}
	}
}

// A server killed in mid-run stops the run; with the server back, the rerun asks
// only for what is missing.
func TestRealServerKilledAndResumed(t *testing.T) {
	s := ollamatest.StartReal(t, 2, "tiny")
	c, err := ollama.NewClient(ollama.Config{Host: s.URL, Limits: wire.Limits{First: 5 * time.Minute}})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	open := func() *gate.Gate {
		g, err := gate.Open(gate.Config{Dir: dir, Retry: gate.Retry{Attempts: 2, First: time.Millisecond, Most: time.Millisecond}, Lanes: map[string]gate.Lane{"ollama": {Backend: c, Slots: 2,
			Alive: func(ctx context.Context) error { _, err := c.Version(ctx); return err }}}})
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	var calls []local.Call
	for i := range 40 {
		calls = append(calls, realCall("tiny", fmt.Sprintf("call %d", i)))
	}
	g := open()
	finished := 0
	err = g.All(context.Background(), calls, func(_ int, r local.Reply) {
		if r.Outcome.Final() {
			finished++
		}
		if finished == 10 {
			s.Kill()
		}
	})
	g.Close()
	if err == nil || finished < 10 || finished == len(calls) {
		t.Fatalf("the run went on without a server: %v, %d finished", err, finished)
	}
	s.Start(2)
	g = open()
	defer g.Close()
	done := 0
	if err := g.All(context.Background(), calls, func(_ int, r local.Reply) {
		if answered(r) {
			done++
		}
	}); err != nil {
		t.Fatal(err)
	}
	u := g.Usage()[0]
	if done != len(calls) || u.Journaled < 10 || u.Asked+u.Journaled != len(calls) {
		t.Errorf("%d of %d answered, usage %+v", done, len(calls), u)
	}
}

// A real server counts its prompts so that nothing is taken for cut that is whole, and
// refuses what is too long.
func TestRealServerIsProven(t *testing.T) {
	s := ollamatest.StartReal(t, 2, "tiny")
	c, err := ollama.NewClient(ollama.Config{Host: s.URL, Limits: wire.Limits{First: 5 * time.Minute}})
	if err != nil {
		t.Fatal(err)
	}
	known := t.TempDir()
	lane := gate.Lane{Backend: c, Slots: 2, Prove: true, Version: "real"}
	g, err := gate.Open(gate.Config{Dir: t.TempDir(), Known: known, Lanes: map[string]gate.Lane{"ollama": lane}})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()

	for words, want := range map[int]local.Outcome{3: local.OK, 100: local.OK, 5000: local.TooLong} {
		call := realCall("tiny", strings.Repeat("All 3 birds sang, zuerst leise. ", words/6+1))
		call.Digest = "digest"
		// The second time the server has the prompt in its cache.
		for sample := range 2 {
			call.Sample = sample
			r, err := g.Do(context.Background(), call)
			if err != nil || r.Outcome != want && (want != local.OK || !answered(r)) {
				t.Errorf("%d words, sample %d: %s (%s), %v", words, sample, r.Outcome, r.Detail, err)
			}
		}
	}

	files, _ := filepath.Glob(filepath.Join(known, "*.json"))
	if len(files) != 1 {
		t.Fatalf("sightings %v", files)
	}
	data, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	var seen struct {
		Rate float64 `json:"rate"`
		Cuts int     `json:"cuts"`
	}
	if err := json.Unmarshal(data, &seen); err != nil || seen.Rate < 0.8 || seen.Rate > 8 || seen.Cuts != 0 {
		t.Errorf("sighting %s, %v", data, err)
	}
	t.Logf("sighting %s", data)
	if u := g.Usage()[0]; u.Probes > 4 {
		t.Errorf("%d prompts were counted again", u.Probes-2)
	}
}
