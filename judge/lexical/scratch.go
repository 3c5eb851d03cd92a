package lexical

import (
	"math"
	"regexp"
	"slices"
	"sync"

	"lore/judge"
	"lore/local/text"
)

// similarFrom is the Dice coefficient of letter trigrams from which two stems count
// as similar ("finance" and "financial", "2023" and "2023s").
const similarFrom = 0.45

// citation matches bracketed document numbers, which are not content.
var citation = regexp.MustCompile(`\[[\d,;\s]*\]`)

// scratch is the working memory for one task at a time; its buffers are reused, so
// memory does not grow with the number of tasks.
type scratch struct {
	stems *text.Stemmer
	texts []string // of the units, without citations

	number map[string]int32 // of a term in this task
	terms  []string         // by number
	df     []float64        // units and statements that hold the term
	idf    []float64

	units      [][]int32 // different terms of each unit
	statements [][]int32
	member     []bool // unit × term: does the unit hold the term
	unitTotal  []float64
	spanned    []bool  // term: do the units of a span hold it
	matches    []match // statement × unit
	similar    [][]neighbour
	trigrams   []trigram
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
func (s *scratch) load(t judge.Task) {
	clear(s.number)
	s.terms, s.df = s.terms[:0], s.df[:0]
	s.texts = resize(s.texts, len(t.Units))
	s.units = resize(s.units, len(t.Units))
	s.statements = resize(s.statements, len(t.Questions))

	for i, u := range t.Units {
		s.texts[i] = citation.ReplaceAllLiteralString(u, " ")
		s.units[i] = s.read(s.units[i][:0], s.texts[i])
	}
	for i, q := range t.Questions {
		s.statements[i] = s.read(s.statements[i][:0], q.Text)
	}

	s.weigh()
	s.findSimilar()
	s.matches = resize(s.matches, len(t.Questions)*len(t.Units))
	for i := range s.statements {
		for u := range s.units {
			s.matches[i*len(s.units)+u], _ = s.compare(i, s.unit(u))
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

// read numbers the different content words of a text.
func (s *scratch) read(out []int32, words string) []int32 {
	s.stems.Terms(words, func(term string) {
		n, ok := s.number[term]
		if !ok {
			n = int32(len(s.terms))
			s.number[term] = n
			s.terms = append(s.terms, term)
			s.df = append(s.df, 0)
		}
		out = append(out, n)
	})

	slices.Sort(out)
	out = slices.Compact(out)
	for _, n := range out {
		s.df[n]++
	}
	return out
}

// weigh sets ln((N+1)/(df+0.5)) for every term, N being the number of units and
// statements, and notes which unit holds which term.
func (s *scratch) weigh() {
	n := float64(len(s.units) + len(s.statements))
	s.idf = resize(s.idf, len(s.terms))
	for i, df := range s.df {
		s.idf[i] = math.Log((n + 1) / (df + 0.5))
	}

	s.member = resize(s.member, len(s.units)*len(s.terms))
	clear(s.member)
	s.unitTotal = resize(s.unitTotal, len(s.units))
	for u, terms := range s.units {
		s.unitTotal[u] = 0
		for _, t := range terms {
			s.member[u*len(s.terms)+int(t)] = true
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

	common := make([]int16, len(s.terms)) // trigrams that a unit's term shares with this one
	var touched []int32                   // the terms that share any
	for t, in := range s.present(s.statements) {
		if !in {
			continue
		}

		own := 0
		for code := range codes(s.terms[t]) {
			own++
			for at := s.firstTrigram(code); at < len(s.trigrams) && s.trigrams[at].code == code; at++ {
				other := s.trigrams[at].term
				if common[other] == 0 {
					touched = append(touched, other)
				}
				common[other]++
			}
		}

		for _, other := range touched {
			dice := 2 * float64(common[other]) / float64(own+len(s.terms[other]))
			if int(other) != t && dice > similarFrom {
				s.similar[t] = append(s.similar[t], neighbour{other, dice})
			}
			common[other] = 0
		}
		touched = touched[:0]
	}
}

// indexTrigrams lists the trigrams of all terms of units, sorted.
func (s *scratch) indexTrigrams() {
	s.trigrams = s.trigrams[:0]
	for t, in := range s.present(s.units) {
		if in {
			for code := range codes(s.terms[t]) {
				s.trigrams = append(s.trigrams, trigram{code, int32(t)})
			}
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

// span is a unit, or several neighbours taken as one text.
type span struct {
	member  []bool  // by the number of a term: is it in there
	weight  float64 // of its different terms
	several bool
}

func (s *scratch) unit(u int) span { return span{member: s.members(u), weight: s.unitTotal[u]} }

// span takes the units from one up to another together. It is good until the next.
func (s *scratch) span(from, to int) span {
	s.spanned = resize(s.spanned, len(s.terms))
	clear(s.spanned)

	out := span{member: s.spanned, several: true}
	for _, terms := range s.units[from:to] {
		for _, t := range terms {
			if !out.member[t] { // a word of several units counts once
				out.member[t] = true
				out.weight += s.idf[t]
			}
		}
	}
	return out
}

// compare compares a statement with a span. found is the share of its weight that
// grades are read from: recall, but added word by word, which differs in the last bits.
func (s *scratch) compare(statement int, in span) (m match, found float64) {
	var total, exact, soft float64
	for _, t := range s.statements[statement] {
		w := s.idf[t]
		total += w
		if in.member[t] {
			exact += w
			found += w
			continue
		}

		share := nearest(s.similar[t], in.member)
		found += w * share
		// Different words can be similar by 1 ("10000" and "20000" are). Such a word has
		// always counted as equal in several units, but not in a single one.
		if in.several && share == 1 {
			exact += w
		} else {
			soft += w * share
		}
	}

	if total <= 0 {
		return match{}, 0
	}
	m.recall, m.exact = (exact+soft)/total, exact/total
	if in.weight > 0 {
		m.precision = exact / in.weight
	}
	return m, found / total
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

// bestWindow returns the first of the n neighbouring units that fit a statement best
// together, and its score there.
func (s *scratch) bestWindow(statement, n int, c Constants) (unit int, score float64) {
	for u := 0; u+n <= len(s.units); u++ {
		window := s.span(u, u+n)
		m, _ := s.compare(statement, window)

		siblings := 0.0
		for i := range s.statements {
			if i != statement {
				sibling, _ := s.compare(i, window)
				siblings = max(siblings, sibling.exact)
			}
		}

		if v := m.recall + c.Precision*m.precision + c.Siblings*(m.exact-siblings); v > score {
			unit, score = u, v
		}
	}
	return unit, score
}

// union is the share of a statement's weight found in all units together.
func (s *scratch) union(statement int) float64 {
	_, found := s.compare(statement, s.span(0, len(s.units)))
	return found
}

// shared lists the words of a statement that a unit holds, heaviest first, as the unit
// spells them.
func (s *scratch) shared(statement, unit int) []string {
	var ids []int32
	for _, t := range s.statements[statement] {
		if s.members(unit)[t] {
			ids = append(ids, t)
		}
	}

	slices.SortStableFunc(ids, func(a, b int32) int {
		switch {
		case s.idf[a] > s.idf[b]:
			return -1
		case s.idf[a] < s.idf[b]:
			return 1
		}
		return int(a - b)
	})

	return s.spelled(ids, s.texts[unit])
}

// spelled lists terms as they stand in a text, where each is first: a stem is no word.
func (s *scratch) spelled(ids []int32, from string) []string {
	at := make(map[int32]int, len(ids)) // places in out
	out := make([]string, len(ids))
	for i, id := range ids {
		at[id], out[i] = i, s.terms[id]
	}

	left := len(ids)
	for _, word := range text.Spellings(from) {
		s.stems.Terms(word, func(term string) {
			id, known := s.number[term]
			if i, wanted := at[id]; known && wanted {
				out[i] = word
				delete(at, id)
				left--
			}
		})
		if left == 0 {
			break
		}
	}
	return out
}
