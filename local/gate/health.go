package gate

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"time"

	"lore/local"
)

// ErrSick marks the end of a run whose server fails call after call.
var ErrSick = errors.New("fails call after call")

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

// deniedAfter is the number of calls in a row, refused because of who asks, that stop the run:
// a password or a key does not become right by being shown again.
const deniedAfter = 3

// retriesTold is the least time between two notes on calls that are tried again.
const retriesTold = time.Minute

// health is what the calls of one lane have shown of its server.
type health struct {
	patience Patience
	server   string // who is asked, for messages
	alive    func(context.Context) error
	warn     func(string)

	mu     sync.Mutex
	inRow  int
	well   int // calls answered so far
	pauses int // in a row
	told   time.Time

	retriesTold time.Time
	denial      int // status of the last failure, where it refused whoever asks; else 0
	denied      int // failures in a row by that status
}

func newHealth(p Patience, lane Lane, warn func(string)) *health {
	if p.Failures == 0 {
		p.Failures = DefaultFailures
	}
	if p.Pause == 0 {
		p.Pause = DefaultPause
	}
	return &health{patience: p, server: lane.server(), alive: lane.Alive, warn: warn}
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

	inRow, denied, alone := h.fail(reply, since)
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
	case h.patience.Failures > 0 && denied >= deniedAfter:
		return false, fmt.Errorf("%s %w: %d in a row were refused because of who asks: %s; the finished calls are kept: "+
			"renew what you send as a password, key or token, and run the same command again", h.server, ErrSick, denied, reply.Detail)
	case h.patience.Failures > 0 && inRow >= h.patience.Failures:
		return false, fmt.Errorf("%s %w: %s in a row, the last: %s: %s; the finished calls are kept: "+
			"see to it and run the same command again, or let lore wait for it with --keep-trying",
			h.server, ErrSick, failures(inRow), reply.Outcome, reply.Detail)
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
	h.inRow, h.pauses, h.denied, h.denial = 0, 0, 0, 0
	h.well++
}

// fail counts a failure. denied is how many in a row were refused by the same status, and alone is
// true if no call was answered since the mark.
func (h *health) fail(reply local.Reply, since int) (inRow, denied int, alone bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.inRow++
	if reply.Outcome == local.Timeout {
		h.inRow += timeoutWeight - 1
	}
	if reply.Denied != h.denial {
		h.denial, h.denied = reply.Denied, 0
	}
	if reply.Denied != 0 {
		h.denied++
	}
	return h.inRow, h.denied, h.well == since
}

// asksTooMuch says of a failure that it was given up because the server asks for a longer pause
// than lore makes. Where lore waits for servers that are down, it waits for this one, too.
func (h *health) asksTooMuch(reply local.Reply) local.Reply {
	if !h.patience.Keep {
		reply.Detail = fmt.Sprintf("%s; it asks to wait %.0f s, more than the %.0f s that lore waits",
			strings.TrimRight(reply.Detail, ":; "), reply.Wait.Seconds(), longestWait.Seconds())
	}
	return reply
}

// tellRetry tells now and then that a call is tried again and again.
func (h *health) tellRetry(call local.Call, reply local.Reply, tried, most int, pause time.Duration) {
	h.mu.Lock()
	tell := h.retriesTold.IsZero() || time.Since(h.retriesTold) >= retriesTold
	if tell {
		h.retriesTold = time.Now()
	}
	h.mu.Unlock()
	if tell {
		h.warn(fmt.Sprintf("%s from %s: tried %d of %d, next in %.0f s", strings.TrimRight(brief(reply.Detail), ":; "),
			call.Model, tried, most, math.Ceil(pause.Seconds())))
	}
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
		h.warn(fmt.Sprintf("%s does not answer (%s: %s); trying again until it does: "+
			"what is finished is kept if you stop this", h.server, reply.Outcome, reply.Detail))
	}
	return sleep(ctx, pause)
}
