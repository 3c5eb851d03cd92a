package metric

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
)

// Paired is the comparison of two systems on the same items.
type Paired struct {
	N        int      // items
	Clusters int      // groups of items that hang together
	Diff     float64  // mean of A minus B
	CI       Interval // of Diff, BCa bootstrap over clusters
	P        float64  // two-sided, paired randomisation test over clusters
	Effect   float64  // Diff over the standard deviation of the differences (Cohen's d for pairs)
	T        Robust   // the same question asked of a cluster-robust t test
	Win      int      // items where A is better
	Tie      int
	Loss     int
}

// ComparePaired compares values a and b of the same items. cluster names the
// group of each item, the unit of resampling; nil makes each item its own.
// flips and draws are the numbers of random sign flips and of bootstrap draws. With
// fewer than two clusters everything but the means and counts is NaN.
func ComparePaired(a, b []float64, cluster []string, flips, draws int, level float64, seed uint64) Paired {
	diff := make([]float64, len(a))
	out := Paired{N: len(a)}
	for i := range a {
		diff[i] = a[i] - b[i]
		switch {
		case diff[i] > 0:
			out.Win++
		case diff[i] < 0:
			out.Loss++
		default:
			out.Tie++
		}
	}

	groups := clusterUp(diff, cluster)
	out.Clusters = len(groups)
	out.Diff = PooledMean(groups)
	out.CI = BootstrapMean(groups, draws, level, seed)
	out.P = Randomise(groups, flips, seed)
	out.Effect = effect(out.Diff, deviation(diff))
	out.T = ClusterT(groups)
	return out
}

// effect is a difference over its spread: 0 where neither is there, undefined where
// every item differs by the same.
func effect(diff, spread float64) float64 {
	switch {
	case spread != 0:
		return diff / spread
	case diff == 0:
		return 0
	}
	return NaN
}

// clusterUp sums values by cluster, in the order of first appearance.
func clusterUp(values []float64, cluster []string) []Cluster {
	if cluster == nil {
		out := make([]Cluster, len(values))
		for i, v := range values {
			out[i] = Cluster{v, 1}
		}
		return out
	}

	at := map[string]int{}
	var out []Cluster
	for i, v := range values {
		k, ok := at[cluster[i]]
		if !ok {
			k = len(out)
			at[cluster[i]] = k
			out = append(out, Cluster{})
		}
		out[k].Sum += v
		out[k].N++
	}
	return out
}

func deviation(x []float64) float64 {
	if len(x) < 2 {
		return NaN
	}
	m, sum := Mean(x), 0.0
	for _, v := range x {
		sum += (v - m) * (v - m)
	}
	return math.Sqrt(sum / float64(len(x)-1))
}

// exactUpTo is the number of clusters up to which all sign flips are tried.
const exactUpTo = 16

// Randomise is the two-sided p-value of the paired randomisation test (Fisher,
// 1935; Smucker, Allan and Carterette, 2007): the share of sign flips of whole
// clusters whose mean difference is at least as large as the one seen. Up to 16
// clusters all flips are tried; beyond, a seeded sample, counting the one seen, so
// that p is never 0. It is NaN for fewer than two clusters.
func Randomise(groups []Cluster, resamples int, seed uint64) float64 {
	if len(groups) < 2 {
		return NaN
	}

	sums := make([]float64, len(groups))
	observed := 0.0
	for i, g := range groups {
		sums[i] = g.Sum
		observed += g.Sum
	}

	// Sums that differ by rounding only count as equal.
	limit := math.Abs(observed) - 1e-12*(1+math.Abs(observed))
	if len(sums) <= exactUpTo {
		return exactFlips(sums, limit)
	}

	rng := rand.New(rand.NewPCG(seed, 0x5eed))
	hits := 1
	for range resamples {
		total := 0.0
		var signs uint64
		for i, s := range sums {
			if i%64 == 0 {
				signs = rng.Uint64()
			}
			total += math.Float64frombits(math.Float64bits(s) ^ signs<<63)
			signs >>= 1
		}
		if math.Abs(total) >= limit {
			hits++
		}
	}
	return float64(hits) / float64(resamples+1)
}

func exactFlips(sums []float64, limit float64) float64 {
	all, hits := 1<<len(sums), 0
	for flips := range all {
		total := 0.0
		for i, s := range sums {
			if flips>>i&1 == 1 {
				s = -s
			}
			total += s
		}
		if math.Abs(total) >= limit {
			hits++
		}
	}
	return float64(hits) / float64(all)
}

// Holm corrects p-values for their number (Holm, 1979). NaN stays NaN and does
// not count.
func Holm(p []float64) []float64 {
	var order []int
	for i, v := range p {
		if !math.IsNaN(v) {
			order = append(order, i)
		}
	}

	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p[a], p[b]) })
	out := slices.Clone(p)

	top := 0.0
	for rank, i := range order {
		top = max(top, min(1, p[i]*float64(len(order)-rank)))
		out[i] = top
	}
	return out
}

// PercentileBootstrap is the plain percentile interval of a mean, as rouge_score's
// aggregator gives it (1,000 resamples of single values there).
func PercentileBootstrap(values []float64, resamples int, level float64, seed uint64) Interval {
	if len(values) == 0 || resamples < 1 {
		return Undefined
	}

	rng := rand.New(rand.NewPCG(seed, uint64(len(values))))
	draws := make([]float64, resamples)
	for i := range draws {
		sum := 0.0
		for range values {
			sum += values[rng.IntN(len(values))]
		}
		draws[i] = sum / float64(len(values))
	}

	slices.Sort(draws)
	return Interval{quantile(draws, (1-level)/2), quantile(draws, (1+level)/2)}
}
