package forecast

import (
	"math"
	"math/rand/v2"
	"slices"
	"time"
)

// Settings say how work is done.
type Settings struct {
	Slots     int                      // calls at once
	Loads     map[string]time.Duration // of models
	Loaded    []string                 // models that are in the server's memory
	Seed      uint64
	Resamples int // 0 is 200
}

// wobble is the standard deviation by which a machine's speed differs from one hour to the next,
// as a share of it.
const wobble = 0.04

// Predict says what work takes.
func Predict(works []Work, encodings []Encoding, here []Here, set Settings) Estimate {
	if set.Resamples == 0 {
		set.Resamples = 200
	}
	p := newPredictor(works, set)
	est := Estimate{Measured: p.speeds(false)}
	totals := make([]float64, set.Resamples)

	times := p.times(totals)
	for i, w := range works {
		est.Lines = append(est.Lines, p.line(w, times[i], est.Measured[w.Model]))
	}
	for _, e := range encodings {
		est.Lines = append(est.Lines, p.encode(e, totals))
	}
	est.Phases = here
	for _, h := range here {
		est.Here += h.Took
	}

	low, all := p.loads()
	est.Loads = Range{low, all - p.loaded(), all}
	if low == 0 {
		est.Loads.Expected = 0 // the server keeps all of them
	}
	est.Total = rangeOf(totals).plus(est.Loads).plus(Range{est.Here, est.Here, est.Here})
	est.sum()
	return est
}

// sum finds the longest time, and what nobody knows.
func (e *Estimate) sum() {
	e.Longest = e.Loads.High + e.Here
	for _, l := range e.Lines {
		switch {
		case l.Time == nil && l.Calls+l.Texts > 0:
			if !slices.Contains(e.Unknown, l.Model) {
				e.Unknown = append(e.Unknown, l.Model)
			}
		case l.Texts > 0:
			e.Longest += l.Time.High
		default:
			e.Longest += l.Longest
		}
	}
}

// Speeds measures every model.
func Speeds(works []Work) map[string]Speed {
	p := newPredictor(works, Settings{})
	return p.speeds(false)
}

func newPredictor(works []Work, set Settings) predictor {
	p := predictor{
		set:    set,
		works:  works,
		random: rand.New(rand.NewPCG(set.Seed, 0x10e5)),
		counts: map[string]Speed{},
	}
	for _, w := range works {
		p.counts[w.Model] = p.counting(w.Model)
	}
	return p
}

// predictor draws what was measured anew, again and again.
type predictor struct {
	set    Settings
	works  []Work
	random *rand.Rand
	counts map[string]Speed // of each model, with how it counts tokens alone
}

// counting is how a model counts tokens, by all of its replies.
func (p *predictor) counting(model string) Speed {
	var replies []Reply
	for _, w := range p.works {
		if w.Model == model {
			replies = append(replies, w.Replies...)
		}
	}
	return Count(replies)
}

// draw draws as many values as there are, with replacement.
func draw[T any](r *rand.Rand, from []T) []T {
	out := make([]T, len(from))
	for i := range out {
		out[i] = from[r.IntN(len(from))]
	}
	return out
}

// speeds measures each model over all of its phases, from the timed calls or from some drawn from
// them.
func (p *predictor) speeds(drawn bool) map[string]Speed {
	tries := map[string][]Try{}
	for _, w := range p.works {
		of := w.Tries
		if drawn {
			of = draw(p.random, of)
		}
		tries[w.Model] = append(tries[w.Model], of...)
	}
	out := map[string]Speed{}
	for model := range tries {
		out[model] = p.counts[model].Measure(tries[model])
	}
	return out
}

func (p *predictor) timed(model string) bool {
	return slices.ContainsFunc(p.works, func(w Work) bool { return w.Model == model && len(w.Tries) > 0 })
}

// times are those of each work, one of every draw, which are also added to the totals.
func (p *predictor) times(totals []float64) [][]float64 {
	out := make([][]float64, len(p.works))
	for n := range totals {
		speeds := p.speeds(true)
		for model, s := range speeds {
			factor := math.Exp(wobble * p.random.NormFloat64())
			s.New, s.Shared, s.Output, s.Call = factor*s.New, factor*s.Shared, factor*s.Output, factor*s.Call
			speeds[model] = s
		}
		for i, w := range p.works {
			if w.Untimed || len(w.Calls) == 0 || !p.timed(w.Model) {
				continue
			}
			took := w.time(speeds[w.Model], p.set.Slots, p.lengths(w)) * w.scale(draw(p.random, w.Compared))
			out[i] = append(out[i], took)
			totals[n] += took
		}
	}
	return out
}

// lengths draws the lengths of replies. Where none is known, each may be anything up to a limit.
func (p *predictor) lengths(w Work) func(c Call) float64 {
	if len(w.Replies) == 0 {
		share := p.random.Float64()
		return func(c Call) float64 { return share * float64(c.Limit) }
	}
	replies := draw(p.random, w.Replies)
	return func(c Call) float64 {
		return float64(min(c.Limit, replies[p.random.IntN(len(replies))].Output))
	}
}

// time is how long the calls take, round by round.
func (w Work) time(s Speed, slots int, length func(Call) float64) float64 {
	total := 0.0
	var round []float64
	for i, c := range w.Calls {
		round = append(round, s.Seconds(c, length(c)))
		if i+1 == len(w.Calls) || w.Calls[i+1].Round != c.Round {
			total += Makespan(round, slots)
			round = round[:0]
		}
	}
	return total
}

// line words a work in figures.
func (p *predictor) line(w Work, times []float64, s Speed) Line {
	l := Line{
		Phase: w.Phase, Model: w.Model, Finished: w.Finished, Tried: w.Tried,
		Calls: w.Count(), Counted: s.Counts,
	}
	mean, limit := 0.0, 0
	for _, r := range w.Replies {
		mean += float64(r.Output) / float64(len(w.Replies))
	}

	prompt, output := 0.0, 0.0
	for _, c := range w.Calls {
		prompt += s.Prompt(c.Prompt)
		limit += c.Limit
		if len(w.Replies) > 0 {
			output += min(mean, float64(c.Limit))
		} else {
			output += float64(c.Limit) / 2
		}
	}
	scale := w.scale(w.Compared)
	whole := func(x float64) int { return int(math.Round(scale * x)) } // 149.99999 tokens are 150
	l.Prompt, l.Output, l.Most = whole(prompt), whole(output), whole(float64(limit))
	if len(times) > 0 {
		r := rangeOf(times)
		l.Time = &r
		most := w.time(s, p.set.Slots, func(c Call) float64 { return float64(c.Limit) })
		l.Longest = max(duration(scale*most), r.High)
	}
	return l
}

// encode is the line of an encoder.
func (p *predictor) encode(e Encoding, totals []float64) Line {
	l := Line{Phase: e.Phase, Model: e.Model, Texts: e.Texts}
	if len(e.Rates) == 0 {
		return l
	}
	times := make([]float64, len(totals))
	for n := range times {
		rates := draw(p.random, e.Rates)
		mean := 0.0
		for _, r := range rates {
			mean += r / float64(len(rates))
		}
		times[n] = mean * float64(e.Bytes)
		totals[n] += times[n]
	}
	r := rangeOf(times)
	l.Time = &r
	return l
}

// loads are the shortest and the longest time that loading models takes. At best the server keeps
// all of them in its memory, and loads those that are not there; at worst it loads anew whenever
// another one is asked.
func (p *predictor) loads() (low, all time.Duration) {
	seen := slices.Clone(p.set.Loaded)
	last := ""
	for _, w := range p.works {
		if len(w.Calls) == 0 || w.Untimed {
			continue
		}
		one := p.set.Loads[w.Model]
		if w.Model != last {
			all += one
		}
		if !slices.Contains(seen, w.Model) {
			seen = append(seen, w.Model)
			low += one
		}
		last = w.Model
	}
	return low, all
}

// loaded is the time that the first model need not be loaded for, if it is in memory.
func (p *predictor) loaded() time.Duration {
	for _, w := range p.works {
		if len(w.Calls) > 0 && !w.Untimed {
			if slices.Contains(p.set.Loaded, w.Model) {
				return p.set.Loads[w.Model]
			}
			return 0
		}
	}
	return 0
}

// rangeOf is the median of times with the 5th and 95th percentile.
func rangeOf(seconds []float64) Range {
	if len(seconds) == 0 {
		return Range{}
	}
	sorted := slices.Sorted(slices.Values(seconds))
	at := func(q float64) time.Duration { return duration(sorted[int(q*float64(len(sorted)-1)+0.5)]) }
	return Range{at(0.05), at(0.5), at(0.95)}
}
