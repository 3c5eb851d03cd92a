package crux

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"

	"lore/datasets"
	"lore/judge/metric"
)

// Contexts is how many random contexts per topic the correlations are over, as in the
// paper.
const Contexts = 48

// figuresOfContext are the figures that are compared, by their headings.
var figuresOfContext = []string{"Cov(Z)", "α-nDCG", "Den(Z)", "recall", "MAP", "nDCG"}

// contextMetrics are the same figures by the names of their metrics.
func contextMetrics(eta int) []string {
	return []string{at(CovContext, eta), at(AlphaNDCG, eta), at(DenContext, eta), RecallAtK, MAP, NDCGAtK}
}

// Analysis shows what the data's own grades say of the figures, with no retriever and
// no model: how they correlate over random contexts, and how they grow with k.
func (b Benchmark) Analysis(ds *datasets.Dataset, contexts int, seed uint64) []datasets.Grid {
	return []datasets.Grid{b.correlations(ds, contexts, seed), b.sizes(ds, seed)}
}

// figures measures a context of graded passages at the first threshold.
func (it *item) figures(ids []string) []float64 {
	k := len(ids)
	eta := it.levels[0].eta
	byName := map[string]float64{}
	for _, s := range it.scoreAt(ids, k) {
		byName[s.Metric] = s.Value
	}

	out := make([]float64, len(figuresOfContext))
	for i, name := range contextMetrics(eta) {
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
	return one.scoreContext(datasets.Retrieved{IDs: ids}, nil)
}

// correlations is the mean over topics of Spearman's ρ between figures over random
// contexts of the topic's graded passages. Random contexts have from one passage to
// all, in random order; other topics' graded passages, which have grades of 0 here,
// stand for distractors.
func (b Benchmark) correlations(ds *datasets.Dataset, contexts int, seed uint64) datasets.Grid {
	n := len(figuresOfContext)
	sums, counts := make([]float64, n*n), make([]int, n*n)
	for i, x := range ds.Items {
		it := x.(*item)
		rng := rand.New(rand.NewPCG(seed, uint64(i)))
		columns := it.figuresOver(contexts, ds, rng)

		for a := range n {
			for c := range n {
				// A figure that is the same in all contexts of a topic correlates with nothing.
				if r := metric.Spearman(columns[a], columns[c]); !math.IsNaN(r) {
					sums[a*n+c] += r
					counts[a*n+c]++
				}
			}
		}
	}

	g := datasets.Grid{
		Title: "Do the figures of a context agree?",
		Head:  append([]string{"Spearman's ρ"}, figuresOfContext...),
		Note: fmt.Sprintf("mean over topics of ρ over %d random contexts of graded passages and distractors, "+
			"η %d, seed %d", contexts, b.etas()[0], seed),
	}
	for a, name := range figuresOfContext {
		row := []string{name}
		for c := range n {
			cell := datasets.NoValue
			if k := counts[a*n+c]; k > 0 {
				cell = fmt.Sprintf("%.2f", sums[a*n+c]/float64(k))
			}
			row = append(row, cell)
		}
		g.Rows = append(g.Rows, row)
	}
	return g
}

// figuresOver lists the values of each figure over random contexts.
func (it *item) figuresOver(contexts int, ds *datasets.Dataset, rng *rand.Rand) [][]float64 {
	columns := make([][]float64, len(figuresOfContext))
	all := it.withDistractors(ds)
	for range contexts {
		for k, v := range all.figures(it.randomContext(ds, rng)) {
			columns[k] = append(columns[k], v)
		}
	}
	return columns
}

// pool lists the passages that any topic grades.
func pool(ds *datasets.Dataset) []string {
	seen := map[string]bool{}
	for _, x := range ds.Items {
		for _, id := range x.(*item).relevant {
			seen[id] = true
		}
	}
	return slices.Sorted(maps.Keys(seen))
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
	own, others := slices.Clone(it.relevant), without(pool(ds), it.relevant)
	shuffle(own, rng)
	shuffle(others, rng)

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

// without lists what is in a and not in b.
func without(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(id string) bool { return slices.Contains(b, id) })
}

func shuffle(ids []string, rng *rand.Rand) {
	rng.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
}

// sizes shows the figures for contexts of growing size: the greedy order of the
// required passages with the redundant ones after them, and a random order of the
// relevant ones.
func (b Benchmark) sizes(ds *datasets.Dataset, seed uint64) datasets.Grid {
	g := datasets.Grid{
		Title: "By size of the context",
		Head:  []string{"passages", "order", "Cov(Z)", "α-nDCG", "Den(Z)", "topics"},
		Note:  fmt.Sprintf("means in percent over topics with so many relevant passages, η %d", b.etas()[0]),
	}
	for _, k := range []int{1, 2, 3, 5, 10, 20} {
		for _, order := range []string{"greedy", "random"} {
			sums, n := figuresAt(k, order, ds, seed)
			if n == 0 {
				continue
			}
			mean := func(c int) string { return fmt.Sprintf("%.1f", 100*sums[c]/float64(n)) }
			g.Rows = append(g.Rows, []string{fmt.Sprint(k), order, mean(0), mean(1), mean(2), fmt.Sprint(n)})
		}
	}
	return g
}

// figuresAt sums the figures of the first k passages in an order over the n topics that
// have so many.
func figuresAt(k int, order string, ds *datasets.Dataset, seed uint64) (sums []float64, n int) {
	sums = make([]float64, len(figuresOfContext))
	for i, x := range ds.Items {
		it := x.(*item)
		if len(it.relevant) < k {
			continue
		}

		ids := append(slices.Clone(it.required), without(it.relevant, it.required)...)
		if order == "random" {
			shuffle(ids, rand.New(rand.NewPCG(seed, uint64(i))))
		}
		for c, v := range it.figures(ids[:k]) {
			sums[c] += v
		}
		n++
	}
	return sums, n
}
