package llm

import (
	"context"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lore/judge"
	"lore/local"
	"lore/local/fake"
)

// evaluated counts the words that a server with one prefix cache reads: those after
// what a call has in common with the call before it.
func evaluated(calls []local.Call) int {
	n := 0
	var before []string
	for _, c := range calls {
		var words []string
		for _, m := range c.Messages {
			words = append(words, strings.Fields(m.Content)...)
		}
		common := 0
		for common < min(len(words), len(before)) && words[common] == before[common] {
			common++
		}
		n += len(words) - common
		before = words
	}
	return n
}

// Grading ten passages of 200 words by ten questions reads at most 35 % of the words
// that the question-first order reads, with the same verdicts per pair.
func TestGradingSharesPrefixes(t *testing.T) {
	var tasks, byQuestion []judge.Task
	var questions []judge.Question
	for q := range 10 {
		questions = append(questions, judge.Question{ID: fmt.Sprint(q), Kind: judge.Answerability, Text: fmt.Sprintf("What does the report say about matter %d of the harbour, and why?", q)})
	}
	passage := func(p int) []string { return []string{strings.Repeat(fmt.Sprintf("passage%d word ", p), 100)} }
	for p := range 10 {
		tasks = append(tasks, judge.Task{ID: fmt.Sprint("p", p), About: "a request", Units: passage(p), Questions: questions})
	}
	for q := range 10 { // the naive order: a question at a time over all passages
		for p := range 10 {
			byQuestion = append(byQuestion, judge.Task{ID: fmt.Sprint(q, " p", p), About: "a request", Units: passage(p), Questions: questions[q : q+1]})
		}
	}
	grade := func(_ int, c local.Call) local.Reply {
		h := fnv.New32a()
		_, _ = h.Write([]byte(c.Messages[len(c.Messages)-1].Content))
		return fake.Text(fmt.Sprintf(`{"answer":"%d"}`, h.Sum32()%6))
	}
	shared, b := newJudge(t, grade)
	got, err := shared.Judge(context.Background(), slices.Clone(tasks), nil)
	if err != nil {
		t.Fatal(err)
	}
	naive, nb := newJudge(t, grade)
	want, err := naive.Judge(context.Background(), byQuestion, nil)
	if err != nil {
		t.Fatal(err)
	}
	for p := range 10 {
		for q := range 10 {
			if d := cmp.Diff(want[q*10+p][0], got[p][q]); d != "" || !got[p][q].Scored() {
				t.Errorf("passage %d, question %d: %s %+v", p, q, d, got[p][q])
			}
		}
	}
	ratio := float64(evaluated(b.Calls())) / float64(evaluated(nb.Calls()))
	t.Logf("%.1f %% of the naive order's words", 100*ratio)
	if ratio > 0.35 {
		t.Errorf("%.1f %% of the naive order's words are read", 100*ratio)
	}
}
