package ollama

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ollama/ollama/api"

	"lore/local"
	"lore/local/ollama/ollamatest"
	"lore/local/wire"
)

func client(t *testing.T, s *ollamatest.Server) *Client {
	t.Helper()
	c, err := NewClient(Config{Host: s.Start(t).URL, Limits: wire.Limits{First: 5 * time.Second}})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

var plain = local.Options{NumCtx: 2048, NumPredict: 64, TopP: 1, RepeatPenalty: 1, Seed: 7}

func ask(text string) local.Call {
	return local.Call{Backend: BackendName, Model: "fake:latest", Messages: []local.Message{{Role: local.User, Content: text}}, Options: plain}
}

func TestOutcomes(t *testing.T) {
	cases := map[ollamatest.Misbehavior]local.Outcome{
		ollamatest.Behave:       local.OK,
		ollamatest.RefuseLong:   local.TooLong,
		ollamatest.RefuseOption: local.RefusedOption,
		ollamatest.QueueFull:    local.Transport,
		ollamatest.RunnerDied:   local.Transport,
		ollamatest.LoadFailed:   local.ModelError,
		ollamatest.ErrorFrame:   local.ModelError,
		ollamatest.NoDoneFrame:  local.NoDone,
		ollamatest.CutShort:     local.Cut,
		ollamatest.SayNothing:   local.Empty,
		ollamatest.ThinkOnly:    local.Empty,
		ollamatest.HangUp:       local.Transport,
		ollamatest.NotJSON:      local.Transport,
	}
	if len(cases) != int(ollamatest.NotJSON)+1 {
		t.Fatalf("%d misbehaviours are tested, there are %d", len(cases), ollamatest.NotJSON+1)
	}
	for bad, want := range cases {
		c := client(t, &ollamatest.Server{Misdeed: func(int, api.ChatRequest) ollamatest.Misbehavior { return bad }})
		r, err := c.Do(context.Background(), ask("good morning"))
		if err != nil || r.Outcome != want {
			t.Errorf("misbehaviour %d: got %q (%s), %v; want %q", bad, r.Outcome, r.Detail, err, want)
		}
		if want == local.OK && (r.Text != "good morning" || r.Usage.PromptTokens != 2) {
			t.Errorf("reply %+v", r)
		}
		if want != local.OK && r.Detail == "" {
			t.Errorf("%s has no detail", want)
		}
	}
}

// Nothing may be left to the server: this pins the request as it goes out.
func TestRequestNamesEveryOption(t *testing.T) {
	s := &ollamatest.Server{}
	c := client(t, s)
	call := ask("x")
	call.Options.Think = "false"
	call.TopLogprobs = 20
	call.Schema = json.RawMessage(`{"type":"object"}`)
	if _, err := c.Do(context.Background(), call); err != nil {
		t.Fatal(err)
	}
	got := s.Chats()[0]
	for _, name := range strings.Fields("num_ctx num_predict temperature top_p top_k min_p typical_p seed repeat_penalty repeat_last_n presence_penalty frequency_penalty stop") {
		if _, ok := got.Options[name]; !ok {
			t.Errorf("option %s is left to the server", name)
		}
	}
	if got.Truncate == nil || *got.Truncate || got.Shift == nil || *got.Shift {
		t.Error("truncate and shift must be sent as false")
	}
	if got.Think == nil || got.Think.Value != false || !got.Logprobs || got.TopLogprobs != 20 || got.KeepAlive == nil || string(got.Format) != `{"type":"object"}` {
		t.Errorf("request %+v", got)
	}
}

func TestZeroCapsAreRefused(t *testing.T) {
	c := client(t, &ollamatest.Server{})
	call := ask("x")
	call.Options.NumPredict = 0
	if r, _ := c.Do(context.Background(), call); r.Outcome != local.RefusedOption {
		t.Errorf("num_predict 0 gave %s", r.Outcome)
	}
}

func TestUnreachableIsTransport(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	l.Close()
	c, err := NewClient(Config{Host: addr})
	if err != nil {
		t.Fatal(err)
	}
	if r, err := c.Do(context.Background(), ask("x")); err != nil || r.Outcome != local.Transport {
		t.Errorf("%+v %v", r, err)
	}
}

// Who is interrupted is told so, and not that the server is away.
func TestInterruptedIsNotUnreachable(t *testing.T) {
	s := &ollamatest.Server{}
	c, err := NewClient(Config{Host: s.Start(t).URL})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := c.Version(ctx); !errors.Is(err, context.Canceled) || errors.Is(err, wire.ErrUnreachable) || !strings.Contains(err.Error(), "interrupted") {
		t.Error(err)
	}

	late, end := context.WithTimeout(context.Background(), 0)
	defer end()
	if _, err := c.Version(late); !errors.Is(err, wire.ErrUnreachable) {
		t.Errorf("in no time: %v", err)
	}
}

func TestSilentServerTimesOut(t *testing.T) {
	s := &ollamatest.Server{Delay: time.Minute}
	c, err := NewClient(Config{Host: s.Start(t).URL, Limits: wire.Limits{First: 30 * time.Millisecond}})
	if err != nil {
		t.Fatal(err)
	}
	r, err := c.Do(context.Background(), ask("x"))
	if err != nil || r.Outcome != local.Timeout || !strings.Contains(r.Detail, "did not begin") {
		t.Errorf("%+v %v", r, err)
	}
}

// A dialer that records and refuses everything proves that no other host is tried,
// also when the server redirects or a proxy is set in the environment.
func TestDialsOnlyTheConfiguredHost(t *testing.T) {
	t.Setenv("HTTP_PROXY", "http://192.0.2.1:3128")
	t.Setenv("HTTPS_PROXY", "http://192.0.2.1:3128")
	var mu sync.Mutex
	var dialed []string
	c, err := NewClient(Config{Host: "model.test:1234", Dial: func(_ context.Context, _, addr string) (net.Conn, error) {
		mu.Lock()
		defer mu.Unlock()
		dialed = append(dialed, addr)
		return nil, net.ErrClosed
	}})
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	c.Do(ctx, ask("x"))
	c.Version(ctx)
	c.Models(ctx)
	c.Running(ctx)
	c.Model(ctx, "m")
	if len(dialed) == 0 {
		t.Fatal("nothing was dialled: the test proves nothing")
	}
	for _, addr := range dialed {
		if addr != "model.test:1234" {
			t.Errorf("dialled %s", addr)
		}
	}
}

func TestModelLookup(t *testing.T) {
	c := client(t, &ollamatest.Server{Names: []string{"a:latest", "b:7b"}, Context: 4096})
	ctx := context.Background()
	if m, err := c.Model(ctx, "a"); err != nil || m.Digest != "digest-of-a:latest" || m.Context != 4096 {
		t.Errorf("%+v %v", m, err)
	}
	if _, err := c.Model(ctx, "zzz"); err == nil || !strings.Contains(err.Error(), "a:latest, b:7b") {
		t.Errorf("missing model: %v", err)
	}
}
