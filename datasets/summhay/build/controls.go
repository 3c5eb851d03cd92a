package build

import (
	"context"

	"lore/datasets/stage"
)

// control is a text of which everybody can see what it states. The checks are tried on it
// before any work, so that a model which answers anything is found out at once.
var control = struct {
	text           string
	stated, denied []string
}{
	text: "The ferry to Little Sark was out of use on 14 March, because its engine had been flooded the night " +
		"before. Captain Orla Finch said that the repair would cost 6,200 crowns and take nine days. Until then " +
		"the school on the island stays closed, and the post is brought by a fishing boat, the Heron. The shop " +
		"in Quay Street sold its last bread at noon. A new ferry was promised by the county in 2017, and has " +
		"been ordered from a yard in Bergen.",
	stated: []string{
		"The ferry to Little Sark did not run on 14 March.",
		"Captain Orla Finch expects the repair to cost 6,200 crowns.",
		"The repair of the ferry is to take nine days.",
		"A fishing boat called the Heron carries the post meanwhile.",
		"The county promised a new ferry in 2017.",
		"The new ferry has been ordered from a yard in Bergen.",
	},
	denied: []string{
		"The ferry was put out of use by a fire in its kitchen.",
		"Captain Orla Finch expects the repair to cost 48,000 crowns.",
		"The library of the island lent 300 books in April.",
		"A helicopter of the coast guard carries the post meanwhile.",
		"The baker of Quay Street won a prize for his cakes in 1999.",
		"The tunnel to the mainland was opened by a minister.",
	},
}

// What a check must get right: of the six statements of each kind, and of all. One that errs
// on 15 in 100, each time anew, fails in one build of a hundred.
const (
	leastControls = 3
	leastRight    = 7
)

// tryChecks asks the checks about the control text, and returns an error that names the one
// which is of no use.
func (b *Builder) tryChecks(ctx context.Context) error {
	statements := append(append([]string{}, control.stated...), control.denied...)
	x := examiner{b.Session, &b.quality, func(int) string { return "control text" }, "controls"}

	got, err := x.ask(ctx, auditQuestion, of(control.text, statements))
	if err != nil {
		return err
	}
	if err := useful("audit, which asks of one statement whether a text says it", got); err != nil {
		return err
	}

	// The same list in an order in which what is stated alternates with what is not.
	var mixed []string
	for i := range control.stated {
		mixed = append(mixed, control.stated[i], control.denied[i])
	}
	named, failed, err := x.lists(ctx, control.text, [][]string{mixed})
	if err != nil {
		return err
	}
	listed := make([]int8, len(mixed))
	for i := range mixed {
		at := i / 2
		if i%2 == 1 {
			at += len(control.stated)
		}
		switch {
		case failed[0]:
			listed[at] = noAnswer
		case named[0][i+1]:
			listed[at] = saysYes
		}
	}
	return useful("list, which asks which of several statements a text makes", listed)
}

// useful is an error if a check got too few controls right; got has its answers, those to
// what the text states first.
func useful(check string, got []int8) error {
	stated, denied, open := 0, 0, 0
	half := len(got) / 2
	for i, a := range got {
		switch {
		case a == noAnswer:
			open++
		case i < half && a == saysYes:
			stated++
		case i >= half && a == saysNo:
			denied++
		}
	}
	if min(stated, denied) >= leastControls && stated+denied >= leastRight {
		return nil
	}

	habit := "its answers have little to do with the text"
	switch {
	case open > half:
		habit = "its replies cannot be read"
	case stated < leastControls && denied > half/2:
		habit = "it finds almost nothing"
	case denied < leastControls && stated > half/2:
		habit = "it agrees to almost everything"
	}
	return stage.Uselessf("stopped before anything was written: the model is of no use for the %s: of a text that states "+
		"%d statements and not %d others, it got %d and %d right, and %d without an answer: %s; "+
		"name another model", check, half, half, stated, denied, open, habit)
}
