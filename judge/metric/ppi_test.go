package metric

import (
	"math/rand/v2"
	"strconv"
	"testing"
)

// With a judge that is people plus a constant, the correction takes the constant
// off; with a judge that knows nothing, λ is near 0 and people's mean remains.
func TestPPICorrectsABiasedJudge(t *testing.T) {
	var labelled []Labelled
	var rest []Unlabelled
	rng := rand.New(rand.NewPCG(5, 6))
	for i := range 60 {
		y := rng.Float64()
		labelled = append(labelled, Labelled{y + 0.2, y, strconv.Itoa(i)})
	}
	for i := range 5000 {
		rest = append(rest, Unlabelled{rng.Float64() + 0.2, strconv.Itoa(i)})
	}
	theta, ci, lambda := PPIMean(labelled, rest, 0.95)
	near(t, "estimate", theta, 0.5, 0.02)
	if lambda < 0.9 || ci.High-ci.Low > 0.05 {
		t.Errorf("λ %v, interval %v: a perfect judge should make the interval narrow", lambda, ci)
	}
	for i := range labelled {
		labelled[i].Judge = rng.Float64()
	}
	theta, _, lambda = PPIMean(labelled, rest, 0.95)
	sum := 0.0
	for _, l := range labelled {
		sum += l.Human
	}
	near(t, "estimate of a useless judge", theta, sum/60, 0.05)
	if lambda > 0.3 {
		t.Errorf("λ %v for a judge that knows nothing", lambda)
	}
}

// The interval must hold the truth about 95 times in 100; clusters of two hang
// together completely.
func TestPPICoversTheTruth(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 9))
	held := 0
	const runs = 400
	for range runs {
		var labelled []Labelled
		var rest []Unlabelled
		for i := range 200 {
			y := rng.NormFloat64()
			f := 0.7*y + 0.5 + rng.NormFloat64()*0.5
			for range 2 {
				if i < 40 {
					labelled = append(labelled, Labelled{f, y, strconv.Itoa(i)})
				} else {
					rest = append(rest, Unlabelled{f, strconv.Itoa(i)})
				}
			}
		}
		if _, ci, _ := PPIMean(labelled, rest, 0.95); ci.Low <= 0 && 0 <= ci.High {
			held++
		}
	}
	if share := float64(held) / runs; share < 0.91 || share > 0.98 {
		t.Errorf("the interval holds the truth in %.1f %% of runs", 100*share)
	}
}

func TestPPIEdges(t *testing.T) {
	theta, _, _ := PPIMean(nil, []Unlabelled{{1, "a"}}, 0.95)
	near(t, "no labels", theta, NaN, 0)
	theta, _, _ = PPIMean([]Labelled{{1, 1, "a"}, {0, 1, "a"}}, nil, 0.95)
	near(t, "one cluster", theta, NaN, 0)
	theta, _, lambda := PPIMean([]Labelled{{1, 1, "a"}, {0, 0, "b"}}, nil, 0.95)
	near(t, "everything labelled", theta, 0.5, 1e-15)
	near(t, "λ", lambda, 0, 0)
}
