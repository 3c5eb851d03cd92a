package report

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode"

	"lore/datasets"
)

// hostileCells are what answers, file names and servers may say.
var hostileCells = []string{
	"a\nforged  99.9", "a\\| b", "a | b", "$\\write18{id}$", "\\input{/etc/passwd}", "<img src=x onerror=y>",
	"![x](http://evil/x.png)", "\x1b]8;;http://evil/\x07x", "\u202egnp.exe", "`x`", "~~x~~", "[1pt] x", "* x",
	"=cmd|' /C calc'!A0", "^^5cinput x", "# x\r\n- y", "\u009b2J",
}

// Whatever a cell holds, a table has a line per row and a cell per column, and runs nothing.
func TestHostileCells(t *testing.T) {
	ours := strings.NewReplacer(`\$`, "", `$\`, "", "$-$", "", "$", "") // commands of mathematics that escaping writes
	for _, cell := range hostileCells {
		g := datasets.Grid{Title: cell, Head: []string{"system", "n"}, Rows: [][]string{{cell, "1"}}, Note: cell}
		var plain, md, tex, csv bytes.Buffer
		Text(&plain, g)
		Markdown(&md, g)
		LaTeX(&tex, g)
		if err := CSV(&csv, g); err != nil {
			t.Fatal(err)
		}

		if n := strings.Count(plain.String(), "\n"); n != 4 {
			t.Errorf("%q: %d lines of text, not 4", cell, n)
		}
		if n := bars(strings.Split(md.String(), "\n")[4]); n != 3 {
			t.Errorf("%q: %d bars in a row of Markdown, not 3", cell, n)
		}
		for _, command := range []string{`\write`, `\input`, "$", "^", "\n["} {
			if strings.Contains(ours.Replace(tex.String()), command) {
				t.Errorf("%q: LaTeX holds %q", cell, command)
			}
		}
		for format, out := range map[string]string{"text": plain.String(), "md": md.String(), "tex": tex.String(), "csv": csv.String()} {
			hidden := func(r rune) bool { return unicode.IsControl(r) && r != '\n' || r == '\u202e' }
			if i := strings.IndexFunc(out, hidden); i >= 0 {
				t.Errorf("%q: %s holds %q", cell, format, out[i:i+1])
			}
		}
		if strings.Contains(csv.String(), "\n=") || strings.Contains(md.String(), "<img") || strings.Contains(md.String(), "![") {
			t.Errorf("%q runs:\n%s\n%s", cell, csv.String(), md.String())
		}
	}
}

// bars counts the bars that separate cells: those without an odd number of backslashes.
func bars(line string) int {
	n, slashes := 0, 0
	for _, r := range line {
		if r == '|' && slashes%2 == 0 {
			n++
		}
		slashes++
		if r != '\\' {
			slashes = 0
		}
	}
	return n
}

// JSON says the same, with all that cannot be seen escaped.
func TestJSONHidesNothing(t *testing.T) {
	text := strings.Join(hostileCells, "") + "\x7f ä 日"
	var b bytes.Buffer
	if err := WriteJSON(&b, text); err != nil {
		t.Fatal(err)
	}
	var back string
	if err := json.Unmarshal(b.Bytes(), &back); err != nil || back != text {
		t.Errorf("%q %v", back, err)
	}
	line := strings.TrimSuffix(b.String(), "\n")
	if strings.ContainsFunc(line, func(r rune) bool { return unicode.IsControl(r) || r == '\u202e' }) || !strings.Contains(line, "日") {
		t.Errorf("%q", line)
	}
}
