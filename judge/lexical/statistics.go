package lexical

import (
	"math"

	"lore/judge"
	"lore/local/text"
)

// statistics count words over the different statements of all tasks that are judged
// together: what a benchmark asks. They do not depend on the answers, so a system's scores
// do not depend on which other systems are judged with it.
type statistics struct {
	n  float64
	df map[string]float64
}

// count reads the statements of tasks.
func count(stems *text.Stemmer, tasks []judge.Task) *statistics {
	c := &statistics{df: map[string]float64{}}
	seen := map[string]bool{}
	last := map[string]int{} // of a term: the last statement that has it
	for _, t := range tasks {
		for _, q := range t.Questions {
			if seen[q.Text] {
				continue
			}
			seen[q.Text] = true
			for _, statement := range q.References() { // most questions are of one
				c.n++
				at := int(c.n)
				stems.Tokens(statement, func(w text.Token) {
					term := normal(w.Term)
					if !w.Stop && last[term] != at {
						last[term] = at
						c.df[term]++
					}
				})
			}
		}
	}
	return c
}

// weight is ln((N+1)/(df+0.5)); N+1 over 1.5 at most, for a word of no statement weighs no
// more than one of a single statement.
func (c *statistics) weight(term string) float64 {
	return math.Log((c.n + 1) / (max(1, c.df[term]) + 0.5))
}

// numerals are the numbers that are written as words.
var numerals = map[string]string{
	"two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8",
	"nine": "9", "ten": "10", "eleven": "11", "twelv": "12",
	"thirteen": "13", "fourteen": "14", "fifteen": "15", "sixteen": "16", "seventeen": "17", "eighteen": "18",
	"nineteen": "19", "forti": "40", "sixti": "60", "seventi": "70", "eighti": "80", "nineti": "90", "twenti": "20", "thirti": "30",
	"fifti": "50", "hundr": "100", "hundredth": "100",
}

// normal is a term as the judge compares it.
func normal(term string) string {
	if digits, ok := numerals[term]; ok {
		return digits
	}
	return term
}
