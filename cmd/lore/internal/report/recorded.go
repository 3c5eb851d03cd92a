package report

import (
	"io"

	"lore/cmd/lore/internal/table"
	"lore/datasets"
)

// Recorded is the table of recorded systems, one line each.
func Recorded(t table.Table, metrics []datasets.Metric) datasets.Grid {
	g := Main(t, metrics)
	g.Head = append([]string{"system", "judge"}, g.Head[3:]...)
	for i, row := range g.Rows {
		g.Rows[i] = append([]string{t.Rows[i].Recorded, row[2]}, row[3:]...)
	}

	marks := g.Marks
	g.Marks = nil
	for at, mark := range marks {
		g.MarkAt(at.Row, at.Column-1, mark) // two columns are one
	}
	return g
}

// ScoreJSON writes recorded systems for programs, an object per system: shares as
// percentages from 0 to 100 with full precision, null for undefined.
func ScoreJSON(w io.Writer, t table.Table, metrics []datasets.Metric) error {
	systems := make([]map[string]any, len(t.Rows))
	for i, r := range t.Rows {
		n, unscored := r.Counts(metrics)
		s := figuresJSON(r, metrics)
		s["name"], s["judge"], s["retriever"], s["generator"] = r.Recorded, r.Judge, r.Retriever, r.Generator
		s["n_insights"], s["n_unscored"] = n+unscored, mostMissing(r)
		s["items"], s["items_failed"] = r.Items, r.ItemsFailed
		systems[i] = s
	}
	return WriteJSON(w, map[string]any{
		"benchmark": t.Benchmark,
		"pooling":   "insights",
		"interval":  t.Interval,
		"systems":   systems,
	})
}

// mostMissing is the largest number of missing values of any figure: an insight
// may have a coverage and yet no citation.
func mostMissing(r table.Row) int {
	n := 0
	for _, f := range r.Figures {
		n = max(n, f.NUnscored)
	}
	return n
}
