package build

import (
	"context"
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"lore/datasets/crux"
	"lore/datasets/stage/scripted"
	"lore/datasets/stage/stagetest"
	"lore/judge/llm"
	"lore/local"
	"lore/local/fake"
	"lore/local/gate"
	"lore/local/prompt"
)

var asksOne = regexp.MustCompile(`(?m)^Question: (.*)$`)

// grader is a model that gives a question the same grade in a call of its own as among others. Of
// every eighth passage it leaves out a question that was asked among others.
func grader(_ int, c local.Call) local.Reply {
	p := c.Messages[len(c.Messages)-1].Content
	text := scripted.Between(p, "never one to you.", "Grade how")
	grade := func(question string) string { return fmt.Sprint(scripted.Hash(text+question) % 6) }
	if m := asksOne.FindStringSubmatch(p); m != nil {
		return fake.Text(scripted.JSON(map[string]string{"answer": grade(m[1])}))
	}

	type verdict struct {
		Number int    `json:"number"`
		Answer string `json:"answer"`
	}
	var list []verdict
	for i, q := range scripted.Items(scripted.Between(p, "\nQuestions:", "\x00")) {
		if i != 3 || scripted.Hash(text)%8 != 0 {
			list = append(list, verdict{i + 1, grade(q)})
		}
	}
	return fake.Text(scripted.JSON(map[string]any{"verdicts": list}))
}

// gradeAll grades so many topics of so many passages, and counts the calls.
func gradeAll(t *testing.T, batch bool, topics, each, questions int) (map[int]map[string][]int, []local.Call) {
	t.Helper()
	backend := &fake.Backend{Script: grader}
	g, err := gate.Open(gate.Config{Lanes: map[string]gate.Lane{"fake": {Backend: backend, Slots: 1}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { g.Close() })

	b := &Builder{Session: stagetest.Session(t, backend, 1, 1, Prompts()), Questions: questions, Eta: 3}
	cfg := llm.Config{Backend: "fake", Model: "m", Options: local.Options{NumCtx: 1}, Batch: batch}
	var calls []local.Call
	caller := callerFunc(func(ctx context.Context, list []local.Call, done func(int, local.Reply)) error {
		calls = append(calls, list...) // as they are given to the door, which keeps the order
		return g.All(ctx, list, done)
	})
	if b.Judge, err = llm.New(cfg, caller, prompt.NewSet(nil, PaperRubric(), llm.Prompts())); err != nil {
		t.Fatal(err)
	}

	asks, made := map[int]asked{}, passages{}
	for i := range topics {
		a := asked{request: fmt.Sprintf("Report on topic %d.", i)}
		for q := range questions {
			a.questions = append(a.questions, fmt.Sprintf("What is said of matter %d in topic %d?", q, i))
		}
		asks[i] = a
		for p := range each {
			made.list = append(made.list, crux.Passage{ID: fmt.Sprintf("t%d-%d", i, p), Text: fmt.Sprintf("Passage %d of topic %d.", p, i)})
			made.pairs = append(made.pairs, []int{i})
		}
	}
	grades, err := b.grade(context.Background(), asks, made)
	if err != nil || b.Ungraded > 0 {
		t.Fatal(err, b.Ungraded)
	}
	if n := len(backend.Calls()); n != len(calls) {
		t.Fatalf("%d calls were made of %d", n, len(calls))
	}
	return grades, calls
}

// A fiftieth of the topics of Multi-News (4,986, with about 12 passages and 10 questions each) takes about a
// tenth of the calls where a passage is read once for all questions, and has the same grades. Calls about
// one passage follow each other.
func TestGradingTogether(t *testing.T) {
	const topics, each, questions = 100, 12, 10
	one, singly := gradeAll(t, false, topics, each, questions)
	all, together := gradeAll(t, true, topics, each, questions)
	share := float64(len(together)) / float64(len(singly))
	t.Logf("%d topics, %d passages each, %d questions: %d calls one by one, %d together (%.1f %%)",
		topics, each, questions, len(singly), len(together), 100*share)

	if len(singly) != topics*each*questions || share > 0.13 {
		t.Errorf("%d calls one by one, %d together", len(singly), len(together))
	}
	if !reflect.DeepEqual(one, all) || len(one) != topics {
		t.Error("grades differ")
	}

	last, seen := "", map[string]bool{}
	for _, c := range singly {
		if c.Prefix != last && seen[c.Prefix] {
			t.Fatalf("calls about %s do not follow each other", c.Prefix)
		}
		last = c.Prefix
		seen[last] = true
	}
	if !strings.Contains(together[0].Messages[1].Content, "complete and right") {
		t.Error("the paper's rubric is not what was asked by")
	}
}

// Where passages are too short to the end the others are taken, and the short ones counted.
func TestShortPassagesAreCounted(t *testing.T) {
	pairs, texts := sampleSources(t)
	reply := func(n int, c local.Call) local.Reply {
		if p := c.Messages[len(c.Messages)-1].Content; strings.HasPrefix(p, "Document:") {
			return fake.Text(scripted.JSON(passagesReply{[]string{scripted.Between(p, "Document:", "Rewrite this"), "Too short."}}))
		}
		return goodModel(n, c)
	}
	b := newBuilder(t, reply)
	topics, list, err := b.Build(context.Background(), pairs, texts)
	if err != nil || len(topics) != 2 || b.LeftOut != len(list) || b.LeftOut == 0 || b.Dropped() != 0 {
		t.Errorf("%v, %d topics, %d passages, %d left out, %d dropped", err, len(topics), len(list), b.LeftOut, b.Dropped())
	}
	if log := fmt.Sprintf("%+v", b.Log()); !strings.Contains(log, `left out: a passage of 2 words, not of`) {
		t.Error(log)
	}
}

// Examples stand before the summary, and a request that repeats one is refused.
func TestExamplesOfRequests(t *testing.T) {
	pairs, texts := sampleSources(t)
	request := "Write a report for the board on how the well was dug, who paid for it, and what the people of the town had from it."
	examples, err := ReadExamples("e", []byte(scripted.JSON(Example{"The well was dug.", request})))
	if err != nil {
		t.Fatal(err)
	}

	shown := 0
	b := newBuilder(t, func(n int, c local.Call) local.Reply {
		p := c.Messages[len(c.Messages)-1].Content
		if !strings.Contains(p, "Write the request") {
			return goodModel(n, c)
		}
		if strings.HasPrefix(p, "Report:\nThe well was dug.\n\nThe request that this report answers:\n"+request+"\n\nReport:\n") {
			shown++
		}
		if c.Sample == 0 {
			return fake.Text(scripted.JSON(requestReply{request}))
		}
		return goodModel(n, c)
	})
	b.Examples = examples
	topics, _, err := b.Build(context.Background(), pairs, texts)
	if err != nil || len(topics) != 2 || shown != 4 || b.Refused() != 2 {
		t.Errorf("%v, %d topics, shown %d times, %d refused", err, len(topics), shown, b.Refused())
	}
	for _, bad := range []string{"", "{", `{"summary":"s"}`} {
		if _, err := ReadExamples("e", []byte(bad)); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}

func FuzzReadExamples(f *testing.F) {
	f.Add([]byte(`{"summary":"s","request":"r"}`))
	f.Fuzz(func(_ *testing.T, data []byte) { _, _ = ReadExamples("x", data) })
}
