package report

import (
	"slices"
	"testing"

	"lore/cmd/lore/internal/store"
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

// Retrievers of which more than half of the documents were cut are named with the budget, as it was set or read back.
func TestCutWarnings(t *testing.T) {
	var r Run
	for _, a := range []struct {
		retriever  string
		cut, shown int
	}{{"full", 9, 9}, {"full", 8, 11}, {"bm25", 5, 10}, {"none", 0, 0}} {
		r.Answers = append(r.Answers, store.Answer{System: datasets.System{Retriever: a.retriever}, Cut: a.cut, Documents: make([]string, a.shown)})
	}
	for _, tokens := range []any{8000000, 8000000.0} {
		r.Manifest.Settings = map[string]any{"budget_tokens": tokens}
		want := []string{"full: 17 of 20 shown documents were cut to fit the budget of 8000000 tokens; --budget-tokens raises it"}
		if got := CutWarnings(r); !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
