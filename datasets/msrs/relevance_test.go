package msrs

import (
	"context"
	"math"
	"path/filepath"
	"testing"

	"lore/datasets"
	"lore/judge"
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
	var x, y, scores, meanX, meanY []float64
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
			var tasks []judge.Task
			for i, it := range ds.Items {
				g, ok := grades[it.ID()]
				if !ok {
					continue
				}
				tasks = append(tasks, it.Plan(datasets.Evidence{Output: datasets.Output{Text: o.Texts[i], Outcome: local.OK}})[0])
				sy = append(sy, g[GEvalRecorded])
			}
			v, err := (lexical.Judge{}).Judge(context.Background(), tasks, nil)
			if err != nil {
				t.Fatal(err)
			}
			for i := range tasks {
				sx, scores = append(sx, v[i][0].Value), append(scores, v[i][0].Score)
			}
			x, y = append(x, sx...), append(y, sy...)
			meanX, meanY = append(meanX, metric.Mean(sx)), append(meanY, metric.Mean(sy))
		}
	}
	if len(x) != lexical.RelevanceN || len(meanX) != lexical.RelevanceSystems {
		t.Fatalf("%d answers of %d systems", len(x), len(meanX))
	}
	r, tau := metric.Pearson(x, y), metric.KendallTauB(meanX, meanY)
	mx, my, xy, xx := metric.Mean(scores), metric.Mean(y), 0.0, 0.0
	for i := range scores {
		xy, xx = xy+(scores[i]-mx)*(y[i]-my), xx+(scores[i]-mx)*(scores[i]-mx)
	}
	t.Logf("value = %.4f + %.4f * score", my-mx*xy/xx, xy/xx)
	t.Logf("Pearson %.3f, Kendall %.3f", r, tau)
	// The values are cut at 0 and 1, so their Pearson is not to the digit that of the
	// F1 they come from.
	if math.Abs(r-lexical.RelevancePearson) > 0.005 || math.Abs(tau-lexical.RelevanceTau) > 0.005 || tau < 0.80 {
		t.Errorf("Pearson %.4f, Kendall %.4f: the documented figures are %.3f and %.2f", r, tau, lexical.RelevancePearson, lexical.RelevanceTau)
	}
}
