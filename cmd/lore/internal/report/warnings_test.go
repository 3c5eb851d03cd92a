package report

import (
	"slices"
	"testing"

	"lore/cmd/lore/internal/table"
	"lore/datasets"
)

// Answers with more than one and a half times what was asked for, and those that a metric
// warns of, are counted once per system, whichever judges it has.
func TestWarnings(t *testing.T) {
	metrics := []datasets.Metric{
		{Name: "bullets", Title: "Bullets", Asked: "asked"}, {Name: "asked"}, {Name: "bare", Warn: "cite nothing"},
	}
	row := func(judge string, bullets ...float64) table.Row {
		r := table.Row{Judged: datasets.Judged{System: datasets.System{Retriever: "r", Generator: "g"}, Judge: judge}}
		for _, b := range bullets {
			bare := 0.0
			if b == 1 {
				bare = 1
			}
			r.Scores = append(r.Scores, table.ItemScores{Values: []table.UnitScores{
				{Metric: "bullets", Values: []float64{b}}, {Metric: "asked", Values: []float64{4}}, {Metric: "bare", Values: []float64{bare}},
			}})
		}
		r.Pool(metrics, 1)
		return r
	}

	got := Warnings(table.Table{Rows: []table.Row{row("a", 4, 6, 7), row("b", 4, 6, 7)}}, metrics)
	want := []string{"r g: 1 of 3 answers have more than 1.5 times the bullets that were asked for (on average 5.7 of 4.0)"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	got = Warnings(table.Table{Rows: []table.Row{row("a", 1, 1, 4)}}, metrics)
	if want := []string{"r g: 2 of 3 answers cite nothing"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
