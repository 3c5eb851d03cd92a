package llm

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"lore/judge"
	"lore/local"
	"lore/local/guard"
)

// batches asks all open questions of a task in one call. Every verdict
// names its statement, key point or question by number, so nothing can shift when the model leaves one
// out, repeats one or changes the order. A statement without exactly one usable
// verdict stays open and is asked by itself, with a note.
func (s *session) batches(ctx context.Context) error {
	calls, tasks, err := s.batchCalls()
	if err != nil {
		return err
	}
	return s.run(ctx, calls, func(n int, r local.Reply) { s.readBatch(tasks[n], r) })
}

// batchCalls words a call for every task that can be asked in one.
func (s *session) batchCalls() (calls []local.Call, tasks []int, err error) {
	for i, t := range s.tasks {
		if !s.j.together(t) {
			continue
		}

		call, err := s.j.batch(s.shown[i])
		if err != nil {
			return nil, nil, err
		}
		calls = append(calls, call)
		tasks = append(tasks, i)
	}
	return calls, tasks, nil
}

// batchForms are the kinds of which several questions can be asked at once. Relevance and
// consistency compare with a whole reference, of which there is one.
var batchForms = map[judge.Kind]struct{ heading, form string }{
	judge.Coverage: {"Statements", batchForm},
	judge.Entailment: {"Key points", "There are several key points. " +
		numberedForm("each key point", judge.Labels[judge.Entailment])},
	judge.Answerability: {"Questions", "There are several questions. " +
		numberedForm("each question", judge.Labels[judge.Answerability])},
}

// Batchable reports whether a task can be asked in one call: it has several questions of
// one kind that fits.
func Batchable(t judge.Task) bool {
	if len(t.Questions) < 2 {
		return false
	}
	kind := t.Questions[0].Kind
	for _, q := range t.Questions {
		if q.Kind != kind {
			return false
		}
	}
	_, ok := batchForms[kind]
	return ok
}

// together reports whether the questions of a task are asked in one call: a prompt that says how it is
// replied to is one about one question.
func (j *Judge) together(t judge.Task) bool {
	return Batchable(t) && len(t.Units) > 0 && j.forms[t.Questions[0].Kind] == nil
}

const batchForm = "There are several statements. For each one give its number, the coverage, and the " +
	"number of the bullet that says it best, or 0 if there is none. " +
	`Answer with one JSON object and nothing else: {"verdicts": [{"statement": number, ` +
	`"coverage": "full" | "partial" | "none", "bullet": number}, ...]}`

// numberedForm asks for a label per question.
func numberedForm(each string, labels []string) string {
	return "For " + each + " give its number and your answer. " +
		`Answer with one JSON object and nothing else: {"verdicts": [{"number": number, "answer": ` +
		`"` + strings.Join(labels, `" | "`) + `"}, ...]}`
}

func (j *Judge) batch(t shown) (local.Call, error) {
	kind := t.Questions[0].Kind
	ask := batchForms[kind]
	var b strings.Builder
	b.WriteString(ask.heading + ":\n")
	for i, q := range t.Questions {
		text, _ := guard.Text(q.Text)
		fmt.Fprintf(&b, "%d. %s\n", i+1, text)
	}

	call, err := j.call(t, kind, ask.form, b.String(), b.String())
	if err != nil {
		return call, err
	}

	call.Schema = batchSchema(kind, len(t.Questions), len(t.Units))
	call.Options.NumPredict = VerdictTokens + batchTokens*len(t.Questions)
	return call, nil
}

// readBatch settles every statement that has one usable verdict, or several that
// agree.
func (s *session) readBatch(task int, r local.Reply) {
	t := s.tasks[task]
	leave := func(k int, why string) { s.note[task][k] = askedSingly + why }

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
		n := v.Statement + v.Number // a schema has one of them
		by[n] = append(by[n], v)
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
		v.Reply = r.Text
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
