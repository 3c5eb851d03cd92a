package report

import (
	"slices"
	"testing"

	"lore/cmd/lore/internal/store"
	"lore/datasets"
	"lore/judge"
)

// Links that a judge was asked for and did not name are counted; those that nobody asked for are not.
func TestBulletsNotNamed(t *testing.T) {
	flagged := func(flags ...string) judge.Verdict {
		return judge.Verdict{Question: "q", Label: judge.Full, Value: 1, Flags: flags}
	}
	of := func(by string, vs ...judge.Verdict) store.TaskVerdicts {
		return store.TaskVerdicts{Judged: datasets.Judged{Judge: by}, Verdicts: vs}
	}
	named := judge.NamedNone + "the reply names no bullet"

	g := Bullets(byJudge([]store.TaskVerdicts{
		of("a", flagged(judge.LinkedByWords+named), flagged(judge.FirstOfBullets+" [2,1]"), flagged()),
		of("b", flagged(judge.LinkedByWords), flagged(judge.LinkedToNone)),
		of("a", flagged(judge.LinkedToNone+named), judge.Verdict{Question: "q", Label: judge.None}),
	}))
	want := []string{"a", "4", "1", "1", "1", "q: linked by word overlap: the reply names no bullet"}
	if len(g.Rows) != 1 || !slices.Equal(g.Rows[0], want) {
		t.Errorf("%v", g.Rows)
	}
}
