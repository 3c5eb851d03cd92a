package calibrate

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"lore/judge"
	"lore/judge/agreement"
	"lore/judge/ensemble"
)

// labels are n questions in groups of ten with a truth in [0,1]; each judge sees it through noise, bent by
// a power.
func labels(n int, noise ...float64) ([]agreement.Item, [][][]judge.Verdict) {
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	var items []agreement.Item
	verdicts := make([][][]judge.Verdict, len(noise))
	for i := range n {
		truth := rng.Float64()
		label := judge.Nearest(judge.Coverage, truth)
		items = append(items, agreement.Item{
			Group: fmt.Sprint(i / 10),
			Task:  judge.Task{ID: fmt.Sprint(i), Questions: []judge.Question{{ID: "q", Kind: judge.Coverage}}},
			Human: []judge.Verdict{{Label: label, Value: judge.Values[judge.Coverage][label]}},
		})
		for j, sd := range noise {
			seen := min(max(truth+sd*rng.NormFloat64(), 0.001), 1)
			v := judge.Verdict{Score: seen * seen, Value: seen * seen, Label: judge.Nearest(judge.Coverage, seen*seen)}
			verdicts[j] = append(verdicts[j], []judge.Verdict{v})
		}
	}
	return items, verdicts
}

func parts(names ...string) []ensemble.Part {
	var out []ensemble.Part
	for _, n := range names {
		out = append(out, ensemble.Part{Name: n, Digest: "d"})
	}
	return out
}

// Two judges as good as each other count alike, beat each alone, and lose their bias.
func TestTogetherIsBetter(t *testing.T) {
	items, verdicts := labels(300, 0.25, 0.25)
	c := Calibrate(parts("a", "b"), items, verdicts)
	f := c.Kinds[judge.Coverage]
	if f.Use != ensemble.Together || f.Weights[0] < 0.35 || f.Weights[0] > 0.65 || c.N != 300 || f.Groups != 30 {
		t.Errorf("%+v", f)
	}
	if f.Pearson.Together < f.Pearson.Judges[0]+0.02 || f.Error.Together > 0.6*f.Error.Judges[0] {
		t.Errorf("%+v %+v", f.Pearson, f.Error)
	}
	if _, err := ensemble.Parse(c.Encode()); err != nil {
		t.Error(err)
	}
	again := Calibrate(parts("a", "b"), items, verdicts)
	if !bytes.Equal(c.Encode(), again.Encode()) {
		t.Error("equal labels give different files")
	}
}

// A judge that knows nothing gets next to no weight, and the pair is never worse than the other, on
// what it saw and outside.
func TestNoiseCannotSpoil(t *testing.T) {
	items, verdicts := labels(200, 0.2, 50)
	f := Calibrate(parts("a", "noise"), items, verdicts).Kinds[judge.Coverage]
	if f.Weights[1] > 0.1 || f.Pearson.Together < f.Pearson.Judges[0]-loss {
		t.Errorf("%+v", f)
	}
	if f.Use == ensemble.Together && f.Weights[1] == 0 {
		t.Errorf("%+v", f)
	}
}

func TestTooFewLabels(t *testing.T) {
	items, verdicts := labels(20, 0.2, 0.2)
	f := Calibrate(parts("a", "b"), items, verdicts).Kinds[judge.Coverage]
	if !strings.Contains(f.Note, "too few") || f.Weights[0] != 0.5 || len(f.Map) > 0 {
		t.Errorf("%+v", f)
	}
	items, verdicts = labels(60, 0.2)
	if f := Calibrate(parts("a"), items, verdicts).Kinds[judge.Coverage]; !strings.Contains(f.Note, "60 labels are few") {
		t.Errorf("%+v", f)
	}
	for i := range items {
		items[i].Human[0] = judge.Verdict{Label: judge.Full, Value: 1}
	}
	if f := Calibrate(parts("a"), items, verdicts).Kinds[judge.Coverage]; !strings.Contains(f.Note, "all equal") {
		t.Errorf("%+v", f)
	}
}

// 100 labels take most of the bias away from judges of every bent.
func TestHundredLabelsTakeTheBiasAway(t *testing.T) {
	items, verdicts := labels(600, 0.2)
	train, test := items[:100], items[100:]
	c := Calibrate(parts("a"), train, [][][]judge.Verdict{verdicts[0][:100]})
	bias := 0.0
	for i, it := range test {
		v := verdicts[0][100+i][0]
		trace := &ensemble.Trace{Tasks: []judge.Task{it.Task}, Parts: [][][]*judge.Verdict{{{&v}}}}
		got, _ := trace.Rejoin([]string{"a"}, ensemble.Rule{Calibration: c})
		bias += (got[0][0].Value - it.Human[0].Value) / float64(len(test))
	}
	if bias > 0.04 || bias < -0.04 {
		t.Errorf("bias %.3f", bias)
	}
}
