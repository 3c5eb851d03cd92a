// Package gate is the door that every model call passes.
//
// It is a stack of small wrappers around a local.Backend, from the outside in:
//
//	repair   asks once for a repair of a reply that does not obey its schema
//	dedup    lets equal calls in flight share one answer
//	journal  answers a finished call from disk, and writes each finished call to disk first
//	watch    looks up whether the weights behind a name are still those of its calls
//	cache    answers what another run has finished, and keeps what this one finishes for others
//	schema   checks a reply against its schema
//	retry    repeats what failed in transport, after a pause, holding no slot
//	health   stops the run, or waits, where a server fails call after call
//	slots    bounds the calls running at once to what the server has, or shares them among servers
//	proof    makes sure that the model has read the whole prompt
//	witness  tells whoever shows how far a run is that a model works
//	meter    counts calls, tokens and time per model
//
// The order matters: a repeated call after a crash costs nothing because the
// journal stands outside the slots, and a pause before a retry keeps no slot busy. The
// cache stands inside the journal, so that the journal of a run holds every call that the
// run used, hits of the cache included, before anyone sees them.
package gate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"sync"
	"time"

	"lore/local"
)

// Lane is a backend with the number of calls it can run at once.
type Lane struct {
	Backend local.Backend
	Slots   int    // calls at once; below 1 means one per processor
	Hosts   []Host // in place of Backend and Slots: servers that share the calls
	// Shared says that finished calls may be taken from other runs: the call names all
	// that bears on the answer, the digest of the weights included.
	Shared bool
	// Here says that the backend is part of this process: a dry gate asks it, too.
	Here bool
	// Alive, if not nil, is asked after a call has failed in transport for good. Its
	// error stops the run: going on would fail every call that is left.
	Alive func(ctx context.Context) error
	// Prove says that the backend counts prompt tokens, and that a reply is only believed
	// where they show that the prompt was read whole.
	Prove   bool
	Version string // of the server, for what is remembered of it; empty: nothing is
	// Identity, if not nil, looks up whether a call's model still has the digest that the
	// call names. Its error wraps ErrChanged where it has not.
	Identity func(ctx context.Context, call local.Call) error
	// Reread, if not nil, judges a reply of the journal by what is wanted of it now. One that
	// becomes a failure is asked again, and one that no longer is one is not.
	Reread func(reply local.Reply) local.Reply
	Retry  Retry // zero value: that of the gate

	// Server is who is asked, such as "the system rag", for messages; empty: "the model server".
	Server string
	// Remedy, if not nil, is what helps where all replies of a model fail alike, for messages.
	Remedy func(model string) string
}

// server says who is asked.
func (l Lane) server() string { return cmp.Or(l.Server, "the model server") }

// remedy is what helps where all replies of a model fail alike; empty: nobody knows.
func (l Lane) remedy(model string) string {
	if l.Remedy == nil {
		return ""
	}
	return l.Remedy(model)
}

// OwnLane names the lane of one model of a backend, by its digest. It has slots, tries and
// health of its own; models without one share the lane of their backend.
func OwnLane(backend, digest string) string { return backend + " " + digest }

// laneOf is the name of a call's lane, and whether there is one.
func laneOf[L any](lanes map[string]L, call local.Call) (string, bool) {
	if own := OwnLane(call.Backend, call.Digest); call.Digest != "" {
		if _, ok := lanes[own]; ok {
			return own, true
		}
	}
	_, ok := lanes[call.Backend]
	return call.Backend, ok
}

// Config says how a Gate is built.
type Config struct {
	Dir   string          // folder of the journal; empty keeps no journal
	Cache string          // folder of calls that runs share; empty, or no journal, uses none
	Alone bool            // the cache is used without a journal
	Lanes map[string]Lane // by Call.Backend, or by OwnLane
	Retry Retry           // zero value: DefaultRetry
	Warn  func(string)    // receives warnings; nil drops them

	Patience Patience // with a server that fails
	Again    Again    // which failures of earlier runs are asked again
	Known    string   // folder for what is known of servers; empty keeps nothing
	Witness  Witness  // is told of calls; may be nil

	// Dry, if not nil, answers in place of the backends what is not finished, but for those that
	// are Here. Such a gate only reads its journal and its cache, and makes neither folder.
	Dry StandIn
}

// StandIn answers for models that are not asked.
type StandIn interface {
	local.Backend
	// Round is told before calls that are run together, and when they have all been answered.
	Round()
	// Finished is told of calls whose reply was in the journal or in the cache. It returns what is
	// to be taken for the reply.
	Finished(call local.Call, reply local.Reply) local.Reply
}

// Gate runs calls. It is safe for concurrent use.
type Gate struct {
	lanes   map[string]Lane
	journal *Journal
	cache   *cache
	watch   *watch
	meter   *meter
	warn    func(string)
	door    local.Backend
	again   Again
	check   *schemaCache
	dry     StandIn // nil: backends answer
	witness Witness
	spreads []*spread // of lanes with several hosts
}

// Open builds the door and reads the journal.
func Open(cfg Config) (*Gate, error) {
	if cfg.Warn == nil {
		cfg.Warn = func(string) {}
	}
	if cfg.Retry == (Retry{}) {
		cfg.Retry = DefaultRetry
	}
	if cfg.Witness == nil {
		cfg.Witness = silent{}
	}

	g := &Gate{lanes: map[string]Lane{}, meter: newMeter(), warn: cfg.Warn, witness: cfg.Witness}
	inner := make(router, len(cfg.Lanes))
	for name, lane := range cfg.Lanes {
		switch {
		case len(lane.Hosts) > 0:
			lane.Slots = slotsOf(lane.Hosts)
		case lane.Slots < 1:
			lane.Slots = runtime.GOMAXPROCS(0)
		}
		g.lanes[name] = lane
		inner[name] = g.lane(lane, cfg)
	}
	g.watch = &watch{lanes: g.lanes, void: g.void, warn: cfg.Warn, models: map[modelID]*watched{}}

	check := &schemaCache{lanes: g.lanes}
	g.again, g.check = cfg.Again, check
	if cfg.Dry != nil {
		return g, g.openDry(cfg, inner)
	}
	door := withSchema(inner, check)
	if cfg.Dir == "" {
		if cfg.Alone && cfg.Cache != "" {
			g.cache = newCache(cfg.Cache, cfg.Warn)
			door = withCache(door, g.cache, g.lanes, g.meter, cfg.Again, check)
		}
		g.door = withRepair(withDedup(withWatch(door, g.watch), g.meter))
		return g, nil
	}

	j, err := OpenJournal(cfg.Dir, cfg.Warn)
	if err != nil {
		return nil, err
	}
	g.journal = j
	if cfg.Cache != "" {
		g.cache = newCache(cfg.Cache, cfg.Warn)
		door = withCache(door, g.cache, g.lanes, g.meter, cfg.Again, check)
	}
	door = withWatch(withJournal(door, j, g.meter, cfg.Again, check), g.watch)
	g.door = withRepair(withDedup(door, g.meter))
	return g, nil
}

// lane stacks what stands before one backend, or before each of its hosts.
func (g *Gate) lane(lane Lane, cfg Config) local.Backend {
	before := func(h Host) local.Backend {
		backend := g.meter.wrap(h.Backend)
		if lane.Prove {
			var known *canaries
			if cfg.Known != "" {
				known = &canaries{cfg.Known}
			}
			// What only counts a prompt is metered apart.
			backend = newProof(h.Backend, g.meter, known, h.Version, cfg.Warn)
		}
		return withWitness(backend, cfg.Witness)
	}

	var slots local.Backend
	if len(lane.Hosts) > 0 {
		shared := newSpread(lane.Hosts, before, cfg.Warn)
		g.spreads = append(g.spreads, shared)
		slots = shared
	} else {
		slots = withSlots(before(Host{Backend: lane.Backend, Version: lane.Version}), lane.Slots)
	}
	h := newHealth(cfg.Patience, lane, cfg.Warn)
	retry := cfg.Retry
	if lane.Retry != (Retry{}) {
		retry = lane.Retry
	}
	return withRetry(slots, retry, h)
}

// Do runs one call. The error is a cancelled context or a journal that cannot be
// written; how the call itself went is in Reply.Outcome.
func (g *Gate) Do(ctx context.Context, call local.Call) (local.Reply, error) {
	return g.answered(ctx, call)
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
		if err := g.watch.settle(ctx); err != nil {
			return err
		}
	}
	return nil
}

// void takes replies back: from the journal, and from the cache that runs share.
func (g *Gate) void(calls map[string]local.Call, why string) error {
	keys := slices.Sorted(maps.Keys(calls))
	for _, call := range calls { // all of one model
		if g.cache != nil {
			g.cache.void(call, keys, why)
		}
		break
	}
	if g.journal == nil {
		return nil
	}
	return g.journal.Void(keys, why)
}

// longQuiet is how long nothing of any reply of a phase may come before that is said.
const longQuiet = 30 * time.Second

func (g *Gate) runPhase(ctx context.Context, calls []local.Call, phase []int, done func(int, local.Reply)) error {
	name, ok := laneOf(g.lanes, calls[phase[0]])
	if !ok {
		return fmt.Errorf("no backend %q is configured", calls[phase[0]].Backend)
	}
	lane := g.lanes[name]

	if g.dry != nil && !lane.Here {
		return g.dryPhase(ctx, calls, phase, done)
	}

	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	quiet := time.AfterFunc(longQuiet, func() {
		g.warn(fmt.Sprintf("%s has answered nothing for %s, not one byte: it may be loading, or reading a long prompt; "+
			"--timeout limits how long is waited", calls[phase[0]].Model, longQuiet))
	})
	defer quiet.Stop()
	ctx = local.WithHeard(ctx, func() { quiet.Stop() })

	work := make(chan int)
	var wg sync.WaitGroup
	var mu sync.Mutex
	var first Alike
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

				quiet.Stop()
				mu.Lock()
				if first.See(reply.Outcome, reply.Detail) {
					model := calls[i].Model
					g.warn(AlikeText(model, reply.Outcome, reply.Detail, lane.remedy(model)))
				}
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

// Close looks up the models once more, and closes the journal and the cache.
func (g *Gate) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), lastLook)
	defer cancel()
	err := g.watch.settle(ctx)

	if g.cache != nil {
		g.cache.close()
	}
	if g.journal == nil {
		return err
	}
	return errors.Join(err, g.journal.Close())
}

// lastLook bounds the time of the last look at a server.
const lastLook = 10 * time.Second

// router sends a call to its lane.
type router map[string]local.Backend

func (r router) Do(ctx context.Context, call local.Call) (local.Reply, error) {
	name, ok := laneOf(r, call)
	if !ok {
		return local.Reply{}, fmt.Errorf("no backend %q is configured", call.Backend)
	}
	return r[name].Do(ctx, call)
}

// finished is the reply to a call from the journal, or from the cache.
func (g *Gate) finished(ctx context.Context, call local.Call) (local.Reply, bool) {
	journals := []*Journal{g.journal}
	if g.cache != nil && g.lanes[call.Backend].Shared && call.Digest != "" {
		journals = append(journals, g.cache.of(call))
	}
	for _, j := range journals {
		if j == nil {
			continue
		}
		was, found, err := j.Lookup(call.Key())
		if err != nil || !found {
			continue
		}
		if reply, ok := g.again.usable(ctx, call, was, g.check); ok {
			return reply, true
		}
	}
	return local.Reply{}, false
}

// IsCancelled reports whether err only says that the user stopped the run.
func IsCancelled(err error) bool { return errors.Is(err, context.Canceled) }
