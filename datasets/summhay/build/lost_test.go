package build

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lore/datasets/summhay"
	"lore/datasets/summhay/build/noisy"
	"lore/datasets/summhay/build/scripted"
	"lore/local"
	"lore/local/fake"
)

// stages are marks of prompts whose replies may be lost.
var stages = []string{
	`{"topic": `, `{"participants": `, `{"subtopics": `, `{"pairs": `, `{"insights": `, `{"repeated": `,
	`Reply with JSON: {"subtopic": number}`, `{"query": `, "Give the article", "Give the whole new text",
	"Give the conversation", `"states": true or false`, `{"present": `, `{"answer": "yes"}`, `{"left_out": "yes"}`,
	`{"statement": `,
}

// losing builds a small haystack by a model that loses replies of each stage at a rate of its
// own, and errs as it likes; what is written must load.
func losing(t *testing.T, seed uint64) (kept bool) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 20))
	rate := map[string]float64{}
	for _, s := range stages {
		if rng.IntN(3) == 0 {
			rate[s] = rng.Float64()
		}
	}
	m := &noisy.Model{Noise: fake.Noise{
		Seed: seed, Forget: rng.Float64(), Leak: rng.Float64() / 20, Near: 0.5, Reword: rng.Float64(), Wrong: rng.Float64() / 2,
		Blind: rng.Float64() / 4, Gullible: rng.Float64() / 4, Agree: rng.Float64() / 3, Deny: rng.Float64() / 3,
	}}
	backend := &fake.Backend{Script: func(n int, c local.Call) local.Reply {
		p := c.Messages[len(c.Messages)-1].Content
		if strings.Contains(p, control.text) { // which would stop the build at once
			return fake.Text(scripted.Careful(c.Messages))
		}
		for _, s := range stages {
			if strings.Contains(p, s) && m.Happens(rate[s], "lost", fake.Key(c)) {
				return local.Fail(local.Cut, "lost")
			}
		}
		return m.Script(n, c)
	}}

	subtopics, insights := 2+rng.IntN(3), 3+rng.IntN(3)
	sizes := Sizes{Subtopics: subtopics, Insights: insights, Documents: 2 + rng.IntN(8), Words: 150, Repeat: 2}
	b := newBuilder(t, sizes, backend, 2)
	b.Tries, b.Edits, b.Fresh, b.Conversation = 1+rng.IntN(2), rng.IntN(3), rng.IntN(2), rng.IntN(2) == 0
	b.Topic, b.Seed = "Life in a town", seed
	f, err := b.Build(context.Background(), nil)
	if err != nil && !strings.HasPrefix(err.Error(), "stopped") {
		t.Fatalf("seed %d: %v", seed, err)
	}
	if f == nil || err != nil {
		return false
	}

	path := filepath.Join(t.TempDir(), fmt.Sprintf("h%d.json", seed))
	if err := summhay.WriteFile(path, f); err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	ds, err := summhay.Benchmark{}.Load([]string{path})
	if err != nil || len(ds.Items) != len(f.Subtopics) || len(ds.Warnings) > 0 {
		t.Fatalf("seed %d: %v\n%+v", seed, err, ds)
	}
	return true
}

// Every file that is written loads without a warning, whatever was lost on the way. With
// LORE_SIMULATE=1 a thousand builds are tried.
func TestWhateverIsLost(t *testing.T) {
	if testing.Short() {
		t.Skip("it only takes long under the race detector: the run without -short has it")
	}
	n := 40
	if os.Getenv("LORE_SIMULATE") != "" {
		n = 1000
	}
	written := 0
	for seed := range uint64(n) {
		if losing(t, seed) {
			written++
		}
	}
	t.Logf("%d builds, %d files", n, written)
	if written < n/5 {
		t.Error("almost nothing was written: this tests nothing")
	}
}
