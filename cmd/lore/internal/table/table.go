// Package table holds the figures of a run: values by item, pooled with intervals, a row
// per judged system, and the tests between rows. It is scores.json.
package table

import (
	"fmt"

	"lore/datasets"
	"lore/judge/metric"
	"lore/local/parallel"
)

// Resamples is how often a bootstrap draws, Level what its intervals cover.
const (
	Resamples = 10_000
	Level     = 0.95
)

// format is the version of scores.json. 1: first version.
const format = 1

// Figure is one metric of a row. Values are in the metric's own unit, shares in
// [0,1]; tables and JSON output show shares times 100.
type Figure struct {
	Metric    string   `json:"metric"`
	Value     *float64 `json:"value"`           // null: undefined
	Low       *float64 `json:"low"`             // 95 % interval; null: undefined
	High      *float64 `json:"high"`            //
	ByItem    *float64 `json:"by_item"`         // mean of the items' means instead of the pooled mean
	N         int      `json:"n"`               // values pooled
	NUnscored int      `json:"n_unscored"`      // values missing
	Worst     *float64 `json:"worst,omitempty"` // value if all missing ones were worst
	Best      *float64 `json:"best,omitempty"`  // value if all missing ones were best
}

// ItemScores are the values of one item, by metric.
type ItemScores struct {
	Item   string            `json:"item"`
	Group  string            `json:"group"`
	Facets map[string]string `json:"facets,omitempty"`
	Values []UnitScores      `json:"values"`
}

// UnitScores are the values of one metric in one item, in the metric's own unit. Values
// belong to Units by place.
type UnitScores struct {
	Metric   string    `json:"metric"`
	Units    []string  `json:"units,omitempty"`
	Values   []float64 `json:"values,omitempty"`
	Unscored []Missing `json:"unscored,omitempty"`
}

// Missing is a value that could not be scored.
type Missing struct {
	Unit   string `json:"unit"`
	Reason string `json:"reason"`
}

// Row is one system with the judge of its answers: its figures, and the values by item
// that they were pooled from.
type Row struct {
	Recorded string `json:"system,omitempty"` // name of a recorded system
	datasets.Judged
	Items       int          `json:"items"`
	ItemsFailed int          `json:"items_failed"`        // items without an answer
	ItemsCut    int          `json:"items_cut,omitempty"` // answers scored though they reached their length limit
	Figures     []Figure     `json:"figures"`
	Scores      []ItemScores `json:"scores"`
}

// Figure returns the named figure of the row.
func (r Row) Figure(name string) (Figure, bool) {
	for _, f := range r.Figures {
		if f.Metric == name {
			return f, true
		}
	}
	return Figure{}, false
}

// Counts returns how many values the first main judged metric with any has, and the most
// values that one of these metrics misses.
func (r Row) Counts(metrics []datasets.Metric) (n, unscored int) {
	for _, m := range metrics {
		f, ok := r.Figure(m.Name)
		if !ok || !m.Judged || !m.Lead {
			continue
		}
		if n == 0 {
			n = f.N
		}
		unscored = max(unscored, f.NUnscored)
	}
	return n, unscored
}

// File is the file of a run folder that holds its Table.
const File = "scores.json"

// Table is scores.json.
type Table struct {
	Format    int    `json:"format"`
	Benchmark string `json:"benchmark"`
	Pooling   string `json:"pooling"`
	Interval  string `json:"interval"`
	Reading   string `json:"citations,omitempty"` // how answers' citations are read
	Rows      []Row  `json:"rows"`
}

// New is a table without rows, which says how figures will be pooled.
func New(benchmark string, seed uint64) Table {
	return Table{
		Format:    format,
		Benchmark: benchmark,
		Pooling:   "all values of a metric over all items; by_item averages the items' means instead",
		Interval:  fmt.Sprintf("%g %% BCa bootstrap over items, %d resamples, seed %d", 100*Level, Resamples, seed),
	}
}

// Missing counts the items that failed and the values that are missing, over all rows.
func (t Table) Missing(metrics []datasets.Metric) (items, values int) {
	for _, row := range t.Rows {
		_, unscored := row.Counts(metrics)
		items += row.ItemsFailed
		values += unscored
	}
	return items, values
}

// Group gathers an item's scores by metric, in the order of metrics.
func Group(item datasets.Item, scores []datasets.Score, metrics []datasets.Metric) ItemScores {
	out := ItemScores{Item: item.ID(), Group: item.Group()}
	for _, m := range metrics {
		u := UnitScores{Metric: m.Name}
		for _, s := range scores {
			switch {
			case s.Metric != m.Name:
			case s.Unscored != "":
				u.Unscored = append(u.Unscored, Missing{s.Unit, s.Unscored})
			default:
				u.Units = append(u.Units, s.Unit)
				u.Values = append(u.Values, s.Value)
			}
		}

		if len(u.Values)+len(u.Unscored) > 0 {
			out.Values = append(out.Values, u)
		}
	}
	return out
}

// Pool computes the row's figures from its items' values.
func (r *Row) Pool(metrics []datasets.Metric, seed uint64) {
	r.Figures = make([]Figure, len(metrics))
	parallel.Each(len(metrics), func(i int) { r.Figures[i] = pool(r.Scores, metrics[i], seed) })
}

// pooled are a metric's values by item: sums and counts, means, and how many are missing.
func pooled(items []ItemScores, name string) (clusters []metric.Cluster, means []float64, missing int) {
	for _, it := range items {
		for _, u := range it.Values {
			if u.Metric != name {
				continue
			}

			missing += len(u.Unscored)
			c := metric.Cluster{N: len(u.Values)}
			for _, v := range u.Values {
				c.Sum += v
			}
			clusters = append(clusters, c)
			if c.N > 0 {
				means = append(means, c.Sum/float64(c.N))
			}
		}
	}
	return clusters, means, missing
}

// pool is one figure. Its interval draws whole items, because values of one item hang
// together.
func pool(items []ItemScores, m datasets.Metric, seed uint64) Figure {
	clusters, means, missing := pooled(items, m.Name)
	f := Figure{Metric: m.Name, NUnscored: missing}
	for _, c := range clusters {
		f.N += c.N
	}

	f.Value = defined(metric.PooledMean(clusters))
	f.ByItem = defined(metric.Mean(means))
	interval := metric.BootstrapMean(clusters, Resamples, Level, seed)
	f.Low, f.High = defined(interval.Low), defined(interval.High)

	if f.NUnscored > 0 && m.Bounded {
		with := func(value float64) *float64 {
			missing := metric.Cluster{Sum: value * float64(f.NUnscored), N: f.NUnscored}
			return defined(metric.PooledMean(append(clusters, missing)))
		}
		f.Worst, f.Best = with(m.Low), with(m.High)
	}
	return f
}

// defined turns NaN into nil, which JSON writes as null.
func defined(v float64) *float64 {
	if v != v {
		return nil
	}
	return &v
}
