package gate

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"lore/local"
)

// ErrSick marks the end of a run whose server fails call after call.
var ErrSick = errors.New("the model server fails")

// Patience says when a server that fails is given up.
type Patience struct {
	// Failures in a row that stop the run; 0 means DefaultFailures, below 0 never. A call
	// that took too long counts as several.
	Failures int
	// Keep waits and tries again instead of stopping.
	Keep bool
	// Pause is the first between two tries of a server that is down; it doubles up to
	// LongestPause. 0 means DefaultPause.
	Pause time.Duration
}

// Defaults of Patience.
const (
	DefaultFailures = 20
	DefaultPause    = 15 * time.Second
	LongestPause    = 5 * time.Minute
)

// A timeout weighs as much as several failures: it took minutes.
const timeoutWeight = 5

// sickAfter is the number of failures in a row after which a failed call is not repeated.
const sickAfter = 3

// health is what the calls of one lane have shown of its server.
type health struct {
	patience Patience
	alive    func(context.Context) error
	warn     func(string)

	mu     sync.Mutex
	inRow  int
	well   int // calls answered so far
	pauses int // in a row
	told   time.Time
}

func newHealth(p Patience, alive func(context.Context) error, warn func(string)) *health {
	if p.Failures == 0 {
		p.Failures = DefaultFailures
	}
	if p.Pause == 0 {
		p.Pause = DefaultPause
	}
	return &health{patience: p, alive: alive, warn: warn}
}

// wellAt is a mark in the sequence of good replies.
func (h *health) wellAt() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.well
}

// sick reports whether so many calls have failed in a row that repeating is no help.
func (h *health) sick() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.inRow >= sickAfter
}

// judge takes a call's last reply in. since is the mark from before the call. It says
// whether the call is to be made again, after a pause, and stops the run with an error
// where the server is given up.
func (h *health) judge(ctx context.Context, reply local.Reply, since int) (again bool, err error) {
	if !reply.Outcome.Sick() {
		h.recover()
		return false, nil
	}

	inRow, alone := h.fail(reply, since)
	var gone error
	if reply.Outcome.Transient() && reply.Outcome != local.Truncated && h.alive != nil {
		gone = h.alive(ctx)
	}
	if ctx.Err() != nil {
		return false, context.Cause(ctx)
	}

	switch {
	// Where others were answered meanwhile, and the server is there, the fault may be the
	// call's own.
	case h.patience.Keep && (gone != nil || alone && (reply.Outcome.Transient() || inRow >= sickAfter)):
		return true, h.rest(ctx, reply)
	case gone != nil:
		return false, gone
	case h.patience.Failures > 0 && inRow >= h.patience.Failures:
		return false, fmt.Errorf("%w: %s in a row, the last: %s: %s; the finished calls are kept: "+
			"see to the server and run the same command again, or let lore wait for it with --keep-trying",
			ErrSick, failures(inRow), reply.Outcome, reply.Detail)
	}
	return false, nil
}

func failures(n int) string {
	if n == 1 {
		return "1 failure"
	}
	return fmt.Sprintf("%d failures", n)
}

func (h *health) recover() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.inRow, h.pauses = 0, 0
	h.well++
}

// fail counts a failure. alone is true if no call was answered since the mark.
func (h *health) fail(reply local.Reply, since int) (inRow int, alone bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.inRow++
	if reply.Outcome == local.Timeout {
		h.inRow += timeoutWeight - 1
	}
	return h.inRow, h.well == since
}

// rest waits before a server that is down is tried again, and says so now and then.
func (h *health) rest(ctx context.Context, reply local.Reply) error {
	h.mu.Lock()
	pause := min(h.patience.Pause<<min(h.pauses, 10), LongestPause)
	h.pauses++
	tell := time.Since(h.told) > LongestPause
	if tell {
		h.told = time.Now()
	}
	h.mu.Unlock()

	pause = max(pause, min(reply.Wait, time.Hour))
	if tell {
		h.warn(fmt.Sprintf("the model server does not answer (%s: %s); trying again until it does: "+
			"what is finished is kept if you stop this", reply.Outcome, reply.Detail))
	}
	return sleep(ctx, pause)
}
