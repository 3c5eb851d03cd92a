package accept

import (
	"math"
	"slices"

	"lore/datasets"
	"lore/judge/metric"
)

// sample is what a rule is tested on: values by cluster, in the units that are shown.
type sample struct {
	clusters []metric.Cluster
	missing  int              // values that are not there and should be
	feared   []metric.Cluster // clusters with these as bad as can be; nil: nobody knows how bad that is
	level    []metric.Cluster // of a drop: those of a run as this without any drop
	best     []metric.Cluster // those of a run with all values at their best; nil: nobody knows how good that is
	low      float64          // smallest and largest value that can be
	high     float64
	open     bool // nobody knows these two, and they are those that were seen: bounds are those of a t test at least
}

// collector sums values by cluster, in the order of first appearance.
type collector struct {
	at       map[string]int
	clusters []metric.Cluster
}

func (c *collector) add(cluster string, v float64) {
	if c.at == nil {
		c.at = map[string]int{}
	}
	k, ok := c.at[cluster]
	if !ok {
		k = len(c.clusters)
		c.at[cluster] = k
		c.clusters = append(c.clusters, metric.Cluster{})
	}
	c.clusters[k].Sum += v
	c.clusters[k].N++
}

// paired are the drops of the units that run and baseline share, with the means of both. A value that
// the baseline has and the run misses is missing: feared to have fallen to the lowest.
func paired(run, baseline Subject, m datasets.Metric, how Design) (drops sample, was, is float64) {
	by := scale(m)
	var seen, feared, best collector
	var pairs []pair
	var before, after []float64
	most := 0.0 // of the baseline, above the lowest
	old := baseline.byID()
	for _, it := range run.Items {
		now, then := it.of(m.Name), old[it.ID].of(m.Name)
		cluster := how.clustered(it)
		for i, unit := range then.Units {
			v := by * then.Values[i]
			most = max(most, v-by*m.Low)
			best.add(cluster, v-by*m.High)
			if k := slices.Index(now.Units, unit); k >= 0 {
				w := by * now.Values[k]
				before, after = append(before, v), append(after, w)
				pairs = append(pairs, pair{cluster, v, w})
				seen.add(cluster, v-w)
				feared.add(cluster, v-w)
			} else if slices.Contains(now.Missing, unit) {
				drops.missing++
				feared.add(cluster, v-by*m.Low)
			}
		}
	}

	drops.clusters, drops.feared = seen.clusters, feared.clusters
	drops.low, drops.high, drops.open = -most, most, !m.Bounded
	if m.Bounded {
		drops.high = by * (m.High - m.Low)
		drops.low = -drops.high
		drops.level, drops.best = withoutDrop(pairs, by*m.Low, by*m.High), best.clusters
	} else {
		drops.level = withoutDrop(pairs, by*m.Low, math.Inf(1))
		for i := range before {
			drops.low = min(drops.low, before[i]-after[i])
		}
	}
	return drops, metric.Mean(before), metric.Mean(after)
}

// alone are the values of the run. Missing ones are feared to be the worst for the rule, where it is
// known what that is.
func alone(run Subject, m datasets.Metric, floor bool, how Design) sample {
	by := scale(m)
	out := sample{low: by * m.Low, high: by * m.High, open: !m.Bounded}
	if !m.Bounded {
		out.high = math.Inf(-1)
	}
	fear, hope := by*m.Low, by*m.High
	if !floor {
		fear, hope = hope, fear
	}

	var seen, feared, best collector
	for _, it := range run.Items {
		v := it.of(m.Name)
		for _, x := range v.Values {
			seen.add(how.clustered(it), by*x)
			feared.add(how.clustered(it), by*x)
			best.add(how.clustered(it), hope)
			if !m.Bounded {
				out.high = max(out.high, by*x)
			}
		}
		out.missing += len(v.Missing)
		for range v.Missing {
			feared.add(how.clustered(it), fear)
			best.add(how.clustered(it), hope)
		}
	}

	out.clusters, out.feared, out.best = seen.clusters, feared.clusters, best.clusters
	if !m.Bounded {
		out.best = nil
	}
	if !floor && !m.Bounded {
		out.feared = nil
	}
	return out
}
