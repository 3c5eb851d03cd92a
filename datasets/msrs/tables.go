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
func (b Benchmark) Tables(systems []datasets.Scored) []datasets.Grid {
	return datasets.Filled(b.retrieval(systems), b.agreement(systems))
}

func (b Benchmark) retrieval(systems []datasets.Scored) datasets.Grid {
	names := []string{PrecisionAtK, RecallAtK, NDCGAtK, MAPAtK, MAPUncut, NDCGUncut, RecipRank}
	g := datasets.Grid{
		Title: "Retrieval",
		Head:  []string{"retriever"},
		Note: "in percent; @K as the paper cuts them, map, ndcg and recip_rank as trec_eval does, " +
			"over the first 100; the oracle's K is the number of gold documents; " +
			"n: queries with a gold document in the corpus",
	}
	for _, n := range names {
		g.Head = append(g.Head, datasets.Title(b.Metrics(), n))
	}
	g.Head = append(g.Head, "n")

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
		n := 0
		for _, it := range s.Items {
			n += len(it.Values[NDCGAtK])
		}
		row = append(row, fmt.Sprint(n))
		g.Rows = append(g.Rows, row)
	}
	return g
}

// ranked are the figures whose ranking of systems is compared.
var ranked = []string{Relevance, Consistency, Recall, Rouge1, Rouge2, RougeL, datasets.BERTScoreF}

// leastSystems is how many a ranking of systems has at least.
const leastSystems = 4

// graded are the systems that have recorded grades, by setting.
type graded struct {
	settings []string // those with enough systems; "all" is the last where there are several
	judges   []string
	systems  map[string][]datasets.Scored
}

func gradedSystems(systems []datasets.Scored) graded {
	g := graded{systems: map[string][]datasets.Scored{}}
	for _, s := range systems {
		if _, ok := s.Value(GEvalRecorded); !ok {
			continue
		}
		if g.systems[s.Retriever] == nil {
			g.settings = append(g.settings, s.Retriever)
		}
		g.systems[s.Retriever] = append(g.systems[s.Retriever], s)
		if !slices.Contains(g.judges, s.Judge) {
			g.judges = append(g.judges, s.Judge)
		}
	}

	// A system stands there once for each judge.
	g.settings = slices.DeleteFunc(g.settings, func(s string) bool {
		return len(g.systems[s])/max(1, len(g.judges)) < leastSystems
	})
	if len(g.settings) > 1 {
		for _, s := range g.settings {
			if !(datasets.System{Retriever: s}).Reference() {
				g.systems["all"] = append(g.systems["all"], g.systems[s]...)
			}
		}
		g.settings = append(g.settings, "all")
	}
	return g
}

// agreement is Kendall's τ-b over systems between each figure and the authors'
// recorded relevance, for each setting with at least four systems and over all.
func (b Benchmark) agreement(systems []datasets.Scored) datasets.Grid {
	g := datasets.Grid{
		Title: "Do the figures rank systems as the authors' G-Eval does?",
		Head:  []string{"figure", "judge"},
		Note: "Kendall's τ-b over systems with the mean recorded relevance (GPT-4o, expected grade); " +
			"a column oracle ranks generators that were all shown the gold documents, " +
			"and all leaves out oracle, random and none",
	}
	of := gradedSystems(systems)
	for _, s := range of.settings {
		g.Head = append(g.Head, "τ, "+s)
	}

	for i, j := range of.judges {
		for _, name := range ranked {
			judged := name == Relevance || name == Consistency
			if i > 0 && !judged {
				continue // the same for every judge
			}

			row := []string{datasets.Title(b.Metrics(), name), datasets.NoValue}
			if judged {
				row[1] = j
			}
			some := false
			for _, setting := range of.settings {
				t, n := tau(of.systems[setting], j, name)
				some = some || !math.IsNaN(t)
				row = append(row, datasets.Coefficient(t, n))
			}
			if some {
				g.Rows = append(g.Rows, row)
			}
		}
	}
	return g
}

// tau is Kendall's τ-b over n systems; NaN if they are too few.
func tau(systems []datasets.Scored, judge, name string) (t float64, n int) {
	var x, y []float64
	for _, s := range systems {
		v, ok := s.Value(name)
		if r, recorded := s.Value(GEvalRecorded); ok && recorded && s.Judge == judge {
			x, y = append(x, v), append(y, r)
		}
	}

	if len(x) < leastSystems {
		return math.NaN(), len(x)
	}
	return metric.KendallTauB(x, y), len(x)
}
