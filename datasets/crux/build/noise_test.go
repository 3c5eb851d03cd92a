package build

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"lore/datasets/crux"
	"lore/datasets/crux/build/noisy"
	"lore/datasets/stage"
	"lore/datasets/stage/madeup"
	"lore/datasets/stage/stagetest"
	"lore/judge"
	"lore/judge/llm"
	"lore/local"
	"lore/local/fake"
	"lore/local/gate"
	"lore/local/prompt"
)

// town is the number of pairs that a noisy model is to build topics of.
const town = 40

// simulate builds topics by a noisy model, which grades all questions on a passage in one call or one by
// one, and compares the grades with the truth. An item is a statement of a summary that a passage answers.
func simulate(t testing.TB, m *noisy.Model, together bool) (stagetest.Built, *Builder) {
	t.Helper()
	made, texts := noisy.Town(town)
	backend := &fake.Backend{Script: m.Script}
	b := &Builder{Session: stagetest.Session(t, backend, 4, 3, Prompts()), Questions: noisy.Questions, Eta: 3}
	b.Judge = judgeOf(t, backend, together)
	var pairs []Pair
	for _, p := range made {
		pairs = append(pairs, Pair{ID: p.ID, Summary: p.Summary, Documents: p.Documents})
	}

	topics, passages, err := b.Build(context.Background(), pairs, texts)
	out := stagetest.Built{Calls: len(backend.Calls()), Err: err}
	for _, p := range made {
		out.Items += len(p.Told)
		at := slices.IndexFunc(topics, func(topic crux.Topic) bool { return topic.ID == p.ID })
		if at >= 0 {
			tally(&out, topics[at], p, passages)
		}
	}
	return out, b
}

// tally holds the grades of a topic against what its passages state.
func tally(out *stagetest.Built, topic crux.Topic, p noisy.Pair, passages []crux.Passage) {
	answered := map[int]bool{}
	for _, passage := range passages {
		stated := madeup.Stated(passage.Text)
		for q, grade := range topic.Grades[passage.ID] {
			n := madeup.Stated(topic.Questions[q])[0]
			right := slices.Contains(stated, n) && slices.Contains(p.Told, n)
			switch {
			case grade >= 3 && right:
				answered[n] = true
				out.Written++
			case grade >= 3:
				out.Written++
				out.Wrong++
			}
		}
	}
	out.Kept += len(answered)
}

func judgeOf(t testing.TB, backend local.Backend, together bool) *llm.Judge {
	t.Helper()
	g, err := gate.Open(gate.Config{Lanes: map[string]gate.Lane{"fake": {Backend: backend, Slots: 4}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { g.Close() })
	cfg := llm.Config{Backend: "fake", Model: "m", Options: local.Options{NumCtx: 4096}, Batch: together}
	j, err := llm.New(cfg, g, prompt.NewSet(nil, llm.Prompts()))
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// models are those of fake.Noises, and some that fall short in what only these builds ask.
func models() []stagetest.Noisy {
	all := stagetest.All(func(t testing.TB, n fake.Noise) stagetest.Built {
		out, _ := simulate(t, &noisy.Model{Noise: n}, true)
		return out
	})
	own := func(name string, change func(m *noisy.Model)) {
		all = append(all, stagetest.Noisy{Name: name, Build: func(t testing.TB, seed uint64) stagetest.Built {
			m := &noisy.Model{Noise: fake.Noises[0].Of(seed)}
			change(m)
			out, _ := simulate(t, m, true)
			return out
		}})
	}
	own("two fifths of the rewritings with a passage too short", func(m *noisy.Model) { m.Short = 0.4 })
	own("a tenth of the lists in a loop", func(m *noisy.Model) { m.Loop = 0.1 })
	return all
}

// A model that falls short costs few of the grades that are right and few calls. Of wrong grades a dataset
// has as many as the judge makes: of four pairs of a passage and a question three are not answered here.
func TestNoisyBuilds(t *testing.T) {
	if testing.Short() {
		t.Skip("it only takes long under the race detector: the run without -short has it")
	}
	stagetest.Within(t, models(), map[string]stagetest.Limit{
		"perfect":                       {Kept: 0.9, Wrong: 0.01, Calls: 1},
		"wrong on 5 % of statements":    {Kept: 0.85, Wrong: 0.2, Calls: 1.1},
		"5 % of replies without form":   {Kept: 0.9, Wrong: 0.02, Calls: 1.2},
		"5 % of replies cut":            {Kept: 0.9, Wrong: 0.02, Calls: 1.4},
		"a third of the texts too long": {Kept: 0.88, Wrong: 0.02, Calls: 1.4},
	})
}

// A judge that is of no use is found out at once, and the message says for what.
func TestUselessModels(t *testing.T) {
	stagetest.Stopped(t, models(), map[string][]string{
		"always yes": {"the judge is of no use for the grades", "5.0 to what answers a question and 5.0 to what", "--judge"},
		"always no":  {"the judge is of no use for the grades", "0.0 to what answers a question and 0.0 to what"},
		"garbage":    {"the judge is of no use for the grades", "replies cannot be read"},
	})
}

// A judge that is good at controls alone is found out by its first grades.
func TestGradesThatAreAllAlike(t *testing.T) {
	for name, c := range map[string]struct {
		verdict judge.Verdict
		want    string
	}{
		"all 5":       {judge.Verdict{Label: "5", Value: 1}, "the first 96 grades, of 12 passages, are all 5"},
		"none":        {judge.Verdict{Outcome: local.BadFormat, Reason: "no JSON"}, "none of the first 96 can be read (bad_format: no JSON)"},
		"one differs": {judge.Verdict{}, ""},
	} {
		asked := 0
		b := newBuilder(t, goodModel)
		b.Judge = judgeFunc(func(tasks []judge.Task) (out [][]judge.Verdict) {
			for _, task := range tasks {
				var row []judge.Verdict
				for range task.Questions {
					v := c.verdict
					if c.want == "" {
						v = judge.Verdict{Label: "5", Value: float64(asked % 2)}
					}
					row, asked = append(row, v), asked+1
				}
				out = append(out, row)
			}
			return out
		})
		var tasks []judge.Task
		for range 30 {
			tasks = append(tasks, judge.Task{Questions: make([]judge.Question, 8)})
		}

		got, err := b.judged(context.Background(), tasks)
		if c.want == "" {
			if err != nil || len(got) != 30 || asked != 240 {
				t.Errorf("%s: %v, %d rows, %d asked", name, err, len(got), asked)
			}
			continue
		}
		var useless *stage.Useless
		if !errors.As(err, &useless) || !strings.Contains(err.Error(), c.want) || asked != 96 {
			t.Errorf("%s: %v, %d asked", name, err, asked)
		}
	}
}

// judgeFunc is a judge by a function.
type judgeFunc func(tasks []judge.Task) [][]judge.Verdict

func (f judgeFunc) Name() string { return "func" }

func (f judgeFunc) Judge(_ context.Context, tasks []judge.Task, _ func(int)) ([][]judge.Verdict, error) {
	return f(tasks), nil
}

// The judge by words passes the controls, in a build that is large enough for them.
func TestLexicalPassesTheControls(t *testing.T) {
	b := newBuilder(t, goodModel)
	if err := b.tryGrades(context.Background(), leastTried); err != nil || len(b.Log()) != 1 {
		t.Errorf("%v, %+v", err, b.Log())
	}
	t.Log(b.Log())
}

// What is built does not hang on which reply comes first.
func TestNoisyBuildIsRepeatable(t *testing.T) {
	n := fake.Writing
	n.Seed, n.Agree, n.Deny, n.Format, n.Cut, n.Verbose = 3, 0.05, 0.05, 0.05, 0.05, 0.5
	one, first := simulate(t, &noisy.Model{Noise: n}, true)
	two, second := simulate(t, &noisy.Model{Noise: n}, true)
	one.Calls, two.Calls = 0, 0 // calls that are the same and run at once are asked once
	if one.Err != nil || one != two || fmt.Sprint(first.Log()) != fmt.Sprint(second.Log()) {
		t.Errorf("%+v\n%+v", one, two)
	}
}

// A passage that is too long is parted at sentences, none of which is lost, and a request is cut at one.
func TestTooLong(t *testing.T) {
	var sentences []string
	for i := range 50 {
		sentences = append(sentences, madeup.Statement("Ardmel", i, i))
	}
	whole := strings.Join(sentences, " ")
	parts := parted(whole)
	if strings.Join(parts, " ") != whole || len(parts) < 2 {
		t.Errorf("%q", parts)
	}
	for _, p := range parts {
		if n := len(strings.Fields(p)); n < passageWords/2 || n > mostPassage {
			t.Errorf("a part of %d words", n)
		}
	}

	short := shortened(whole)
	if n := len(strings.Fields(short)); n > mostRequest || n < mostRequest-20 || !strings.HasPrefix(whole, short) {
		t.Errorf("%d words: %q", n, short)
	}
	if shortened("Write.") != "" || shortened(strings.Repeat("word ", 200)) != "" {
		t.Error("what is short, or one sentence, is cut")
	}
}

// Numbers that passages add or leave out are named.
func TestFiguresOfPassages(t *testing.T) {
	part := "In 1931 it cost 40,000 crowns."
	for passage, want := range map[string]string{
		"It cost 40000 crowns in 1931.":       "",
		"It cost 40000 crowns.":               "left out: 1931",
		"It cost 40000 crowns in 1931 and 7.": "does not have the numbers 7",
	} {
		if got := checkFigures([]string{passage}, part); !strings.HasSuffix(got, want) || (want == "") != (got == "") {
			t.Errorf("%s: %q", passage, got)
		}
	}
}

// BenchmarkBuildNoise prints what becomes of builds by models that fall short: make bench-build.
func BenchmarkBuildNoise(b *testing.B) { stagetest.BuildNoise(b, "crux", models()) }
