package rerank

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"

	"lore/local"
)

// pointwise asks for a number per query and passage and takes its expected value.
type pointwise struct {
	*llm
	low, high int
}

func newPointwise(base *llm, low, high int) *pointwise {
	base.stats.Name = fmt.Sprintf("%s %d–%d", base.stats.Name, low, high)
	base.stats.Remedy = "repaired: without usable token probabilities the written number is taken; " +
		"unparsable: the passage comes after all scored ones, in its old order"
	return &pointwise{base, low, high}
}

// Rerank asks about every pair. Calls about one passage are neighbours, because
// they begin alike.
func (p *pointwise) Rerank(ctx context.Context, jobs []Job, step func(int)) ([][]float64, error) {
	out := make([][]float64, len(jobs))
	var calls []local.Call
	var places [][2]int
	left := make([]int, len(jobs))

	for i, j := range jobs {
		out[i] = make([]float64, len(j.Candidates))
		left[i] = len(j.Candidates)
		for k, c := range j.Candidates {
			data := struct {
				Query, Passage string
				Low, High      int
			}{j.Query.Text, strings.TrimSpace(c.Text), p.low, p.high}

			call, err := p.call(data, 4, 20, "passage "+c.ID)
			if err != nil {
				return nil, err
			}
			calls, places = append(calls, call), append(places, [2]int{i, k})
		}
	}

	p.fit(calls)
	for i := range calls {
		calls[i].Options.NumCtx = p.model.Call.Options.NumCtx
	}

	done := 0
	err := p.model.Calls.All(ctx, calls, func(n int, r local.Reply) {
		i, k := places[n][0], places[n][1]
		score, repaired, ok := p.read(r)
		p.count(repaired, !ok)
		out[i][k] = score
		if left[i]--; left[i] == 0 && step != nil {
			done++
			step(done)
		}
	})
	return out, err
}

// read takes the expected value under the token probabilities, or the written
// number.
func (p *pointwise) read(r local.Reply) (score float64, repaired, ok bool) {
	if bad(r) {
		return math.NaN(), false, false
	}
	if mean, mass := expectedNumber(r.Logprobs, p.low, p.high); mass > 0 {
		return mean, false, true
	}

	digits := strings.FieldsFunc(r.Text, func(c rune) bool { return c < '0' || c > '9' })
	if len(digits) > 0 {
		if n, err := strconv.Atoi(digits[0]); err == nil && n >= p.low && n <= p.high {
			return float64(n), true, true
		}
	}
	return math.NaN(), false, false
}

// expectedNumber is the mean of the whole numbers from low to high under the
// probabilities of the first tokens, and the mass of probability that it rests on.
// Some tokenisers write 15 as one token, others as two: a first digit that was
// generated and could go on is split by the second token's probabilities; one that
// was not generated and could go on is left out of the mass, since nothing is known
// of what would follow.
func expectedNumber(positions []local.Position, low, high int) (mean, mass float64) {
	at := 0
	for at < len(positions) && strings.TrimSpace(positions[at].Token) == "" {
		at++
	}
	if at == len(positions) {
		return 0, 0
	}

	weights := map[int]float64{}
	generated := strings.TrimSpace(positions[at].Token)
	for _, t := range positions[at].Top {
		text := strings.TrimSpace(t.Token)
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 || strings.ContainsAny(text, "+-") {
			continue
		}

		pr := math.Exp(t.Logprob)
		switch {
		case n*10 > high || n == 0: // nothing can follow
			weights[n] += pr
		case text != generated: // nothing is known of what would follow
		case at+1 < len(positions):
			second(weights, n, pr, positions[at+1], high)
		default: // the reply ended here
			weights[n] += pr
		}
	}

	for n := low; n <= high; n++ { // not by map: sums must run in the same order every time
		mean += float64(n) * weights[n]
		mass += weights[n]
	}

	if mass == 0 {
		return 0, 0
	}
	return mean / mass, mass
}

// second splits the probability of a first digit by what follows it.
func second(weights map[int]float64, first int, pr float64, next local.Position, high int) {
	seen := 0.0
	for _, t := range next.Top {
		p := math.Exp(t.Logprob)
		seen += p
		if len(t.Token) == 1 && t.Token[0] >= '0' && t.Token[0] <= '9' {
			if n := first*10 + int(t.Token[0]-'0'); n <= high {
				weights[n] += pr * p
			}
			continue
		}
		weights[first] += pr * p
	}

	// What is not listed is taken for an end: a listed digit would be far more likely.
	weights[first] += pr * max(0, 1-seen)
}
