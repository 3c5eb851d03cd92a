package run

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"lore/cmd/lore/internal/models"
	"lore/cmd/lore/internal/store"
	"lore/cmd/lore/internal/usage"
	"lore/datasets"
	"lore/judge"
	"lore/local"
)

// judge asks every judge about every cell.
func (e *engine) judge(ctx context.Context, cells []cell) error {
	for i := range cells {
		cells[i].plan(e.systems[cells[i].system].name(cells[i].item))
	}

	questions := gather(cells)
	e.pairs = map[string]string{}
	for _, m := range e.judges {
		one, err := e.models.OpenJudge(m, e.opt.Judging, e.gate, e.prompts)
		if err != nil {
			return err
		}
		e.judgeNames = append(e.judgeNames, one.Name())
		if err := questions.ask(ctx, one, cells, e.opt.Console); err != nil {
			return err
		}
		if err := e.keepAsked(questions, cells, one); err != nil {
			return err
		}
		e.forged.see(questions, cells)
		e.languages.Add(models.Languages(e.opt.Language, questions.tasks, questions.verdicts))
		if note := models.Saved(one); note != "" {
			e.opt.Console.Note(note)
			e.pairs[one.Name()] = note
		}
	}
	return nil
}

// keepAsked keeps the prompts of model judges on answers, once for judges that ask the same.
func (e *engine) keepAsked(q *questions, cells []cell, by judge.Judge) error {
	for _, j := range models.Worded(by) {
		same := func(a store.ShownAsked) bool { return a.Judge == j.Name() }
		if slices.ContainsFunc(e.worded, same) {
			continue
		}
		var list []store.ShownAsked
		for n, t := range q.tasks {
			if t.Subject != judge.Answer {
				continue
			}
			words, err := j.Words(t, q.verdicts[n])
			if err != nil {
				return fmt.Errorf("word what the judge %s was asked: %w", j.Name(), err)
			}
			if len(words) == 0 {
				continue
			}
			c := cells[q.shared[n][0]]
			list = append(list, store.ShownAsked{
				Judge:    j.Name(),
				System:   e.systems[c.system].System,
				Item:     c.item.ID(),
				Messages: parted(words),
			})
		}
		e.worded = append(e.worded, list...)
	}
	return nil
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

// ask puts one judge's verdicts into the cells.
func (q *questions) ask(ctx context.Context, by judge.Judge, cells []cell, console usage.Console) error {
	verdicts, err := by.Judge(ctx, q.tasks, console.Start("judge by "+by.Name(), q.count))
	if err != nil {
		return err
	}

	q.verdicts = verdicts
	for i := range cells {
		cells[i].verdicts = append(cells[i].verdicts, cells[i].unanswered())
	}
	for n, v := range verdicts {
		for _, i := range q.shared[n] {
			last := len(cells[i].verdicts) - 1
			cells[i].verdicts[last][q.tasks[n].Subject] = v
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
