package build

import (
	"context"
	"fmt"

	"lore/datasets/stage"
)

// control is a question with information of which everybody can see whether it answers a part of it. The
// check of significance comes last in a build; it is tried on these before any work.
var control = struct {
	question         string
	answers, besides []string
}{
	question: "Why was the ferry to Little Sark out of use in March, and what did that mean for the people of the island?",
	answers: []string{
		"The ferry to Little Sark was out of use because water had flooded its engine in the night to 14 March.",
		"The school on the island stayed closed while the ferry was out of use.",
		"A fishing boat, the Heron, brought the post to the island while there was no ferry.",
		"The people of Little Sark had no bread in the shop for nine days, because the ferry did not run.",
	},
	besides: []string{
		"A marathon is a race over 42.195 kilometres.",
		"The library of Aldersea lent 300 novels last April.",
		"Tulips are planted in autumn, ten centimetres deep.",
		"The baker's cakes won the prize of the county in 1999.",
	},
}

const (
	leastTried = 10  // questions of a build that begins with the trial: a smaller one costs little
	leastApart = 0.2 // by how much more significant what answers must be than what does not
	enoughTold = 20  // questions after which a screen that says the same of all is told of
)

// tryChecks asks for the significance of the controls, and returns stage.Useless if the answers tell
// nothing.
func (b *Builder) tryChecks(ctx context.Context, seeds int) error {
	if seeds < leastTried {
		return nil
	}
	points := append(append([]string{}, control.answers...), control.besides...)
	subject := func(i int) string { return fmt.Sprintf("control %d", i+1) }
	scores, failed, err := stage.Ask(ctx, b.Session, b.significance(subject, func(i int) (string, string) {
		return control.question, points[i]
	}), stage.Places(len(points)))
	if err != nil || b.Rehearsed {
		return err
	}

	var sums, n [2]float64
	for i := range points {
		of := i / len(control.answers)
		if _, bad := failed[i]; !bad {
			sums[of], n[of] = sums[of]+scores[i], n[of]+1
		}
	}
	const useless = "stopped before anything was made: the model is of no use for the significance of key points, " +
		"which asks whether information answers a question: "
	if 2*len(failed) > len(points) || n[0]*n[1] == 0 {
		return stage.Uselessf(useless+"%d of %d replies cannot be read (%s); %s",
			len(failed), len(points), failed[firstOf(failed)], stage.Checks.Another())
	}

	answers, besides := sums[0]/n[0], sums[1]/n[1]
	b.Note("controls", "", 0, "significance of what answers a question: %.2f, of other things: %.2f", answers, besides)
	if answers-besides >= leastApart {
		return nil
	}
	habit := "its answers have little to do with the question"
	switch {
	case min(answers, besides) > 0.5:
		habit = "it agrees to almost everything"
	case max(answers, besides) < 0.5:
		habit = "it agrees to almost nothing"
	}
	return stage.Uselessf(useless+"it gives %.2f to what does and %.2f to what has nothing to do with it: %s; %s",
		answers, besides, habit, stage.Checks.Another())
}

// firstOf is the first place that failed.
func firstOf(failed map[int]string) int {
	first := -1
	for i := range failed {
		if first < 0 || i < first {
			first = i
		}
	}
	return first
}

// hint tells of a screen that says the same of many questions: perhaps it is so, perhaps the model says it
// of all.
func (b *Builder) hint(asked, kept int) {
	if asked < enoughTold || kept > 0 && kept < asked || b.Criteria == 0 || b.Rehearsed {
		return
	}
	what := fmt.Sprintf("screening left out all %d questions: perhaps none of them needs a long answer, or the model that checks "+
		"finds fault with everything; build-log.jsonl has its reasons, --criteria asks for less", asked)
	if kept == asked {
		what = fmt.Sprintf("screening kept all %d questions: perhaps all are good, or the model that checks agrees to everything; "+
			"read some of them, --criteria 5 asks for more", asked)
	}
	b.Note("screen", "", 0, "%s", what)
	if b.Warn != nil {
		b.Warn(what)
	}
}
