package lexical

import (
	"math"
)

// The features of a statement and a text. Recalls and shares are in [0,1].
const (
	bestTask = iota
	bestSet
	precisionTask
	margin
	unionSet
	unionPlain
	windowSet
	pairSet
	pairsBest
	pairsText
	sequences
	inOrder
	rarestMissing
	numbersMissing
	numbersGone
	namesMissing
	namesGone
	negation
	askedShare
	fresh
	freshBest
	freshSquared
	unionSquared
	unionFourth
	bestSquared
	allFound
	rougeRecall
	rougePrecision
	rougeF
	nearForms
	twoUnits
	repeated
	textLength
	features // how many there are
)

// FeatureName tells what a feature is.
type FeatureName struct {
	Name, What string
	Asked      bool // it sets the words of the query aside
}

// FeatureNames are the features in their order.
var FeatureNames = []FeatureName{
	bestTask:       {"best_task", "share of the statement's words in the linked unit, similar words in part, weights of the task", false},
	bestSet:        {"best_set", "the same, weights of the benchmark", false},
	precisionTask:  {"precision_task", "share of the unit's words that the statement accounts for, weights of the task", false},
	margin:         {"margin", "how much better the unit fits this statement than the best of its siblings", false},
	unionSet:       {"union_set", "share of the statement's words in the whole text, weights of the benchmark", false},
	unionPlain:     {"union_plain", "the same, equal words alone, all weights equal", false},
	windowSet:      {"window_set", "share in the linked unit and its better neighbour", false},
	pairSet:        {"pair_set", "share in the linked unit and the one that adds most", false},
	pairsBest:      {"pairs_best", "share of neighbouring content words that are neighbours in the unit", false},
	pairsText:      {"pairs_text", "the same in the whole text", false},
	sequences:      {"sequences", "share of neighbouring words, function words too, that are neighbours in the text", false},
	inOrder:        {"in_order", "longest sequence of content words in the unit in the statement's order", false},
	rarestMissing:  {"rarest_missing", "weight of the rarest missing word, of the rarest word's", false},
	numbersMissing: {"numbers_missing", "share of the statement's numbers that the text lacks", false},
	numbersGone:    {"a_number_missing", "1 if it lacks any", false},
	namesMissing:   {"names_missing", "share of the statement's names that the text lacks", false},
	namesGone:      {"names_gone", "logarithm of one more than the names it lacks", false},
	negation:       {"negation", "1 if one of statement and unit denies something", false},
	askedShare:     {"asked_share", "share of the statement's words that the query has", true},
	fresh:          {"fresh", "how much larger the share in the text is among words that the query lacks", true},
	freshBest:      {"fresh_best", "the same in the unit", true},
	freshSquared:   {"fresh_squared", "square of the share among words that the query lacks", true},
	unionSquared:   {"union_squared", "square of union_set", false},
	unionFourth:    {"union_fourth", "fourth power of union_set", false},
	bestSquared:    {"best_squared", "square of best_set", false},
	allFound:       {"all_found", "1 if the text has every content word", false},
	rougeRecall:    {"rouge_recall", "share of all the statement's words in the text (ROUGE-1 recall)", false},
	rougePrecision: {"rouge_precision", "share of all the text's words in the statement", false},
	rougeF:         {"rouge_f", "their harmonic mean", false},
	nearForms:      {"near_forms", "share of content words in the text, other forms of a word counted in full", false},
	twoUnits:       {"two_units", "largest share in two neighbouring units, equal words alone, weights of the benchmark", false},
	repeated:       {"repeated", "share in the text, a word in few units counted in part: n/(n+1.2) where n units have it", false},
	textLength:     {"text_length", "logarithm of one more than the words of the text", false},
}

// vector computes the features of a statement. unit is the one it is linked to, -1 if none.
func (s *scratch) vector(i, unit int, x []float64) {
	clear(x)
	if len(s.statements[i]) == 0 || len(s.units) == 0 {
		return
	}

	s.inWhole(i, x)
	s.inNeighbours(i, x)
	s.allWords(i, x)
	s.neighbours(i, unit, x)
	if unit >= 0 {
		s.inUnit(i, unit, x)
		s.names(i, x)
		if (s.negations(s.said[i]) > 0) != (s.negations(s.wordsOf[unit]) > 0) {
			x[negation] = 1
		}
	}
}

// found is how far a set of words holds a term: 1, or its largest similarity to a member.
func (s *scratch) found(term int32, member []bool) float64 {
	if member[term] {
		return 1
	}
	return nearest(s.similar[term], member)
}

// inWhole measures how much of a statement the whole text has.
func (s *scratch) inWhole(i int, x []float64) {
	var total, top, sum, plain, missing, forms float64 // of all words
	var asked, freshTotal, freshSum float64            // by whether the query has them
	var numbers, gone float64
	for _, t := range s.statements[i] {
		w, share := s.rare[t], s.found(t, s.inText)
		total, top, sum = total+w, max(top, w), sum+w*share
		if s.asked[t] {
			asked += w
		} else {
			freshTotal, freshSum = freshTotal+w, freshSum+w*share
		}

		in := s.inText[t]
		if s.digits[t] {
			numbers++
		}
		switch {
		case in:
			plain++
			forms++
			continue
		case s.digits[t]:
			gone++
		case s.otherForm(t):
			forms++
		}
		missing = max(missing, w)
	}

	n := float64(len(s.statements[i]))
	x[unionSet], x[unionPlain], x[nearForms] = sum/total, plain/n, forms/n
	x[unionSquared] = x[unionSet] * x[unionSet]
	x[unionFourth] = x[unionSquared] * x[unionSquared]
	x[rarestMissing], x[askedShare] = missing/top, asked/total
	if plain == n {
		x[allFound] = 1
	}
	x[numbersMissing], x[numbersGone] = gone/max(1, numbers), min(1, gone)

	s.fresh = freshTotal
	share := x[unionSet]
	if freshTotal > 0 {
		share = freshSum / freshTotal
	}
	x[fresh], x[freshSquared] = share-x[unionSet], share*share
}

// saturation is how many units a word must be in to count as said well: BM25's usual k1
// (Robertson and Zaragoza 2009, 3.4).
const saturation = 1.2

// inNeighbours measures how much of a statement two neighbouring units have: what answers a
// question often stands in two sentences. Only equal words count, and words that several
// units repeat count more.
func (s *scratch) inNeighbours(i int, x []float64) {
	var total, often, best float64
	for _, t := range s.statements[i] {
		w, n := s.rare[t], 0.0
		total += w
		for u := range s.units {
			if s.members(u)[t] {
				n++
			}
		}
		often += w * n / (n + saturation)
	}
	for u := range s.units {
		best = max(best, s.exactly(i, u, min(u+1, len(s.units)-1)))
	}

	x[twoUnits], x[repeated] = best/total, often/total
	x[textLength] = math.Log(1 + float64(s.words))
}

// otherForm tells whether the text has a similar word with the same first four letters.
func (s *scratch) otherForm(term int32) bool {
	word := s.terms[term]
	for _, n := range s.similar[term] {
		if other := s.terms[n.term]; s.inText[n.term] && len(word) > 3 && len(other) > 3 && word[:4] == other[:4] {
			return true
		}
	}
	return false
}

// inUnit measures how much of a statement the linked unit has, alone and with another.
func (s *scratch) inUnit(i, unit int, x []float64) {
	m, member := s.match(i, unit), s.members(unit)
	x[bestTask], x[precisionTask] = m.recall, m.precision
	x[margin] = m.exact - s.siblings(i, unit)

	var total, sum, freshSum float64
	for _, t := range s.statements[i] {
		w, share := s.rare[t], s.found(t, member)
		total, sum = total+w, sum+w*share
		if !s.asked[t] {
			freshSum += w * share
		}
	}
	x[bestSet] = sum / total
	x[bestSquared] = x[bestSet] * x[bestSet]
	if s.fresh > 0 {
		x[freshBest] = freshSum/s.fresh - x[bestSet]
	}

	x[windowSet], x[pairSet] = x[bestSet], s.exactly(i, unit, unit)/total
	for u := range s.units {
		if u == unit {
			continue
		}
		x[pairSet] = max(x[pairSet], s.exactly(i, unit, u)/total)
		if u == unit-1 || u == unit+1 {
			x[windowSet] = max(x[windowSet], s.similarly(i, unit, u)/total)
		}
	}
}

// exactly is the weight of a statement's words in two units together.
func (s *scratch) exactly(i, one, two int) float64 {
	a, b, sum := s.members(one), s.members(two), 0.0
	for _, t := range s.statements[i] {
		if a[t] || b[t] {
			sum += s.rare[t]
		}
	}
	return sum
}

// similarly is the same with similar words in part.
func (s *scratch) similarly(i, one, two int) float64 {
	a, b, sum := s.members(one), s.members(two), 0.0
	for _, t := range s.statements[i] {
		sum += s.rare[t] * max(s.found(t, a), s.found(t, b))
	}
	return sum
}

// names counts the statement's names that the text lacks.
func (s *scratch) names(i int, x []float64) {
	names, gone := 0.0, 0.0
	for _, w := range s.said[i] {
		if !w.name {
			continue
		}
		names++
		if s.found(w.term, s.inText) < sameName {
			gone++
		}
	}
	x[namesMissing], x[namesGone] = gone/max(1, names), math.Log(1+gone)
}

// sameName is the similarity from which two words count as one name.
const sameName = 0.6

// contains tells whether a short list has a term.
func contains(list []int32, t int32) bool {
	for _, n := range list {
		if n == t {
			return true
		}
	}
	return false
}
