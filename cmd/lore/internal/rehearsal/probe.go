package rehearsal

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"lore/cmd/lore/internal/forecast"
	"lore/local"
)

// probeTime is how long calls are timed for each model and phase, at most; those that go on by
// then are waited for.
const probeTime = time.Minute

// probe makes some calls of each work and times them, one model after the other. Calls that the
// work will really make are kept for it. most is how many may be made together, asked how many were.
func (c Config) probe(ctx context.Context, m *memory, works []*work, keep bool, most int) (asked int, err error) {
	door, err := c.Open(ctx, keep)
	if err != nil {
		return 0, err
	}
	works = slices.Clone(works)
	slices.SortStableFunc(works, func(a, b *work) int { return order(works, a) - order(works, b) })
	loaded := ""
	for _, w := range works {
		may := len(w.Calls) / 2
		if c.Chained {
			may = min(len(w.Calls), most-asked)
		}
		n, err := c.time(ctx, door, m, w, keep, w.Model != loaded, may)
		if err != nil {
			return asked, errors.Join(err, door.Close())
		}
		if asked += n; n > 0 {
			loaded = w.Model
		}
	}
	return asked, door.Close()
}

// order is the place of a work's model among those of all.
func order(works []*work, of *work) int {
	return slices.IndexFunc(works, func(w *work) bool { return w.Model == of.Model })
}

// time makes calls of a work: the first one alone, which may load the model, then rounds that
// keep all slots full. No more than half of those that are left should be: who only asks what work takes
// does not want it done. It returns how many were made.
func (c Config) time(ctx context.Context, door Door, m *memory, w *work, keep, load bool, most int) (asked int, err error) {
	calls, takes := w.pool.choose(min(4*c.Slots+8, most), !keep)
	if len(calls) == 0 {
		return 0, nil
	}
	if c.Probing != nil {
		c.Probing(w.Model, w.Phase, len(calls), len(w.Calls))
	}
	first := 0
	if load {
		first = 1
	}
	take := func(from, to int, timed bool) error {
		return door.All(ctx, calls[from:to], func(i int, reply local.Reply) {
			m.take(w.place, calls[from+i], takes[from+i], reply, keep, timed)
		})
	}
	if err := take(0, first, len(calls) < 4); err != nil {
		return first, err
	}

	from := first
	for start := time.Now(); from < len(calls) && time.Since(start) < probeTime; {
		to := min(len(calls), from+4*c.Slots)
		if len(calls)-to < c.Slots {
			to = len(calls)
		}
		if err := take(from, to, true); err != nil {
			return to, err
		}
		from = to
	}
	return from, nil
}

// firstCall is one that may have loaded its model, and how long it took with that.
type firstCall struct {
	takes  forecast.Call
	output int
	took   time.Duration
}

// loading is how long models take to load: as the server says, or else what the first call took
// longer than one of its length takes.
func (m *memory) loading(speeds map[string]forecast.Speed) map[string]time.Duration {
	out := maps.Clone(m.loads)
	for model, f := range m.first {
		if s, ok := speeds[model]; ok && out[model] == 0 {
			rest := f.took.Seconds() - s.Seconds(f.takes, float64(f.output))
			out[model] = max(0, time.Duration(rest*float64(time.Second)))
		}
	}
	return out
}

// take takes in the reply to a call that was tried.
func (m *memory) take(at place, call local.Call, takes forecast.Call, reply local.Reply, keep, timed bool) {
	if keep {
		key := identity(call)
		m.known[key], m.tried[key] = reply, true
	}
	m.learn(at, call, reply)
	u := reply.Usage
	try := forecast.Try{Reply: m.replyOf(call, reply), Shared: takes.Shared, Took: u.Duration - u.Load,
		Reading: u.Reading, Writing: u.Writing}
	m.loads[at.model] = max(m.loads[at.model], u.Load)
	if _, again := m.first[at.model]; !timed && !again {
		m.first[at.model] = firstCall{takes, u.OutputTokens, u.Duration}
	}

	m.made[at]++
	written := reply.Outcome == local.OK || reply.Outcome == local.Cut
	if !written {
		m.failed[at] = append(m.failed[at], string(reply.Outcome)+": "+reply.Detail)
	}
	if timed && (written || reply.Outcome == local.BadFormat) { // it took its time all the same
		m.tries[at] = append(m.tries[at], try)
	}
}
