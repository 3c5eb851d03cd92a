package run

import (
	"lore/datasets"
	"lore/judge/metric"
)

// Resamples of the bootstrap and its level.
const (
	Resamples = 10_000
	Level     = 0.95
)

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

// ItemScores are the values of one item.
type ItemScores struct {
	Item   string            `json:"item"`
	Group  string            `json:"group"`
	Facets map[string]string `json:"facets,omitempty"`
	Values []UnitScores      `json:"values"`
}

// UnitScores are the values of one metric in one item.
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

// Row is one system: a retriever, a generator and the judge of its answers.
type Row struct {
	System      string       `json:"system,omitempty"` // name of a recorded system
	Retriever   string       `json:"retriever"`
	Generator   string       `json:"generator"`
	Judge       string       `json:"judge"`
	Items       int          `json:"items"`
	ItemsFailed int          `json:"items_failed"` // items without an answer
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

// N returns the values of the first judged metric that has any, and the most values
// that a main judged metric misses: what a row is mostly about.
func (r Row) N(metrics []datasets.Metric) (n, unscored int) {
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

// Table is scores.json.
type Table struct {
	Format    int    `json:"format"`
	Benchmark string `json:"benchmark"`
	Pooling   string `json:"pooling"`
	Interval  string `json:"interval"`
	Rows      []Row  `json:"rows"`
}

// group gathers an item's scores by metric, in the order of metrics.
func group(item datasets.Item, scores []datasets.Score, metrics []datasets.Metric) ItemScores {
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

// figures pools the items' values. Intervals draw whole items, because values of
// one item hang together.
func figures(items []ItemScores, metrics []datasets.Metric, seed uint64) []Figure {
	var out []Figure
	for _, m := range metrics {
		f := Figure{Metric: m.Name}
		var clusters []metric.Cluster
		var means []float64
		missing := 0
		for _, it := range items {
			for _, u := range it.Values {
				if u.Metric != m.Name {
					continue
				}
				missing += len(u.Unscored)
				c := metric.Cluster{N: len(u.Values)}
				for _, v := range u.Values {
					c.Sum += v
				}
				f.N += c.N
				clusters = append(clusters, c)
				if c.N > 0 {
					means = append(means, c.Sum/float64(c.N))
				}
			}
		}
		f.NUnscored = missing
		f.Value = defined(metric.PooledMean(clusters))
		f.ByItem = defined(metric.Mean(means))
		interval := metric.BootstrapMean(clusters, Resamples, Level, seed)
		f.Low, f.High = defined(interval.Low), defined(interval.High)
		if missing > 0 && m.Bounded {
			f.Worst = defined(metric.PooledMean(append(clusters, metric.Cluster{Sum: m.Low * float64(missing), N: missing})))
			f.Best = defined(metric.PooledMean(append(clusters, metric.Cluster{Sum: m.High * float64(missing), N: missing})))
		}
		out = append(out, f)
	}
	return out
}

// defined turns NaN into nil, which JSON writes as null.
func defined(v float64) *float64 {
	if v != v {
		return nil
	}
	return &v
}
