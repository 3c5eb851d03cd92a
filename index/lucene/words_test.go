package lucene

import (
	"crypto/sha256"
	"fmt"
	"os"
	"strings"
	"testing"
	"unicode/utf8"
)

// surroundings are what testdata/LuceneTokens.java puts every code point into.
var surroundings = []string{
	"%s", "a%sb", "1%s2", "\u05d0%s\u05d0", "\u30ab%s\u30ab", "\u0e01%s\u0e01", "\U0001F600%s\U0001F600",
	"\u200d%s\u200d\U0001F468", "%s\U0001F3FB", "%s\u20e3", "%s%s_%s", "\U0001F1E6%s\U0001F1E7", "%s\U000E0061\U000E007F",
	"\u6f22%s\u3042%s\u6f22",
}

// Every code point is cut as Lucene 8.7 cuts it, in fourteen surroundings. The hashes are those that testdata/LuceneTokens.java
// prints; all code points take ten seconds and are done where LORE_LUCENE is set.
func TestEveryCodePoint(t *testing.T) {
	want := "ff85adc39a53ae64c12d02aeb9af5ff5ead8aafedd1df64e5f736649997d9435"
	common := os.Getenv("LORE_LUCENE") == ""
	if !common {
		want = "87f0c002d9f0a0369efdabb3e34ef13bbfce7860beae14adbd50cb5e34634c32"
	}

	hash := sha256.New()
	for c := rune(0); c <= utf8.MaxRune; c++ {
		if !utf8.ValidRune(c) || c >= 0x30000 && c < 0xE0000 || c >= 0xE1000 {
			continue
		}
		if common && c >= 0x1000 && (c < 0x1F000 || c >= 0x20000) {
			continue
		}
		for _, s := range surroundings {
			fmt.Fprintf(hash, "%x", c)
			for _, w := range Words(strings.ReplaceAll(s, "%s", string(c))) {
				fmt.Fprintf(hash, " %d", units(w))
			}
			fmt.Fprintln(hash)
		}
	}
	if got := fmt.Sprintf("%x", hash.Sum(nil)); got != want {
		t.Errorf("code points are cut otherwise than by Lucene: %s, want %s", got, want)
	}
}

// units is the length of a text in UTF-16.
func units(text string) int {
	n := 0
	for _, c := range text {
		if n++; c > 0xFFFF {
			n++
		}
	}
	return n
}

// testdata/nasty.tokens was written by Lucene 8.7 with testdata/LuceneTokens.java. LORE_LUCENE may name the
// beginning of two more such files, .txt and .out.
func TestEnglish(t *testing.T) {
	compareTokens(t, "testdata/nasty.txt", "testdata/nasty.tokens")
	if more := os.Getenv("LORE_LUCENE"); more != "" {
		compareTokens(t, more+".txt", more+".out")
	}
}

func compareTokens(t *testing.T, texts, tokens string) {
	t.Helper()
	lines, want := readLines(t, texts), readLines(t, tokens)
	if len(lines) != len(want) {
		t.Fatalf("%d lines in %s, %d in %s", len(lines), texts, len(want), tokens)
	}
	bad := 0
	for i, line := range lines {
		if got := strings.Join(English(line), "\t"); got != want[i] && bad < 10 {
			bad++
			t.Errorf("%s, line %d, %q:\n%q, want\n%q", texts, i+1, line, got, want[i])
		}
	}
}

func readLines(t *testing.T, path string) []string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
}

// Words stand in the text, in their order, and are no longer than Lucene's.
func FuzzWords(f *testing.F) {
	for _, s := range []string{"the dog's", "a.b 1,2", "漢字😀\u200d", "\xff\xfe", strings.Repeat("é", 300)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		rest := text
		for _, w := range Words(text) {
			at := strings.Index(rest, w)
			if at < 0 || w == "" || units(w) > longestWord {
				t.Fatalf("%q is not a word of %q", w, text)
			}
			rest = rest[at+len(w):]
		}
		English(text)
	})
}

func BenchmarkEnglish(b *testing.B) {
	text := strings.Repeat("The captain's ship sailed from Genoa to the islands, and nobody asked why. ", 20)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		English(text)
	}
}
