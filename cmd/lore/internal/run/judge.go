package run

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"lore/cmd/lore/internal/models"
	"lore/cmd/lore/internal/store"
	"lore/datasets"
	"lore/judge"
	"lore/local"
	"lore/local/parallel"
)

// beginJudge has a step for every judge, which is asked about every cell. Of judges that are
// several models, each but the last is asked in a step of its own before.
func (e *engine) beginJudge() ([]step, error) {
	parallel.Each(len(e.cells), func(i int) {
		e.cells[i].plan(e.systems[e.cells[i].system].name(e.cells[i].item))
		e.cells[i].verdicts = make([]datasets.Verdicts, len(e.judges))
	})
	e.questions = gather(e.cells)
	e.judged = make([]judged, len(e.judges))

	var steps []step
	for n, j := range e.judges {
		turns := j.Turns()
		for level, at := range turns {
			s := step{
				model:   at.Model,
				level:   level,
				foresee: func() error { return e.models.ForeseeJudge(j, at, e.opt.Judging, e.questions.tasks, e.prompts) },
				do:      func(ctx context.Context) error { return e.judge(ctx, n) },
			}
			if level < len(turns)-1 {
				s.warms, s.do = true, func(ctx context.Context) error { return e.beginJudging(ctx, j, at.Part+1) }
			}
			steps = append(steps, s)
		}
		if len(turns) == 0 {
			steps = append(steps, step{do: func(ctx context.Context) error { return e.judge(ctx, n) }})
		}
	}
	return steps, nil
}

// beginJudging asks the first n of the judges that are one, for what they say, which is kept.
func (e *engine) beginJudging(ctx context.Context, j models.Judge, n int) error {
	one, err := e.models.OpenJudge(j, e.opt.Judging, e.gate, e.prompts)
	if err != nil {
		return err
	}
	several, ok := one.(*models.Pair)
	if !ok {
		return fmt.Errorf("the judge %s is not several", j.Spec)
	}
	step := e.opt.Console.Start(judging(j)+", beginning", e.questions.count)
	if err := several.Begin(ctx, e.questions.tasks, n); err != nil {
		return err
	}
	step(e.questions.count)
	return nil
}

// judged is what a judge's step leaves besides verdicts.
type judged struct {
	name      string // with mode, as it stands in tables
	pair      string // what judges that are several did, in words
	asked     []store.ShownAsked
	languages store.Languages
}

// judge asks one judge about every cell.
func (e *engine) judge(ctx context.Context, n int) error {
	one, err := e.models.OpenJudge(e.judges[n], e.opt.Judging, e.gate, e.prompts)
	if err != nil {
		return err
	}
	q := e.questions
	step := e.opt.Console.Start(judging(e.judges[n]), q.count)
	if err := q.ask(ctx, one, n, e.cells, step); err != nil {
		return err
	}

	out := judged{name: one.Name(), pair: models.Saved(one)}
	if out.asked, err = e.wordedBy(one); err != nil {
		return err
	}
	e.forged.see(q, n, e.cells)
	out.languages = models.Languages(e.opt.Language, q.tasks, q.verdicts)
	if out.pair != "" {
		e.opt.Console.Note(out.pair)
	}
	e.judged[n] = out
	return nil
}

// endJudge gathers what the judges left, in their order.
func (e *engine) endJudge() error {
	e.pairs = map[string]string{}
	for _, j := range e.judged {
		e.judgeNames = append(e.judgeNames, j.name)
		if j.pair != "" {
			e.pairs[j.name] = j.pair
		}
		e.languages.Add(j.languages)
		e.keepAsked(j.asked)
	}
	return nil
}

// keepAsked keeps the prompts of model judges on answers, once for judges that ask the same.
func (e *engine) keepAsked(asked []store.ShownAsked) {
	known := map[string]bool{}
	for _, a := range e.worded {
		known[a.Judge] = true
	}
	for _, a := range asked {
		if !known[a.Judge] {
			e.worded = append(e.worded, a)
		}
	}
}

// wordedBy are the prompts of the model judges in a judge on answers.
func (e *engine) wordedBy(by judge.Judge) ([]store.ShownAsked, error) {
	var list []store.ShownAsked
	q := e.questions
	for _, j := range models.Worded(by) {
		for n, t := range q.tasks {
			if t.Subject != judge.Answer {
				continue
			}
			words, err := j.Words(t, q.verdicts[n])
			if err != nil {
				return nil, fmt.Errorf("word what the judge %s was asked: %w", j.Name(), err)
			}
			if len(words) == 0 {
				continue
			}
			c := e.cells[q.shared[n][0]]
			list = append(list, store.ShownAsked{
				Judge:    j.Name(),
				System:   e.systems[c.system].System,
				Item:     c.item.ID(),
				Messages: parted(words),
			})
		}
	}
	return list, nil
}

// parted are prompts with what they share kept once.
func parted(prompts [][]local.Message) []store.AskedMessage {
	var out []store.AskedMessage
	for i, first := range prompts[0] {
		m := store.AskedMessage{Role: first.Role, Begin: first.Content}
		for _, p := range prompts {
			for !strings.HasPrefix(p[i].Content, m.Begin) {
				m.Begin = m.Begin[:max(0, shared(m.Begin, p[i].Content))]
			}
		}
		for _, p := range prompts {
			m.Ends = append(m.Ends, p[i].Content[len(m.Begin):])
		}
		out = append(out, m)
	}
	return out
}

// shared is how many bytes two texts begin with alike, up to the end of a letter.
func shared(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	for n > 0 && n < len(a) && !utf8.RuneStart(a[n]) {
		n--
	}
	return n
}

// name is the id of the task about a system's answer.
func (s system) name(it datasets.Item) string {
	return fmt.Sprintf("%s %s %s", s.Retriever, s.Generator, it.ID())
}

// plan lists what must be found out about a cell. name is the id of its answer's task.
func (c *cell) plan(name string) {
	c.tasks = c.item.Plan(c.evidence)
	for i := range c.tasks {
		t := &c.tasks[i]
		switch t.Subject.Part {
		case judge.TheAnswer:
			t.ID = name
		case judge.OwnPoints:
			t.ID = name + " points"
		case judge.OwnHeld:
			t.ID = name + " points in documents"
		case judge.CutToSize:
			t.ID = name + " as asked"
		case judge.ADocument:
			t.ID = c.item.ID() + " " + t.Subject.ID
		}
	}
}

// questions are the tasks of all cells, each asked once, with the cells that share its
// verdicts.
type questions struct {
	tasks    []judge.Task
	shared   [][]int           // cells by task
	verdicts [][]judge.Verdict // of the last judge, by task
	count    int
}

// gather lists the tasks of cells: first the answers with their points, then the
// documents. A document is judged once per item, whichever systems were shown it. Answers
// that failed are not shown to a judge.
func gather(cells []cell) *questions {
	q := &questions{}
	add := func(t judge.Task, cell int) {
		q.tasks = append(q.tasks, t)
		q.shared = append(q.shared, []int{cell})
		q.count += len(t.Questions)
	}

	for i, c := range cells {
		for _, t := range c.tasks {
			if t.Subject.Part != judge.ADocument && !c.failed() {
				add(t, i)
			}
		}
	}

	type place struct {
		item    string
		subject judge.Subject
	}
	seen := map[place]int{}
	for i, c := range cells {
		for _, t := range c.tasks {
			if t.Subject.Part != judge.ADocument {
				continue
			}
			at := place{c.item.ID(), t.Subject}
			n, asked := seen[at]
			if asked {
				q.shared[n] = append(q.shared[n], i)
				continue
			}
			seen[at] = len(q.tasks)
			add(t, i)
		}
	}
	return q
}

// ask puts the verdicts of one judge, the nth, into the cells.
func (q *questions) ask(ctx context.Context, by judge.Judge, nth int, cells []cell, step func(done int)) error {
	verdicts, err := by.Judge(ctx, q.tasks, step)
	if err != nil {
		return err
	}

	q.verdicts = verdicts
	for i := range cells {
		cells[i].verdicts[nth] = cells[i].unanswered()
	}
	for n, v := range verdicts {
		for _, i := range q.shared[n] {
			cells[i].verdicts[nth][q.tasks[n].Subject] = v
		}
	}
	return nil
}

// unanswered are the verdicts on an answer that failed: all its questions are unscored,
// for the same reason.
func (c *cell) unanswered() datasets.Verdicts {
	out := datasets.Verdicts{}
	if !c.failed() {
		return out
	}
	answer := c.evidence.Output
	for _, t := range c.tasks {
		if t.Subject.Part == judge.ADocument {
			continue
		}
		for _, q := range t.Questions {
			v := judge.Unscored(q.ID, answer.Outcome, "the answer failed: "+answer.Reason)
			out[t.Subject] = append(out[t.Subject], v)
		}
	}
	return out
}
