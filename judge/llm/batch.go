package llm

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"lore/judge"
	"lore/local"
)

// batches asks all open coverage questions of a task in one call. Every verdict
// names its statement by number, so nothing can shift when the model leaves one
// out, repeats one or changes the order. A statement without exactly one usable
// verdict stays open and is asked by itself, with a note.
func (s *session) batches(ctx context.Context) error {
	var calls []local.Call
	var tasks []int
	for i, t := range s.tasks {
		if !batchable(t) {
			continue
		}

		call, err := s.j.batch(t)
		if err != nil {
			return err
		}
		calls = append(calls, call)
		tasks = append(tasks, i)
	}

	return s.run(ctx, calls, func(n int, r local.Reply) { s.readBatch(tasks[n], r) })
}

func batchable(t judge.Task) bool {
	for _, q := range t.Questions {
		if q.Kind != judge.Coverage {
			return false
		}
	}
	return len(t.Questions) > 1 && len(t.Units) > 0
}

const batchForm = "There are several statements. For each one give its number, the coverage, and the " +
	"number of the bullet that says it best, or 0 if there is none. " +
	`Answer with one JSON object and nothing else: {"verdicts": [{"statement": number, ` +
	`"coverage": "full" | "partial" | "none", "bullet": number}, ...]}`

func (j *Judge) batch(t judge.Task) (local.Call, error) {
	var b strings.Builder
	b.WriteString("Statements:\n")
	for i, q := range t.Questions {
		fmt.Fprintf(&b, "%d. %s\n", i+1, q.Text)
	}

	call, err := j.call(t, judge.Coverage, batchForm, b.String())
	if err != nil {
		return call, err
	}

	call.Schema = batchSchema(len(t.Questions), len(t.Units))
	call.Options.NumPredict = VerdictTokens + batchTokens*len(t.Questions)
	return call, nil
}

// readBatch settles every statement that has one usable verdict, or several that
// agree.
func (s *session) readBatch(task int, r local.Reply) {
	t := s.tasks[task]
	leave := func(k int, why string) { s.note[task][k] = "asked singly: " + why }

	if r.Outcome != local.OK {
		for k := range t.Questions {
			leave(k, "the batch failed: "+string(r.Outcome))
		}
		return
	}

	var got struct {
		Verdicts []labelled `json:"verdicts"`
	}
	if err := json.Unmarshal([]byte(r.Text), &got); err != nil {
		for k := range t.Questions {
			leave(k, "the batch is not JSON")
		}
		return
	}

	by := map[int][]labelled{}
	for _, v := range got.Verdicts {
		by[v.Statement] = append(by[v.Statement], v)
	}

	for k, q := range t.Questions {
		all := by[k+1]
		switch {
		case len(all) == 0:
			leave(k, "the batch left it out")
			continue
		case !agree(all):
			leave(k, "the batch contradicts itself")
			continue
		}

		v := all[0].verdict(q, len(t.Units))
		if !v.Scored() {
			leave(k, "in the batch "+v.Reason)
			continue
		}
		s.settle(task, k, v)
	}
}

func agree(all []labelled) bool {
	for _, v := range all[1:] {
		if v != all[0] {
			return false
		}
	}
	return true
}
