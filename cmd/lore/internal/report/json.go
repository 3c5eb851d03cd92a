package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"lore/cmd/lore/internal/table"
	"lore/cmd/lore/internal/usage"
	"lore/datasets"
)

// JSON writes a table for programs, an object per row: shares as percentages from 0 to
// 100 with full precision, null for undefined.
func JSON(w io.Writer, t table.Table, metrics []datasets.Metric) error {
	return WriteJSON(w, TableJSON(t, metrics))
}

// TableJSON is what JSON writes.
func TableJSON(t table.Table, metrics []datasets.Metric) map[string]any {
	rows := make([]map[string]any, len(t.Rows))
	for i, r := range t.Rows {
		n, unscored := r.Counts(metrics)
		row := figuresJSON(r, metrics)
		row["retriever"], row["generator"], row["judge"] = r.Retriever, r.Generator, r.Judge
		row["n"], row["n_unscored"], row["items"], row["items_failed"] = n, unscored, r.Items, r.ItemsFailed
		row["cut"] = r.ItemsCut
		rows[i] = row
	}
	return map[string]any{
		"benchmark": t.Benchmark,
		"pooling":   t.Pooling,
		"interval":  t.Interval,
		"rows":      rows,
	}
}

// WriteJSON writes a value as all verbs write JSON: indented, with a line end.
func WriteJSON(w io.Writer, v any) error {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	err := enc.Encode(v)
	if err == nil {
		_, err = w.Write(escapeHidden(buf.Bytes()))
	}
	if err != nil {
		return fmt.Errorf("write JSON: %w", err)
	}
	return nil
}

// escapeHidden escapes what package json leaves as it is and a terminal may obey. Such
// characters stand inside texts alone.
func escapeHidden(data []byte) []byte {
	s := string(data)
	if usage.Plain(s) == s {
		return data
	}
	var b bytes.Buffer
	for _, r := range s {
		if plain := string(r); usage.Plain(plain) == plain {
			b.WriteString(plain)
		} else {
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.Bytes()
}

// figuresJSON holds a row's figures by key, in the units that are shown.
func figuresJSON(r table.Row, metrics []datasets.Metric) map[string]any {
	row := map[string]any{}
	for _, m := range metrics {
		f, ok := r.Figure(m.Name)
		if !ok {
			continue
		}

		by := factor(m)
		row[m.Name] = times(f.Value, by)
		row[m.Name+"_ci"] = []*float64{times(f.Low, by), times(f.High, by)}
		row[m.Name+"_by_item"] = times(f.ByItem, by)
		row[m.Name+"_n"] = f.N
		if f.Worst != nil {
			row[m.Name+"_bounds"] = []*float64{times(f.Worst, by), times(f.Best, by)}
		}
	}
	return row
}

// factor leads from a metric's unit to what is shown: shares are shown times 100.
func factor(m datasets.Metric) float64 {
	if m.Percent {
		return 100
	}
	return 1
}

// times multiplies what is defined.
func times(v *float64, by float64) *float64 {
	if v == nil {
		return nil
	}
	x := *v * by
	return &x
}
