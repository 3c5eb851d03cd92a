package gate

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"lore/local"
)

// ModelUsage is what one model cost in a run.
type ModelUsage struct {
	Backend   string                `json:"backend"`
	Model     string                `json:"model"`
	Asked     int                   `json:"asked"`     // calls sent to the backend in this session
	Journaled int                   `json:"journaled"` // calls answered from the journal in this session
	Cached    int                   `json:"cached"`    // calls answered from the shared cache in this session
	Probes    int                   `json:"probes"`    // calls that only counted a prompt, to see whether it is read whole
	Spent     int                   `json:"spent"`     // of those from the journal, failures that have had their tries
	Outcomes  map[local.Outcome]int `json:"outcomes"`  // of all three
	Usage     local.Usage           `json:"usage"`     // of all: what the answers in hand cost when they were made
}

// Calls is how many calls were answered, wherever from.
func (u ModelUsage) Calls() int { return u.Asked + u.Journaled + u.Cached }

// origin is where an answer came from.
type origin int

const (
	fromModel origin = iota
	fromJournal
	fromCache
)

type meter struct {
	mu sync.Mutex
	by map[[2]string]*ModelUsage
}

func newMeter() *meter { return &meter{by: map[[2]string]*ModelUsage{}} }

func (m *meter) wrap(inner local.Backend) local.Backend {
	return local.BackendFunc(func(ctx context.Context, call local.Call) (local.Reply, error) {
		reply, err := inner.Do(ctx, call)
		if err == nil {
			m.add(call, reply, fromModel)
		}
		return reply, err
	})
}

func (m *meter) add(call local.Call, reply local.Reply, from origin) {
	m.mu.Lock()
	defer m.mu.Unlock()

	u := m.of(call)
	switch from {
	case fromJournal:
		u.Journaled++
	case fromCache:
		u.Cached++
	default:
		u.Asked++
	}
	if reply.Spent {
		u.Spent++
	}
	u.Outcomes[reply.Outcome]++
	u.Usage = u.Usage.Add(reply.Usage)
}

// probe counts a call that only counts a prompt.
func (m *meter) probe(call local.Call) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.of(call).Probes++
}

// of is the count of a call's model.
func (m *meter) of(call local.Call) *ModelUsage {
	key := [2]string{call.Backend, call.Model}
	u := m.by[key]
	if u == nil {
		u = &ModelUsage{Backend: call.Backend, Model: call.Model, Outcomes: map[local.Outcome]int{}}
		m.by[key] = u
	}
	return u
}

func (m *meter) snapshot() []ModelUsage {
	m.mu.Lock()
	defer m.mu.Unlock()

	out := make([]ModelUsage, 0, len(m.by))
	for _, u := range m.by {
		c := *u
		c.Outcomes = map[local.Outcome]int{}
		for k, v := range u.Outcomes {
			c.Outcomes[k] = v
		}
		out = append(out, c)
	}

	slices.SortFunc(out, func(a, b ModelUsage) int {
		return cmp.Or(cmp.Compare(a.Backend, b.Backend), cmp.Compare(a.Model, b.Model))
	})
	return out
}

// Sum adds what models cost in another run.
func Sum(to, more []ModelUsage) []ModelUsage {
	for _, m := range more {
		same := func(o ModelUsage) bool { return o.Backend == m.Backend && o.Model == m.Model }
		at := slices.IndexFunc(to, same)
		if at < 0 {
			to = append(to, ModelUsage{Backend: m.Backend, Model: m.Model, Outcomes: map[local.Outcome]int{}})
			at = len(to) - 1
		}
		u := &to[at]
		u.Asked, u.Journaled, u.Cached = u.Asked+m.Asked, u.Journaled+m.Journaled, u.Cached+m.Cached
		u.Probes, u.Spent, u.Usage = u.Probes+m.Probes, u.Spent+m.Spent, u.Usage.Add(m.Usage)
		for outcome, n := range m.Outcomes {
			u.Outcomes[outcome] += n
		}
	}
	return to
}
