package build

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"strings"
	"testing"

	"lore/datasets/summhay"
)

func smallHaystack() *summhay.File {
	f := &summhay.File{Topic: "t"}
	for s := range 3 {
		sub := summhay.Subtopic{SubtopicID: fmt.Sprintf("s%d", s+1), Name: fmt.Sprint("name", s), Subtopic: "about",
			Query: "q?"}
		for i := range 4 {
			sub.Insights = append(sub.Insights,
				summhay.Insight{InsightID: fmt.Sprintf("s%d_i%d", s+1, i+1), Insight: "insight"})
		}
		f.Subtopics = append(f.Subtopics, sub)
	}
	for d := range 5 {
		f.Documents = append(f.Documents,
			summhay.Document{DocumentID: fmt.Sprintf("d%d", d), DocumentText: "text",
				InsightsIncluded: []string{"s1_i1", fmt.Sprintf("s2_i%d", d%4+1)}})
	}
	return f
}

// Sheets ask about every insight and about drawn documents, with all that they hold and
// others beside it.
func TestSheets(t *testing.T) {
	f := smallHaystack()
	sheet, err := InsightSheet(f, 1, false)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(bytes.NewReader(sheet)).ReadAll()
	if err != nil || len(rows) != 13 {
		t.Errorf("%v, %d rows", err, len(rows))
	}
	sheet, err = DocumentSheet(f, 2, 1, false)
	if err != nil {
		t.Fatal(err)
	}
	if rows, err = csv.NewReader(bytes.NewReader(sheet)).ReadAll(); err != nil || len(rows) != 1+2*12 ||
		rows[1][1] != "text" || rows[2][1] != "text" {
		t.Errorf("%v, %d rows, %q", err, len(rows), rows[1])
	}
}

// No cell gives an answer away, and what a spreadsheet makes of a filled-in sheet is read: semicolons,
// TRUE and FALSE, marks of any kind.
func TestSheetsAreBlindAndReadBack(t *testing.T) {
	f := smallHaystack()
	for _, semicolons := range []bool{false, true} {
		insights, err := InsightSheet(f, 1, semicolons)
		if err != nil {
			t.Fatal(err)
		}
		documents, err := DocumentSheet(f, 5, 1, semicolons)
		if err != nil {
			t.Fatal(err)
		}
		for _, secret := range []string{"s1_i1", "s2_i", "_id"} {
			if bytes.Contains(insights, []byte(secret)) || bytes.Contains(documents, []byte(secret)) {
				t.Errorf("a sheet holds %q", secret)
			}
		}

		comma := ','
		if semicolons {
			comma = ';'
		}
		fill := func(sheet []byte, marks ...string) []byte {
			r := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(sheet, []byte("\ufeff"))))
			r.Comma = comma
			rows, err := r.ReadAll()
			if err != nil {
				t.Fatal(err)
			}
			for i, row := range rows[1:] {
				row[len(row)-1] = marks[i%len(marks)]
			}
			var b bytes.Buffer
			b.WriteString("\ufeff")
			w := csv.NewWriter(&b)
			w.Comma, w.UseCRLF = comma, true
			if err := w.WriteAll(rows); err != nil {
				t.Fatal(err)
			}
			return b.Bytes()
		}
		var v Validation
		if err := v.Read(f, "insights.csv", fill(insights, "2", "1;3", "")); err != nil || v.Insights != 8 || v.Open != 4 {
			t.Fatalf("%v: %+v", err, v)
		}
		if err := v.Read(f, "documents.csv", fill(documents, "TRUE", "False", "x", "NO", "1", "0")); err != nil || v.Statements != 60 || v.TP+v.FP != 30 {
			t.Fatalf("%v: %+v", err, v)
		}
		bad := v
		if err := bad.Read(f, "documents.csv", fill(documents, "maybe")); err == nil || !strings.Contains(err.Error(), `has "maybe" under present`) {
			t.Errorf("%v", err)
		}
	}
}

// What two people read is one label: by hand, of the labels that say yes d0/s1_i1 is right twice and d0/s2_i1 is wrong by
// both; on d0/s3_i1, which says no, they are divided. So 2 are read and 1 is wrong, not 4 and 2. Rows that somebody took out are counted.
func TestLabelsReadTwice(t *testing.T) {
	f := smallHaystack()
	var v Validation
	for _, marks := range [][3]string{{"yes", "no", "yes"}, {"yes", "no", "no"}} {
		rows := "document_id,insight_id,present\n" +
			"d0,s1_i1," + marks[0] + "\nd0,s2_i1," + marks[1] + "\nd0,s3_i1," + marks[2] + "\n"
		if err := v.Read(f, "d.csv", []byte(rows)); err != nil {
			t.Fatal(err)
		}
	}
	if read, wrong, divided := v.wrong(true); read != 2 || wrong != 1 || divided != 0 || v.Statements != 6 {
		t.Errorf("%d read, %d wrong, %d divided, %d answers", read, wrong, divided, v.Statements)
	}
	if read, wrong, divided := v.wrong(false); read != 0 || wrong != 0 || divided != 1 {
		t.Errorf("of what the document does not say: %d read, %d wrong, %d divided", read, wrong, divided)
	}
	_, rows := statements(f)
	if want := 2 * (rows["d0"] - 3); v.Gone != want || want <= 0 {
		t.Errorf("%d rows are gone, want %d", v.Gone, want)
	}
}

// By hand: four insights, of which one is put into two subtopics, and three of which are
// right: 25 % and 75 %. Statements: 2 hits, 1 false, 2 missed, 5 rightly absent:
// accuracy 70, precision 66.67, recall 50, F1 57.14.
func TestValidationByHand(t *testing.T) {
	f := smallHaystack()
	var v Validation
	if err := v.Read(f, "i.csv",
		[]byte("insight_id,subtopic\ns1_i1,1\ns1_i2,\"2, 1\"\ns2_i1,2\ns3_i1,1\ns3_i2,\n")); err != nil {
		t.Fatal(err)
	}
	rows := "document_id,insight_id,present\n"
	for _, r := range []string{"d0,s1_i1,yes", "d0,s2_i1,YES", "d0,s3_i1,yes", "d1,s1_i1,no", "d1,s2_i2,no",
		"d1,s3_i1,no", "d1,s3_i2,no", "d1,s3_i3,no", "d2,s3_i1,no", "d2,s3_i2,no", "d2,s3_i3,"} {
		rows += r + "\n"
	}
	if err := v.Read(f, "d.csv", []byte(rows)); err != nil {
		t.Fatal(err)
	}
	g := v.Grids()
	if fmt.Sprint(g[0].Rows, g[1].Rows) != "[[4 25.00 75.00]] [[10 70.00 66.67 50.00 57.14]]" || v.Open != 2 {
		t.Errorf("%v %v %+v", g[0].Rows, g[1].Rows, v)
	}
	for sheet, word := range map[string]string{"": "not a sheet", "a,b\n": "not a sheet",
		"insight_id,subtopic\nx,1\n": `"x"`, "insight_id,subtopic\ns1_i1,4\n": "1 to 3",
		"document_id,insight_id,present\nd9,s1_i1,yes\n":   `"d9"`,
		"document_id,insight_id,present\nd1,s1_i1,maybe\n": `"maybe"`, "document_id\n": "no column insight_id"} {
		if err := v.Read(f, "x.csv", []byte(sheet)); err == nil || !strings.Contains(err.Error(), word) {
			t.Errorf("%q: %v", sheet, err)
		}
	}
}

func FuzzValidation(f *testing.F) {
	f.Add([]byte("insight_id,subtopic\ns1_i1,1\n"))
	f.Add([]byte("document_id,insight_id,present\nd1,s1_i1,yes\n"))
	f.Fuzz(func(_ *testing.T, data []byte) {
		var v Validation
		_ = v.Read(smallHaystack(), "x", data)
		v.Grids()
	})
}
