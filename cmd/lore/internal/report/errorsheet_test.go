package report

import (
	"bytes"
	"strings"
	"testing"

	"lore/cmd/lore/internal/store"
	"lore/datasets"
	"lore/judge"
	"lore/local"
)

func sheetRun() Run {
	var r Run
	for _, g := range []string{"a", "b"} {
		sys := datasets.System{Retriever: "bm25", Generator: g}
		for _, item := range []string{"1", "2", "3"} {
			r.Answers = append(r.Answers, store.Answer{System: sys, Item: item, Title: "Q" + item, Outcome: local.OK, Text: g + " text, \"quoted\"\nand =cut", Shown: "c"})
			r.Verdicts = append(r.Verdicts, store.TaskVerdicts{Judged: datasets.Judged{System: sys}, Item: item, Questions: []judge.Question{{ID: "r", Text: "reference"}, {ID: "c", Text: "reference"}}})
		}
	}
	return r
}

// A sheet has its share of each system and names none, reads back, and counts marks.
func TestErrorSheet(t *testing.T) {
	r := sheetRun()
	long := strings.Repeat("word ", 10_000) // more than a cell holds
	var b bytes.Buffer
	n, err := ErrorSheet(&b, r, map[string]string{"c": long}, 4, 1, false)
	if err != nil || n != 4 || strings.Count(b.String(), "a text") != 2 || strings.Count(b.String(), "b text") != 2 {
		t.Fatalf("%d rows, %v:\n%s", n, err, b.String())
	}
	if strings.Contains(b.String(), "bm25") {
		t.Error("the sheet names a system")
	}
	if strings.Count(b.String(), ",reference,") != 4 || !strings.Contains(b.String(), `"documents, part 2"`) ||
		strings.Count(b.String(), "word ") != 4*10_000 {
		t.Errorf("references, or documents in full:\n%.300s", b.String())
	}
	if g, err := ErrorTable("sheet.csv", b.Bytes(), r); err == nil || !strings.Contains(err.Error(), "no row of the sheet is marked") {
		t.Errorf("unmarked: %+v, %v", g, err)
	}

	marked := strings.Replace(b.String(), ",,,,,,,\n", ",1,0,,,,x,\n", 1)
	g, err := ErrorTable("sheet.csv", []byte(marked), r)
	if err != nil || len(g.Rows) != 1 || !strings.Contains(g.Note, "3 rows of the sheet are not marked") || !strings.HasPrefix(g.Rows[0][1], "100 ") || !strings.HasPrefix(g.Rows[0][2], "0 ") || !strings.HasPrefix(g.Rows[0][6], "100 ") || !strings.HasPrefix(g.Rows[0][7], "0 ") || g.Rows[0][8] != "1" {
		t.Errorf("marked: %+v, %v", g, err)
	}
}

// The same answer of two systems is marked once, and counts for both.
func TestErrorSheetAsksOnce(t *testing.T) {
	r := sheetRun()
	for i := range r.Answers {
		r.Answers[i].Text = "same"
	}
	var b bytes.Buffer
	n, err := ErrorSheet(&b, r, nil, 6, 1, true)
	if err != nil || n != 3 {
		t.Fatal(n, err)
	}
	marked := strings.ReplaceAll(b.String(), ";;;;;;;\n", ";FALSE;TRUE;;;;;\n")
	g, err := ErrorTable("sheet.csv", []byte(marked), r)
	if err != nil || len(g.Rows) != 2 || g.Rows[0][8] != "3" || g.Rows[1][8] != "3" {
		t.Errorf("%+v %v\n%s", g, err, marked)
	}
}

func FuzzErrorTable(f *testing.F) {
	r := sheetRun()
	var b bytes.Buffer
	if _, err := ErrorSheet(&b, r, nil, 2, 1, false); err != nil {
		f.Fatal(err)
	}
	f.Add(b.String())
	f.Fuzz(func(_ *testing.T, text string) { _, _ = ErrorTable("sheet.csv", []byte(text), r) })
}

// Nobody found an error in three answers: that does not show there are none. Wilson's upper end is
// z²/(3 + z²) = 56 %.
func TestNoErrorsFoundHasAnInterval(t *testing.T) {
	row := errorRow(datasets.System{Retriever: "r", Generator: "g"}, [][]float64{{0, 1, 0, 0, 0}, {0, 1, 0, 0, 0}, {0, 1, 0, 0, 0}}, 5)
	if row[1] != "0 [0, 56]" || row[2] != "100 [44, 100]" {
		t.Errorf("%v", row)
	}
}
