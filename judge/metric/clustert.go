package metric

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// Robust is a t test of a mean difference against 0 that allows for values of one
// cluster hanging together.
type Robust struct {
	SE float64 // standard error of the mean difference, in its unit
	DF float64 // degrees of freedom, at most clusters − 1
	P  float64 // two-sided
}

// ClusterT tests a pooled mean against 0 with the bias-reduced cluster-robust variance
// CR2 and Satterthwaite's degrees of freedom (Bell and McCaffrey, 2002; Pustejovsky and
// Tipton, 2018, equations 8 to 11), for the model that has only an intercept. Clusters of
// equal size give Student's t test of their means with clusters − 1 degrees of freedom.
//
// Unlike the sign flips of [Randomise], of which k clusters allow only 2^k, its p-value can
// be as small as needed. It assumes that cluster means are roughly normal. All is NaN
// for fewer than two clusters, P also where all clusters differ by the same.
func ClusterT(clusters []Cluster) Robust {
	clusters = slices.DeleteFunc(slices.Clone(clusters), func(c Cluster) bool { return c.N == 0 })
	if len(clusters) < 2 {
		return Robust{NaN, NaN, NaN}
	}

	n := 0.0
	for _, c := range clusters {
		n += float64(c.N)
	}

	// With w the share of a cluster in all values, I − H scales its residual by 1 − w.
	mean, variance, own, square, cross := PooledMean(clusters), 0.0, 0.0, 0.0, 0.0
	for _, c := range clusters {
		w := float64(c.N) / n
		u := (c.Sum - mean*float64(c.N)) / n
		q := w * w / (1 - w)
		variance += u * u / (1 - w)
		own += w * w
		cross += q
		square += q * q
	}

	out := Robust{SE: math.Sqrt(variance), DF: 1 / (own + cross*cross - square), P: NaN}
	switch {
	case mean == 0:
		out.P = 1
	case out.SE > 1e-12*math.Abs(mean):
		t := distuv.StudentsT{Sigma: 1, Nu: out.DF}
		out.P = 2 * t.CDF(-math.Abs(mean)/out.SE)
	}
	return out
}

// TInterval is half the width of the t interval of an estimate with standard error se, at
// a level in (0,1) such as 0.95.
func TInterval(se, df, level float64) float64 {
	return se * distuv.StudentsT{Sigma: 1, Nu: df}.Quantile((1+level)/2)
}

// FlipFloor is the smallest p-value that [Randomise] can give for so many clusters: both of
// the extreme ones among 2^k flips, or the flips drawn. NaN for fewer than two clusters.
func FlipFloor(clusters, resamples int) float64 {
	switch {
	case clusters < 2:
		return NaN
	case clusters <= exactUpTo:
		return math.Pow(2, 1-float64(clusters))
	}
	return 1 / float64(resamples+1)
}

// FlipLevel is the level that a test by [Randomise] really has where p must be at most
// level: its p-values lie on a grid of steps as wide as the smallest, floor. 0: it never
// rejects.
func FlipLevel(level, floor float64) float64 {
	return math.Floor(level/floor*(1+1e-12)) * floor
}

// powerSteps is how finely the distribution of the estimated spread is cut.
const powerSteps = 400

// PowerOfT computes the power of two-sided t tests with some degrees of freedom at some
// level: the upper and lower tail of the noncentral t (Cohen, 1988, section 2.2), whose
// estimated spread is integrated over its chi-square distribution.
//
// The standard errors it is given are estimates. A variance is more often under- than
// overestimated, so they are widened until half of all estimates are too large; then half
// of the powers computed are too large, however few clusters there are.
type PowerOfT struct {
	limits []float64 // what a mean over its true standard error must exceed, at each step
	widen  float64
}

// NewPowerOfT prepares these. level is in [0,1]; at 0 no test ever rejects.
func NewPowerOfT(df, level float64) PowerOfT {
	if math.IsNaN(df+level) || level <= 0 {
		return PowerOfT{}
	}

	spread := distuv.ChiSquared{K: df}
	critical := distuv.StudentsT{Sigma: 1, Nu: df}.Quantile(1 - level/2)
	out := PowerOfT{widen: math.Sqrt(df / spread.Quantile(0.5))}
	for i := range powerSteps {
		s := spread.Quantile((float64(i) + 0.5) / powerSteps)
		out.limits = append(out.limits, critical*math.Sqrt(s/df))
	}
	return out
}

// Power is the probability in [0,1] that a true difference is found. diff and its
// estimated standard error se are in one unit. NaN where se is 0 or not known.
func (t PowerOfT) Power(diff, se float64) float64 {
	switch {
	case math.IsNaN(diff+se) || se == 0:
		return NaN
	case t.limits == nil:
		return 0
	}
	return t.at(math.Abs(diff) / (se * t.widen))
}

// at is the power for a difference of so many true standard errors.
func (t PowerOfT) at(shift float64) float64 {
	sum := 0.0
	for _, l := range t.limits {
		sum += distuv.UnitNormal.CDF(shift-l) + distuv.UnitNormal.CDF(-shift-l)
	}
	return sum / powerSteps
}

// Least is the smallest true difference, in the unit of se, that is found with a power in
// (0,1); NaN where none ever is.
func (t PowerOfT) Least(power, se float64) float64 {
	if t.limits == nil || math.IsNaN(se) || se == 0 {
		return NaN
	}

	low, high := 0.0, 1.0
	for t.at(high) < power {
		low, high = high, 2*high
	}
	for range 30 {
		middle := (low + high) / 2
		if t.at(middle) < power {
			low = middle
		} else {
			high = middle
		}
	}
	return high * se * t.widen
}
