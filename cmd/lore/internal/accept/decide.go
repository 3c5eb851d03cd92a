package accept

import (
	"fmt"
	"math"

	"lore/cmd/lore/internal/usage"
	"lore/datasets"
	"lore/judge/metric"
)

const (
	// usualPower is the power below which a design is too small to be told anything by.
	usualPower = 0.8

	// leastForT is how many clusters a t test has at least, as in lore compare.
	leastForT = 5
)

// estimate is a pooled mean with its one-sided bounds.
type estimate struct {
	mean float64

	// sure allow for what was not seen, and are what a rule passes by: metric.BoundMean.
	sure metric.Bounds

	// low and high are the bounds that a rule is broken by: those of the cluster-robust t
	// test, where there are clusters enough, and sure where these are the closer ones. To break a rule
	// by mistake costs a look at the run, and to pass it by mistake costs what the gate is for.
	low, high float64

	se, df float64
}

func estimateOf(s sample, clusters []metric.Cluster, how Design) estimate {
	n := 0
	for _, c := range clusters {
		n += c.N
	}
	size := max(1, int(math.Round(float64(n)/float64(max(1, len(clusters))))))
	extreme := func(v float64) metric.Cluster { return metric.Cluster{Sum: v * float64(size), N: size} }

	t := metric.ClusterT(clusters)
	e := estimate{
		mean: metric.PooledMean(clusters),
		sure: metric.BoundMean(clusters, extreme(s.low), extreme(s.high), how.Draws, 1-how.Level, how.Seed),
		se:   t.SE,
		df:   t.DF,
	}
	e.low, e.high = e.sure.Low, e.sure.High
	if len(clusters) < leastForT {
		return e
	}

	half := metric.TBound(e.se, e.df, 1-how.Level)
	e.low, e.high = max(e.low, e.mean-half), min(e.high, e.mean+half)
	if s.open {
		e.sure.Low, e.sure.High = min(e.sure.Low, e.mean-half), max(e.sure.High, e.mean+half)
	}
	return e
}

// detectable is the distance between a true mean and a limit at which the rule passes in 80 %
// of cases, where sure lies so far from the mean. NaN for fewer than two clusters.
func (e estimate) detectable(sure float64) float64 {
	if e.se == 0 || math.IsNaN(e.se) {
		return sure + e.se
	}
	return sure + metric.TBound(e.se, e.df, usualPower)
}

// power is the probability in [0,1] that a rule passes whose limit is so far from the true mean.
func (e estimate) power(sure, distance float64) float64 {
	switch room := distance - sure; {
	case math.IsNaN(e.se):
		return 0
	case e.se == 0 && room >= 0:
		return 1
	case e.se == 0:
		return 0
	default:
		return metric.TBelow(room/e.se, e.df)
	}
}

// testDrop tests that a metric dropped by no more than the limit: noninferiority with a margin.
// The rule passes where even the bound of the drop is within the limit, with the values that the run
// misses at their worst, too. It is broken where the drop is shown to be beyond the limit, or is seen
// beyond it and the items are so many that a run without any drop would pass in 80 % of cases.
func testDrop(f *Finding, m datasets.Metric, run, baseline Subject, how Design) {
	s, was, is := paired(run, baseline, m, how)
	f.describe(s, how)
	if len(s.clusters) == 0 {
		f.Outcome = CannotTell
		f.Why = fmt.Sprintf("run and baseline share no values of %s", m.Name)
		return
	}

	e := estimateOf(s, s.clusters, how)
	f.Value, f.Baseline, f.Drop = defined(is), defined(was), defined(e.mean)
	f.Low, f.High = defined(e.low), defined(e.sure.High)
	holds := func(e estimate) bool { return e.sure.High <= f.Limit+rounding }
	hopeful, power := f.expect(s, how, holds)

	seen := e.mean > f.Limit+rounding && power >= usualPower
	switch {
	case e.low > f.Limit+rounding:
		f.Outcome, f.Why = Broken, fmt.Sprintf("it dropped by %.1f, and by %.1f at least", e.mean, e.low)
	case seen:
		f.Outcome, f.Why = Broken, fmt.Sprintf("it dropped by %.1f, and with so many items a run without a drop would pass", e.mean)
	case !holds(e):
		f.Outcome, f.Why = CannotTell, fmt.Sprintf("%s; a drop of %.1f is not ruled out", dropped(e.mean), e.sure.High)
		if hopeful {
			f.explain(power)
		} else {
			f.hopeless("where nothing changes", fewest(f.Limit, s.high, how.Level))
		}
	default:
		f.passUnlessMissing(s, how, holds, within(e))
	}
}

// expect notes what limit a run without any drop could meet, and returns whether any run could meet this
// one, and the probability that one without any drop does.
func (f *Finding) expect(s sample, how Design, holds func(estimate) bool) (hopeful bool, power float64) {
	p := prospectOf(s, how)
	hopeful = f.Limit+rounding >= p.unchanged || s.passable(how, holds)
	if hopeful {
		power = p.power(f.Limit)
	}
	f.Least, f.Power = defined(p.detectable(s)), defined(100*power)
	return hopeful, power
}

// rounding keeps sums of decimals from breaking a rule by their last digit.
const rounding = 1e-9

// within words a drop whose bound is within the limit.
func within(e estimate) string {
	if e.sure.High < 0 {
		return fmt.Sprintf("%s, and by %.1f at least", dropped(e.mean), -e.sure.High)
	}
	return fmt.Sprintf("%s; a drop beyond %.1f is ruled out", dropped(e.mean), e.sure.High)
}

func dropped(mean float64) string {
	switch {
	case mean > 0:
		return fmt.Sprintf("it dropped by %.1f", mean)
	case mean < 0:
		return fmt.Sprintf("it rose by %.1f", -mean)
	}
	return "it did not change"
}

// explain says why nobody can tell.
func (f *Finding) explain(power float64) {
	if power < usualPower {
		f.Why += fmt.Sprintf("; %s are too few: a run without any drop would pass in %.0f %% of cases",
			usage.Counted(f.Clusters, f.Unit), 100*power)
	}
}

// passUnlessMissing passes the rule if it also holds with the missing values at their worst.
func (f *Finding) passUnlessMissing(s sample, how Design, holds func(estimate) bool, why string) {
	switch {
	case s.missing == 0:
		f.Outcome, f.Why = Pass, why
	case s.feared != nil && holds(estimateOf(s, s.feared, how)):
		f.Outcome = Pass
		f.Why = fmt.Sprintf("%s; the same with %s at their worst", why, missingValues(s.missing))
	default:
		f.Outcome = CannotTell
		f.Why = fmt.Sprintf("%s, but %s could be the worst: unscored is not zero, and no pass either",
			why, missingValues(s.missing))
	}
}

func missingValues(n int) string { return usage.Counted(n, "missing value") }

// testBound tests a bound of a metric by the one-sided bound of its mean: it passes where that is
// within, is broken where the mean is shown to be beyond, and otherwise nobody can tell.
func testBound(f *Finding, r Rule, m datasets.Metric, run Subject, how Design) {
	s := alone(run, m, r.isFloor(), how)
	f.describe(s, how)
	if len(s.clusters) == 0 {
		f.Outcome, f.Why = CannotTell, fmt.Sprintf("the run has no values of %s", m.Name)
		return
	}

	e := estimateOf(s, s.clusters, how)
	f.Value = defined(e.mean)
	holds := func(e estimate) bool { return r.holds(e.sure.High - rounding) }
	room, span, side := e.sure.High-e.mean, r.Limit-s.low, "at most"
	f.Low, f.High = defined(e.low), defined(e.sure.High)
	broken, may := !r.holds(e.low-rounding), e.sure.High
	if r.isFloor() {
		holds = func(e estimate) bool { return r.holds(e.sure.Low + rounding) }
		room, span, side = e.mean-e.sure.Low, s.high-r.Limit, "at least"
		f.Low, f.High = defined(e.sure.Low), defined(e.high)
		broken, may = !r.holds(e.high+rounding), e.sure.Low
	}
	hopeful := s.passable(how, holds)
	if hopeful && s.best != nil {
		f.Least = defined(min(e.detectable(room), span)) // a value is not better than the best
	} else if hopeful {
		f.Least = defined(e.detectable(room))
	}

	switch {
	case broken && r.isFloor():
		f.Outcome, f.Why = Broken, fmt.Sprintf("it is %.1f, and %.1f at most", e.mean, e.high)
	case broken:
		f.Outcome, f.Why = Broken, fmt.Sprintf("it is %.1f, and %.1f at least", e.mean, e.low)
	case !holds(e):
		f.Outcome = CannotTell
		f.Why = fmt.Sprintf("it is %.1f, and may be %.1f", e.mean, may)
		f.explainBound(r, hopeful, fewest(span, s.high-s.low, how.Level))
	default:
		f.passUnlessMissing(s, how, holds, fmt.Sprintf("it is %.1f, and %.1f %s", e.mean, may, side))
	}
}

// explainBound says why nobody can tell whether a value is beyond a bound.
func (f *Finding) explainBound(r Rule, hopeful bool, needed float64) {
	side := "below"
	if r.isFloor() {
		side = "above"
	}
	switch {
	case !hopeful:
		f.hopeless("where every value is the best", needed)
	case f.Least != nil:
		f.Why += fmt.Sprintf("; with %s such a rule passes in 80 %% of cases where the value is %.1f %s the limit",
			usage.Counted(f.Clusters, f.Unit), *f.Least, side)
	}
}

// describe notes what a rule is tested on.
func (f *Finding) describe(s sample, how Design) {
	f.Unit, f.Clusters, f.Missing = how.Unit, len(s.clusters), s.missing
	for _, c := range s.clusters {
		f.N += c.N
	}
}

// testCount compares a count: there is nothing to test.
func testCount(f *Finding, r Rule, of string, run Subject, metrics []datasets.Metric) {
	n := count(of, run, metrics)
	f.Value = defined(float64(n))
	f.Outcome, f.Why = Pass, fmt.Sprintf("%d of %s", n, usage.Counted(len(run.Items), "item"))
	if of == "unscored" {
		f.Why = usage.Counted(n, "value")
	}
	if !r.holds(float64(n)) {
		f.Outcome = Broken
	}
}

// count counts items without an answer, or whose answer was cut, or as the table does the
// values that are missing: the most of one main judged metric.
func count(of string, run Subject, metrics []datasets.Metric) int {
	n := 0
	switch of {
	case "failed":
		for _, it := range run.Items {
			if it.Failed {
				n++
			}
		}
	case "cut":
		for _, it := range run.Items {
			if it.Cut {
				n++
			}
		}
	case "unscored":
		for _, m := range metrics {
			missing := 0
			for _, it := range run.Items {
				missing += len(it.of(m.Name).Missing)
			}
			if m.Judged && m.Lead {
				n = max(n, missing)
			}
		}
	}
	return n
}
