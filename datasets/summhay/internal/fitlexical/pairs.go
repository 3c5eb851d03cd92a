package main

import (
	"maps"
	"slices"

	"lore/judge"
	"lore/judge/agreement"
	"lore/judge/calibrate"
	"lore/judge/ensemble"
	"lore/judge/lexical"
)

// The rule for an uncalibrated pair with the lexical judge, as the command line has it.
var uncalibrated = ensemble.Rule{Zone: &ensemble.Zone{Low: 0.3, High: 0.75}, First: 2}

// pairs measures the lexical judge with each recorded one on SummHay's labels. Neither the
// lexical judge nor the weights have seen the subtopics that they are measured on.
func (s *set) pairs(nested []verdict) []lexical.PairFit {
	first := make([][]judge.Verdict, len(s.items))
	for i, it := range s.items {
		for _, q := range it.Task.Questions {
			first[i] = append(first[i], judge.Unscored(q.ID, "empty", "not labelled"))
		}
	}
	fold := make([]int, len(s.items))
	for i, r := range s.rows {
		v := judge.Verdict{Question: s.items[r.task].Task.Questions[r.at].ID, Score: nested[i].score, Value: nested[i].value}
		v.Label = judge.Nearest(r.kind, v.Value)
		first[r.task][r.at] = v
		fold[r.task] = r.fold
	}

	var out []lexical.PairFit
	for _, key := range slices.Sorted(maps.Keys(s.items[0].Recorded)) {
		var second [][]judge.Verdict
		for _, it := range s.items {
			second = append(second, it.Recorded[key])
		}
		p := lexical.PairFit{With: key, Alone: agreement.Pearson(s.items, second)}
		t := calibrate.TraceOf(s.items, first, second)
		verdicts, asked := t.Rejoin([]string{"lexical", key}, uncalibrated)
		p.Default, p.Asked = agreement.Pearson(s.items, verdicts), float64(asked)/float64(len(s.rows))
		p.Calibrated = s.calibrated(fold, key, 0, first, second)
		p.Half = s.calibrated(fold, key, 0.5, first, second)
		out = append(out, p)
	}
	return out
}

// calibrated is the Pearson of a pair that is calibrated on the other folds.
func (s *set) calibrated(fold []int, key string, share float64, verdicts ...[][]judge.Verdict) float64 {
	out := make([][]judge.Verdict, len(s.items))
	names := []string{"lexical", key}
	for f := range folds {
		train, theirs, _ := pick(s.items, verdicts, func(i int) bool { return fold[i] != f })
		test, own, at := pick(s.items, verdicts, func(i int) bool { return fold[i] == f })
		c := calibrate.Calibrate([]ensemble.Part{{Name: names[0]}, {Name: names[1]}}, train, theirs)
		got, _ := calibrate.TraceOf(test, own...).Rejoin(names, ensemble.Rule{Calibration: c, Share: share})
		for k, i := range at {
			out[i] = got[k]
		}
	}
	return agreement.Pearson(s.items, out)
}

// pick are some items, with the verdicts on them and their places.
func pick(items []agreement.Item, verdicts [][][]judge.Verdict, in func(int) bool) (
	some []agreement.Item, theirs [][][]judge.Verdict, at []int) {
	theirs = make([][][]judge.Verdict, len(verdicts))
	for i, it := range items {
		if !in(i) {
			continue
		}
		some, at = append(some, it), append(at, i)
		for j := range verdicts {
			theirs[j] = append(theirs[j], verdicts[j][i])
		}
	}
	return some, theirs, at
}
