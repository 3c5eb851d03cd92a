// Package lexical judges by words. It needs no model and no network.
//
// What a text and a statement have in common is measured by some thirty features: the share
// of the statement's words in its best unit (a bullet) and in the whole text, weighted by how
// rare they are in the task and in all that the benchmark asks, neighbouring words, order,
// numbers and names that are missing, the margin over sibling statements, and the words that
// the query does not have. A word that is only similar counts in part, by the Dice
// coefficient of its different letter trigrams. A ridge fitted on people's labels weighs the
// features, for each kind of question; gates then take the score away where a near copy says
// otherwise: other numbers, other names, a denial, a "not", an opposite, a broken order.
// Thresholds turn the score into a label. fitted.json has the weights, what each feature
// means, and what every set of labels gets when it takes no part; `make fit` makes it.
package lexical

import (
	"context"
	"fmt"

	"lore/judge"
	"lore/local"
	"lore/local/text"
)

// Figures on copying, measured on the 78 recorded systems of the haystacks news1
// and news2 (TestCopyingIsFavoured in datasets/summhay).
const (
	CopyingSlope       = 1.5  // points of coverage above GPT-4o's per 10 points of copied trigrams
	CopyingCorrelation = 0.62 // over systems
	CopyingWhole       = 5.4  // the same slope at an answer that is all copied, against the mean system
)

// CopyingNote says that a word-overlap judge favours copied text. It is not
// corrected: a correction fitted on one haystack takes 10 to 15 % off the distance
// to GPT-4o on the other, but ranks systems no better (Kendall −0.00 and −0.04), and
// there is no human label to say that GPT-4o is right about it.
var CopyingNote = fmt.Sprintf("The extractive generator copies, and a judge by word overlap favours copies: "+
	"over 78 recorded systems its coverage exceeds GPT-4o's by %.1f points more for every 10 points of copied word "+
	"trigrams (r = %.2f), which comes to %.1f points for an answer that is all copied. "+
	"Compare extractive systems with each other, not with systems that write.",
	CopyingSlope, CopyingCorrelation, CopyingWhole)

// Judge is the lexical judge. The zero value uses the fit that is compiled in.
type Judge struct {
	// With replaces the fitted model, for fitting; nil uses the fit.
	With *Model
	// Language is that of all texts, by its code. Empty, or text.Auto, tells it task by task.
	Language string
}

// Name is "lexical".
func (Judge) Name() string { return "lexical" }

// current is the model that is compiled in.
var current = Current.Model.Prepare()

// Judge answers all tasks. Words weigh by how rare they are in a task, and by how rare they
// are in the statements of all tasks: judge a benchmark in one call. It fails only when the
// context is cancelled; questions of a kind it does not know are unscored.
func (j Judge) Judge(ctx context.Context, tasks []judge.Task, done func(int)) ([][]judge.Verdict, error) {
	s := scratchPool.Get().(*scratch)
	defer scratchPool.Put(s)
	defer s.stems.Use(text.English)
	s.model, s.link = current, Current.Model.LinkPrecision
	if j.With != nil {
		s.model, s.link = j.With.Prepare(), j.With.LinkPrecision
	}

	languages := j.languages(tasks)
	common := s.count(tasks, languages)
	out := make([][]judge.Verdict, len(tasks))
	answered := 0
	for i, t := range tasks {
		if err := ctx.Err(); err != nil {
			return nil, context.Cause(ctx)
		}

		s.stems.Use(languages[i])
		out[i] = s.task(t, common)
		if problem := j.problem(t, languages[i]); problem != "" {
			flag(out[i], problem)
		}
		answered += len(t.Questions)
		if done != nil {
			done(answered)
		}
	}
	return out, nil
}

// task judges the questions of one task.
func (s *scratch) task(t judge.Task, common *statistics) []judge.Verdict {
	s.load(t, common)
	out := make([]judge.Verdict, len(t.Questions))
	for i, q := range t.Questions {
		switch q.Kind {
		case judge.Coverage, judge.Entailment, judge.Answerability:
			out[i] = s.verdict(i, q)
		case judge.Relevance:
			out[i] = relevance(s.stems.Language(), t, q, common)
		case judge.Consistency:
			out[i] = consistency(s.stems.Language(), t, q)
		default:
			out[i] = judge.Unscored(q.ID, local.RefusedOption,
				"the lexical judge does not know questions of kind "+string(q.Kind))
		}
	}
	return out
}

// verdict judges a statement, or a question, by the model of its kind.
func (s *scratch) verdict(i int, q judge.Question) judge.Verdict {
	labels := judge.Labels[q.Kind]
	v := judge.Verdict{Question: q.ID, Label: labels[0]}
	if len(s.units) == 0 || len(s.statements[i]) == 0 {
		return v
	}

	unit := s.best(i)
	x := s.x[:]
	s.vector(i, unit, x)
	model := s.model[q.Kind]
	v.Score = model.score(x, s.lengths(i))
	if unit < 0 {
		return v
	}
	if q.Kind != judge.Answerability {
		v.Score *= s.gate(i, unit, q.Text, x)
	}

	v.Label = labels[model.label(v.Score)]
	v.Value = judge.Values[q.Kind][v.Label]
	if v.Label != labels[0] && q.Kind != judge.Answerability {
		v.Unit, v.Evidence = unit+1, s.evidence(i, unit)
	}
	return v
}

// best is the unit that a statement is linked to, -1 if there is none.
func (s *scratch) best(statement int) int {
	unit, top := -1, 0.0
	for u := range s.units {
		m := s.match(statement, u)
		if fit := m.recall + s.link*m.precision; fit > top {
			unit, top = u, fit
		}
	}
	return unit
}

// Link returns, for each question of a task, the 1-based unit that fits it best, 0
// where no word fits.
func Link(t judge.Task) []int {
	s := scratchPool.Get().(*scratch)
	defer scratchPool.Put(s)
	defer s.stems.Use(text.English)
	s.link = Current.Model.LinkPrecision
	s.stems.Use(Judge{}.languages([]judge.Task{t})[0])
	s.load(t, count(s.stems, []judge.Task{t}))
	out := make([]int, len(t.Questions))
	for i := range out {
		out[i] = s.best(i) + 1
	}
	return out
}
