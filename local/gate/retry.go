package gate

import (
	"context"
	"math/rand/v2"
	"time"

	"lore/local"
)

// Retry says how transient failures are repeated.
type Retry struct {
	Attempts int           // tries in all, the first included
	First    time.Duration // upper bound of the first pause; it doubles each time
	Most     time.Duration // upper bound of any pause that the server did not ask for

	// Unended repeats a stream that ended without its end mark, too, once: it costs as much
	// as a whole one.
	Unended bool
}

// again reports whether a reply is worth another try, and whether that is dear.
func (r Retry) again(o local.Outcome) (again, dear bool) {
	if o == local.NoDone {
		return r.Unended, true
	}
	return o.Transient(), o == local.Timeout || o == local.Truncated
}

// DefaultRetry waits up to about two minutes in all: long enough for a server to
// load a model again after its runner stopped.
var DefaultRetry = Retry{Attempts: 8, First: 500 * time.Millisecond, Most: 30 * time.Second}

// mostDear is how often a call is tried that fails in a way that costs much each time: it
// takes too long, or its prompt is read and cut.
const mostDear = 2

// longestWait is the longest that a server may ask to be left alone before it counts as
// one that does not answer.
const longestWait = 2 * time.Minute

// withRetry repeats a call whose outcome is transient. The pause is random
// between half and all of a doubling bound, so that many callers do not come
// back at the same moment; a pause that the server asks for is kept. What is left after
// that is the server's health to judge: it stops the run, waits, or lets the call fail.
func withRetry(inner local.Backend, r Retry, h *health) local.Backend {
	return local.BackendFunc(func(ctx context.Context, call local.Call) (local.Reply, error) {
		noteAsked(ctx)
		for {
			since := h.wellAt()
			reply, err := r.attempts(ctx, inner, call, h)
			if err != nil {
				return reply, err
			}

			again, err := h.judge(ctx, reply, since)
			if err != nil || !again {
				return reply, err
			}
		}
	})
}

// attempts tries a call until it is answered or has had its tries.
func (r Retry) attempts(ctx context.Context, inner local.Backend, call local.Call, h *health) (local.Reply, error) {
	bound, dear := r.First, 0
	for attempt := 1; ; attempt++ {
		reply, err := inner.Do(ctx, call)
		again, isDear := r.again(reply.Outcome)
		if err != nil || !again {
			return reply, err
		}

		if isDear {
			dear++
		}
		if reply.Wait > longestWait {
			return h.asksTooMuch(reply), nil
		}
		if attempt >= r.Attempts || dear >= mostDear || h.sick() {
			return reply, nil
		}
		pause := max(bound/2+rand.N(bound/2+1), reply.Wait)
		if attempt > 1 {
			h.tellRetry(call, reply, attempt, r.Attempts, pause)
		}
		if err := sleep(ctx, pause); err != nil {
			return local.Reply{}, err
		}
		bound = min(2*bound, r.Most)
	}
}

// sleep waits, or returns why the work was cancelled.
func sleep(ctx context.Context, pause time.Duration) error {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
