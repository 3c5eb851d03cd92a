// Package lexical judges by word overlap. It needs no model and no network.
//
// A statement's score in a unit (a bullet) is the share of its content words found
// there, weighted by inverse document frequency over the task itself, its units
// and its sibling statements: words that every sibling shares carry nothing. A
// word that is only similar to one in the unit counts in part, by the Dice
// coefficient of letter trigrams. To this are added, with fitted weights, the share
// of the unit's own weight that the statement accounts for, and how much better the
// unit fits this statement than its siblings. Two fitted thresholds turn the score
// into a label. The weights and thresholds are in fitted.json; `make fit` makes
// them from SummHay's human labels and says how well they did on subtopics that
// were left out.
package lexical

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"strconv"

	"lore/judge"
	"lore/local"
	"lore/local/text"
)

//go:embed fitted.json
var fittedJSON []byte

// Constants are what the fit finds. All scores are in the unit of a recall.
type Constants struct {
	Precision     float64 `json:"precision"`      // weight of precision in the score
	Siblings      float64 `json:"siblings"`       // weight of the margin over sibling statements
	LinkPrecision float64 `json:"link_precision"` // weight of precision in the choice of the unit
	Partial       float64 `json:"partial_from"`   // score from which a statement is partly covered
	Full          float64 `json:"full_from"`      // score from which it is fully covered
}

// Fitted is the content of fitted.json.
type Fitted struct {
	Command   string    `json:"command"`
	Data      string    `json:"data"`
	DataHash  string    `json:"data_sha256"`
	N         int       `json:"n"`
	Summaries int       `json:"summaries"`
	Subtopics int       `json:"subtopics"`
	CV        CVFigures `json:"cross_validated_by_subtopic"`
	Constants Constants `json:"constants"`
}

// CVFigures are agreement with people on subtopics that took no part in the fit.
type CVFigures struct {
	Pearson         float64 `json:"pearson"`          // of labels as 0, 0.5, 1
	PearsonScore    float64 `json:"pearson_of_score"` // of the continuous score
	LinkingAccuracy float64 `json:"linking_accuracy"` // where both name a bullet
	LinkingN        int     `json:"linking_n"`
	LinkingAll      float64 `json:"linking_accuracy_all"` // of the best bullet, also where the label is none
	Bias            float64 `json:"bias"`                 // mean label minus mean human label
}

// Current returns the fit that is compiled in.
var Current = func() Fitted {
	var f Fitted
	if err := json.Unmarshal(fittedJSON, &f); err != nil {
		panic(fmt.Sprintf("lexical: fitted.json: %v", err)) // compiled in, and tested
	}
	return f
}()

// Figures on copying, measured on the 78 recorded systems of the haystacks news1
// and news2 (TestCopyingIsFavoured in datasets/summhay).
const (
	CopyingSlope       = 1.2  // points of coverage above GPT-4o's per 10 points of copied trigrams
	CopyingCorrelation = 0.51 // over systems
	CopyingWhole       = 4.4  // the same slope at an answer that is all copied, against the mean system
)

// CopyingNote says that a word-overlap judge favours copied text. It is not
// corrected: a correction fitted on one haystack takes 10 to 15 % off the distance
// to GPT-4o on the other, but ranks systems no better (Kendall +0.00 and −0.02), and
// there is no human label to say that GPT-4o is right about it.
var CopyingNote = fmt.Sprintf("The extractive generator copies, and a judge by word overlap favours copies: "+
	"over 78 recorded systems its coverage exceeds GPT-4o's by %.1f points more for every 10 points of copied word "+
	"trigrams (r = %.2f), which comes to %.1f points for an answer that is all copied. "+
	"Compare extractive systems with each other, not with systems that write.",
	CopyingSlope, CopyingCorrelation, CopyingWhole)

// Judge is the lexical judge. The zero value uses the fit that is compiled in.
type Judge struct {
	// With replaces the fitted constants, for fitting; nil uses the fit.
	With *Constants
}

// Name is "lexical".
func (Judge) Name() string { return "lexical" }

// Judge answers all tasks. It fails only when the context is cancelled; questions of
// a kind it does not know are unscored.
func (j Judge) Judge(ctx context.Context, tasks []judge.Task, done func(int)) ([][]judge.Verdict, error) {
	constants := Current.Constants
	if j.With != nil {
		constants = *j.With
	}

	s := scratchPool.Get().(*scratch)
	defer scratchPool.Put(s)
	out := make([][]judge.Verdict, len(tasks))
	answered := 0
	for i, t := range tasks {
		if err := ctx.Err(); err != nil {
			return nil, context.Cause(ctx)
		}

		out[i] = s.task(t, constants)
		answered += len(t.Questions)
		if done != nil {
			done(answered)
		}
	}
	return out, nil
}

// task judges the questions of one task.
func (s *scratch) task(t judge.Task, c Constants) []judge.Verdict {
	s.load(t)
	out := make([]judge.Verdict, len(t.Questions))
	for i, q := range t.Questions {
		switch q.Kind {
		case judge.Coverage:
			out[i] = s.coverage(i, q, c)
		case judge.Entailment:
			out[i] = s.entailment(i, q, c)
		case judge.Answerability:
			out[i] = s.grade(i, q)
		case judge.Relevance:
			out[i] = relevance(t, q)
		case judge.Consistency:
			out[i] = consistency(t, q)
		default:
			out[i] = judge.Unscored(q.ID, local.RefusedOption,
				"the lexical judge does not know questions of kind "+string(q.Kind))
		}
	}
	return out
}

// best returns the unit a statement is linked to, -1 if there is none, and the
// statement's score there.
func (s *scratch) best(statement int, c Constants) (unit int, score float64) {
	unit, top := -1, 0.0
	for u := range s.units {
		m := s.match(statement, u)
		if link := m.recall + c.LinkPrecision*m.precision; link > top {
			unit, top = u, link
		}
	}

	if unit < 0 {
		return -1, 0
	}
	m := s.match(statement, unit)
	return unit, m.recall + c.Precision*m.precision + c.Siblings*(m.exact-s.siblings(statement, unit))
}

// Link returns, for each question of a task, the 1-based unit that fits it best, 0
// where no word fits.
func Link(t judge.Task) []int {
	s := scratchPool.Get().(*scratch)
	defer scratchPool.Put(s)
	s.load(t)
	out := make([]int, len(t.Questions))
	for i := range out {
		unit, _ := s.best(i, Current.Constants)
		out[i] = unit + 1
	}
	return out
}

func (s *scratch) coverage(i int, q judge.Question, c Constants) judge.Verdict {
	unit, score := s.best(i, c)
	v := judge.Verdict{Question: q.ID, Label: judge.None, Score: score}
	if unit < 0 {
		return v
	}

	if v.Label = label(score, c); v.Label == judge.None {
		return v
	}

	v.Value, v.Unit = judge.Values[judge.Coverage][v.Label], unit+1
	v.Evidence = s.shared(i, unit)
	return v
}

// entailed is the entailment that a coverage stands for.
var entailed = map[string]string{judge.Full: judge.Yes, judge.Partial: judge.Neutral, judge.None: judge.No}

// entailment takes a fully covered key point for entailed and a partly covered one
// for neutral. A key point of several sentences may be said in as many units, one
// after the other: it is compared with these together, too.
func (s *scratch) entailment(i int, q judge.Question, c Constants) judge.Verdict {
	v := s.coverage(i, q, c)
	for n := min(len(text.Sentences(q.Text)), len(s.units)); n > 1; n-- {
		if unit, score := s.bestWindow(i, n, c); score > v.Score {
			v.Score, v.Unit = score, unit+1
			v.Label, v.Evidence = label(score, c), nil
		}
	}

	v.Label = entailed[v.Label]
	v.Value = judge.Values[judge.Entailment][v.Label]
	return v
}

// label is the coverage that a score stands for.
func label(score float64, c Constants) string {
	switch {
	case score >= c.Full:
		return judge.Full
	case score >= c.Partial:
		return judge.Partial
	}
	return judge.None
}

// gradeSteps are the shares of a question's words in the whole text from which a
// grade is given, evenly spaced: there are no human labels to fit them to.
var gradeSteps = []float64{0.2, 0.35, 0.5, 0.65, 0.8}

// grade grades the whole text by the share of the statement's words in it.
func (s *scratch) grade(i int, q judge.Question) judge.Verdict {
	recall := s.union(i)
	g := 0
	for k, step := range gradeSteps {
		if recall >= step {
			g = k + 1
		}
	}
	label := strconv.Itoa(g)
	return judge.Verdict{Question: q.ID, Label: label, Value: judge.Values[q.Kind][label], Score: recall}
}
