package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"lore/judge"
	"lore/judge/agreement"
	"lore/judge/calibrate"
	"lore/judge/ensemble"
	"lore/judge/lexical"
)

// summhayLabels are people's labels of SummHay with six recorded judges.
func summhayLabels(t *testing.T) []agreement.Item {
	t.Helper()
	path := filepath.Join(sharedDir(), "data", "summhay", "human_coverage_labels_dev.json")
	if _, err := os.Stat(path); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("the published labels are missing: %v", err)
		}
		t.Skipf("the published labels are not here: %v", err)
	}
	labels, err := publishedLabels(path)
	if err != nil {
		t.Fatal(err)
	}
	return labels.Items
}

// nested combines the judges on every group by what was learnt from the other groups, for each share of calls: what
// is learnt is the same for all of them.
func nested(items []agreement.Item, shares []float64, names []string, verdicts ...[][]judge.Verdict) [][][]judge.Verdict {
	out := make([][][]judge.Verdict, len(shares))
	for s := range out {
		out[s] = make([][]judge.Verdict, len(items))
	}
	groups := map[string]bool{}
	for _, it := range items {
		groups[it.Group] = true
	}
	var parts []ensemble.Part
	for _, n := range names {
		parts = append(parts, ensemble.Part{Name: n})
	}
	for _, g := range slices.Sorted(maps.Keys(groups)) {
		pick := func(in bool) ([]agreement.Item, [][][]judge.Verdict, []int) {
			var some []agreement.Item
			theirs, at := make([][][]judge.Verdict, len(verdicts)), []int(nil)
			for i, it := range items {
				if (it.Group == g) == in {
					some, at = append(some, it), append(at, i)
					for j := range verdicts {
						theirs[j] = append(theirs[j], verdicts[j][i])
					}
				}
			}
			return some, theirs, at
		}
		train, theirs, _ := pick(false)
		test, own, at := pick(true)
		c := calibrate.Calibrate(parts, train, theirs)
		trace := calibrate.TraceOf(test, own...)
		for s, share := range shares {
			got, _ := trace.Rejoin(names, ensemble.Rule{Calibration: c, Share: share})
			for k, i := range at {
				out[s][i] = got[k]
			}
		}
	}
	return out
}

// Pairs of the lexical judge and recorded models on people's labels of SummHay: calibrated on the other
// subtopics they beat the lexical judge, also at half of the calls; a weak model cannot spoil it.
func TestPublishedPairs(t *testing.T) {
	if testing.Short() {
		t.Skip("-short leaves out what only takes long; make test runs it")
	}
	items := summhayLabels(t)
	var tasks []judge.Task
	for _, it := range items {
		tasks = append(tasks, it.Task)
	}
	first, err := (lexical.Judge{}).Judge(context.Background(), tasks, nil)
	if err != nil {
		t.Fatal(err)
	}
	alone := agreement.Measure("lexical", items, first, 1)
	t.Logf("lexical alone: %.4f, score %.4f", alone.Pearson, alone.PearsonScore)

	// What no fit has seen is measured by TestPublishedFit: the lexical judge knows these labels.
	asItIs := ensemble.Rule{Zone: &ensemble.Zone{Low: 0.3, High: 0.75}, First: 2}
	for key, least := range map[string]float64{
		"predictions_prompted_gemini-1.5-pro": 0.79,
		"predictions_prompted_gpt-4o":         0.775,
		"predictions_prompted_claude3-haiku":  alone.Pearson,
		"predictions_prompted_gpt3.5":         alone.Pearson,
	} {
		second, err := recordedVerdicts(items, key)
		if err != nil {
			t.Fatal(err)
		}
		names := []string{"lexical", key}
		trace := calibrate.TraceOf(items, first, second)
		report := fmt.Sprintf("%s alone %.4f;", key, agreement.Measure(key, items, second, 1).Pearson)
		for _, rule := range []ensemble.Rule{{First: 2}, asItIs, {Share: 0.3, First: 2}, {Share: 0.5, First: 2}} {
			got, asked := trace.Rejoin(names, rule)
			report += fmt.Sprintf(" %s %.4f (%d asked);", rule, agreement.Measure("", items, got, 1).Pearson, asked)
		}

		joined := nested(items, []float64{0, 0.5, 0.3}, names, first, second)
		all := agreement.Measure(key, items, joined[0], 1).Pearson
		half := agreement.Measure(key, items, joined[1], 1).Pearson
		third := agreement.Measure(key, items, joined[2], 1).Pearson
		t.Logf("%s calibrated %.4f, at half of the calls %.4f, at 30 %% %.4f", report, all, half, third)
		if all < least || half < all-0.01 {
			t.Errorf("lexical+%s: %.4f calibrated, want %.4f; %.4f at half of the calls, want %.4f", key, all, least, half, all-0.01)
		}
	}
}
