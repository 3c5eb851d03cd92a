package build

import (
	"context"
	"fmt"

	"lore/datasets/stage"
)

// controls are rewritten questions that the check has to pass, and others that it must not: one that
// does not stand alone, one that asks something else, and one that tells the answer. The check is tried on
// them before any work.
var controls = []rewritten{
	{"Why was it out of use?", "Why was the ferry to Little Sark out of use on 14 March?",
		"Its engine had been flooded the night before."},
	{"Who founded it?", "Who founded the bakery in Quay Street?",
		"A woman called Ada Moss, who had learnt to bake in Vienna."},
	{"What did she promise?", "What did Captain Orla Finch of the ferry to Little Sark promise the school?",
		"That its children would be fetched by a fishing boat."},

	{"Why was it out of use?", "Why was it out of use?", "Its engine had been flooded the night before."},
	{"Who founded it?", "What colour is the door of the library of Aldersea?",
		"A woman called Ada Moss, who had learnt to bake in Vienna."},
	{"Why was it out of use?", "Was the ferry to Little Sark out of use because its engine had been flooded the night before?",
		"Its engine had been flooded the night before."},
}

// leastTried is how many queries a build has that begins with the trial: a smaller one costs little.
const leastTried = 40

// rewritten is what the check is shown.
type rewritten struct{ original, query, answer string }

// tryCheck asks for the check of the controls, and returns stage.Useless if it says the same of all.
func (b *Builder) tryCheck(ctx context.Context, queries int) error {
	if queries < leastTried {
		return nil
	}
	subject := func(i int) string { return fmt.Sprintf("control %d", i+1) }
	got, failed, err := stage.Round(ctx, b.Session, checking(subject, func(i int) rewritten { return controls[i] }),
		stage.Places(len(controls)), nil, 1)
	if err != nil || b.Rehearsed {
		return err
	}

	const useless = "stopped before anything was written: the model is of no use for the check of rewritten questions: "
	half := len(controls) / 2
	if len(failed) > half {
		return stage.Uselessf(useless+"%d of %d replies cannot be read (%s); %s",
			len(failed), len(controls), anyOf(failed), stage.Checks.Another())
	}
	var passed [2]int
	for i := range controls {
		if checkProblem(got[i], failed[i]) == "" {
			passed[i/half]++
		}
	}
	b.Note("controls", "", 0, "the check passes %d of %d good questions and %d of %d poor ones", passed[0], half, passed[1], half)
	if passed[0] > passed[1] {
		return nil
	}
	return stage.Uselessf(useless+"it passes %d of %d good ones, and %d of %d that do not stand alone, ask something else or tell "+
		"the answer; %s", passed[0], half, passed[1], half, stage.Checks.Another())
}

// anyOf is the reason of the first place that failed.
func anyOf(failed map[int]string) string {
	for i := range controls {
		if failed[i] != "" {
			return failed[i]
		}
	}
	return ""
}
