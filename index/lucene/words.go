package lucene

import (
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// longestWord is how many UTF-16 units Lucene's tokeniser looks at for one word: what is longer comes in several.
const longestWord = 255

// classesText lists ranges of code points with the letters of their classes, which grammar explains.
//
//go:embed classes.txt
var classesText string

// grammar finds words in texts whose code points were replaced by their class.
type grammar struct {
	word    *regexp.Regexp
	classes []byte // of the code points below len(classes)
	ranges  []classRange
}

type classRange struct {
	first, last rune
	class       byte
}

// Classes of code points that the fast path knows.
const (
	noClass   = 'A' // is in no word
	tableSize = 0x10000
)

// theGrammar is built once.
var theGrammar = sync.OnceValue(func() *grammar {
	g := &grammar{classes: make([]byte, tableSize)}
	for i := range g.classes {
		g.classes[i] = noClass
	}

	letters := []string{""} // of each class, the first of which is noClass
	for line := range strings.Lines(classesText) {
		var properties string
		var r classRange
		if _, err := fmt.Sscanf(line, "%s %X-%X", &properties, &r.first, &r.last); err != nil {
			panic("index/lucene: classes.txt: " + line) // an embedded file, which tests read
		}

		at := slices.Index(letters, properties)
		if at < 0 {
			at = len(letters)
			letters = append(letters, properties)
		}
		r.class = noClass + byte(at)
		g.ranges = append(g.ranges, r)
		for c := r.first; c <= min(r.last, tableSize-1); c++ {
			g.classes[c] = r.class
		}
	}

	g.word = regexp.MustCompile(pattern(letters))
	g.word.Longest()
	return g
})

// class of a code point.
func (g *grammar) class(c rune) byte {
	if c < tableSize {
		return g.classes[c]
	}
	at, found := slices.BinarySearchFunc(g.ranges, c, func(r classRange, c rune) int {
		switch {
		case r.last < c:
			return -1
		case r.first > c:
			return 1
		}
		return 0
	})
	if !found {
		return noClass
	}
	return g.ranges[at].class
}

// pattern is the grammar of words over classes. letters[i] names the properties of class noClass+i:
//
//	a letter   h Hebrew letter   n digit   k Katakana   c Han   j Hiragana   s South-East Asian
//	l joins letters   u joins digits   b joins both   q '   d "   e underscore and the like
//	x extends what is before it   z zero-width joiner   v selects how an emoji is shown   p the one that shows it as picture
//	i emoji   m skin colour   f takes a skin colour   r letter of a flag   y base of a keycap   o keycap   t tag   w end of tags
//
// These are the word boundaries of UAX#29 in Unicode 9, but that Thai and its like stay whole, and that emoji are words:
// the emoji sequences of UTS#51 in Unicode 11.
func pattern(letters []string) string {
	of := func(want, not string) string {
		var set strings.Builder
		for i, l := range letters {
			if strings.ContainsAny(l, want) && (not == "" || !strings.ContainsAny(l, not)) {
				set.WriteByte(noClass + byte(i))
			}
		}
		return "[" + regexp.QuoteMeta(set.String()) + "]"
	}
	extended := func(want string) string { return "(?:" + of(want, "") + of("x", "") + "*)" }
	or := func(forms ...string) string { return "(?:" + strings.Join(forms, "|") + ")" }

	letter, digit, katakana, hebrew := extended("ah"), extended("n"), extended("k"), extended("h")
	joint := extended("e")
	run := func(unit, middle string) string { return unit + "(?:" + or(joint+"*", middle) + unit + ")*" }
	part := or(
		katakana+"(?:"+joint+"*"+katakana+")*",
		or(hebrew+or(extended("q"), extended("d")+hebrew), run(digit, extended("ubq")), run(letter, extended("lbq")))+"+",
	)
	word := joint + "*" + part + "(?:" + joint + "+" + part + ")*" + joint + "*"

	plain := of("x", "v") + "*"
	picture := or(of("z", "")+"*"+of("i", "")+plain+of("p", "")+"?", "(?:"+of("z", "")+"*"+of("f", "")+plain+")?"+of("m", "")+plain)
	emoji := picture + or("(?:"+of("z", "")+picture+")*", of("t", "")+"+"+of("w", ""))
	keycap := of("y", "") + plain + of("p", "") + "?" + of("o", "") + plain
	flag := extended("r") + extended("r")

	return "^" + or(word, emoji, keycap, flag, extended("s")+"+", extended("c"), extended("j"))
}

// Words are the words of a text as Lucene's StandardTokenizer cuts it (versions 6.2 to 10, which share a grammar since 8.0), in
// their order. Bytes that are not UTF-8 part words.
func Words(text string) []string {
	g := theGrammar()
	var out []string
	for at := 0; at < len(text); {
		if end := plainEnd(g, text, at); end > at {
			out = append(out, text[at:end])
			at = end
			continue
		}
		c, size := utf8.DecodeRuneInString(text[at:])
		if g.class(c) == noClass {
			at += size
			continue
		}
		if n := g.longest(text[at:]); n > 0 {
			out = append(out, text[at:at+n])
			at += n
		} else {
			at += size
		}
	}
	return out
}

// plainEnd is where a word of ASCII letters and digits ends, if what follows it cannot belong to it; else at.
func plainEnd(g *grammar, text string, at int) int {
	end := at
	for end < len(text) && isPlain(text[end]) {
		end++
	}
	switch {
	case end-at > longestWord:
		return at
	case end < len(text) && (text[end] >= utf8.RuneSelf || g.classes[text[end]] != noClass):
		return at
	}
	return end
}

func isPlain(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

// longest is the length in bytes of the longest word that the text begins with; 0 for none.
func (g *grammar) longest(text string) int {
	var classes [longestWord]byte
	n, units := 0, 0
	for _, c := range text {
		class := g.class(c)
		if units++; c >= tableSize {
			units++
		}
		if class == noClass || units > longestWord {
			break
		}
		classes[n] = class
		n++
	}

	found := g.word.FindIndex(classes[:n])
	if found == nil {
		return 0
	}
	size := 0
	for range found[1] {
		_, width := utf8.DecodeRuneInString(text[size:])
		size += width
	}
	return size
}
