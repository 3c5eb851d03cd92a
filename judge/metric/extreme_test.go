package metric

import (
	"math"
	"testing"
)

// Where all clusters are equal, the bound is that of what was not seen: of n clusters without an event, the
// upper bound of its probability is 1 − 0.05^(1/n) (Clopper and Pearson, 1934).
func TestBoundMeanAllowsForWhatWasNotSeen(t *testing.T) {
	for _, n := range []int{1, 5, 29, 59, 149} {
		clusters := make([]Cluster, n)
		for i := range clusters {
			clusters[i].N = 3
		}
		got := BoundMean(clusters, Cluster{-3, 3}, Cluster{3, 3}, 100_000, 0.95, 1)
		want := 1 - math.Pow(0.05, 1/float64(n))
		if math.Abs(got.High-want) > 0.01*want+0.001 || math.Abs(got.Low+want) > 0.01*want+0.001 {
			t.Errorf("%d clusters: %+v, want ±%.4f", n, got, want)
		}
	}
}

func TestBoundMeanOfNothing(t *testing.T) {
	for _, got := range []Bounds{
		BoundMean(nil, Cluster{0, 1}, Cluster{1, 1}, 100, 0.95, 1),
		BoundMean([]Cluster{{}}, Cluster{0, 1}, Cluster{1, 1}, 100, 0.95, 1),
		BoundMean([]Cluster{{1, 1}}, Cluster{NaN, 1}, Cluster{NaN, 1}, 100, 0.95, 1),
	} {
		if !math.IsNaN(got.Low) || !math.IsNaN(got.High) {
			t.Errorf("%+v", got)
		}
	}
	if a, b := BoundMean([]Cluster{{1, 2}, {2, 2}}, Cluster{}, Cluster{2, 2}, 100, 0.95, 7),
		BoundMean([]Cluster{{1, 2}, {2, 2}, {}}, Cluster{}, Cluster{2, 2}, 100, 0.95, 7); a != b {
		t.Errorf("a cluster without values changes %+v to %+v", a, b)
	}
}

// With many clusters the bounds are those of the normal distribution.
func TestBoundMeanOfMany(t *testing.T) {
	clusters := make([]Cluster, 2000)
	for i := range clusters {
		clusters[i] = Cluster{float64(i % 2), 1}
	}
	got := BoundMean(clusters, Cluster{0, 1}, Cluster{1, 1}, 10_000, 0.95, 1)
	half := 1.645 * 0.5 / math.Sqrt(2000)
	if math.Abs(got.Low-0.5+half) > 0.001 || math.Abs(got.High-0.5-half) > 0.001 {
		t.Errorf("%+v, want 0.5 ± %.4f", got, half)
	}
	if half := TBound(2, 10, 0.95); math.Abs(half-2*1.8125) > 0.001 {
		t.Errorf("t bound %g", half)
	}
	if p := TBelow(1.8125, 10); math.Abs(p-0.95) > 0.001 {
		t.Errorf("t below %g", p)
	}
}
