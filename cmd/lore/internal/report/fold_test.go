package report

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"lore/datasets"
)

// A table that is wider than the terminal stands in blocks, each with the columns that
// tell its rows apart; no cell is lost and no line is too long.
func TestFold(t *testing.T) {
	g := datasets.Grid{
		Title: "A title that is longer than the lines of this terminal",
		Head:  []string{"retriever", "generator", "Coverage", "Citation", "Joint", "n"},
		Rows: [][]string{
			{"bm25", "a", "94.4 [88.9, 100.0]", "86.7", "97.8", "2"},
			{"bm25", "b", "4.4 [1.9, 10.0]", "6.7", "7.8", "2"},
		},
		Note: "in percent",
	}
	var buf bytes.Buffer
	textIn(&buf, g, 45)
	want := `A title that is longer than the lines of this
terminal
retriever  generator            Coverage
bm25       a          94.4 [88.9, 100.0]
bm25       b             4.4 [1.9, 10.0]

retriever  generator  Citation  Joint  n
bm25       a              86.7   97.8  2
bm25       b               6.7    7.8  2
in percent
`
	if d := cmp.Diff(want, buf.String()); d != "" {
		t.Error(d)
	}

	var wide, narrow bytes.Buffer
	textIn(&wide, g, 0)
	if line := strings.Split(wide.String(), "\n")[1]; line != "retriever  generator            Coverage  Citation  Joint  n" {
		t.Errorf("%q", line)
	}
	textIn(&narrow, g, 30) // the keys alone take more than half: rows are numbered
	if !strings.Contains(narrow.String(), "\n#  retriever  generator\n1  bm25       a\n") {
		t.Errorf("%s", narrow.String())
	}
}

// A column of words is wrapped in its place where that is enough.
func TestWideColumnOfWords(t *testing.T) {
	g := datasets.Grid{
		Head: []string{"model", "texts", "settings"},
		Rows: [][]string{{"enc", "12", "mean pooling; cosine; 64 tokens; long texts: mean; and one word more"}},
	}
	var buf bytes.Buffer
	textIn(&buf, g, 46)
	want := `model  texts  settings
enc       12  mean pooling; cosine; 64 tokens;
              long texts: mean; and one word
              more
`
	if d := cmp.Diff(want, buf.String()); d != "" {
		t.Error(d)
	}
}

func FuzzFold(f *testing.F) {
	f.Add("a|b c d|1|2", 10)
	f.Add("retriever|generator with a name|94.4 [1, 2]|–", 24)
	f.Fuzz(func(t *testing.T, row string, most int) {
		cells := strings.Split(strings.ToValidUTF8(row, ""), "|")
		if most < 12 || most > 200 || len(cells) > 20 {
			return
		}
		g := datasets.Grid{Rows: [][]string{cells}}
		for i := range cells {
			g.Head = append(g.Head, fmt.Sprint("c", i))
		}

		var buf bytes.Buffer
		textIn(&buf, g, most)
		plain := !strings.ContainsAny(row, "\n\t")
		for _, line := range strings.Split(buf.String(), "\n") {
			if plain && utf8.RuneCountInString(line) > most {
				t.Errorf("%q has more than %d letters", line, most)
			}
		}
		for i := range cells {
			if !strings.Contains(buf.String(), fmt.Sprint("c", i)) {
				t.Errorf("column %d is lost", i)
			}
		}
	})
}

// A caption has no full stop without a title, and one mark at a title's end.
func TestCaption(t *testing.T) {
	for _, c := range []struct{ title, note, want string }{
		{"", "[low, high]: x.", `\caption{[low, high]: x.}`},
		{"Systems", "in percent", `\caption{Systems. in percent}`},
		{"Can they be believed?", "No.", `\caption{Can they be believed? No.}`},
		{"Systems", "", `\caption{Systems.}`},
		{"", "", ""},
	} {
		var buf bytes.Buffer
		LaTeX(&buf, datasets.Grid{Title: c.title, Note: c.note, Head: []string{"a"}, Rows: [][]string{{"1"}}})
		got := ""
		for _, line := range strings.Split(buf.String(), "\n") {
			if strings.HasPrefix(line, `\caption`) {
				got = line
			}
		}
		if got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
