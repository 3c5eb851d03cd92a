package table

import (
	"errors"
	"fmt"
	"math"

	"lore/cmd/lore/internal/store"
	"lore/datasets"
	"lore/judge/metric"
)

// most bounds values and counts: with more, sums would overflow.
const most = 1 << 40

// Valid refuses what no run can have written, and names the row.
func (t Table) Valid() (place string, err error) {
	if t.Format < 0 || t.Format > format {
		return "", fmt.Errorf("has format %d; this lore reads format %d", t.Format, format)
	}
	if t.Benchmark == "" || len(t.Rows) == 0 {
		return "", errors.New("has no benchmark, or no rows")
	}
	if err := store.Names(t.Benchmark, t.Pooling, t.Interval, t.Reading); err != nil {
		return "", err
	}

	seen := map[datasets.Judged]bool{}
	for i, r := range t.Rows {
		place := fmt.Sprintf("row %d", i+1)
		if seen[r.Judged] {
			return place, fmt.Errorf("the system %.60q is there twice", r.Judged.String())
		}
		seen[r.Judged] = true
		if err := r.valid(); err != nil {
			return place, err
		}
	}
	return "", nil
}

func (r Row) valid() error {
	switch {
	case r.Items < 0 || r.ItemsFailed < 0 || r.ItemsCut < 0 || r.ItemsFailed > r.Items || r.ItemsCut > r.Items:
		return fmt.Errorf("of %d items %d failed and %d were cut", r.Items, r.ItemsFailed, r.ItemsCut)
	case len(r.Scores) != r.Items:
		return fmt.Errorf("it has the values of %d items, not of %d", len(r.Scores), r.Items)
	case len(r.Figures) == 0:
		return errors.New("it has no figures")
	}

	names := map[string]bool{}
	for _, f := range r.Figures {
		if names[f.Metric] {
			return fmt.Errorf("the figure %.60q is there twice", f.Metric)
		}
		names[f.Metric] = true
		if err := f.valid(); err != nil {
			return fmt.Errorf("the figure %.60q %w", f.Metric, err)
		}
	}

	items := map[string]bool{}
	for _, it := range r.Scores {
		if items[it.Item] {
			return fmt.Errorf("the item %.60q is there twice", it.Item)
		}
		items[it.Item] = true
		if err := it.valid(); err != nil {
			return fmt.Errorf("the item %.60q: %w", it.Item, err)
		}
	}
	return store.Names(r.Recorded, r.Retriever, r.Generator, r.Judge)
}

func (f Figure) valid() error {
	for _, v := range []*float64{f.Value, f.Low, f.High, f.ByItem, f.Worst, f.Best} {
		if v != nil && math.Abs(*v) > most {
			return fmt.Errorf("has the value %g", *v)
		}
	}
	switch {
	case f.N < 0 || f.NUnscored < 0 || f.N > most || f.NUnscored > most:
		return fmt.Errorf("counts %d values and %d unscored", f.N, f.NUnscored)
	case (f.Low == nil) != (f.High == nil) || (f.Worst == nil) != (f.Best == nil):
		return errors.New("has one end of an interval without the other")
	case f.Low != nil && f.Value == nil || f.Worst != nil && f.Value == nil && f.N > 0:
		return errors.New("has an interval, and no value")
	}
	return nil
}

func (s ItemScores) valid() error {
	metrics := map[string]bool{}
	for _, u := range s.Values {
		if metrics[u.Metric] {
			return fmt.Errorf("the metric %.60q is there twice", u.Metric)
		}
		metrics[u.Metric] = true

		if len(u.Units) != len(u.Values) {
			return fmt.Errorf("%.60q has %d values for %d units", u.Metric, len(u.Values), len(u.Units))
		}
		for _, v := range u.Values {
			if math.Abs(v) > most {
				return fmt.Errorf("%.60q has the value %g", u.Metric, v)
			}
		}
	}

	for name, value := range s.Facets {
		if err := store.Names(name, value); err != nil {
			return err
		}
	}
	return store.Names(s.Item, s.Group)
}

// Recount computes the figures of a row again from the values of its items, and refuses
// those that do not follow. Intervals are drawn, and not drawn again.
func (r Row) Recount(metrics []datasets.Metric) error {
	for _, m := range metrics {
		f, ok := r.Figure(m.Name)
		if !ok {
			continue
		}
		if err := inRange(r.Scores, m); err != nil {
			return err
		}
		clusters, means, missing := pooled(r.Scores, m.Name)
		n := 0
		for _, c := range clusters {
			n += c.N
		}

		switch value, byItem := metric.PooledMean(clusters), metric.Mean(means); {
		case f.N != n || f.NUnscored != missing:
			return fmt.Errorf("%s counts %d values and %d unscored; its items have %d and %d",
				m.Name, f.N, f.NUnscored, n, missing)
		case !near(f.Value, value):
			return fmt.Errorf("%s is %s; the values of its items come to %s",
				m.Name, word(f.Value), word(defined(value)))
		case !near(f.ByItem, byItem):
			return fmt.Errorf("%s by item is %s; the values of its items come to %s",
				m.Name, word(f.ByItem), word(defined(byItem)))
		}
	}
	return nil
}

// inRange refuses values that a metric cannot have.
func inRange(items []ItemScores, m datasets.Metric) error {
	if !m.Bounded {
		return nil
	}
	for _, it := range items {
		for _, u := range it.Values {
			for _, v := range u.Values {
				if u.Metric == m.Name && (v < m.Low-rounding || v > m.High+rounding) {
					return fmt.Errorf("%s of %.60q is %g, not from %g to %g", m.Name, it.Item, v, m.Low, m.High)
				}
			}
		}
	}
	return nil
}

// rounding is how far a figure may be from what it is computed again.
const rounding = 1e-9

// near reports whether a stored figure is what was computed, but for rounding.
func near(stored *float64, computed float64) bool {
	if stored == nil || computed != computed {
		return stored == nil && computed != computed
	}
	return math.Abs(*stored-computed) <= rounding*math.Max(1, math.Abs(computed))
}

func word(v *float64) string {
	if v == nil {
		return "not defined"
	}
	return fmt.Sprint(*v)
}
