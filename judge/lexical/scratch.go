package lexical

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"lore/judge"
	"lore/local/text"
)

// similarFrom is the Dice coefficient of letter trigrams from which two stems count
// as similar ("finance" and "financial", "2023" and "2023s").
const similarFrom = 0.45

// citation matches bracketed document numbers, which are not content.
var citation = regexp.MustCompile(`\[[\d,;\s]*\]`)

// longQuery is the number of words above which a query tells what it asks for piece by piece:
// then its words are not what everything has in common, and none is set aside.
const longQuery = 1000

// scratch is the working memory for one task at a time; its buffers are reused, so
// memory does not grow with the number of tasks.
type scratch struct {
	stems *text.Stemmer
	texts []string // of the units, without citations

	number map[string]int32 // of a term in this task
	terms  []string         // by number
	stop   []bool           // is the term a function word
	digits []bool           // does it have digits
	df     []float64        // units and statements that hold the term
	idf    []float64        // weight in the task
	rare   []float64        // weight in the benchmark

	wordsOf    [][]word  // of each unit, in order
	words      int       // of all units
	said       [][]word  // of each statement
	about      []word    // of the query
	units      [][]int32 // different content terms of each unit
	statements [][]int32
	asked      []bool // term: is it in the query
	member     []bool // unit × term: does the unit hold the term
	inText     []bool // term: does any unit hold it
	unitTotal  []float64
	matches    []match // statement × unit
	similar    [][]neighbour
	trigrams   []trigram
	different  []uint32 // trigrams of a term, each once
	codeCount  []int    // how many a unit's term has
	common     []int32
	touched    []int32

	scan        scan
	model       Formulas
	link        float64 // weight of precision in the choice of the unit
	x           [features]float64
	fresh       float64 // weight of a statement's words that the query lacks
	deniedKnown []byte  // of a unit: 0 not looked, 1 it denies nothing, 2 it does
}

// word is a word of a text.
type word struct {
	term     int32
	from, to int32
	name     bool // it has a capital, and does not begin a sentence
}

// match compares a statement with a unit, or with several as one.
type match struct {
	recall    float64 // share of the statement's weight found, similar words in part
	exact     float64 // the same by equal words alone
	precision float64 // share of the unit's weight that equal words account for
}

type neighbour struct {
	term int32
	dice float64
}

type trigram struct {
	code uint32
	term int32
}

var scratchPool = sync.Pool{New: func() any {
	return &scratch{stems: text.NewStemmer(), number: map[string]int32{}}
}}

// load reads a task: terms, weights, and how each statement matches each unit.
func (s *scratch) load(t judge.Task, common *statistics) {
	clear(s.number)
	s.terms, s.df = s.terms[:0], s.df[:0]
	s.stop, s.digits = s.stop[:0], s.digits[:0]
	s.texts = resize(s.texts, len(t.Units))
	s.units, s.wordsOf = resize(s.units, len(t.Units)), resize(s.wordsOf, len(t.Units))
	s.statements, s.said = resize(s.statements, len(t.Questions)), resize(s.said, len(t.Questions))

	s.words = 0
	for i, u := range t.Units {
		s.texts[i] = citation.ReplaceAllLiteralString(u, " ")
		s.wordsOf[i] = s.read(s.wordsOf[i][:0], s.texts[i])
		s.units[i] = s.content(s.units[i][:0], s.wordsOf[i])
		s.words += len(s.wordsOf[i])
	}
	for i, q := range t.Questions {
		s.said[i] = s.read(s.said[i][:0], q.Text)
		s.statements[i] = s.content(s.statements[i][:0], s.said[i])
	}
	s.about = s.read(s.about[:0], t.About)

	s.deniedKnown = resize(s.deniedKnown, len(t.Units))
	clear(s.deniedKnown)

	s.weigh(common)
	s.findSimilar()
	s.matches = resize(s.matches, len(t.Questions)*len(t.Units))
	for i := range s.statements {
		for u := range s.units {
			s.matches[i*len(s.units)+u] = s.compare(i, u)
		}
	}
}

// members tells by the number of a term whether a unit holds it.
func (s *scratch) members(unit int) []bool {
	return s.member[unit*len(s.terms) : (unit+1)*len(s.terms)]
}

func resize[T any](b []T, n int) []T {
	if cap(b) < n {
		return append(b[:cap(b)], make([]T, n-cap(b))...)
	}
	return b[:n]
}

// read numbers the words of a text.
func (s *scratch) read(out []word, in string) []word {
	last := 0 // where the word before ends
	s.stems.Tokens(in, func(t text.Token) {
		term := normal(t.Term)
		if n := len(out); n > 0 && last <= t.From {
			if joined, ok := joinNumber(in[out[n-1].from:last], in[last:t.From], term); ok {
				term, t.From = joined, int(out[n-1].from)
				out = out[:n-1]
			}
		}
		n, ok := s.number[term]
		if !ok {
			n = int32(len(s.terms))
			s.number[term] = n
			s.terms = append(s.terms, term)
			s.stop = append(s.stop, t.Stop)
			s.digits = append(s.digits, strings.ContainsAny(term, "0123456789"))
			s.df = append(s.df, 0)
		}

		first := len(out) == 0 || strings.ContainsAny(in[min(last, t.From):t.From], ".!?:\n\"“")
		capital, _ := utf8.DecodeRuneInString(in[t.From:])
		out = append(out, word{n, int32(t.From), int32(t.To), !first && !t.Stop && unicode.IsUpper(capital)})
		last = t.To
	})
	return out
}

// joinNumber joins a number that was cut by spaces: "56, 000" and "7 , 500".
func joinNumber(before, between, behind string) (joined string, ok bool) {
	if len(behind) != 3 || len(before) > 3 || len(between) < 2 || strings.TrimSpace(between) != "," {
		return "", false
	}
	if strings.Trim(before, "0123456789") != "" || strings.Trim(behind, "0123456789") != "" {
		return "", false
	}
	return before + behind, true
}

// content lists the different content words of a text, and counts them.
func (s *scratch) content(out []int32, words []word) []int32 {
	for _, w := range words {
		if !s.stop[w.term] {
			out = append(out, w.term)
		}
	}

	slices.Sort(out)
	out = slices.Compact(out)
	for _, n := range out {
		s.df[n]++
	}
	return out
}

// weigh sets ln((N+1)/(df+0.5)) for every term, N being the number of units and
// statements, and notes which unit holds which term.
func (s *scratch) weigh(common *statistics) {
	n := float64(len(s.units) + len(s.statements))
	s.idf, s.rare = resize(s.idf, len(s.terms)), resize(s.rare, len(s.terms))
	for i, df := range s.df {
		s.idf[i] = math.Log((n + 1) / (df + 0.5))
		s.rare[i] = common.weight(s.terms[i])
	}

	s.asked = resize(s.asked, len(s.terms))
	clear(s.asked)
	if len(s.about) <= longQuery {
		for _, w := range s.about {
			s.asked[w.term] = true
		}
	}

	s.member = resize(s.member, len(s.units)*len(s.terms))
	s.inText = resize(s.inText, len(s.terms))
	clear(s.member)
	clear(s.inText)
	s.unitTotal = resize(s.unitTotal, len(s.units))
	for u, terms := range s.units {
		s.unitTotal[u] = 0
		for _, t := range terms {
			s.member[u*len(s.terms)+int(t)] = true
			s.inText[t] = true
			s.unitTotal[u] += s.idf[t]
		}
	}
}

// findSimilar lists, for each term of a statement, the similar terms of units.
func (s *scratch) findSimilar() {
	s.similar = resize(s.similar, len(s.terms))
	for i := range s.similar {
		s.similar[i] = s.similar[i][:0]
	}
	s.indexTrigrams()

	s.common = resize(s.common, len(s.terms)) // different trigrams that a unit's term shares with this one
	clear(s.common)
	touched := s.touched[:0] // the terms that share any
	for t, in := range s.present(s.statements) {
		if !in {
			continue
		}

		own := s.differentCodes(s.terms[t])
		for _, code := range own {
			for at := s.firstTrigram(code); at < len(s.trigrams) && s.trigrams[at].code == code; at++ {
				other := s.trigrams[at].term
				if s.common[other] == 0 {
					touched = append(touched, other)
				}
				s.common[other]++
			}
		}

		for _, other := range touched {
			dice := 2 * float64(s.common[other]) / float64(len(own)+s.codeCount[other])
			if int(other) != t && dice > similarFrom && !(s.digits[t] || s.digits[other]) {
				s.similar[t] = append(s.similar[t], neighbour{other, dice})
			}
			s.common[other] = 0
		}
		touched = touched[:0]
	}
	s.touched = touched
}

// indexTrigrams lists the different trigrams of all terms of units, sorted.
func (s *scratch) indexTrigrams() {
	s.trigrams = s.trigrams[:0]
	s.codeCount = resize(s.codeCount, len(s.terms))
	for t, in := range s.present(s.units) {
		if !in {
			continue
		}
		codes := s.differentCodes(s.terms[t])
		s.codeCount[t] = len(codes)
		for _, code := range codes {
			s.trigrams = append(s.trigrams, trigram{code, int32(t)})
		}
	}

	slices.SortFunc(s.trigrams, func(a, b trigram) int {
		if a.code != b.code {
			if a.code < b.code {
				return -1
			}
			return 1
		}
		return int(a.term - b.term)
	})
}

// differentCodes lists the trigrams of a word, each once: "Mississippi" has some twice.
func (s *scratch) differentCodes(w string) []uint32 {
	s.different = s.different[:0]
	for code := range codes(w) {
		s.different = append(s.different, code)
	}
	slices.Sort(s.different)
	s.different = slices.Compact(s.different)
	return s.different
}

// firstTrigram is the place of the first trigram with a code, or where it would be.
func (s *scratch) firstTrigram(code uint32) int {
	at, _ := slices.BinarySearchFunc(s.trigrams, code, func(e trigram, c uint32) int {
		switch {
		case e.code < c:
			return -1
		case e.code > c:
			return 1
		}
		return 0
	})
	return at
}

func (s *scratch) present(lists [][]int32) []bool {
	out := make([]bool, len(s.terms))
	for _, terms := range lists {
		for _, t := range terms {
			out[t] = true
		}
	}
	return out
}

// codes yields the letter trigrams of a word with a mark at each end: as many as
// the word has bytes.
func codes(w string) func(func(uint32) bool) {
	return func(yield func(uint32) bool) {
		at := func(i int) uint32 {
			if i < 0 || i >= len(w) {
				return 0
			}
			return uint32(w[i])
		}

		for i := range len(w) {
			if !yield(at(i-1)<<16 | at(i)<<8 | at(i+1)) {
				return
			}
		}
	}
}

// compare compares a statement with a unit.
func (s *scratch) compare(statement, unit int) (m match) {
	member := s.members(unit)
	var total, exact, soft float64
	for _, t := range s.statements[statement] {
		w := s.idf[t]
		total += w
		if member[t] {
			exact += w
			continue
		}
		soft += w * nearest(s.similar[t], member)
	}

	if total <= 0 {
		return m
	}
	m.recall, m.exact = (exact+soft)/total, exact/total
	if weight := s.unitTotal[unit]; weight > 0 {
		m.precision = exact / weight
	}
	return m
}

// nearest is the largest similarity to a term that is a member, 0 if none is.
func nearest(similar []neighbour, member []bool) float64 {
	best := 0.0
	for _, n := range similar {
		if member[n.term] && n.dice > best {
			best = n.dice
		}
	}
	return best
}

func (s *scratch) match(statement, unit int) match { return s.matches[statement*len(s.units)+unit] }

// siblings is the best recall by equal words of any other statement in the unit.
func (s *scratch) siblings(statement, unit int) float64 {
	best := 0.0
	for i := range s.statements {
		if i != statement {
			best = max(best, s.match(i, unit).exact)
		}
	}
	return best
}

// evidence lists the words of a statement that a unit holds, as they stand there, in order.
func (s *scratch) evidence(statement, unit int) []string {
	var out []string
	seen := map[int32]bool{}
	for _, w := range s.wordsOf[unit] {
		if !s.stop[w.term] && !seen[w.term] && slices.Contains(s.statements[statement], w.term) {
			seen[w.term] = true
			out = append(out, s.texts[unit][w.from:w.to])
		}
	}
	return out
}
