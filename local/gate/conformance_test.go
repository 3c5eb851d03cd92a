package gate

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"

	"lore/local"
	"lore/local/extractive"
	"lore/local/fake"
	"lore/local/ollama"
	"lore/local/ollama/ollamatest"
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
	structured := func(i int) local.Call {
		return local.Call{Source: &local.Source{Query: "x", Bullets: 1, Passages: []local.Passage{{Label: "1", Text: fmt.Sprintf("Sentence number %d says something about water and wind.", i)}}}}
	}
	for name, c := range map[string]struct {
		b    local.Backend
		call func(int) local.Call
	}{"fake": {&fake.Backend{}, conversation}, "ollama": {client, conversation}, "extractive": {extractive.New(), structured}} {
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
