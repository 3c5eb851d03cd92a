package openai

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lore/local"
	"lore/local/openai/openaitest"
	"lore/local/wire"
)

func open(t *testing.T, s *openaitest.Server) *Client {
	t.Helper()
	c, err := Open(context.Background(), Config{Host: s.Start(t).URL, Key: s.Key, Limits: wire.Limits{First: 5 * time.Second}})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

var plain = local.Options{NumCtx: 2048, NumPredict: 64, TopP: 1, RepeatPenalty: 1, Seed: 7}

func ask(text string) local.Call {
	return local.Call{Backend: BackendName, Model: "fake", Messages: []local.Message{{Role: local.User, Content: text}}, Options: plain}
}

// Each engine is told apart, behind a router, too, where /v1/models names the owner.
func TestEnginesAreRecognised(t *testing.T) {
	for _, engine := range Engines {
		c := open(t, &openaitest.Server{Engine: string(engine)})
		if c.Engine() != engine {
			t.Errorf("%s is taken for %s", engine, c.Engine())
		}
		m, err := c.Model(context.Background(), "fake")
		if err != nil || m.Digest == "" || m.Exact != (engine == Ollama) {
			t.Errorf("%s: %+v, %v", engine, m, err)
		}
		if tells := engine != Other && engine != Ollama; tells != (m.Context == 1<<20) {
			t.Errorf("%s: a window of %d", engine, m.Context)
		}
	}
	if c := open(t, &openaitest.Server{Engine: openaitest.VLLM, Routed: true}); c.Engine() != VLLM || c.Server() != "vllm" {
		t.Errorf("behind a router: %s", c.Server())
	}
}

// What an engine tells of other weights changes the digest; what a restart changes does not.
func TestDigests(t *testing.T) {
	digest := func(s *openaitest.Server) string {
		m, err := open(t, s).Model(context.Background(), "fake")
		if err != nil {
			t.Fatal(err)
		}
		return m.Digest
	}
	for _, engine := range Engines {
		one := digest(&openaitest.Server{Engine: string(engine)})
		if again := digest(&openaitest.Server{Engine: string(engine), Version: "9.9.9", Window: 4096, Slots: 3}); again != one {
			t.Errorf("%s: a newer server with another window has another digest", engine)
		}
		other := digest(&openaitest.Server{Engine: string(engine), Weights: "-2"})
		if engine != Other && other == one {
			t.Errorf("%s: other weights have the same digest", engine)
		}
	}
}

// Whatever an engine does wrong has an outcome of its own, and only an answer is one.
func TestOutcomes(t *testing.T) {
	cases := map[openaitest.Misbehavior]local.Outcome{
		openaitest.Behave:       local.OK,
		openaitest.RefuseLong:   local.TooLong,
		openaitest.RefuseOption: local.RefusedOption,
		openaitest.QueueFull:    local.Transport,
		openaitest.Denied:       local.ModelError,
		openaitest.Crashed:      local.ModelError,
		openaitest.ErrorEvent:   local.ModelError,
		openaitest.NoDone:       local.NoDone,
		openaitest.CutShort:     local.Cut,
		openaitest.SayNothing:   local.Empty,
		openaitest.ThinkOnly:    local.Empty,
		openaitest.Think:        local.OK,
		openaitest.HangUp:       local.Transport,
		openaitest.NotJSON:      local.Transport,
		openaitest.NoUsage:      local.OK, // the door makes a failure of it
		openaitest.Filtered:     local.ModelError,
		openaitest.OtherModel:   local.WrongModel,
		openaitest.IgnoresLimit: local.Oversized,
		openaitest.NotAnObject:  local.NoDone,
	}
	if len(cases) != int(openaitest.NotAnObject)+1 {
		t.Fatalf("%d misbehaviours are tested, there are %d", len(cases), openaitest.NotAnObject+1)
	}
	for _, engine := range Engines {
		for bad, want := range cases {
			if bad == openaitest.OtherModel && !engine.namesModel() {
				want = local.OK
			}
			c := open(t, &openaitest.Server{Engine: string(engine), Misdeed: func(int, openaitest.Request) openaitest.Misbehavior { return bad }})
			r, err := c.Do(context.Background(), ask("good morning"))
			if err != nil || r.Outcome != want {
				t.Errorf("%s, misbehaviour %d: got %q (%s), %v; want %q", engine, bad, r.Outcome, r.Detail, err, want)
			}
			if want == local.OK && r.Text != "good morning" {
				t.Errorf("%s, misbehaviour %d: reply %+v", engine, bad, r)
			}
			if bad == openaitest.Behave && (r.Usage.PromptTokens != 2 || r.Usage.CachedTokens != 1 || r.Usage.OutputTokens != 2) {
				t.Errorf("%s: usage %+v", engine, r.Usage)
			}
			if bad == openaitest.Denied && r.Denied != 401 {
				t.Errorf("%s: a refusal of who asks: %+v", engine, r)
			}
			if bad == openaitest.Think && r.Thinking != "hm, a long thought" {
				t.Errorf("%s: thoughts %q", engine, r.Thinking)
			}
		}
	}
}

// All options are sent by the names that the engine knows, and no others.
func TestOptionsByEngine(t *testing.T) {
	common := []string{
		"frequency_penalty", "logprobs", "max_tokens", "messages", "model", "n", "presence_penalty", "response_format",
		"seed", "stream", "stream_options", "temperature", "top_logprobs", "top_p",
	}
	own := map[Engine][]string{
		VLLM:     {"chat_template_kwargs", "min_p", "repetition_penalty", "top_k"},
		SGLang:   {"chat_template_kwargs", "min_p", "repetition_penalty", "top_k"},
		LlamaCpp: {"cache_prompt", "chat_template_kwargs", "min_p", "repeat_last_n", "repeat_penalty", "top_k", "typical_p"},
		LMStudio: {"min_p", "repeat_penalty", "top_k"},
	}
	for _, engine := range Engines {
		s := &openaitest.Server{Engine: string(engine)}
		call := ask("good morning")
		call.Options.Think, call.TopLogprobs, call.Schema = "false", 5, json.RawMessage(`{"type": "object"}`)
		r, err := open(t, s).Do(context.Background(), call)
		if err != nil || len(r.Logprobs) != 2 || len(r.Logprobs[0].Top) != 2 {
			t.Fatalf("%+v %v", r, err)
		}
		sent := s.Chats()[0]
		want := slices.Sorted(slices.Values(append(slices.Clone(common), own[engine]...)))
		if diff := cmp.Diff(want, slices.Sorted(maps.Keys(sent.Body))); diff != "" {
			t.Errorf("%s is sent (-want +got):\n%s", engine, diff)
		}
		if string(sent.Schema()) != `{"type":"object"}` {
			t.Errorf("%s: the schema %s", engine, sent.Schema())
		}
		if engine == VLLM && string(sent.Body["top_k"]) != "-1" {
			t.Errorf("no limit to vLLM is -1, sent %s", sent.Body["top_k"])
		}
	}

	s := &openaitest.Server{Engine: openaitest.VLLM, Version: "0.6.2"}
	call := ask("good morning")
	call.Schema = json.RawMessage(`{"type": "object"}`)
	if _, err := open(t, s).Do(context.Background(), call); err != nil || len(s.Chats()[0].GuidedJSON) == 0 {
		t.Errorf("an old vLLM is sent %v, %v", s.Chats(), err)
	}
}

// A prompt that the server's tokenizer finds too long is not sent. Where there is none, the engine
// refuses it, or cuts it and says how little it has read.
func TestTooLong(t *testing.T) {
	long := strings.Repeat("word ", 3000)
	for _, c := range []struct {
		engine Engine
		routed bool
		asked  int
		want   local.Outcome
	}{
		{VLLM, false, 0, local.TooLong},
		{LlamaCpp, false, 0, local.TooLong},
		{VLLM, true, 1, local.TooLong},
		{SGLang, false, 1, local.TooLong},
		{LMStudio, false, 1, local.TooLong},
		{Ollama, false, 1, local.OK},
	} {
		s := &openaitest.Server{Engine: string(c.engine), Routed: c.routed, Window: 2048, Answer: func(openaitest.Request) string { return "yes" }}
		r, err := open(t, s).Do(context.Background(), ask(long))
		if err != nil || r.Outcome != c.want || len(s.Chats()) != c.asked {
			t.Errorf("%s (routed %v): %s (%s), %v; asked %d times", c.engine, c.routed, r.Outcome, r.Detail, err, len(s.Chats()))
		}
		if c.want == local.OK && r.Usage.PromptTokens != 2048 {
			t.Errorf("%s has read %d tokens", c.engine, r.Usage.PromptTokens)
		}
	}
}

func TestModelLookup(t *testing.T) {
	ctx := context.Background()
	c := open(t, &openaitest.Server{Engine: openaitest.VLLM, Names: []string{"meta-llama/Llama-3.1-8B-Instruct", "b"}})
	if _, err := c.Model(ctx, "meta-llama/Llama-3.1-8b-instruct"); !errors.Is(err, wire.ErrNoModel) || !strings.Contains(err.Error(), "did you mean") {
		t.Errorf("%v", err)
	}
	if _, err := c.Model(ctx, ""); err == nil {
		t.Error("one of two models is taken")
	}
	if m, err := open(t, &openaitest.Server{}).Model(ctx, ""); err != nil || m.Name != "fake" {
		t.Errorf("the only model: %+v, %v", m, err)
	}
	m, err := open(t, &openaitest.Server{Engine: openaitest.LlamaCpp, Slots: 4}).Model(ctx, "")
	if err != nil || m.Slots != 4 || m.About != "1.0 B parameters, 4.0 GB" {
		t.Errorf("%+v, %v", m, err)
	}
	m, err = open(t, &openaitest.Server{Engine: openaitest.SGLang, Cuts: true}).Model(ctx, "")
	if err != nil || !strings.Contains(m.Warning, "--allow-auto-truncate") {
		t.Errorf("%+v, %v", m, err)
	}
}

// A key is asked for by the name of its variable, shown to the server, and not needed elsewhere.
func TestKey(t *testing.T) {
	ctx := context.Background()
	s := &openaitest.Server{Engine: openaitest.VLLM, Key: "sk-secret-of-the-lab"}
	url := s.Start(t).URL
	if _, err := Open(ctx, Config{Host: url}); !errors.Is(err, wire.ErrUnreachable) || !strings.Contains(err.Error(), KeyVariable) {
		t.Errorf("without a key: %v", err)
	}
	if _, err := Open(ctx, Config{Host: url, Key: "another"}); err == nil || !strings.Contains(err.Error(), "refused the key") {
		t.Errorf("with another key: %v", err)
	}
	c, err := Open(ctx, Config{Host: url + "/v1/", Key: s.Key})
	if err != nil {
		t.Fatal(err)
	}
	if r, err := c.Do(ctx, ask("x")); err != nil || r.Outcome != local.OK || s.Chats()[0].Key != s.Key {
		t.Errorf("%+v, %v", r, err)
	}
}

// Machines with the same weights give nearly the same log-probabilities, others do not.
func TestFingerprint(t *testing.T) {
	print := func(s *openaitest.Server) Fingerprint {
		c := open(t, s)
		m, err := c.Model(context.Background(), "")
		if err != nil {
			t.Fatal(err)
		}
		f, err := c.Fingerprint(context.Background(), m)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	one := print(&openaitest.Server{Engine: openaitest.VLLM})
	if err := one.Alike(print(&openaitest.Server{Engine: openaitest.SGLang})); err != nil {
		t.Error(err)
	}
	if err := one.Alike(print(&openaitest.Server{Engine: openaitest.VLLM, Weights: "-2"})); err == nil {
		t.Error("other weights have the same fingerprint")
	}

	top := func(pairs ...any) (f Fingerprint) {
		for i := 0; i < len(pairs); i += 2 {
			f = append(f, local.TokenProb{Token: pairs[i].(string), Logprob: pairs[i+1].(float64)})
		}
		return f
	}
	base := top("a", -0.5, "b", -1.5, "c", -2.5)
	for _, c := range []struct {
		other Fingerprint
		alike bool
	}{
		{top("b", -1.45, "a", -0.55, "d", -2.55), true}, // the last two are nearly as likely
		{top("a", -0.9, "b", -1.2, "c", -2.5), false},
		{top("a", -0.5, "x", -1.5, "c", -2.5), false},
		{top("a", -0.5, "b", -1.5, "c", -2.5, "d", -9.0), true},
	} {
		if err := base.Alike(c.other); (err == nil) != c.alike {
			t.Errorf("%v and %v: %v", base, c.other, err)
		}
	}
}

func TestThoughts(t *testing.T) {
	for _, c := range []struct{ told, text, thinking, answer string }{
		{"", "an answer", "", "an answer"},
		{"hm", "an <think> answer", "hm", "an <think> answer"},
		{"", "<think>\nhm\n</think>\n\nan answer", "hm", "an answer"},
		{"", "hm\n</think>\nan answer", "hm", "an answer"}, // the template opened it
		{"", " <think>hm, and no end", "hm, and no end", ""},
		{"", "it says <think> here", "", "it says <think> here"},
	} {
		if thinking, answer := thoughts(c.told, c.text); thinking != c.thinking || answer != c.answer {
			t.Errorf("%q: %q and %q", c.text, thinking, answer)
		}
	}
	positions := []local.Position{{TokenProb: local.TokenProb{Token: "hm</th"}}, {TokenProb: local.TokenProb{Token: "ink>"}}, {TokenProb: local.TokenProb{Token: "yes"}}}
	if got := afterThoughts(positions); len(got) != 1 || got[0].Token != "yes" {
		t.Errorf("%+v", got)
	}
}

// Whatever a server sends, the reply has one of the known outcomes, and only an answer with text is ok.
func FuzzChatStream(f *testing.F) {
	f.Add([]byte(`data: {"choices":[{"delta":{"content":"a"},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n"))
	f.Add([]byte(`data: {"error":{"message":"x","code":"y"}}` + "\n"))
	f.Add([]byte("event: error\ndata: {\"object\":\"error\",\"message\":\"m\",\"code\":503}\n"))
	f.Add([]byte(`data: {"choices":[{"delta":{"reasoning":"hm"},"logprobs":{"content":[{"token":"x","logprob":-1}]}}],"usage":{"prompt_tokens":1}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		s := chatStream{tokens: 10}
		lines := wire.NewLineReader(bytes.NewReader(data))
		var failed error
		for {
			raw, err := lines.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			if failed = s.line(raw); failed != nil {
				break
			}
		}
		r := s.reply(failed)
		if !slices.Contains(local.Outcomes, r.Outcome) || (r.Outcome == local.OK) != (r.Detail == "") || (r.Outcome == local.OK && r.Text == "") {
			t.Errorf("%+v", r)
		}
	})
}
