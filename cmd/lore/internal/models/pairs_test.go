package models

import (
	"strings"
	"testing"

	"lore/cmd/lore/internal/store"
	"lore/judge"
	"lore/judge/agreement"
	"lore/judge/ensemble"
	"lore/judge/lexical"
)

// The default averages in a zone where the first judge has scores, else everywhere; a calibration of other
// judges or weights is refused.
func TestRule(t *testing.T) {
	how := Judging{Low: 0.2, High: 0.6}
	lex, model := LexicalPart(), ensemble.Part{Name: "ollama:m", Digest: "d", Prompt: "p"}
	for want, c := range map[string]struct {
		how   Judging
		parts []ensemble.Part
	}{
		"average 2:1 in 0.2..0.6": {how, []ensemble.Part{lex, model}},
		"average":                 {how, []ensemble.Part{model, lex}},
		"average 2:1, ask 0.3":    {Judging{Share: 0.3}, []ensemble.Part{lex, model}},
		"average in 0..1":         {Judging{High: 1, Zoned: true}, []ensemble.Part{model, lex}},
	} {
		r, err := c.how.rule(c.parts)
		if err != nil || r.String() != want {
			t.Errorf("%q %v, want %q", r, err, want)
		}
	}
	if how.DescribePair([]string{"lexical"}) != "" || how.DescribePair([]string{"lexical+ollama:m"}) != "average 2:1 in 0.2..0.6" {
		t.Error("only pairs have a rule among the settings")
	}

	how.Calibration, how.CalibrationFile = &ensemble.Calibration{Judges: []ensemble.Part{lex, model}}, "c.json"
	if r, err := how.rule([]ensemble.Part{lex, model}); err != nil || !strings.HasPrefix(r.String(), "calibrated ") || r.Zone != nil {
		t.Errorf("%q %v", r, err)
	}
	for _, other := range []ensemble.Part{{Name: "ollama:m", Digest: "e", Prompt: "p"}, {Name: "ollama:m", Digest: "d", Prompt: "q"}} {
		if _, err := how.rule([]ensemble.Part{lex, other}); err == nil || !strings.Contains(err.Error(), "calibrate") {
			t.Errorf("%+v: %v", other, err)
		}
	}
	if err := how.CheckCalibration([]string{"lexical"}); err == nil || !strings.Contains(err.Error(), "c.json is for the judge lexical+ollama:m") {
		t.Error(err)
	}
	if err := how.CheckCalibration(nil); err == nil {
		t.Error("a calibration without a judge")
	}
}

// A card is found by the weights and prompts that a manifest tells, whatever the model is called; other
// weights, prompts or modes have none.
func TestCardsAreFoundByWeightsAndPrompts(t *testing.T) {
	cache := t.TempDir()
	hashes := map[string]string{"judge/coverage.txt": "abc"}
	part := ensemble.Part{Name: "ollama:m", Digest: "d", Prompt: promptKey(hashes, "schema")}
	value := 0.62
	card := agreement.Card{Format: agreement.CardFormat, Judge: "ollama:m", Rows: []agreement.CardRow{
		{Kind: judge.Coverage, Texts: "news", Set: "mine", N: 99, Pearson: &value, Worth: agreement.Fair, Verdict: agreement.Use},
	}}
	if _, err := SaveCard(cache, card, []ensemble.Part{part}); err != nil {
		t.Fatal(err)
	}
	again := card
	again.Rows = append([]agreement.CardRow(nil), card.Rows[0])
	again.Rows[0].Set = "other"
	if _, err := SaveCard(cache, again, []ensemble.Part{part}); err != nil {
		t.Fatal(err)
	}

	found := func(m store.Model, prompts map[string]string) int {
		return len(Measured(cache, store.Manifest{Judges: []store.Model{m}, Prompts: prompts}, []string{m.Name}, func(s string) { t.Error(s) }))
	}
	if n := found(store.Model{Name: "ollama:same-by-another-name", Digest: "d", Mode: "schema"}, hashes); n != 2 {
		t.Errorf("found %d rows of two files", n)
	}
	for _, m := range []store.Model{{Name: "ollama:m", Digest: "e", Mode: "schema"}, {Name: "ollama:m", Digest: "d", Mode: "logprob"}} {
		if found(m, hashes) != 0 {
			t.Errorf("%+v has the card of another", m)
		}
	}
	if found(store.Model{Name: "ollama:m", Digest: "d", Mode: "schema"}, map[string]string{"judge/coverage.txt": "x"}) != 0 {
		t.Error("other prompts have the same card")
	}
	if Measured("", store.Manifest{}, []string{"lexical"}, nil) != nil {
		t.Error("there is no cache")
	}
}

func TestSaved(t *testing.T) {
	j, err := Join([]judge.Judge{lexical.Judge{}, lexical.Judge{}}, []ensemble.Part{LexicalPart(), {Name: "b"}}, Judging{Average: true})
	if err != nil {
		t.Fatal(err)
	}
	task := judge.Task{ID: "t", Units: []string{"a b"}, Questions: []judge.Question{{ID: "q", Kind: judge.Coverage, Text: "a"}}}
	if _, err := j.Judge(t.Context(), []judge.Task{task}, nil); err != nil {
		t.Fatal(err)
	}
	if s := Saved(j); !strings.Contains(s, "asked the second judge 1 of 1 questions and saved the other 0") {
		t.Error(s)
	}
	if Saved(lexical.Judge{}) != "" {
		t.Error("one judge saves nothing")
	}
}
