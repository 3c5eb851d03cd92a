package rehearsal

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"lore/cmd/lore/internal/forecast"
	"lore/local"
	"lore/local/ollama"
	"lore/local/openai"
)

// Recorder stands in for models: it notes what they would be asked, and answers in their place.
type Recorder struct {
	memory *memory
	slots  int
	blind  bool // it does not see the replies that were tried, for comparison

	mu     sync.Mutex
	phase  string
	round  int
	turn   int           // rounds so far, pooled or not
	played int           // the turn in which rules first answered; 0: they have not
	pooled bool          // all rounds of a phase are one
	since  time.Time     // when the phase began, or went on
	apart  time.Duration // of that, spent in the recorder
	here   []forecast.Here
	stages []started
	starts int // rounds of all stages so far
	works  []*work
	seen   map[string]local.Reply // by identity: calls of this pass
	real   map[string]bool        // what calls were for whose replies were tried
}

// place is what one model is asked in one phase.
type place struct{ phase, model string }

// work is what was recorded of a place.
type work struct {
	place
	forecast.Work
	metas  []meta
	abouts map[string]int // calls by what they are for, finished ones too
	pool   pool           // calls to choose from
	text   string         // of the call before
	prefix string
	within int // calls so far that share the prefix
}

// meta is what is known of a call besides what it takes.
type meta struct {
	window int
	about  string
}

func newRecorder(m *memory, slots int) *Recorder {
	return &Recorder{
		memory: m, slots: slots, since: time.Now(),
		seen: map[string]local.Reply{}, real: map[string]bool{},
	}
}

// Begin begins a phase, or goes on with one.
func (r *Recorder) Begin(phase string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.close()
	r.phase = phase
	if r.pooled {
		r.round++
	}
}

// close adds the time of the phase so far that nobody else has spent.
func (r *Recorder) close() {
	took := time.Since(r.since) - r.apart
	r.since, r.apart = time.Now(), 0
	at := slices.IndexFunc(r.here, func(h forecast.Here) bool { return h.Phase == r.phase })
	if at < 0 {
		r.here, at = append(r.here, forecast.Here{Phase: r.phase}), len(r.here)
	}
	r.here[at].Took += max(0, took)
}

// Phase is the phase that goes on.
func (r *Recorder) Phase() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.phase
}

// Round begins a round of calls.
func (r *Recorder) Round() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.turn++
	if !r.pooled {
		r.round++
	}
}

// madeUp reports whether a call depends on replies that are not there yet: its prompt holds what a
// stand-in said, or rules have answered before it. What they say cannot be told from a model's words.
func (r *Recorder) madeUp(call local.Call) bool {
	return madeUp(call) || r.played > 0 && r.turn > r.played
}

// Finished notes a call whose reply is there.
func (r *Recorder) Finished(call local.Call, reply local.Reply) local.Reply {
	r.mu.Lock()
	defer r.mu.Unlock()
	defer r.pause()()
	key := identity(call)
	if reply, twice := r.seen[key]; twice {
		return reply
	}
	w := r.at(call)
	w.Finished++
	w.abouts[call.About]++
	tried := r.memory.tried[key]
	switch {
	case tried && r.blind:
		reply = r.standIn(w.place, call)
	case tried:
		w.Tried++
		r.real[call.About] = true
	default:
		r.memory.learnOnce(key, w.place, call, reply)
	}
	r.seen[key] = reply
	return reply
}

// Do notes a call, and answers it.
func (r *Recorder) Do(_ context.Context, call local.Call) (local.Reply, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	defer r.pause()()
	key := identity(call)
	if reply, twice := r.seen[key]; twice {
		return reply, nil
	}

	w := r.at(call)
	w.abouts[call.About]++
	made := r.madeUp(call)
	if made {
		w.MadeUp++
	}
	w.Calls = append(w.Calls, w.call(call, r.memory.count(key, call), r.round, r.slots))
	w.metas = append(w.metas, meta{call.Options.NumCtx, call.About})
	w.pool.add(call, w.Calls[len(w.Calls)-1], made)

	reply, known := r.memory.known[key]
	if known && !r.blind {
		r.real[call.About] = true
	} else {
		reply = r.standIn(w.place, call)
	}
	r.seen[key] = reply
	return reply, nil
}

// standIn answers in place of a model: by rule where there is one.
func (r *Recorder) standIn(at place, call local.Call) local.Reply {
	reply, ok := r.memory.byRule(call)
	if !ok {
		return r.memory.standIn(at, call)
	}
	if r.played == 0 {
		r.played = max(1, r.turn)
	}
	return reply
}

// pause keeps the time from now to the call of what it returns apart.
func (r *Recorder) pause() func() {
	start := time.Now()
	return func() { r.apart += time.Since(start) }
}

// at is the work that a call belongs to.
func (r *Recorder) at(call local.Call) *work {
	at := place{r.phase, modelOf(call)}
	for _, w := range r.works {
		if w.place == at {
			return w
		}
	}
	w := &work{place: at, abouts: map[string]int{}}
	w.pool.slots = r.slots
	w.Phase, w.Model, w.Untimed = at.phase, at.model, call.Backend != ollama.BackendName
	r.works = append(r.works, w)
	return w
}

// call is what a call takes. Each slot must read once what the calls of a prefix share.
func (w *work) call(call local.Call, tokens, round, slots int) forecast.Call {
	var b strings.Builder
	out := forecast.Call{Prompt: tokens, Limit: call.Options.NumPredict, Round: round}
	for _, m := range call.Messages {
		b.WriteString(m.Content + "\n")
	}

	text := b.String()
	if w.prefix != call.Prefix || call.Prefix == "" {
		w.within = 0
	}
	if w.within >= slots {
		n := 0
		for n < min(len(text), len(w.text)) && text[n] == w.text[n] {
			n++
		}
		out.Shared = out.Prompt * n / max(1, len(text))
	}
	w.text, w.prefix = text, call.Prefix
	w.within++
	return out
}

// modelOf names the model of a call as people do.
func modelOf(call local.Call) string {
	switch call.Backend {
	case ollama.BackendName:
		return ollama.BackendName + ":" + strings.TrimSuffix(call.Model, ":latest")
	case openai.BackendName:
		return openai.BackendName + ":" + call.Model
	}
	return call.Model
}

// identity tells calls apart, whatever window the model is loaded with: that may still change.
func identity(call local.Call) string {
	call.Options.NumCtx = 0
	return call.Key()
}
