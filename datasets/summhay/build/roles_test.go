package build

import (
	"context"
	"strings"
	"testing"

	"lore/datasets/summhay/build/noisy"
	"lore/local"
	"lore/local/fake"
)

// One model writes at a temperature and another checks greedily; they take turns by phases,
// and what is built is the same as by one model.
func TestWriterAndChecker(t *testing.T) {
	sizes := Sizes{Subtopics: 4, Insights: 5, Documents: 30, Words: 200, Repeat: 6}
	build := func(apart bool) (Quality, []local.Call) {
		m := &noisy.Model{Noise: noise(t, "perfect", 2)}
		backend := &fake.Backend{Script: m.Script}
		b := newBuilder(t, sizes, backend, 3)
		b.Topic = "Life in a town"
		if b.Call.Model = "writer"; apart {
			checker := b.Call
			checker.Model = "checker"
			b.Checker = &checker
		}
		if f, err := b.Build(context.Background(), nil); f == nil || err != nil {
			t.Fatal(err)
		}
		return b.Quality(), backend.Calls()
	}

	one, _ := build(false)
	two, calls := build(true)
	if one != two {
		t.Errorf("two models give another haystack than one that is both:\n%+v\n%+v", one, two)
	}

	turns, last := 0, ""
	for _, c := range calls {
		p := c.Messages[len(c.Messages)-1].Content
		checks := false
		for _, mark := range []string{
			`{"pairs": `, `{"repeated": `, `Reply with JSON: {"subtopic": number}`, `{"present": `, `{"answer": "yes"}`, `{"left_out": "yes"}`,
		} {
			checks = checks || strings.Contains(p, mark)
		}
		if want := map[bool]string{true: "checker", false: "writer"}[checks]; c.Model != want {
			t.Fatalf("%s was asked:\n%s", c.Model, p)
		}

		greedy := checks || strings.Contains(p, `{"facts": `)
		if (c.Options.Temperature == 0) != greedy {
			t.Fatalf("temperature %v:\n%s", c.Options.Temperature, p)
		}
		if c.Model != last {
			turns, last = turns+1, c.Model
		}
	}
	if turns > 30 {
		t.Errorf("the models take %d turns in %d calls", turns, len(calls))
	}
}
