package build

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"lore/datasets/crux"
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

// grade has the judge grade every passage by the questions of its pair. It returns the
// grades of each pair's relevant passages by their ids.
func (b *Builder) grade(ctx context.Context, asks map[int]asked, made passages) (map[int]map[string][]int, error) {
	var tasks []judge.Task
	var places []int // the passage of each task
	n := 0
	for p, i := range made.owner {
		a, ok := asks[i]
		if !ok {
			continue
		}

		task := judge.Task{ID: "grade " + made.list[p].ID, About: a.request, Units: []string{made.list[p].Text}}
		for q, text := range a.questions {
			question := judge.Question{ID: fmt.Sprint(q + 1), Kind: judge.Answerability, Text: text}
			task.Questions = append(task.Questions, question)
		}
		tasks, places = append(tasks, task), append(places, p)
		n += len(task.Questions)
	}

	var step func(int)
	if b.Graded != nil {
		step = b.Graded("grade", n)
	}
	verdicts, err := b.Judge.Judge(ctx, tasks, step)
	if err != nil {
		return nil, err
	}

	out := map[int]map[string][]int{}
	for t, p := range places {
		id := made.list[p].ID
		row := b.row(id, verdicts[t])
		if !slices.ContainsFunc(row, func(grade int) bool { return grade >= b.Eta }) {
			b.Note("grade", id, 0, "answers no question and becomes a distractor")
			continue
		}

		pair := made.owner[p]
		if out[pair] == nil {
			out[pair] = map[string][]int{}
		}
		out[pair][id] = row
	}
	return out, nil
}

// row turns verdicts into grades from 0 to crux.MaxGrade.
func (b *Builder) row(passage string, verdicts []judge.Verdict) []int {
	row := make([]int, len(verdicts))
	for q, v := range verdicts {
		if !v.Scored() {
			b.Ungraded++
			b.Note("grade", passage, 0, "question %d counts 0: %s: %s", q+1, v.Outcome, v.Reason)
			continue
		}
		row[q] = int(v.Value*crux.MaxGrade + 0.5)
	}
	return row
}
