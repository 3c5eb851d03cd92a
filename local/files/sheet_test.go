package files

import (
	"encoding/csv"
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
