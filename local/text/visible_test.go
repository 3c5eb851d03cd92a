package text

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestPlainAndLine(t *testing.T) {
	for in, want := range map[string][2]string{
		"a b":                     {"a b", "a b"},
		"ä 日本":                    {"ä 日本", "ä 日本"},
		"\x1b[31mred\x07":         {"␛[31mred�", "␛[31mred�"},
		"\x1b]8;;http://x\x07y":   {"␛]8;;http://x�y", "␛]8;;http://x�y"},
		"\u009b2J":                {"�2J", "�2J"},
		"a\u202egnp.exe":          {"a�gnp.exe", "a�gnp.exe"},
		"\u2066x\u2069":           {"�x�", "�x�"},
		"one\r\ntwo\tthree\rfour": {"one\ntwo\tthree�four", "one␊two three�four"},
		"a\u2028b":                {"a\u2028b", "a b"},
		"\xff":                    {"�", "�"},
		"\x00\x7f":                {"��", "��"},
		"a\u200bb\ufeff\u2060":    {"a�b��", "a�b��"},
		"👨\u200d👩 می\u200cخواهم":  {"👨\u200d👩 می\u200cخواهم", "👨\u200d👩 می\u200cخواهم"},
	} {
		if got := [2]string{Plain(in), Line(in)}; got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func FuzzPlain(f *testing.F) {
	for _, s := range []string{"a", "\x1b[31m", "\r\r\n", "\xff\xfe", "\u202e", "é\n\t"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for name, out := range map[string]string{"Plain": Plain(s), "Line": Line(s)} {
			for _, r := range out {
				seen := r == '\n' || r == '\t'
				if unicode.IsControl(r) && (!seen || name == "Line") || unicode.Is(unicode.Bidi_Control, r) {
					t.Errorf("%s(%q) holds %U", name, s, r)
				}
			}
			if !utf8.ValidString(out) {
				t.Errorf("%s(%q) is not UTF-8", name, s)
			}
		}
		if once := Plain(s); Plain(once) != once || strings.Contains(Line(s), "\n") {
			t.Errorf("%q is not plain after Plain", s)
		}
	})
}
