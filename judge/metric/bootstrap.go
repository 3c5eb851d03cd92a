package metric

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Mean returns the arithmetic mean, NaN of nothing.
func Mean(values []float64) float64 {
	if len(values) == 0 {
		return NaN
	}
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// Cluster is the sum and the number of the values of one cluster: what a pooled
// mean needs to know of it.
type Cluster struct {
	Sum float64
	N   int
}

// StandardDeviation returns that of single values, by n−1; NaN for fewer than two.
func StandardDeviation(values []float64) float64 { return stat.StdDev(values, nil) }

// PooledMean returns the mean over all values of all clusters, NaN of nothing.
func PooledMean(clusters []Cluster) float64 {
	var sum float64
	n := 0
	for _, c := range clusters {
		sum += c.Sum
		n += c.N
	}
	if n == 0 {
		return NaN
	}
	return sum / float64(n)
}

// Interval is a confidence interval.
type Interval struct{ Low, High float64 }

// Undefined is the interval of a mean that has none.
var Undefined = Interval{NaN, NaN}

// BootstrapMean returns the bias-corrected and accelerated bootstrap interval of
// a pooled mean (Efron and Tibshirani, 1993, section 14.3), drawing whole clusters
// with replacement, because values of one cluster are not independent. level is in
// (0,1), for example 0.95. Clusters without values are left out. With fewer than
// two clusters the interval is undefined; if all resamples are equal it is that
// point. The generator is seeded: equal input gives equal output.
func BootstrapMean(clusters []Cluster, resamples int, level float64, seed uint64) Interval {
	clusters = slices.DeleteFunc(slices.Clone(clusters), func(c Cluster) bool { return c.N == 0 })
	if len(clusters) < 2 || resamples < 1 {
		return Undefined
	}

	rng := rand.New(rand.NewPCG(seed, uint64(len(clusters))))
	draws := make([]float64, resamples)
	for i := range draws {
		var sum float64
		n := 0
		for range clusters {
			c := clusters[rng.IntN(len(clusters))]
			sum += c.Sum
			n += c.N
		}
		draws[i] = sum / float64(n)
	}

	slices.Sort(draws)
	return bca(draws, PooledMean(clusters), jackknife(clusters), level)
}

// jackknife returns the pooled mean with each cluster left out in turn.
func jackknife(clusters []Cluster) []float64 {
	var sum float64
	n := 0
	for _, c := range clusters {
		sum += c.Sum
		n += c.N
	}

	out := make([]float64, len(clusters))
	for i, c := range clusters {
		out[i] = (sum - c.Sum) / float64(n-c.N)
	}
	return out
}

// bca reads the interval off sorted draws, moved by the bias z0 and the
// acceleration a. Draws equal to the estimate count half, as is due for discrete
// values.
func bca(draws []float64, estimate float64, leaveOneOut []float64, level float64) Interval {
	if draws[0] == draws[len(draws)-1] {
		return Interval{draws[0], draws[0]}
	}

	below := 0.0
	for _, d := range draws {
		switch {
		case d < estimate:
			below++
		case d == estimate:
			below += 0.5
		}
	}

	n := float64(len(draws))
	share := min(max(below/n, 0.5/n), 1-0.5/n)
	normal := distuv.UnitNormal
	z0 := normal.Quantile(share)
	a := acceleration(leaveOneOut)

	at := func(p float64) float64 {
		z := z0 + normal.Quantile(p)
		return quantile(draws, normal.CDF(z0+z/(1-a*z)))
	}
	return Interval{at((1 - level) / 2), at((1 + level) / 2)}
}

func acceleration(leaveOneOut []float64) float64 {
	mean := Mean(leaveOneOut)
	var cube, square float64
	for _, v := range leaveOneOut {
		d := mean - v
		cube += d * d * d
		square += d * d
	}

	if square == 0 {
		return 0
	}
	return cube / (6 * math.Pow(square, 1.5))
}

// quantile interpolates linearly between sorted values (R's type 7).
func quantile(sorted []float64, p float64) float64 {
	at := p * float64(len(sorted)-1)
	low := int(math.Floor(at))
	if low < 0 {
		return sorted[0]
	}
	if low >= len(sorted)-1 {
		return sorted[len(sorted)-1]
	}
	share := at - float64(low)
	return sorted[low]*(1-share) + sorted[low+1]*share
}

// BootstrapClusters is the percentile interval of any statistic. groups lists the
// members of each cluster; whole clusters are drawn with replacement and the
// statistic is given the members of a draw. Draws for which it is undefined are
// left out; with fewer than two clusters the interval is undefined.
func BootstrapClusters(
	groups [][]int, resamples int, level float64, seed uint64, statistic func(members []int) float64,
) Interval {
	if len(groups) < 2 {
		return Undefined
	}

	rng := rand.New(rand.NewPCG(seed, uint64(len(groups))))
	var draws []float64
	var members []int
	for range resamples {
		members = members[:0]
		for range groups {
			members = append(members, groups[rng.IntN(len(groups))]...)
		}
		if v := statistic(members); !math.IsNaN(v) {
			draws = append(draws, v)
		}
	}

	if len(draws) == 0 {
		return Undefined
	}
	slices.Sort(draws)
	return Interval{quantile(draws, (1-level)/2), quantile(draws, (1+level)/2)}
}

// Wilson is the interval of a share of n trials of which some succeeded (Wilson, 1927; Brown, Cai
// and DasGupta, 2001, recommend it for small n): unlike a bootstrap, it has a width where
// none or all did. level is in (0,1); it is undefined for no trials.
func Wilson(successes, n int, level float64) Interval {
	if n < 1 {
		return Undefined
	}

	z := distuv.UnitNormal.Quantile((1 + level) / 2)
	size, share := float64(n), float64(successes)/float64(n)
	middle := (share + z*z/(2*size)) / (1 + z*z/size)
	half := z / (1 + z*z/size) * math.Sqrt(share*(1-share)/size+z*z/(4*size*size))
	return Interval{max(0, middle-half), min(1, middle+half)}
}
