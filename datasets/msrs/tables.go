package msrs

import (
	"fmt"
	"math"
	"slices"

	"lore/datasets"
	"lore/judge/metric"
)

// Tables give the paper's shapes: retrieval (Tables 4 and 5), generation (6 and 7),
// and how well figures rank recorded systems as the authors' grades do.
func (b Benchmark) Tables(systems []datasets.System) []datasets.Grid {
	return slices.DeleteFunc([]datasets.Grid{b.retrieval(systems), b.agreement(systems)}, func(g datasets.Grid) bool { return len(g.Rows) == 0 })
}

func (b Benchmark) retrieval(systems []datasets.System) datasets.Grid {
	names := []string{PrecisionAtK, RecallAtK, NDCGAtK, MAPAtK, MAPUncut, NDCGUncut, RecipRank}
	g := datasets.Grid{Title: "Retrieval", Head: []string{"retriever"}, Note: "in percent; @K as the paper cuts them, map, ndcg and recip_rank as trec_eval does, over the first 100"}
	for _, n := range names {
		g.Head = append(g.Head, b.title(n))
	}
	seen := map[string]bool{}
	for _, s := range systems {
		if _, ok := s.Value(NDCGAtK); !ok || seen[s.Retriever] {
			continue
		}
		seen[s.Retriever] = true
		row := []string{s.Retriever}
		for _, n := range names {
			v, _ := s.Value(n)
			row = append(row, fmt.Sprintf("%.2f", 100*v))
		}
		g.Rows = append(g.Rows, row)
	}
	return g
}

func (b Benchmark) title(name string) string {
	for _, m := range b.Metrics() {
		if m.Name == name {
			return m.Title
		}
	}
	return name
}

// ranked are the figures whose ranking of systems is compared.
var ranked = []string{Relevance, Consistency, Recall, Rouge1, Rouge2, RougeL, datasets.BERTScoreF}

// agreement is Kendall's τ-b over systems between each figure and the authors'
// recorded relevance, for each setting with at least four systems and over all.
func (b Benchmark) agreement(systems []datasets.System) datasets.Grid {
	g := datasets.Grid{Title: "Do the figures rank systems as the authors' G-Eval does?", Head: []string{"figure", "judge"},
		Note: "Kendall's τ-b over systems with the mean recorded relevance (GPT-4o, expected grade)"}
	settings := []string{}
	groups := map[string][]datasets.System{}
	var judges []string
	for _, s := range systems {
		if _, ok := s.Value(GEvalRecorded); !ok {
			continue
		}
		if groups[s.Retriever] == nil {
			settings = append(settings, s.Retriever)
		}
		groups[s.Retriever] = append(groups[s.Retriever], s)
		if !slices.Contains(judges, s.Judge) {
			judges = append(judges, s.Judge)
		}
	}
	settings = slices.DeleteFunc(settings, func(s string) bool { return len(groups[s])/max(1, len(judges)) < 4 })
	if len(settings) > 1 {
		for _, s := range settings {
			groups["all"] = append(groups["all"], groups[s]...)
		}
		settings = append(settings, "all")
	}
	if len(settings) == 0 {
		return g
	}
	for _, s := range settings {
		g.Head = append(g.Head, fmt.Sprintf("τ, %s", s))
	}
	for _, j := range judges {
		for _, name := range ranked {
			if j != judges[0] && name != Relevance && name != Consistency {
				continue // the same for every judge
			}
			row, some := []string{b.title(name), j}, false
			if name != Relevance && name != Consistency {
				row[1] = "–"
			}
			for _, setting := range settings {
				t, n := tau(groups[setting], j, name)
				if math.IsNaN(t) {
					row = append(row, "–")
					continue
				}
				some = true
				row = append(row, fmt.Sprintf("%.2f (n %d)", t, n))
			}
			if some {
				g.Rows = append(g.Rows, row)
			}
		}
	}
	return g
}

func tau(systems []datasets.System, judge, name string) (float64, int) {
	var x, y []float64
	for _, s := range systems {
		v, ok := s.Value(name)
		if r, recorded := s.Value(GEvalRecorded); ok && recorded && s.Judge == judge {
			x, y = append(x, v), append(y, r)
		}
	}
	if len(x) < 4 {
		return math.NaN(), len(x)
	}
	return metric.KendallTauB(x, y), len(x)
}
