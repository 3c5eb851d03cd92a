package accept

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"lore/cmd/lore/internal/table"
	"lore/judge/metric"
)

// these are subjects whose items have these values, one each, in points.
func these(was, is []float64) (run, baseline Subject) {
	of := func(values []float64) Subject { return judged(len(values), func(i int) float64 { return values[i] }) }
	return of(is), of(was)
}

// told is what is found of a drop rule.
func told(limit float64, was, is []float64) Finding {
	run, baseline := these(was, is)
	how := design
	how.Draws = Draws
	f := Finding{Limit: limit}
	testDrop(&f, covered, run, baseline, how)
	return f
}

// alike is the bound of n items of which each dropped by so much: 100 − (100 − drop) 0.05^(1/n), by hand.
func alike(n int, drop float64) float64 { return 100 - (100-drop)*math.Pow(0.05, 1/float64(n)) }

// With two and three items an unchanged run is bounded at 77.6 and 63.2 points. Whatever the run did, no limit
// below is said to be met in 80 % of cases.
func TestDetectableByHand(t *testing.T) {
	for _, c := range []struct {
		was, is []float64
		least   float64 // NaN: at least the bound of an unchanged run
	}{
		{[]float64{90, 90}, []float64{90, 90}, alike(2, 0)},
		{[]float64{80, 60, 94}, []float64{80, 60, 94}, alike(3, 0)},
		{[]float64{80, 60, 94}, []float64{60, 40, 74}, alike(3, 0)}, // without its drop it is the baseline
		{[]float64{100, 100, 100}, []float64{0, 50, 90}, alike(3, 0)},
		{[]float64{0, 0, 0}, []float64{20, 80, 50}, alike(3, 0)},
		{[]float64{90, 90}, []float64{80, 47}, math.NaN()},
		{[]float64{80, 60, 94}, []float64{50, 61, 30}, math.NaN()},
		{[]float64{80, 60, 94}, []float64{100, 100, 30}, math.NaN()},
	} {
		f := told(5, c.was, c.is)
		n := len(c.was)
		switch least := *f.Least; {
		case !math.IsNaN(c.least) && math.Abs(least-c.least) > 0.5:
			t.Errorf("%v to %v: %.2f is detectable, want %.2f", c.was, c.is, least, c.least)
		case math.IsNaN(c.least) && (least < alike(n, 0)+0.5 || least > 100):
			t.Errorf("%v to %v: %.2f is detectable, and an unchanged run is bounded at %.2f", c.was, c.is, least, alike(n, 0))
		}
	}
}

// Where not even a run with all values at their best would pass, the share of passes is 0, and is said to be.
func TestNoRunCanPass(t *testing.T) {
	was, is := []float64{70, 86, 78}, []float64{50, 61, 30}
	f := told(5, was, is)
	const want = "; with 3 items no run can pass this rule: at least 59 are needed where nothing changes"
	if f.Outcome != CannotTell || *f.Power != 0 || !strings.HasSuffix(f.Why, want) {
		t.Errorf("%s, power %.2f: %s", f.Outcome, *f.Power, f.Why)
	}

	// Where all items rise to 100, by 22 on average, the bound is near that of three that rise by 22: 55.1.
	best := slices.Repeat([]float64{100}, 3)
	highest := *told(5, was, best).High
	if math.Abs(highest-alike(3, -22)) > 1 {
		t.Errorf("the bound of the best run is %.2f", highest)
	}
	for limit, can := range map[float64]bool{highest - 0.1: false, highest + 0.1: true} {
		f := told(limit, was, is)
		passes := told(limit, was, best).Outcome == Pass
		if passes != can || strings.Contains(f.Why, "no run can pass") == can || !can && *f.Power != 0 {
			t.Errorf("drop<=%.2f: the best run passes: %v; told is %.2f: %s", limit, passes, *f.Power, f.Why)
		}
	}

	// No number of items does where nothing may drop at all.
	if f := told(0, was, is); !strings.HasSuffix(f.Why, "; with 3 items no run can pass this rule") {
		t.Error(f.Why)
	}
}

// So is it of a floor and of a ceiling: three items at 100 are bounded at 36.8 points from below.
func TestBoundsThatNoRunCanPass(t *testing.T) {
	for _, c := range []struct {
		rule   Rule
		needed int
	}{{Rule{Op: ">=", Limit: 60}, 6}, {Rule{Op: "<=", Limit: 40}, 6}, {Rule{Op: ">=", Limit: 36}, 0}} {
		f := Finding{}
		testBound(&f, c.rule, covered, judged(3, func(i int) float64 { return 40 + 10*float64(i) }), design)
		want := fmt.Sprintf("; with 3 items no run can pass this rule: at least %d are needed where every value is the best",
			c.needed)
		if f.Outcome != CannotTell || strings.HasSuffix(f.Why, want) != (c.needed > 0) {
			t.Errorf("%s%g: %s: %s", c.rule.Op, c.rule.Limit, f.Outcome, f.Why)
		}
		if f.Least != nil && (c.needed > 0 || c.rule.Limit+*f.Least > 100) {
			t.Errorf("%s%g: %.1f is detectable", c.rule.Op, c.rule.Limit, *f.Least)
		}
	}
}

// The fewest items are those of the table in docs/gate.md.
func TestFewest(t *testing.T) {
	for limit, want := range map[float64]float64{0: math.Inf(1), 1: 299, 2: 149, 3: 99, 5: 59, 10: 29, 20: 14, 100: 1} {
		if got := fewest(limit, 100, 0.05); got != want {
			t.Errorf("drop<=%g takes %g items, want %g", limit, got, want)
		}
	}
}

// A run without its drop has the mean of its baseline, and values that can be.
func TestWithoutDrop(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		var pairs []pair
		for range 1 + rng.IntN(6) {
			pairs = append(pairs, pair{fmt.Sprint(rng.IntN(3)), grade(rng), grade(rng)})
		}
		got := withoutDrop(pairs, 0, 100)
		if mean := metric.PooledMean(got); math.Abs(mean) > 1e-6 {
			t.Fatalf("%v: the mean is %g", pairs, mean)
		}
		for i := range pairs {
			pairs[i].cluster = fmt.Sprint(i)
		}
		for i, c := range withoutDrop(pairs, 0, 100) {
			if is := pairs[i].was - c.Sum; is < -1e-6 || is > 100+1e-6 {
				t.Fatalf("%v: value %d is %g", pairs, i, is)
			}
		}
	}
}

// Runs of few items without a drop pass as often as is told of them, and what is told to be detectable is never
// below the bound of an unchanged run.
func TestToldOfFewItems(t *testing.T) {
	if testing.Short() {
		t.Skip("it only takes long under the race detector: the run without -short has it")
	}
	const rounds = 150
	for _, w := range worlds[:3] {
		for _, n := range []int{2, 3, 5} {
			for _, margin := range []float64{5, 20, 40, 60, 80} {
				rng := rand.New(rand.NewPCG(uint64(n), uint64(margin)))
				pass, power := 0.0, 0.0
				for i := range rounds {
					run, baseline := w.subjects(rng, n, 0)
					f := Finding{Limit: margin}
					how := Design{Unit: table.ByItem, Level: 0.05, Draws: 400, Seed: uint64(i)}
					testDrop(&f, covered, run, baseline, how)
					if f.Outcome == Pass {
						pass += 1.0 / rounds
					}
					power += *f.Power / 100 / rounds
					none := Finding{Limit: margin}
					if testDrop(&none, covered, baseline, baseline, how); *f.Least < *none.High-rounding {
						t.Fatalf("%s, %d items: %g is detectable, and nothing changed is bounded at %g", w.name, n, *f.Least, *none.High)
					}
				}
				if math.Abs(pass-power) > 0.2 || pass == 0 && power > 0.02 {
					t.Errorf("%s, %d items, drop<=%g: %.3f pass, %.3f is told", w.name, n, margin, pass, power)
				}
			}
		}
	}
}
