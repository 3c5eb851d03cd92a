package crux

import (
	"fmt"
	"slices"

	"lore/datasets"
	"lore/judge/metric"
)

// Tables give the figures at every threshold, the rankings' measures, and how well
// figures of the context predict those of the report (the paper's Table 1).
func (b Benchmark) Tables(systems []datasets.Scored) []datasets.Grid {
	return datasets.Filled(b.thresholds(systems), b.ranking(systems), b.prediction(systems))
}

func (b Benchmark) thresholds(systems []datasets.Scored) datasets.Grid {
	g := datasets.Grid{
		Title: "By threshold",
		Head: []string{
			"retriever", "generator", "judge", "η", "Cov(Z)", "α-nDCG", "Den(Z)", "Cov(y)", "Den(y)", "n",
		},
		Note: "in percent; a question is answered by a grade of at least η; n: topics with a figure, and beside one that fewer have",
	}
	if len(b.etas()) < 2 {
		return g // the main table has it all
	}
	if len(b.prediction(systems).Rows) == 0 {
		g.Note += fmt.Sprintf("; whether contexts predict reports (Kendall's τ) is told of %d pipelines or more, without the bounds",
			leastPipelines)
	}

	for _, s := range systems {
		for _, eta := range b.etas() {
			row, n := []string{s.Retriever, s.Generator, s.Judge, fmt.Sprint(eta)}, 0
			names := []string{CovContext, AlphaNDCG, DenContext, CovAnswer, DenAnswer}
			for _, name := range names {
				n = max(n, topics(s, at(name, eta)))
			}
			for _, name := range names {
				cell := s.Percent(at(name, eta))
				if have := topics(s, at(name, eta)); have > 0 && have < n {
					cell += fmt.Sprintf(" (n %d)", have)
				}
				row = append(row, cell)
			}
			g.Rows = append(g.Rows, append(row, fmt.Sprint(n)))
		}
	}
	return g
}

// topics counts the topics in which a system has a figure.
func topics(s datasets.Scored, name string) int {
	n := 0
	for _, it := range s.Items {
		if len(it.Values[name]) > 0 {
			n++
		}
	}
	return n
}

func (b Benchmark) ranking(systems []datasets.Scored) datasets.Grid {
	others := "the other shown passages count as answering nothing (--ungraded judge has them graded)"
	if b.Ungraded == askJudge {
		others = "the judge graded the other shown passages"
	}
	g := datasets.Grid{
		Title: "Rankings",
		Head:  []string{"retriever", "R@k", "MAP", "nDCG@k", "grades from the data"},
		Note:  fmt.Sprintf("in percent, of the relevant passages; MAP over the first %d; %s", Depth, others),
	}
	seen := map[string]bool{}
	for _, s := range systems {
		if _, ok := s.Value(MAP); !ok || seen[s.Context()] {
			continue
		}
		seen[s.Context()] = true
		g.Rows = append(g.Rows, []string{
			s.Context(), s.Percent(RecallAtK), s.Percent(MAP), s.Percent(NDCGAtK), fromData(s),
		})
	}
	return g
}

// fromData is the cell of how many of the shown passages have grades in the data.
func fromData(s datasets.Scored) string {
	graded, shown := 0, 0
	for _, it := range s.Items {
		for _, v := range it.Values[Graded] {
			shown++
			if v > 0 {
				graded++
			}
		}
	}
	if shown == 0 {
		return datasets.NoValue // recorded before passages were counted
	}
	return fmt.Sprintf("%d of %d", graded, shown)
}

// bounds are the retrievers that show all that is required, and nothing (the paper's Table 1).
var bounds = []string{"oracle", "none"}

// prediction is Kendall's τ-b over pipelines at every threshold, for each generator and judge with at
// least three of them: without the bounds, and with those that were run.
func (b Benchmark) prediction(systems []datasets.Scored) datasets.Grid {
	g := datasets.Grid{
		Title: "Do figures of the context predict the report?",
		Head:  []string{"η", "context", "generator", "judge", "τ with Cov(y)", "τ with Den(y)", "bounds too: Cov(y)", "Den(y)"},
		Note:  "Kendall's τ-b over pipelines but oracle, random and none; bounds too: over oracle and none as well",
	}

	type key struct{ generator, judge string }
	var keys []key
	plain, all := map[key][]datasets.Scored{}, map[key][]datasets.Scored{}
	for _, s := range systems {
		if _, ok := s.Value(at(CovContext, b.etas()[0])); !ok || s.Reference() && !slices.Contains(bounds, s.Retriever) {
			continue
		}
		k := key{s.Generator, s.Judge}
		if all[k] == nil {
			keys = append(keys, k)
		}
		all[k] = append(all[k], s)
		if !s.Reference() {
			plain[k] = append(plain[k], s)
		}
	}

	for _, eta := range b.etas() {
		for _, k := range keys {
			if len(plain[k]) < leastPipelines {
				continue
			}
			for _, name := range contextMetrics(eta) {
				row := []string{fmt.Sprint(eta), headingOf(name, eta), k.generator, k.judge}
				for _, over := range [][]datasets.Scored{plain[k], all[k]} {
					if len(over) == len(plain[k]) && len(row) > 4 {
						row = append(row, datasets.NoValue, datasets.NoValue) // no bound was run
						continue
					}
					row = append(row, tau(over, name, at(CovAnswer, eta)), tau(over, name, at(DenAnswer, eta)))
				}
				g.Rows = append(g.Rows, row)
			}
		}
	}
	return g
}

// headingOf is that of a figure of the context.
func headingOf(name string, eta int) string {
	return figuresOfContext[slices.Index(contextMetrics(eta), name)]
}

// leastPipelines is how many a rank correlation is over at least.
const leastPipelines = 3

// tau is the cell of Kendall's τ-b between two figures.
func tau(systems []datasets.Scored, a, b string) string {
	var x, y []float64
	for _, s := range systems {
		v, ok1 := s.Value(a)
		w, ok2 := s.Value(b)
		if ok1 && ok2 {
			x, y = append(x, v), append(y, w)
		}
	}

	if len(x) < leastPipelines {
		return datasets.NoValue
	}
	return datasets.Coefficient(metric.KendallTauB(x, y), len(x))
}
