package crux

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"

	"lore/datasets"
	"lore/judge/metric"
	"lore/local/parallel"
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
	drawn := drawContexts(ds, contexts, seed)
	note := fmt.Sprintf("%d random contexts of graded passages and distractors, seed %d", contexts, seed)
	return []datasets.Grid{
		b.correlations(drawn, note),
		b.sizes(ds, seed),
		b.spread("Spread over random contexts", "contexts", drawn, "mean over topics, and its standard deviation over "+note),
	}
}

// figures measures a ranking whose first k passages are shown, by the data's grades: the values
// that there are, by metric.
func (it *item) figures(ids []string, k int) map[string]float64 {
	out := map[string]float64{}
	for _, s := range it.scoreContext(ids, k, nil) {
		if s.Unit == "" && s.Unscored == "" {
			out[s.Metric] = s.Value
		}
	}
	return out
}

// drawContexts measures random contexts of each topic: a list of contexts for each topic. Random
// contexts have from one passage to as many as are relevant, in random order; other topics' graded
// passages stand for distractors, as they answer nothing here.
func drawContexts(ds *datasets.Dataset, contexts int, seed uint64) [][]map[string]float64 {
	others := pool(ds)
	out := make([][]map[string]float64, len(ds.Items))
	parallel.Each(len(ds.Items), func(i int) {
		it := ds.Items[i].(*item)
		rng := rand.New(rand.NewPCG(seed, uint64(i)))
		for range contexts {
			ids := it.randomContext(others, rng)
			out[i] = append(out[i], it.figures(ids, len(ids)))
		}
	})
	return out
}

// column lists a figure of several contexts or topics, NaN where there is none.
func column(figures []map[string]float64, name string) []float64 {
	out := make([]float64, len(figures))
	for i, f := range figures {
		v, ok := f[name]
		if out[i] = v; !ok {
			out[i] = math.NaN()
		}
	}
	return out
}

// defined leaves out NaN.
func defined(values []float64) []float64 {
	return slices.DeleteFunc(slices.Clone(values), math.IsNaN)
}

// correlations is the mean over topics of Spearman's ρ between figures over random contexts.
func (b Benchmark) correlations(drawn [][]map[string]float64, note string) datasets.Grid {
	eta := b.etas()[0]
	names := contextMetrics(eta)
	g := datasets.Grid{
		Title: "Do the figures of a context agree?",
		Head:  append([]string{"Spearman's ρ"}, figuresOfContext...),
		Note:  fmt.Sprintf("mean over topics of ρ over %s, η %d", note, eta),
	}
	columns := make([][][]float64, len(drawn)) // topic, figure, context
	for i, topic := range drawn {
		for _, name := range names {
			columns[i] = append(columns[i], column(topic, name))
		}
	}

	for a, heading := range figuresOfContext {
		row := []string{heading}
		for c := range figuresOfContext {
			var rhos []float64
			for _, topic := range columns {
				rhos = append(rhos, metric.Spearman(topic[a], topic[c]))
			}

			// A figure that is the same in all contexts of a topic correlates with nothing.
			cell := datasets.NoValue
			if rhos = defined(rhos); len(rhos) > 0 {
				cell = fmt.Sprintf("%.2f", metric.Mean(rhos))
			}
			row = append(row, cell)
		}
		g.Rows = append(g.Rows, row)
	}
	return g
}

// spread is, for each threshold, the mean of the figures over rankings, each the mean over topics,
// and their standard deviation (the paper's Table 2). by holds the figures of topic and ranking.
func (b Benchmark) spread(title, of string, by [][]map[string]float64, note string) datasets.Grid {
	g := datasets.Grid{Title: title, Head: []string{"η", "Cov(Z)", "α-nDCG", "Den(Z)", of}, Note: note + ", in percent"}
	if len(by) == 0 {
		return g
	}
	reports := len(defined(means(by, at(CovAnswer, b.etas()[0])))) > 0
	if reports {
		g.Head = append(g.Head, "Cov(y)", "τ of Cov(Z) with Cov(y)")
	}
	for _, eta := range b.etas() {
		row := []string{fmt.Sprint(eta)}
		for _, name := range contextMetrics(eta)[:3] {
			row = append(row, aroundMean(means(by, name)))
		}
		row = append(row, fmt.Sprint(len(by[0])))
		if reports {
			answers := means(by, at(CovAnswer, eta))
			row = append(row, aroundMean(answers), twoDecimals(tauOf(means(by, at(CovContext, eta)), answers)))
		}
		g.Rows = append(g.Rows, row)
	}
	return g
}

// means are a figure's over topics, for each ranking.
func means(by [][]map[string]float64, name string) []float64 {
	var out []float64
	for r := range by[0] {
		var values []map[string]float64
		for _, topic := range by {
			values = append(values, topic[r])
		}
		out = append(out, metric.Mean(defined(column(values, name))))
	}
	return out
}

// aroundMean is the cell of a mean with the standard deviation around it.
func aroundMean(values []float64) string {
	values = defined(values)
	if len(values) < 2 {
		return datasets.NoValue
	}
	return fmt.Sprintf("%.1f ± %.1f", 100*metric.Mean(values), 100*metric.StandardDeviation(values))
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

// randomContext draws as many passages as the topic has relevant ones at most, half of
// them relevant ones on average, the rest of pool.
func (it *item) randomContext(pool []string, rng *rand.Rand) []string {
	size := 1 + rng.IntN(max(1, len(it.relevant)))
	own, others := newDraw(len(it.relevant)), newDraw(len(pool))
	one := func() (string, bool) {
		i, ok := own.next(rng)
		if !ok {
			return "", false
		}
		return it.relevant[i], true
	}
	other := func() (string, bool) {
		for {
			i, ok := others.next(rng)
			if !ok {
				return "", false
			}
			if _, mine := it.topic.Grades[pool[i]]; !mine {
				return pool[i], true
			}
		}
	}

	var out []string
	for len(out) < size {
		first, second := one, other
		if rng.IntN(2) == 0 {
			first, second = other, one
		}
		id, ok := first()
		if !ok {
			id, ok = second()
		}
		if !ok {
			break
		}
		out = append(out, id)
	}
	return out
}

// draw draws numbers from 0 to n-1, each once, in a time that does not grow with n.
type draw struct {
	n     int
	moved map[int]int // numbers that stand elsewhere than at their own place
}

func newDraw(n int) *draw { return &draw{n, map[int]int{}} }

// next draws the next number; false: all are drawn.
func (d *draw) next(rng *rand.Rand) (int, bool) {
	if d.n == 0 {
		return 0, false
	}
	at := func(i int) int {
		if v, ok := d.moved[i]; ok {
			return v
		}
		return i
	}

	i := rng.IntN(d.n)
	d.n--
	out := at(i)
	d.moved[i] = at(d.n)
	return out, true
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
			figures := figuresAt(k, order, ds, seed)
			if len(figures) == 0 {
				continue
			}
			row := []string{fmt.Sprint(k), order}
			for _, name := range contextMetrics(b.etas()[0])[:3] {
				row = append(row, percentOf(metric.Mean(defined(column(figures, name)))))
			}
			g.Rows = append(g.Rows, append(row, fmt.Sprint(len(figures))))
		}
	}
	return g
}

// percentOf is the cell of a share, in percent.
func percentOf(v float64) string {
	if math.IsNaN(v) {
		return datasets.NoValue
	}
	return fmt.Sprintf("%.1f", 100*v)
}

// figuresAt are the figures of the first k passages in an order, of the topics that have so many.
func figuresAt(k int, order string, ds *datasets.Dataset, seed uint64) []map[string]float64 {
	out := make([]map[string]float64, len(ds.Items))
	parallel.Each(len(ds.Items), func(i int) {
		it := ds.Items[i].(*item)
		if len(it.relevant) < k {
			return
		}

		ids := append(slices.Clone(it.required), without(it.relevant, it.required)...)
		if order == "random" {
			shuffle(ids, rand.New(rand.NewPCG(seed, uint64(i))))
		}
		out[i] = it.figures(ids[:k], k)
	})
	return slices.DeleteFunc(out, func(f map[string]float64) bool { return f == nil })
}
