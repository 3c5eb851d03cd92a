package files

import (
	"encoding/csv"
	"errors"
	"fmt"
	"strings"
	"testing"

	"lore/local/text"
)

// No cell of a sheet is a formula to a spreadsheet, and every cell can be read back.
func TestSheetsRunNothing(t *testing.T) {
	for cell, want := range map[string]string{
		"=cmd|' /C calc'!A0": "'=cmd|' /C calc'!A0",
		"+1+A1":              "'+1+A1",
		"-SUM(A1)":           "'-SUM(A1)",
		"@x":                 "'@x",
		"\t=1":               "'\t=1",
		"＝1":                 "'＝1",
		"'=1":                "''=1",
		"- a bullet":         "'- a bullet",
		"-1.5":               "-1.5",
		"-1.5e-07":           "-1.5e-07",
		"+0.3 [-0.1, +0.7]":  "+0.3 [-0.1, +0.7]",
		"-1.2 ± 0.3":         "-1.2 ± 0.3",
		"–":                  "–",
		"'tis":               "'tis",
		"a=b":                "a=b",
		"\x1b[31mx\r\ny":     "␛[31mx\ny",
		"":                   "",
	} {
		data, err := Sheet([]string{"a", "b"}, [][]string{{cell, "x"}})
		if err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(strings.NewReader(string(data))).ReadAll()
		if err != nil || len(rows) != 2 || rows[1][0] != want {
			t.Errorf("%q: %q %v, want %q", cell, rows, err, want)
		}
	}
}

// What is written is read back as it was, but for white space around it.
func FuzzSheet(f *testing.F) {
	for _, s := range []string{"=1", "'=1", "''", "'\t", "-1.5", "a\nb", "\x1b", "\"", "＠", "+", "-", "'\t=1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, cell string) {
		data, err := Sheet([]string{"a", "b"}, [][]string{{cell, "x"}})
		if err != nil {
			t.Fatal(err)
		}
		rows := 0
		err = EachRow("f", data, []string{"a", "b"}, "", func(get func(string) string) error {
			rows++
			if want := text.Plain(cell); get("b") != "x" || strings.TrimSpace(get("a")) != strings.TrimSpace(want) {
				t.Errorf("%q was read back as %q", want, get("a"))
			}
			return nil
		})
		if err != nil || rows != 1 {
			t.Errorf("%q: %d rows, %v", cell, rows, err)
		}
	})
}

// Sheets are read as spreadsheets write them, and the line of an error is that of the file.
func TestSheetsOfSpreadsheets(t *testing.T) {
	want := "one|yes two\nlines, more|FALSE "
	for name, sheet := range map[string]string{
		"commas":      "id,text,Mark\n1,one,yes\n2,\"two\nlines, more\",FALSE\n",
		"semicolons":  "id;text;MARK\n1;one;yes\n2;\"two\nlines, more\";FALSE\n",
		"tabs":        "id\ttext\tmark\n1\tone\tyes\n2\t\"two\nlines, more\"\tFALSE\n",
		"CRLF, mark":  "\ufeffid;text;mark\r\n1;one;yes\r\n2;\"two\r\nlines, more\";FALSE\r\n;;\r\n",
		"separator":   "sep=;\r\nid;text;mark\r\n1;one;yes\r\n2;\"two\r\nlines, more\";FALSE\r\n",
		"explained":   "id (leave; as it is),text,\"mark (yes, or no)\"\n1,one,yes\n2,\"two\nlines, more\",FALSE\n",
		"all quoted":  "\"id\";\"text\";\"mark\"\n\"1\";\"one\";\"yes\"\n\"2\";\"two\nlines, more\";\"FALSE\"\n",
		"other order": "mark,id,text,more\nyes,1,one,\nFALSE,2,\"two\nlines, more\",x\n",
	} {
		got := ""
		err := EachRow("f.csv", []byte(sheet), []string{"text", "mark"}, "", func(get func(string) string) error {
			if get("text")+get("mark") != "" {
				got += get("text") + "|" + get("mark") + " "
			}
			return nil
		})
		if err != nil || got != want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
		if !HasColumn([]byte(sheet), "mark") || HasColumn([]byte(sheet), "marks") {
			t.Errorf("%s: columns", name)
		}
	}

	err := EachRow("f.csv", []byte("sep=;\na;b\n1;2\n"), []string{"a"}, "", func(func(string) string) error { return errors.New("bad") })
	if err == nil || !strings.Contains(err.Error(), "line 3") {
		t.Errorf("%v", err)
	}
}

func TestYesNo(t *testing.T) {
	for cell, want := range map[string]string{
		"yes": "yes", "YES": "yes", " Y ": "yes", "x": "yes", "X": "yes", "1": "yes", "TRUE": "yes", "True": "yes", "1.0": "yes",
		"no": "no", "N": "no", "0": "no", "FALSE": "no", "false": "no", "": "neither", "maybe": "neither", "2": "neither", "none": "neither",
	} {
		got := "neither"
		if yes, ok := YesNo(cell); ok && yes {
			got = "yes"
		} else if ok {
			got = "no"
		}
		if got != want {
			t.Errorf("%q is %s, want %s", cell, got, want)
		}
	}
}

// A form explains its columns, and keeps a text that no cell would hold in several.
func TestForm(t *testing.T) {
	long := strings.Repeat("wörter ", 10_000)
	for _, semicolons := range []bool{false, true} {
		data, err := Form([]Column{{"row", "leave as it is"}, {"text", ""}, {"mark", "yes; or no, please"}},
			[][]string{{"1", long, "yes"}, {"2", "=short", ""}}, semicolons)
		if err != nil || !strings.HasPrefix(string(data), "\ufeff") {
			t.Fatalf("%v: %.60q", err, data)
		}
		var texts []string
		err = EachRow("f", data, []string{"row", "mark"}, "", func(get func(string) string) error {
			whole := get("text")
			for n := 2; n < 5; n++ {
				if part := get(fmt.Sprintf("text, part %d", n)); part != "" {
					whole += " " + part
				}
			}
			texts = append(texts, whole)
			return nil
		})
		if err != nil || len(texts) != 2 || texts[0] != strings.TrimSpace(long) || texts[1] != "=short" {
			t.Errorf("%v: %d rows, %.40q", err, len(texts), texts)
		}
	}
	if a, b := RowID("a", "bc"), RowID("ab", "c"); a == b || len(a) != 13 || RowName(a[1:]) != a || RowName(a) != a {
		t.Errorf("%s %s", a, b)
	}
}
