package page

import (
	"fmt"
	"testing"

	"lore/cmd/lore/internal/report"
	"lore/cmd/lore/internal/store"
	"lore/cmd/lore/internal/table"
	"lore/datasets"
	"lore/local"
)

// pictured is a benchmark with two pictures, and one of a metric that it does not have.
type pictured struct{ bench }

func (pictured) Protocol() datasets.Protocol {
	return datasets.Protocol{Headline: "joint", Pictures: []datasets.FacetPicture{
		{Title: "By harbour", Note: "n", Facet: "harbour", Metric: "joint", Order: []string{"west", "east", "none"}, Axis: "harbour", Radar: true},
		{Title: "By moon", Facet: "moon", Metric: "joint", Axis: "moon"},
		{Title: "By wind", Facet: "wind", Metric: "joint", Axis: "wind"},
		{Title: "Unknown", Facet: "harbour", Metric: "unknown"},
	}}
}

// Two systems of which one failed in the east. West: (0.2+0.4)/2 = 0.3 and 1; east 0.6; elsewhere 0.9 and 0.5. A value
// of a part of an item does not count. All had the same moon, which is no picture, and there was no wind.
func TestPicturesByFacet(t *testing.T) {
	r := report.Run{Manifest: store.Manifest{Benchmark: "tide", DataHash: "0123456789"}}
	r.Table = table.New("tide", 1)
	item := func(n int, harbour string, values ...float64) table.ItemScores {
		return table.ItemScores{
			Item: fmt.Sprint(n), Group: "g", Facets: map[string]string{"harbour": harbour, "moon": "full"},
			Values: []table.UnitScores{
				{Metric: "joint", Values: values}, {Metric: "coverage", Units: []string{"s"}, Values: []float64{0}},
			},
		}
	}
	for name, scores := range map[string][]table.ItemScores{
		"a": {item(1, "west", 0.2), item(2, "east", 0.6), item(3, "west", 0.4), item(4, "elsewhere", 0.9)},
		"b": {item(1, "west", 1), item(2, "east"), item(4, "elsewhere", 0.5)},
	} {
		judged := datasets.Judged{System: datasets.System{Retriever: name, Generator: "g"}, Judge: "j"}
		for _, s := range scores {
			r.Answers = append(r.Answers, store.Answer{System: judged.System, Item: s.Item, Title: s.Item, Outcome: local.OK})
		}
		r.Table.Rows = append(r.Table.Rows, table.Row{Judged: judged, Items: len(scores), Scores: scores})
	}

	head := New([]Source{{Name: "a", Run: r}}, pictured{}, Words{}).Head
	if len(head.Figures.Facets) != 1 {
		t.Fatalf("%+v", head.Figures.Facets)
	}
	f := head.Figures.Facets[0]
	if f.Title != "By harbour" || !f.Radar || f.Axis != "harbour" || head.Metrics[f.Metric].Name != "joint" || len(f.Series) != 2 {
		t.Errorf("%+v", f)
	}
	for _, s := range f.Series {
		var got []string
		for i, bin := range s.Bins {
			v := "–"
			if s.Means[i] != nil {
				v = fmt.Sprint(*s.Means[i])
			}
			got = append(got, fmt.Sprintf("%s %s (%d)", bin, v, s.N[i]))
		}
		want := map[string]string{"a": "[west 0.3 (2) east 0.6 (1) elsewhere 0.9 (1)]", "b": "[west 1 (1) east – (0) elsewhere 0.5 (1)]"}
		if name := head.Systems[head.Rows[s.Row].System].Name; fmt.Sprint(got) != want[name[:1]] {
			t.Errorf("%s: %v", name, got)
		}
	}
}
