package crux

import (
	"context"
	"slices"
	"strings"
	"testing"

	"lore/datasets"
	"lore/judge/lexical"
	"lore/local/published"
)

func silent(string, int) func(int) { return func(int) {} }

// releasedContexts are the released runs' contexts of |Z*| passages, with the oracle's and the human reports.
func releasedContexts(t *testing.T, ds *datasets.Dataset) []RunFigures {
	t.Helper()
	names, err := runFiles(published.Path(t, "data/crux_released/lancer"))
	if err != nil {
		t.Fatal(err)
	}
	runs, err := readRuns(ds, names)
	if err != nil {
		t.Fatal(err)
	}
	var all []RunFigures
	for _, r := range runs {
		all = append(all, r.at(ds, 0, leftOut))
	}
	return append(all, boundsAt(ds, 0)...)
}

// The paper's finding on the recorded runs: at k = |Z*| coverage, α-nDCG and density of the context order
// eleven runs more as their reports' coverage and density do than recall, MAP and nDCG, at both thresholds.
// docs/crux.md has the figures. With 20 passages it is not so: the reports are still as long as Z*.
func TestPublishedContextsPredictReports(t *testing.T) {
	if testing.Short() {
		t.Skip("it only takes long under the race detector: the run without -short has it")
	}
	ds := together(t)
	all := releasedContexts(t, ds)
	if err := addReports(context.Background(), ds, all, lexical.Judge{}, silent); err != nil {
		t.Fatal(err)
	}

	runs := competing(all)
	for _, eta := range (Benchmark{}).etas() {
		for i, answer := range columnsOf(runs, []string{at(CovAnswer, eta), at(DenAnswer, eta)}) {
			var taus []float64
			for _, figure := range columnsOf(runs, contextMetrics(eta)) {
				taus = append(taus, tauOf(figure, answer))
			}
			of := []string{"Cov(y)", "Den(y)"}[i]
			t.Logf("τ of %v with %s, η %d: %.2f", figuresOfContext, of, eta, taus)
			if coverage, relevance := slices.Min(taus[:3]), slices.Max(taus[3:]); !(coverage > relevance+0.04) {
				t.Errorf("τ with %s, η %d: %.2f of coverage, α-nDCG and density, %.2f of recall, MAP and nDCG", of, eta, taus[:3], taus[3:])
			}
		}
	}

	// The oracle's report is the best but people's own, which are shorter.
	for _, f := range runs {
		v, _ := f.mean(at(CovAnswer, 3))
		if oracle, n := all[len(runs)].mean(at(CovAnswer, 3)); n != 50 || oracle < v {
			t.Errorf("%s: %.3f, oracle %.3f", f.Run, v, oracle)
		}
	}
	if v, n := all[len(runs)+1].mean(at(DenAnswer, 3)); n != 50 || v < 0.5 {
		t.Errorf("density of %d human reports: %.3f", n, v)
	}
}

// A report of the paper's example: what the judge leaves open is counted, and an empty context has none.
func TestReportsOfContexts(t *testing.T) {
	ds := table5Data(t)
	ds.Items[0].(*item).set.bench.Malformed = "unscored"
	var runs []RunFigures
	for _, ids := range []string{"a b", "gone"} {
		var lines []runLine
		for _, id := range strings.Fields(ids) {
			lines = append(lines, runLine{topic: "t", passage: id, score: 1})
		}
		runs = append(runs, placeRun(lines, namesIn(ds)).at(ds, 2, leftOut))
	}
	if err := addReports(context.Background(), ds, runs, halfJudge{}, silent); err != nil {
		t.Fatal(err)
	}
	if _, n := runs[0].mean(at(CovAnswer, 3)); n != 0 || runs[0].Unscored != 4 {
		t.Errorf("%d figures, %d unscored", n, runs[0].Unscored)
	}
	if v, n := runs[1].mean(at(CovContext, 3)); v != 0 || n != 1 || runs[1].Unscored != 4 {
		t.Errorf("an empty context covers %v of %d, %d unscored", v, n, runs[1].Unscored)
	}
}

// Samples are ten passages of the first fifty, the same for the same seed.
func TestSample(t *testing.T) {
	ds := together(t)
	names, err := runFiles(published.Path(t, "data/crux_released/lancer/data"))
	if err != nil {
		t.Fatal(err)
	}
	runs, err := readRuns(ds, names)
	if err != nil {
		t.Fatal(err)
	}
	drawn, again, other := sample(ds, runs, 16, 1), sample(ds, runs, 16, 1), sample(ds, runs, 16, 2)
	if len(drawn) != 48 {
		t.Fatalf("%d contexts", len(drawn))
	}
	same, differ := 0, 0
	for i, r := range drawn {
		for topic, ranked := range r.topics {
			first := firstOf(runs[i/16].topics[topic].there, 50)
			if len(ranked.there) != min(10, len(first)) || len(without(ranked.there, first)) > 0 {
				t.Errorf("%s, %s: %v of %v", r.name, topic, ranked.there, first)
			}
			if !slices.Equal(ranked.there, again[i].topics[topic].there) {
				t.Errorf("%s, %s: drawn anew", r.name, topic)
			}
			if slices.Equal(ranked.there, other[i].topics[topic].there) {
				same++
			} else {
				differ++
			}
		}
	}
	if same > differ/100 {
		t.Errorf("%d of %d contexts are the same for another seed", same, same+differ)
	}
}
