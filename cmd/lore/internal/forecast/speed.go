package forecast

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// Speed says how long a call to a model takes in its slot.
type Speed struct {
	New    float64 // seconds a token of the prompt that must be read
	Shared float64 // seconds a token that the call before begins with, too
	Output float64 // seconds a token of the reply
	Call   float64 // seconds a call takes besides

	Tokens float64 // the model's tokens of a prompt for one of lore's
	Extra  float64 // the model's tokens of a prompt besides
	Counts bool    // the model's own count is known
}

// Prompt is the number of tokens of a prompt by the model's count, as far as it is known.
func (s Speed) Prompt(tokens int) float64 { return s.Tokens*float64(tokens) + s.Extra }

// Seconds is how long a call takes that writes so many tokens.
func (s Speed) Seconds(c Call, output float64) float64 {
	prompt := s.Prompt(c.Prompt)
	shared := min(prompt, s.Tokens*float64(c.Shared))
	return s.New*(prompt-shared) + s.Shared*shared + s.Output*output + s.Call
}

// Measure finds the speed of a model from calls that were timed. s says how it counts tokens.
func (s Speed) Measure(tries []Try) Speed {
	if len(tries) == 0 {
		return s
	}

	var rows [][]float64
	var took, reading []float64
	var rest []float64
	writing, outputs, told := 0.0, 0.0, 0
	for _, t := range tries {
		prompt := s.Prompt(t.Prompt)
		if t.Counted > 0 {
			prompt = float64(t.Counted)
		}
		shared := min(prompt, s.Tokens*float64(t.Shared))
		rows = append(rows, []float64{prompt - shared, shared, float64(t.Output), 1})
		took = append(took, t.Took.Seconds())
		reading = append(reading, t.Reading.Seconds())

		writing, outputs = writing+t.Writing.Seconds(), outputs+float64(t.Output)
		rest = append(rest, max(0, t.Took-t.Reading-t.Writing).Seconds())
		if t.Reading+t.Writing > 0 {
			told++
		}
	}

	if told < len(tries) || outputs == 0 {
		x := solve(rows, took)
		s.New, s.Shared, s.Output, s.Call = x[0], x[1], x[2], x[3]
		return s.sharing(rows)
	}
	for i := range rows {
		rows[i] = rows[i][:2]
	}
	x := solve(rows, reading)
	s.New, s.Shared = x[0], x[1]
	s.Output, s.Call = writing/outputs, middle(rest)
	return s.sharing(rows)
}

// sharing takes a token that is shared for one that must be read, where no call has shown otherwise.
func (s Speed) sharing(rows [][]float64) Speed {
	if !slices.ContainsFunc(rows, func(row []float64) bool { return row[1] > 0 }) {
		s.Shared = s.New
	}
	return s
}

// middle is the mean of the middle half of values: what happens now and then on a busy machine is
// not what a call costs.
func middle(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	half := sorted[len(sorted)/4 : len(sorted)-len(sorted)/4]
	sum := 0.0
	for _, v := range half {
		sum += v
	}
	return sum / float64(len(half))
}

// Count is how many tokens a model counts for one of lore's, and besides. Without any count they
// are lore's own.
func Count(replies []Reply) Speed {
	var rows [][]float64
	var counts []float64
	replies = slices.Clone(replies) // replies come in any order, and the same ones give the same count
	slices.SortFunc(replies, func(a, b Reply) int {
		return cmp.Or(cmp.Compare(a.Prompt, b.Prompt), cmp.Compare(a.Counted, b.Counted))
	})
	for _, r := range replies {
		if r.Counted > 0 && r.Prompt > 0 {
			rows = append(rows, []float64{float64(r.Prompt), 1})
			counts = append(counts, float64(r.Counted))
		}
	}
	if len(rows) == 0 {
		return Speed{Tokens: 1}
	}
	x := solve(rows, counts)
	return Speed{Tokens: x[0], Extra: x[1], Counts: true}
}

// solve finds the x that is nowhere below zero and for which rows·x comes nearest to y, by the
// least squares: one coordinate after the other, until nothing moves (Lawson and Hanson's problem
// of nonnegative least squares; Franc, Hlaváč and Navara, 2005, is this way to solve it).
func solve(rows [][]float64, y []float64) []float64 {
	n := len(rows[0])
	gram, right := make([][]float64, n), make([]float64, n)
	for i := range n {
		gram[i] = make([]float64, n)
		for r, row := range rows {
			right[i] += row[i] * y[r]
			for k := range n {
				gram[i][k] += row[i] * row[k]
			}
		}
	}

	x := make([]float64, n)
	for range 20_000 {
		moved := 0.0
		for i := range n {
			if gram[i][i] == 0 {
				continue
			}
			slope := -right[i]
			for k := range n {
				slope += gram[i][k] * x[k]
			}
			next := max(0, x[i]-slope/gram[i][i])
			moved = max(moved, math.Abs(next-x[i])*math.Sqrt(gram[i][i]))
			x[i] = next
		}
		if moved < 1e-9 {
			break
		}
	}
	return x
}

// Makespan is how long calls of one round take in so many slots: each goes into the first that
// is free, in their order.
func Makespan(seconds []float64, slots int) float64 {
	busy := make([]float64, max(1, min(slots, len(seconds))))
	for _, s := range seconds {
		first := 0
		for i, until := range busy {
			if until < busy[first] {
				first = i
			}
		}
		busy[first] += s
	}
	longest := 0.0
	for _, until := range busy {
		longest = max(longest, until)
	}
	return longest
}

func duration(seconds float64) time.Duration { return time.Duration(seconds * float64(time.Second)) }
