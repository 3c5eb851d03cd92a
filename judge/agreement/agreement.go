// Package agreement measures a judge against people.
package agreement

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"lore/judge"
	"lore/judge/metric"
	"lore/local/text"
)

// Item is one task with the verdicts of people.
type Item struct {
	Task     judge.Task
	Human    []judge.Verdict            // in the order of the task's questions; unscored where nobody labelled
	System   string                     // what the text came from: a model, and what it was shown
	Writer   string                     // who wrote it, whatever was shown; empty: System
	Group    string                     // what items share, such as the subtopic: the unit of resampling
	Source   string                     // what the text may have been copied from; the statements if empty
	Recorded map[string][]judge.Verdict // verdicts of other judges that came with the labels
	Ratings  []map[string]float64       // of each question: the value of each annotator; nil where there are none
	Columns  []map[string]string        // of each question: what else is known to group by; may be nil
}

// Report is how one judge agrees with people. Values are in [0,1] or [-1,1];
// undefined ones are NaN.
type Report struct {
	Judge           string
	N               int             // questions with a human label and a verdict
	NUnscored       int             // with a human label, but no verdict
	Pearson         float64         // of values
	PearsonCI       metric.Interval // 95 % bootstrap, clustered by group
	PearsonScore    float64         // of the judge's continuous score, where it has one
	Spearman        float64
	Kappa           float64 // Cohen's, quadratic weights over the ordered labels
	Accuracy        float64
	ByLabel         map[string]float64        // share of each human label that the judge gives, too
	Confusion       map[string]map[string]int // human label, judge's label
	LinkingAccuracy float64                   // where both name a unit: share naming the same
	LinkingN        int
	Bias            float64            // mean value minus mean human value
	BiasBySystem    map[string]float64 // the same per system
	LengthCorr      float64            // of the error with the text's words per unit
	CopyCorr        float64            // of the error with the share of the text's trigrams found in its source
	AUC             float64            // of the score, or the value where there is none: people at ½ or more
	Balanced        float64            // accuracy at ½, mean of both sides
	KendallSystems  float64            // of the systems' mean values
	KendallCI       metric.Interval    // 95 % bootstrap, clustered by group
	PearsonSystems  float64            // of the same
	PearsonSysCI    metric.Interval
	Systems         int
}

// pair is one labelled question.
type pair struct {
	human, judge     judge.Verdict
	kind             judge.Kind
	group, system    string
	length, copied   float64
	humanAt, judgeAt int // places of the labels on their scale
}

// Measure compares a judge's verdicts, one list per item, with people's.
func Measure(name string, items []Item, verdicts [][]judge.Verdict, seed uint64) Report {
	pairs, missing := collect(items, verdicts)
	r := Report{
		Judge:        name,
		N:            len(pairs),
		NUnscored:    missing,
		ByLabel:      map[string]float64{},
		Confusion:    map[string]map[string]int{},
		BiasBySystem: map[string]float64{},
	}

	human, value, score := columns(pairs)
	r.Pearson = metric.Pearson(value, human)
	r.PearsonCI = pearsonInterval(pairs, seed)
	r.PearsonScore = metric.Pearson(score, human)
	r.Spearman = metric.Spearman(value, human)
	r.Bias = metric.Mean(value) - metric.Mean(human)

	r.labels(pairs)
	r.links(pairs)
	r.systems(pairs, seed)
	r.halves(pairs)

	var errors, lengths, copies []float64
	for _, p := range pairs {
		errors = append(errors, p.judge.Value-p.human.Value)
		lengths, copies = append(lengths, p.length), append(copies, p.copied)
	}
	r.LengthCorr, r.CopyCorr = metric.Pearson(errors, lengths), metric.Pearson(errors, copies)
	return r
}

// Pearson is the correlation of a judge's values with people's alone.
func Pearson(items []Item, verdicts [][]judge.Verdict) float64 {
	pairs, _ := collect(items, verdicts)
	human, value, _ := columns(pairs)
	return metric.Pearson(value, human)
}

// KindsOf are the kinds of question among labels.
func KindsOf(items []Item) []judge.Kind {
	asked := map[judge.Kind]bool{}
	for _, it := range items {
		for _, q := range it.Task.Questions {
			asked[q.Kind] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(judge.Kinds), func(k judge.Kind) bool { return !asked[k] })
}

func collect(items []Item, verdicts [][]judge.Verdict) (pairs []pair, missing int) {
	for i, it := range items {
		length, copied := shape(it)
		for k, h := range it.Human {
			if !h.Scored() {
				continue
			}

			v := verdicts[i][k]
			if !v.Scored() {
				missing++
				continue
			}

			kind := it.Task.Questions[k].Kind
			pairs = append(pairs, pair{
				human:   h,
				judge:   v,
				kind:    kind,
				group:   it.Group,
				system:  it.System,
				length:  length,
				copied:  copied,
				humanAt: slices.Index(judge.Labels[kind], h.Label),
				judgeAt: slices.Index(judge.Labels[kind], v.Label),
			})
		}
	}
	return pairs, missing
}

// shape is a text's words per unit and the share of its word trigrams that stand
// in its source.
func shape(it Item) (length, copied float64) {
	source := it.Source
	if source == "" {
		var b strings.Builder
		for _, q := range it.Task.Questions {
			b.WriteString(q.Text + "\n")
		}
		source = b.String()
	}

	have := map[string]bool{}
	for _, g := range trigrams(source) {
		have[g] = true
	}

	all, found := 0, 0
	for _, u := range it.Task.Units {
		for _, g := range trigrams(u) {
			all++
			if have[g] {
				found++
			}
		}
	}

	if all > 0 {
		copied = float64(found) / float64(all)
	}
	return wordsPerUnit(it), copied
}

func wordsPerUnit(it Item) float64 {
	words := 0
	for _, u := range it.Task.Units {
		words += len(strings.Fields(u))
	}
	return float64(words) / float64(max(1, len(it.Task.Units)))
}

func trigrams(s string) []string {
	w := text.Words(s)
	var out []string
	for i := 0; i+3 <= len(w); i++ {
		out = append(out, w[i]+" "+w[i+1]+" "+w[i+2])
	}
	return out
}

func columns(pairs []pair) (human, value, score []float64) {
	for _, p := range pairs {
		human, value = append(human, p.human.Value), append(value, p.judge.Value)
		score = append(score, p.judge.Score)
	}
	return human, value, score
}

func (r *Report) labels(pairs []pair) {
	var a, b []int
	var x, y []string
	all := map[string]int{}
	k := 0
	for _, p := range pairs {
		a, b = append(a, p.humanAt), append(b, p.judgeAt)
		x, y = append(x, p.human.Label), append(y, p.judge.Label)
		k = max(k, len(judge.Labels[p.kind]))
		if r.Confusion[p.human.Label] == nil {
			r.Confusion[p.human.Label] = map[string]int{}
		}
		r.Confusion[p.human.Label][p.judge.Label]++
		all[p.human.Label]++
	}

	for label, n := range all {
		r.ByLabel[label] = float64(r.Confusion[label][label]) / float64(n)
	}

	r.Accuracy = metric.Accuracy(x, y)
	r.Kappa = metric.NaN
	if !slices.Contains(a, -1) && !slices.Contains(b, -1) {
		r.Kappa = metric.CohenKappa(a, b, k, metric.Quadratic)
	}
}

func (r *Report) links(pairs []pair) {
	same := 0
	for _, p := range pairs {
		if p.human.Unit > 0 && p.judge.Unit > 0 {
			r.LinkingN++
			if p.human.Unit == p.judge.Unit {
				same++
			}
		}
	}

	r.LinkingAccuracy = metric.NaN
	if r.LinkingN > 0 {
		r.LinkingAccuracy = float64(same) / float64(r.LinkingN)
	}
}

// halves measures how well the judge tells what people put at ½ or more from the rest.
func (r *Report) halves(pairs []pair) {
	scored := slices.ContainsFunc(pairs, func(p pair) bool { return p.judge.Score != 0 })
	var score []float64
	var human, judged []bool
	for _, p := range pairs {
		score = append(score, p.judge.Value)
		if scored {
			score[len(score)-1] = p.judge.Score
		}
		human, judged = append(human, p.human.Value >= 0.5), append(judged, p.judge.Value >= 0.5)
	}
	r.AUC, r.Balanced = metric.AUC(score, human), metric.BalancedAccuracy(human, judged)
}

func (r *Report) systems(pairs []pair, seed uint64) {
	var names []string
	at := map[string]int{}
	place := make([]int, len(pairs))
	for i, p := range pairs {
		k, ok := at[p.system]
		if !ok {
			k = len(names)
			at[p.system] = k
			names = append(names, p.system)
		}
		place[i] = k
	}

	all := make([]int, len(pairs))
	for i := range all {
		all[i] = i
	}
	human, value := systemMeans(pairs, place, all, len(names))
	for i, n := range names {
		r.BiasBySystem[n] = value[i] - human[i]
	}
	r.Systems = len(names)
	r.KendallSystems, r.PearsonSystems = metric.KendallTauB(human, value), metric.Pearson(human, value)
	r.KendallCI, r.PearsonSysCI = metric.Undefined, metric.Undefined
	if len(names) < 3 {
		return
	}

	of := func(statistic func(x, y []float64) float64) metric.Interval {
		return metric.BootstrapClusters(groupsOf(pairs), resamples/2, 0.95, seed, func(draw []int) float64 {
			return statistic(systemMeans(pairs, place, draw, len(names)))
		})
	}
	r.KendallCI, r.PearsonSysCI = of(metric.KendallTauB), of(metric.Pearson)
}

// systemMeans are people's and the judge's mean per system over some pairs; a system without
// any is left out.
func systemMeans(pairs []pair, place, members []int, systems int) (human, value []float64) {
	h, v, n := make([]float64, systems), make([]float64, systems), make([]float64, systems)
	for _, i := range members {
		k := place[i]
		h[k] += pairs[i].human.Value
		v[k] += pairs[i].judge.Value
		n[k]++
	}
	for k := range n {
		if n[k] > 0 {
			human, value = append(human, h[k]/n[k]), append(value, v[k]/n[k])
		}
	}
	return human, value
}

// resamples of the intervals.
const resamples = 2000

// pearsonInterval is a percentile bootstrap interval over groups.
func pearsonInterval(pairs []pair, seed uint64) metric.Interval {
	return metric.BootstrapClusters(groupsOf(pairs), resamples, 0.95, seed, func(draw []int) float64 {
		human, value := make([]float64, len(draw)), make([]float64, len(draw))
		for i, k := range draw {
			human[i], value[i] = pairs[k].human.Value, pairs[k].judge.Value
		}
		return metric.Pearson(value, human)
	})
}

func groupsOf(pairs []pair) [][]int {
	return metric.Groups(pairs, func(p pair) string { return p.group })
}

// Paired is the difference of two judges' correlations with people, on the
// questions both have answered.
type Paired struct {
	A, B string
	Diff float64         // Pearson of A minus Pearson of B
	CI   metric.Interval // 95 % bootstrap over groups, drawn together
	N    int
}

// Compare measures how much better one judge agrees than another.
func Compare(nameA, nameB string, items []Item, a, b [][]judge.Verdict, seed uint64) Paired {
	var both []Item
	var va, vb [][]judge.Verdict
	for i, it := range items {
		common := it
		common.Human = slices.Clone(it.Human)
		for k := range common.Human {
			if !a[i][k].Scored() || !b[i][k].Scored() {
				common.Human[k].Outcome = cmp.Or(a[i][k].Outcome, b[i][k].Outcome)
			}
		}
		both, va, vb = append(both, common), append(va, a[i]), append(vb, b[i])
	}

	pa, _ := collect(both, va)
	pb, _ := collect(both, vb)
	diff := func(draw []int) float64 {
		h, x, y := make([]float64, len(draw)), make([]float64, len(draw)), make([]float64, len(draw))
		for i, k := range draw {
			h[i], x[i], y[i] = pa[k].human.Value, pa[k].judge.Value, pb[k].judge.Value
		}
		return metric.Pearson(x, h) - metric.Pearson(y, h)
	}

	all := make([]int, len(pa))
	for i := range all {
		all[i] = i
	}

	interval := metric.BootstrapClusters(groupsOf(pa), resamples, 0.95, seed, diff)
	return Paired{A: nameA, B: nameB, Diff: diff(all), CI: interval, N: len(pa)}
}

// Finite turns NaN into nil, for JSON.
func Finite(v float64) *float64 {
	if math.IsNaN(v) {
		return nil
	}
	return &v
}
