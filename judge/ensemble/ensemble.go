// Package ensemble puts two judges together: a cheap one that answers everything,
// and an expensive one that is asked where the first is unsure, or whose values are
// averaged with the first's.
package ensemble

import (
	"context"
	"fmt"
	"sync/atomic"

	"lore/judge"
)

// Judge is the pair.
type Judge struct {
	First, Second judge.Judge
	Low, High     float64 // scores of the first judge between which it is unsure, ends included
	Average       bool    // ask the second about everything and average the values

	asked, all atomic.Int64
}

// Name tells both judges and the rule.
func (j *Judge) Name() string {
	if j.Average {
		return fmt.Sprintf("%s+%s (average)", j.First.Name(), j.Second.Name())
	}
	return fmt.Sprintf("%s+%s (unsure %g..%g)", j.First.Name(), j.Second.Name(), j.Low, j.High)
}

// Asked returns the questions the second judge was asked, and all questions.
func (j *Judge) Asked() (second, all int) { return int(j.asked.Load()), int(j.all.Load()) }

// Judge asks the first judge everything and the second what the rule says. Where
// the second fails, the question is unscored: the first was unsure, and its guess
// would pass for an answer.
func (j *Judge) Judge(ctx context.Context, tasks []judge.Task, done func(int)) ([][]judge.Verdict, error) {
	out, err := j.First.Judge(ctx, tasks, nil)
	if err != nil {
		return nil, err
	}

	var second []judge.Task
	var places []place // of each task of second
	asked, total := 0, 0
	for i, t := range tasks {
		part, at := t, place{task: i}
		part.Questions = nil
		for k, q := range t.Questions {
			if j.Average || j.unsure(out[i][k]) {
				part.Questions = append(part.Questions, q)
				at.questions = append(at.questions, k)
			}
		}
		if len(part.Questions) > 0 {
			second, places = append(second, part), append(places, at)
		}
		asked += len(part.Questions)
		total += len(t.Questions)
	}
	j.asked.Add(int64(asked))
	j.all.Add(int64(total))

	// What the second judge is not asked is done already.
	progress := func(n int) {
		if done != nil {
			done(total - asked + n)
		}
	}
	progress(0)
	verdicts, err := j.Second.Judge(ctx, second, progress)
	if err != nil {
		return nil, err
	}

	for n, at := range places {
		for m, k := range at.questions {
			v := &out[at.task][k]
			*v = j.join(tasks[at.task].Questions[k], *v, verdicts[n][m])
		}
	}
	return out, nil
}

// place says where the questions of a task for the second judge come from.
type place struct {
	task      int
	questions []int
}

func (j *Judge) unsure(v judge.Verdict) bool {
	return !v.Scored() || (v.Score >= j.Low && v.Score <= j.High)
}

// join combines two verdicts on one question.
func (j *Judge) join(q judge.Question, first, second judge.Verdict) judge.Verdict {
	if !j.Average || !first.Scored() || !second.Scored() {
		if second.Scored() || !j.Average {
			second.Flags = append(second.Flags, "by "+j.Second.Name())
			return second
		}
		return judge.Unscored(q.ID, second.Outcome, second.Reason)
	}

	v := second
	v.Value = (first.Value + second.Value) / 2
	v.Score = v.Value
	v.Label = judge.Nearest(q.Kind, v.Value)
	if v.Unit == 0 {
		v.Unit = first.Unit
	}
	v.Evidence = first.Evidence
	return v
}
