package gate

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"lore/local"
)

// Host is one of several servers that share the calls of a lane. All of them serve the same
// weights: whoever makes the lane has seen to that.
type Host struct {
	Name    string // for messages
	Backend local.Backend
	Slots   int    // calls at once; below 1 means 1
	Version string // of the server, as in Lane

	// Alive is asked whether a host that failed in transport is there, and before it is asked again:
	// it must then still serve the same weights.
	Alive func(ctx context.Context) error
}

// Pauses of a host that is lost, until it is looked for again.
const (
	firstAbsence = 5 * time.Second
	mostAbsence  = 2 * time.Minute
)

// sharer is a host with what it does at the moment.
type sharer struct {
	Host
	backend local.Backend // with what stands before it

	busy    int
	served  int    // calls so far
	last    string // prefix of its last call
	away    bool   // it was lost
	back    time.Time
	absence time.Duration
}

// spread gives each call to the host that has the most slots free for its size. A host that is lost
// is passed over, and its calls go to the others.
type spread struct {
	warn func(string)

	mu    sync.Mutex
	hosts []*sharer
	freed chan struct{} // closed when a slot has become free
}

// newSpread shares calls among hosts. before stacks what stands before each one.
func newSpread(hosts []Host, before func(Host) local.Backend, warn func(string)) *spread {
	s := &spread{warn: warn, freed: make(chan struct{})}
	for _, h := range hosts {
		h.Slots = max(1, h.Slots)
		s.hosts = append(s.hosts, &sharer{Host: h, backend: before(h)})
	}
	return s
}

// slotsOf is how many calls run at once on all hosts.
func slotsOf(hosts []Host) int {
	n := 0
	for _, h := range hosts {
		n += max(1, h.Slots)
	}
	return n
}

// Do runs a call on one host, or on the next where that is lost.
func (s *spread) Do(ctx context.Context, call local.Call) (local.Reply, error) {
	tried := map[*sharer]bool{}
	for {
		h, err := s.take(ctx, call.Prefix, tried)
		if err != nil {
			return local.Reply{}, err
		}
		reply, err := s.ask(ctx, h, call)
		tried[h] = true
		if err != nil || reply.Outcome != local.Transport || len(tried) == len(s.hosts) || !s.isAway(h) {
			return reply, err
		}
	}
}

// ask runs a call on a host that was taken, and gives the slot back.
func (s *spread) ask(ctx context.Context, h *sharer, call local.Call) (local.Reply, error) {
	defer s.release(h)
	if s.isAway(h) {
		if err := h.Alive(ctx); err != nil {
			s.lose(h)
			if ctx.Err() != nil {
				return local.Reply{}, context.Cause(ctx)
			}
			return local.Fail(local.Transport, "%s: %v", h.Name, err), nil
		}
		s.find(h)
	}

	reply, err := h.backend.Do(ctx, call)
	if err == nil && reply.Outcome == local.Transport && h.Alive != nil && h.Alive(ctx) != nil && ctx.Err() == nil {
		s.lose(h)
	}
	return reply, err
}

// take waits for a host with a free slot that was not tried, the least busy first. Hosts that are away
// are taken when it is time to look for them, or when all are.
func (s *spread) take(ctx context.Context, prefix string, tried map[*sharer]bool) (*sharer, error) {
	for {
		s.mu.Lock()
		best := s.best(prefix, tried)
		if best != nil {
			best.busy++
			best.served++
			best.last = prefix
			s.mu.Unlock()
			return best, nil
		}
		freed := s.freed
		s.mu.Unlock()

		select {
		case <-freed:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// best is the host to be asked next; nil where all are busy.
func (s *spread) best(prefix string, tried map[*sharer]bool) *sharer {
	now := time.Now()
	allAway := true
	for _, h := range s.hosts {
		allAway = allAway && (h.away || tried[h])
	}

	var best *sharer
	for _, h := range s.hosts {
		switch {
		case tried[h], h.busy >= h.Slots:
		case h.away && !allAway && (now.Before(h.back) || h.busy > 0): // one call looks for it
		case best == nil || h.before(best, prefix):
			best = h
		}
	}
	return best
}

// before reports whether a host is asked rather than another: where fewer of its slots are taken, then
// where the same beginning of a prompt was read last, then where fewer calls have been.
func (h *sharer) before(other *sharer, prefix string) bool {
	mine, theirs := h.busy*other.Slots, other.busy*h.Slots
	if mine != theirs {
		return mine < theirs
	}
	if knows, known := h.last == prefix, other.last == prefix; prefix != "" && knows != known {
		return knows
	}
	return h.served < other.served
}

func (s *spread) release(h *sharer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h.busy--
	close(s.freed)
	s.freed = make(chan struct{})
}

func (s *spread) isAway(h *sharer) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return h.away
}

// lose notes that a host is away, and for how long it is not looked for.
func (s *spread) lose(h *sharer) {
	s.mu.Lock()
	first := !h.away
	h.away = true
	h.absence = min(max(firstAbsence, 2*h.absence), mostAbsence)
	h.back = time.Now().Add(h.absence)
	var left []string
	for _, other := range s.hosts {
		if !other.away {
			left = append(left, other.Name)
		}
	}
	s.mu.Unlock()

	if first && len(left) > 0 {
		s.warn(fmt.Sprintf("%s does not answer any more: its calls go to %s, and it is looked for now and then",
			h.Name, strings.Join(left, ", ")))
	}
}

// find notes that a host is back.
func (s *spread) find(h *sharer) {
	s.mu.Lock()
	was := h.away
	h.away, h.absence = false, 0
	s.mu.Unlock()
	if was {
		s.warn(h.Name + " is back")
	}
}
