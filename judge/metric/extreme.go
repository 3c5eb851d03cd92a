package metric

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// Bounds are one-sided confidence bounds of a pooled mean: of each one alone it can be said,
// at the level, that the true mean is not beyond.
type Bounds struct{ Low, High float64 }

// BoundMean returns one-sided bounds of a pooled mean whose clusters cannot be worse than
// worst nor better than best: the bound of Gaffke (2005; Learned-Miller and Thomas, 2019,
// "A new confidence interval for the mean of a bounded random variable"). The clusters, and
// with them one that is as extreme as can be, get weights that are drawn at random and sum
// to 1, uniformly; the bound is a quantile of the weighted mean.
//
// Unlike those of t tests and bootstraps it allows for what has not been seen: where all of n
// clusters are equal, one in n may still be as extreme as can be. For values of two kinds it
// is the bound of Clopper and Pearson; no distribution is known for which it covers less than
// its level, however skewed or discrete, and however few the clusters.
//
// level is in (0,1), for example 0.95, and is that of each bound. Clusters without values are left
// out. Both are NaN for no clusters, and one where its extreme is NaN. The generator is seeded.
func BoundMean(clusters []Cluster, lowest, highest Cluster, draws int, level float64, seed uint64) Bounds {
	clusters = slices.DeleteFunc(slices.Clone(clusters), func(c Cluster) bool { return c.N == 0 })
	if len(clusters) == 0 || draws < 1 {
		return Bounds{NaN, NaN}
	}

	rng := rand.New(rand.NewPCG(seed, uint64(len(clusters))))
	lows, highs := make([]float64, draws), make([]float64, draws)
	for i := range draws {
		var sum, n float64
		for _, c := range clusters {
			w := rng.ExpFloat64()
			sum += w * c.Sum
			n += w * float64(c.N)
		}

		w := rng.ExpFloat64()
		lows[i] = (sum + w*lowest.Sum) / (n + w*float64(lowest.N))
		highs[i] = (sum + w*highest.Sum) / (n + w*float64(highest.N))
	}
	return Bounds{bound(lows, 1-level), bound(highs, level)}
}

// bound is a quantile of draws, NaN where these are.
func bound(draws []float64, p float64) float64 {
	if math.IsNaN(draws[0]) {
		return NaN
	}
	slices.Sort(draws)
	return quantile(draws, p)
}

// TBound is how far the one-sided bound of an estimate with standard error se lies from it,
// at a level in (0,1) such as 0.95.
func TBound(se, df, level float64) float64 { return TInterval(se, df, 2*level-1) }

// TBelow is the probability in [0,1] that Student's t with so many degrees of freedom is below a
// value.
func TBelow(value, df float64) float64 { return distuv.StudentsT{Sigma: 1, Nu: df}.CDF(value) }
