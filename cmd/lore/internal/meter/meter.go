// Package meter tells how much of a command is done, and how long the rest will take. It
// does so by arithmetic alone: whoever uses it says what is to be done, and when something
// was, and asks for the state.
//
// What is finished already, and only read from a journal, counts as done, but says nothing of
// the pace. A time is a range as long as it is uncertain, and a least time where some of the
// work has a pace that nobody knows.
package meter

import (
	"cmp"
	"slices"
	"sync"
	"time"
)

// Part is a part of the work: like steps that one model takes, or none.
type Part struct {
	Name  string // as people read it, such as "judge by ollama:qwen3:8b"
	Model string // of a server; empty: it is computed here
	Steps int
	Phase int // parts of a lower one come before
	Until int // the phase after which it is over; below Phase: its own

	// Rounds says that it may begin again and again, by its name or by one that goes on with ", ", such
	// as "documents, try 2". Steps are then those of all rounds, as far as nothing goes wrong. Calls are
	// the calls of models that are foreseen up to each of them; where there are some, they are counted.
	// Kept of them have their replies already.
	Rounds bool
	Calls  []int
	Kept   int

	// What is known of a step before one was seen. Weight is its work for a model, where a short
	// question has 1. About is what it takes where it is computed here; 0: nobody knows.
	Weight float64
	About  time.Duration
}

// Meter counts. It is safe for concurrent use.
type Meter struct {
	mu      sync.Mutex
	parts   []*part
	planned bool
	current *part
	last    time.Time // of the last event
	share   float64   // shown last

	asking              int // calls that a model is working on
	fresh, read         int // calls answered since the last step: by a model, and from disk
	asked, kept, failed int // calls so far
}

// part is a Part with what has happened to it.
type part struct {
	Part
	begun, over bool
	done        int
	round       round         // the one at hand
	gated       bool          // it makes calls
	freshness   float64       // share of the last steps that a model was asked for
	lately      float64       // the same, over more of the last steps
	row         int           // calls in a row that a model was asked
	since, new  float64       // steps since a model was asked first, and those of them that it was asked for
	carry       time.Duration // time that belongs to the next step
	atOnce      int           // most calls that models have worked on at once
	pace        pace
}

// New is a meter of work that is not known yet.
func New() *Meter { return &Meter{} }

// Plan adds parts of the work, before they begin. Several commands' worth may be added.
func (m *Meter) Plan(parts []Part) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.planned = true
	for _, p := range parts {
		m.add(p)
	}
}

func (m *Meter) add(p Part) *part {
	one := &part{Part: p, freshness: 1, lately: 1}
	m.parts = append(m.parts, one)
	slices.SortStableFunc(m.parts, func(a, b *part) int { return cmp.Compare(a.Phase, b.Phase) })
	return one
}

// Correct says that a part which has not begun will have other steps than were planned: the first of
// that name that has so many.
func (m *Meter) Correct(name string, was, is int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, p := range m.parts {
		if p.Name == name && !p.begun && p.Steps == was {
			p.Steps = is
			return
		}
	}
}

// Begin begins a part of so many steps: the first of that name that has not begun, or else one
// that nobody has planned. The function that it returns is told how many steps are done.
func (m *Meter) Begin(now time.Time, name string, steps int) func(now time.Time, done int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.pass(now)

	p := m.planFor(name, steps)
	if p == nil {
		more := Part{Name: name, Weight: 1}
		if m.current != nil {
			more.Phase = m.current.Phase
		}
		p = m.add(more)
	}
	p.begin(name, steps)
	m.current, m.fresh, m.read = p, 0, 0
	m.leaveOut(p.Phase)
	return func(now time.Time, done int) { m.step(now, p, done) }
}

// planFor is the part of a name that has not begun: of several, such as those of several runs, one that has
// so many steps, if any has. nil is none.
func (m *Meter) planFor(name string, steps int) *part {
	var first *part
	for _, p := range m.parts {
		if !p.has(name) {
			continue
		}
		if p.Steps == steps || p.Rounds {
			return p
		}
		if first == nil {
			first = p
		}
	}
	return first
}

// leaveOut drops what was planned for earlier phases and is not done: it will not be.
func (m *Meter) leaveOut(phase int) {
	for _, p := range m.parts {
		if max(p.Phase, p.Until) < phase && !p.over {
			p.over, p.Steps = true, p.done
		}
	}
}

// pass gives the time since the last event to the part that is worked on.
func (m *Meter) pass(now time.Time) {
	if m.current != nil && !m.last.IsZero() && now.After(m.last) {
		m.current.carry += now.Sub(m.last)
	}
	m.last = now
}

// step notes how many steps of a part are done.
func (m *Meter) step(now time.Time, p *part, done int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.pass(now)
	m.current = p // a part inside it, such as the embedding for a search, has ended
	p.round.done = done
	if p.counted() {
		p.over = p.over || p.complete()
		return
	}
	done += p.round.before
	n := float64(done - p.done)
	if n <= 0 {
		return
	}
	p.done, p.over = done, done >= p.Steps
	m.advance(p, n)
}

// advance learns from n more steps of a part how fast it is.
func (m *Meter) advance(p *part, n float64) {
	if calls := m.fresh + m.read; calls > 0 {
		p.gated = true
		p.freshness = float64(m.fresh) / float64(calls)
		p.row += calls
		if m.read > 0 {
			p.row = 0
		}
	}
	if p.gated && p.freshness == 0 && m.asking == 0 {
		p.carry = 0 // what is only read from disk says nothing of the pace
	}
	m.fresh, m.read = 0, 0

	// The last steps count most: a run that goes on reads what is finished first.
	weight := min(1, n/recent)
	p.lately += weight * (p.freshness - p.lately)
	if p.row >= longRow {
		p.lately = 1
	}
	if fresh := n * p.freshness; fresh > 0 || p.since > 0 {
		p.since, p.new = p.since+n, p.new+fresh
	}
	if fresh := n * p.freshness; fresh > 0 {
		p.pace.add(fresh, p.carry, p.atOnce)
		p.carry = 0
	}
}

const (
	// recent is how many steps tell what share of the next ones a model will be asked for.
	recent = 30
	// longRow is how many calls in a row say that all that is left will be asked.
	longRow = 8
)

// Asking says that a model has begun to work on a call.
func (m *Meter) Asking(now time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.asking == 0 && m.current != nil && m.current.gated && m.current.freshness == 0 {
		m.pass(now)
		m.current.carry = 0 // until now there was nothing but reading from disk
	}
	m.asking++
	if m.current != nil {
		m.current.atOnce = max(m.current.atOnce, m.asking)
	}
}

// Replied says that a model has ended its work on a call.
func (m *Meter) Replied() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.asking--
}

// Answered says that a call has its answer: from a model that was asked, or from disk.
func (m *Meter) Answered(now time.Time, asked, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	defer m.count(now)
	if asked {
		m.fresh++
		m.asked++
	} else {
		m.read++
		m.kept++
	}
	if !ok {
		m.failed++
	}
}

// Unusable says that a call which had its answer has failed nevertheless: the answer is of no use.
func (m *Meter) Unusable() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.failed++
}
