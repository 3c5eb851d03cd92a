package cite

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

var docs = Sources{Count: 100, Named: func(name string) (int, bool) {
	switch strings.ToLower(name) {
	case "doc003", "tides, and how they turn":
		return 3, true
	case "doc017":
		return 17, true
	case "doc018":
		return 18, true
	}
	return 0, false
}}

// The same bullet in every style reads the same: text and documents.
func TestStyles(t *testing.T) {
	for _, mark := range []string{
		"[3, 17, 18]", "[3,17,18]", "[3][17][18]", "[3], [17] and [18]", "[3; 17; 18]", "[3, 17-18]", "[3, 17–18]",
		"[Document 3, Document 17, Document 18]", "[Documents 3, 17 and 18]", "[doc003; doc017; doc018]", "[doc003, 17, Doc 18]",
		"[doc003][doc017][doc018]", "[title](doc003), [title](doc017), [another title](doc018)", "([title](doc003); [x](docs/doc017.md); [18](#doc018))",
		"(3, 17, 18)", "(3, 17-18)", "(sources: doc003, doc017, doc018)", "(Documents 3, 17, and 18)", "(see doc003; doc017; doc018)",
		"³˒¹⁷˒¹⁸", "³,¹⁷⁻¹⁸", "<sup>3, 17, 18</sup>", "<sup>[3]</sup><sup>[17]</sup><sup>18</sup>", "[^3][^17][^18]", "[^a][^b]",
		"【3†source】【17†source】【18†source】", "Sources: doc003, doc017, doc018", "[Tides, and how they turn][17, 18]",
		"([3], [17], [18])", "[[3]][[17, 18]]",
	} {
		for _, line := range []string{"- Banks lent 40 % more %s", "- Banks lent 40 % more. %s", "- Banks lent 40 % more %s.", "- Banks lent 40 %% more."} {
			text := strings.Replace(line, "%s", mark, 1)
			if !strings.Contains(line, "%s") {
				text = "- Banks lent 40 % more.\n  " + mark
			}
			answer := text + "\n\n[^a]: doc003\n[^b]: Documents 17, 18\n"
			got := docs.Lines(answer)
			if len(got) != 1 || !slices.Equal(got[0].Cited, []int{3, 17, 18}) || got[0].Ignored != 0 {
				t.Errorf("%q reads as %+v", text, got)
				continue
			}
			if s := strings.TrimRight(got[0].Text, "."); s != "- Banks lent 40 % more" {
				t.Errorf("%q leaves the text %q", text, got[0].Text)
			}
			if s := strings.TrimRight(docs.Strip(answer), ".\n "); s != "- Banks lent 40 % more" {
				t.Errorf("%q is stripped to %q", text, s)
			}
		}
	}
}

// What is no citation stays in the text; numbers that look like one are counted.
func TestIgnored(t *testing.T) {
	for text, want := range map[string]string{
		"Sales rose (12) in spring":                 "[] 1",
		"Sales rose in spring (2019).":              "[] 1",
		"Sales rose in spring (3, 2019).":           "[] 2",
		"A field of 40 km² is wet.":                 "[] 0",
		"It costs 10³.":                             "[] 0",
		"The word³ goes on":                         "[] 1",
		"In the years [2019-2021] it fell":          "[] 2",
		"The years [3-5] went on":                   "[] 2",
		"He said [sic] so (about 40 %).":            "[] 0",
		"It is [x, 8]":                              "[] 1",
		"[Document 3, p. 4]":                        "[3] 0",
		"The report (Document 3) says so":           "[3] 0",
		"One [2020] and [99999999999999999999, 12]": "[0 12 2020] 0",
		"A footnote[^9] and another[^x]":            "[9] 0",
		"The tide turned (3). Then it rose.":        "[3] 0",
		"The tide turned. (3) Then it rose.":        "[3] 0",
		"[words that say it](doc003) go on":         "[3] 0",
		"":                                          "",
	} {
		got := ""
		for _, l := range docs.Lines(text) {
			got += fmt.Sprintf("%v %d", l.Cited, l.Ignored)
		}
		if got != want {
			t.Errorf("%q reads as %q, want %q", text, got, want)
		}
	}
	for in, want := range map[string]string{
		"[words that say it](doc003) go on": "words that say it go on",
		"Plain (12) and [sic]\n\n  x":       "Plain (12) and [sic]\n\n  x",
		"One [3]. Two (17).\nThree³ [4].\n": "One. Two.\nThree.\n",
	} {
		if got := docs.Strip(in); got != want {
			t.Errorf("Strip(%q) = %q, want %q", in, got, want)
		}
	}
}

func FuzzLines(f *testing.F) {
	f.Add("- a [3](doc003) (3-5) ³⁻⁵ [^a] [[4]]\n[^a]: doc017")
	f.Add("[\xff](")
	f.Fuzz(func(t *testing.T, s string) {
		for _, l := range docs.Lines(s) {
			if !slices.IsSorted(l.Cited) {
				t.Errorf("%q: %v", s, l.Cited)
			}
		}
		docs.Strip(s)
	})
}

// Marks say where in the answer each citation stands.
func TestMarksStandInTheAnswer(t *testing.T) {
	answer := "  - One [1, 3].\n\nTwo (doc 2), print(x).\n[3]\n"
	var got []string
	for _, l := range (Sources{Count: 3}).Lines(answer) {
		got = append(got, answer[l.From:l.To])
		for _, m := range l.Marks {
			got = append(got, answer[m.From:m.To])
		}
	}
	want := []string{"- One [1, 3].", "[1, 3]", "Two (doc 2), print(x).\n[3]", "(doc 2)", "[3]"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
