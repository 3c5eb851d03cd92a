// Package calibrate learns from people's labels what the verdicts of judges mean, and how much
// each of several judges should count.
package calibrate

import (
	"fmt"
	"slices"

	"lore/judge"
	"lore/judge/agreement"
	"lore/judge/ensemble"
	"lore/judge/metric"
)

// Least is the number of labels of a kind below which nothing is learnt, and Enough the number
// from which weights and maps are known to help.
const (
	Least  = 30
	Enough = 100
)

// folds of cross-validation.
const folds = 5

// row is a labelled question with what is read of each judge's verdict.
type row struct {
	kind   judge.Kind
	group  string
	human  float64
	class  int       // place of people's label
	values []float64 // of each judge
	scores []float64
}

// Calibrate learns from labels; verdicts[j] are those of judge j, by item and question. Questions
// that a judge left unscored are left out.
func Calibrate(judges []ensemble.Part, items []agreement.Item, verdicts [][][]judge.Verdict) *ensemble.Calibration {
	c := &ensemble.Calibration{
		Format: ensemble.CalibrationFormat,
		Judges: judges,
		Kinds:  map[judge.Kind]*ensemble.Fit{},
	}
	byKind := map[judge.Kind][]row{}
	for _, r := range rows(items, verdicts) {
		byKind[r.kind] = append(byKind[r.kind], r)
		c.N++
	}
	for kind, of := range byKind {
		c.Kinds[kind] = fitKind(kind, judges, of)
	}
	return c
}

func rows(items []agreement.Item, verdicts [][][]judge.Verdict) []row {
	var out []row
	for i, it := range items {
		for k, h := range it.Human {
			if !h.Scored() {
				continue
			}
			kind := it.Task.Questions[k].Kind
			r := row{kind: kind, group: it.Group, human: h.Value, class: slices.Index(judge.Labels[kind], h.Label)}
			whole := true
			for _, of := range verdicts {
				v := of[i][k]
				whole = whole && v.Scored()
				r.values, r.scores = append(r.values, v.Value), append(r.scores, v.Score)
			}
			if whole {
				out = append(out, r)
			}
		}
	}
	return out
}

// fitKind learns for one kind of question. What it says of its own worth is found by nested
// cross-validation: the choice among models is made without the labels it is measured on.
func fitKind(kind judge.Kind, judges []ensemble.Part, all []row) *ensemble.Fit {
	groups := groupsOf(all)
	f := &ensemble.Fit{N: len(all), Groups: len(groups), Uses: reads(all)}
	if len(all) < Least || constant(all) {
		return plain(f, fmt.Sprintf("%d labels of %s are too few, or all equal: nothing is learnt from them, and the "+
			"judges' values are averaged; %d labels help", len(all), kind, Enough))
	}

	human := humans(all)
	m, r, e := learn(all, f.Uses)
	m.put(f, kind, judges, all)
	f.Pearson.Together, f.Error.Together = round(r), round(e)
	for j := range judges {
		x := column(all, j, ensemble.ReadsValue)
		f.Pearson.Judges = append(f.Pearson.Judges, round(metric.Pearson(x, human)))
		f.Error.Judges = append(f.Error.Judges, round(squared(x, human)))
	}
	f.Note = note(f)
	return f
}

// loss is how much less than the best judge as it is a fit may correlate in nested cross-validation.
const loss = 0.01

// learn finds a model, with its Pearson and squared error on rows that took no part: first from all
// candidates; where these were worse there than the best judge as it is, from lines alone; and else
// that judge, on a line where this lessens the error.
func learn(all []row, uses []string) (m model, pearson, error float64) {
	asIs, values, _ := best(all, uses)
	for _, from := range [][]fitter{candidates(uses), lines(uses)} {
		outside := held(all, func(train []row) model { return choose(train, uses, from) })
		if r := metric.Pearson(outside, humans(all)); r >= values-loss {
			return choose(all, uses, from), r, squared(outside, humans(all))
		}
	}

	// A line leaves the judge's Pearson as it is, whatever it was fitted on; only its error is in question.
	fit := mapped(asIs.uses, func([]row) []float64 { return asIs.weights }, line).fit
	e, was := squared(held(all, fit), humans(all)), squared(asIs.values(all), humans(all))
	if m := fit(all); e < was && metric.Pearson(m.values(all), humans(all)) >= values-1e-9 {
		return m, values, e
	}
	return asIs, values, was
}

// held are the values of every row by a model that is fitted without its fold.
func held(all []row, fit func(train []row) model) []float64 {
	out := make([]float64, len(all))
	for _, fold := range deal(all) {
		train, _ := split(all, fold)
		inner := fit(train)
		for i, r := range all {
			if fold(i) {
				out[i] = inner.value(r)
			}
		}
	}
	return out
}
