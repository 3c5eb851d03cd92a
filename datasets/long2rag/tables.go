package long2rag

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"lore/datasets"
	"lore/judge/metric"
)

// pictures are those of the paper's Figures 4 to 7.
func pictures() []datasets.FacetPicture {
	const note = "KPR of the chosen systems, mean over questions. The table below has how many these are."
	return []datasets.FacetPicture{
		{Title: "KPR by domain", Note: note, Facet: byDomain, Metric: KPR, Order: Domains, Axis: "domain", Radar: true},
		{Title: "KPR by category", Note: note, Facet: byCategory, Metric: KPR, Order: categoryNames(), Axis: "category", Radar: true},
		{
			Title: "KPR by the length of the documents shown", Note: note, Facet: byInput, Metric: KPR,
			Order: names(inputBands), Axis: "tokens of the documents shown",
		},
		{
			Title: "KPR by the length of the answer", Note: note, Facet: byAnswer, Metric: KPR,
			Order: names(answerBands), Axis: "tokens of the answer",
		},
	}
}

func categoryNames() []string {
	var out []string
	for _, c := range Categories {
		out = append(out, c.Name)
	}
	return out
}

// Tables break recall down by category, domain and length, and compare the judges.
func (Benchmark) Tables(systems []datasets.Scored) []datasets.Grid {
	grids := []datasets.Grid{
		breakdown(systems, byCategory, "KPR by category", categoryNames()),
		breakdown(systems, byDomain, "KPR by domain", Domains),
		breakdown(systems, byInput, "KPR by tokens of documents shown", names(inputBands)),
		breakdown(systems, byAnswer, "KPR by tokens of the answer", names(answerBands)),
	}
	return datasets.Filled(append(grids, evaluators(systems)...)...)
}

func names(bands []band) []string {
	out := make([]string, len(bands))
	for i, b := range bands {
		out[i] = b.name
	}
	return out
}

// breakdown gives each system's recall by the values of a facet, in the given order
// and then those that are not in it.
func breakdown(systems []datasets.Scored, facet, title string, order []string) datasets.Grid {
	g := datasets.Grid{
		Title: title,
		Head:  []string{"retriever", "generator", "judge"},
		Note:  "in percent, mean over questions (number of questions)",
	}
	columns := facetValues(systems, facet, order)
	if len(columns) == 0 {
		return g
	}
	g.Head = append(g.Head, columns...)

	for _, s := range systems {
		row := []string{s.Retriever, s.Generator, s.Judge}
		for _, v := range columns {
			var values []float64
			for _, it := range s.Items {
				if x, ok := it.Values[KPR][""]; ok && it.Facets[facet] == v {
					values = append(values, x)
				}
			}

			cell := datasets.NoValue
			if len(values) > 0 {
				cell = fmt.Sprintf("%.1f (%d)", 100*metric.Mean(values), len(values))
			}
			row = append(row, cell)
		}
		g.Rows = append(g.Rows, row)
	}
	return g
}

// facetValues lists the values of a facet that occur.
func facetValues(systems []datasets.Scored, facet string, order []string) []string {
	others := map[string]bool{}
	for _, s := range systems {
		for _, it := range s.Items {
			if v := it.Facets[facet]; v != "" {
				others[v] = true
			}
		}
	}

	var out []string
	for _, v := range order {
		if others[v] {
			out = append(out, v)
			delete(others, v)
		}
	}
	return append(out, slices.Sorted(maps.Keys(others))...)
}

// byJudge are the systems of each judge, which are compared.
type byJudge struct {
	judges  []string
	systems []datasets.System
	scored  map[string]map[datasets.System]datasets.Scored // by judge
}

// group keeps judges and systems in the order in which they come.
func group(systems []datasets.Scored) byJudge {
	g := byJudge{scored: map[string]map[datasets.System]datasets.Scored{}}
	for _, s := range systems {
		if g.scored[s.Judge] == nil {
			g.judges = append(g.judges, s.Judge)
			g.scored[s.Judge] = map[datasets.System]datasets.Scored{}
		}
		if !slices.Contains(g.systems, s.System) {
			g.systems = append(g.systems, s.System)
		}
		g.scored[s.Judge][s.System] = s
	}
	return g
}

// recall is that of a system by a judge.
func (g byJudge) recall(judge string, of datasets.System) (float64, bool) {
	s, ok := g.scored[judge][of]
	if !ok {
		return 0, false
	}
	return s.Value(KPR)
}

// evaluators compare the judges of the same answers (the paper's Table 3).
func evaluators(systems []datasets.Scored) []datasets.Grid {
	g := group(systems)
	if len(g.judges) < 2 {
		return nil
	}

	scores := datasets.Grid{
		Title: "KPR by evaluator",
		Head:  append([]string{"retriever", "generator"}, g.judges...),
		Note:  "in percent",
	}
	for _, k := range g.systems {
		row := []string{k.Retriever, k.Generator}
		for _, j := range g.judges {
			cell := datasets.NoValue
			if v, ok := g.recall(j, k); ok {
				cell = fmt.Sprintf("%.1f", 100*v)
			}
			row = append(row, cell)
		}
		scores.Rows = append(scores.Rows, row)
	}

	pairs := datasets.Grid{
		Title: "Evaluator against evaluator",
		Head:  []string{"evaluators", "τ-b of systems", "same verdict", "Cohen's κ", "points", "mean difference"},
		Note: "τ-b without oracle, random and none; points: key points that both judged, over all systems; " +
			"same verdict and the mean difference, first minus second, in percent",
	}
	for i, a := range g.judges {
		for _, b := range g.judges[i+1:] {
			pairs.Rows = append(pairs.Rows, g.agreement(a, b))
		}
	}
	return []datasets.Grid{scores, pairs}
}

// agreement is the row of two judges.
func (g byJudge) agreement(a, b string) []string {
	var x, y []float64
	var one, other []int
	for _, k := range g.systems {
		v, okA := g.recall(a, k)
		w, okB := g.recall(b, k)
		if okA && okB && !k.Reference() {
			x, y = append(x, v), append(y, w)
		}

		p, q := samePoints(g.scored[a][k], g.scored[b][k])
		one, other = append(one, p...), append(other, q...)
	}

	const none = datasets.NoValue
	row := []string{a + " / " + b, none, none, none, fmt.Sprint(len(one)), none}
	if len(x) > 2 {
		row[1] = datasets.Coefficient(metric.KendallTauB(x, y), len(x))
	}
	if len(one) == 0 {
		return row
	}

	row[2] = fmt.Sprintf("%.1f", 100*metric.Accuracy(one, other))
	if k := metric.CohenKappa(one, other, 2, metric.Nominal); !math.IsNaN(k) {
		row[3] = fmt.Sprintf("%.2f", k)
	}
	sum := 0
	for i := range one {
		sum += one[i] - other[i]
	}
	row[5] = fmt.Sprintf("%+.1f", 100*float64(sum)/float64(len(one)))
	return row
}

// samePoints are the verdicts on the key points that two judges of a system both judged.
func samePoints(a, b datasets.Scored) (one, other []int) {
	verdicts := map[string]map[string]float64{} // of b, by item and key point
	for _, it := range b.Items {
		verdicts[it.Item] = it.Values[Point]
	}

	for _, it := range a.Items {
		for _, unit := range slices.Sorted(maps.Keys(it.Values[Point])) {
			if w, ok := verdicts[it.Item][unit]; ok {
				one, other = append(one, int(it.Values[Point][unit])), append(other, int(w))
			}
		}
	}
	return one, other
}
