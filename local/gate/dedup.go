package gate

import (
	"context"
	"sync"

	"lore/local"
)

// withDedup lets equal calls that are in flight at the same time share one
// answer. A caller that joins waits only as long as its own context allows; its call
// is counted as one from the journal, where it would come from a moment later.
func withDedup(inner local.Backend, m *meter) local.Backend {
	d := &dedup{inner: inner, meter: m, flights: map[string]*flight{}}
	return d
}

type dedup struct {
	inner   local.Backend
	meter   *meter
	mu      sync.Mutex
	flights map[string]*flight
}

type flight struct {
	done  chan struct{}
	reply local.Reply
	err   error
}

func (d *dedup) Do(ctx context.Context, call local.Call) (local.Reply, error) {
	key := call.Key()
	for {
		f, leader := d.board(key)
		if leader {
			f.reply, f.err = d.inner.Do(ctx, call)
			d.land(key)
			close(f.done)
			return f.reply, f.err
		}

		select {
		case <-f.done:
		case <-ctx.Done():
			return local.Reply{}, context.Cause(ctx)
		}

		if f.err != nil && ctx.Err() == nil && IsCancelled(f.err) {
			continue // the one that asked gave up; this caller has not
		}
		if f.err == nil {
			d.meter.add(call, f.reply, fromJournal)
		}
		return f.reply, f.err
	}
}

// board joins the flight of a key, or starts one and says so.
func (d *dedup) board(key string) (f *flight, leader bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if f, ok := d.flights[key]; ok {
		return f, false
	}
	f = &flight{done: make(chan struct{})}
	d.flights[key] = f
	return f, true
}

func (d *dedup) land(key string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.flights, key)
}
