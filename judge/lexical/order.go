package lexical

// scan holds what one pass over the words of a text needs to know of a statement.
type scan struct {
	position []int32 // of a term in the statement, from 1; 0 if it is not in there
	list     []int32 // the statement's terms
	inText   []bool  // of each but the last: does the text have it with the next behind it
	inUnit   []bool
	tails    []int32
}

// allWords compares the words of a statement with those of the text, function words too and
// as often as they stand there: ROUGE-1 (Lin 2004).
func (s *scratch) allWords(i int, x []float64) {
	left := resize(s.scan.position, len(s.terms)) // how often a term may still be found
	s.scan.position = left
	for _, w := range s.said[i] {
		left[w.term]++
	}

	hits, words := 0, 0
	for _, list := range s.wordsOf {
		words += len(list)
		for _, w := range list {
			if left[w.term] > 0 {
				left[w.term]--
				hits++
			}
		}
	}
	for _, w := range s.said[i] {
		left[w.term] = 0
	}

	said := len(s.said[i])
	x[rougeRecall] = float64(hits) / float64(said)
	x[rougePrecision] = float64(hits) / float64(max(1, words))
	x[rougeF] = 2 * float64(hits) / float64(said+words)
}

// neighbours finds the statement's pairs of neighbouring words in the text: of content words,
// with at most one between, and of all words. It also measures how far the unit keeps their
// order.
func (s *scratch) neighbours(i, unit int, x []float64) {
	n := s.begin(i, false)
	for u, words := range s.wordsOf {
		s.contentPairs(words, u == unit)
	}
	if n > 1 {
		x[pairsText], x[pairsBest] = share(s.scan.inText[:n-1]), share(s.scan.inUnit[:n-1])
	}
	if n > 0 && unit >= 0 {
		x[inOrder] = s.order(unit) / float64(n)
	}
	s.end()

	n = s.begin(i, true)
	for _, words := range s.wordsOf {
		s.allPairs(words)
	}
	if n > 1 {
		x[sequences] = share(s.scan.inText[:n-1])
	}
	s.end()
}

// begin notes where the words of a statement stand, with function words or without.
func (s *scratch) begin(i int, all bool) int {
	c := &s.scan
	c.list = c.list[:0]
	for _, w := range s.said[i] {
		if all || !s.stop[w.term] {
			c.list = append(c.list, w.term)
		}
	}

	n := len(c.list)
	c.inText, c.inUnit = resize(c.inText, n), resize(c.inUnit, n)
	clear(c.inText)
	clear(c.inUnit)
	for k := n - 1; k >= 0; k-- {
		c.position[c.list[k]] = int32(k + 1)
	}
	return n
}

// end forgets it.
func (s *scratch) end() {
	for _, t := range s.scan.list {
		s.scan.position[t] = 0
	}
}

func share(marks []bool) float64 {
	n := 0
	for _, m := range marks {
		if m {
			n++
		}
	}
	return float64(n) / float64(len(marks))
}

// contentPairs marks the pairs of content words that stand in this order in words.
func (s *scratch) contentPairs(words []word, unit bool) {
	c := &s.scan
	var before [2]int32 // places of the last two content words
	for _, w := range words {
		if s.stop[w.term] {
			continue
		}

		p := c.position[w.term]
		for _, b := range before {
			if p > 1 && b > 0 && c.list[p-2] == c.list[b-1] {
				c.inText[p-2] = true
				c.inUnit[p-2] = c.inUnit[p-2] || unit
			}
		}
		before[0], before[1] = before[1], p
	}
}

// allPairs marks the pairs of words that stand side by side in words.
func (s *scratch) allPairs(words []word) {
	c := &s.scan
	for k := 1; k < len(words); k++ {
		first, second := words[k-1].term, words[k].term
		p := int(c.position[first])
		if p == 0 || c.position[second] == 0 {
			continue
		}
		for q := p - 1; q+1 < len(c.list); q++ {
			if c.list[q] == first && c.list[q+1] == second {
				c.inText[q] = true
			}
		}
	}
}

// order is the length of the longest sequence of content words that stand in the same order
// in the statement and in the unit (longest increasing subsequence).
func (s *scratch) order(unit int) float64 {
	c := &s.scan
	c.tails = c.tails[:0]
	for _, w := range s.wordsOf[unit] {
		p := c.position[w.term]
		if p == 0 {
			continue
		}

		k := 0
		for k < len(c.tails) && c.tails[k] < p {
			k++
		}
		if k == len(c.tails) {
			c.tails = append(c.tails, p)
		} else {
			c.tails[k] = p
		}
	}
	return float64(len(c.tails))
}
