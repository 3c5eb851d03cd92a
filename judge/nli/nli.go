// Package nli judges by whether one text follows from another, with a small model that was
// trained on that (natural language inference), and, as a baseline, by the cosine of two
// vectors.
//
// A statement is compared with every unit of the text under judgement, and with joined
// windows of 2, 4, 8 … neighbouring units that fit the model in one piece; a unit that does
// not fit is read in windows, never cut, and of a statement that leaves no room for a unit all
// parts must follow. For consistency it is the other way round: each
// sentence of the text is compared with the reference.
package nli

import (
	"context"
	"fmt"
	"math"
	"slices"

	"lore/embed"
	"lore/judge"
	"lore/local"
	"lore/local/guard"
)

// Model says how far hypotheses follow from premises; an embed.Entailer is one.
type Model interface {
	// Fits reports whether a pair fits the model in one piece.
	Fits(p embed.Pair) bool
	// Entail returns one entailment per pair, in order.
	Entail(ctx context.Context, pairs []embed.Pair) ([]embed.Entailment, error)
}

// Thresholds turn scores into labels. They are conventions, not fitted.
type Thresholds struct {
	Partial float64 `json:"partial_from"` // coverage: score from which a statement is partly covered
	Full    float64 `json:"full_from"`    // coverage: score from which it is fully covered
	Yes     float64 `json:"yes_from"`     // entailment: score from which the answer is yes
}

// The thresholds of models of entailment, whose scores are probabilities, and of cosines.
var (
	Probabilities = Thresholds{Partial: 0.25, Full: 0.75, Yes: 0.5}
	Cosines       = Thresholds{Partial: 0.6, Full: 0.8, Yes: 0.75}
)

// Judge judges by a model. It is safe for concurrent use if the model is.
type Judge struct {
	Label      string // name in tables
	Model      Model
	Thresholds Thresholds
}

// Name is the judge's label.
func (j *Judge) Name() string { return j.Label }

// batchPairs is how many pairs are gathered before they are computed: enough for batches of
// one length, and few enough to show progress.
const batchPairs = 512

// Judge answers coverage, entailment and consistency; other questions are unscored.
func (j *Judge) Judge(ctx context.Context, tasks []judge.Task, done func(int)) ([][]judge.Verdict, error) {
	out := make([][]judge.Verdict, len(tasks))
	var open []question
	var pairs []embed.Pair
	place := map[embed.Pair]int{} // of a pair among pairs
	answered := 0

	settle := func() error {
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		said, err := j.Model.Entail(ctx, pairs)
		if err != nil {
			return fmt.Errorf("judge by %s: %w", j.Label, err)
		}
		for _, q := range open {
			out[q.task][q.place] = j.verdict(q, func(p embed.Pair) embed.Entailment { return said[place[p]] })
		}
		answered += len(open)
		if done != nil {
			done(answered)
		}
		open, pairs = open[:0], pairs[:0]
		clear(place)
		return nil
	}

	for i, t := range tasks {
		out[i] = make([]judge.Verdict, len(t.Questions))
		units, forged := plain(t.Units)
		for k, q := range t.Questions {
			asked := j.plan(units, q)
			asked.task, asked.place, asked.forged = i, k, forged
			open = append(open, asked)
			for _, a := range asked.asks {
				if _, known := place[a.pair]; !known {
					place[a.pair] = len(pairs)
					pairs = append(pairs, a.pair)
				}
			}
			if len(pairs) >= batchPairs {
				if err := settle(); err != nil {
					return nil, err
				}
			}
		}
	}
	return out, settle()
}

// question is one that is open, with the pairs that answer it.
type question struct {
	judge.Question
	task, place int
	forged      int // marks in the task's text
	asks        []ask
}

// ask is a pair with what it is about: units from..to-1 of the text.
type ask struct {
	pair     embed.Pair
	from, to int
}

func (a ask) units() int { return a.to - a.from }

// plan lists the pairs that answer a question.
func (j *Judge) plan(units []string, q judge.Question) question {
	out := question{Question: q}
	statement, _ := guard.Text(q.Text)
	switch q.Kind {
	case judge.Coverage, judge.Entailment:
		for _, w := range windows(units) {
			p := embed.Pair{Premise: w.text, Hypothesis: statement}
			if w.to-w.from == 1 || j.Model.Fits(p) {
				out.asks = append(out.asks, ask{p, w.from, w.to})
			}
		}
	case judge.Consistency:
		for i, u := range units {
			for _, sentence := range sentences(u) {
				for _, r := range q.References() {
					r, _ = guard.Text(r)
					out.asks = append(out.asks, ask{embed.Pair{Premise: r, Hypothesis: sentence}, i, i + 1})
				}
			}
		}
	}
	return out
}

// verdict reads the answer to a question.
func (j *Judge) verdict(q question, said func(embed.Pair) embed.Entailment) judge.Verdict {
	switch q.Kind {
	case judge.Coverage, judge.Entailment, judge.Consistency:
	default:
		return judge.Unscored(q.ID, local.RefusedOption, fmt.Sprintf(
			"%s only tells whether one text follows from another; it cannot answer questions of %s", j.Label, q.Kind))
	}
	read := j.follows
	if q.Kind == judge.Consistency {
		read = consistency
	}
	out := read(q, said)
	if q.forged > 0 {
		out.Flags = append(out.Flags, fmt.Sprintf("%s: %d", judge.ForgedMarks, q.forged))
	}
	return out
}

// follows reads whether a statement follows from the text. What units say only together
// counts half of what it adds for coverage, which asks for one unit.
func (j *Judge) follows(q question, said func(embed.Pair) embed.Entailment) judge.Verdict {
	var alone, joined, against best
	for _, a := range q.asks {
		e := said(a.pair)
		if a.units() > 1 {
			joined.take(a, e.Entails)
			continue
		}
		alone.take(a, e.Entails)
		if e.Opposed {
			against.take(a, e.Contradicts)
		}
	}

	v := judge.Verdict{Question: q.ID, Score: alone.value}
	unit := alone.ask
	if joined.value > alone.value {
		v.Score = joined.value
		if q.Kind == judge.Coverage {
			v.Score = math.Round((alone.value+joined.value)/2*1e6) / 1e6
		}
		v.Flags = append(v.Flags, fmt.Sprintf("units %d to %d say more together", joined.from+1, joined.to))
		unit = within(q, joined.ask, said)
	}
	if unit.to > 0 && said(unit.pair).Windows > 1 {
		v.Flags = append(v.Flags, fmt.Sprintf("unit %d was read in %d windows", unit.to, said(unit.pair).Windows))
	}
	if unit.to > 0 && said(unit.pair).Parts > 1 {
		v.Flags = append(v.Flags, fmt.Sprintf("the statement was judged in %d parts", said(unit.pair).Parts))
	}

	contradicted := against.value > v.Score
	if contradicted {
		v.Flags = append(v.Flags, fmt.Sprintf("contradicted by unit %d", against.from+1))
	}
	v.Label = j.label(q.Kind, v.Score, contradicted)
	v.Value = judge.Values[q.Kind][v.Label]
	if v.Value > 0 {
		v.Unit = unit.to
	}
	return v
}

// within is the single unit of a window that says most.
func within(q question, window ask, said func(embed.Pair) embed.Entailment) ask {
	most := best{value: -1}
	for _, a := range q.asks {
		if a.units() == 1 && a.from >= window.from && a.to <= window.to {
			most.take(a, said(a.pair).Entails)
		}
	}
	return most.ask
}

// label words a score.
func (j *Judge) label(kind judge.Kind, score float64, contradicted bool) string {
	t := j.Thresholds
	switch {
	case kind == judge.Entailment && score >= t.Yes:
		return judge.Yes
	case kind == judge.Entailment && contradicted:
		return judge.No
	case kind == judge.Entailment:
		return judge.Neutral
	case score >= t.Full:
		return judge.Full
	case score >= t.Partial:
		return judge.Partial
	}
	return judge.None
}

// consistency is the mean over the text's sentences of how far each follows from the
// reference, or from the best one of several.
func consistency(q question, said func(embed.Pair) embed.Entailment) judge.Verdict {
	v := judge.Verdict{Question: q.ID}
	sentences := 0
	for start := 0; start < len(q.asks); {
		end := start
		var follows, against best
		for ; end < len(q.asks) && q.asks[end].from == q.asks[start].from &&
			q.asks[end].pair.Hypothesis == q.asks[start].pair.Hypothesis; end++ {
			a := q.asks[end]
			e := said(a.pair)
			follows.take(a, e.Entails)
			if e.Opposed {
				against.take(a, e.Contradicts)
			}
		}

		sentences++
		v.Score += follows.value
		flag := fmt.Sprintf("unit %d is contradicted by the reference", q.asks[start].to)
		if against.value > follows.value && !slices.Contains(v.Flags, flag) {
			v.Flags = append(v.Flags, flag)
		}
		start = end
	}

	if sentences > 0 {
		v.Score = math.Round(v.Score/float64(sentences)*1e6) / 1e6
	}
	v.Label = judge.Nearest(q.Kind, v.Score)
	v.Value = judge.Values[q.Kind][v.Label]
	return v
}

// best is the pair of the greatest value so far, the first of equal ones.
type best struct {
	ask
	value float64
}

func (b *best) take(a ask, value float64) {
	if b.to == 0 || value > b.value {
		b.ask, b.value = a, value
	}
}
