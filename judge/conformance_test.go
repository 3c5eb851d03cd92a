package judge_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lore/embed"
	"lore/judge"
	"lore/judge/ensemble"
	"lore/judge/lexical"
	"lore/judge/llm"
	"lore/judge/nli"
	"lore/local"
	"lore/local/fake"
	"lore/local/gate"
	"lore/local/prompt"
	"lore/local/text"
)

// model answers every request with a schema by its first allowed label.
func model(_ int, c local.Call) local.Reply {
	if len(c.Schema) == 0 {
		return fake.Text("x")
	}
	for _, reply := range []string{`{"coverage":"full","bullet":1}`, `{"answer":"yes"}`, `{"answer":"3"}`} {
		if fits(c, reply) {
			return fake.Text(reply)
		}
	}
	return fake.Text("?")
}

func fits(c local.Call, reply string) bool {
	g, err := gate.Open(gate.Config{Lanes: map[string]gate.Lane{"fake": {Backend: &fake.Backend{Script: func(int, local.Call) local.Reply { return fake.Text(reply) }}}}})
	if err != nil {
		return false
	}
	r, err := g.Do(context.Background(), c)
	return err == nil && r.Outcome == local.OK
}

// entails is a model by which texts follow from others as far as they share words.
type entails struct{}

func (e entails) judge(name string) judge.Judge {
	return &nli.Judge{Label: name, Model: e, Thresholds: nli.Probabilities}
}

func (entails) Fits(embed.Pair) bool { return true }

func (entails) Entail(_ context.Context, pairs []embed.Pair) ([]embed.Entailment, error) {
	out := make([]embed.Entailment, len(pairs))
	for i, p := range pairs {
		out[i] = embed.Entailment{Entails: text.Overlap(p.Hypothesis, p.Premise), Windows: 1, Parts: 1}
	}
	return out, nil
}

// Every judge keeps the contract of judge.Judge.
func TestConformance(t *testing.T) {
	g, err := gate.Open(gate.Config{Lanes: map[string]gate.Lane{"fake": {Backend: &fake.Backend{Script: model}, Slots: 2}}})
	if err != nil {
		t.Fatal(err)
	}
	open := func(cfg llm.Config) judge.Judge {
		cfg.Backend, cfg.Model, cfg.Options = "fake", "m", local.Options{NumCtx: 1}
		j, err := llm.New(cfg, g, prompt.NewSet(nil, llm.Prompts()))
		if err != nil {
			t.Fatal(err)
		}
		return j
	}
	one := open(llm.Config{})
	judges := []judge.Judge{lexical.Judge{}, one, open(llm.Config{Batch: true}), open(llm.Config{Mode: llm.Logprob}),
		entails{}.judge("nli:m"),
		&ensemble.Judge{Parts: []judge.Judge{lexical.Judge{}, one}, Rule: ensemble.Rule{Zone: &ensemble.Zone{Low: 0.2, High: 0.6}}},
		&ensemble.Judge{Parts: []judge.Judge{lexical.Judge{}, one}}, &ensemble.Judge{Parts: []judge.Judge{lexical.Judge{}, one}, Rule: ensemble.Rule{Share: 0.5}}}
	var tasks []judge.Task
	questions := 0
	for i := range 4 {
		task := judge.Task{ID: fmt.Sprint("t", i), About: "tides", Units: []string{"The tide turns at noon [1].", "Boats leave at dawn."}[:i%3]}
		for k, kind := range append(judge.Kinds, judge.Coverage) {
			task.Questions = append(task.Questions, judge.Question{ID: fmt.Sprint("q", k), Kind: kind, Text: "The tide turns at noon."})
			questions++
		}
		tasks = append(tasks, task)
	}
	names := map[string]bool{}
	for _, j := range judges {
		t.Run(j.Name(), func(t *testing.T) {
			if names[j.Name()] {
				t.Error("the name does not tell it from another judge")
			}
			names[j.Name()] = true
			last := 0
			got, err := j.Judge(context.Background(), tasks, func(n int) { last = max(last, n) })
			if err != nil || len(got) != len(tasks) {
				t.Fatalf("%d verdict lists, %v", len(got), err)
			}
			if last != questions {
				t.Errorf("done was told %d of %d", last, questions)
			}
			for i, task := range tasks {
				for k, q := range task.Questions {
					contract(t, task, q, got[i][k])
				}
			}
			again, err := j.Judge(context.Background(), tasks, nil)
			if diff := cmp.Diff(got, again); err != nil || diff != "" {
				t.Errorf("other verdicts the second time: %v %s", err, diff)
			}
			ctx, cancel := context.WithCancel(context.Background())
			cancel()
			if _, err := j.Judge(ctx, tasks, nil); err == nil {
				t.Error("a cancelled context is ignored")
			}
		})
	}
}

func contract(t *testing.T, task judge.Task, q judge.Question, v judge.Verdict) {
	t.Helper()
	switch {
	case v.Question != q.ID:
		t.Errorf("%s %s: the verdict is of %q", task.ID, q.ID, v.Question)
	case !v.Scored():
		if v.Reason == "" || !slices.Contains(local.Outcomes, v.Outcome) || v.Label != "" {
			t.Errorf("%s %s: unscored, but %+v", task.ID, q.ID, v)
		}
	case !slices.Contains(judge.Labels[q.Kind], v.Label) || v.Value < 0 || v.Value > 1 || v.Unit < 0 || v.Unit > len(task.Units):
		t.Errorf("%s %s: off its scale: %+v", task.ID, q.ID, v)
	case q.Kind == judge.Coverage && v.Value > 0 && v.Unit == 0:
		t.Errorf("%s %s: covered by no unit: %+v", task.ID, q.ID, v)
	}
}
