package metric

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// Two strata of 4 and 6 values with 2 and 3 labels: θ is 0.4·mean + 0.6·mean by hand where the
// judge says the same throughout, and the variance Σ W²(1−n/N)s²/n, with the spread of both
// strata as one label more of each.
func TestStratifiedMeanByHand(t *testing.T) {
	var all []Unlabelled
	for i := range 10 {
		all = append(all, Unlabelled{0.3, fmt.Sprint(i % 5)})
	}
	labelled := []Sampled{
		{"a", 0.3, 1, "0", "high", 0.5}, {"b", 0.3, 0.5, "1", "high", 0.5},
		{"c", 0.3, 0, "2", "low", 0.5}, {"d", 0.3, 0, "3", "low", 0.5}, {"e", 0.3, 0.6, "4", "low", 0.5},
	}
	c := StratifiedMean(labelled, all, 0.95)
	near(t, "mean", c.Mean, 0.4*0.75+0.6*0.2, 1e-12)
	near(t, "λ", c.Lambda, 0, 0)
	near(t, "reached", c.Reached, 1, 1e-12)

	high, low := 0.125, 0.24 // sums of squares
	pooled := (high + low + doubt) / 4
	v := 0.16*0.5*(high+pooled)/2/2 + 0.36*0.5*(low+pooled)/3/3
	near(t, "standard error", c.SE, math.Sqrt(v), 1e-12)
	if c.Wide.High-c.Wide.Low < c.Run.High-c.Run.Low {
		t.Errorf("items on top make the interval narrower: %v in %v", c.Run, c.Wide)
	}
}

func TestStratifiedMeanEdges(t *testing.T) {
	all := []Unlabelled{{0, "a"}, {1, "b"}}
	for name, labelled := range map[string][]Sampled{"none": nil, "one": {{"x", 0, 1, "a", "", 0.5}}} {
		if c := StratifiedMean(labelled, all, 0.95); !math.IsNaN(c.Mean) || !math.IsNaN(c.Run.Low) {
			t.Errorf("%s: %+v", name, c)
		}
	}
	c := StratifiedMean([]Sampled{{"x", 0, 1, "a", "", 1}, {"y", 1, 0, "b", "", 1}}, all, 0.95)
	near(t, "all labelled", c.Mean, 0.5, 1e-12)
	near(t, "all labelled: width", c.Run.High-c.Run.Low, 0, 1e-12)
}

// The difference of a system from itself is 0 with no error, whatever labels say; of two with
// nothing in common the variances add up.
func TestMinus(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 4))
	draw := func(mark string) Corrected {
		var labelled []Sampled
		var all []Unlabelled
		for i := range 200 {
			x := rng.Float64()
			item := fmt.Sprint(i / 4)
			all = append(all, Unlabelled{x, item})
			if i%10 == 0 {
				labelled = append(labelled, Sampled{mark + fmt.Sprint(i), x, math.Round(rng.Float64()), item, fmt.Sprint(i % 2), 0.1})
			}
		}
		return StratifiedMean(labelled, all, 0.95)
	}

	a, b := draw("a"), draw("b")
	same := a.Minus(a, 0.95)
	near(t, "same", same.Mean, 0, 0)
	if half := same.Run.High; half > (a.Run.High-a.Run.Low)/2 {
		t.Errorf("a system differs from itself by up to %.3f", half)
	}
	d := a.Minus(b, 0.95)
	near(t, "variance", d.SE*d.SE, a.SE*a.SE+b.SE*b.SE, 1e-12)
}

// DrawOrder is Neyman's allocation in whole numbers: of three strata of the same size with
// spreads 1, 2 and 4, labels lie as 1 to 2 to 4.
func TestDrawOrder(t *testing.T) {
	layers := []Layer{{1000, 1, 1}, {1000, 2, 1}, {1000, 4, 1}, {3, 4, 0.001}}
	got := make([]int, len(layers))
	order := DrawOrder(layers, 2)
	for _, h := range order[:70] {
		got[h]++
	}
	for h, want := range []int{10, 20, 38, 2} {
		if d := got[h] - want; d < -1 || d > 1 {
			t.Errorf("stratum %d has %d labels of 70, want about %d", h, got[h], want)
		}
	}
	if len(order) != 3003 {
		t.Errorf("%d labels in all", len(order))
	}
	near(t, "variance", PlannedVariance(layers[:1], []float64{1e-3}, []int{10}), 1000*1e-3*(0.1-0.001), 1e-12)
	near(t, "no label", PlannedVariance(layers[:1], []float64{1e-3}, []int{0}), NaN, 0)
}

// Labels that are all alike leave room for those that chance has missed: 14 of 30 that are all
// none are compatible with 5 others among the 16 (hypergeometric: 0.030 for 5, 0.013 for 6),
// and with 23 % of more like these (0.025 = (1-0.232)^14).
func TestLabelsAllAlike(t *testing.T) {
	var labelled []Sampled
	var all []Unlabelled
	for i := range 30 {
		u := Unlabelled{Judge: float64(i%3) / 2, Cluster: fmt.Sprint(i)}
		all = append(all, u)
		if i < 14 {
			labelled = append(labelled, Sampled{ID: fmt.Sprint(i), Judge: u.Judge, Cluster: u.Cluster, Stratum: fmt.Sprint(i % 3), Probability: 14.0 / 30})
		}
	}
	c := StratifiedMean(labelled, all, 0.95)
	if c.Mean > 0.05 || c.Run.High < 5.0/30 || c.Run.High > 0.25 || c.Wide.High < 0.231 || c.Wide.High > 0.35 {
		t.Errorf("mean %.3f, %.3f of these, %.3f of those like these", c.Mean, c.Run.High, c.Wide.High)
	}

	// Where all has been labelled, nothing is missed.
	for i := 14; i < 30; i++ {
		labelled = append(labelled, Sampled{ID: fmt.Sprint(i), Judge: all[i].Judge, Cluster: all[i].Cluster, Stratum: fmt.Sprint(i % 3)})
	}
	for i := range labelled {
		labelled[i].Probability = 1
	}
	if c = StratifiedMean(labelled, all, 0.95); c.Run.High > 1e-9 || c.Wide.High < 0.1 {
		t.Errorf("all labelled: %.3f of these, %.3f of those like these", c.Run.High, c.Wide.High)
	}
	if d := c.Minus(c, 0.95); d.Run.High > 1 || d.Wide.Low < -1 {
		t.Errorf("a difference beyond 1: %v", d)
	}
}
