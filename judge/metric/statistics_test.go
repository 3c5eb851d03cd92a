package metric

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
)

// Small cases worked by hand.
func TestCorrelationsByHand(t *testing.T) {
	x, y := []float64{1, 2, 3, 4}, []float64{1, 3, 2, 4}
	// deviations (-1.5 -.5 .5 1.5) and (-1.5 .5 -.5 1.5): products 2.25-.25-.25+2.25 = 4, squares 5 and 5
	near(t, "Pearson", Pearson(x, y), 0.8, 1e-15)
	near(t, "Spearman", Spearman(x, y), 0.8, 1e-15)
	near(t, "Kendall", KendallTauB(x, y), 4./6, 1e-15) // 5 pairs agree, 1 does not
	// Ties: x = 1 1 2, y = 1 2 3. Two pairs agree, one is tied in x: 2 / sqrt(2·3).
	near(t, "Kendall with ties", KendallTauB([]float64{1, 1, 2}, []float64{1, 2, 3}), 2/math.Sqrt(6), 1e-15)
	if r := Ranks([]float64{10, 5, 10, 1}); !slices.Equal(r, []float64{3.5, 2, 3.5, 1}) {
		t.Errorf("Ranks = %v", r)
	}
}

func TestKappasByHand(t *testing.T) {
	// The table 20 5 / 10 15 of two raters: observed 35/50, chance (25·30 + 25·20)/2500 = 1/2.
	var a, b []int
	for _, c := range []struct{ a, b, n int }{{0, 0, 20}, {0, 1, 5}, {1, 0, 10}, {1, 1, 15}} {
		for range c.n {
			a, b = append(a, c.a), append(b, c.b)
		}
	}
	near(t, "Cohen", CohenKappa(a, b, 2, Nominal), 0.4, 1e-12)
	near(t, "Cohen linear, two categories", CohenKappa(a, b, 2, Linear), 0.4, 1e-12)
	// Three categories, ratings (0,0) (1,2) (2,2): quadratic disagreement observed 1/4; expected by
	// margins (1,1,1) and (1,0,2): 2·1 + 1/4 + 2·1/4 + 1 over 3 = 1.25; 1 − 0.25·3/(3.75) = 0.8.
	near(t, "Cohen quadratic", CohenKappa([]int{0, 1, 2}, []int{0, 2, 2}, 3, Quadratic), 0.8, 1e-12)
	// Two items, three raters, two categories: (3,0) agrees fully, (1,2) in one pair of three. Observed 2/3;
	// shares 2/3 and 1/3, chance 5/9: (2/3 − 5/9)/(4/9) = 1/4. Free margins: (2/3 − 1/2)/(1/2) = 1/3.
	counts := [][]int{{3, 0}, {1, 2}}
	near(t, "Fleiss", FleissKappa(counts), 0.25, 1e-12)
	near(t, "free-marginal", FreeMarginalKappa(counts), 1./3, 1e-12)
	near(t, "accuracy", Accuracy([]int{1, 2, 3}, []int{1, 0, 3}), 2./3, 1e-15)
}

// Undefined is NaN, never 0: empty, one, constant, unequal lengths.
func TestAgreementEdges(t *testing.T) {
	for name, v := range map[string]float64{
		"Pearson of nothing": Pearson(nil, nil), "of one": Pearson([]float64{1}, []float64{1}), "of a constant": Pearson([]float64{1, 1}, []float64{1, 2}),
		"of unequal lengths": Pearson([]float64{1, 2}, []float64{1}), "Spearman of nothing": Spearman(nil, nil), "Kendall of nothing": KendallTauB(nil, nil),
		"Kendall of a constant": KendallTauB([]float64{1, 1}, []float64{1, 2}), "Cohen of nothing": CohenKappa(nil, nil, 2, Nominal),
		"Cohen of one category": CohenKappa([]int{0, 0}, []int{0, 0}, 2, Nominal), "Fleiss of nothing": FleissKappa(nil), "Fleiss of one rater": FleissKappa([][]int{{1, 0}}),
		"Fleiss of one category": FleissKappa([][]int{{2, 0}}), "free-marginal of unequal raters": FreeMarginalKappa([][]int{{2, 0}, {1, 0}}), "Accuracy of nothing": Accuracy([]int{}, nil),
		"Share of nothing": Share(nil), "coverage without answerable": QuestionCoverage([][]int{{5}}, []bool{false}, 3), "density without tokens": Density(1, 0, 1, 10),
		"density without oracle": Density(1, 10, 0, 10), "BERTScore of nothing": BERTScore(nil, [][]float64{{1}}, nil, nil).F, "t of one cluster": ClusterT([]Cluster{{1, 1}}).P,
	} {
		near(t, name, v, NaN, 0)
	}
}

func TestPointsByHand(t *testing.T) {
	near(t, "Share", Share([]bool{true, false, true, true}), 0.75, 1e-15)
	// CRUX's Table 5: 10 questions, three passages; 8 are answerable at 3.
	grades := [][]int{{0, 0, 5, 5, 0, 0, 0, 0, 5, 0}, {5, 0, 0, 0, 5, 0, 5, 0, 0, 0}, {0, 0, 0, 0, 5, 5, 0, 0, 0, 5}}
	answerable := make([]bool, 10)
	n := 0
	for q := range answerable {
		for _, g := range grades {
			if g[q] >= 3 && !answerable[q] {
				answerable[q] = true
				n++
			}
		}
	}
	if n != 8 {
		t.Errorf("%d answerable, want 8", n)
	}
	near(t, "coverage of all", QuestionCoverage(grades, answerable, 3), 1, 1e-15)
	near(t, "coverage of the first", QuestionCoverage(grades[:1], answerable, 3), 3./8, 1e-15)
	near(t, "density", Density(0.5, 200, 1, 100), 0.5, 1e-15)
	mean, mass := Expected(map[string]float64{"4": 0.5, "5": 0.25, "x": 0.25}, map[string]float64{"1": 1, "2": 2, "3": 3, "4": 4, "5": 5})
	near(t, "expected", mean, 13./3, 1e-15)
	near(t, "mass", mass, 0.75, 1e-15)
}

// Three tokens against two, at right angles or equal: candidate e1 e1 e2, reference
// e1 e3. P = (1+1+0)/3, R = (1+0)/2, F = 2·(2/3)(1/2)/(7/6) = 4/7.
func TestBERTScoreByHand(t *testing.T) {
	c := [][]float64{{2, 0, 0}, {1, 0, 0}, {0, 3, 0}}
	r := [][]float64{{5, 0, 0}, {0, 0, 1}}
	s := BERTScore(c, r, nil, nil)
	near(t, "P", s.P, 2./3, 1e-15)
	near(t, "R", s.R, 0.5, 1e-15)
	near(t, "F", s.F, 4./7, 1e-15)
	swapped := BERTScore(r, c, nil, nil)
	near(t, "P swapped", swapped.P, s.R, 1e-15)
	near(t, "identical", BERTScore(c, c, nil, nil).F, 1, 1e-15)
	near(t, "weighted", BERTScore(c, r, []float64{0, 1, 1}, nil).P, 0.5, 1e-15)
}

func TestRandomiseExactByHand(t *testing.T) {
	// Differences 1, 2, 3: of 8 flips only +++ and −−− reach 6, so p = 1/4.
	near(t, "p", Randomise([]Cluster{{1, 1}, {2, 1}, {3, 1}}, 100, 1), 0.25, 1e-15)
	near(t, "p of no difference", Randomise([]Cluster{{0, 1}, {0, 1}}, 100, 1), 1, 1e-15)
	near(t, "p of one", Randomise([]Cluster{{1, 1}}, 100, 1), NaN, 0)
}

// Under the null hypothesis p-values are uniform: each tenth holds about a tenth.
// The statistic is chi-square with 9 degrees of freedom; 27.9 is its 99.9th
// percentile.
func TestRandomisePValuesAreUniform(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	const runs = 1000
	var bins [10]float64
	for run := range runs {
		groups := make([]Cluster, 25)
		for i := range groups {
			groups[i] = Cluster{rng.NormFloat64(), 1}
		}
		p := Randomise(groups, 999, uint64(run))
		bins[min(9, int(10*(p-1e-9)))]++
	}
	chi := 0.0
	for _, n := range bins {
		chi += (n - runs/10) * (n - runs/10) / (runs / 10)
	}
	if chi > 27.9 {
		t.Errorf("p-values are not uniform: %v, chi-square %.1f", bins, chi)
	}
}

func TestHolm(t *testing.T) {
	// Sorted 0.01 0.02 0.03 0.04 times 4 3 2 1, made monotone: 0.04 0.06 0.06 0.06.
	got := Holm([]float64{0.04, 0.01, NaN, 0.03, 0.02})
	for i, want := range []float64{0.06, 0.04, NaN, 0.06, 0.06} {
		near(t, "Holm", got[i], want, 1e-15)
	}
}

func TestComparePairedByHand(t *testing.T) {
	p := ComparePaired([]float64{1, 2, 3, 4}, []float64{0, 2, 4, 1}, nil, 1000, 1000, 0.95, 1)
	if p.Win != 2 || p.Tie != 1 || p.Loss != 1 || p.N != 4 || p.Clusters != 4 {
		t.Errorf("%+v", p)
	}
	near(t, "difference", p.Diff, 0.75, 1e-15)                 // (1 + 0 − 1 + 3)/4
	near(t, "effect", p.Effect, 0.75/math.Sqrt(8.75/3), 1e-12) // squares of deviations .0625 + .5625 + 3.0625 + 5.0625
	near(t, "p", p.P, 0.75, 1e-15)                             // |±1 ±0 ±1 ±3| ≥ 3: the signs of 1, 1, 3 must not take 2 from 3
	near(t, "t: standard error", p.T.SE, math.Sqrt(8.75/3)/2, 1e-12)
	near(t, "t: degrees of freedom", p.T.DF, 3, 1e-12)
	c := ComparePaired([]float64{1, 2, 3, 4}, []float64{0, 2, 4, 1}, []string{"x", "x", "y", "y"}, 1000, 1000, 0.95, 1)
	if c.Clusters != 2 {
		t.Errorf("%d clusters", c.Clusters)
	}
	near(t, "p over clusters", c.P, 0.5, 1e-15) // sums 1 and 2: flips give ±3 and ±1, half of them at least 3
}

// Clusters of one and three values with sums 2 and 3: mean 5/4, residuals ±3/4, shares 1/4 and 3/4.
// CR2 = (9/16 / (3/4) + 9/16 / (1/4)) / 16 = 3/16; 1/df = 1/16 + 9/16 + 2 · 1/12 · 9/4 = 1.
func TestClusterTByHand(t *testing.T) {
	r := ClusterT([]Cluster{{2, 1}, {3, 3}})
	near(t, "standard error", r.SE, math.Sqrt(3./16), 1e-12)
	near(t, "degrees of freedom", r.DF, 1, 1e-12)
	near(t, "p", r.P, 1-2/math.Pi*math.Atan(1.25/math.Sqrt(3./16)), 1e-9) // t with one degree is Cauchy's
	near(t, "p of no difference", ClusterT([]Cluster{{1, 1}, {-1, 1}}).P, 1, 0)
	near(t, "p without any spread", ClusterT([]Cluster{{1, 1}, {1, 1}, {1, 1}}).P, NaN, 0)
	near(t, "degrees of freedom of equal clusters", ClusterT([]Cluster{{1, 4}, {2, 4}, {5, 4}}).DF, 2, 1e-12)
}

// R's power.t.test(n = 10, delta = 1, sd = 1, type = "one.sample") gives 0.8031.
func TestPowerOfTAgainstR(t *testing.T) {
	p := NewPowerOfT(9, 0.05)
	near(t, "power", p.at(math.Sqrt(10)), 0.8031, 1e-3)
	near(t, "level", p.at(0), 0.05, 1e-3)
	near(t, "power of the least difference", p.Power(p.Least(0.8, 3), 3), 0.8, 1e-6)
	near(t, "power at level 0", NewPowerOfT(9, 0).Power(1, 1), 0, 0)
	near(t, "least at level 0", NewPowerOfT(9, 0).Least(0.8, 1), NaN, 0)
}

// Ten clusters have 1,024 flips, of which two are extreme; at 0.01 five steps of 2/1024 fit below.
func TestFlipFloorByHand(t *testing.T) {
	near(t, "floor", FlipFloor(10, 10_000), 2./1024, 1e-15)
	near(t, "floor of drawn flips", FlipFloor(92, 9_999), 1e-4, 1e-15)
	near(t, "level", FlipLevel(0.01, 2./1024), 10./1024, 1e-15)
	near(t, "level below the floor", FlipLevel(0.001, 2./1024), 0, 0)
}

// With z² = 3.8415: of 0 in 3 the upper end is z²/(3 + z²), of 3 in 3 the lower end 3/(3 + z²). 5 in 10 and
// 81 in 263 as in Newcombe (1998), table I.
func TestWilsonByHand(t *testing.T) {
	for _, c := range []struct {
		hits, n   int
		low, high float64
	}{{0, 3, 0, 0.5615}, {3, 3, 0.4385, 1}, {5, 10, 0.2366, 0.7634}, {81, 263, 0.2553, 0.3662}, {0, 20, 0, 0.1611}, {1, 29, 0.0061, 0.1718}} {
		w := Wilson(c.hits, c.n, 0.95)
		near(t, "low", w.Low, c.low, 5e-5)
		near(t, "high", w.High, c.high, 5e-5)
	}
	near(t, "of nothing", Wilson(0, 0, 0.95).Low, NaN, 0)
}

// The size of a full comparison: 92 items, 3 metrics, 10 systems, 10,000 resamples.
func BenchmarkCompareGrid(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	values := make([][]float64, 30)
	for i := range values {
		values[i] = make([]float64, 92)
		for k := range values[i] {
			values[i][k] = rng.Float64()
		}
	}
	for b.Loop() {
		for m := range 3 {
			for s := 1; s < 10; s++ {
				ComparePaired(values[m], values[m*9+s], nil, 10_000, 10_000, 0.95, 1)
			}
		}
	}
}

func BenchmarkMeasures(b *testing.B) {
	results := make([]Retrieved, 1000)
	qrels, div := map[string]int{}, map[string]map[string]int{}
	for i := range results {
		id := "d" + strconv.Itoa(i)
		results[i] = Retrieved{id, float64(-i)}
		if i%7 == 0 {
			qrels[id] = 1 + i%3
			s := "s" + strconv.Itoa(i%5)
			if div[s] == nil {
				div[s] = map[string]int{}
			}
			div[s][id] = 1
		}
	}
	adhoc, diverse := NewTopic(results, qrels), NewDiversityTopic(results, div)
	for _, name := range []string{"nDCG@10", "AP", "Bpref", "RBP", "alpha_nDCG@20", "NRBP", "StRecall@10"} {
		m, err := ParseMeasure(name)
		if err != nil {
			b.Fatal(err)
		}
		t := adhoc
		if m.Diversity() {
			t = diverse
		}
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				m.Calc(t)
			}
		})
	}
}

func BenchmarkAgreement(b *testing.B) {
	x, y := make([]float64, 1000), make([]float64, 1000)
	rng := rand.New(rand.NewPCG(1, 1))
	for i := range x {
		x[i], y[i] = rng.Float64(), rng.Float64()
	}
	for name, f := range map[string]func(x, y []float64) float64{"Pearson": Pearson, "Spearman": Spearman, "KendallTauB": KendallTauB} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				f(x, y)
			}
		})
	}
}

func TestParseMeasure(t *testing.T) {
	for in, want := range map[string]string{
		"nDCG@10": "nDCG(dcg='log2')@10", "ndcg_cut.10": "nDCG(dcg='log2')@10", "P@8": "P(rel=1)@8", "P(rel=2)@5": "P(rel=2)@5", "MAP": "AP(rel=1)", "map": "AP(rel=1)",
		"alpha_nDCG@20(alpha=0.5)": "alpha_nDCG(alpha=0.5)@20", "alpha_nDCG(alpha=0.3)@20": "alpha_nDCG(alpha=0.3)@20", "StRecall@10": "StRecall@10", "RBP(p=0.8)": "RBP(rel=1,p=0.8)",
		"RBP": "RBP(rel=1,p=0.8)", "nDCG(dcg='exp-log2')": "nDCG(dcg='exp-log2')", "IPrec@0.1": "IPrec(rel=1)@0.1", "MRR": "RR(rel=1)", "NRBP": "NRBP(alpha=0.5,beta=0.5)",
	} {
		m, err := ParseMeasure(in)
		if err != nil || m.String() != want {
			t.Errorf("ParseMeasure(%q) = %v, %v; want %s", in, m, err, want)
			continue
		}
		if again, err := ParseMeasure(m.String()); err != nil || again.String() != want {
			t.Errorf("the printed name %s does not read back: %v", want, err)
		}
	}
	for _, bad := range []string{"", "nope@10", "P", "nDCG@0", "nDCG@1.5", "P@-1", "nDCG(x=1)@10", "RBP(p=2)", "RBP(p=x)", "Bpref@10", "IPrec@2", "nDCG(dcg=exp)@1", "P@10@20", "P(rel=1)@5(rel=1)"} {
		if m, err := ParseMeasure(bad); err == nil {
			t.Errorf("ParseMeasure(%q) = %v, want an error", bad, m)
		}
	}
}

func FuzzParseMeasure(f *testing.F) {
	for _, s := range []string{"nDCG@10", "alpha_nDCG(alpha=0.5)@20", "RBP(p=0.8)", "map_cut.5"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if m, err := ParseMeasure(s); err == nil {
			if _, err := ParseMeasure(m.String()); err != nil {
				t.Errorf("%q is printed as %q, which does not read back: %v", s, m, err)
			}
		}
	})
}

// The remaining measures on inputs of a realistic size.
func BenchmarkPoints(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	grades, answerable, hits := make([][]int, 20), make([]bool, 15), make([]bool, 30)
	for i := range grades {
		grades[i] = make([]int, len(answerable))
		for q := range grades[i] {
			grades[i][q] = rng.IntN(6)
			answerable[q] = true
		}
	}
	vectors := make([][]float64, 300)
	for i := range vectors {
		vectors[i] = make([]float64, 384)
		for k := range vectors[i] {
			vectors[i][k] = rng.NormFloat64()
		}
	}
	a, c := make([]int, 1000), make([]int, 1000)
	counts := make([][]int, 1000)
	for i := range a {
		a[i], c[i] = rng.IntN(3), rng.IntN(3)
		counts[i] = make([]int, 3)
		for range 3 {
			counts[i][rng.IntN(3)]++
		}
	}
	var labelled []Labelled
	var rest []Unlabelled
	for i := range 1000 {
		labelled = append(labelled, Labelled{rng.Float64(), rng.Float64(), strconv.Itoa(i % 100)})
		rest = append(rest, Unlabelled{rng.Float64(), strconv.Itoa(i % 100)})
	}
	cited, gold := numbers(1, 5, 9, 33, 70), numbers(1, 9, 12, 33, 80, 91)
	probabilities, labels := map[string]float64{"4": 0.5, "5": 0.3, "The": 0.2}, map[string]float64{"1": 1, "2": 2, "3": 3, "4": 4, "5": 5}
	for name, f := range map[string]func(){
		"Citation":          func() { Citation(cited, gold) },
		"Share":             func() { Share(hits) },
		"QuestionCoverage":  func() { QuestionCoverage(grades, answerable, 3) },
		"Density":           func() { Density(0.5, 900, 0.9, 1200) },
		"Expected":          func() { Expected(probabilities, labels) },
		"BERTScore300x384":  func() { BERTScore(vectors, vectors, nil, nil) },
		"CohenKappa":        func() { CohenKappa(a, c, 3, Quadratic) },
		"FleissKappa":       func() { FleissKappa(counts) },
		"FreeMarginalKappa": func() { FreeMarginalKappa(counts) },
		"PPIMean":           func() { PPIMean(labelled, rest, 0.95) },
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				f()
			}
		})
	}
}
