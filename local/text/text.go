// Package text cuts English text into sentences, words and stemmed content
// words. The extractive generator, the lexical judge and the keyword baseline
// share it, so that they mean the same by a word.
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
func Words(s string) []string {
	var out []string
	var buf []byte
	eachWord(s, &buf, func(w []byte, _, _ int) { out = append(out, string(w)) })
	return out
}

// eachWord hands every word of s to f, with the place where it stands; the bytes are valid
// until f returns.
func eachWord(s string, buf *[]byte, f func(word []byte, from, to int)) {
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
		if n := gramOf(r); n > 0 {
			flush()
			i = eachGram(s, i, n, f)
			prev = 0
			continue
		}

		switch {
		case r < utf8.RuneSelf && (r >= 'a' && r <= 'z' || r >= '0' && r <= '9'):
			from = start(b, from, i)
			b, end = append(b, byte(r)), i+1
		case r >= 'A' && r <= 'Z':
			from = start(b, from, i)
			b, end = append(b, byte(r)+'a'-'A'), i+1
		case r >= utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.Mn, r)):
			from = start(b, from, i)
			b, end = utf8.AppendRune(b, unicode.ToLower(r)), i+size
		case (r == '\'' || r == '’') && unicode.IsLetter(prev): // it's, CEO’s
			if next, _ := utf8.DecodeRuneInString(s[i+size:]); !unicode.IsLetter(next) {
				flush()
			}
		case (r == '.' || r == ',') && unicode.IsDigit(prev) && startsWithDigit(s[i+1:]):
			if r == '.' {
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
func Terms(s string) []string {
	var out []string
	var buf []byte
	eachWord(s, &buf, func(w []byte, _, _ int) {
		if !stop[string(w)] {
			out = append(out, Stem(string(w)))
		}
	})
	return out
}

// Stemmer gives the terms of many texts. It remembers the stems of a bounded
// number of words, because texts repeat theirs. It is not safe for concurrent use.
type Stemmer struct {
	buf  []byte
	seen []remembered
}

type remembered struct {
	word, term string
	stop       bool
}

// rememberedWords is the number of words remembered.
const rememberedWords = 1 << 13

// NewStemmer returns a Stemmer that remembers nothing yet.
func NewStemmer() *Stemmer { return &Stemmer{seen: make([]remembered, rememberedWords)} }

// Token is a word of a text and where it stands. Term is its stem, or the lower-cased word
// where it is a function word.
type Token struct {
	Term     string
	Stop     bool // it is a function word
	From, To int  // its bytes
}

// Tokens hands all words of a text to f, function words too.
func (st *Stemmer) Tokens(s string, f func(Token)) {
	eachWord(s, &st.buf, func(w []byte, from, to int) {
		h := uint32(2166136261) // FNV-1a
		for _, c := range w {
			h = (h ^ uint32(c)) * 16777619
		}

		slot := &st.seen[h%rememberedWords]
		if slot.word != string(w) {
			word := string(w)
			*slot = remembered{word: word, term: word, stop: stop[word]}
			if !slot.stop {
				slot.term = Stem(word)
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
