package msrs

import (
	"context"
	"math"
	"path/filepath"
	"testing"

	"lore/datasets"
	"lore/judge/lexical"
	"lore/judge/metric"
	"lore/local"
	"lore/local/published"
)

// The lexical judge's relevance against the authors' G-Eval on all recorded answers
// to the story test set: Pearson per answer, and Kendall's τ-b over the means of the
// 12 systems.
func TestPublishedRelevance(t *testing.T) {
	if testing.Short() {
		t.Skip("3,115 answers take long under the race detector; make test runs it")
	}
	ds, err := Benchmark{}.Load([]string{published.Path(t, "data/msrs/story")})
	if err != nil {
		t.Fatal(err)
	}
	var x, y, meanX, meanY []float64
	for _, setting := range []string{"bm25", "oracle"} {
		files, err := filepath.Glob(filepath.Join(published.Path(t, "data/msrs/outputs/story/"+setting), "summary", "*.json"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			grades, err := measured(file, ds)
			if err != nil {
				t.Fatal(err)
			}
			if grades == nil {
				continue
			}
			o, err := LoadOutputs(file)
			if err != nil {
				t.Fatal(err)
			}
			var sx, sy []float64
			for i, it := range ds.Items {
				g, ok := grades[it.ID()]
				if !ok {
					continue
				}
				v, err := (lexical.Judge{}).Judge(context.Background(), it.Plan(datasets.Evidence{Output: datasets.Output{Text: o.Texts[i], Outcome: local.OK}}), nil)
				if err != nil {
					t.Fatal(err)
				}
				sx, sy = append(sx, v[0][0].Value), append(sy, g[GEvalRecorded])
			}
			x, y = append(x, sx...), append(y, sy...)
			meanX, meanY = append(meanX, metric.Mean(sx)), append(meanY, metric.Mean(sy))
		}
	}
	if len(x) != lexical.RelevanceN || len(meanX) != lexical.RelevanceSystems {
		t.Fatalf("%d answers of %d systems", len(x), len(meanX))
	}
	r, tau := metric.Pearson(x, y), metric.KendallTauB(meanX, meanY)
	t.Logf("Pearson %.3f, Kendall %.3f", r, tau)
	// The values are cut at 0 and 1, so their Pearson is not to the digit that of the
	// F1 they come from.
	if math.Abs(r-lexical.RelevancePearson) > 0.005 || math.Abs(tau-lexical.RelevanceTau) > 0.005 || tau < 0.80 {
		t.Errorf("Pearson %.4f, Kendall %.4f: the documented figures are %.3f and %.2f", r, tau, lexical.RelevancePearson, lexical.RelevanceTau)
	}
}
