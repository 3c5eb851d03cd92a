package crux

import (
	"context"
	"slices"
	"testing"

	"lore/datasets"
	"lore/judge"
	"lore/judge/lexical"
	"lore/local"
	"lore/local/extractive"
	"lore/local/published"
)

// contextOf are the first k passages of a run's ranking that can be shown, by a reading.
func contextOf(it *item, r ranking, k int, how reading) []string {
	if how == leftOut {
		return firstOf(r.there, k)
	}
	var out []string
	for _, id := range firstOf(r.all, k) {
		if it.Corpus().Has(id) {
			out = append(out, id)
		}
	}
	return out
}

// withReports adds to the figures of runs those of extractive reports, graded by the lexical judge in
// one call, as lore run crux makes them: no model is asked. A report of no passage is empty.
func withReports(t *testing.T, ds *datasets.Dataset, runs []recordedRun, k Size, how reading) []RunFigures {
	t.Helper()
	var out []RunFigures
	var tasks []judge.Task
	var evidence []datasets.Evidence
	writer := extractive.New()
	for _, r := range runs {
		out = append(out, RunFigures{Run: r.name, figures: r.measured(ds, k, how)})
		for _, x := range ds.Items {
			it := x.(*item)
			ids := contextOf(it, r.topics[it.ID()], k.of(it), how)
			shown := datasets.Take(it.Corpus(), datasets.Retrieved{IDs: ids}, 0, datasets.Budget{Tokens: 32_000}, datasets.Numbered)
			source := &local.Source{Query: it.topic.Query, Passages: shown.Passages, Words: it.oracleWords}
			reply, err := writer.Do(context.Background(), local.Call{Source: source})
			if err != nil {
				t.Fatal(err)
			}
			e := datasets.Evidence{Context: shown, Output: datasets.Output{Text: reply.Text, Outcome: local.OK}}
			evidence = append(evidence, e)
			tasks = append(tasks, it.Plan(e)...)
		}
	}

	verdicts, err := (lexical.Judge{}).Judge(context.Background(), tasks, nil)
	if err != nil {
		t.Fatal(err)
	}
	for n, e := range evidence {
		run, topic := n/len(ds.Items), n%len(ds.Items)
		for _, s := range ds.Items[topic].(*item).scoreReport(e, verdicts[n]) {
			if s.Unscored == "" {
				out[run].figures[topic][s.Metric] = s.Value
			}
		}
	}
	return out
}

// The paper's finding on the recorded runs: at k = |Z*| coverage, α-nDCG and density of the context order
// eleven runs more as their reports' coverage and density do than recall, MAP and nDCG, at both thresholds.
// docs/crux.md has the figures. With 10 or 20 passages it is not so: the reports are still as long as Z*.
func TestPublishedContextsPredictReports(t *testing.T) {
	ds := together(t)
	names, err := runFiles(published.Path(t, "data/crux_released/lancer"))
	if err != nil {
		t.Fatal(err)
	}
	runs, err := readRuns(ds, names)
	if err != nil {
		t.Fatal(err)
	}
	all := withReports(t, ds, runs, 0, leftOut)

	for _, eta := range (Benchmark{}).etas() {
		for _, answer := range []string{at(CovAnswer, eta), at(DenAnswer, eta)} {
			var taus []float64
			for _, name := range contextMetrics(eta) {
				var x, y []float64
				for _, f := range all {
					v, _ := f.mean(name)
					w, _ := f.mean(answer)
					x, y = append(x, v), append(y, w)
				}
				taus = append(taus, tauOf(x, y))
			}
			t.Logf("τ of %v with %s: %.2f", figuresOfContext, answer, taus)
			if coverage, relevance := slices.Min(taus[:3]), slices.Max(taus[3:]); !(coverage > relevance+0.04) {
				t.Errorf("τ with %s: %.2f of coverage, α-nDCG and density, %.2f of recall, MAP and nDCG", answer, taus[:3], taus[3:])
			}
		}
	}
}
