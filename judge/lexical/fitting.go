package lexical

import (
	"lore/judge"
	"lore/local/text"
)

// Row is what a fit needs to know of one question.
type Row struct {
	X      []float64 // features
	Length Lengths
	Gate   float64 // what the score is multiplied by
	Unit   int     // that the statement is linked to, from 1; 0 if none
	Before float64 // score by the formula of the judge that this one replaced
}

// Rows are the features of every question of some tasks.
func Rows(tasks []judge.Task) [][]Row {
	s := scratchPool.Get().(*scratch)
	defer scratchPool.Put(s)
	s.link = Current.Model.LinkPrecision
	defer s.stems.Use(text.English)
	languages := Judge{}.languages(tasks)
	common := s.count(tasks, languages)
	out := make([][]Row, len(tasks))
	for k, t := range tasks {
		s.stems.Use(languages[k])
		s.load(t, common)
		for i, q := range t.Questions {
			out[k] = append(out[k], s.row(i, q))
		}
	}
	return out
}

// row is the row of one question, by the old formula, too: recall in the unit by weights of
// the task, 0.4 of its precision, and 0.3 of the margin over siblings.
func (s *scratch) row(i int, q judge.Question) Row {
	r := Row{X: make([]float64, features), Gate: 1, Length: s.lengths(i)}
	unit := s.best(i)
	s.vector(i, unit, r.X)
	if unit >= 0 && q.Kind != judge.Answerability {
		r.Gate = s.gate(i, unit, q.Text, r.X)
	}
	r.Unit = unit + 1
	r.Before = r.X[bestTask] + 0.4*r.X[precisionTask] + 0.3*r.X[margin]
	return r
}

// Formulas are a model made ready.
type Formulas map[judge.Kind]*formula

// Sum is the weighted sum of a row's features, before it is bent into (0,1) and gated.
func (f Formulas) Sum(kind judge.Kind, r Row) float64 { return f[kind].sum(r.X, r.Length) }

// Score is the score of a row before gates.
func (f Formulas) Score(kind judge.Kind, r Row) float64 { return f[kind].score(r.X, r.Length) }

// Judge is the score and label of a row.
func (f Formulas) Judge(kind judge.Kind, r Row) (score float64, label string) {
	score = f.Score(kind, r) * r.Gate
	return score, judge.Labels[kind][f[kind].label(score)]
}
