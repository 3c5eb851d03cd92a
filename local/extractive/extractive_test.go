package extractive

import (
	"context"
	"regexp"
	"strings"
	"testing"

	"lore/local"
)

func do(t *testing.T, src local.Source) local.Reply {
	t.Helper()
	r, err := New().Do(context.Background(), local.Call{Source: &src})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

var passages = []local.Passage{
	{Label: "3", Text: "The bridge over the river Tamsel was closed in March 2019 after cracks were found. A dog barked at the passing mayor of the village all day."},
	{Label: "12", Text: "After cracks were found in March 2019, the bridge over the river Tamsel was closed. The repair of the bridge will cost 40 million crowns says the engineer."},
	{Label: "7", Text: "Engineers put the repair cost of the bridge at 40 million crowns in total. Lunch was soup with bread, apples and a small piece of cheese."},
}

func TestBulletsReportWhatRecursAndCiteIt(t *testing.T) {
	r := do(t, local.Source{Query: "What happened to the bridge?", Passages: passages, Bullets: 2})
	lines := strings.Split(strings.TrimSpace(r.Text), "\n")
	if r.Outcome != local.OK || len(lines) != 2 {
		t.Fatalf("%+v", r)
	}
	if !strings.Contains(r.Text, "[3, 12]") || !strings.Contains(r.Text, "[7, 12]") {
		t.Errorf("sources are not cited together:\n%s", r.Text)
	}
}

func TestEverySentenceIsCopied(t *testing.T) {
	cite := regexp.MustCompile(` \[[\d, ]+\]$`)
	r := do(t, local.Source{Query: "bridge repair", Passages: passages, Bullets: 5})
	all := ""
	for _, p := range passages {
		all += p.Text + "\n"
	}
	for line := range strings.Lines(r.Text) {
		s := cite.ReplaceAllString(strings.TrimPrefix(strings.TrimSpace(line), "- "), "")
		if !strings.Contains(all, s) {
			t.Errorf("%q is in no passage", s)
		}
	}
}

func TestProseKeepsItsLimit(t *testing.T) {
	r := do(t, local.Source{Query: "bridge", Passages: passages, Words: 20})
	if n := len(strings.Fields(r.Text)); r.Outcome != local.OK || n == 0 || n > 20 {
		t.Errorf("%d words: %q", n, r.Text)
	}
}

func TestNothingToCopyIsEmptyNotText(t *testing.T) {
	for _, src := range []local.Source{{Query: "q", Bullets: 3}, {Query: "q", Bullets: 3, Passages: []local.Passage{{Label: "1", Text: " \n"}}}} {
		if r := do(t, src); r.Outcome != local.Empty || r.Text != "" {
			t.Errorf("%+v", r)
		}
	}
	if r, _ := New().Do(context.Background(), local.Call{}); r.Outcome != local.RefusedOption {
		t.Errorf("a conversation gave %s", r.Outcome)
	}
}

func TestEqualInputGivesEqualBytes(t *testing.T) {
	src := local.Source{Query: "bridge", Passages: passages, Bullets: 4}
	first := do(t, src).Text
	for range 20 {
		if again := do(t, src).Text; again != first {
			t.Fatalf("%q and %q", first, again)
		}
	}
}

func TestHostileTextBecomesOneBullet(t *testing.T) {
	r := do(t, local.Source{Query: "x", Bullets: 1, Passages: []local.Passage{{Label: "1", Text: "See [99] and alpha beta gamma delta epsilon zeta \xff bytes here"}}})
	if strings.Count(r.Text, "[") != 1 || strings.Count(r.Text, "\n") != 1 {
		t.Errorf("%q", r.Text)
	}
}
