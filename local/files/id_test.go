package files

import (
	"strings"
	"testing"
	"unicode"
)

// One rule for all ids: what separates fields somewhere, or cannot be seen, is in none.
func TestCheckID(t *testing.T) {
	for id, want := range map[string]string{
		"a":             "",
		"d-1/ä_日本":      "",
		"می\u200cخواهم": "",
		"":              `no "id"`,
		"a b":           "white space (U+0020)",
		"a\u00a0b":      "white space (U+00A0)",
		"a\u0085b":      "white space (U+0085)",
		"a\vb":          "white space (U+000B)",
		"a\u2028b":      "white space (U+2028)",
		"a\u3000b":      "white space (U+3000)",
		"a\x00":         "cannot be seen (U+0000)",
		"\x1b[31ma":     "cannot be seen (U+001B)",
		"a\u202eb":      "cannot be seen (U+202E)",
		"a\u200bb":      "cannot be seen (U+200B)",
		"a\xff":         "not UTF-8",
	} {
		err := CheckID(id)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", id, err, want)
		}
		if err != nil && strings.ContainsFunc(err.Error(), unicode.IsControl) {
			t.Errorf("%q stands raw in its error", id)
		}
	}
	if err := CheckName("insight id", "news 1"); err != nil {
		t.Error(err)
	}
	for _, name := range []string{"", " ", "a\nb", "a\tb", "\u00a0"} {
		if CheckName("insight id", name) == nil {
			t.Errorf("%q is a name", name)
		}
	}
}

// A file's name gives an id that can stand in a run file.
func FuzzID(f *testing.F) {
	for _, s := range []string{"a/b c.txt", "a\u0085b.md", "\u202ex.txt", " .txt", "a\x1b[2J"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		id := ID(strings.ToValidUTF8(s, ""))
		if err := CheckID(id); err != nil && id != "" {
			t.Errorf("%q gives %q: %v", s, id, err)
		}
	})
}
