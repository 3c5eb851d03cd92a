package crux

import (
	"fmt"
	"math"
	"slices"

	"lore/datasets"
	"lore/judge/metric"
)

// Tables give the figures at every threshold, the rankings' measures, and how well
// figures of the context predict those of the report (the paper's Table 1).
func (b Benchmark) Tables(systems []datasets.System) []datasets.Grid {
	return slices.DeleteFunc([]datasets.Grid{b.thresholds(systems), b.ranking(systems), b.prediction(systems)}, func(g datasets.Grid) bool { return len(g.Rows) == 0 })
}

func (b Benchmark) thresholds(systems []datasets.System) datasets.Grid {
	g := datasets.Grid{Title: "By threshold", Head: []string{"retriever", "generator", "judge", "η", "Cov(Z)", "α-nDCG", "Den(Z)", "Cov(y)", "Den(y)"}, Note: "in percent; a question is answered by a grade of at least η"}
	if len(b.etas()) < 2 {
		return g
	}
	for _, s := range systems {
		for _, eta := range b.etas() {
			row := []string{s.Retriever, s.Generator, s.Judge, fmt.Sprint(eta)}
			for _, name := range []string{CovContext, AlphaNDCG, DenContext, CovAnswer, DenAnswer} {
				row = append(row, percent(s, at(name, eta)))
			}
			g.Rows = append(g.Rows, row)
		}
	}
	return g
}

func (b Benchmark) ranking(systems []datasets.System) datasets.Grid {
	g := datasets.Grid{Title: "Rankings", Head: []string{"retriever", "R@k", "MAP", "nDCG@k"}, Note: fmt.Sprintf("in percent, of the relevant passages; MAP over the first %d", Depth)}
	seen := map[string]bool{}
	for _, s := range systems {
		if _, ok := s.Value(MAP); !ok || seen[s.Retriever] {
			continue
		}
		seen[s.Retriever] = true
		g.Rows = append(g.Rows, []string{s.Retriever, percent(s, RecallAtK), percent(s, MAP), percent(s, NDCGAtK)})
	}
	return g
}

func percent(s datasets.System, name string) string {
	if v, ok := s.Value(name); ok {
		return fmt.Sprintf("%.1f", 100*v)
	}
	return "–"
}

// prediction is Kendall's τ-b over pipelines, for each generator and judge with at
// least three of them.
func (b Benchmark) prediction(systems []datasets.System) datasets.Grid {
	eta := b.etas()[0]
	g := datasets.Grid{Title: "Do figures of the context predict the report?", Head: []string{"context", "generator", "judge", "τ with Cov(y)", "τ with Den(y)"},
		Note: fmt.Sprintf("Kendall's τ-b over pipelines, at η %d", eta)}
	type key struct{ generator, judge string }
	var keys []key
	groups := map[key][]datasets.System{}
	for _, s := range systems {
		k := key{s.Generator, s.Judge}
		if _, ok := s.Value(at(CovContext, eta)); !ok {
			continue
		}
		if groups[k] == nil {
			keys = append(keys, k)
		}
		groups[k] = append(groups[k], s)
	}
	for _, k := range keys {
		if len(groups[k]) < 3 {
			continue
		}
		for _, name := range []string{at(CovContext, eta), at(AlphaNDCG, eta), at(DenContext, eta), RecallAtK, MAP, NDCGAtK} {
			row := []string{b.title(name), k.generator, k.judge}
			for _, y := range []string{CovAnswer, DenAnswer} {
				row = append(row, tauCell(groups[k], name, at(y, eta)))
			}
			g.Rows = append(g.Rows, row)
		}
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

func tauCell(systems []datasets.System, a, b string) string {
	var x, y []float64
	for _, s := range systems {
		v, ok1 := s.Value(a)
		w, ok2 := s.Value(b)
		if ok1 && ok2 {
			x, y = append(x, v), append(y, w)
		}
	}
	if t := metric.KendallTauB(x, y); len(x) >= 3 && !math.IsNaN(t) {
		return fmt.Sprintf("%.2f (n %d)", t, len(x))
	}
	return "–"
}
