package build

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"lore/datasets/crux"
	"lore/datasets/stage"
	"lore/judge"
)

// topics puts together what was made of each pair. Passages that answer nothing stay in
// the corpus without grades; a topic of which nothing is answerable, or with a grade that
// could not be read, says so in the log.
func (b *Builder) topics(ctx context.Context, pairs []Pair, asks map[int]asked, made passages) ([]crux.Topic, error) {
	grades, err := b.grade(ctx, asks, made)
	if err != nil {
		return nil, err
	}

	var topics []crux.Topic
	for i, pair := range pairs {
		a, ok := asks[i]
		if !ok {
			continue // was dropped before
		}
		if grades[i] == nil {
			b.Drop(pair.ID, "no passage answers a question with a grade of %d or more", b.Eta)
			continue
		}

		topics = append(topics, crux.Topic{
			ID:        pair.ID,
			Query:     strings.TrimSpace(a.request),
			Questions: a.questions,
			Summary:   pair.Summary,
			Grades:    grades[i],
		})
		ids := crux.InOrder(grades[i], made.place)
		b.Note("topic", pair.ID, 0, "%d of %d passages relevant, %d required",
			len(ids), made.of(i), len(crux.Required(ids, grades[i], b.Eta)))
	}
	return topics, nil
}

// grading is a passage that is graded for a pair.
type grading struct{ passage, pair int }

// grade has the judge grade every passage by the questions of its pairs. It returns the
// grades of each pair's relevant passages by their ids.
func (b *Builder) grade(ctx context.Context, asks map[int]asked, made passages) (map[int]map[string][]int, error) {
	var tasks []judge.Task
	var places []grading // of each task
	for p, pairs := range made.pairs {
		for _, i := range pairs {
			a, ok := asks[i]
			if !ok {
				continue
			}
			task := judge.Task{ID: "grade " + made.list[p].ID, About: a.request, Units: []string{made.list[p].Text}}
			if i != pairs[0] {
				task.ID += fmt.Sprintf(" for %d", i+1)
			}
			for q, text := range a.questions {
				question := judge.Question{ID: fmt.Sprint(q + 1), Kind: judge.Answerability, Text: text}
				task.Questions = append(task.Questions, question)
			}
			tasks, places = append(tasks, task), append(places, grading{p, i})
		}
	}

	verdicts, err := b.judged(ctx, tasks)
	if err != nil {
		return nil, err
	}

	out := map[int]map[string][]int{}
	graded, answers := make([]bool, len(made.list)), make([]bool, len(made.list))
	for t, at := range places {
		graded[at.passage] = true
		id := made.list[at.passage].ID
		row := b.row(id, verdicts[t])
		if !slices.ContainsFunc(row, func(grade int) bool { return grade >= b.Eta }) {
			continue
		}
		answers[at.passage] = true
		if out[at.pair] == nil {
			out[at.pair] = map[string][]int{}
		}
		out[at.pair][id] = row
	}
	for p, some := range answers {
		if graded[p] && !some {
			b.Note("grade", made.list[p].ID, 0, "answers no question and becomes a distractor")
		}
	}
	return out, nil
}

// judged has the judge answer all questions: first those of some passages, so that a judge which grades
// everything alike does not grade them all.
func (b *Builder) judged(ctx context.Context, tasks []judge.Task) ([][]judge.Verdict, error) {
	step, done := b.graded("grade", count(tasks)), 0
	first := pilot(tasks)
	out := make([][]judge.Verdict, len(tasks))
	some := func(places []int) ([][]judge.Verdict, error) {
		list := make([]judge.Task, len(places))
		for k, i := range places {
			list[k] = tasks[i]
		}
		got, err := b.Judge.Judge(ctx, list, func(n int) { step(done + n) })
		for k := range got {
			out[places[k]] = got[k]
		}
		done += count(list)
		return got, err
	}

	if len(first) > 0 {
		got, err := some(first)
		if err == nil && !b.Rehearsed {
			err = alike(got)
		}
		if err != nil {
			return nil, err
		}
	}
	rest := slices.DeleteFunc(stage.Places(len(tasks)), func(i int) bool { return out[i] != nil })
	_, err := some(rest)
	return out, err
}

// gradeOf is the grade of a verdict, from 0 to crux.MaxGrade.
func gradeOf(v judge.Verdict) int { return int(v.Value*crux.MaxGrade + 0.5) }

// row turns verdicts into grades from 0 to crux.MaxGrade.
func (b *Builder) row(passage string, verdicts []judge.Verdict) []int {
	row := make([]int, len(verdicts))
	for q, v := range verdicts {
		if !v.Scored() {
			b.Ungraded++
			b.Note("grade", passage, 0, "question %d counts 0: %s: %s", q+1, v.Outcome, v.Reason)
			continue
		}
		row[q] = gradeOf(v)
	}
	return row
}
