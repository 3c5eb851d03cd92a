package cite

import (
	"reflect"
	"regexp"
	"strings"
	"testing"
)

// A pattern tried where it may begin finds and writes what a search of the whole text does.
func FuzzStarting(f *testing.F) {
	for _, s := range []string{
		"", "Rates rose [1, 2]. Prices fell【3】!", "a [text](doc3 \"title\") and ![image](x)", "see (Source 4)  , and <sup>5</sup> x¹²,³ .",
		"[^note] [[7]] [ ] ( ; ) wide   gap . .", "!!! ??  .\t. …  .", "broken [ 1 and ( 2", "<SUP>1</SUP>²⁻⁴ ،", "\xff[1]\xfe .", "a \u00a0[1]\n\n. [2]",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, p := range []pattern{mark, hollow, loose, doubly, wide} {
			whole := regexp.MustCompile(strings.TrimPrefix(p.re.String(), "^"))
			if got, want := p.all(s), whole.FindAllStringSubmatchIndex(s, -1); !reflect.DeepEqual(got, want) {
				t.Fatalf("%s in %q: %v, a search finds %v", whole, s, got, want)
			}
			if got, want := p.replace(s, "<$1>"), whole.ReplaceAllString(s, "<$1>"); got != want {
				t.Fatalf("%s in %q: %q, a search writes %q", whole, s, got, want)
			}
		}
	})
}

// BenchmarkStarting compares a pattern tried where it may begin with a search of the whole line.
func BenchmarkStarting(b *testing.B) {
	line := strings.Repeat("Rents in the old town rose for the third year, and the council froze them (by vote) in May", 8) + " [3, 17]."
	whole := regexp.MustCompile(strings.TrimPrefix(mark.re.String(), "^"))
	b.Run("where it may begin", func(b *testing.B) {
		for b.Loop() {
			mark.all(line)
		}
	})
	b.Run("whole line", func(b *testing.B) {
		for b.Loop() {
			whole.FindAllStringSubmatchIndex(line, -1)
		}
	})
}
