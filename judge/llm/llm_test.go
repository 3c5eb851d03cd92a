package llm

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lore/judge"
	"lore/local"
	"lore/local/fake"
	"lore/local/gate"
	"lore/local/prompt"
)

func newJudge(t *testing.T, script func(int, local.Call) local.Reply) (*Judge, *fake.Backend) {
	t.Helper()
	b := &fake.Backend{Script: script}
	g, err := gate.Open(gate.Config{Lanes: map[string]gate.Lane{"fake": {Backend: b, Slots: 1}}, Retry: gate.Retry{Attempts: 1}})
	if err != nil {
		t.Fatal(err)
	}
	j, err := New(Config{Backend: "fake", Model: "m", Options: local.Options{NumCtx: 1}}, g, prompt.NewSet(nil, Prompts()))
	if err != nil {
		t.Fatal(err)
	}
	return j, b
}

var task = judge.Task{ID: "t", About: "the query", Units: []string{"first bullet [1]", "second bullet"},
	Questions: []judge.Question{{ID: "a", Kind: judge.Coverage, Text: "an insight"}}}

func TestEveryReplyGetsItsVerdict(t *testing.T) {
	cases := []struct {
		reply string
		want  judge.Verdict
	}{
		{`{"coverage":"full","bullet":2}`, judge.Verdict{Question: "a", Label: "full", Value: 1, Unit: 2}},
		{`{"coverage":"partial","bullet":1}`, judge.Verdict{Question: "a", Label: "partial", Value: 0.5, Unit: 1}},
		{`{"coverage":"none","bullet":0}`, judge.Verdict{Question: "a", Label: "none"}},
		{`{"coverage":"none","bullet":2}`, judge.Verdict{Question: "a", Label: "none"}},
		{`{"coverage":"full","bullet":0}`, judge.Verdict{Question: "a", Outcome: local.BadFormat}},
		{`{"coverage":"full","bullet":9}`, judge.Verdict{Question: "a", Outcome: local.BadFormat}},
		{`{"coverage":"mostly","bullet":1}`, judge.Verdict{Question: "a", Outcome: local.BadFormat}},
		{`I think it is full.`, judge.Verdict{Question: "a", Outcome: local.BadFormat}},
	}
	for _, c := range cases {
		j, _ := newJudge(t, func(int, local.Call) local.Reply { return fake.Text(c.reply) })
		got, err := j.Judge(context.Background(), []judge.Task{task}, nil)
		if err != nil {
			t.Fatal(err)
		}
		v := got[0][0]
		if v.Outcome != "" && v.Reason == "" {
			t.Errorf("%s: unscored without a reason", c.reply)
		}
		if v.Reply != c.reply {
			t.Errorf("%s: the reply is kept as %q", c.reply, v.Reply)
		}
		v.Reason, v.Reply = "", ""
		if diff := cmp.Diff(c.want, v); diff != "" {
			t.Errorf("%s: %s", c.reply, diff)
		}
	}
}

func TestFailuresAreUnscored(t *testing.T) {
	for outcome, reply := range fake.Failures() {
		j, _ := newJudge(t, func(int, local.Call) local.Reply { return reply })
		got, err := j.Judge(context.Background(), []judge.Task{task}, nil)
		if err != nil || got[0][0].Scored() || got[0][0].Outcome != outcome {
			t.Errorf("%s: %+v %v", outcome, got, err)
		}
	}
}

// The statement stands last, so that all questions of an answer share the rest.
func TestQuestionsShareTheirPrefix(t *testing.T) {
	two := task
	two.Questions = append(two.Questions, judge.Question{ID: "b", Kind: judge.Coverage, Text: "another insight"})
	j, b := newJudge(t, func(int, local.Call) local.Reply { return fake.Text(`{"coverage":"none","bullet":0}`) })
	if _, err := j.Judge(context.Background(), []judge.Task{two}, nil); err != nil {
		t.Fatal(err)
	}
	var stems []string
	for _, c := range b.Calls() {
		text := c.Messages[len(c.Messages)-1].Content
		stems = append(stems, text[:strings.LastIndex(text, "Statement:")])
	}
	if len(stems) != 2 || stems[0] != stems[1] || !strings.Contains(stems[0], "2. second bullet") {
		t.Errorf("prompts %q", stems)
	}
}

func TestEmptyAnswerCoversNothing(t *testing.T) {
	empty := task
	empty.Units = nil
	j, b := newJudge(t, nil)
	got, err := j.Judge(context.Background(), []judge.Task{empty}, nil)
	if err != nil || got[0][0].Label != judge.None || len(b.Calls()) != 0 {
		t.Errorf("%+v %v, %d calls", got, err, len(b.Calls()))
	}
}
