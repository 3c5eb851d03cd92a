package build

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestKindsOfLook(t *testing.T) {
	for kind := range kindsOfLook {
		if got := lookOf(kind).kind(); got != kind {
			t.Fatalf("%d became %d: %+v", kind, got, lookOf(kind))
		}
	}
}

// By hand: of texts that are to state it, 0.9 do. The model says yes to 0.95 of these and to
// 0.05 of the others; their words cover it whole in 0.65 and 0.25. Yes, and not covered (0.15
// and 0.5): 0.9*0.95*0.15 = 0.12825 against 0.1*0.05*0.5 = 0.0025.
func TestSettleByHand(t *testing.T) {
	r := usual
	l := look{planned: true, direct: true, checker: saysYes, seconds: [mostSeconds]int8{coveredNot, noAnswer}}
	if got, want := r.settle(l), 0.12825/(0.12825+0.0025); math.Abs(got-want) > 1e-12 {
		t.Errorf("%v, want %v", got, want)
	}

	// Without an answer words alone decide, by 0.9*0.15 against 0.1*0.5.
	l.checker = noAnswer
	if got, want := r.settle(l), 0.135/0.185; math.Abs(got-want) > 1e-12 {
		t.Errorf("%v, want %v", got, want)
	}
}

// Rates that nobody knows are learnt from looks alone.
func TestLearn(t *testing.T) {
	truth := usual
	truth.present = [2]float64{0.01, 0.85}
	truth.checker = [2][2]float64{{0.03, 0.85}, {0.12, 0.9}}
	truth.second[0] = [3][3]float64{{0.9, 0.08, 0.02}, {0.6, 0.2, 0.2}, {0.3, 0.25, 0.45}}

	rng := rand.New(rand.NewPCG(1, 2))
	var seen counts
	for range 40_000 {
		l := look{planned: rng.IntN(8) == 0, seconds: [mostSeconds]int8{noAnswer, noAnswer}}
		l.direct = l.planned || rng.IntN(20) == 0
		states := number(rng.Float64() < truth.present[number(l.planned)])
		l.checker = int8(number(rng.Float64() < truth.checker[number(l.direct)][states]))
		where := 2
		if states == 0 {
			where = number(l.planned)
		}
		p := truth.second[0][where]
		switch x := rng.Float64(); {
		case x < p[0]:
			l.seconds[0] = coveredNot
		case x < p[0]+p[1]:
			l.seconds[0] = coveredPartly
		default:
			l.seconds[0] = coveredWhole
		}
		seen[l.kind()]++
	}

	got := learn(seen)
	for what, d := range map[string]float64{
		"planned and stated":           got.present[1] - truth.present[1],
		"yes to what is stated":        got.checker[1][1] - truth.checker[1][1],
		"yes to what is not":           got.checker[1][0] - truth.checker[1][0],
		"words cover what is stated":   got.second[0][2][2] - truth.second[0][2][2],
		"words cover nothing of it":    got.second[0][2][0] - truth.second[0][2][0],
		"words cover what is not":      got.second[0][0][2] - truth.second[0][0][2],
		"stated though it was not due": got.present[0] - truth.present[0],
	} {
		if math.Abs(d) > 0.06 {
			t.Errorf("%s: off by %.3f\n%+v", what, d, got)
		}
	}
}

// Five documents in which a model never finds what their words cover are no chance; nor are
// five in which it does.
func TestTry(t *testing.T) {
	blind, fair := counts{}, counts{}
	l := look{planned: true, direct: true, checker: noTwice, seconds: [mostSeconds]int8{coveredWhole, noAnswer}}
	blind[l.kind()] = 5
	l.checker = saysYes
	fair[l.kind()] = 5

	r := usual
	if fit, why := r.try(blind, misfits); fit > 0.01 || why != misfits[0].why {
		t.Errorf("%v %s", fit, why)
	}
	if fit, _ := r.try(fair, misfits); fit < 0.9 {
		t.Error(fit)
	}
}

func TestPilot(t *testing.T) {
	plan := [][]spot{{{0, 0}, {0, 1}}, {{0, 0}}, {{0, 1}, {1, 0}}, {{1, 0}}, nil, {{0, 0}, {1, 0}}}
	got := map[spot]int{}
	for _, i := range pilot(plan, 2) {
		for _, p := range plan[i] {
			got[p]++
		}
	}
	for _, p := range []spot{{0, 0}, {0, 1}, {1, 0}} {
		if got[p] < 2 {
			t.Errorf("%v is in %d", p, got[p])
		}
	}
	if n := len(pilot(plan, 2)); n > 4 {
		t.Errorf("%d documents", n)
	}
}
