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
	Most     time.Duration // upper bound of any pause
}

// DefaultRetry waits up to about two minutes in all: long enough for a server to
// load a model again after its runner stopped.
var DefaultRetry = Retry{Attempts: 8, First: 500 * time.Millisecond, Most: 30 * time.Second}

// withRetry repeats a call whose outcome is transient. The pause is random
// between half and all of a doubling bound, so that many callers do not come
// back at the same moment. When the last try fails too, alive decides whether the
// failure is the call's or the server's.
func withRetry(inner local.Backend, r Retry, alive func(context.Context) error) local.Backend {
	return local.BackendFunc(func(ctx context.Context, call local.Call) (local.Reply, error) {
		bound := r.First
		for attempt := 1; ; attempt++ {
			reply, err := inner.Do(ctx, call)
			if err != nil || !reply.Outcome.Transient() {
				return reply, err
			}

			if attempt >= r.Attempts {
				if alive != nil {
					err = alive(ctx)
				}
				return reply, err
			}

			pause := bound/2 + rand.N(bound/2+1)
			select {
			case <-time.After(pause):
			case <-ctx.Done():
				return local.Reply{}, context.Cause(ctx)
			}
			bound = min(2*bound, r.Most)
		}
	})
}
