package tokens

import (
	"strings"
	"testing"
	"unicode"
)

func TestLeast(t *testing.T) {
	for text, want := range map[string]int{
		"":                0,
		" \n\t\v\f\r":     0,
		"one two\nthree":  3,
		"a\u00a0b\u0085c": 3,
		"naïve — Größe":   3,
		"水曜日に雨が降った":       2,
		"Der 水曜日に雨 fiel":  3,
		"แม่น้ำไหลผ่านเมือง and on": 6,
	} {
		if got := Least(text); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}

// No text has fewer tokens by the tokeniser at hand, and white space is what unicode says.
func FuzzLeast(f *testing.F) {
	for _, s := range []string{"one two", "水曜日に雨", "a\u2003b", "\xff\xfe x", strings.Repeat("ab ", 50)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		least := Least(text)
		if n := Count(strings.ToValidUTF8(text, "\ufffd")); n < least {
			t.Errorf("%q: at least %d tokens, but the tokeniser counts %d", text, least, n)
		}
		if fields := len(strings.FieldsFunc(text, unicode.IsSpace)); least > fields+len(text)/4 {
			t.Errorf("%q: %d", text, least)
		}
	})
}
