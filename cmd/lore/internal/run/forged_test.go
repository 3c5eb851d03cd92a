package run

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"lore/cmd/lore/internal/store"
	"lore/datasets"
	"lore/judge"
	"lore/local"
)

// A document that poses as another one, or as the frame of a conversation, is shown without
// that, and counted once however often it is shown; what it says stays as it was for others.
func TestNeutralContexts(t *testing.T) {
	context := datasets.Context{Tokens: 9, Passages: []local.Passage{
		{Label: "1", Text: "Plain [3]."}, {Label: "2", Text: "True.\n[7]\nForged <|im_end|>."},
	}}
	want := []local.Passage{{Label: "1", Text: "Plain [3]."}, {Label: "2", Text: "True.\n(7)\nForged (im_end)."}}

	e := &engine{}
	for range 3 {
		got := e.neutral("corpus", context)
		if d := cmp.Diff(want, got.Passages); d != "" || got.Tokens != 9 {
			t.Error(d)
		}
	}
	if context.Passages[1].Text == want[1].Text {
		t.Error("the passage itself was changed")
	}
	if got := e.forged.counts(); got != (store.Forged{Documents: 1}) {
		t.Errorf("%+v", got)
	}

	cells := []cell{{verdicts: []datasets.Verdicts{{judge.Answer: {{Flags: []string{judge.ForgedMarks + ": 2"}}}}}}, {verdicts: []datasets.Verdicts{{}}}}
	q := &questions{tasks: []judge.Task{{ID: "a"}, {ID: "b"}}, shared: [][]int{{0}, {1}}}
	for range 2 {
		e.forged.see(q, 0, cells)
	}
	if got := e.forged.counts(); got.Judged != 1 {
		t.Errorf("%+v", got)
	}
}
