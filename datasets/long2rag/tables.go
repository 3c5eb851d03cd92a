package long2rag

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"lore/datasets"
	"lore/judge/metric"
)

// Tables break recall down by category, domain and length, and compare the judges.
func (Benchmark) Tables(systems []datasets.System) []datasets.Grid {
	var categories []string
	for _, c := range Categories {
		categories = append(categories, c.Name)
	}
	grids := []datasets.Grid{
		breakdown(systems, byCategory, "KPR by category", categories),
		breakdown(systems, byDomain, "KPR by domain", Domains),
		breakdown(systems, byInput, "KPR by tokens of documents shown", names(inputBands)),
		breakdown(systems, byAnswer, "KPR by tokens of the answer", names(answerBands)),
	}
	grids = append(grids, evaluators(systems)...)
	return slices.DeleteFunc(grids, func(g datasets.Grid) bool { return len(g.Rows) == 0 })
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
func breakdown(systems []datasets.System, facet, title string, order []string) datasets.Grid {
	g := datasets.Grid{Title: title, Head: []string{"retriever", "generator", "judge"}, Note: "in percent, mean over questions (number of questions)"}
	others := map[string]bool{}
	for _, s := range systems {
		for _, it := range s.Items {
			if v := it.Facets[facet]; v != "" {
				others[v] = true
			}
		}
	}
	var columns []string
	for _, v := range order {
		if others[v] {
			columns = append(columns, v)
			delete(others, v)
		}
	}
	if columns = append(columns, slices.Sorted(maps.Keys(others))...); len(columns) == 0 {
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
			cell := "–"
			if len(values) > 0 {
				cell = fmt.Sprintf("%.1f (%d)", 100*metric.Mean(values), len(values))
			}
			row = append(row, cell)
		}
		g.Rows = append(g.Rows, row)
	}
	return g
}

type system struct{ retriever, generator string }

// evaluators compare the judges of the same answers (the paper's Table 3).
func evaluators(systems []datasets.System) []datasets.Grid {
	var judges []string
	var rows []system
	at := map[string]map[system]datasets.System{}
	for _, s := range systems {
		if at[s.Judge] == nil {
			judges, at[s.Judge] = append(judges, s.Judge), map[system]datasets.System{}
		}
		k := system{s.Retriever, s.Generator}
		if !slices.Contains(rows, k) {
			rows = append(rows, k)
		}
		at[s.Judge][k] = s
	}
	if len(judges) < 2 {
		return nil
	}
	scores := datasets.Grid{Title: "KPR by evaluator", Head: append([]string{"retriever", "generator"}, judges...), Note: "in percent"}
	for _, k := range rows {
		row := []string{k.retriever, k.generator}
		for _, j := range judges {
			cell := "–"
			if v, ok := value(at[j], k); ok {
				cell = fmt.Sprintf("%.1f", 100*v)
			}
			row = append(row, cell)
		}
		scores.Rows = append(scores.Rows, row)
	}
	pairs := datasets.Grid{Title: "Evaluator against evaluator", Head: []string{"evaluators", "τ-b of systems", "same verdict", "Cohen's κ", "points", "mean difference"},
		Note: "points: key points that both judged, over all systems; same verdict and the mean difference, first minus second, in percent"}
	for i, a := range judges {
		for _, b := range judges[i+1:] {
			pairs.Rows = append(pairs.Rows, agreementRow(a, b, at[a], at[b], rows))
		}
	}
	return []datasets.Grid{scores, pairs}
}

func value(of map[system]datasets.System, k system) (float64, bool) {
	s, ok := of[k]
	if !ok {
		return 0, false
	}
	return s.Value(KPR)
}

func agreementRow(nameA, nameB string, a, b map[system]datasets.System, rows []system) []string {
	var x, y []float64
	var one, other []int
	for _, k := range rows {
		v, okA := value(a, k)
		w, okB := value(b, k)
		if okA && okB {
			x, y = append(x, v), append(y, w)
		}
		verdicts := map[string]map[string]float64{}
		for _, it := range b[k].Items {
			verdicts[it.Item] = it.Values[Point]
		}
		for _, it := range a[k].Items {
			for _, unit := range slices.Sorted(maps.Keys(it.Values[Point])) {
				if w, ok := verdicts[it.Item][unit]; ok {
					one, other = append(one, int(it.Values[Point][unit])), append(other, int(w))
				}
			}
		}
	}
	row := []string{nameA + " / " + nameB, "–", "–", "–", fmt.Sprint(len(one)), "–"}
	if t := metric.KendallTauB(x, y); len(x) > 2 && !math.IsNaN(t) {
		row[1] = fmt.Sprintf("%.2f (n %d)", t, len(x))
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
