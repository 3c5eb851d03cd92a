package crux

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"lore/datasets"
	"lore/judge/metric"
)

// Contexts is how many random contexts per topic the correlations are over, as in the
// paper.
const Contexts = 48

// figuresOfContext are the figures that are compared.
var figuresOfContext = []string{"Cov(Z)", "α-nDCG", "Den(Z)", "recall", "MAP", "nDCG"}

// Analysis shows what the data's own grades say of the figures, with no retriever and
// no model: how they correlate over random contexts, and how they grow with k.
func (b Benchmark) Analysis(ds *datasets.Dataset, contexts int, seed uint64) []datasets.Grid {
	return []datasets.Grid{b.correlations(ds, contexts, seed), b.sizes(ds, seed)}
}

// figures measures a context of graded passages at the first threshold.
func (it *item) figures(ids []string) []float64 {
	out := make([]float64, len(figuresOfContext))
	k := len(ids)
	eta := it.levels[0].eta
	byName := map[string]float64{}
	for _, s := range it.scoreAt(ids, k) {
		byName[s.Metric] = s.Value
	}
	for i, name := range []string{at(CovContext, eta), at(AlphaNDCG, eta), at(DenContext, eta), RecallAtK, MAP, NDCGAtK} {
		out[i] = byName[name]
	}
	return out
}

// scoreAt scores a context as if k passages were shown.
func (it *item) scoreAt(ids []string, k int) []datasets.Score {
	shared := *it.set
	shared.bench.K = k
	one := *it
	one.set = &shared
	return one.ScoreContext(datasets.Retrieved{IDs: ids}, nil)
}

// correlations is the mean over topics of Spearman's ρ between figures over random
// contexts of the topic's graded passages. Random contexts have from one passage to
// all, in random order; other topics' graded passages, which have grades of 0 here,
// stand for distractors.
func (b Benchmark) correlations(ds *datasets.Dataset, contexts int, seed uint64) datasets.Grid {
	g := datasets.Grid{Title: "Do the figures of a context agree?", Head: append([]string{"Spearman's ρ"}, figuresOfContext...),
		Note: fmt.Sprintf("mean over topics of ρ over %d random contexts of graded passages and distractors, η %d, seed %d", contexts, b.etas()[0], seed)}
	n := len(figuresOfContext)
	sums, counts := make([]float64, n*n), make([]int, n*n)
	for i, x := range ds.Items {
		it := x.(*item)
		rng := rand.New(rand.NewPCG(seed, uint64(i)))
		columns := make([][]float64, n)
		for range contexts {
			for k, v := range it.withDistractors(ds).figures(it.randomContext(ds, rng)) {
				columns[k] = append(columns[k], v)
			}
		}
		for a := range n {
			for c := range n {
				if r := metric.Spearman(columns[a], columns[c]); !math.IsNaN(r) {
					sums[a*n+c] += r
					counts[a*n+c]++
				}
			}
		}
	}
	for a, name := range figuresOfContext {
		row := []string{name}
		for c := range n {
			if counts[a*n+c] == 0 {
				row = append(row, "–")
			} else {
				row = append(row, fmt.Sprintf("%.2f", sums[a*n+c]/float64(counts[a*n+c])))
			}
		}
		g.Rows = append(g.Rows, row)
	}
	return g
}

// pool lists the passages that any topic grades.
func pool(ds *datasets.Dataset) []string {
	seen := map[string]bool{}
	for _, x := range ds.Items {
		for _, id := range x.(*item).relevant {
			seen[id] = true
		}
	}
	return sortedKeys(seen)
}

// withDistractors gives the other topics' passages grades of 0.
func (it *item) withDistractors(ds *datasets.Dataset) *item {
	out := *it
	out.topic.Grades = map[string][]int{}
	for _, id := range pool(ds) {
		out.topic.Grades[id] = make([]int, len(it.topic.Questions))
	}
	for id, row := range it.topic.Grades {
		out.topic.Grades[id] = row
	}
	return &out
}

// randomContext draws as many passages as the topic has relevant ones at most, half of
// them relevant ones on average.
func (it *item) randomContext(ds *datasets.Dataset, rng *rand.Rand) []string {
	size := 1 + rng.IntN(max(1, len(it.relevant)))
	own, others := slices.Clone(it.relevant), slices.DeleteFunc(pool(ds), func(id string) bool { return slices.Contains(it.relevant, id) })
	rng.Shuffle(len(own), func(i, j int) { own[i], own[j] = own[j], own[i] })
	rng.Shuffle(len(others), func(i, j int) { others[i], others[j] = others[j], others[i] })
	var out []string
	for len(out) < size && len(own)+len(others) > 0 {
		from := &own
		if len(own) == 0 || (len(others) > 0 && rng.IntN(2) == 0) {
			from = &others
		}
		out, *from = append(out, (*from)[0]), (*from)[1:]
	}
	return out
}

// sizes shows the figures for contexts of growing size: the greedy order of the
// required passages with the redundant ones after them, and a random order of the
// relevant ones.
func (b Benchmark) sizes(ds *datasets.Dataset, seed uint64) datasets.Grid {
	g := datasets.Grid{Title: "By size of the context", Head: []string{"passages", "order", "Cov(Z)", "α-nDCG", "Den(Z)", "topics"}, Note: fmt.Sprintf("means in percent over topics with so many relevant passages, η %d", b.etas()[0])}
	for _, k := range []int{1, 2, 3, 5, 10, 20} {
		for _, order := range []string{"greedy", "random"} {
			sums, n := make([]float64, len(figuresOfContext)), 0
			for i, x := range ds.Items {
				it := x.(*item)
				if len(it.relevant) < k {
					continue
				}
				ids := append(slices.Clone(it.required), slices.DeleteFunc(slices.Clone(it.relevant), func(id string) bool { return slices.Contains(it.required, id) })...)
				if order == "random" {
					rng := rand.New(rand.NewPCG(seed, uint64(i)))
					rng.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
				}
				n++
				for c, v := range it.figures(ids[:k]) {
					sums[c] += v
				}
			}
			if n > 0 {
				mean := func(c int) string { return fmt.Sprintf("%.1f", 100*sums[c]/float64(n)) }
				g.Rows = append(g.Rows, []string{fmt.Sprint(k), order, mean(0), mean(1), mean(2), fmt.Sprint(n)})
			}
		}
	}
	return g
}

// humanLabel is a line of human grades: one per rater.
type humanLabel struct {
	Topic    string `json:"topic"`
	Passage  string `json:"passage"`
	Question int    `json:"question"` // from 1
	Grades   []int  `json:"grades"`
}

// Human compares the data's grades with people's: Spearman's ρ with their mean grade,
// and, for two raters or more, Fleiss' κ between them on whether the question is
// answered.
func (b Benchmark) Human(ds *datasets.Dataset, name string, data []byte) (datasets.Grid, error) {
	g := datasets.Grid{Title: "Do people agree with the grades?", Head: []string{"labels", "raters", "Spearman's ρ", "answered: agreement", "Fleiss' κ between raters"}}
	items := map[string]*item{}
	for _, x := range ds.Items {
		items[x.ID()] = x.(*item)
	}
	eta := b.etas()[0]
	var ours, theirs []float64
	var counts [][]int
	raters, same, n := 0, 0, 0
	for line := range bytes.Lines(data) {
		if n++; len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		var h humanLabel
		err := json.Unmarshal(line, &h)
		bad := func(msg string) (datasets.Grid, error) {
			return g, &datasets.InputError{File: name, Place: fmt.Sprintf("line %d", n), Msg: msg, Remedy: `a label is {"topic", "passage", "question": number, "grades": [one per rater]}`, Err: err}
		}
		it := items[h.Topic]
		switch {
		case err != nil:
			return bad("is no JSON: " + err.Error())
		case it == nil || it.topic.Grades[h.Passage] == nil || h.Question < 1 || h.Question > len(it.topic.Questions):
			return bad("names a topic, passage or question that the data has no grade for")
		case len(h.Grades) == 0 || (raters > 0 && len(h.Grades) != raters):
			return bad(fmt.Sprintf("has %d grades where the lines before have %d", len(h.Grades), raters))
		case slices.Min(h.Grades) < 0 || slices.Max(h.Grades) > MaxGrade:
			return bad(fmt.Sprintf("has a grade outside 0 to %d", MaxGrade))
		}
		raters = len(h.Grades)
		mean, yes := 0.0, 0
		for _, v := range h.Grades {
			mean += float64(v) / float64(raters)
			if v >= eta {
				yes++
			}
		}
		grade := it.topic.Grades[h.Passage][h.Question-1]
		ours, theirs = append(ours, float64(grade)), append(theirs, mean)
		counts = append(counts, []int{raters - yes, yes})
		if (grade >= eta) == (2*yes > raters) {
			same++
		}
	}
	if len(ours) == 0 {
		return g, &datasets.InputError{File: name, Msg: "holds no labels", Remedy: "give lines of JSON with topic, passage, question and grades"}
	}
	kappa := "–"
	if k := metric.FleissKappa(counts); raters > 1 && !math.IsNaN(k) {
		kappa = fmt.Sprintf("%.2f", k)
	}
	rho := strings.ReplaceAll(fmt.Sprintf("%.2f", metric.Spearman(ours, theirs)), "NaN", "–")
	g.Rows = append(g.Rows, []string{fmt.Sprint(len(ours)), fmt.Sprint(raters), rho, fmt.Sprintf("%.1f", 100*float64(same)/float64(len(ours))), kappa})
	return g, nil
}
