package rerank

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strconv"
	"strings"

	"lore/index"
	"lore/local"
)

// Sizes of windows and how far they move up.
const (
	listwiseSize = 20
	listwiseStep = 10
	letterSize   = 20 // as many tokens as a server lists with their probabilities
	letterStep   = 10
)

// windows orders candidates by windows that slide from the last to the first, so
// that the best passages rise to the top in one pass.
type windows struct {
	*llm
	size, stepSize int
	ask            func(q index.Query, shown []Candidate) (local.Call, error)
	read           func(r local.Reply, n int) (order []int, repaired, ok bool)
}

// Rerank goes in rounds: each asks about one window of every query.
func (w *windows) Rerank(ctx context.Context, jobs []Job, step func(int)) ([][]float64, error) {
	var worst []local.Call // no other call is longer: they set the context window
	orders := make([][]int, len(jobs))
	starts := make([][]int, len(jobs))
	rounds := 0

	for i, j := range jobs {
		for k := range j.Candidates {
			orders[i] = append(orders[i], k)
		}
		starts[i] = windowStarts(len(j.Candidates), w.size, w.stepSize)
		rounds = max(rounds, len(starts[i]))
		if len(starts[i]) > 0 {
			call, err := w.ask(j.Query, longest(j, w.size))
			if err != nil {
				return nil, err
			}
			worst = append(worst, call)
		}
	}

	w.fit(worst)
	for round := range rounds {
		if err := w.round(ctx, jobs, orders, starts, round); err != nil {
			return nil, err
		}
		if step != nil {
			step(len(jobs) * (round + 1) / rounds)
		}
	}

	out := make([][]float64, len(jobs))
	for i, o := range orders {
		out[i] = places(o)
	}
	return out, nil
}

func (w *windows) round(ctx context.Context, jobs []Job, orders, starts [][]int, round int) error {
	var calls []local.Call
	var owner []int
	for i, j := range jobs {
		if round >= len(starts[i]) {
			continue
		}

		var shown []Candidate
		for _, k := range window(orders[i], starts[i][round], w.size) {
			shown = append(shown, j.Candidates[k])
		}

		call, err := w.ask(j.Query, shown)
		if err != nil {
			return err
		}
		calls, owner = append(calls, call), append(owner, i)
	}

	return w.model.Calls.All(ctx, calls, func(n int, r local.Reply) {
		i := owner[n]
		part := window(orders[i], starts[i][round], w.size)

		var order []int
		repaired, ok := false, false
		if !bad(r) {
			order, repaired, ok = w.read(r, len(part))
		}
		w.count(repaired, !ok)
		if !ok {
			return
		}

		old := slices.Clone(part)
		for rank, k := range order {
			part[rank] = old[k]
		}
	})
}

func window(order []int, start, size int) []int { return order[start:min(start+size, len(order))] }

// windowStarts lists the windows from the last to the first. One passage needs no
// ordering.
func windowStarts(n, size, step int) []int {
	if n < 2 {
		return nil
	}
	var out []int
	for start := max(0, n-size); ; start = max(0, start-step) {
		out = append(out, start)
		if start == 0 {
			return out
		}
	}
}

// readPermutation reads "[2] > [1] > [3]". Numbers outside square brackets count
// where there are none in brackets.
func readPermutation(r local.Reply, n int) (order []int, repaired, ok bool) {
	numbers := bracketed(r.Text)
	if len(numbers) == 0 {
		repaired = true
		for _, f := range strings.FieldsFunc(r.Text, func(c rune) bool { return c < '0' || c > '9' }) {
			if v, err := strconv.Atoi(f); err == nil {
				numbers = append(numbers, v)
			}
		}
	}

	seen := make([]bool, n)
	for _, v := range numbers {
		if v < 1 || v > n || seen[v-1] {
			repaired = true
			continue
		}
		seen[v-1] = true
		order = append(order, v-1)
	}

	if len(order) == 0 {
		return nil, false, false
	}
	return appendMissing(order, seen), repaired || len(order) < n, true
}

func appendMissing(order []int, seen []bool) []int {
	for i, s := range seen {
		if !s {
			order = append(order, i)
		}
	}
	return order
}

func bracketed(text string) []int {
	var out []int
	for {
		_, rest, found := strings.Cut(text, "[")
		if !found {
			return out
		}

		inside, after, closed := strings.Cut(rest, "]")
		if v, err := strconv.Atoi(strings.TrimSpace(inside)); closed && err == nil {
			out = append(out, v)
			text = after
		} else {
			text = rest
		}
	}
}

// readLetters orders a window by the probability of each passage's letter as the
// first token.
func readLetters(r local.Reply, n int) (order []int, repaired, ok bool) {
	seen := make([]bool, n)
	best := make([]float64, n)
	for i := range best {
		best[i] = math.Inf(-1)
	}

	// The first token that is not white space decides.
	for _, p := range r.Logprobs {
		if strings.TrimSpace(p.Token) == "" {
			continue
		}
		for _, t := range p.Top {
			if i, isLetter := letterIndex(t.Token, n); isLetter {
				best[i] = max(best[i], t.Logprob)
				if !seen[i] {
					seen[i] = true
					order = append(order, i)
				}
			}
		}
		break
	}

	if len(order) == 0 {
		return nil, false, false
	}

	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(best[b], best[a]), cmp.Compare(a, b)) })
	listed := len(order)
	return appendMissing(order, seen), listed < n, true
}

// letterIndex reads a letter from A on, with signs or spaces around it.
func letterIndex(text string, n int) (int, bool) {
	text = strings.Trim(text, " \t\n.:;()[]*\"'")
	if len(text) != 1 || text[0] < 'A' || int(text[0]-'A') >= n {
		return 0, false
	}
	return int(text[0] - 'A'), true
}
