package summhay

import (
	"context"
	"math"
	"testing"

	"lore/datasets"
	"lore/judge"
	"lore/judge/lexical"
	"lore/judge/metric"
	"lore/local/published"
	"lore/local/text"
)

// The published figures about copying that every report shows beside an extractive
// system: over the recorded systems, the lexical judge's coverage minus GPT-4o's
// against the share of an answer's word trigrams that stand in the haystack. It
// also measures the correction that is not made: fitted on one haystack, applied to
// the other.
func TestPublishedCopyingIsFavoured(t *testing.T) {
	if testing.Short() {
		t.Skip("-short leaves out what only takes long")
	}
	var all []copied
	var byHaystack [2][]copied
	for i, name := range []string{"topic_news1.json", "topic_news2.json"} {
		ds, err := Benchmark{}.Load([]string{published.Path(t, "data/summhay", name)})
		if err != nil {
			t.Fatal(err)
		}
		byHaystack[i] = copyings(t, ds)
		for k, c := range byHaystack[i] {
			if i == 0 {
				all = append(all, c)
				continue
			}
			all[k] = all[k].plus(c)
		}
	}
	slope, r, mean := line(all)
	for what, c := range map[string][2]float64{"slope per 10 points": {10 * slope, lexical.CopyingSlope}, "correlation": {r, lexical.CopyingCorrelation}, "wholly copied": {100 * slope * (1 - mean), lexical.CopyingWhole}} {
		if d := math.Abs(c[0] - c[1]); d > 0.06 {
			t.Errorf("%s is %.3f, reports say %.2f", what, c[0], c[1])
		}
	}
	for i := range 2 {
		slope, _, mean := line(byHaystack[i])
		test := byHaystack[1-i]
		var gpt, plain, corrected []float64
		for _, c := range test {
			gpt, plain, corrected = append(gpt, c.gpt()), append(plain, c.lexical()), append(corrected, c.lexical()-slope*(c.share()-mean))
		}
		t.Logf("fitted on haystack %d: Kendall with GPT-4o on the other %.3f, corrected %.3f", i+1, metric.KendallTauB(gpt, plain), metric.KendallTauB(gpt, corrected))
		if gain := metric.KendallTauB(gpt, corrected) - metric.KendallTauB(gpt, plain); gain > 0.03 {
			t.Errorf("the correction gains %.3f in Kendall: it should be made", gain)
		}
	}
}

// copied sums up a system's answers.
type copied struct{ copies, trigrams, lex, gpt4o, n float64 }

func (c copied) plus(o copied) copied {
	return copied{c.copies + o.copies, c.trigrams + o.trigrams, c.lex + o.lex, c.gpt4o + o.gpt4o, c.n + o.n}
}
func (c copied) share() float64   { return c.copies / c.trigrams }
func (c copied) lexical() float64 { return c.lex / c.n }
func (c copied) gpt() float64     { return c.gpt4o / c.n }

// line fits the judge's excess over GPT-4o to the copied share.
func line(systems []copied) (slope, r, mean float64) {
	var x, y []float64
	for _, c := range systems {
		x, y = append(x, c.share()), append(y, c.lexical()-c.gpt())
	}
	mx, my := metric.Mean(x), metric.Mean(y)
	var xy, xx float64
	for i := range x {
		xy += (x[i] - mx) * (y[i] - my)
		xx += (x[i] - mx) * (x[i] - mx)
	}
	return xy / xx, metric.Pearson(x, y), mx
}

func copyings(t *testing.T, ds *datasets.Dataset) []copied {
	t.Helper()
	have := map[[3]string]bool{}
	for _, d := range ds.Corpora[0].Documents {
		eachTrigram(d.Text, func(g [3]string) { have[g] = true })
	}
	var out []copied
	for _, s := range Recorded(ds) {
		var c copied
		var tasks []judge.Task
		for i, it := range ds.Items {
			task := it.Plan(datasets.Evidence{Output: s.Outputs[i]})[0]
			tasks = append(tasks, task)
			for _, u := range task.Units {
				eachTrigram(citation.ReplaceAllString(u, " "), func(g [3]string) {
					c.trigrams++
					if have[g] {
						c.copies++
					}
				})
			}
		}
		verdicts, err := lexical.Judge{}.Judge(context.Background(), tasks, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i := range ds.Items {
			for k := range verdicts[i] {
				c.lex += verdicts[i][k].Value
				c.gpt4o += s.Verdicts[i][judge.Answer][k].Value
				c.n++
			}
		}
		out = append(out, c)
	}
	return out
}

func eachTrigram(s string, f func([3]string)) {
	w := text.Words(s)
	for i := 0; i+3 <= len(w); i++ {
		f([3]string{w[i], w[i+1], w[i+2]})
	}
}

// The ranking of the recorded systems by Joint score with the lexical judge against
// the recorded one, and the fitted file's own claims.
func TestPublishedLexicalJudge(t *testing.T) {
	if testing.Short() {
		t.Skip("-short leaves out what only takes long")
	}
	ds, err := Benchmark{}.Load([]string{published.Path(t, "data/summhay/topic_news1.json"), published.Path(t, "data/summhay/topic_news2.json")})
	if err != nil {
		t.Fatal(err)
	}
	var ours, theirs []float64
	for _, s := range Recorded(ds) {
		var tasks []judge.Task
		for i, it := range ds.Items {
			tasks = append(tasks, it.Plan(datasets.Evidence{Output: s.Outputs[i]})[0])
		}
		verdicts, err := lexical.Judge{}.Judge(context.Background(), tasks, nil)
		if err != nil {
			t.Fatal(err)
		}
		joint := func(v []datasets.Verdicts) float64 {
			var values []float64
			for i, it := range ds.Items {
				for _, x := range it.Score(datasets.Evidence{Output: s.Outputs[i]}, v[i]) {
					if x.Metric == Joint {
						values = append(values, x.Value)
					}
				}
			}
			return metric.Mean(values)
		}
		by := make([]datasets.Verdicts, len(verdicts))
		for i, v := range verdicts {
			by[i] = datasets.Verdicts{judge.Answer: v}
		}
		ours, theirs = append(ours, joint(by)), append(theirs, joint(s.Verdicts))
	}
	if tau := metric.KendallTauB(ours, theirs); tau < 0.92 {
		t.Errorf("Kendall of the 78 systems' Joint scores is %.3f", tau)
	} else {
		t.Logf("Kendall of the 78 systems' Joint scores is %.3f", tau)
	}
	if f := lexical.Current.CV; f.PearsonScore < 0.75 || f.LinkingAccuracy < 0.86 {
		t.Errorf("cross-validated Pearson of the score %.3f, linking %.3f", f.PearsonScore, f.LinkingAccuracy)
	}
}
