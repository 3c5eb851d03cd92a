// Package rehearsal finds out what work takes before it is done. The work goes through its phases
// with stand-ins for the models: what is finished comes from journals and caches as it would, and
// what is not is noted and answered by a text of about the right length. Then some of the calls
// are made and timed, and with their replies the work is gone through again, until there is a
// measure of every model in every phase.
package rehearsal

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"lore/cmd/lore/internal/forecast"
	"lore/embed"
	"lore/local"
)

// Config says what is rehearsed.
type Config struct {
	Slots int
	Seed  uint64

	// Go goes through the work with the recorder in place of models, and writes nothing.
	Go func(ctx context.Context, r *Recorder) error
	// Open opens a door to the models themselves. What they say is kept for the work if keep is
	// true. nil: they are not asked.
	Open func(ctx context.Context, keep bool) (Door, error)
	// Answer plays the models by rule, as far as it knows their prompts: "" where it does not. Work
	// that checks its replies closely would refuse those that are only of about the right length.
	// nil: there are no such rules.
	Answer func(messages []local.Message) string
	// Pooled says that rounds of one phase run beside each other: what they ask fills the slots.
	Pooled bool
	// Chained says that the work has many phases, some of few calls, each about the replies of the one
	// before: half of all calls may be tried, and not only half of each phase.
	Chained bool
	// Loaded lists the models that the server has in memory; may be nil.
	Loaded func(ctx context.Context) []string
	// Say is told what is being done; may be nil.
	Say func(string)
	// Probing is told of each model before some of its calls in a phase are timed; may be nil.
	Probing func(model, phase string, calls, of int)
}

// Door makes calls; gate.Gate is one.
type Door interface {
	All(ctx context.Context, calls []local.Call, done func(i int, reply local.Reply)) error
	Close() error
}

// Outcome is what a rehearsal has found.
type Outcome struct {
	forecast.Estimate
	Works   []forecast.Work
	TooLong []TooLong
	Failed  []Failure
	MadeUp  bool // some calls depend on replies that are not there yet
}

// TooLong are calls whose prompts are longer than their window.
type TooLong struct {
	Phase, Model  string
	Calls, Of     int
	Longest       int // tokens of the longest prompt
	Window        int
	About         []string // what some of them are for
	ByModelsCount bool
}

// Failure is a call that failed when it was tried.
type Failure struct {
	Phase  string `json:"phase"`
	Model  string `json:"model"`
	Failed int    `json:"failed"`
	Of     int    `json:"of"`
	Detail string `json:"detail"` // of the first
}

// Bounds of a rehearsal.
const (
	mostPasses  = 8
	encoderTime = 3 * time.Second // that each encoder is tried
)

// Run rehearses work.
func Run(ctx context.Context, cfg Config) (Outcome, error) {
	m := newMemory()
	m.answer = cfg.Answer
	probed := map[place]bool{}
	tried := 0
	for pass := 1; ; pass++ {
		cfg.say("go through the work with stand-ins")
		r := cfg.recorder(m)
		trial := &embed.Trial{Budget: encoderTime, Phase: r.Phase}
		if err := cfg.Go(embed.WithTrial(ctx, trial), r); err != nil {
			return Outcome{}, err
		}
		r.Begin("")

		chosen, real := r.unprobed(probed)
		if cfg.Open == nil || len(chosen) == 0 || pass == mostPasses {
			if err := cfg.compare(ctx, r); err != nil {
				return Outcome{}, err
			}
			return cfg.outcome(ctx, r, trial), nil
		}
		for _, w := range chosen {
			probed[w.place] = true
		}
		left := 0
		for _, w := range r.works {
			left += len(w.Calls)
		}
		asked, err := cfg.probe(ctx, m, chosen, real, max(0, (left+tried)/2-tried))
		if err != nil {
			return Outcome{}, err
		}
		tried += asked
	}
}

// recorder records one pass.
func (c Config) recorder(m *memory) *Recorder {
	r := newRecorder(m, c.Slots)
	r.pooled = c.Pooled
	return r
}

// compare goes through the work once more as if nothing had been tried. What really came of the
// calls that were tried, beside what came of their stand-ins, corrects the number of all calls that
// are made up.
func (c Config) compare(ctx context.Context, r *Recorder) error {
	if len(r.real) == 0 || !slices.ContainsFunc(r.works, func(w *work) bool { return w.MadeUp > 0 }) {
		return nil
	}
	b := c.recorder(r.memory)
	b.blind = true
	if err := c.Go(embed.WithTrial(ctx, &embed.Trial{Phase: b.Phase}), b); err != nil {
		return err
	}
	for _, w := range r.works {
		at := slices.IndexFunc(b.works, func(o *work) bool { return o.place == w.place })
		if w.MadeUp == 0 || at < 0 {
			continue
		}
		for name := range r.real {
			really, madeUp := w.of(name), b.works[at].of(name)
			if madeUp > 0 || really > 0 {
				w.Compared = append(w.Compared, forecast.Compared{Really: really, MadeUp: madeUp})
			}
		}
		slices.SortFunc(w.Compared, func(a, b forecast.Compared) int {
			return cmp.Or(cmp.Compare(a.Really, b.Really), cmp.Compare(a.MadeUp, b.MadeUp))
		})
	}
	return nil
}

// of counts the calls that are for something, or for a part of it.
func (w *work) of(name string) int {
	n := 0
	for about, calls := range w.abouts {
		if about == name || strings.HasPrefix(about, name+" ") {
			n += calls
		}
	}
	return n
}

func (c Config) say(format string, args ...any) {
	if c.Say != nil {
		c.Say(fmt.Sprintf(format, args...))
	}
}

// unprobed are the works that are to be timed next: those with calls that the work will really
// make; where there are none, those with calls that are made up.
func (r *Recorder) unprobed(probed map[place]bool) (chosen []*work, real bool) {
	pick := func(madeUp bool) []*work {
		return slices.DeleteFunc(slices.Clone(r.works), func(w *work) bool {
			return probed[w.place] || w.Untimed || len(w.Calls) == 0 || !w.pool.has(madeUp)
		})
	}
	if chosen = pick(false); len(chosen) > 0 {
		return chosen, true
	}
	return pick(true), false
}

// outcome puts together what the last pass and the probes have shown.
func (c Config) outcome(ctx context.Context, r *Recorder, trial *embed.Trial) Outcome {
	out := Outcome{}
	for _, w := range r.works {
		w.Tries, w.Replies = r.memory.tries[w.place], r.memory.replies[w.place]
		out.Works = append(out.Works, w.Work)
		out.MadeUp = out.MadeUp || w.MadeUp > 0
		if all := r.memory.failed[w.place]; len(all) > 0 {
			out.Failed = append(out.Failed, Failure{w.Phase, w.Model, len(all), r.memory.made[w.place], all[0]})
		}
	}

	var encodings []forecast.Encoding
	spent := map[string]time.Duration{}
	for _, t := range trial.Tried() {
		spent[t.Phase] += t.Spent
		encodings = append(encodings, forecast.Encoding{
			Phase: t.Phase, Model: t.Model, Texts: t.Texts, Bytes: t.Bytes, Rates: t.Rates,
		})
	}
	here := slices.Clone(r.here)
	for i := range here {
		here[i].Took = max(0, here[i].Took-spent[here[i].Phase])
	}

	speeds := forecast.Speeds(out.Works)
	set := forecast.Settings{Slots: c.Slots, Seed: c.Seed, Loads: r.memory.loading(speeds)}
	if c.Loaded != nil {
		set.Loaded = c.Loaded(ctx)
	}
	out.Estimate = forecast.Predict(out.Works, encodings, here, set)
	for _, w := range r.works {
		out.TooLong = append(out.TooLong, w.tooLong(out.Measured[w.Model])...)
	}
	return out
}

// mostNamed is how many of the calls that are too long are named.
const mostNamed = 5

// tooLong lists the calls whose prompts do not fit the window, by the model's own count where it
// is known.
func (w *work) tooLong(s forecast.Speed) []TooLong {
	one := TooLong{Phase: w.Phase, Model: w.Model, Of: len(w.Calls), ByModelsCount: s.Counts}
	for i, c := range w.Calls {
		n := int(s.Prompt(c.Prompt))
		if w.metas[i].window == 0 || n <= w.metas[i].window {
			continue
		}
		one.Calls++
		one.Longest, one.Window = max(one.Longest, n), w.metas[i].window
		if about := w.metas[i].about; about != "" && len(one.About) < mostNamed && !slices.Contains(one.About, about) {
			one.About = append(one.About, about)
		}
	}
	if one.Calls == 0 {
		return nil
	}
	return []TooLong{one}
}
