package page

import (
	"maps"
	"slices"

	"lore/cmd/lore/internal/table"
	"lore/datasets"
	"lore/judge/metric"
)

// facets are the benchmark's own pictures that have values of two kinds at least: one alone is the figure itself.
func (b *builder) facets() []FacetFigure {
	var out []FacetFigure
	for _, p := range b.bench.Protocol().Pictures {
		at := b.metric(p.Metric)
		if at < 0 {
			continue
		}
		f := FacetFigure{Title: p.Title, Note: p.Note, Axis: p.Axis, Metric: at, Radar: p.Radar, Series: b.byFacet(p, b.metrics[at])}
		if len(f.Series) > 0 && len(f.Series[0].Bins) > 1 {
			out = append(out, f)
		}
	}
	return out
}

// byFacet are the means of all rows that have any, over the values that any has.
func (b *builder) byFacet(p datasets.FacetPicture, m datasets.Metric) []Series {
	found := make([]map[string][]float64, len(b.rows))
	all := map[string]bool{}
	for i, r := range b.rows {
		found[i] = valuesByFacet(r.row.Scores, p)
		for value := range found[i] {
			all[value] = true
		}
	}
	bins := inOrder(all, p.Order)

	var out []Series
	for i, values := range found {
		if len(values) == 0 {
			continue
		}
		s := Series{Row: i, Bins: plainAll(bins)}
		for _, bin := range bins {
			s.N = append(s.N, len(values[bin]))
			mean := metric.Mean(values[bin])
			s.Means = append(s.Means, shown(&mean, m))
		}
		out = append(out, s)
	}
	return out
}

// valuesByFacet are the values of a metric, of items as wholes, by the value of a facet.
func valuesByFacet(items []table.ItemScores, p datasets.FacetPicture) map[string][]float64 {
	out := map[string][]float64{}
	for _, it := range items {
		facet := it.Facets[p.Facet]
		if facet == "" {
			continue
		}
		for _, u := range it.Values {
			if u.Metric != p.Metric {
				continue
			}
			for k, v := range u.Values {
				if k >= len(u.Units) || u.Units[k] == "" {
					out[facet] = append(out[facet], v)
				}
			}
		}
	}
	return out
}

// inOrder lists names as an order has them, and others behind.
func inOrder(names map[string]bool, order []string) []string {
	var out []string
	for _, n := range order {
		if names[n] {
			out = append(out, n)
		}
	}
	for _, n := range slices.Sorted(maps.Keys(names)) {
		if !slices.Contains(order, n) {
			out = append(out, n)
		}
	}
	return out
}
