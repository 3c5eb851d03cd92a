package lexical

import (
	"strings"

	"lore/local/text"
)

// Gates multiply the score of a statement that its unit all but copies, where what is left
// says otherwise: numbers that conflict, a phrase of denial, "not" on one side, an opposite
// word, words out of order. As weights of the fit they would cost what they find; as gates
// they cost next to nothing, because people rarely write so (see docs/judges.md).
const (
	nearCopy   = 0.6 // share of the statement's content words in the unit, from which gates look
	nearlySame = 0.8 // the same, for gates that look at single words
	sameBack   = 0.7 // share of the unit's content words in the statement, for "not"

	onDenial    = 0.02
	onNumbers   = 0.1
	onName      = 0.5
	onNot       = 0.3
	onOpposite  = 0.25
	onDisorder  = 0.03
	fewWords    = 5    // words found, at least, to speak of their order
	fewInOrder  = 0.5  // share of them that stand in order, at most, in a broken order
	fewTogether = 0.3  // share of neighbouring words that are still neighbours
	mostInOrder = 0.7  // share of them that stand in order, at least, where a single word is turned round
	allWords    = 0.95 // share of words on both sides from which the words are the same
	implausible = 0.12 // share of function words with an impossible word behind them
)

// gate is what the score of a statement in a unit is multiplied by: 1 if nothing speaks
// against it.
func (s *scratch) gate(i, unit int, question string, x []float64) float64 {
	here, back := s.overlap(i, unit)
	if here < 0.4 {
		return 1
	}

	g := 1.0
	if s.denied(unit) && !s.denial().MatchString(question) {
		g *= onDenial
	}
	if here < nearCopy {
		return g
	}
	g *= s.numbersGate(i, unit)
	if here < nearlySame {
		return g
	}
	if s.disorder(i, unit, x, here >= allWords && back >= allWords) {
		g *= onDisorder
	}
	g *= s.namesGate(i, unit)
	if back >= sameBack {
		g *= s.notGate(i, unit)
	}
	if back >= nearCopy && x[inOrder]*float64(len(s.statements[i])) >= mostInOrder*s.foundCount(i, unit) {
		g *= s.oppositesGate(i, unit)
	}
	return g
}

// overlap is the share of a statement's content words, numbers aside, that the unit holds,
// and the share of the unit's that the statement holds.
func (s *scratch) overlap(i, unit int) (here, back float64) {
	member := s.members(unit)
	found, n, m := 0.0, 0.0, 0.0
	for _, t := range s.statements[i] {
		if s.digits[t] {
			continue
		}
		n++
		if member[t] {
			found++
		}
	}
	for _, t := range s.units[unit] {
		if !s.digits[t] {
			m++
		}
	}
	return found / max(1, n), found / max(1, m)
}

// denied tells whether a unit has a phrase of denial; it looks once.
func (s *scratch) denied(unit int) bool {
	if s.deniedKnown[unit] == 0 {
		s.deniedKnown[unit] = 1
		if s.denial().MatchString(s.texts[unit]) {
			s.deniedKnown[unit] = 2
		}
	}
	return s.deniedKnown[unit] == 2
}

// numbersGate looks for numbers of the statement that the unit lacks, where it has another
// number beside the same word.
func (s *scratch) numbersGate(i, unit int) float64 {
	said, words := s.said[i], s.wordsOf[unit]
	numbers, conflicts := 0.0, 0.0
	for k, w := range said {
		if !s.digits[w.term] {
			continue
		}
		numbers++
		if s.hasNumber(w.term) {
			continue
		}
		for q, other := range words {
			if s.digits[other.term] && !s.holds(i, other.term) && s.sameSlot(said, k, words, q) {
				conflicts++
				break
			}
		}
	}
	if conflicts == 0 {
		return 1
	}
	return 1 - (1-onNumbers)*min(1, 1.5*conflicts/numbers)
}

// hasNumber tells whether the text has a number, or a longer one that ends with it, as
// "2018-2019" says "2018-19".
func (s *scratch) hasNumber(term int32) bool {
	if s.inText[term] {
		return true
	}
	if len(s.terms[term]) != 2 {
		return false
	}
	for t, in := range s.inText {
		if other := s.terms[t]; in && s.digits[t] && len(other) == 4 && strings.HasSuffix(other, s.terms[term]) {
			return true
		}
	}
	return false
}

// holds tells whether a statement has a term.
func (s *scratch) holds(i int, term int32) bool { return contains(s.statements[i], term) }

// sameSlot tells whether two words have the same word before or behind them.
func (s *scratch) sameSlot(a []word, i int, b []word, j int) bool {
	before := i > 0 && j > 0 && a[i-1].term == b[j-1].term
	behind := i+1 < len(a) && j+1 < len(b) && a[i+1].term == b[j+1].term
	if before && behind {
		return true
	}
	return before && !s.stop[a[i-1].term] || behind && !s.stop[a[i+1].term] ||
		before && i == 1 && j == 1
}

// namesGate looks for names of the statement that the text lacks, where the unit has another
// beside the same word.
func (s *scratch) namesGate(i, unit int) float64 {
	said, words := s.said[i], s.wordsOf[unit]
	for k, w := range said {
		if !w.name || s.found(w.term, s.inText) >= sameName {
			continue
		}
		for q, other := range words {
			if other.name && !s.holds(i, other.term) && s.sameSlot(said, k, words, q) {
				return onName
			}
		}
	}
	return 1
}

// notGate looks for a "not" on one side.
func (s *scratch) notGate(i, unit int) float64 {
	if s.negations(s.said[i])%2 != s.negations(s.wordsOf[unit])%2 {
		return onNot
	}
	return 1
}

// oppositesGate looks for words of opposite meaning in the same slot.
func (s *scratch) oppositesGate(i, unit int) float64 {
	g := 1.0
	said, words := s.said[i], s.wordsOf[unit]
	for k, w := range said {
		poles := s.poles(w.term)
		if len(poles) == 0 || s.inWords(words, w.term) {
			continue
		}
		for q, other := range words {
			if s.sameSlot(said, k, words, q) && opposed(poles, s.poles(other.term)) && !s.inWords(said, other.term) {
				g *= onOpposite
				break
			}
		}
	}
	return g
}

func (s *scratch) inWords(words []word, term int32) bool {
	for _, w := range words {
		if w.term == term {
			return true
		}
	}
	return false
}

// negations counts words that deny.
func (s *scratch) negations(words []word) int {
	of, n := s.nots(), 0
	for _, w := range words {
		if of[s.terms[w.term]] {
			n++
		}
	}
	return n
}

func setOf(words string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(words) {
		out[w] = true
	}
	return out
}

// disorder tells whether a unit has a statement's words, but not its order, and either has
// hardly another word or reads like no sentence.
func (s *scratch) disorder(i, unit int, x []float64, same bool) bool {
	found := s.foundCount(i, unit)
	if found < fewWords || x[sequences] > fewTogether {
		return false
	}
	if x[inOrder]*float64(len(s.statements[i])) > fewInOrder*found {
		return false
	}
	return same || s.implausible(unit) >= implausible
}

func (s *scratch) foundCount(i, unit int) float64 {
	member, n := s.members(unit), 0.0
	for _, t := range s.statements[i] {
		if member[t] {
			n++
		}
	}
	return n
}

// implausible is the share of a unit's articles and prepositions with a word behind them
// that cannot stand there, or none.
func (s *scratch) implausible(unit int) float64 {
	words, in := s.wordsOf[unit], s.texts[unit]
	n, bad := 0.0, 0.0
	for k, w := range words {
		term := s.terms[w.term]
		article, preposition := articles[term], prepositions[term]
		if !article && !preposition {
			continue
		}
		n++
		end := k+1 == len(words) || strings.ContainsAny(in[w.to:max(w.to, words[k+1].from)], ".,;:!?")
		next := ""
		if !end {
			next = s.terms[words[k+1].term]
		}
		if end || article && (articles[next] || prepositions[next] || auxiliaries[next]) ||
			preposition && (auxiliaries[next] || prepositions[next]) {
			bad++
		}
	}
	return bad / max(1, n)
}

// Function words by what may not stand behind them.
var (
	articles     = setOf("a an the its their his my your our")
	prepositions = setOf("of for with from at by into on in to")
	auxiliaries  = setOf(`is are was were be been has have had can could will would may might must and or but because
although while that which who than when if then does did do`)
)

// pole is one end of an opposition.
type pole struct {
	pair  int
	upper bool
}

// opposites are words of opposite meaning, one opposition a line; a backslash goes on.
const opposites = `
increase rise grow gain raise higher high more greater up boost improve expand exceed above larger | decrease fall drop \
decline lower low less fewer down reduce reduction shrink worsen below under smaller diminish lessen cut
large bigger faster stronger better enhance strengthen accelerate most longer | small slower weaker worse slow weaken \
least shorter decrease reduce
support approve accept agree favor endorse praise | oppose reject refuse disagree criticize
allow permit enable let encourage | prevent forbid prohibit ban block discourage
before earlier early previous prior | after later late next subsequent
win won victory success succeed successful | lose lost defeat failure fail unsuccessful
first | last
include add with including | exclude remove without excluding
always everyone all every | never nobody none no
buy bought purchase | sell sold sale
open start begin launch | close end stop finish
positive good beneficial benefit advantage | negative bad harmful harm disadvantage
best maximum highest | worst minimum lowest
hot warm warmer hotter | cold cool cooler colder
easy easier simple | hard harder difficult complex
safe safer | dangerous unsafe risky
cheap cheaper inexpensive affordable | expensive costly
true correct right | false incorrect wrong
male man men boy father husband son | female woman women girl mother wife daughter
possible likely able | impossible unlikely unable
north northern | south southern
east eastern | west western
new newer young younger | old older
rich wealthy | poor
`

// polesOf are the poles that a term stands at.
var polesOf = func() map[string][]pole {
	out := map[string][]pole{}
	for n, line := range strings.Split(strings.TrimSpace(strings.ReplaceAll(opposites, "\\\n", "")), "\n") {
		upper, lower, _ := strings.Cut(line, "|")
		for k, side := range []string{upper, lower} {
			for _, w := range strings.Fields(side) {
				if !text.IsStop(w) {
					w = text.Stem(w)
				}
				out[w] = append(out[w], pole{n, k == 0})
			}
		}
	}
	return out
}()

func (s *scratch) poles(term int32) []pole { return polesOf[s.terms[term]] }

// opposed tells whether two words stand at opposite poles.
func opposed(a, b []pole) bool {
	for _, x := range a {
		for _, y := range b {
			if x.pair == y.pair && x.upper != y.upper {
				return true
			}
		}
	}
	return false
}
