package gate

import (
	"context"

	"lore/local"
)

// Witness is told of calls as they pass, by several goroutines. It says how far a run is.
type Witness interface {
	Asking()                 // a backend has begun to work on a call
	Replied()                // it has ended that work, whatever came of it
	Answered(asked, ok bool) // a call has its answer: from a backend that was asked, or from elsewhere
}

// silent is told of nothing.
type silent struct{}

func (silent) Asking()            {}
func (silent) Replied()           {}
func (silent) Answered(_, _ bool) {}

// workedKey marks a context in which a backend notes that it has worked.
type workedKey struct{}

// withWitness tells of the work of a backend. It stands inside the slots: a call that waits for one
// is not worked on.
func withWitness(inner local.Backend, w Witness) local.Backend {
	return local.BackendFunc(func(ctx context.Context, call local.Call) (local.Reply, error) {
		if worked, ok := ctx.Value(workedKey{}).(*bool); ok {
			*worked = true
		}
		w.Asking()
		defer w.Replied()
		return inner.Do(ctx, call)
	})
}

// answered runs a call, and tells how it was answered. A reply that reached its length limit may be
// of use: what becomes of it is told elsewhere.
func (g *Gate) answered(ctx context.Context, call local.Call) (local.Reply, error) {
	worked := new(bool)
	reply, err := g.door.Do(context.WithValue(ctx, workedKey{}, worked), call)
	if err == nil {
		g.witness.Answered(*worked, Answered(reply))
	}
	return reply, err
}

// Answered reports whether a call has an answer that may be of use.
func Answered(reply local.Reply) bool { return reply.Outcome == local.OK || reply.Outcome == local.Cut }
