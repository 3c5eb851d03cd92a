package report

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rivo/uniseg"

	"lore/cmd/lore/internal/store"
	"lore/cmd/lore/internal/usage"
	"lore/datasets"
)

// shown is a table as it stands on a screen; a width of 0 is a file.
func shown(g datasets.Grid, width int) string {
	var buf bytes.Buffer
	Text(usage.PrinterOn(&buf, usage.Screen{Width: width}), g)
	return buf.String()
}

// twoSystems is a table as runs have them.
func twoSystems() datasets.Grid {
	return datasets.Grid{
		Title: "A title that is longer than the lines of this terminal",
		Head:  []string{"retriever", "generator", "Coverage", "Citation", "Joint", "n", "cut, mean"},
		Rows: [][]string{
			{"bm25", "a", "94.4 [88.9, 100.0]", "86.7", "97.8", "2", "0.0"},
			{"bm25", "b", "4.4 [1.9, 10.0]", "6.7", "7.8", "2", "0.5"},
		},
		Note: "in percent, over all questions that have an answer",
	}
}

// A table that is wider than the screen stands in parts, each with the columns that tell its rows
// apart. Elsewhere it is one, however wide.
func TestFold(t *testing.T) {
	want := `A title that is longer than the lines of this
terminal
(columns, part 1 of 2)
retriever  generator            Coverage
bm25       a          94.4 [88.9, 100.0]
bm25       b             4.4 [1.9, 10.0]

(columns, part 2 of 2)
                                          cut,
retriever  generator  Citation  Joint  n  mean
bm25       a              86.7   97.8  2   0.0
bm25       b               6.7    7.8  2   0.5
in percent, over all questions that have an
answer
`
	if d := cmp.Diff(want, shown(twoSystems(), 46)); d != "" {
		t.Error(d)
	}

	want = `A title that is longer than the lines of this terminal
retriever  generator            Coverage  Citation  Joint  n  cut, mean
bm25       a          94.4 [88.9, 100.0]      86.7   97.8  2        0.0
bm25       b             4.4 [1.9, 10.0]       6.7    7.8  2        0.5
in percent, over all questions that have an answer
`
	var file bytes.Buffer
	Text(&file, twoSystems())
	for _, got := range []string{file.String(), shown(twoSystems(), 0), shown(twoSystems(), 200)} {
		if d := cmp.Diff(want, got); d != "" {
			t.Error(d)
		}
	}
}

// Where the names alone would take most of a line, rows are numbered instead.
func TestFoldByNumber(t *testing.T) {
	if got := shown(twoSystems(), 26); !strings.Contains(got, "\n#  retriever  generator\n1  bm25       a\n") {
		t.Errorf("%s", got)
	}
}

// The columns that stand in each part tell the rows apart; where none do, rows are numbered.
func TestFoldTellsRowsApart(t *testing.T) {
	g := datasets.Grid{
		Head: []string{"system", "at", "one figure", "another figure", "n"},
		Rows: [][]string{{"bm25", "3", "11.1111111111", "22.2222222222", "1"}, {"bm25", "5", "33.3333333333", "44.4444444444", "1"}},
	}
	if got := shown(g, 30); !strings.Contains(got, "\nbm25     5  33.3333333333\n\n") || !strings.Contains(got, "\nbm25     5   44.4444444444  1\n") {
		t.Errorf("%s", got)
	}
	g.Rows[1][1] = "3"
	if got := shown(g, 30); !strings.Contains(got, "\n2  ") {
		t.Errorf("%s", got)
	}
}

// A column of words is wrapped in its place where that is enough, between words.
func TestWideColumnOfWords(t *testing.T) {
	g := datasets.Grid{
		Head: []string{"model", "texts", "settings"},
		Rows: [][]string{{"enc", "12", "mean pooling; cosine; 64 tokens; long texts: mean; and one word more"}},
	}
	want := `model  texts  settings
enc       12  mean pooling; cosine; 64 tokens;
              long texts: mean; and one word
              more
`
	if d := cmp.Diff(want, shown(g, 46)); d != "" {
		t.Error(d)
	}
}

// Letters that take two cells, and pictures of several characters, stay whole and in their columns.
func TestFoldCountsCells(t *testing.T) {
	g := datasets.Grid{
		Head: []string{"system", "n"},
		Rows: [][]string{{"検索システム", "1"}, {"cafe\u0301 👩‍🔬", "22"}},
	}
	want := "system         n\n検索システム   1\ncafe\u0301 👩‍🔬       22\n"
	if d := cmp.Diff(want, shown(g, 40)); d != "" {
		t.Error(d)
	}
	g.Rows[0][0] = strings.Repeat("検索システム", 4)
	for _, l := range strings.Split(shown(g, 21), "\n") {
		if n := uniseg.StringWidth(l); n > 21 {
			t.Errorf("%q has %d cells", l, n)
		}
	}
}

// What stands out does so where styles are obeyed, and nowhere else; names cannot forge it.
func TestMarks(t *testing.T) {
	g := datasets.Grid{Head: []string{"system", "x"}, Note: "a note"}
	g.Rows = append(g.Rows, []string{"a\x1b[31mb", "1.0"})
	g.Mark(1, datasets.Best)
	g.Rows = append(g.Rows, []string{"c", "0.5"})
	g.Mark(1, datasets.Failed)

	var buf bytes.Buffer
	Text(usage.PrinterOn(&buf, usage.Screen{Width: 80, Colour: true}), g)
	want := "\x1b[1msystem\x1b[0m     \x1b[1mx\x1b[0m\n" +
		"a␛[31mb  \x1b[1;32m1.0\x1b[0m\n" +
		"c        \x1b[31m0.5\x1b[0m\n" +
		"\x1b[2ma note\x1b[0m\n"
	if got, ok := strings.CutPrefix(buf.String(), want); !ok || !strings.Contains(got, "Green: ") {
		t.Errorf("%q", buf.String())
	}
	if got := shown(g, 80); strings.Contains(got, "\x1b") || strings.Contains(got, "Green") {
		t.Errorf("%q", got)
	}

	// Marks go with their cells where rows are numbered.
	g.Head[0], g.Rows[0][0] = strings.Repeat("long", 7), "a"
	buf.Reset()
	Text(usage.PrinterOn(&buf, usage.Screen{Width: 30, Colour: true}), g)
	if !strings.Contains(buf.String(), "1  \x1b[1;32m1.0\x1b[0m\n") {
		t.Errorf("%q", buf.String())
	}
}

// The tables of runs fit every usual screen, and none of their cells is lost.
func TestTablesFit(t *testing.T) {
	for _, g := range []datasets.Grid{
		twoSystems(),
		JudgeNotes(Run{Manifest: store.Manifest{Judges: []store.Model{{Name: "lexical"}, {Name: "ollama:裁判官"}}}}),
		wideTable(3, 12), wideTable(40, 30), wideTable(1, 5),
	} {
		for _, width := range []int{60, 80, 100, 140} {
			got := shown(g, width)
			for _, line := range strings.Split(got, "\n") {
				if n := uniseg.StringWidth(line); n > width {
					t.Errorf("%q has %d cells, more than %d", line, n, width)
				}
			}
			words := map[string]bool{}
			for _, w := range strings.Fields(got) {
				words[w] = true
			}
			for _, row := range append([][]string{g.Head}, g.Rows...) {
				for word := range strings.FieldsSeq(strings.Join(row, " ")) {
					if !words[word] {
						t.Errorf("%d: %q is lost", width, word)
					}
				}
			}
		}
	}
}

// wideTable has systems with names, and figures with their intervals.
func wideTable(rows, columns int) datasets.Grid {
	g := datasets.Grid{Head: []string{"retriever", "generator", "judge"}}
	for c := range columns {
		g.Head = append(g.Head, fmt.Sprintf("metric %d, mean", c))
	}
	for r := range rows {
		row := []string{fmt.Sprintf("hybrid(bm25,dense:m%d)", r/2), fmt.Sprintf("ollama:model-%d", r%2), "lexical+ollama:judge"}
		for c := range columns {
			row = append(row, fmt.Sprintf("%d.%d [%d.0, %d.0]", r, c, r, r+c))
		}
		g.Rows = append(g.Rows, row)
	}
	return g
}

// A table of many rows is folded in no time to speak of.
func TestFoldIsQuick(t *testing.T) {
	g := wideTable(5000, 12)
	begun := time.Now()
	Text(usage.PrinterOn(io.Discard, usage.Screen{Width: 80}), g)
	if took := time.Since(begun); took > 10*time.Second {
		t.Errorf("%v", took)
	}
}

// joined are words without the spaces between them: how a text is wrapped does not matter.
func joined(s string) string { return regexp.MustCompile(`\s+`).ReplaceAllString(s, "") }

func FuzzFold(f *testing.F) {
	f.Add("a|b c d|1|2", 10)
	f.Add("retriever|generator with a name|94.4 [1, 2]|–", 24)
	f.Add("検索|システム e\u0301 👩‍🔬|\u200b|12", 17)
	f.Add("a\x1b[31m|b\nc", 30)
	f.Fuzz(func(t *testing.T, row string, most int) {
		cells := strings.Split(strings.ToValidUTF8(row, ""), "|")
		if most < 12 || most > 200 || len(cells) > 20 {
			return
		}
		g := datasets.Grid{Rows: [][]string{cells}}
		for i := range cells {
			g.Head = append(g.Head, fmt.Sprint("c", i))
		}

		got := shown(g, most)
		for _, line := range strings.Split(got, "\n") {
			if uniseg.StringWidth(line) > most {
				t.Errorf("%q has more than %d cells", line, most)
			}
		}
		if strings.Contains(got, "\x1b") {
			t.Errorf("%q steers the screen", got)
		}
		for i, c := range cells {
			if !strings.Contains(got, fmt.Sprint("c", i)) {
				t.Errorf("column %d is lost", i)
			}
			if word := usage.Line(c); len(cells) == 1 && !strings.Contains(joined(got), joined(word)) {
				t.Errorf("%q is lost in %q", word, got)
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

// Answers side by side fit the screen, and stand as they always did in a file.
func TestSideBySide(t *testing.T) {
	a := strings.Repeat("検索 and retrieval ", 12) + strings.Repeat("x", 200)
	for _, width := range []int{40, 60, 100, 140} {
		var buf bytes.Buffer
		SideBySide(usage.PrinterOn(&buf, usage.Screen{Width: width}), false, "item", "one", a, "two", "b\n"+a)
		for _, line := range strings.Split(buf.String(), "\n") {
			if n := uniseg.StringWidth(line); n > width {
				t.Errorf("%q has %d cells, more than %d", line, n, width)
			}
		}
		if n := strings.Count(buf.String(), "x"); n != 400 {
			t.Errorf("%d of 400 letters are there", n)
		}
	}
	var buf bytes.Buffer
	SideBySide(&buf, false, "item", "one", strings.Repeat("word ", 13)+strings.Repeat("y", 60), "two", "b")
	want := "\nitem\n" +
		"one                                                        | two\n" +
		"                                                           |\n" +
		"word word word word word word word word word word word     | b\n" +
		"  word word " + strings.Repeat("y", 46) + " |\n" +
		"  yyyyyyyyyyyyyy                                           |\n"
	if d := cmp.Diff(want, buf.String()); d != "" {
		t.Error(d)
	}
}
