package accept

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"lore/cmd/lore/internal/usage"
	"lore/judge/metric"
)

// prospect is what a run without any drop can expect of a drop rule. It speaks of a run that can be:
// the one at hand with its drop taken out, and no value beyond what the metric allows.
type prospect struct {
	estimate // of the drops of that run, whose mean is 0

	// unchanged is the bound where no value changes. A run without any drop is not promised less.
	unchanged float64

	// follows is the share of a change of all values that their bound follows, in (0,1]: the item that
	// is as bad as can be, and that nobody saw, does not change with them.
	follows float64
}

// prospectOf is that of the units that run and baseline share.
func prospectOf(s sample, how Design) prospect {
	p := prospect{estimate: estimateOf(s, s.level, how), follows: 1}
	none := slices.Clone(s.level)
	for i := range none {
		none[i].Sum = 0
	}

	p.unchanged = estimateOf(s, none, how).sure.High
	if s.high > 0 {
		p.follows = 1 - p.unchanged/s.high
	}
	return p
}

// bound is where such a run is bounded.
func (p prospect) bound() float64 { return max(p.sure.High, p.unchanged) }

// detectable is the smallest limit that such a run meets in 80 % of cases; NaN for fewer than two clusters.
func (p prospect) detectable(s sample) float64 {
	return min(p.varied().detectable(p.bound()), s.high)
}

// power is the probability in [0,1] that such a run meets a limit.
func (p prospect) power(limit float64) float64 {
	return p.varied().power(p.bound(), limit+rounding)
}

// varied is the estimate with the error of its bound instead of that of its mean.
func (p prospect) varied() estimate {
	e := p.estimate
	e.se *= p.follows
	return e
}

// passable reports whether a run with all values at their best would keep the rule; if not, none can.
func (s sample) passable(how Design, holds func(estimate) bool) bool {
	return s.best == nil || holds(estimateOf(s, s.best, how))
}

// fewest is how many clusters of one size it takes for a bound to be within a distance of values that are all
// alike, where others may lie so far from them: level^(1/n) >= 1 − distance/span. Infinite for no distance.
func fewest(distance, span, level float64) float64 {
	if distance >= span {
		return 1
	}
	return math.Ceil(math.Log(level)/math.Log1p(-distance/span) - rounding)
}

// hopeless says that no run can pass with so few items, and how many it takes where nothing changes.
func (f *Finding) hopeless(alike string, needed float64) {
	f.Why += fmt.Sprintf("; with %s no run can pass this rule", usage.Counted(f.Clusters, f.Unit))
	if !math.IsInf(needed, 1) {
		f.Why += fmt.Sprintf(": at least %.0f are needed %s", needed, alike)
	}
}

// pair is a unit's value in the baseline and in the run.
type pair struct {
	cluster string
	was, is float64
}

// withoutDrop are the drops of a run as the one at hand that has the mean of its baseline: all its values are
// moved by the same, but not beyond what the metric allows.
func withoutDrop(pairs []pair, low, high float64) []metric.Cluster {
	if len(pairs) == 0 {
		return nil
	}
	drop := func(p pair, by float64) float64 { return p.was - min(max(p.is+by, low), high) }
	mean := func(by float64) (sum float64) {
		for _, p := range pairs {
			sum += drop(p, by)
		}
		return sum / float64(len(pairs))
	}

	// Moved that far, every value is below each of the baseline, or above.
	was := func(a, b pair) int { return cmp.Compare(a.was, b.was) }
	is := func(a, b pair) int { return cmp.Compare(a.is, b.is) }
	down := slices.MinFunc(pairs, was).was - slices.MaxFunc(pairs, is).is
	up := slices.MaxFunc(pairs, was).was - slices.MinFunc(pairs, is).is
	if math.Abs(mean(0)) <= rounding {
		down, up = 0, 0
	}
	for range 60 {
		if middle := (down + up) / 2; mean(middle) > 0 {
			down = middle
		} else {
			up = middle
		}
	}

	var out collector
	for _, p := range pairs {
		out.add(p.cluster, drop(p, up))
	}
	return out.clusters
}
