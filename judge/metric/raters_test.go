package metric

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func about(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if math.IsNaN(got) != math.IsNaN(want) || math.Abs(got-want) > tolerance {
		t.Errorf("%s = %v, want %v", what, got, want)
	}
}

// Of 2 × 3 pairs, 0.9 beats three; 0.5 beats 0.1, ties with 0.5 and loses to 0.7: 4½ of 6.
func TestAUCByHand(t *testing.T) {
	score, positive := []float64{0.9, 0.5, 0.1, 0.5, 0.7}, []bool{true, true, false, false, false}
	about(t, "AUC", AUC(score, positive), 4.5/6, 1e-12)
	about(t, "AUC of one class", AUC(score[:2], positive[:2]), NaN, 0)
}

// Two of three "a" and one of one "b" are found: (2/3 + 1)/2.
func TestBalancedAccuracyByHand(t *testing.T) {
	about(t, "balanced", BalancedAccuracy([]string{"a", "a", "a", "b"}, []string{"a", "b", "a", "b"}), 5./6, 1e-12)
	about(t, "balanced of nothing", BalancedAccuracy[int](nil, nil), NaN, 0)
}

// The worked example of Krippendorff, "Computing Krippendorff's alpha-reliability" (2011),
// section C: four observers, twelve units, missing values; α is .743 for nominal, .815 for
// ordinal and .849 for interval data.
func TestKrippendorffWorkedExample(t *testing.T) {
	n := NaN
	observers := [][]float64{
		{1, 2, 3, 3, 2, 1, 4, 1, 2, n, n, n},
		{1, 2, 3, 3, 2, 2, 4, 1, 2, 5, n, 3},
		{n, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, n},
		{1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, n},
	}
	units := make([][]float64, 12)
	for i := range units {
		for _, o := range observers {
			units[i] = append(units[i], o[i])
		}
	}
	about(t, "nominal", KrippendorffAlpha(units, NominalScale), 0.743, 0.0005)
	about(t, "ordinal", KrippendorffAlpha(units, OrdinalScale), 0.815, 0.0005)
	about(t, "interval", KrippendorffAlpha(units, IntervalScale), 0.849, 0.0005)
	about(t, "of one rating each", KrippendorffAlpha([][]float64{{1}, {2, n}}, NominalScale), NaN, 0)
}

// p of .001, .008, .039, .041, .9 at q = .05: the limits are .05·rank/(5·137/60), that is
// .00438 .00876 .0131 .0175 .0219. The first two stay below theirs.
func TestBenjaminiYekutieliByHand(t *testing.T) {
	got := BenjaminiYekutieli([]float64{0.9, 0.001, 0.041, 0.008, 0.039}, 0.05)
	if !slices.Equal(got, []bool{false, true, false, true, false}) {
		t.Error(got)
	}
}

// Two annotators who agree on 30 units, and a judge who agrees with them on 24. Left out,
// each is compared on the other: the judge is at least as near on 24 of 30, an annotator on
// all. d is 0 on 24 and 1 on 6: mean .2, variance 4.8/29, so t = (.2-ε)/.0743.
func TestAlternativeAnnotatorsByHand(t *testing.T) {
	a, b, judge := make([]float64, 30), make([]float64, 30), make([]float64, 30)
	for i := range 6 {
		judge[i] = 1
	}
	r := AlternativeAnnotators([][]float64{a, b}, judge, 0.2, 0.05)
	about(t, "advantage", r.Advantage, 0.8, 1e-12)
	about(t, "p at epsilon .2", r.Annotators[0].P, 0.5, 1e-12)
	about(t, "winning rate", r.WinningRate, 0, 0)
	same := AlternativeAnnotators([][]float64{a, b}, a, 0.1, 0.05)
	about(t, "winning rate of one who agrees", same.WinningRate, 1, 0)
	few := AlternativeAnnotators([][]float64{a[:9], b[:9]}, a[:9], 0.1, 0.05)
	about(t, "winning rate of nine units", few.WinningRate, NaN, 0)
}

// A judge that is worse than each annotator by just epsilon wins rarely: the test holds
// its level. One drawn like the annotators wins nearly always.
func TestAlternativeAnnotatorsBySimulation(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	rate := func(wrong float64) float64 {
		wins := 0.0
		const rounds = 200
		for range rounds {
			people, judge := make([][]float64, 3), make([]float64, 100)
			for j := range people {
				people[j] = make([]float64, 100)
			}
			for i := range judge {
				truth := float64(rng.IntN(2))
				for j := range people {
					people[j][i] = flipped(rng, truth, 0.1)
				}
				judge[i] = flipped(rng, truth, wrong)
			}
			wins += AlternativeAnnotators(people, judge, 0.1, 0.05).WinningRate / rounds
		}
		return wins
	}
	// With wrong = .21 the annotator is nearer by about .1 more than the judge.
	if r := rate(0.23); r > 0.05 {
		t.Errorf("a judge worse than epsilon wins %.3f", r)
	}
	if r := rate(0.08); r < 0.8 {
		t.Errorf("a judge like people wins %.3f", r)
	}
}

func flipped(rng *rand.Rand, v, chance float64) float64 {
	if rng.Float64() < chance {
		return 1 - v
	}
	return v
}

// 1 3 2 4: the middle two are pooled to 2½ at x = 2½.
func TestIsotonicByHand(t *testing.T) {
	got := Isotonic([]float64{4, 2, 1, 3}, []float64{4, 3, 1, 2})
	if !slices.Equal(got, []Knot{{1, 1}, {2.5, 2.5}, {4, 4}}) {
		t.Error(got)
	}
	for x, want := range map[float64]float64{0: 1, 1: 1, 2: 2, 2.5: 2.5, 3.25: 3.25, 9: 4} {
		about(t, "map", Interpolate(got, x), want, 1e-12)
	}
	tied := Isotonic([]float64{1, 1, 1}, []float64{0, 1, 1})
	about(t, "tied", Interpolate(tied, 5), 2./3, 1e-12)
	about(t, "identity", Interpolate(nil, 0.3), 0.3, 0)
}

// The map never falls, and has the mean of y over the steps.
func TestIsotonicNeverFalls(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	var x, y []float64
	for range 500 {
		v := rng.Float64()
		x, y = append(x, v), append(y, v*v+rng.NormFloat64())
	}
	knots := Isotonic(x, y)
	for i := 1; i < len(knots); i++ {
		if knots[i].Y <= knots[i-1].Y || knots[i].X <= knots[i-1].X {
			t.Fatalf("falls at %v", knots[i])
		}
	}
}

// y is 2a + b without noise; c only disturbs, and minus b would be a weight below 0.
func TestNonNegativeByHand(t *testing.T) {
	a, b := []float64{0, 1, 0, 1}, []float64{0, 0, 1, 1}
	w := NonNegative([][]float64{a, b}, []float64{0, 2, 1, 3})
	about(t, "weight of a", w[0], 2./3, 1e-9)
	about(t, "weight of b", w[1], 1./3, 1e-9)
	w = NonNegative([][]float64{a, b}, []float64{1, 2, 0, 1})
	about(t, "weight of what speaks against", w[1], 0, 0)
	about(t, "weight of what is left", w[0], 1, 1e-9)
}

// Classes 0 0 1 1 2 with one stray: the cheapest cuts are between them.
func TestCutsByHand(t *testing.T) {
	classes := []int{0, 0, 1, 1, 2}
	cuts := Cuts([]float64{0.1, 0.2, 0.4, 0.6, 0.9}, 3, func(i, c int) float64 {
		return math.Abs(float64(classes[i] - c))
	})
	about(t, "first cut", cuts[0], 0.3, 1e-12)
	about(t, "second cut", cuts[1], 0.75, 1e-12)

	// Equal values get one class; a class nobody has takes no room.
	same := Cuts([]float64{1, 1, 2}, 3, func(i, c int) float64 { return math.Abs(float64([]int{0, 0, 2}[i] - c)) })
	if same[0] != 1.5 || same[1] != 1.5 {
		t.Error(same)
	}
}

// The cheapest cuts are found: no others of a grid cost less.
func TestCutsAreCheapest(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 30 {
		x, class := make([]float64, 12), make([]int, 12)
		for i := range x {
			x[i], class[i] = float64(rng.IntN(8)), rng.IntN(3)
		}
		cost := func(i, c int) float64 { return float64((class[i] - c) * (class[i] - c)) }
		price := func(low, high float64) float64 {
			sum := 0.0
			for i, v := range x {
				c := 0
				if v >= low {
					c = 1
				}
				if v >= high {
					c = 2
				}
				sum += cost(i, c)
			}
			return sum
		}
		cuts := Cuts(x, 3, cost)
		for low := -0.5; low < 9; low++ {
			for high := low; high < 9; high++ {
				if price(low, high) < price(cuts[0], cuts[1])-1e-9 {
					t.Fatalf("%v cost %v, %v %v cost %v", cuts, price(cuts[0], cuts[1]), low, high, price(low, high))
				}
			}
		}
	}
}
