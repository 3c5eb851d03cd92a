package report

import (
	"fmt"
	"slices"
	"strings"

	"lore/cmd/lore/internal/table"
	"lore/datasets"
)

// Main is the table of a run: a line per system and judge, each figure with its
// interval, shares as percentages.
func Main(t table.Table, metrics []datasets.Metric) datasets.Grid {
	shown := slices.DeleteFunc(slices.Clone(metrics), func(m datasets.Metric) bool {
		return m.Aside || !hasValues(t, m.Name) || m.Warn != "" && !occurs(t, m.Name)
	})
	g := datasets.Grid{
		Head: []string{"retriever", "generator", "judge"},
		Note: "[low, high]: " + t.Interval + ". n: values scored; unscored: values missing, never counted as 0.",
	}
	for _, m := range shown {
		g.Head = append(g.Head, m.Title)
	}
	g.Head = append(g.Head, "n", "unscored")
	cut := slices.ContainsFunc(t.Rows, func(r table.Row) bool { return r.ItemsCut > 0 })
	if cut {
		g.Head = append(g.Head, "cut")
		g.Note += " cut: answers that reached their length limit, scored as they stand."
	}

	bounds := false
	for _, r := range t.Rows {
		row := []string{r.Retriever, r.Generator, r.Judge}
		for _, m := range shown {
			f, _ := r.Figure(m.Name)
			row = append(row, figure(f, m)+asked(r, m)+withCount(f, m))
			bounds = bounds || (m.Lead && f.Worst != nil)
		}

		n, unscored := r.Counts(metrics)
		row = append(row, fmt.Sprint(n), missingWords(r, unscored))
		if cut {
			row = append(row, fmt.Sprint(r.ItemsCut))
		}
		g.Rows = append(g.Rows, row)
		markMissing(&g, r, unscored, 3+len(shown)+1)
	}
	for i, m := range shown {
		if m.Lead {
			markBest(&g, t, m, 3+i)
		}
	}

	if bounds {
		g.Note += " " + boundsNote
	}
	g.Note += countsNote(t, shown)
	if t.Reading != "" {
		g.Note += " " + t.Reading
	}
	return g
}

// Headed is Main under a heading that says which items were chosen, where some were left out.
func Headed(r Run, bench datasets.Benchmark) datasets.Grid {
	g := Main(r.Table, bench.Metrics())
	if m := r.Manifest; m.Chosen != "" {
		g.Title = fmt.Sprintf("%d of %d items (%s)", m.Items, m.ItemsOf, m.Chosen)
	}
	return g
}

// countsNote says whose counts a row has where its main metrics miss different numbers of values: n is of the first, and
// unscored of the one that misses most.
func countsNote(t table.Table, shown []datasets.Metric) string {
	for _, r := range t.Rows {
		var first, worst datasets.Metric
		most := 0
		for _, m := range shown {
			f, ok := r.Figure(m.Name)
			if !ok || !m.Judged || !m.Lead {
				continue
			}
			if first.Name == "" {
				first, worst, most = m, m, f.NUnscored
			}
			if f.NUnscored > most {
				worst, most = m, f.NUnscored
			}
		}
		if worst.Name != first.Name {
			return fmt.Sprintf(" n is that of %s, unscored that of %s, which misses the most.", first.Title, worst.Title)
		}
	}
	return ""
}

// boundsNote says what stands behind a figure that misses values.
const boundsNote = "{worst..best}: the value if all missing ones were the worst or the best possible."

// missingWords counts a row's missing values, and the answers that failed.
func missingWords(r table.Row, unscored int) string {
	if r.ItemsFailed == 0 {
		return fmt.Sprint(unscored)
	}
	return fmt.Sprintf("%d (%d of %d answers failed)", unscored, r.ItemsFailed, r.Items)
}

// markMissing marks the cell of a row's missing values.
func markMissing(g *datasets.Grid, r table.Row, unscored, column int) {
	switch {
	case r.ItemsFailed > 0:
		g.Mark(column, datasets.Failed)
	case unscored > 0:
		g.Mark(column, datasets.Doubted)
	}
}

// markBest marks the highest value of a metric among the systems of each judge, if there are several.
// Systems that know what is right, or nothing, are the ends of the scale and do not take part.
func markBest(g *datasets.Grid, t table.Table, m datasets.Metric, column int) {
	best, systems := map[string]float64{}, map[string]int{}
	takesPart := func(r table.Row) (float64, bool) {
		f, _ := r.Figure(m.Name)
		r.Retriever = r.Retriever[strings.LastIndex(r.Retriever, ": ")+1:] // in front stands a folder, where there are several
		r.Retriever = strings.TrimSpace(r.Retriever)
		if _, end := EndOf(r.System); f.Value == nil || end {
			return 0, false
		}
		return *f.Value, true
	}
	for _, r := range t.Rows {
		if v, ok := takesPart(r); ok {
			if systems[r.Judge] == 0 || v > best[r.Judge] {
				best[r.Judge] = v
			}
			systems[r.Judge]++
		}
	}

	for i, r := range t.Rows {
		if v, ok := takesPart(r); ok && systems[r.Judge] > 1 && v == best[r.Judge] {
			g.MarkAt(i, column, datasets.Best)
		}
	}
}

// HeadlineOf is the first figure of a row that is the benchmark's headline. What follows an
// "@" in its name is a setting, which may be another than the benchmark's own. Where a setting left the headline out,
// the first of the main figures stands for it.
func HeadlineOf(r table.Row, bench datasets.Benchmark) (table.Figure, datasets.Metric, bool) {
	want := bench.Protocol().Headline
	isHeadline := func(name string) bool {
		short, _, _ := strings.Cut(name, "@")
		return short == want
	}
	for _, f := range r.Figures {
		if !isHeadline(f.Metric) || f.N+f.NUnscored == 0 {
			continue
		}
		for _, m := range bench.Metrics() {
			if isHeadline(m.Name) {
				if m.Name != f.Metric {
					m.Name, m.Title = f.Metric, f.Metric
				}
				return f, m, true
			}
		}
	}

	for _, m := range bench.Metrics() {
		if f, ok := r.Figure(m.Name); ok && m.Lead && f.Value != nil {
			return f, m, true
		}
	}
	return table.Figure{}, datasets.Metric{}, false
}

// occurs reports whether any row has a value above 0 of a metric.
func occurs(t table.Table, name string) bool {
	return slices.ContainsFunc(t.Rows, func(r table.Row) bool {
		f, _ := r.Figure(name)
		return f.Value != nil && *f.Value > 0
	})
}

// withCount says how many values stand behind a figure that not every answer has.
func withCount(f table.Figure, m datasets.Metric) string {
	if !m.Counted || f.Value == nil {
		return ""
	}
	return fmt.Sprintf(" (n %d)", f.N)
}

// asked words how much was asked for, behind how much was given.
func asked(r table.Row, m datasets.Metric) string {
	f, _ := r.Figure(m.Asked)
	if m.Asked == "" || f.Value == nil {
		return ""
	}
	return " of " + Number(*f.Value, m)
}

// hasValues reports whether any row has a value of a metric, or misses one.
func hasValues(t table.Table, name string) bool {
	return slices.ContainsFunc(t.Rows, func(r table.Row) bool {
		f, _ := r.Figure(name)
		return f.N+f.NUnscored > 0
	})
}

// Own are a benchmark's tables that a run prints at once.
func Own(t table.Table, bench datasets.Benchmark) []datasets.Grid {
	b, ok := bench.(datasets.Tabulator)
	if !ok {
		return nil
	}
	return slices.DeleteFunc(b.Tables(Systems(t)), func(g datasets.Grid) bool { return g.Later })
}

// figure shows a value with its interval, and its bounds if values are missing.
func figure(f table.Figure, m datasets.Metric) string {
	if f.Value == nil {
		return "–"
	}
	s := Number(*f.Value, m)
	if m.Lead && f.Low != nil {
		s += fmt.Sprintf(" [%s, %s]", Number(*f.Low, m), Number(*f.High, m))
	}
	if m.Lead && f.Worst != nil {
		s += fmt.Sprintf(" {%s..%s}", Number(*f.Worst, m), Number(*f.Best, m))
	}
	return s
}

// Number shows a value of a metric with one decimal or as many as it has, a share in [0,1] as a percentage.
func Number(v float64, m datasets.Metric) string {
	return fmt.Sprintf("%.*f", places(m), v*factor(m))
}

// places is how many decimals of a metric are shown.
func places(m datasets.Metric) int { return max(1, m.Places) }

// Systems adapts rows for a benchmark's own tables. Values stay in the metric's unit.
func Systems(t table.Table) []datasets.Scored {
	out := make([]datasets.Scored, len(t.Rows))
	for i, r := range t.Rows {
		value := func(metric string) (float64, bool) {
			f, ok := r.Figure(metric)
			if !ok || f.Value == nil {
				return 0, false
			}
			return *f.Value, true
		}
		out[i] = datasets.Scored{Judged: r.Judged, Value: value}

		for _, it := range r.Scores {
			item := datasets.ItemFigures{Item: it.Item, Facets: it.Facets, Values: map[string]map[string]float64{}}
			for _, u := range it.Values {
				item.Values[u.Metric] = make(map[string]float64, len(u.Values))
				for k, v := range u.Values {
					item.Values[u.Metric][u.Units[k]] = v
				}
			}
			out[i].Items = append(out[i].Items, item)
		}
	}
	return out
}
