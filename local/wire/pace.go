package wire

import (
	"fmt"
	"sync"
	"time"
)

// Limits bound how long a reply may take. A field that is zero is found from what the model
// has shown so far.
type Limits struct {
	First time.Duration // until the reply begins: loading the model, waiting for a slot, reading the prompt
	Idle  time.Duration // between two pieces of the reply
	Total time.Duration // of the whole reply
}

// What a model is taken for that has shown nothing yet: it is loaded from a slow disk, and
// runs on a processor.
const (
	firstLoad    = 5 * time.Minute
	slowestByte  = 25 * time.Millisecond // of a prompt; about ten tokens a second
	slowestToken = time.Second           // of a reply
	longestGap   = time.Minute
)

// What a model is given in any case, and how many times what it has shown.
const (
	grace    = time.Minute
	patience = 4
)

// pace is what a model has shown so far: its slowest values.
type pace struct {
	load    time.Duration
	perByte time.Duration // of a prompt, until the reply begins
	perTok  time.Duration // of a reply
	gap     time.Duration // between two pieces of a reply
}

// paces keeps the pace of every model, and how many of its replies are awaited.
type paces struct {
	mu    sync.Mutex
	by    map[string]*pace
	await map[string]int
}

func newPaces() *paces { return &paces{by: map[string]*pace{}, await: map[string]int{}} }

// begin counts a call and returns its limits. All that is awaited may stand before it in
// the server's queue.
func (p *paces) begin(model string, bytes, tokens int, given Limits) Limits {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.await[model]++

	m := pace{load: firstLoad / patience, perByte: slowestByte / patience, perTok: slowestToken / patience, gap: longestGap / patience}
	if known := p.by[model]; known != nil {
		m = *known
	}
	reading := patience * m.perByte * time.Duration(bytes)
	out := Limits{
		First: grace + patience*m.load + reading*time.Duration(p.await[model]),
		Idle:  grace + patience*m.gap + reading, // a model that thinks reads its prompt once more
	}
	out.Total = out.First + grace + 2*patience*m.perTok*time.Duration(tokens)

	if given.First > 0 {
		out.First = given.First
	}
	if given.Idle > 0 {
		out.Idle = given.Idle
	}
	if given.Total > 0 {
		out.Total = given.Total
	}
	return out
}

// end is called once for each begin.
func (p *paces) end(model string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.await[model]--
}

// leastBytes keeps what every prompt costs from being taken for the cost of its bytes.
const leastBytes = 500

// learn takes in how long a good reply took.
func (p *paces) learn(model string, bytes, tokens int, load, first, gap, whole time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	m := p.by[model]
	if m == nil {
		m = &pace{}
		p.by[model] = m
	}
	load = min(max(load, 0), first)
	m.load = max(m.load, load)
	m.perByte = max(m.perByte, (first-load)/time.Duration(max(bytes, leastBytes)))
	m.perTok = max(m.perTok, (whole-first)/time.Duration(max(tokens, 1)))
	m.gap = max(m.gap, gap)
}

// TimeoutError says that a limit of time has passed.
type TimeoutError struct {
	what  string
	limit time.Duration
}

func (e *TimeoutError) Error() string {
	return fmt.Sprintf("%s within %s; --timeout sets another limit", e.what, e.limit.Round(time.Millisecond))
}
