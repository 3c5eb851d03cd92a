package page

import (
	"bytes"
	"html"
	"strings"
	"testing"

	"lore/cmd/lore/internal/report"
	"lore/cmd/lore/internal/store"
	"lore/datasets"
)

// studied is the page of a study of one run.
func studied(t *testing.T, r report.Run) string {
	t.Helper()
	s := Study{Title: "Trial", Overview: datasets.Grid{Head: []string{"a"}, Rows: [][]string{{"1"}}}}
	s.Add("mine", Source{Run: r}, bench{})
	var out bytes.Buffer
	if err := s.Write(&out); err != nil {
		t.Fatal(err)
	}
	return html.UnescapeString(out.String())
}

// Every line that a screen has of the judges stands below the table of its run, and the card says in
// short what is to be doubted.
func TestStudyPageSaysWhetherJudgesCanBeBelieved(t *testing.T) {
	r := run(map[string][]float64{"a": spread(0.5, 5)}, "a")
	r.Manifest.Judges = []store.Model{{Name: "lexical"}, {Name: "nobody knows"}}
	r.Manifest.Texts = "web"
	page := studied(t, r)
	card, section, found := strings.Cut(page, `<h2 id="run-mine">`)
	if !found {
		t.Fatal(page)
	}

	lines := report.JudgeTexts(r)
	if len(lines) < 2 {
		t.Fatalf("%q", lines)
	}
	_, below, _ := strings.Cut(section, "</table>")
	for _, l := range lines {
		said, _, _ := strings.Cut(l, " see docs/")
		class := "note"
		if strings.HasPrefix(said, "Warning: ") {
			class = "warn"
		}
		if want := `<p class="` + class + `">` + strings.TrimRight(said, ",;") + `.</p>`; !strings.Contains(below, want) {
			t.Errorf("%q is not in %s", want, below)
		}
	}
	if strings.Contains(page, "docs/") {
		t.Error("who has the page alone has no documentation")
	}
	for _, j := range []string{"lexical", "nobody knows"} {
		if want := `<p class="warn">Judge ` + j + ` was not measured on such texts (coverage).</p>`; !strings.Contains(card, want) {
			t.Errorf("%q is not in %s", want, card)
		}
	}
}

// A judge that is good enough has no red line; one that is so on some texts alone is told so.
func TestDoubts(t *testing.T) {
	got := doubts([]Trust{
		{Judge: "x", Kind: "coverage", Worth: "good", Best: "good"}, {Judge: "x", Kind: "support", Worth: "fair", Best: "good"},
		{Judge: "y", Kind: "coverage", Worth: "weak", Best: "good"}, {Judge: "y", Kind: "support", Worth: "weak", Best: "fair"},
		{Judge: "z", Kind: "coverage", Worth: "useless", Best: "useless"}, {Judge: "z", Kind: "support"},
	})
	want := "Judge y agrees weakly with people on some texts (coverage, support).|Judge z is of no use (coverage).|" +
		"Judge z was not measured on such texts (support)."
	if s := strings.Join(got, "|"); s != want {
		t.Errorf("%s", s)
	}
}

// Several judges are told apart, what they agree on is said once, and so are definitions.
func TestStudyPageOfTwoJudges(t *testing.T) {
	head := Head{Headline: 1, Judges: []string{"one", "two", "three"}}
	for judge, said := range []string{"No difference.", "a is better.", "No difference."} {
		head.Answers = append(head.Answers, Answered{Metric: 1, Judge: judge, Sentences: []string{said}, Notes: []string{"Joint: a mean."}},
			Answered{Metric: 0, Judge: judge, Sentences: []string{"elsewhere"}})
	}
	var c chapter
	c.answer(head)
	if len(c.Of) != 2 || c.Of[0].Judges != "one and three" || c.Of[1].Judges != "two" || len(c.Notes) != 1 {
		t.Errorf("%+v %q", c.Of, c.Notes)
	}

	c, head.Judges, head.Answers = chapter{}, head.Judges[:1], head.Answers[:1]
	if c.answer(head); len(c.Of) != 1 || c.Of[0].Judges != "" {
		t.Errorf("one judge needs no name: %+v", c.Of)
	}
}
