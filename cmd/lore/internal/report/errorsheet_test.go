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
			r.Answers = append(r.Answers, store.Answer{System: sys, Item: item, Title: "Q" + item, Outcome: local.OK, Text: "text, \"quoted\"\nand =cut"})
			r.Verdicts = append(r.Verdicts, store.TaskVerdicts{Judged: datasets.Judged{System: sys}, Item: item, Questions: []judge.Question{{ID: "r", Text: "reference"}, {ID: "c", Text: "reference"}}})
		}
	}
	return r
}

// A sheet has its share of each system, reads back, and counts marks.
func TestErrorSheet(t *testing.T) {
	r := sheetRun()
	var b bytes.Buffer
	n, err := ErrorSheet(&b, r, 4, 1)
	if err != nil || n != 4 || strings.Count(b.String(), "\nbm25,a,") != 2 || strings.Count(b.String(), "\nbm25,b,") != 2 {
		t.Fatalf("%d rows, %v:\n%s", n, err, b.String())
	}
	if strings.Count(b.String(), "reference") != 4 {
		t.Errorf("references:\n%s", b.String())
	}
	if g, err := ErrorTable("sheet.csv", b.Bytes(), r); err == nil || !strings.Contains(err.Error(), "no row of the sheet is marked") {
		t.Errorf("unmarked: %+v, %v", g, err)
	}

	marked := strings.Replace(b.String(), ",reference,,,,,,", ",reference,1,0,,,x,", 1)
	g, err := ErrorTable("sheet.csv", []byte(marked), r)
	if err != nil || len(g.Rows) != 1 || !strings.Contains(g.Note, "3 rows of the sheet are not marked") || !strings.HasPrefix(g.Rows[0][1], "100 ") || !strings.HasPrefix(g.Rows[0][2], "0 ") || !strings.HasPrefix(g.Rows[0][5], "100 ") || !strings.HasPrefix(g.Rows[0][6], "0 ") || g.Rows[0][7] != "1" {
		t.Errorf("marked: %+v, %v", g, err)
	}
}

func FuzzErrorTable(f *testing.F) {
	r := sheetRun()
	var b bytes.Buffer
	if _, err := ErrorSheet(&b, r, 2, 1); err != nil {
		f.Fatal(err)
	}
	f.Add(b.String())
	f.Fuzz(func(_ *testing.T, text string) { _, _ = ErrorTable("sheet.csv", []byte(text), r) })
}

// Nobody found an error in three answers: that does not show there are none. Wilson's upper end is
// z²/(3 + z²) = 56 %.
func TestNoErrorsFoundHasAnInterval(t *testing.T) {
	row := errorRow(datasets.System{Retriever: "r", Generator: "g"}, [][]float64{{0, 1, 0, 0, 0}, {0, 1, 0, 0, 0}, {0, 1, 0, 0, 0}})
	if row[1] != "0 [0, 56]" || row[2] != "100 [44, 100]" {
		t.Errorf("%v", row)
	}
}
