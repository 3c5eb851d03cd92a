// Package ensemble puts judges together: the first answers everything, the others where
// a rule asks them, and what they say is averaged. None of them ever stands for the
// first alone, so that a weak one cannot spoil it.
package ensemble

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"sync"

	"lore/judge"
)

// Rule says where the judges after the first are asked, and how what they say becomes one.
type Rule struct {
	Zone        *Zone        // only where the first's score lies in it; nil: everywhere
	Share       float64      // only this share of the questions, those where it pays most; 0: no limit
	Calibration *Calibration // weights, maps and cuts; nil: the mean of values
	First       float64      // how often the first counts in that mean; 0 is once
}

// Zone is a range of scores, ends included.
type Zone struct{ Low, High float64 }

// Judge is several judges as one. A single one is calibrated.
type Judge struct {
	Parts []judge.Judge // the cheapest first
	Rule  Rule
	Keep  bool // keep what each part said, for Trace

	mu    sync.Mutex
	count Count
	trace *Trace
}

// Count says what a Judge has done so far.
type Count struct {
	Questions int
	Asked     int // of the judges after the first, questions that they were asked
	Lacking   int // questions where a judge failed, and the others' verdict stands
	Failed    int // questions where all that were asked failed
}

// Name tells the judges and the rule.
func (j *Judge) Name() string {
	names := make([]string, len(j.Parts))
	for i, p := range j.Parts {
		names[i] = p.Name()
	}
	return fmt.Sprintf("%s (%s)", strings.Join(names, "+"), j.Rule)
}

// String is a rule as it stands in names of judges.
func (r Rule) String() string {
	text := "average"
	if r.First > 0 {
		text += fmt.Sprintf(" %g:1", r.First)
	}
	if r.Calibration != nil {
		text = "calibrated " + r.Calibration.Short()
	}
	if r.Zone != nil {
		text += fmt.Sprintf(" in %g..%g", r.Zone.Low, r.Zone.High)
	}
	if r.Share > 0 {
		text += fmt.Sprintf(", ask %g", r.Share)
	}
	return text
}

// Explain words what judges of a name did together, also those of earlier versions; empty for a judge
// by itself.
func Explain(name string) string {
	open := strings.LastIndex(name, "(")
	if open < 0 || !strings.HasSuffix(name, ")") {
		return ""
	}
	rule := name[open+1 : len(name)-1]
	zone, unsure := strings.CutPrefix(rule, "unsure ")
	how, several := strings.CutPrefix(rule, "average")
	mean := "the mean of the judges' values"
	if first, rest, ok := strings.Cut(how, ":1"); ok {
		mean, how = fmt.Sprintf("%s, of which the first counts%s times", mean, first), rest
	}
	switch {
	case unsure:
		return "the verdict of the second stands alone where the score of the first lies in " + zone +
			"; lore averages now, because a weak second spoils such a pair"
	case strings.HasPrefix(rule, "calibrated "):
		return "values by weights and maps that were learnt from people's labels (" + rule + ")"
	case several && how == "":
		return mean
	case several && strings.Contains(how, " in "):
		return mean + ", where the score of the first lies" + how + "; the first alone elsewhere"
	case several:
		return mean + ", on the share of the questions where the first is nearest to another " +
			"label (" + strings.TrimPrefix(how, ", ") + "); the first alone elsewhere"
	}
	return ""
}

// Count returns what was done.
func (j *Judge) Count() Count {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.count
}

// Trace returns what each part said in the last call, where it was kept.
func (j *Judge) Trace() *Trace {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.trace
}

// Trace is what each judge said of tasks.
type Trace struct {
	Tasks []judge.Task
	Parts [][][]*judge.Verdict // by task, question and judge; nil where it was not asked
}

// Judge asks the first judge everything and the others what the rule says. Where one fails,
// the others' verdict stands, with a flag.
func (j *Judge) Judge(ctx context.Context, tasks []judge.Task, done func(int)) ([][]judge.Verdict, error) {
	if err := j.Rule.Calibration.checkKinds(tasks); err != nil {
		return nil, err
	}
	t := newTrace(tasks, len(j.Parts))
	if err := j.first(ctx, t); err != nil {
		return nil, err
	}

	ask := j.Rule.choose(t)
	total, asked := 0, 0
	for i := range ask {
		total += len(ask[i])
		for _, a := range ask[i] {
			if a {
				asked++
			}
		}
	}
	if err := j.others(ctx, t, ask, total-asked, done); err != nil {
		return nil, err
	}

	out := t.join(j.names(), j.Rule, ask)
	j.note(out, total, asked*(len(j.Parts)-1), t)
	return out, nil
}

// Begin asks the first n judges what Judge would ask them, and counts nothing: for callers that have
// one model after the other asked, and what it says kept.
func (j *Judge) Begin(ctx context.Context, tasks []judge.Task, n int) error {
	if err := j.Rule.Calibration.checkKinds(tasks); err != nil {
		return err
	}
	begun := &Judge{Parts: j.Parts[:n], Rule: j.Rule}
	t := newTrace(tasks, n)
	if err := begun.first(ctx, t); err != nil || n == 1 {
		return err
	}
	return begun.others(ctx, t, j.Rule.choose(t), 0, nil)
}

func (j *Judge) names() []string {
	out := make([]string, len(j.Parts))
	for i, p := range j.Parts {
		out[i] = p.Name()
	}
	return out
}

func newTrace(tasks []judge.Task, parts int) *Trace {
	t := &Trace{Tasks: tasks}
	for _, task := range tasks {
		said := make([][]*judge.Verdict, len(task.Questions))
		for k := range said {
			said[k] = make([]*judge.Verdict, parts)
		}
		t.Parts = append(t.Parts, said)
	}
	return t
}

// first asks the first judge everything.
func (j *Judge) first(ctx context.Context, t *Trace) error {
	verdicts, err := j.Parts[0].Judge(ctx, t.Tasks, nil)
	if err != nil {
		return err
	}
	for i, list := range verdicts {
		for k := range list {
			t.Parts[i][k][0] = &list[k]
		}
	}
	return nil
}

// others asks the judges after the first what was chosen. What they are not asked is done
// already.
func (j *Judge) others(ctx context.Context, t *Trace, ask [][]bool, finished int, done func(int)) error {
	tasks, places := subset(t.Tasks, ask)
	count := 0
	for _, p := range places {
		count += len(p.questions)
	}

	others := j.Parts[1:]
	for n, other := range others {
		progress := func(answered int) {
			if done != nil {
				done(finished + (n*count+answered)/len(others))
			}
		}
		progress(0)
		verdicts, err := other.Judge(ctx, tasks, progress)
		if err != nil {
			return err
		}
		for m, at := range places {
			for i, k := range at.questions {
				t.Parts[at.task][k][n+1] = &verdicts[m][i]
			}
		}
	}
	if len(others) == 0 && done != nil {
		done(finished + count)
	}
	return nil
}

// place says where the questions of a task for the others come from.
type place struct {
	task      int
	questions []int
}

// subset are the tasks with the questions that are asked.
func subset(tasks []judge.Task, ask [][]bool) ([]judge.Task, []place) {
	var out []judge.Task
	var places []place
	for i, t := range tasks {
		part, at := t, place{task: i}
		part.Questions = nil
		for k, q := range t.Questions {
			if ask[i][k] {
				part.Questions = append(part.Questions, q)
				at.questions = append(at.questions, k)
			}
		}
		if len(at.questions) > 0 {
			out, places = append(out, part), append(places, at)
		}
	}
	return out, places
}

// note counts what was done.
func (j *Judge) note(out [][]judge.Verdict, questions, asked int, t *Trace) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.count.Questions += questions
	j.count.Asked += asked
	for i := range out {
		for k, v := range out[i] {
			lacking := false
			for _, p := range t.Parts[i][k] {
				lacking = lacking || p != nil && !p.Scored()
			}
			switch {
			case !v.Scored():
				j.count.Failed++
			case lacking:
				j.count.Lacking++
			}
		}
	}
	if j.Keep {
		j.trace = t
	}
}

// Rejoin is what the judges would have said together by another rule, from what each said.
// Where the rule asks a judge that was not asked, it goes without.
func (t *Trace) Rejoin(names []string, rule Rule) (verdicts [][]judge.Verdict, asked int) {
	ask := rule.choose(t)
	for i := range ask {
		for _, a := range ask[i] {
			if a {
				asked++
			}
		}
	}
	return t.join(names, rule, ask), asked
}

// join makes one verdict of those on each question.
func (t *Trace) join(names []string, rule Rule, ask [][]bool) [][]judge.Verdict {
	out := make([][]judge.Verdict, len(t.Tasks))
	for i, task := range t.Tasks {
		for k, q := range task.Questions {
			said := t.Parts[i][k]
			if !ask[i][k] {
				said = said[:1]
			}
			out[i] = append(out[i], join(q, names, said, rule))
		}
	}
	return out
}

// join combines the verdicts on one question. said may be shorter than names: the others were
// not asked.
func join(q judge.Question, names []string, said []*judge.Verdict, rule Rule) judge.Verdict {
	var scored []int
	var flags []string
	for i, v := range said {
		switch {
		case v == nil:
		case v.Scored():
			scored = append(scored, i)
		default:
			flags = append(flags, fmt.Sprintf("without %s: %s", names[i], v.Outcome))
		}
	}
	if len(scored) == 0 {
		v := *said[0]
		v.Reply, v.Replies = "", replies(names, said)
		return v
	}

	v := *said[scored[0]]
	v.Reply, v.Replies = "", replies(names, said)
	v.Flags = append(flags, v.Flags...)
	for _, i := range scored[1:] {
		other := said[i]
		v.Flags = append(v.Flags, other.Flags...)
		if other.Unit > 0 {
			v.Unit = other.Unit // models name units as well as the lexical judge does, and say why
		}
		if v.Evidence == nil {
			v.Evidence = other.Evidence
		}
	}
	if c := rule.Calibration; c != nil {
		return c.Kinds[q.Kind].apply(q.Kind, v, said, scored)
	}
	return mean(q, v, said, scored, cmp.Or(rule.First, 1))
}

// replies are what the models among the judges said, also where it could not be read.
func replies(names []string, said []*judge.Verdict) []judge.Reply {
	var out []judge.Reply
	for i, v := range said {
		if v == nil {
			continue
		}
		if v.Reply != "" {
			out = append(out, judge.Reply{Judge: names[i], Text: v.Reply})
		}
		out = append(out, v.Replies...)
	}
	return out
}

// mean is the mean of values, in which the first judge's counts first times.
func mean(q judge.Question, v judge.Verdict, said []*judge.Verdict, scored []int, first float64) judge.Verdict {
	if len(scored) == 1 {
		return v
	}
	sum, n := 0.0, 0.0
	for _, i := range scored {
		weight := 1.0
		if i == 0 {
			weight = first
		}
		sum, n = sum+weight*said[i].Value, n+weight
	}
	v.Value = sum / n
	v.Score, v.Mass = v.Value, 0
	v.Label = judge.Nearest(q.Kind, v.Value)
	return v
}
