package summhay

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"lore/datasets"
)

// Tables gives the shapes of the paper's Tables 2 (scores by summariser and
// retriever), 3 (document order) and 7 (citation precision and recall), as far as
// the systems allow. Values are percentages.
func (Benchmark) Tables(systems []datasets.System) []datasets.Grid {
	var out []datasets.Grid
	if g := tableBounds(systems); len(g.Rows) > 0 {
		out = append(out, g)
	}
	for _, judge := range judges(systems) {
		of := slices.DeleteFunc(slices.Clone(systems), func(s datasets.System) bool { return s.Judge != judge })
		out = append(out, tableScores(of, judge))
		if g, ok := tableOrders(of, judge); ok {
			out = append(out, g)
		}
		if g := tableVerbosity(of, judge); len(g.Rows) > 0 {
			out = append(out, g)
		}
		out = append(out, tableCitations(of, judge))
	}
	return out
}

func judges(systems []datasets.System) []string {
	var out []string
	for _, s := range systems {
		if !slices.Contains(out, s.Judge) {
			out = append(out, s.Judge)
		}
	}
	return out
}

func distinct(systems []datasets.System, key func(datasets.System) string) []string {
	var out []string
	for _, s := range systems {
		if k := key(s); !slices.Contains(out, k) {
			out = append(out, k)
		}
	}
	return out
}

func retrieverOf(s datasets.System) string { return s.Retriever }
func generatorOf(s datasets.System) string { return s.Generator }

func find(systems []datasets.System, generator, retriever string) (datasets.System, bool) {
	for _, s := range systems {
		if s.Generator == generator && s.Retriever == retriever {
			return s, true
		}
	}
	return datasets.System{}, false
}

// cell shows a percentage with one decimal, or a dash where there is none.
func cell(systems []datasets.System, generator, retriever, metric string) string {
	if s, ok := find(systems, generator, retriever); ok {
		return percent(s, metric)
	}
	return "–"
}

func percent(s datasets.System, metric string) string {
	if v, ok := s.Value(metric); ok {
		return fmt.Sprintf("%.1f", 100*v)
	}
	return "–"
}

// tableScores lists generators by retrievers, best oracle Joint score first as in
// the paper, or best mean Joint score where there is no oracle.
func tableScores(systems []datasets.System, judge string) datasets.Grid {
	retrievers, generators := distinct(systems, retrieverOf), distinct(systems, generatorOf)
	slices.SortStableFunc(generators, func(a, b string) int {
		x, y := rankValue(systems, a), rankValue(systems, b)
		switch {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return strings.Compare(a, b)
	})
	g := datasets.Grid{Later: true, Title: "Scores by generator and retriever (as Table 2 of the paper)", Note: "Judge: " + judge + ". Percentages; #Wb is words per bullet.", Head: []string{"generator"}}
	for _, m := range []string{"Cov", "Cit", "Joint"} {
		for _, r := range retrievers {
			g.Head = append(g.Head, m+" "+r)
		}
	}
	g.Head = append(g.Head, "#Wb")
	for _, gen := range generators {
		row := []string{gen}
		for _, m := range []string{Coverage, Citation, Joint} {
			for _, r := range retrievers {
				row = append(row, cell(systems, gen, r, m))
			}
		}
		g.Rows = append(g.Rows, append(row, meanWords(systems, gen)))
	}
	return g
}

func rankValue(systems []datasets.System, generator string) float64 {
	if s, ok := find(systems, generator, "oracle"); ok {
		if v, ok := s.Value(Joint); ok {
			return v
		}
	}
	sum, n := 0.0, 0.0
	for _, s := range systems {
		if v, ok := s.Value(Joint); ok && s.Generator == generator {
			sum += v
			n++
		}
	}
	if n == 0 {
		return math.Inf(-1)
	}
	return sum/n - 10 // below every generator with an oracle
}

func meanWords(systems []datasets.System, generator string) string {
	sum, n := 0.0, 0.0
	for _, s := range systems {
		if v, ok := s.Value(WordsPerBullet); ok && s.Generator == generator {
			sum += v
			n++
		}
	}
	if n == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f", sum/n)
}

// orders are the full-context settings by heading: lore's own names and those of
// the published data.
var orders = []struct {
	heading string
	names   []string
}{
	{"Top", []string{"full-top", "fl-ctxt-sort"}},
	{"Bottom", []string{"full-bottom", "fl-ctxt-rev-sort"}},
	{"Middle", []string{"full-middle", "fl-ctxt-middle"}},
	{"Random", []string{"full-random"}},
	{"As given", []string{"full"}},
}

// sortedOrders are the first of them: sensitivity is about these.
const sortedOrders = 3

// tableOrders shows Joint scores by place of the relevant documents. Sensitivity
// is the largest difference between a sorted order and the order as given.
func tableOrders(systems []datasets.System, judge string) (datasets.Grid, bool) {
	g := datasets.Grid{Title: "Joint score by place of the relevant documents (as Table 3 of the paper)", Note: "Judge: " + judge + ". Full context.", Head: []string{"generator"}}
	for _, o := range orders {
		g.Head = append(g.Head, o.heading)
	}
	g.Head = append(g.Head, "Sensitivity")
	for _, gen := range distinct(systems, generatorOf) {
		row, values := []string{gen}, make([]float64, len(orders))
		known := 0
		for i, o := range orders {
			values[i] = math.NaN()
			for _, name := range o.names {
				if s, ok := find(systems, gen, name); ok {
					if v, ok := s.Value(Joint); ok {
						values[i] = v
						known++
					}
				}
			}
			row = append(row, number(100*values[i]))
		}
		given := values[len(orders)-1]
		if known < 2 || math.IsNaN(given) {
			continue
		}
		sensitivity := 0.0
		for _, v := range values[:sortedOrders] {
			if !math.IsNaN(v) {
				sensitivity = max(sensitivity, math.Abs(v-given))
			}
		}
		g.Rows = append(g.Rows, append(row, number(100*sensitivity)))
	}
	return g, len(g.Rows) > 0
}

// tableBounds says what the best answer from the documents shown could score.
func tableBounds(systems []datasets.System) datasets.Grid {
	g := datasets.Grid{Title: "Upper bound: what the context allows", Head: []string{"retriever", "Coverage", "Citation", "Joint"},
		Note: "Percentages. Of an answer that reports every insight found in the documents shown and cites all of these that hold it, and no other. A judge that sees an insight in what only resembles it can give more."}
	for _, r := range distinct(systems, retrieverOf) {
		for _, s := range systems {
			if _, ok := s.Value(BoundJoint); ok && s.Retriever == r {
				g.Rows = append(g.Rows, []string{r, percent(s, BoundCoverage), percent(s, BoundCitation), percent(s, BoundJoint)})
				break
			}
		}
	}
	return g
}

// tableVerbosity compares answers with and without a given number of bullets.
func tableVerbosity(systems []datasets.System, judge string) datasets.Grid {
	g := datasets.Grid{Title: "Number of bullets given or free", Note: "Judge: " + judge + ". Percentages; bullets and words per bullet are means.",
		Head: []string{"retriever", "generator", "Bullets", "Words/bullet", "Coverage", "Citation", "Joint", "Joint, free minus given"}}
	if !slices.ContainsFunc(systems, func(s datasets.System) bool { return strings.HasSuffix(s.Generator, " ("+free+")") }) {
		return g
	}
	for _, s := range systems {
		if _, ok := s.Value(Bullets); !ok {
			continue
		}
		difference := "–"
		if base, isFree := strings.CutSuffix(s.Generator, " ("+free+")"); isFree {
			if given, ok := find(systems, base, s.Retriever); ok {
				a, ok1 := s.Value(Joint)
				b, ok2 := given.Value(Joint)
				if ok1 && ok2 {
					difference = fmt.Sprintf("%+.1f", 100*(a-b))
				}
			}
		}
		g.Rows = append(g.Rows, []string{s.Retriever, s.Generator, plain(s, Bullets), plain(s, WordsPerBullet), percent(s, Coverage), percent(s, Citation), percent(s, Joint), difference})
	}
	return g
}

func plain(s datasets.System, metric string) string {
	if v, ok := s.Value(metric); ok {
		return fmt.Sprintf("%.1f", v)
	}
	return "–"
}

func number(v float64) string {
	if math.IsNaN(v) {
		return "–"
	}
	return fmt.Sprintf("%.1f", v)
}

func tableCitations(systems []datasets.System, judge string) datasets.Grid {
	g := datasets.Grid{Later: true, Title: "Citation precision and recall (as Table 7 of the paper)", Note: "Judge: " + judge + ". Percentages, over covered insights.",
		Head: []string{"generator", "retriever", "Precision", "Recall", "F1"}}
	for _, s := range systems {
		g.Rows = append(g.Rows, []string{s.Generator, s.Retriever, percent(s, CitationPrecision), percent(s, CitationRecall), percent(s, Citation)})
	}
	return g
}
