package embed

import (
	"context"
	"math"
	"strings"
	"testing"
	"time"

	"lore/local/ollama"
	"lore/local/ollama/ollamatest"
)

func openServed(t *testing.T, s *ollamatest.Server, w Windows) Embedder {
	t.Helper()
	client, err := ollama.NewClient(ollama.Config{Host: s.Start(t).URL})
	must(t, err)
	e, err := OpenOllama(context.Background(), client, "fake", w)
	must(t, err)
	return e
}

func TestOllamaEmbeds(t *testing.T) {
	s := &ollamatest.Server{}
	e := openServed(t, s, Windows{Long: Mean})
	texts := append(numbered(70), "", "sea wall")
	out := embedAll(t, e, texts...)
	if d := distance(out[71].Vector, ollamatest.HashedWords("sea wall")); d != 0 {
		t.Errorf("off by %g", d)
	}
	if calls := s.Embeds(); len(calls) != 4 || calls[1] != ollamaBatch {
		t.Errorf("requests of %v texts", calls)
	}
}

// A text that the server refuses as too long is taken apart, and its parts' vectors
// are averaged by their lengths.
func TestOllamaTooLong(t *testing.T) {
	e := openServed(t, &ollamatest.Server{Context: 10}, Windows{Long: Mean})
	long := strings.Repeat("alpha beta ", 8) // 16 words
	out := embedAll(t, e, "short", long, "other")
	if out[1].Windows != 2 || out[0].Windows != 1 || out[1].Cut {
		t.Fatalf("%+v", out)
	}
	want := ollamatest.HashedWords("alpha beta alpha beta")
	for k := range want {
		// The constant first dimension differs by the number of words.
		if k > 0 && math.Abs(float64(out[1].Vector[k]-want[k])) > 0.01 {
			t.Errorf("dimension %d: %v, want about %v", k, out[1].Vector[k], want[k])
		}
	}
	if d := distance(out[2].Vector, ollamatest.HashedWords("other")); d != 0 {
		t.Errorf("the text after it is off by %g", d)
	}
}

func TestOllamaBusy(t *testing.T) {
	s := &ollamatest.Server{Busy: 2}
	client, err := ollama.NewClient(ollama.Config{Host: s.Start(t).URL})
	must(t, err)
	e := &served{client: client, fullName: "fake:latest", pause: time.Millisecond, settings: Settings{
		Name: "ollama:fake", Model: "digest-of-fake:latest", Windows: Windows{Long: Mean}}}
	if out := embedAll(t, e, "a"); len(out) != 1 || len(s.Embeds()) != 3 {
		t.Errorf("%d requests", len(s.Embeds()))
	}
}

func TestOllamaRefusesCut(t *testing.T) {
	if _, err := OpenOllama(context.Background(), nil, "fake", Windows{Long: Cut}); err == nil {
		t.Error("cut was accepted")
	}
}

// The tiny model is no encoder; the server pools whatever it computes.
func TestRealOllamaEmbeds(t *testing.T) {
	real := ollamatest.StartReal(t, 1, "tiny")
	client, err := ollama.NewClient(ollama.Config{Host: real.URL})
	must(t, err)
	e, err := OpenOllama(context.Background(), client, "tiny", Windows{Long: Mean})
	must(t, err)
	e.(*served).settings.MaxTokens = 256 // a small window, for a fast test
	long := strings.Repeat("the harbour board met on tuesday ", 60)
	out := embedAll(t, e, "sea wall", long, long+"and then went home", "")
	if out[0].Windows != 1 || out[1].Windows < 2 || len(out[0].Vector) == 0 {
		t.Errorf("windows %d and %d, %d dimensions", out[0].Windows, out[1].Windows, len(out[0].Vector))
	}
	// Nothing is cut: the end of a long text moves its vector.
	if distance(out[1].Vector, out[2].Vector) == 0 {
		t.Error("the end of a long text does not change its vector")
	}
}
