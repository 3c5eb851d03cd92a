package rehearsal

import (
	"context"
	"slices"
	"time"

	"lore/cmd/lore/internal/forecast"
	"lore/cmd/lore/internal/meter"
	"lore/embed"
)

// started is a stage of the work with its steps in all rounds.
type started struct {
	stage       string
	steps       int
	first, last int   // its places among all rounds
	calls       []int // all calls of the stage up to each of its steps
}

// Start begins a round of a stage, of so many steps. What it returns is told how many are done.
func (r *Recorder) Start(stage string, steps int) func(done int) {
	r.Begin(stage)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.starts++
	at := slices.IndexFunc(r.stages, func(s started) bool { return s.stage == stage })
	if at < 0 {
		at, r.stages = len(r.stages), append(r.stages, started{stage: stage, first: r.starts})
	}
	r.stages[at].steps += steps
	r.stages[at].last = r.starts

	before := len(r.stages[at].calls)
	return func(done int) {
		r.mu.Lock()
		defer r.mu.Unlock()
		s := &r.stages[at]
		for len(s.calls) < before+done {
			s.calls = append(s.calls, r.callsOf(s.stage))
		}
	}
}

// callsOf counts the calls of a stage so far.
func (r *Recorder) callsOf(stage string) int {
	n := 0
	for _, w := range r.works {
		if w.Phase == stage {
			n += w.Finished + len(w.Calls)
		}
	}
	return n
}

// Foresee goes through work once, with nobody asked, and says in which stages it comes. What goes wrong
// on the way is not in it: a meter sees that.
func Foresee(ctx context.Context, cfg Config) ([]meter.Part, error) {
	m := newMemory()
	m.answer = cfg.Answer
	r := cfg.recorder(m)
	trial := &embed.Trial{Phase: r.Phase}
	if err := cfg.Go(embed.WithTrial(ctx, trial), r); err != nil {
		return nil, err
	}
	r.Begin("")

	out := cfg.outcome(ctx, r, trial)
	var parts []meter.Part
	for _, s := range r.stages {
		parts = append(parts, s.part(out.Estimate))
	}
	return parts, nil
}

// What a call weighs for a model.
const (
	readsFaster = 25.0 // times as fast as it writes a model reads
	shortTokens = 15.0 // tokens written that a short question is worth
)

// part is a stage as a meter knows it.
func (s started) part(e forecast.Estimate) meter.Part {
	p := meter.Part{Name: s.stage, Steps: s.steps, Phase: s.first, Until: s.last, Rounds: true, Calls: s.calls}
	calls, asked, work := 0, 0, 0.0
	for _, l := range e.Lines {
		if l.Phase != s.stage || l.Calls+l.Finished == 0 {
			continue
		}
		if l.Calls+l.Finished > calls { // whoever is asked most gives its name
			calls, p.Model = l.Calls+l.Finished, l.Model
		}
		work += float64(l.Prompt)/readsFaster + float64(l.Output)
		p.Kept, asked = p.Kept+l.Finished, asked+l.Calls
	}
	if asked > 0 {
		p.Weight = work / shortTokens / float64(asked)
	}

	for _, h := range e.Phases {
		if h.Phase == s.stage && p.Model == "" && s.steps > 0 {
			p.About = max(1, h.Took/time.Duration(s.steps))
		}
	}
	return p
}
