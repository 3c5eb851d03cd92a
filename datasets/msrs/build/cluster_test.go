package build

import (
	"fmt"
	"math"
	"testing"
)

// Clusters by hand: 0, 1 and 2 are near, 3 and 4 are near, 5 is nearer to 3 and 4
// than to the others.
func TestClusterByHand(t *testing.T) {
	near := map[[2]int]float64{{0, 1}: 0.9, {0, 2}: 0.8, {1, 2}: 0.7, {3, 4}: 0.6, {3, 5}: 0.2, {4, 5}: 0.2,
		{0, 5}: 0.1}
	similarity := func(i, j int) float64 { return near[[2]int{min(i, j), max(i, j)}] }
	for threshold, want := range map[float64]string{
		0.5:  "[[0 1 2] [3 4 5]] merged 1 dropped []",
		0.65: "[[0 1 2 3 4 5]] merged 3 dropped []", // 3 and 4 are alone, too
		0.95: "[] merged 0 dropped [0 1 2 3 4 5]",
		0.15: "[[0 1 2] [3 4 5]] merged 0 dropped []",
	} {
		c := Cluster(6, similarity, threshold, Nearest)
		if got := fmt.Sprintf("%v merged %d dropped %v", c.Clusters, c.Merged, c.Dropped); got != want {
			t.Errorf("threshold %g: %s, want %s", threshold, got, want)
		}
	}
}

// A cluster that is too large is split at a higher similarity; equal queries by
// their order. Every query is in one cluster or dropped, sizes are in range.
func TestClusterSizes(t *testing.T) {
	two := Cluster(8, func(i, j int) float64 {
		if i/4 == j/4 {
			return 0.9
		}
		return 0.5
	}, 0.4, Nearest)
	if fmt.Sprint(two.Clusters) != "[[0 1 2 3] [4 5 6 7]]" || two.Splits == 0 {
		t.Errorf("%+v", two)
	}
	for _, n := range []int{0, 1, 2, 7, 13, 40} {
		for _, threshold := range []float64{-1, 0.2, 0.5, 1} {
			c := Cluster(n, func(i, j int) float64 { return math.Abs(math.Sin(float64(i*j + i + j))) }, threshold, Nearest)
			seen := map[int]int{}
			for _, members := range c.Clusters {
				if len(members) < leastCluster || len(members) > mostCluster {
					t.Errorf("%d at %g: a cluster of %d", n, threshold, len(members))
				}
				for _, m := range members {
					seen[m]++
				}
			}
			for _, m := range c.Dropped {
				seen[m]++
			}
			for i := range n {
				if seen[i] != 1 {
					t.Errorf("%d at %g: query %d is in %d places", n, threshold, i, seen[i])
				}
			}
		}
	}
}

// By hand at 0.5: 0 and 1 are a cluster, 2 and 3 are near nobody. They are forced into it, dropped, or kept.
func TestQueriesAlone(t *testing.T) {
	near := map[[2]int]float64{{0, 1}: 0.9, {0, 2}: 0.1, {1, 2}: 0.2, {0, 3}: 0.3, {1, 3}: 0.2}
	similarity := func(i, j int) float64 { return near[[2]int{min(i, j), max(i, j)}] }
	for fate, want := range map[string]string{
		Nearest: "[[0 1 2 3]] merged 2 kept 0 dropped []",
		Near:    "[[0 1]] merged 0 kept 0 dropped [2 3]",
		Keep:    "[[0 1] [2] [3]] merged 0 kept 2 dropped []",
	} {
		c := Cluster(4, similarity, 0.5, fate)
		if got := fmt.Sprintf("%v merged %d kept %d dropped %v", c.Clusters, c.Merged, c.Kept, c.Dropped); got != want {
			t.Errorf("%s: %s, want %s", fate, got, want)
		}
	}

	// Seven equal queries but one that is a little apart: the cluster is split above the threshold, and what is alone
	// then joins the half with room at the threshold.
	apart := func(i, j int) float64 {
		if i == 6 || j == 6 {
			return 0.52
		}
		if (i < 3) == (j < 3) {
			return 0.9
		}
		return 0.52
	}
	for _, fate := range []string{Near, Keep} {
		if c := Cluster(7, apart, 0.5, fate); c.Merged != 1 || len(c.Clusters) != 2 || c.Splits == 0 || len(c.Dropped)+c.Kept > 0 {
			t.Errorf("%s: %+v", fate, c)
		}
	}
}
