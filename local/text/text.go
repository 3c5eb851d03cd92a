// Package text cuts texts into sentences, words and stemmed content words, and tells their
// language. The extractive generator, the lexical judge and the keyword baseline share it,
// so that they mean the same by a word. Its functions are those of English; a Language has
// the same for its own texts.
//
// Only package index imports Bleve, and its analysers throw function words and places away,
// which a judge needs. So this package has the parts they are made of: the same lists of
// function words, and the module of Snowball stemmers that Bleve uses.
package text

import (
	"strings"
	"unicode"
	"unicode/utf8"

	porterstemmer "github.com/blevesearch/go-porterstemmer"
)

// Words returns the lower-cased words of s: runs of letters and digits, with
// inner apostrophes dropped and inner points and commas kept between digits
// ("1,025" is the word "1025", "2.5" stays "2.5").
func Words(s string) []string { return English.Words(s) }

// Words returns the words of s as the function Words does. In languages with a decimal comma
// "1.025" is the word "1025" and "2,5" is "2.5"; where an apostrophe joins two words, as in
// "l'eau", they are two.
func (l *Language) Words(s string) []string {
	var out []string
	var buf []byte
	l.eachWord(s, &buf, func(w []byte, _, _ int) { out = append(out, string(w)) })
	return out
}

// marks belong to the letter before them: accents, and the vowel signs of Indian scripts.
var marks = []*unicode.RangeTable{unicode.Mn, unicode.Mc}

// eachWord hands every word of s to f, with the place where it stands; the bytes are valid
// until f returns.
func (l *Language) eachWord(s string, buf *[]byte, f func(word []byte, from, to int)) {
	b := (*buf)[:0]
	from, end, prev := 0, 0, rune(0)
	flush := func() {
		if len(b) > 0 {
			f(b, from, end)
			b = b[:0]
		}
	}

	for i := 0; i < len(s); {
		r, size := rune(s[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(s[i:])
		}
		if r >= firstGram {
			if n := gramOf(r); n > 0 {
				flush()
				i = eachGram(s, i, n, f)
				prev = 0
				continue
			}
		}

		switch {
		case r < utf8.RuneSelf && (r >= 'a' && r <= 'z' || r >= '0' && r <= '9'):
			from = start(b, from, i)
			b, end = append(b, byte(r)), i+1
		case r >= 'A' && r <= 'Z':
			from, end = start(b, from, i), i+1
			if r == 'I' && l.apostrophe == suffixed { // Turkish has an i without a dot
				b = append(b, "ı"...)
			} else {
				b = append(b, byte(r)+'a'-'A')
			}
		case r >= utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.In(r, marks...)):
			from = start(b, from, i)
			b, end = utf8.AppendRune(b, unicode.ToLower(r)), i+size
		case r >= zeroWidthNonJoiner && r <= zeroWidthJoiner && prev >= firstIndian && prev <= lastIndian:
			// It only says how letters are drawn.
		case (r == '\'' || r == '’') && unicode.IsLetter(prev): // it's, CEO’s
			if next, _ := utf8.DecodeRuneInString(s[i+size:]); !unicode.IsLetter(next) || l.apostrophe != inner {
				flush()
			}
			if l.apostrophe == suffixed {
				i += letters(s[i+size:])
			}
		case (r == '.' || r == ',') && unicode.IsDigit(prev) && startsWithDigit(s[i+1:]):
			if l.decimal(r, s[i+1:]) {
				b = append(b, '.')
			}
		default:
			flush()
		}
		prev = r
		i += size
	}

	flush()
	*buf = b[:0]
}

// What an apostrophe between letters is.
const (
	inner    apostrophe = iota // a part of the word, and dropped: it's
	elided                     // the end of a word: l'eau
	suffixed                   // the end of a word, with a suffix behind it: Ankara'nın
)

type apostrophe int

// Signs without width, and the scripts of India, in which they stand inside words.
const (
	zeroWidthNonJoiner = '\u200c'
	zeroWidthJoiner    = '\u200d'
	firstIndian        = '\u0900'
	lastIndian         = '\u0dff'
)

// letters is the number of bytes of the letters that s begins with.
func letters(s string) int {
	return len(s) - len(strings.TrimLeftFunc(s, unicode.IsLetter))
}

// decimal tells whether a mark between digits is the decimal mark, and not one of thousands.
// In languages with a decimal comma a point before three digits is the latter.
func (l *Language) decimal(mark rune, behind string) bool {
	if l.point || mark == ',' {
		return (mark == '.') == l.point
	}
	digits := len(behind) - len(strings.TrimLeft(behind, "0123456789"))
	return digits != 3
}

// start is where a word begins: here, if it has no letters yet.
func start(word []byte, from, here int) int {
	if len(word) == 0 {
		return here
	}
	return from
}

func startsWithDigit(s string) bool { return s != "" && s[0] >= '0' && s[0] <= '9' }

// Terms returns the stemmed content words of s, in order, with repeats: Words
// without stop words, each reduced by Porter's stemmer. Words with digits stay
// as they are.
func Terms(s string) []string { return English.Terms(s) }

// Terms returns the stemmed content words of s, as the function Terms does.
func (l *Language) Terms(s string) []string {
	var out []string
	var buf []byte
	l.eachWord(s, &buf, func(w []byte, _, _ int) {
		if !l.IsStop(string(w)) {
			out = append(out, l.Stem(string(w)))
		}
	})
	return out
}

// Stemmer gives the terms of many texts. It remembers the stems of a bounded
// number of words of each language, because texts repeat theirs. It is not safe for
// concurrent use.
type Stemmer struct {
	buf   []byte
	of    *Language
	seen  []remembered // of its words
	known map[*Language][]remembered
}

type remembered struct {
	word, term string
	stop       bool
}

// rememberedWords is the number of words remembered.
const rememberedWords = 1 << 13

// NewStemmer returns a Stemmer that remembers nothing yet.
func NewStemmer() *Stemmer {
	st := &Stemmer{known: map[*Language][]remembered{}}
	st.Use(English)
	return st
}

// Use sets the language of the texts that follow. A new Stemmer takes them for English.
func (st *Stemmer) Use(l *Language) {
	if st.known[l] == nil {
		st.known[l] = make([]remembered, rememberedWords)
	}
	st.of, st.seen = l, st.known[l]
}

// Language is that of the texts.
func (st *Stemmer) Language() *Language { return st.of }

// Token is a word of a text and where it stands. Term is its stem, or the lower-cased word
// where it is a function word.
type Token struct {
	Term     string
	Stop     bool // it is a function word
	From, To int  // its bytes
}

// Tokens hands all words of a text to f, function words too.
func (st *Stemmer) Tokens(s string, f func(Token)) {
	st.of.eachWord(s, &st.buf, func(w []byte, from, to int) {
		h := uint32(2166136261) // FNV-1a
		for _, c := range w {
			h = (h ^ uint32(c)) * 16777619
		}

		slot := &st.seen[h%rememberedWords]
		if slot.word != string(w) {
			word := string(w)
			*slot = remembered{word: word, term: word, stop: st.of.IsStop(word)}
			if !slot.stop {
				slot.term = st.of.Stem(word)
			}
		}
		f(Token{Term: slot.term, Stop: slot.stop, From: from, To: to})
	})
}

// Terms hands the terms of a text to f; see the function Terms.
func (st *Stemmer) Terms(s string, f func(term string)) {
	st.Tokens(s, func(t Token) {
		if !t.Stop {
			f(t.Term)
		}
	})
}

// Stem reduces one lower-case word by Porter's algorithm (M. F. Porter, 1980).
// Words with a digit and words shorter than three letters are returned as given.
func Stem(w string) string {
	if len(w) < 3 || strings.ContainsAny(w, "0123456789") {
		return w
	}
	return porterstemmer.StemString(w)
}

// IsStop reports whether a lower-case word is an English function word.
func IsStop(w string) bool { return stop[w] }

var stop = func() map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(`
a about above across after again against all almost also although always am among an and another any anyone
anything are aren arent around as at be became because been before being below between both but by can cannot
cant could couldnt did didnt do does doesnt doing don done dont down during each either else ever every few for
from further get gets got had hadnt has hasnt have havent having he her here hers herself him himself his how
however i if im in into is isnt it its itself ive just let like made make makes making many may me might more
most much must my myself near neither no nor not of off often on once one only onto or other others our ours
ourselves out over own per perhaps quite rather really same she should shouldnt since so some someone something
still such than that thats the their theirs them themselves then there thereby therefore these they theyre this
those though through thus to too toward towards under until up upon us very was wasnt we well were werent what
whatever when where whether which while who whole whom whose why will with within without wont would wouldnt yet
you your yours yourself yourselves s t d ll m re ve`) {
		m[w] = true
	}
	return m
}()

// Overlap is the share of the content words of two texts together that both have, in
// [0,1] (Jaccard); 1 where neither has any.
func Overlap(a, b string) float64 {
	in := map[string]int{} // 1: in a, 2: in b, 3: in both
	for _, t := range Terms(a) {
		in[t] |= 1
	}
	for _, t := range Terms(b) {
		in[t] |= 2
	}

	common := 0
	for _, where := range in {
		if where == 3 {
			common++
		}
	}
	if len(in) == 0 {
		return 1
	}
	return float64(common) / float64(len(in))
}
