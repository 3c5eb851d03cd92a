package build

import (
	"testing"

	"lore/datasets/summhay"
	"lore/local/files"
	"lore/local/published"
	"lore/local/text"
)

func TestSpecific(t *testing.T) {
	for s, want := range map[string]bool{"It cost 40 crowns.": true, "The mayor, Arlen, was late.": true,
		"Nobody was late.": false, "It rained. Nobody came.": false, "I said so.": false,
		"People talked about many things for a while and then they all went home again.": false} {
		if specific(s) != want {
			t.Errorf("%q: %v", s, !want)
		}
	}
}

// What is published as an insight is particular enough.
func TestSpecificTakesPublishedInsights(t *testing.T) {
	taken, all := 0, 0
	for _, name := range []string{"topic_news1.json", "topic_news2.json"} {
		path := published.Path(t, "data/summhay/"+name)
		data, err := files.Read(path, "")
		if err != nil {
			t.Fatal(err)
		}
		f, err := summhay.Parse(path, data)
		if err != nil {
			t.Fatal(err)
		}

		for _, s := range f.Subtopics {
			for _, in := range s.Insights {
				all++
				if specific(in.Insight) {
					taken++
				} else {
					t.Log(len(text.Terms(in.Insight)), in.Insight)
				}
			}
		}
	}
	t.Logf("%d of %d", taken, all)
	if float64(taken) < 0.9*float64(all) {
		t.Error("too many are refused")
	}
}
