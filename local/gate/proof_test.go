package gate

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lore/local"
	"lore/local/fake"
)

const testWindow = 1000

// counter is a server as far as the proof sees it: how it counts, and what it does with a
// prompt that is too long. It notes which calls it cut.
type counter struct {
	rate  float64                 // tokens a word
	over  func(tokens int) int    // tokens that it reads of a prompt over the window; -1: it refuses
	count func(tokens, n int) int // tokens that it tells of those it has read; n counts the calls
	cut   map[string]bool         // by the call's text
	calls int
}

func (c *counter) reply(_ int, call local.Call) local.Reply {
	words, text := 0, ""
	for _, m := range call.Messages {
		words += len(strings.Fields(m.Content))
		text += m.Content
	}
	tokens := int(c.rate*float64(words)) + 10
	if tokens > call.Options.NumCtx {
		read := c.over(tokens)
		if read < 0 {
			return local.Fail(local.TooLong, "the input length exceeds the context length")
		}
		c.cut[text] = read < tokens-5 // a word is about that in these counts
		tokens = read
	}
	out := fake.Text("yes")
	out.Usage.PromptTokens = tokens
	if c.count != nil {
		out.Usage.PromptTokens = c.count(tokens, c.calls)
	}
	c.calls++
	return out
}

func prove(t *testing.T, c *counter, known string, warnings *[]string) *Gate {
	t.Helper()
	c.cut = map[string]bool{}
	lane := Lane{Backend: &fake.Backend{Script: c.reply}, Slots: 1, Prove: true, Version: "v"}
	g, err := Open(Config{
		Lanes:    map[string]Lane{"fake": lane},
		Known:    known,
		Retry:    Retry{Attempts: 1},
		Patience: Patience{Failures: -1},
		Warn:     func(s string) { *warnings = append(*warnings, s) },
	})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func prompt(words, seed int) local.Call {
	rng := rand.New(rand.NewPCG(uint64(seed), uint64(words)))
	text := make([]string, words)
	for i := range text {
		text[i] = fmt.Sprintf("word%d", rng.IntN(1000))
	}
	call := ask("m", strings.Join(text, " "))
	call.Digest = "d"
	call.Options.NumCtx, call.Options.NumPredict = testWindow, 50
	return call
}

func half(int) int { return testWindow/2 + 2 }

// Whatever a server does with prompts that are too long, no reply to a prompt that was cut
// counts, and every reply to one that was not does.
func TestNoCutPromptCounts(t *testing.T) {
	refuse := func(int) int { return -1 }
	servers := map[string]counter{
		"refuses":              {over: refuse},
		"cuts to half":         {over: half},
		"cuts to the window":   {over: func(int) int { return testWindow }},
		"cuts under it":        {over: func(int) int { return testWindow - 5 }},
		"cuts to a tenth":      {over: func(int) int { return testWindow / 10 }},
		"cuts to 700":          {over: func(int) int { return 700 }},
		"takes all":            {over: func(n int) int { return n }},
		"counts 17":            {over: half, count: func(int, int) int { return 17 }},
		"does not count":       {over: half, count: func(int, int) int { return 0 }},
		"counts below nothing": {over: half, count: func(int, int) int { return -5 }},
	}
	for name, s := range servers {
		for _, rate := range []float64{1, 1.3, 2.2} {
			t.Run(fmt.Sprint(name, " ", rate), func(t *testing.T) {
				s := s
				s.rate = rate
				var warnings []string
				g := prove(t, &s, "", &warnings)
				for i := range 60 {
					call := prompt(5+i*i/2, i)
					r, err := g.Do(context.Background(), call)
					if err != nil {
						t.Fatal(err)
					}
					wasCut := s.cut[call.Messages[0].Content]
					if wasCut && r.Outcome == local.OK {
						t.Errorf("%d words were cut, and the reply counts (%d tokens)", 5+i*i/2, r.Usage.PromptTokens)
					}
					if !wasCut && s.count == nil && r.Outcome == local.Truncated {
						t.Errorf("%d words were read whole, and the reply does not count: %s", 5+i*i/2, r.Detail)
					}
				}
			})
		}
	}
}

// A server that counts only what it had not cached is believed after one count more.
func TestCachedPromptsAreCountedAgain(t *testing.T) {
	seen := map[string]bool{}
	s := &counter{rate: 1.3, over: half}
	b := &fake.Backend{Script: func(n int, call local.Call) local.Reply {
		r := s.reply(n, call)
		if text := call.Messages[0].Content; seen[text] {
			r.Usage.PromptTokens = 1
		} else {
			seen[text] = true
		}
		return r
	}}
	s.cut = map[string]bool{}
	g, err := Open(Config{Lanes: map[string]Lane{"fake": {Backend: b, Slots: 1, Prove: true}}})
	if err != nil {
		t.Fatal(err)
	}
	for sample := range 3 {
		call := prompt(300, 1)
		call.Sample = sample
		r, err := g.Do(context.Background(), call)
		if err != nil || r.Outcome != local.OK || r.Usage.PromptTokens < 300 {
			t.Errorf("sample %d: %s, %d tokens, %v", sample, r.Outcome, r.Usage.PromptTokens, err)
		}
	}
}

// What a canary has shown is kept by server version, model and window, and a server that
// cuts is told of.
func TestCanaryIsSentOnce(t *testing.T) {
	known := t.TempDir()
	var asked []int
	var warnings []string
	refuse := func(int) int { return -1 }
	for range 2 {
		s := &counter{rate: 1.3, over: refuse}
		g := prove(t, s, known, &warnings)
		if _, err := g.Do(context.Background(), prompt(20, 1)); err != nil {
			t.Fatal(err)
		}
		asked = append(asked, s.calls)
	}
	if asked[0] != 3 || asked[1] != 1 {
		t.Errorf("%v calls, want two canaries that are answered before the first, and none the next time", asked)
	}
	if len(warnings) != 0 {
		t.Errorf("warnings %q", warnings)
	}
	// What is kept of it may be damaged.
	files, _ := filepath.Glob(filepath.Join(known, "*.json"))
	if len(files) != 1 || os.WriteFile(files[0], []byte("{"), 0o600) != nil {
		t.Fatalf("kept %v", files)
	}
	s := &counter{rate: 1.3, over: refuse}
	g := prove(t, s, known, &warnings)
	if _, err := g.Do(context.Background(), prompt(20, 1)); err != nil || s.calls != 3 {
		t.Errorf("%d calls, %v", s.calls, err)
	}

	// A server that cuts is told of, and tried again the next time: it may be mended.
	known = t.TempDir()
	for range 2 {
		s := &counter{rate: 1.3, over: half}
		g := prove(t, s, known, &warnings)
		if _, err := g.Do(context.Background(), prompt(20, 1)); err != nil || s.calls != 4 {
			t.Errorf("%d calls, %v", s.calls, err)
		}
	}
	if len(warnings) != 2 || !strings.Contains(warnings[1], "cuts prompts") {
		t.Errorf("warnings %q", warnings)
	}
}

// A tokeniser that joins words is not taken for a server that cuts.
func TestTokeniserThatJoinsWords(t *testing.T) {
	var warnings []string
	s := &counter{rate: 0.6, over: func(int) int { return -1 }}
	g := prove(t, s, "", &warnings)
	for i := range 20 {
		if r, err := g.Do(context.Background(), prompt(50+40*i, i)); err != nil || r.Outcome != local.OK {
			t.Errorf("%d words: %s (%s), %v", 50+40*i, r.Outcome, r.Detail, err)
		}
	}
}

// A prompt that is cut once, while the server is sick, fails or is asked anew: its reply
// never counts, although the prompt is counted whole a moment later.
func TestPassingTruncation(t *testing.T) {
	for _, sick := range []int{1, 3, 7} {
		cut, n := map[string]bool{}, 0
		b := &fake.Backend{Script: func(_ int, call local.Call) local.Reply {
			tokens := least(call.Messages) * 5 / 4
			if tokens > call.Options.NumCtx {
				return local.Fail(local.TooLong, "the input length exceeds the context length")
			}
			text := "whole"
			if n++; n > 3 && n%5 < sick && tokens > 500 { // after the canaries
				tokens, text = testWindow/2+2, "cut"
			}
			r := fake.Text(text)
			r.Usage.PromptTokens = tokens
			cut[call.Key()] = text == "cut"
			return r
		}}
		g, err := Open(Config{
			Lanes:    map[string]Lane{"fake": {Backend: b, Slots: 1, Prove: true}},
			Retry:    Retry{Attempts: 4, First: 1, Most: 1},
			Patience: Patience{Failures: -1},
		})
		if err != nil {
			t.Fatal(err)
		}
		for i := range 60 {
			r, err := g.Do(context.Background(), prompt(600+2*i, i))
			if err != nil || r.Outcome == local.OK && r.Text == "cut" {
				t.Errorf("%d words: %s %q with %d tokens, %v", 600+2*i, r.Outcome, r.Text, r.Usage.PromptTokens, err)
			}
		}
	}
}
