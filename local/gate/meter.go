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
	Outcomes  map[local.Outcome]int `json:"outcomes"`  // of both
	Usage     local.Usage           `json:"usage"`     // of both: what the answers in hand cost when they were made
}

type meter struct {
	mu sync.Mutex
	by map[[2]string]*ModelUsage
}

func newMeter() *meter { return &meter{by: map[[2]string]*ModelUsage{}} }

func (m *meter) wrap(inner local.Backend) local.Backend {
	return local.BackendFunc(func(ctx context.Context, call local.Call) (local.Reply, error) {
		reply, err := inner.Do(ctx, call)
		if err == nil {
			m.add(call, reply, false)
		}
		return reply, err
	})
}

func (m *meter) add(call local.Call, reply local.Reply, journaled bool) {
	m.mu.Lock()
	defer m.mu.Unlock()

	key := [2]string{call.Backend, call.Model}
	u := m.by[key]
	if u == nil {
		u = &ModelUsage{Backend: call.Backend, Model: call.Model, Outcomes: map[local.Outcome]int{}}
		m.by[key] = u
	}

	if journaled {
		u.Journaled++
	} else {
		u.Asked++
	}
	u.Outcomes[reply.Outcome]++
	u.Usage = u.Usage.Add(reply.Usage)
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
