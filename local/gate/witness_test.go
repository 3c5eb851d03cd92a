package gate

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"

	"lore/local"
)

// witnessed writes down what it is told.
type witnessed struct {
	mu    sync.Mutex
	lines []string
}

func (w *witnessed) say(s string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lines = append(w.lines, s)
}

func (w *witnessed) Asking()                 { w.say("asking") }
func (w *witnessed) Replied()                { w.say("replied") }
func (w *witnessed) Answered(asked, ok bool) { w.say(fmt.Sprint("answered ", asked, " ", ok)) }

// A witness is told who answered: the model, or the journal.
func TestWitness(t *testing.T) {
	dir := t.TempDir()
	backend := local.BackendFunc(func(_ context.Context, call local.Call) (local.Reply, error) {
		if call.Sample == 1 {
			return local.Reply{Outcome: local.BadFormat, Detail: "no JSON"}, nil
		}
		return local.Reply{Outcome: local.OK, Text: "yes"}, nil
	})

	var told []string
	for range 2 {
		w := &witnessed{}
		g, err := Open(Config{Dir: dir, Lanes: map[string]Lane{"b": {Backend: backend, Slots: 1}}, Witness: w})
		if err != nil {
			t.Fatal(err)
		}
		for sample := range 2 {
			if _, err := g.Do(context.Background(), local.Call{Backend: "b", Model: "m", Sample: sample}); err != nil {
				t.Fatal(err)
			}
		}
		if err := g.Close(); err != nil {
			t.Fatal(err)
		}
		told = append(told, w.lines...)
	}

	want := []string{"asking", "replied", "answered true true", "asking", "replied", "answered true false", // asked
		"answered false true", "asking", "replied", "answered true false"} // read, but for what failed
	if !slices.Equal(told, want) {
		t.Errorf("%q", told)
	}
}
