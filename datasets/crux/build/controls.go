package build

import (
	"context"
	"fmt"

	"lore/datasets/stage"
	"lore/judge"
)

// controls are texts with the questions that each answers. The judge grades each text by the questions
// of both before any work: grading comes last, and one that grades anything alike is found out at once.
var controls = []struct {
	about, text string
	questions   []string
}{
	{
		about: "the ferry to Little Sark",
		text: "The ferry to Little Sark was out of use on 14 March, because its engine had been flooded the night " +
			"before. Captain Orla Finch of the ferry said that the repair would cost 6,200 crowns and take nine days. " +
			"Until the ferry runs again, the post is brought to the island by a fishing boat, the Heron.",
		questions: []string{
			"Why was the ferry to Little Sark out of use on 14 March?",
			"How much will the repair of the ferry cost?",
			"Which boat brings the post to the island until the ferry runs again?",
		},
	},
	{
		about: "the bakery in Quay Street",
		text: "The bakery in Quay Street was founded in 1931 by Ada Moss, who had learnt to bake in Vienna. Its rye bread " +
			"won the county's prize three times. Since the fire of 1988 the bakery has had an oven of brick, which is " +
			"heated with beech wood, and it employs eleven people.",
		questions: []string{
			"Who founded the bakery in Quay Street?",
			"With which wood is the oven of the bakery heated?",
			"How many people does the bakery employ?",
		},
	},
}

const (
	leastTried = 20  // parts of documents of a build that begins with the trial: a smaller one costs little
	leastApart = 0.8 // grades by which what answers a question must be above what does not
	pilotPairs = 50  // grades after which it is seen whether all are the same
	pilotTexts = 12  // passages that these are of at least
)

// useless begins what is said of a judge that is of no use; the remedy ends it.
const (
	useless = "the judge is of no use for the grades, which say how far a passage answers a question: "
	remedy  = "name another --judge"
)

// tryGrades has the judge grade the controls, and returns stage.Useless if its grades tell nothing.
func (b *Builder) tryGrades(ctx context.Context, parts int) error {
	if parts < leastTried {
		return nil
	}
	var tasks []judge.Task
	for _, text := range controls {
		task := judge.Task{ID: "control " + text.about, About: "Write about " + text.about + ".", Units: []string{text.text}}
		for _, of := range controls {
			for _, q := range of.questions {
				task.Questions = append(task.Questions,
					judge.Question{ID: fmt.Sprint(len(task.Questions) + 1), Kind: judge.Answerability, Text: q})
			}
		}
		tasks = append(tasks, task)
	}
	verdicts, err := b.Judge.Judge(ctx, tasks, b.graded("controls", count(tasks)))
	if err != nil || b.Rehearsed {
		return err
	}

	var sums, n [2]float64 // of what does not answer, and of what does
	reason := ""
	for i, row := range verdicts {
		for k, v := range row {
			of := 0
			if k/len(controls[0].questions) == i {
				of = 1
			}
			if !v.Scored() {
				reason = fmt.Sprintf("%s: %s", v.Outcome, v.Reason)
				continue
			}
			sums[of], n[of] = sums[of]+float64(gradeOf(v)), n[of]+1
		}
	}
	if all := count(tasks); 2*(n[0]+n[1]) < float64(all) || n[0]*n[1] == 0 {
		return stage.Uselessf("stopped before anything was made: "+useless+"%d of %d replies cannot be read (%s); %s",
			all-int(n[0]+n[1]), all, reason, remedy)
	}

	besides, answers := sums[0]/n[0], sums[1]/n[1]
	b.Note("controls", "", 0, "mean grade of what answers a question: %.1f, of what does not: %.1f", answers, besides)
	if answers-besides >= leastApart {
		return nil
	}
	return stage.Uselessf("stopped before anything was made: "+useless+"on average it gives %.1f to what answers a question and "+
		"%.1f to what has nothing to do with it; %s", answers, besides, remedy)
}

// graded shows how far the grading is.
func (b *Builder) graded(stage string, n int) func(int) {
	if b.Graded == nil {
		return func(int) {}
	}
	return b.Graded(stage, n)
}

// count is the number of questions of some tasks.
func count(tasks []judge.Task) int {
	n := 0
	for _, t := range tasks {
		n += len(t.Questions)
	}
	return n
}

// pilot chooses tasks from everywhere that have enough questions to tell; none where there are few tasks.
func pilot(tasks []judge.Task) []int {
	n, pairs := 0, 0
	for n < len(tasks) && (n < pilotTexts || pairs < pilotPairs) {
		pairs += len(tasks[n].Questions)
		n++
	}
	if 2*n > len(tasks) {
		return nil
	}
	out := make([]int, n)
	for i := range out {
		out[i] = i * len(tasks) / n
	}
	return out
}

// alike is stage.Useless if all grades of the first passages are the same, or cannot be read.
func alike(verdicts [][]judge.Verdict) error {
	grades := map[int]int{}
	all, unread, reason := 0, 0, ""
	for _, row := range verdicts {
		for _, v := range row {
			all++
			if v.Scored() {
				grades[gradeOf(v)]++
			} else {
				unread, reason = unread+1, fmt.Sprintf("%s: %s", v.Outcome, v.Reason)
			}
		}
	}
	switch {
	case unread == all:
		return stage.Uselessf("stopped: "+useless+"none of the first %d can be read (%s); %s", all, reason, remedy)
	case len(grades) > 1:
		return nil
	}
	for grade := range grades {
		return stage.Uselessf("stopped: "+useless+"the first %d grades, of %d passages, are all %d; %s, or look whether the "+
			"documents hold what the summaries say", all-unread, len(verdicts), grade, remedy)
	}
	return nil
}
