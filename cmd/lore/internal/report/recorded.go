package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

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

// MissingValues counts why values of recorded systems are missing, with an example: what was to be scored of an item
// once for each reason, in however many metrics.
func MissingValues(t table.Table) datasets.Grid {
	g := datasets.Grid{Title: failuresTitle, Head: []string{"system", "judge", "reason", "count", "example"}}
	for _, r := range t.Rows {
		var order []string
		count, example := map[string]int{}, map[string]string{}
		for _, it := range r.Scores {
			for _, m := range missingOf(it) {
				if count[m.Reason] == 0 {
					order, example[m.Reason] = append(order, m.Reason), strings.TrimSpace(it.Item+" "+m.Unit)
				}
				count[m.Reason]++
			}
		}
		for _, why := range order {
			g.Rows = append(g.Rows, []string{r.Recorded, r.Judge, why, fmt.Sprint(count[why]), example[why]})
			g.Mark(2, datasets.Failed)
		}
	}
	return g
}

// missingOf are an item's missing values, each unit once for a reason. A value of the whole answer is left out where
// one of its units lacks its own for the same reason.
func missingOf(it table.ItemScores) []table.Missing {
	var out []table.Missing
	ofUnit := map[string]bool{} // by reason
	for _, u := range it.Values {
		for _, m := range u.Unscored {
			if !slices.Contains(out, m) {
				out, ofUnit[m.Reason] = append(out, m), ofUnit[m.Reason] || m.Unit != ""
			}
		}
	}
	return slices.DeleteFunc(out, func(m table.Missing) bool { return m.Unit == "" && ofUnit[m.Reason] })
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
