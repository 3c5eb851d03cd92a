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

// Texts in other languages are cut, compared and measured by their own rules.
func TestOtherLanguages(t *testing.T) {
	german := []local.Passage{
		{Label: "1", Text: "Die Brücke wurde am 3. Oktober wegen tiefer Risse in beiden Pfeilern gesperrt. Der Koch servierte mittags Suppe mit Brot und frischen Kräutern."},
		{Label: "2", Text: "Wegen tiefer Risse in beiden Pfeilern ist die Brücke seit Oktober gesperrt. Im Park blühten gestern gelbe und weiße Blumen am Ufer."},
	}
	r := do(t, local.Source{Query: "Warum sind Brücken gesperrt?", Passages: german, Bullets: 1, Language: Language("", german)})
	if !strings.Contains(r.Text, "Brücke") || !strings.Contains(r.Text, "[1, 2]") || !strings.Contains(r.Text, "gesperrt") {
		t.Errorf("German: %q", r.Text)
	}

	chinese := []local.Passage{
		{Label: "1", Text: "青石桥因为桥墩有很深的裂缝而关闭。今天中午厨师做了一锅好喝的汤。"},
		{Label: "2", Text: "公园里的花昨天都开了，很多人来看。桥墩有很深的裂缝，青石桥已经关闭。"},
	}
	src := local.Source{Query: "青石桥为什么关闭？", Passages: chinese, Bullets: 1, Language: Language("", chinese)}
	if r := do(t, src); !strings.Contains(r.Text, "裂缝") || !strings.Contains(r.Text, "[1, 2]") || strings.Contains(r.Text, "厨师") {
		t.Errorf("Chinese: %q", r.Text)
	}
	src.Bullets, src.Words = 0, 12 // two letters are a word
	if r := do(t, src); !strings.Contains(r.Text, "裂缝") || len([]rune(r.Text)) > 26 {
		t.Errorf("Chinese, 12 words: %q", r.Text)
	}
}

// Requests in English are what they always were, so that finished calls hold.
func TestLanguageOfARequest(t *testing.T) {
	german := []local.Passage{{Text: passages[0].Text}, {Text: "Die Brücke wurde wegen der Risse in den Pfeilern gesperrt."}}
	for _, c := range []struct {
		code string
		of   []local.Passage
		want string
	}{{"", passages, ""}, {"auto", nil, ""}, {"en", german, ""}, {"", german, "auto"}, {"de", passages, "de"}} {
		if got := Language(c.code, c.of); got != c.want {
			t.Errorf("%q: %q, want %q", c.code, got, c.want)
		}
	}
}
