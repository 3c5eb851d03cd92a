package metric

import (
	"math"
	"math/rand/v2"
	"testing"
)

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if math.IsNaN(want) != math.IsNaN(got) || math.Abs(got-want) > tolerance {
		t.Errorf("%s = %v, want %v", what, got, want)
	}
}

func numbers(ns ...int) map[int]bool {
	m := map[int]bool{}
	for _, n := range ns {
		m[n] = true
	}
	return m
}

// The example of SummHay's Figure 2, from exact fractions: P 1/2 and R 1/5 give F1
// 2/7, P 4/5 and R 2/3 give F1 8/11; coverage 1, 1/2, 0.
func TestSummHayFigure2(t *testing.T) {
	p, r, f := Citation(numbers(79, 80), numbers(8, 32, 79, 83, 95))
	near(t, "P", p, 0.5, 1e-15)
	near(t, "R", r, 0.2, 1e-15)
	near(t, "F1", f, 2.0/7, 1e-15)
	p2, r2, f2 := Citation(numbers(79, 11, 46, 53, 54), numbers(11, 30, 46, 53, 79, 80))
	near(t, "P", p2, 0.8, 1e-15)
	near(t, "R", r2, 2.0/3, 1e-15)
	near(t, "F1", f2, 8.0/11, 1e-15)
	near(t, "coverage", Mean([]float64{1, 0.5, 0}), 0.5, 1e-15)
	near(t, "citation", 100*Mean([]float64{f, f2}), 50.649350649350649, 1e-12)
	near(t, "joint", 100*Mean([]float64{Joint(1, f), Joint(0.5, f2), Joint(0, NaN)}), 21.645021645021645, 1e-12)
}

// {full, partial, empty} gold against {full, partial, empty} output.
func TestCitationEdges(t *testing.T) {
	full, part, empty := numbers(1, 2), numbers(1), numbers()
	for _, c := range []struct {
		cited, gold map[int]bool
		p, r, f     float64
	}{
		{full, full, 1, 1, 1}, {part, full, 1, .5, 2. / 3}, {empty, full, 0, 0, 0},
		{full, part, .5, 1, 2. / 3}, {part, part, 1, 1, 1}, {empty, part, 0, 0, 0},
		{full, empty, 0, 0, 0}, {part, empty, 0, 0, 0}, {empty, empty, 0, 0, 0},
	} {
		p, r, f := Citation(c.cited, c.gold)
		if p != c.p || r != c.r || math.Abs(f-c.f) > 1e-15 {
			t.Errorf("Citation(%v, %v) = %v %v %v, want %v %v %v", c.cited, c.gold, p, r, f, c.p, c.r, c.f)
		}
	}
}

func TestMeansOfNothingAreUndefined(t *testing.T) {
	near(t, "Mean", Mean(nil), NaN, 0)
	near(t, "PooledMean", PooledMean([]Cluster{{}}), NaN, 0)
	if i := BootstrapMean([]Cluster{{1, 1}, {}}, 10, 0.95, 1); !math.IsNaN(i.Low) {
		t.Errorf("interval of one cluster: %v", i)
	}
	if i := BootstrapMean([]Cluster{{1, 1}, {2, 2}}, 10, 0.95, 1); i != (Interval{1, 1}) {
		t.Errorf("interval of equal clusters: %v", i)
	}
}

// A nominal 95 % interval must hold the true mean about 95 times in 100. The true
// mean of the exponential distribution is 1; 40 clusters are few and skewed, where
// the plain percentile interval falls short.
func TestBootstrapCoversTheTruth(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const runs = 400
	held := 0
	for run := range runs {
		clusters := make([]Cluster, 40)
		for i := range clusters {
			clusters[i] = Cluster{rng.ExpFloat64(), 1}
		}
		if i := BootstrapMean(clusters, 1000, 0.95, uint64(run)); i.Low <= 1 && 1 <= i.High {
			held++
		}
	}
	// The standard error of the share is 1.1 points.
	if share := float64(held) / runs; share < 0.91 || share > 0.98 {
		t.Errorf("the interval holds the true mean in %.1f %% of runs", 100*share)
	}
}

func BenchmarkBootstrapMean(b *testing.B) {
	clusters := make([]Cluster, 92)
	for i := range clusters {
		clusters[i] = Cluster{float64(i), 1}
	}
	for b.Loop() {
		BootstrapMean(clusters, 10_000, 0.95, 1)
	}
}
