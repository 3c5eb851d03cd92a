package agreement

import (
	"math"
	"testing"

	"lore/judge"
)

// Two writers, three texts, by hand: ada's texts are 0.5 and 0 too high, ben's 0.25 too low.
func TestMeasureTexts(t *testing.T) {
	text := func(system, writer string, units []string, human ...float64) Item {
		it := Item{System: system, Writer: writer, Task: judge.Task{Units: units}}
		for _, v := range human {
			it.Task.Questions = append(it.Task.Questions, judge.Question{})
			it.Human = append(it.Human, judge.Verdict{Value: v})
		}
		return it
	}
	items := []Item{
		text("bm25 ada", "ada", []string{"one two", "three four five six"}, 0.5, 0.5), // 3 words per unit
		text("full ada", "ada", []string{"one"}, 1, 0),
		text("ben", "", []string{"one two"}, 1, 1),
	}
	said := [][]judge.Verdict{{{Value: 1}, {Value: 1}}, {{Value: 0}, {Value: 1}}, {{Value: 0.5}, {Value: 1}}}

	m := MeasureTexts(items, said)
	if m.N != 3 || len(m.Writers) != 2 || m.BiasOf("ada") != 0.25 || m.BiasOf("ben") != -0.25 || m.Average != 0 {
		t.Errorf("%+v", m)
	}
	if !math.IsNaN(m.BiasOf("eve")) {
		t.Error("somebody who wrote nothing has a bias")
	}
	// Lengths 3, 1, 2; people's scores 0.5, 0.5, 1; the judge's 1, 0.5, 0.75.
	if math.Abs(m.Score.Pearson-1) > 1e-12 || math.Abs(m.Score.Spearman-1) > 1e-12 || math.Abs(m.Label.Pearson) > 1e-12 {
		t.Errorf("length: %+v", m)
	}

	said[2][0] = judge.Unscored("", "empty", "")
	if m := MeasureTexts(items, said); m.BiasOf("ben") != 0 {
		t.Errorf("a question without a verdict counts: %v", m.BiasOf("ben"))
	}
	none := MeasureTexts(items[:1], [][]judge.Verdict{{judge.Unscored("", "empty", ""), judge.Unscored("", "empty", "")}})
	if none.N != 0 || !math.IsNaN(none.Average) || !math.IsNaN(none.Score.Pearson) {
		t.Errorf("nothing is scored, and yet %+v", none)
	}
}

// An annotator is measured against the mean of the others.
func TestMeasureAnnotatorTexts(t *testing.T) {
	items := []Item{{
		System:  "ada",
		Task:    judge.Task{Units: []string{"one"}, Questions: make([]judge.Question, 2)},
		Human:   make([]judge.Verdict, 2),
		Ratings: []map[string]float64{{"x": 1, "y": 0.5, "z": 0}, {"x": 1}},
	}}
	got := MeasureAnnotatorTexts(items)
	if len(got) != 3 || got[0].Annotator != "x" || got[0].Average != 0.75 || got[1].Average != 0 || got[2].Average != -0.75 {
		t.Errorf("%+v", got)
	}
}
