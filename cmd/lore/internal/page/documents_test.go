package page

import (
	"slices"
	"testing"

	"lore/cmd/lore/internal/store"
)

// shownOnce is what a run was shown of the document d1: one text.
func shownOnce(text string) *store.Shown {
	return &store.Shown{
		Texts:    []store.ShownText{{Name: "t", Text: text}},
		Contexts: []store.ShownContext{{Name: "c", Passages: []store.ShownPassage{{Label: "1", Document: "d1", Text: "t"}}}},
		Items:    []store.ShownItem{{Item: "i00", Gold: map[string]float64{"d1": 1}, Holders: map[string][]string{"s": {"d1"}}}},
	}
}

// A document is one in all runs, with the longest text; each run says how much of it was shown.
// Another text, such as a summary, is shown as such.
func TestDocumentsAreTheSameInAllRuns(t *testing.T) {
	sources := make([]Source, 3)
	for i, text := range []string{"The tide", "The tide turns.", "A summary."} {
		sources[i] = Source{Name: string(rune('a' + i)), Run: run(map[string][]float64{"x": {1}}, "x"), Shown: shownOnce(text)}
	}
	p := New(sources, bench{}, Words{})
	if !slices.Equal(p.Head.Documents, []string{"d1", "d1"}) || p.Documents[0].Text != "The tide turns." || p.Documents[1].Text != "A summary." {
		t.Fatalf("documents: %+v", p.Documents)
	}

	q := p.Questions[0]
	if !slices.Equal(q.Asked[0].Holders, []int{0}) || !slices.Equal(q.Gold, []int{0}) {
		t.Errorf("held by %v, relevant %v", q.Asked[0].Holders, q.Gold)
	}
	want := []Passage{{Label: "1", Chars: 8}, {Label: "1", Chars: -1}, {Label: "1", Chars: -1, Text: 1}}
	for i, c := range q.Contexts {
		if c.Passages[0] != want[i] {
			t.Errorf("run %d was shown %+v, want %+v", i, c.Passages[0], want[i])
		}
	}
}

// Units are found in the answer though white space and marks were changed in them.
func TestUnitsAreFoundInAnswers(t *testing.T) {
	text := "Intro: see below.\n- One (doc 3)  thing.\n- Two\n  things [4]\n"
	for _, c := range []struct {
		units []string
		want  []string
	}{
		{[]string{"- One thing. [3]", "- Two things [4]"}, []string{"- One (doc 3)  thing.", "- Two\n  things [4]"}},
		{[]string{"- One thing."}, []string{"- One (doc 3)  thing."}},
		{[]string{"- Three things"}, nil},
	} {
		var got []string
		for _, p := range found(text, c.units) {
			got = append(got, text[p[0]:p[1]])
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, want %q", c.units, got, c.want)
		}
	}
}

// Places that no run can have written are left out.
func TestPlacesOfAnEditedFolder(t *testing.T) {
	at := newPlaces("aé")
	for _, p := range [][2]int{{-1, 1}, {2, 1}, {0, 9}, {0, 2}, {2, 3}} {
		if at.valid(p[0], p[1]) {
			t.Errorf("%v is taken", p)
		}
	}
	if !at.valid(1, 3) || at.of(3) != 2 || at.of(1) != 1 {
		t.Error("a place is lost")
	}
}
