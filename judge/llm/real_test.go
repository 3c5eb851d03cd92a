package llm_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"lore/judge"
	"lore/judge/llm"
	"lore/local"
	"lore/local/gate"
	"lore/local/ollama"
	"lore/local/ollama/ollamatest"
	"lore/local/prompt"
	"lore/local/wire"
)

// A model with random weights on a real server: every one of 500 questions ends
// in a verdict that keeps its contract, or in a typed failure. None is lost.
func TestRealModelAnswersOrFailsTyped(t *testing.T) {
	s := ollamatest.StartReal(t, 4, "tiny")
	client, err := ollama.NewClient(ollama.Config{Host: s.URL, Limits: wire.Limits{First: 5 * time.Minute}})
	if err != nil {
		t.Fatal(err)
	}
	var tasks []judge.Task
	n := 8
	if testing.Short() {
		n = 4
	}
	for i := range n {
		task := judge.Task{ID: fmt.Sprint("task", i), About: "tides", Units: []string{"one [1]", "two [2]", fmt.Sprint("three ", i)}}
		for k := range 20 {
			task.Questions = append(task.Questions, judge.Question{ID: fmt.Sprint("q", k), Kind: judge.Kinds[k%len(judge.Kinds)], Text: fmt.Sprintf("the tide turns at %d", k)})
		}
		tasks = append(tasks, task)
	}
	for mode, tasks := range map[llm.Mode][]judge.Task{llm.Schema: tasks, llm.Logprob: tasks[:min(len(tasks), 8)]} {
		t.Run(string(mode), func(t *testing.T) {
			g, err := gate.Open(gate.Config{Dir: t.TempDir(), Lanes: map[string]gate.Lane{"ollama": {Backend: client, Slots: 4}}})
			if err != nil {
				t.Fatal(err)
			}
			defer g.Close()
			j, err := llm.New(llm.Config{Backend: "ollama", Model: "tiny", Mode: mode, MinMass: 0.5, Options: local.Options{NumCtx: 2048, TopP: 1, RepeatPenalty: 1, Seed: 1}}, g, prompt.NewSet(nil, llm.Prompts()))
			if err != nil {
				t.Fatal(err)
			}
			out, err := j.Judge(context.Background(), tasks, nil)
			if err != nil {
				t.Fatal(err)
			}
			scored, failed := 0, map[local.Outcome]int{}
			for i, task := range tasks {
				for k, q := range task.Questions {
					v := out[i][k]
					switch {
					case v.Question != q.ID:
						t.Errorf("the verdict of %s %s is lost: %+v", task.ID, q.ID, v)
					case !v.Scored() && v.Reason == "":
						t.Errorf("unscored without a reason: %+v", v)
					case !v.Scored():
						failed[v.Outcome]++
					default:
						scored++
						check(t, mode, task, q, v)
					}
				}
			}
			t.Logf("%d verdicts, failures %v", scored, failed)
			if scored == 0 && mode == llm.Schema {
				t.Error("not one verdict in schema mode")
			}
		})
	}
}

func check(t *testing.T, mode llm.Mode, task judge.Task, q judge.Question, v judge.Verdict) {
	t.Helper()
	if _, ok := judge.Values[q.Kind][v.Label]; !ok || v.Value < 0 || v.Value > 1 || v.Unit < 0 || v.Unit > len(task.Units) {
		t.Errorf("verdict off its scale: %+v", v)
	}
	if mode == llm.Logprob && (v.Mass <= 0 || v.Mass > 1.000001) {
		t.Errorf("mass %v", v.Mass)
	}
}
