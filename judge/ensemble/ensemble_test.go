package ensemble

import (
	"context"
	"strings"
	"testing"

	"lore/judge"
	"lore/local"
)

// scripted answers by question id and records what it was asked.
type scripted struct {
	name  string
	by    map[string]judge.Verdict
	asked []string
}

func (s *scripted) Name() string { return s.name }

func (s *scripted) Judge(_ context.Context, tasks []judge.Task, done func(int)) ([][]judge.Verdict, error) {
	var out [][]judge.Verdict
	for _, t := range tasks {
		var v []judge.Verdict
		for _, q := range t.Questions {
			s.asked = append(s.asked, q.ID)
			v = append(v, s.by[q.ID])
		}
		out = append(out, v)
	}
	if done != nil {
		done(len(s.asked))
	}
	return out, nil
}

func verdict(label string, score float64, unit int) judge.Verdict {
	return judge.Verdict{Label: label, Value: judge.Values[judge.Coverage][label], Score: score, Unit: unit}
}

func tasks() []judge.Task {
	q := func(id string) judge.Question { return judge.Question{ID: id, Kind: judge.Coverage} }
	return []judge.Task{{ID: "t", Units: []string{"u"}, Questions: []judge.Question{q("a"), q("b"), q("c")}}, {ID: "s", Units: []string{"u"}, Questions: []judge.Question{q("d")}}}
}

func TestTheSecondIsAskedOnlyWhereTheFirstIsUnsure(t *testing.T) {
	first := &scripted{name: "lexical", by: map[string]judge.Verdict{"a": verdict("none", 0.1, 0), "b": verdict("partial", 0.4, 1), "c": verdict("full", 0.9, 1), "d": verdict("none", 0.2, 0)}}
	second := &scripted{name: "model", by: map[string]judge.Verdict{"b": verdict("full", 0, 1), "d": judge.Unscored("d", local.BadFormat, "x")}}
	j := &Judge{First: first, Second: second, Low: 0.2, High: 0.6}
	got, err := j.Judge(context.Background(), tasks(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if s := strings.Join(second.asked, ""); s != "bd" {
		t.Errorf("the second was asked %q", s)
	}
	if got[0][0].Label != "none" || got[0][1].Label != "full" || got[0][2].Label != "full" {
		t.Errorf("%+v", got)
	}
	if got[1][0].Scored() {
		t.Error("where the second fails, the first's guess passes for an answer")
	}
	if asked, all := j.Asked(); asked != 2 || all != 4 {
		t.Errorf("asked %d of %d", asked, all)
	}
	if j.Name() != "lexical+model (unsure 0.2..0.6)" {
		t.Error(j.Name())
	}
}

func TestAverage(t *testing.T) {
	first := &scripted{name: "lexical", by: map[string]judge.Verdict{"a": verdict("none", 0, 0), "b": verdict("full", 1, 2), "c": verdict("partial", 0.4, 1), "d": verdict("none", 0, 0)}}
	second := &scripted{name: "model", by: map[string]judge.Verdict{"a": verdict("full", 0, 1), "b": verdict("partial", 0, 1), "c": judge.Unscored("c", local.Cut, "x"), "d": verdict("none", 0, 0)}}
	j := &Judge{First: first, Second: second, Average: true}
	got, err := j.Judge(context.Background(), tasks(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if a := got[0][0]; a.Value != 0.5 || a.Label != "partial" || a.Unit != 1 {
		t.Errorf("0 and 1: %+v", a)
	}
	if b := got[0][1]; b.Value != 0.75 || b.Unit != 1 {
		t.Errorf("1 and 0.5: %+v", b)
	}
	if got[0][2].Scored() || got[1][0].Value != 0 {
		t.Errorf("%+v", got)
	}
}
