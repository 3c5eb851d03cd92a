package summhay

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"lore/datasets"
)

// Tables gives the shapes of the paper's Tables 2 (scores by summariser and
// retriever), 3 (document order) and 7 (citation precision and recall), as far as
// the systems allow. Values are percentages.
func (Benchmark) Tables(systems []datasets.Scored) []datasets.Grid {
	var out []datasets.Grid
	if g := tableBounds(systems); len(g.Rows) > 0 {
		out = append(out, g)
	}

	for _, judge := range distinct(systems, judgeOf) {
		of := slices.DeleteFunc(slices.Clone(systems), func(s datasets.Scored) bool { return s.Judge != judge })
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

func distinct(systems []datasets.Scored, key func(datasets.Scored) string) []string {
	var out []string
	for _, s := range systems {
		if k := key(s); !slices.Contains(out, k) {
			out = append(out, k)
		}
	}
	return out
}

func retrieverOf(s datasets.Scored) string { return s.Retriever }
func contextOf(s datasets.Scored) string   { return s.Context() }
func generatorOf(s datasets.Scored) string { return s.Generator }
func judgeOf(s datasets.Scored) string     { return s.Judge }

func find(systems []datasets.Scored, generator, retriever string) (datasets.Scored, bool) {
	for _, s := range systems {
		if s.Generator == generator && s.Retriever == retriever {
			return s, true
		}
	}
	return datasets.Scored{}, false
}

// cell shows a percentage with one decimal, or a dash where there is none.
func cell(systems []datasets.Scored, generator, retriever, metric string) string {
	if s, ok := find(systems, generator, retriever); ok {
		return s.Percent(metric)
	}
	return datasets.NoValue
}

// tableScores lists generators by retrievers, best oracle Joint score first as in
// the paper, or best mean Joint score where there is no oracle.
func tableScores(systems []datasets.Scored, judge string) datasets.Grid {
	retrievers, generators := distinct(systems, retrieverOf), distinct(systems, generatorOf)
	slices.SortStableFunc(generators, func(a, b string) int {
		return cmp.Or(cmp.Compare(rankValue(systems, b), rankValue(systems, a)), strings.Compare(a, b))
	})

	g := datasets.Grid{
		Title: "Scores by generator and retriever (as Table 2 of the paper)",
		Head:  []string{"generator"},
		Note:  "Judge: " + judge + ". Percentages; #Wb is words per bullet.",
		Later: true,
	}
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

// rankValue is the Joint score that a generator is ranked by.
func rankValue(systems []datasets.Scored, generator string) float64 {
	if s, ok := find(systems, generator, "oracle"); ok {
		if v, ok := s.Value(Joint); ok {
			return v
		}
	}
	mean := meanOf(systems, generator, Joint)
	if math.IsNaN(mean) {
		return math.Inf(-1)
	}
	return mean - 10 // below every generator with an oracle
}

func meanWords(systems []datasets.Scored, generator string) string {
	return number(meanOf(systems, generator, WordsPerBullet))
}

// meanOf is a generator's mean figure over its retrievers; not a number where there is none.
func meanOf(systems []datasets.Scored, generator, metric string) float64 {
	sum, n := 0.0, 0.0
	for _, s := range systems {
		if v, ok := s.Value(metric); ok && s.Generator == generator {
			sum += v
			n++
		}
	}
	return sum / n
}

// orders are the full-context settings by heading: lore's own names and those of
// the published data. Sensitivity is about the first two and the last.
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

// tableOrders shows Joint scores by place of the relevant documents. Sensitivity
// is the larger difference of Top and Bottom from the order as given (section 5.4).
func tableOrders(systems []datasets.Scored, judge string) (datasets.Grid, bool) {
	g := datasets.Grid{
		Title: "Joint score by place of the relevant documents (as Table 3 of the paper)",
		Head:  []string{"generator"},
		Note: "Judge: " + judge + ". Full context; the most relevant document is the first of all, or the last. " +
			"Sensitivity: the larger difference of Top and Bottom from the order as given.",
	}
	for _, o := range orders {
		g.Head = append(g.Head, o.heading)
	}
	g.Head = append(g.Head, "Sensitivity")

	lacking := false
	for _, gen := range distinct(systems, generatorOf) {
		values := jointByOrder(systems, gen)
		sorted := values[:len(orders)-1]
		if !slices.ContainsFunc(sorted, func(v float64) bool { return !math.IsNaN(v) }) {
			continue
		}

		row := []string{gen}
		for _, v := range values {
			row = append(row, number(100*v))
		}
		s := sensitivity(values)
		lacking = lacking || math.IsNaN(s)
		g.Rows = append(g.Rows, append(row, number(100*s)))
	}
	if lacking {
		g.Note += " It needs all three: a dash stands where one has not been scored; " +
			"add --retriever full --order top,bottom, or the recorded systems that are missing."
	}
	return g, len(g.Rows) > 0
}

// sensitivity is the larger difference of Top and Bottom from the order as given, of a score by each of the orders;
// not a number where one of the three is not known.
func sensitivity(byOrder []float64) float64 {
	top, bottom, given := byOrder[0], byOrder[1], byOrder[len(orders)-1]
	return math.Max(math.Abs(top-given), math.Abs(bottom-given))
}

// jointByOrder is a generator's Joint score for each of the orders, not a number where there is none.
func jointByOrder(systems []datasets.Scored, generator string) []float64 {
	values := make([]float64, len(orders))
	for i, o := range orders {
		values[i] = math.NaN()
		for _, name := range o.names {
			s, ok := find(systems, generator, name)
			if !ok {
				continue
			}
			if v, ok := s.Value(Joint); ok {
				values[i] = v
			}
		}
	}
	return values
}

// tableBounds says what the best answer from the documents shown could score.
func tableBounds(systems []datasets.Scored) datasets.Grid {
	g := datasets.Grid{
		Title: "Upper bound: what the context allows",
		Head:  []string{"retriever", "Coverage", "Citation", "Joint"},
		Note: "Best possible score: the answer reports every insight in the shown documents and cites exactly " +
			"those that hold it. Its citation counts every insight there, that of an answer only those it covers.",
	}
	for _, r := range distinct(systems, contextOf) {
		for _, s := range systems {
			if _, ok := s.Value(BoundJoint); ok && s.Context() == r {
				g.Rows = append(g.Rows, []string{
					r, s.Percent(BoundCoverage), s.Percent(BoundCitation), s.Percent(BoundJoint),
				})
				break
			}
		}
	}
	return g
}

// tableVerbosity compares answers with and without a given number of bullets.
func tableVerbosity(systems []datasets.Scored, judge string) datasets.Grid {
	g := datasets.Grid{
		Title: "Number of bullets given or free",
		Head: []string{
			"retriever", "generator", "Bullets", "Words/bullet",
			"Coverage", "Citation", "Joint", "Joint, free minus given",
		},
		Note: "Judge: " + judge + ". Percentages; bullets and words per bullet are means.",
	}
	if !slices.ContainsFunc(systems, func(s datasets.Scored) bool { return strings.HasSuffix(s.Generator, freeMark) }) {
		return g
	}

	for _, s := range systems {
		if _, ok := s.Value(Bullets); !ok {
			continue
		}
		g.Rows = append(g.Rows, []string{
			s.Retriever, s.Generator, plain(s, Bullets), plain(s, WordsPerBullet),
			s.Percent(Coverage), s.Percent(Citation), s.Percent(Joint), freeMinusGiven(systems, s),
		})
	}
	return g
}

// freeMark ends the name of a generator that was asked without a number of bullets.
const freeMark = " (" + free + ")"

// freeMinusGiven compares a system with the one that was given a number of bullets.
func freeMinusGiven(systems []datasets.Scored, s datasets.Scored) string {
	base, isFree := strings.CutSuffix(s.Generator, freeMark)
	if !isFree {
		return datasets.NoValue
	}
	given, ok := find(systems, base, s.Retriever)
	if !ok {
		return datasets.NoValue
	}

	a, ok1 := s.Value(Joint)
	b, ok2 := given.Value(Joint)
	if !ok1 || !ok2 {
		return datasets.NoValue
	}
	return fmt.Sprintf("%+.1f", 100*(a-b))
}

func plain(s datasets.Scored, metric string) string {
	if v, ok := s.Value(metric); ok {
		return number(v)
	}
	return datasets.NoValue
}

func number(v float64) string {
	if math.IsNaN(v) {
		return datasets.NoValue
	}
	return fmt.Sprintf("%.1f", v)
}

func tableCitations(systems []datasets.Scored, judge string) datasets.Grid {
	g := datasets.Grid{
		Title: "Citation precision and recall (as Table 7 of the paper)",
		Head:  []string{"generator", "retriever", "Precision", "Recall", "F1"},
		Note:  "Judge: " + judge + ". Percentages, over covered insights.",
		Later: true,
	}
	for _, s := range systems {
		g.Rows = append(g.Rows, []string{
			s.Generator, s.Retriever, s.Percent(CitationPrecision), s.Percent(CitationRecall), s.Percent(Citation),
		})
	}
	return g
}
