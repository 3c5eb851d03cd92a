package text

import (
	"math/bits"
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// A language is told from the script first. Where several languages share it, function words
// and letters tell: each counts the more, the fewer languages have it.
const (
	kanaShare    = 0.1  // share of kana from which a text with Chinese characters is Japanese
	letterWeight = 0.3  // what a letter counts, of a function word
	lead         = 1.25 // how many times the score of English another language needs
	clearLead    = 2    // the same, with few signs
	leastSigns   = 2    // different function words or letters that say enough
	sureSigns    = 3    // the same, so that no other text is looked at
	manySigns    = 4
	loneSign     = 0.9           // score from which a single sign says enough where nothing speaks for English
	mostBytes    = 2000          // of a text that are looked at, citations apart
	mostCited    = 4 * mostBytes // the same with its citations

	// From so many words with a smaller share of English function words, a text is not English:
	// running English has near a half.
	fewWords     = 8
	englishShare = 0.2

	// From so many words with so large a share, in so few bytes, it is English without more ado.
	// Texts in Dutch and Danish, which share most words with it, have a third of that.
	plainWords = 10
	plainShare = 0.25
	fewBytes   = 250
)

// mark is a function word or a letter.
type mark struct {
	number int
	set    uint64  // the languages that have it, bits by their place among Languages
	share  float64 // 1 over their number
}

// evidence are all marks.
type evidence struct {
	words   map[string]mark
	letters map[rune]mark
	script  map[script]uint64
	marks   int // how many there are
}

var evidenceOf = sync.OnceValue(func() evidence {
	e := evidence{words: map[string]mark{}, letters: map[rune]mark{}, script: map[script]uint64{}}
	add := func(m mark, i int) mark {
		if m.set == 0 {
			m.number = e.marks
			e.marks++
		}
		m.set |= 1 << i
		m.share = 1 / float64(bits.OnesCount64(m.set))
		return m
	}

	for i, l := range Languages {
		e.script[l.script] |= 1 << i
		for w := range l.stop() {
			e.words[w] = add(e.words[w], i)
		}
		for _, r := range ownLetters[l.Code] {
			e.letters[r] = add(e.letters[r], i)
		}
	}
	for _, w := range strings.Fields(frequent) {
		e.words[w] = add(e.words[w], 0)
	}
	return e
})

// frequent are frequent words of English that say something, and so are no function words.
const frequent = `after against back city film first go good great had high house last million month months
national new number old part people play played plays please said say says school season second see show state
student students team three time two use used using way week woman won work world year years`

// Detect tells the language of a text from its beginning. A text in Latin letters is taken for
// English unless enough speaks for another language; where it has eight words and next to none
// of them is a function word, it is Unknown.
func Detect(s string) *Language {
	l, _ := Tell(s)
	return l
}

// Of is the language with a code. Where the code is empty, Auto or not known, the first text
// that says enough tells it; English where none does.
func Of(code string, texts ...string) *Language {
	if l, ok := Lookup(code); ok {
		return l
	}

	last := English
	for _, s := range texts {
		l, sure := Tell(s)
		if sure {
			return l
		}
		last = l
	}
	return last
}

// Tell does what Detect does, and reports whether the text says enough to be sure.
func Tell(s string) (l *Language, sure bool) {
	k := samples.Get().(*sample)
	defer samples.Put(k)
	s = uncited(s[:cutRune(s, mostCited)])
	if k.plainEnglish(s[:cutRune(s, fewBytes)]) {
		return English, true
	}
	k.read(s[:cutRune(s, mostBytes)])
	return k.language()
}

// cutRune is where to cut s so that at most n bytes stay, and no letter is cut.
func cutRune(s string, n int) int {
	if len(s) <= n {
		return len(s)
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return n
}

// cited is a citation in brackets, such as [3], [1, 4] or [D12]. Numbers are words, and no language's: a chain
// of them would hide how many of the others are function words.
var cited = regexp.MustCompile(`\[[\pL]{0,12}[ _#-]?\d+(?:[ ,;–-]+\d+)*\]`)

// uncited is a text without its citations.
func uncited(s string) string {
	if strings.IndexByte(s, '[') < 0 {
		return s
	}
	return cited.ReplaceAllString(s, " ")
}

// sample counts what a language is told from.
type sample struct {
	scripts map[script]int // letters
	letters int
	words   int
	score   [64]float64 // by language
	signs   [64]int     // different function words and letters of each
	known   int         // words that are function words of English
	met     []bool      // marks, by their number
	buf     []byte
}

var samples = sync.Pool{New: func() any {
	return &sample{scripts: map[script]int{}, met: make([]bool, evidenceOf().marks)}
}}

// plainEnglish tells whether a text need not be looked at more closely: most are English.
func (k *sample) plainEnglish(s string) bool {
	words, known := 0, 0
	English.eachWord(s, &k.buf, func(w []byte, _, _ int) {
		words++
		if stop[string(w)] {
			known++
		}
	})
	return words >= plainWords && float64(known) >= plainShare*float64(words)
}

func (k *sample) read(s string) {
	clear(k.scripts)
	clear(k.met)
	*k = sample{scripts: k.scripts, met: k.met, buf: k.buf}
	e := evidenceOf()

	ascii := 0
	for _, r := range s {
		switch {
		case r < utf8.RuneSelf:
			if 'a' <= r|0x20 && r|0x20 <= 'z' {
				ascii++
			}
			continue
		case unicode.IsLetter(r):
			k.scripts[scriptOf(r)]++
			k.letters++
		}
		k.count(e.letters[unicode.ToLower(r)], letterWeight)
	}
	k.scripts[latin] += ascii
	k.letters += ascii

	Unknown.eachWord(s, &k.buf, func(w []byte, _, _ int) {
		k.words++
		of := e.words[string(w)]
		k.known += int(of.set & 1)
		weight := 1.0
		if len(w) == 1 { // it may be anything
			weight = letterWeight
		}
		k.count(of, weight)
	})
}

// count adds to the score of languages.
func (k *sample) count(m mark, weight float64) {
	if m.set == 0 {
		return
	}
	fresh := 1
	if k.met[m.number] {
		fresh = 0
	}
	k.met[m.number] = true
	for of := m.set; of != 0; of &= of - 1 {
		i := bits.TrailingZeros64(of)
		k.score[i] += weight * m.share
		k.signs[i] += fresh
	}
}

// script is that of most letters. A few kana make Chinese characters Japanese.
func (k *sample) script() script {
	if float64(k.scripts[kana]) > kanaShare*float64(k.letters) {
		return kana
	}
	best := latin
	for s, n := range k.scripts {
		if n > k.scripts[best] || n == k.scripts[best] && s < best {
			best = s
		}
	}
	return best
}

func (k *sample) language() (l *Language, sure bool) {
	own := k.script()
	best := -1
	for of := evidenceOf().script[own]; of != 0; of &= of - 1 {
		if i := bits.TrailingZeros64(of); best < 0 || k.score[i] > k.score[best] {
			best = i
		}
	}

	switch {
	case best < 0:
		return Unknown, false
	case own != latin:
		return Languages[best], true
	case best > 0 && k.leads(best):
		return Languages[best], k.signs[best] >= sureSigns
	case k.words >= fewWords && float64(k.known) < englishShare*float64(k.words):
		return Unknown, false
	}
	return English, k.signs[0] >= sureSigns
}

// leads tells whether a language has enough signs, and more than English.
func (k *sample) leads(l int) bool {
	own, english := k.score[l], k.score[0]
	switch n := k.signs[l]; {
	case n >= manySigns:
		return own >= lead*english
	case n >= leastSigns:
		return own >= clearLead*english
	}
	return own >= loneSign && english == 0
}
