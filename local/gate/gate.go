// Package gate is the door that every model call passes.
//
// It is a stack of small wrappers around a local.Backend, from the outside in:
//
//	format   checks a reply against its schema and asks once for a repair
//	dedup    lets equal calls in flight share one answer
//	journal  answers a finished call from disk, and writes each finished call to disk first
//	cache    answers what another run has finished, and keeps what this one finishes for others
//	retry    repeats what failed in transport, after a pause, holding no slot
//	slots    bounds the calls running at once to what the server has
//	meter    counts calls, tokens and time per model
//
// The order matters: a repeated call after a crash costs nothing because the
// journal stands outside the slots, and a pause before a retry keeps no slot busy. The
// cache stands inside the journal, so that the journal of a run holds every call that the
// run used, hits of the cache included, before anyone sees them.
package gate

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"

	"lore/local"
)

// Lane is a backend with the number of calls it can run at once.
type Lane struct {
	Backend local.Backend
	Slots   int // calls at once; below 1 means one per processor
	// Shared says that finished calls may be taken from other runs: the call names all
	// that bears on the answer, the digest of the weights included.
	Shared bool
	// Alive, if not nil, is asked after a call has failed in transport for good. Its
	// error stops the run: going on would fail every call that is left.
	Alive func(ctx context.Context) error
}

// Config says how a Gate is built.
type Config struct {
	Dir   string          // folder of the journal; empty keeps no journal
	Cache string          // folder of calls that runs share; empty, or no journal, uses none
	Lanes map[string]Lane // by Call.Backend
	Retry Retry           // zero value: DefaultRetry
	Warn  func(string)    // receives warnings; nil drops them
}

// Gate runs calls. It is safe for concurrent use.
type Gate struct {
	lanes   map[string]Lane
	journal *Journal
	cache   *cache
	meter   *meter
	door    local.Backend
}

// Open builds the door and reads the journal.
func Open(cfg Config) (*Gate, error) {
	if cfg.Warn == nil {
		cfg.Warn = func(string) {}
	}
	if cfg.Retry == (Retry{}) {
		cfg.Retry = DefaultRetry
	}

	g := &Gate{lanes: map[string]Lane{}, meter: newMeter()}
	inner := make(router, len(cfg.Lanes))
	for name, lane := range cfg.Lanes {
		if lane.Slots < 1 {
			lane.Slots = runtime.GOMAXPROCS(0)
		}
		g.lanes[name] = lane
		inner[name] = withRetry(withSlots(g.meter.wrap(lane.Backend), lane.Slots), cfg.Retry, lane.Alive)
	}

	var door local.Backend = inner
	if cfg.Dir != "" {
		j, err := OpenJournal(cfg.Dir, cfg.Warn)
		if err != nil {
			return nil, err
		}
		g.journal = j
		if cfg.Cache != "" {
			g.cache = newCache(cfg.Cache, cfg.Warn)
			door = withCache(door, g.cache, g.lanes, g.meter)
		}
		door = withJournal(door, j, g.meter)
	}

	g.door = withFormat(withDedup(door, g.meter))
	return g, nil
}

// Do runs one call. The error is a cancelled context or a journal that cannot be
// written; how the call itself went is in Reply.Outcome.
func (g *Gate) Do(ctx context.Context, call local.Call) (local.Reply, error) {
	return g.door.Do(ctx, call)
}

// All runs calls in phases, one model after the other in the order of their
// first call, so that each model is loaded once. Inside a phase calls that share
// a Prefix are adjacent and as many run at once as the lane has slots.
//
// done is called once per finished call, from one goroutine at a time, in any
// order; i is the call's place in calls. All stops at the first error of Do.
func (g *Gate) All(ctx context.Context, calls []local.Call, done func(i int, reply local.Reply)) error {
	for _, phase := range phases(calls) {
		if err := g.runPhase(ctx, calls, phase, done); err != nil {
			return err
		}
	}
	return nil
}

func (g *Gate) runPhase(ctx context.Context, calls []local.Call, phase []int, done func(int, local.Reply)) error {
	lane, ok := g.lanes[calls[phase[0]].Backend]
	if !ok {
		return fmt.Errorf("no backend %q is configured", calls[phase[0]].Backend)
	}

	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)

	work := make(chan int)
	var wg sync.WaitGroup
	var mu sync.Mutex
	// Twice as many workers as slots: one call can be written to the journal or
	// wait for a retry while another takes its slot.
	for range min(2*lane.Slots, len(phase)) {
		wg.Go(func() {
			for i := range work {
				reply, err := g.Do(ctx, calls[i])
				if err != nil {
					stop(err)
					return
				}

				mu.Lock()
				done(i, reply)
				mu.Unlock()
			}
		})
	}

feed:
	for _, i := range phase {
		select {
		case work <- i:
		case <-ctx.Done():
			break feed
		}
	}

	close(work)
	wg.Wait()
	return context.Cause(ctx)
}

// Usage returns what was spent per model, and by which outcome.
func (g *Gate) Usage() []ModelUsage { return g.meter.snapshot() }

// Close flushes and closes the journal and the cache.
func (g *Gate) Close() error {
	if g.cache != nil {
		g.cache.close()
	}
	if g.journal == nil {
		return nil
	}
	return g.journal.Close()
}

// router sends a call to the lane named by Call.Backend.
type router map[string]local.Backend

func (r router) Do(ctx context.Context, call local.Call) (local.Reply, error) {
	b, ok := r[call.Backend]
	if !ok {
		return local.Reply{}, fmt.Errorf("no backend %q is configured", call.Backend)
	}
	return b.Do(ctx, call)
}

// IsCancelled reports whether err only says that the user stopped the run.
func IsCancelled(err error) bool { return errors.Is(err, context.Canceled) }
