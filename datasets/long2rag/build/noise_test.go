package build

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"lore/datasets"
	"lore/datasets/long2rag/build/noisy"
	"lore/datasets/stage"
	"lore/datasets/stage/madeup"
	"lore/datasets/stage/stagetest"
	"lore/local"
	"lore/local/fake"
)

// town is the number of questions that a noisy model is to build.
const town = 24

// simulate builds questions by a noisy model, and compares their key points with the truth.
func simulate(t testing.TB, m *noisy.Model) (stagetest.Built, *Builder) {
	t.Helper()
	return simulateBy(t, m, m.Script)
}

// simulateBy is simulate by a script, which may change what the model replies.
func simulateBy(t testing.TB, m *noisy.Model, script func(int, local.Call) local.Reply) (stagetest.Built, *Builder) {
	t.Helper()
	m.World = noisy.Town(town)
	backend := &fake.Backend{Script: script}
	b := &Builder{
		Session:   stagetest.Session(t, backend, 4, 3, Prompts()),
		Criteria:  LeastCriteria,
		Rounds:    2,
		Threshold: Threshold,
		Seed:      1,
		Find: func(_ context.Context, questions []datasets.Search) ([][]string, error) {
			var out [][]string
			for _, q := range questions {
				out = append(out, m.Find(q.Text))
			}
			return out, nil
		},
	}
	var seeds []Seed
	for i, q := range append(slices.Clone(m.Questions), m.Poor...) {
		seeds = append(seeds, Seed{ID: "s" + madeup.Place(i), Text: q})
	}

	questions, err := b.Build(context.Background(), seeds, m.Documents)
	out := stagetest.Built{Calls: len(backend.Calls()), Err: err}
	for _, q := range m.Questions {
		out.Items += len(m.Points(q))
	}
	for _, q := range questions {
		truth := m.Points(q.Text)
		var said []int
		for _, p := range q.KeyPoints {
			out.Written++
			stated := madeup.Stated(p.Text)
			if len(stated) != 1 || !slices.Contains(truth, stated[0]) || slices.Contains(said, stated[0]) {
				out.Wrong++ // background, invented, vague, or there before
				continue
			}
			said = append(said, stated[0])
			out.Kept++
		}
	}
	return out, b
}

// models are those of fake.Noises, and some that fall short in what only these builds ask.
func models() []stagetest.Noisy {
	usual := 0.03 // of the copies are not word for word
	all := stagetest.All(func(t testing.TB, n fake.Noise) stagetest.Built {
		out, _ := simulate(t, &noisy.Model{Noise: n, Misquote: usual})
		return out
	})
	own := func(name string, change func(m *noisy.Model)) {
		all = append(all, stagetest.Noisy{Name: name, Build: func(t testing.TB, seed uint64) stagetest.Built {
			m := &noisy.Model{Noise: fake.Noises[0].Of(seed), Misquote: usual}
			change(m)
			out, _ := simulate(t, m)
			return out
		}})
	}
	own("a quarter of the copies altered", func(m *noisy.Model) { m.Misquote = 0.25 })
	own("a tenth of the lists in a loop", func(m *noisy.Model) { m.Loop = 0.1 })
	return all
}

// A model that falls short costs few key points and few calls, and no label but those on which it errs
// itself: screening and significance rest on its word.
func TestNoisyBuilds(t *testing.T) {
	stagetest.Within(t, models(), map[string]stagetest.Limit{
		"perfect":                         {Kept: 0.99, Wrong: 0, Calls: 1},
		"wrong on 5 % of statements":      {Kept: 0.85, Wrong: 0.1, Calls: 1.1},
		"5 % of answers wrong":            {Kept: 0.85, Wrong: 0.1, Calls: 1.1},
		"a quarter forgotten":             {Kept: 0.97, Wrong: 0, Calls: 1.1},
		"leaks in each text":              {Kept: 0.99, Wrong: 0, Calls: 1.1},
		"5 % of replies without form":     {Kept: 0.99, Wrong: 0, Calls: 1.1},
		"5 % of replies cut":              {Kept: 0.99, Wrong: 0, Calls: 1.1},
		"a quarter of the copies altered": {Kept: 0.95, Wrong: 0, Calls: 1.1},
		"a tenth of the lists in a loop":  {Kept: 0.99, Wrong: 0, Calls: 1.1},
	})
}

// A model that is of no use is found out at once, and the message says for what.
func TestUselessModels(t *testing.T) {
	stagetest.Stopped(t, models(), map[string][]string{
		"always yes": {"significance of key points", "agrees to almost everything", "--checker"},
		"always no":  {"significance of key points", "agrees to almost nothing", "--checker"},
		"garbage":    {"significance of key points", "8 of 8 replies cannot be read"},
	})
}

// A model that only screens and reads badly is found out where it does.
func TestUselessReading(t *testing.T) {
	whole, _ := simulate(t, &noisy.Model{Noise: fake.Noises[0].Of(0)})
	for mark, want := range map[string]string{
		`"needs_sources"`:               `no use for the stage "screen"`,
		"<point>the statement</point>":  `no use for the stage "extract, round 1"`,
		"Put points that say the same ": `no use for the stage "merge, pass 1"`,
	} {
		m := &noisy.Model{Noise: fake.Noises[0].Of(0), Garbage: mark}
		got, _ := simulate(t, m)
		var useless *stage.Useless
		if !errors.As(got.Err, &useless) || !strings.Contains(got.Err.Error(), want) || got.Calls >= whole.Calls {
			t.Errorf("%s: %d calls of %d: %v", mark, got.Calls, whole.Calls, got.Err)
		}
	}
}

// A model that never gives a whole mapping is not of no use: its mappings are repaired.
func TestMappingsWithHoles(t *testing.T) {
	m := &noisy.Model{Noise: fake.Noises[0].Of(0)}
	got, b := simulateBy(t, m, func(n int, call local.Call) local.Reply {
		if strings.Contains(call.Messages[1].Content, "Put points that say the same ") {
			return fake.Text("Point 1: They paid for it. [1]")
		}
		return m.Script(n, call)
	})
	if r := b.Report(); got.Err != nil || r.Unpartitioned != town || got.Kept != got.Items {
		t.Errorf("%v, %+v, %+v", got.Err, got, r)
	}
}

// A screen that says the same of all questions is told of, and is no error: perhaps it is right.
func TestScreensThatSayTheSame(t *testing.T) {
	for name, want := range map[string]string{
		"always yes": "screening kept all 30 questions",
		"always no":  "screening left out all 30 questions",
		"perfect":    "",
	} {
		warned := ""
		m := &noisy.Model{Noise: noiseOf(t, name), World: noisy.Town(town)}
		b := &Builder{Session: stagetest.Session(t, &fake.Backend{Script: m.Script}, 4, 3, Prompts()), Criteria: LeastCriteria,
			Warn: func(s string) { warned += s }}
		var seeds []Seed
		for i, q := range append(slices.Clone(m.Questions), m.Poor...) {
			seeds = append(seeds, Seed{ID: fmt.Sprint(i), Text: q})
		}
		if _, err := b.questions(context.Background(), seeds); err != nil || !strings.HasPrefix(warned, want) || (want == "") != (warned == "") {
			t.Errorf("%s: %v, %q", name, err, warned)
		}
	}
}

// noiseOf is one of fake.Noises.
func noiseOf(t *testing.T, name string) fake.Noise {
	t.Helper()
	for _, n := range fake.Noises {
		if n.Name == name {
			return n.Of(0)
		}
	}
	t.Fatalf("there is no noise %q", name)
	return fake.Noise{}
}

// What is built does not hang on how many calls run at once, nor which reply comes first.
func TestNoisyBuildIsRepeatable(t *testing.T) {
	n := noiseOf(t, "5 % of answers wrong")
	n.Format, n.Cut = 0.05, 0.05
	one, first := simulate(t, &noisy.Model{Noise: n, Misquote: 0.1})
	two, second := simulate(t, &noisy.Model{Noise: n, Misquote: 0.1})
	one.Calls, two.Calls = 0, 0 // calls that are the same and run at once are asked once
	if one.Err != nil || one != two || first.Report() != second.Report() {
		t.Errorf("%+v\n%+v\n%+v\n%+v", one, two, first.Report(), second.Report())
	}
}

// BenchmarkBuildNoise prints what becomes of builds by models that fall short: make bench-build.
func BenchmarkBuildNoise(b *testing.B) { stagetest.BuildNoise(b, "long2rag", models()) }
