package gate

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ollama/ollama/api"

	"lore/local"
	"lore/local/extractive"
	"lore/local/fake"
	"lore/local/ollama"
	"lore/local/ollama/hostile"
	"lore/local/ollama/ollamatest"
	"lore/local/openai"
	"lore/local/openai/openaitest"
	"lore/local/wire"
)

// Every backend keeps the contract of local.Backend: typed outcomes, safe for
// concurrent use, an error only for a cancelled context.
func TestBackendConformance(t *testing.T) {
	client, err := ollama.NewClient(ollama.Config{Host: (&ollamatest.Server{}).Start(t).URL})
	if err != nil {
		t.Fatal(err)
	}
	plain := local.Options{NumCtx: 100, NumPredict: 10, TopP: 1}
	conversation := func(i int) local.Call {
		return local.Call{Model: "fake", Options: plain, Messages: []local.Message{{Role: local.User, Content: fmt.Sprint("call ", i)}}}
	}
	engine, err := openai.Open(context.Background(), openai.Config{Host: (&openaitest.Server{Engine: openaitest.VLLM}).Start(t).URL})
	if err != nil {
		t.Fatal(err)
	}
	structured := func(i int) local.Call {
		return local.Call{Source: &local.Source{Query: "x", Bullets: 1, Passages: []local.Passage{{Label: "1", Text: fmt.Sprintf("Sentence number %d says something about water and wind.", i)}}}}
	}
	for name, c := range map[string]struct {
		b    local.Backend
		call func(int) local.Call
	}{"fake": {&fake.Backend{}, conversation}, "ollama": {client, conversation}, "openai": {engine, conversation}, "extractive": {extractive.New(), structured}} {
		t.Run(name, func(t *testing.T) {
			want := make([]string, 16)
			for i := range want {
				r, err := c.b.Do(context.Background(), c.call(i))
				if err != nil || r.Outcome != local.OK || r.Text == "" {
					t.Fatalf("%+v %v", r, err)
				}
				want[i] = r.Text
			}
			var wg sync.WaitGroup
			for i := range want {
				wg.Go(func() {
					if r, err := c.b.Do(context.Background(), c.call(i)); err != nil || r.Text != want[i] {
						t.Errorf("at once: %q %v, want %q", r.Text, err, want[i])
					}
				})
			}
			wg.Wait()
			if r, err := c.b.Do(context.Background(), local.Call{}); err != nil || !slices.Contains(local.Outcomes, r.Outcome) || r.Outcome == "" {
				t.Errorf("an empty call: %+v %v", r, err)
			}
			ctx, cancel := context.WithCancel(context.Background())
			cancel()
			if slow, ok := c.b.(*fake.Backend); ok {
				slow.Delay = 1e9
			}
			if _, err := c.b.Do(ctx, c.call(0)); err == nil {
				t.Error("a cancelled context is no error")
			}
		})
	}
}

// served builds a client of a server whose replies have an outcome.
type served func(t *testing.T, want local.Outcome) local.Backend

var quick = wire.Limits{First: 200 * time.Millisecond, Idle: 200 * time.Millisecond, Total: time.Second}

// limits are short only where a call is to take too long.
func limits(want local.Outcome) wire.Limits {
	if want == local.Timeout {
		return quick
	}
	return wire.Limits{}
}

func servedByOllama(t *testing.T, want local.Outcome) local.Backend {
	misdeeds := map[local.Outcome]ollamatest.Misbehavior{
		local.TooLong: ollamatest.RefuseLong, local.Cut: ollamatest.CutShort, local.NoDone: ollamatest.NoDoneFrame,
		local.Empty: ollamatest.SayNothing, local.RefusedOption: ollamatest.RefuseOption, local.ModelError: ollamatest.LoadFailed,
		local.Transport: ollamatest.HangUp,
	}
	good := &ollamatest.Server{
		Answer:  func(api.ChatRequest) string { return "short words" },
		Misdeed: func(int, api.ChatRequest) ollamatest.Misbehavior { return misdeeds[want] },
	}
	if want == local.Timeout {
		good.Delay = time.Second
	}
	modes := map[local.Outcome]hostile.Mode{
		local.Truncated: "cuts-prompt", local.WrongModel: "other-model", local.Oversized: "ignores-limit",
	}
	host := good.Start(t).URL
	if mode, ok := modes[want]; ok {
		host = (&hostile.Server{Good: good, Mode: mode, Size: 1 << 20}).Start(t)
	}
	c, err := ollama.NewClient(ollama.Config{Host: host, Limits: limits(want)})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func servedBy(engine openai.Engine) served {
	return func(t *testing.T, want local.Outcome) local.Backend {
		misdeeds := map[local.Outcome]openaitest.Misbehavior{
			local.TooLong: openaitest.RefuseLong, local.Cut: openaitest.CutShort, local.NoDone: openaitest.NoDone,
			local.Empty: openaitest.SayNothing, local.RefusedOption: openaitest.RefuseOption, local.ModelError: openaitest.Crashed,
			local.Transport: openaitest.HangUp, local.WrongModel: openaitest.OtherModel, local.Oversized: openaitest.IgnoresLimit,
		}
		s := &openaitest.Server{
			Engine: string(engine), Window: window, Cuts: want == local.Truncated, Routed: want == local.Truncated,
			Answer:  func(openaitest.Request) string { return "short words" },
			Misdeed: func(int, openaitest.Request) openaitest.Misbehavior { return misdeeds[want] },
		}
		if want == local.Timeout {
			s.Delay = time.Second
		}
		c, err := openai.Open(context.Background(), openai.Config{Host: s.Start(t).URL, Limits: limits(want)})
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
}

// window of the models of the conformance suite, in tokens.
const window = 512

// Through the door a reply has every outcome that there is, whichever server it comes from.
func TestOutcomesOfEveryBackend(t *testing.T) {
	backends := map[string]served{"ollama": servedByOllama}
	for _, engine := range openai.Engines {
		backends["openai, "+string(engine)] = servedBy(engine)
	}
	for name, open := range backends {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, want := range local.Outcomes {
				// These engines do not name the model that answers, or name another in good faith.
				if slices.Contains([]string{"openai, llama.cpp", "openai, lmstudio", "openai, other"}, name) && want == local.WrongModel {
					continue
				}
				g, err := Open(Config{
					Lanes: map[string]Lane{"b": {Backend: open(t, want), Slots: 2, Prove: true}},
					Retry: Retry{Attempts: 2, First: time.Millisecond, Most: time.Millisecond},
				})
				if err != nil {
					t.Fatal(err)
				}
				call := local.Call{Backend: "b", Model: "fake", Digest: "d", Options: local.Options{NumCtx: window, NumPredict: 20, TopP: 1},
					Messages: []local.Message{{Role: local.User, Content: "good morning"}}}
				if name == "ollama" {
					call.Model = "fake:latest"
				}
				switch want {
				case local.Truncated:
					call.Messages[0].Content = strings.Repeat("word ", 2*window)
				case local.BadFormat:
					call.Schema = []byte(`{"type":"object"}`)
				}
				r, err := g.Do(context.Background(), call)
				if err != nil || r.Outcome != want {
					t.Errorf("%s: got %s (%s), %v", want, r.Outcome, r.Detail, err)
				}
				if (want == local.OK) != (r.Text == "short words" && r.Detail == "") && want != local.BadFormat {
					t.Errorf("%s: %+v", want, r)
				}
				if err := g.Close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
}
