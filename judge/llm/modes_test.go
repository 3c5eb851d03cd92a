package llm

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"lore/judge"
	"lore/local"
	"lore/local/fake"
	"lore/local/gate"
	"lore/local/prompt"
)

func open(t *testing.T, cfg Config, script func(int, local.Call) local.Reply) (*Judge, *fake.Backend) {
	t.Helper()
	b := &fake.Backend{Script: script}
	g, err := gate.Open(gate.Config{Lanes: map[string]gate.Lane{"fake": {Backend: b, Slots: 2}}, Retry: gate.Retry{Attempts: 1}})
	if err != nil {
		t.Fatal(err)
	}
	cfg.Backend, cfg.Model, cfg.Options = "fake", "m", local.Options{NumCtx: 1}
	j, err := New(cfg, g, prompt.NewSet(nil, Prompts()))
	if err != nil {
		t.Fatal(err)
	}
	return j, b
}

func judgeOne(t *testing.T, j *Judge, q judge.Question) judge.Verdict {
	t.Helper()
	out, err := j.Judge(context.Background(), []judge.Task{{ID: "t", Units: []string{"one bullet about tides", "another about boats"}, Questions: []judge.Question{q}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return out[0][0]
}

func probable(outcome local.Outcome, tokens map[string]float64) local.Reply {
	p := local.Position{TokenProb: local.TokenProb{Token: "?"}}
	for token, prob := range tokens {
		p.Top = append(p.Top, local.TokenProb{Token: token, Logprob: math.Log(prob)})
	}
	return local.Reply{Outcome: outcome, Text: "4", Logprobs: []local.Position{p}}
}

// By hand: digits 4 and 5 with 0.5 and 0.25 in two spellings, 0.2 elsewhere: mean
// (4·0.55 + 5·0.25)/0.8 = 4.3125 on the scale 1 to 5, as a share (4.3125 − 1)/4.
func TestExpectedGrade(t *testing.T) {
	j, b := open(t, Config{Mode: Logprob, MinMass: 0.5}, func(int, local.Call) local.Reply {
		return probable(local.Cut, map[string]float64{"4": 0.5, " 4": 0.05, "5": 0.25, "The": 0.2})
	})
	v := judgeOne(t, j, judge.Question{ID: "q", Kind: judge.Relevance, Text: "x"})
	if math.Abs(v.Value-(4.3125-1)/4) > 1e-12 || math.Abs(v.Mass-0.8) > 1e-12 || v.Label != "4" || len(v.Flags) != 0 {
		t.Errorf("%+v", v)
	}
	call := b.Calls()[0]
	if call.TopLogprobs != 20 || call.Schema != nil || !strings.Contains(call.Messages[1].Content, "one digit and nothing else") {
		t.Errorf("call %+v", call)
	}
	if j.Name() != "fake:m (logprob)" {
		t.Errorf("the mode is not in the name %q", j.Name())
	}
}

func TestLogprobFailuresAreTyped(t *testing.T) {
	q := judge.Question{ID: "q", Kind: judge.Answerability, Text: "x"}
	for name, c := range map[string]struct {
		reply local.Reply
		want  local.Outcome
	}{
		"no digit":         {probable(local.OK, map[string]float64{"The": 0.9}), local.BadFormat},
		"no probabilities": {fake.Text("4"), local.RefusedOption},
		"too long":         {local.Fail(local.TooLong, "x"), local.TooLong},
	} {
		j, _ := open(t, Config{Mode: Logprob}, func(int, local.Call) local.Reply { return c.reply })
		if v := judgeOne(t, j, q); v.Outcome != c.want || v.Reason == "" {
			t.Errorf("%s: %+v", name, v)
		}
	}
}

func TestLowMassIsFlaggedAndSampledOnlyIfAsked(t *testing.T) {
	low := probable(local.OK, map[string]float64{"0": 0.1, "The": 0.9})
	script := func(_ int, c local.Call) local.Reply {
		if c.TopLogprobs > 0 {
			return low
		}
		return fake.Text(fmt.Sprintf(`{"answer":"%d"}`, 3+c.Sample%2))
	}
	q := judge.Question{ID: "q", Kind: judge.Answerability, Text: "x"}
	j, b := open(t, Config{Mode: Logprob, MinMass: 0.5}, script)
	if v := judgeOne(t, j, q); v.Value != 0 || !slices.Equal(v.Flags, []string{"low mass 0.100"}) || len(b.Calls()) != 1 {
		t.Errorf("not asked to sample: %+v after %d calls", v, len(b.Calls()))
	}
	j, b = open(t, Config{Mode: Logprob, MinMass: 0.5, Samples: 4}, script)
	v := judgeOne(t, j, q)
	if math.Abs(v.Value-0.7) > 1e-12 || len(b.Calls()) != 5 || !strings.Contains(v.Flags[0], "mean of 4 samples") {
		t.Errorf("sampled: %+v after %d calls", v, len(b.Calls()))
	}
}

func TestCoverageByProbabilityIsLinked(t *testing.T) {
	j, _ := open(t, Config{Mode: Logprob}, func(int, local.Call) local.Reply {
		return probable(local.OK, map[string]float64{"2": 0.5, "1": 0.5})
	})
	v := judgeOne(t, j, judge.Question{ID: "q", Kind: judge.Coverage, Text: "boats"})
	if v.Value != 0.75 || v.Unit != 2 || !slices.Contains(v.Flags, "linked by word overlap") {
		t.Errorf("%+v", v)
	}
}

func TestEveryKindInSchemaMode(t *testing.T) {
	for kind, labels := range judge.Labels {
		for _, label := range labels {
			reply := fmt.Sprintf(`{"answer":%q}`, label)
			if kind == judge.Coverage {
				reply = fmt.Sprintf(`{"coverage":%q,"bullet":1}`, label)
			}
			j, _ := open(t, Config{}, func(int, local.Call) local.Reply { return fake.Text(reply) })
			v := judgeOne(t, j, judge.Question{ID: "q", Kind: kind, Text: "x"})
			if v.Label != label || v.Value != judge.Values[kind][label] {
				t.Errorf("%s %s: %+v", kind, label, v)
			}
		}
	}
}

// truth is what a scripted model answers about a statement, from its text alone.
func truth(statement string) labelled {
	h := 0
	for _, c := range statement {
		h = (h*31 + int(c)) % 1000
	}
	l := labelled{Coverage: []string{"full", "partial", "none"}[h%3], Bullet: 1 + h%4}
	if l.Coverage == "none" {
		l.Bullet = 0
	}
	return l
}

// model answers single questions and batches with the same truth; spoil changes
// the batch before it is sent.
func model(spoil func([]labelled) []labelled) func(int, local.Call) local.Reply {
	return func(_ int, c local.Call) local.Reply {
		text := c.Messages[len(c.Messages)-1].Content
		if _, list, ok := strings.Cut(text, "Statements:\n"); ok {
			var all []labelled
			for i, line := range strings.Split(strings.TrimSpace(list), "\n") {
				_, statement, _ := strings.Cut(line, ". ")
				l := truth(statement)
				l.Statement = i + 1
				all = append(all, l)
			}
			if spoil != nil {
				all = spoil(all)
			}
			data, _ := json.Marshal(struct {
				Verdicts []map[string]any `json:"verdicts"`
			}{entries(all)})
			return fake.Text(string(data))
		}
		_, statement, _ := strings.Cut(text, "Statement: ")
		l := truth(strings.TrimSpace(statement))
		return fake.Text(fmt.Sprintf(`{"coverage":%q,"bullet":%d}`, l.Coverage, l.Bullet))
	}
}

func entries(all []labelled) []map[string]any {
	out := make([]map[string]any, len(all))
	for i, l := range all {
		out[i] = map[string]any{"statement": l.Statement, "coverage": l.Coverage, "bullet": l.Bullet}
	}
	return out
}

// Whatever a model does to the order and number of a batch's entries, every
// statement gets the verdict it would get alone.
func TestBatchNeverMisaligns(t *testing.T) {
	task := judge.Task{ID: "t", Units: []string{"a", "b", "c", "d"}}
	for i := range 9 {
		task.Questions = append(task.Questions, judge.Question{ID: fmt.Sprint("q", i), Kind: judge.Coverage, Text: fmt.Sprintf("insight number %d is %d", i, i*i)})
	}
	single, sb := open(t, Config{}, model(nil))
	want, err := single.Judge(context.Background(), []judge.Task{task}, nil)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	for name, c := range map[string]struct {
		spoil func([]labelled) []labelled
		extra int // statements asked singly
	}{
		"good":     {nil, 0},
		"reversed": {func(l []labelled) []labelled { slices.Reverse(l); return l }, 0},
		"shuffled": {func(l []labelled) []labelled {
			rng.Shuffle(len(l), func(i, j int) { l[i], l[j] = l[j], l[i] })
			return l
		}, 0},
		"two dropped":          {func(l []labelled) []labelled { return append(l[:2], l[4:]...) }, 2},
		"one repeated":         {func(l []labelled) []labelled { l[8] = l[0]; return l }, 1},
		"contradictory":        {func(l []labelled) []labelled { l[8] = l[0]; l[8].Coverage, l[8].Bullet = other(l[0]); return l }, 2},
		"all dropped":          {func([]labelled) []labelled { return nil }, 9},
		"covered by no bullet": {func(l []labelled) []labelled { l[3].Coverage, l[3].Bullet = "full", 0; return l }, 1},
	} {
		j, b := open(t, Config{Batch: true}, model(c.spoil))
		got, err := j.Judge(context.Background(), []judge.Task{task}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for k := range want[0] {
			g := got[0][k]
			g.Flags = nil
			if g.Label != want[0][k].Label || g.Unit != want[0][k].Unit || g.Question != want[0][k].Question {
				t.Errorf("%s: statement %d: %+v, alone %+v", name, k, g, want[0][k])
			}
		}
		if n := len(b.Calls()) - 1; n != c.extra {
			t.Errorf("%s: %d statements were asked singly, want %d", name, n, c.extra)
		}
	}
	if len(sb.Calls()) != 9 {
		t.Errorf("%d single calls", len(sb.Calls()))
	}
}

// Key points and sub-questions are asked in one call, too; references never.
func TestBatchOfOtherKinds(t *testing.T) {
	for kind, want := range map[judge.Kind]int{
		judge.Entailment: 1, judge.Answerability: 1, judge.Relevance: 3, judge.Consistency: 3,
	} {
		task := judge.Task{ID: "t", Units: []string{"a text"}}
		for i := range 3 {
			task.Questions = append(task.Questions, judge.Question{ID: fmt.Sprint("q", i), Kind: kind, Text: fmt.Sprint("x", i)})
		}
		labels := judge.Labels[kind]
		j, b := open(t, Config{Batch: true}, func(_ int, c local.Call) local.Reply {
			if text := c.Messages[len(c.Messages)-1].Content; strings.Contains(text, "1. x0\n2. x1\n3. x2") {
				return fake.Text(fmt.Sprintf(`{"verdicts":[{"number":3,"answer":%q},{"number":1,"answer":%q},{"number":2,"answer":%q}]}`,
					labels[2], labels[0], labels[1]))
			}
			for i, l := range labels {
				text := c.Messages[len(c.Messages)-1].Content
				if strings.HasSuffix(text, fmt.Sprint("x", i)) || strings.Contains(text, fmt.Sprint("\nx", i, "\n<<<end ")) {
					return fake.Text(fmt.Sprintf(`{"answer":%q}`, l))
				}
			}
			return fake.Text("?")
		})
		got, err := j.Judge(context.Background(), []judge.Task{task}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range got[0] {
			if v.Label != labels[i] || len(v.Flags) > 0 {
				t.Errorf("%s %d: %+v", kind, i, v)
			}
		}
		if n := len(b.Calls()); n != want {
			t.Errorf("%s: %d calls, want %d", kind, n, want)
		}
	}
}

func other(l labelled) (string, int) {
	if l.Coverage == "none" {
		return "full", 1
	}
	return "none", 0
}

func TestModesThatDoNotGoTogether(t *testing.T) {
	for _, cfg := range []Config{{Mode: "guess"}, {Mode: Logprob, Batch: true}} {
		if _, err := New(cfg, nil, prompt.NewSet(nil, Prompts())); err == nil {
			t.Errorf("%+v is accepted", cfg)
		}
	}
}
