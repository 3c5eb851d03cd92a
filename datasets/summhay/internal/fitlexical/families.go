package main

import (
	"lore/judge"
	"lore/judge/lexical"
)

// family is the kinds of question whose weights are fitted together: what they share, and
// what each differs by.
type family struct {
	kinds    []judge.Kind
	features []string    // that they weigh; all but the answerability ones if empty
	lengths  bool        // weights change with the lengths of statement and text
	grid     []penalties // that are tried
}

// families are fitted apart, because a question is not found in a text as a statement is:
// together, answerability of CRUX's reports fell from .53 to .42.
var families = []family{
	{
		kinds:   []judge.Kind{judge.Coverage, judge.Entailment},
		lengths: true,
		grid: []penalties{
			{300, map[judge.Kind]float64{judge.Coverage: 1000, judge.Entailment: 10000}},
			{1000, map[judge.Kind]float64{judge.Coverage: 1000, judge.Entailment: 10000}},
			{1000, map[judge.Kind]float64{judge.Coverage: 3000, judge.Entailment: 10000}},
		},
	},
	{
		// Few rows in few topics carry few weights.
		kinds: []judge.Kind{judge.Answerability},
		features: []string{"two_units", "pair_set", "repeated", "union_set", "rarest_missing", "sequences",
			"rouge_precision", "text_length"},
		grid: []penalties{
			{30, map[judge.Kind]float64{judge.Answerability: 1e9}},
			{100, map[judge.Kind]float64{judge.Answerability: 1e9}},
			{300, map[judge.Kind]float64{judge.Answerability: 1e9}},
		},
	},
}

// forQuestions are features that statements do not weigh.
var forQuestions = map[string]bool{"two_units": true, "repeated": true, "text_length": true}

// familyOf is the family of a kind.
func familyOf(kind judge.Kind) int {
	for i, f := range families {
		for _, k := range f.kinds {
			if k == kind {
				return i
			}
		}
	}
	panic("no family for kind " + string(kind))
}

// columns are the places of the features that a family weighs.
func (f family) columns() []int {
	var out []int
	for i, name := range lexical.FeatureNames {
		if len(f.features) == 0 && !forQuestions[name.Name] {
			out = append(out, i)
			continue
		}
		for _, want := range f.features {
			if want == name.Name {
				out = append(out, i)
			}
		}
	}
	return out
}

// size is the number of weights of a kind: one per feature, and where lengths count, one for
// how it changes with each of the two.
func (f family) size() int {
	if f.lengths {
		return 3 * len(f.columns())
	}
	return len(f.columns())
}
