// Fitlexical finds the constants of the lexical judge on SummHay's human labels and writes
// them, with the agreement on subtopics that were left out, to fitted.json.
//
//	go run ./datasets/summhay/internal/fitlexical \
//		-labels ../shared/data/summhay/human_coverage_labels_dev.json -out judge/lexical/fitted.json
//
// Everything is chosen inside each fold on the other subtopics: the weights by the
// correlation of the score, the thresholds by that of the labels, the weight for
// linking by linking accuracy. Grids are coarse, so that little can be overfitted.
package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"math"
	"os"
	"path/filepath"
	"slices"

	"lore/datasets/summhay"
	"lore/judge"
	"lore/judge/agreement"
	"lore/judge/lexical"
	"lore/judge/metric"
	"lore/local/files"
)

// Grids of the fit.
var (
	precisions = []float64{0, 0.1, 0.2, 0.3, 0.4}
	siblings   = []float64{0, 0.1, 0.2, 0.3, 0.4}
	links      = []float64{0, 0.1, 0.2, 0.3, 0.4}
)

func main() {
	labels := flag.String("labels", "", "human labels of the published format")
	out := flag.String("out", "", "file to write; standard output if empty")
	flag.Parse()

	data, err := files.Bytes(*labels, "give the published labels with -labels")
	if err != nil {
		log.Fatal(err)
	}
	items, err := summhay.ParseLabels(*labels, data)
	if err != nil {
		log.Fatal(err)
	}

	sum := sha256.Sum256(data)
	f := lexical.Fitted{
		Command:   "make fit",
		Data:      filepath.Base(*labels),
		DataHash:  hex.EncodeToString(sum[:]),
		Summaries: len(items),
		Subtopics: len(groups(items)),
		Constants: fit(items),
		CV:        crossValidate(items),
	}
	for _, it := range items {
		for _, h := range it.Human {
			if h.Scored() {
				f.N++
			}
		}
	}

	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetIndent("", " ")
	if err := enc.Encode(f); err != nil {
		log.Fatal(err)
	}
	if *out == "" {
		os.Stdout.Write(buf.Bytes())
		return
	}
	if err := files.WriteFile(*out, buf.Bytes()); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("cross-validated by subtopic: Pearson %.4f, linking %.4f\n", f.CV.Pearson, f.CV.LinkingAccuracy)
}

func groups(items []agreement.Item) []string {
	var out []string
	for _, it := range items {
		if !slices.Contains(out, it.Group) {
			out = append(out, it.Group)
		}
	}
	return out
}

// judged runs the judge with given constants. With thresholds of minus infinity
// every statement gets its best unit and its score.
func judged(items []agreement.Item, c lexical.Constants) [][]judge.Verdict {
	tasks := make([]judge.Task, len(items))
	for i, it := range items {
		tasks[i] = it.Task
	}

	out, err := lexical.Judge{With: &c}.Judge(context.Background(), tasks, nil)
	if err != nil {
		log.Fatal(err)
	}
	return out
}

func everything(precision, siblings, link float64) lexical.Constants {
	return lexical.Constants{
		Precision:     precision,
		Siblings:      siblings,
		LinkPrecision: link,
		Partial:       math.Inf(-1),
		Full:          math.Inf(-1),
	}
}

// columns lists the human values with the judge's scores and whether a link is
// right; linked is set where people named a unit.
func columns(items []agreement.Item, verdicts [][]judge.Verdict) (human, score []float64, linked, right []bool) {
	for i, it := range items {
		for k, h := range it.Human {
			if !h.Scored() {
				continue
			}
			v := verdicts[i][k]
			human, score = append(human, h.Value), append(score, v.Score)
			linked, right = append(linked, h.Unit > 0), append(right, h.Unit > 0 && h.Unit == v.Unit)
		}
	}
	return human, score, linked, right
}

// fit finds all constants on items.
func fit(items []agreement.Item) lexical.Constants {
	best, bestLink := lexical.Constants{}, -1.0
	for _, l := range links {
		_, _, linked, right := columns(items, judged(items, everything(0, 0, l)))
		n, ok := hits(linked, right)
		if acc := float64(ok) / float64(n); acc > bestLink {
			bestLink, best.LinkPrecision = acc, l
		}
	}

	bestScore := -1.0
	for _, p := range precisions {
		for _, s := range siblings {
			human, score, _, _ := columns(items, judged(items, everything(p, s, best.LinkPrecision)))
			if r := metric.Pearson(score, human); r > bestScore {
				bestScore, best.Precision, best.Siblings = r, p, s
			}
		}
	}

	chosen := everything(best.Precision, best.Siblings, best.LinkPrecision)
	human, score, _, _ := columns(items, judged(items, chosen))
	best.Partial, best.Full = thresholds(human, score)
	return best
}

// hits counts the statements that are linked, and of these the right ones.
func hits(linked, right []bool) (n, ok int) {
	for i := range linked {
		if linked[i] {
			n++
			if right[i] {
				ok++
			}
		}
	}
	return n, ok
}

// thresholds cuts scores at the pair of their 20-quantiles that gives the labels
// the highest correlation, averaged over neighbouring pairs so that a lucky cut
// does not win.
func thresholds(human, score []float64) (partial, full float64) {
	sorted := slices.Sorted(slices.Values(score))
	const steps = 40
	at := func(k int) float64 { return sorted[min(len(sorted)-1, len(sorted)*k/steps)] }

	var r [steps + 1][steps + 1]float64
	for a := 1; a < steps; a++ {
		for b := a + 1; b < steps; b++ {
			r[a][b] = metric.Pearson(labelled(score, at(a), at(b)), human)
		}
	}

	best := -1.0
	for a := 2; a < steps-2; a++ {
		for b := a + 2; b < steps-1; b++ {
			sum, n := 0.0, 0.0
			for da := -1; da <= 1; da++ {
				for db := -1; db <= 1; db++ {
					if a+da < b+db {
						sum += r[a+da][b+db]
						n++
					}
				}
			}
			if sum/n > best {
				best, partial, full = sum/n, at(a), at(b)
			}
		}
	}
	return round(partial), round(full)
}

// labelled turns scores into the values of their labels.
func labelled(score []float64, partial, full float64) []float64 {
	out := make([]float64, len(score))
	for i, v := range score {
		switch {
		case v >= full:
			out[i] = 1
		case v >= partial:
			out[i] = 0.5
		}
	}
	return out
}

func round(v float64) float64 { return math.Round(v*1000) / 1000 }

// crossValidate fits on all subtopics but one and judges that one, for each.
func crossValidate(items []agreement.Item) lexical.CVFigures {
	var pooled []agreement.Item
	var verdicts [][]judge.Verdict
	n, ok := 0, 0
	for _, g := range groups(items) {
		var train, test []agreement.Item
		for _, it := range items {
			if it.Group == g {
				test = append(test, it)
			} else {
				train = append(train, it)
			}
		}

		c := fit(train)
		pooled, verdicts = append(pooled, test...), append(verdicts, judged(test, c)...)

		all := everything(c.Precision, c.Siblings, c.LinkPrecision)
		_, _, linked, right := columns(test, judged(test, all))
		linkedHere, rightHere := hits(linked, right)
		n, ok = n+linkedHere, ok+rightHere
	}

	r := agreement.Measure("lexical", pooled, verdicts, 1)
	return lexical.CVFigures{
		Pearson:         r.Pearson,
		PearsonScore:    r.PearsonScore,
		LinkingAccuracy: r.LinkingAccuracy,
		LinkingN:        r.LinkingN,
		LinkingAll:      float64(ok) / float64(n),
		Bias:            r.Bias,
	}
}
