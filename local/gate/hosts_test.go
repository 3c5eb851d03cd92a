package gate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"lore/local"
	"lore/local/openai"
	"lore/local/openai/openaitest"
)

// machine is a host for tests.
type machine struct {
	delay time.Duration
	dead  atomic.Bool

	mu        sync.Mutex
	asked     int
	busy, top int
	prefixes  []string
}

func (m *machine) Do(ctx context.Context, call local.Call) (local.Reply, error) {
	m.mu.Lock()
	m.asked++
	m.busy++
	m.top = max(m.top, m.busy)
	m.prefixes = append(m.prefixes, call.Prefix)
	m.mu.Unlock()
	defer func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.busy--
	}()

	if err := sleep(ctx, m.delay); err != nil {
		return local.Reply{}, err
	}
	if m.dead.Load() {
		return local.Fail(local.Transport, "connection refused"), nil
	}
	return local.Reply{Outcome: local.OK, Text: call.Messages[0].Content}, nil
}

func (m *machine) alive(context.Context) error {
	if m.dead.Load() {
		return errors.New("connection refused")
	}
	return nil
}

func hosting(t *testing.T, warn func(string), machines ...*machine) *Gate {
	t.Helper()
	lane := Lane{}
	for i, m := range machines {
		lane.Hosts = append(lane.Hosts, Host{Name: fmt.Sprintf("host %d", i+1), Backend: m, Slots: 4, Alive: m.alive})
	}
	g, err := Open(Config{Lanes: map[string]Lane{"b": lane}, Warn: warn, Retry: Retry{Attempts: 3, First: time.Millisecond, Most: time.Millisecond}})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func numbered(n int) []local.Call {
	out := make([]local.Call, n)
	for i := range out {
		out[i] = local.Call{Backend: "b", Model: "m", Digest: "d", Messages: []local.Message{{Role: local.User, Content: fmt.Sprint("call ", i)}}}
	}
	return out
}

// Two hosts with four slots each do the work of eight, and neither is given more than it has.
func TestHostsShareCalls(t *testing.T) {
	a, b := &machine{delay: 10 * time.Millisecond}, &machine{delay: 10 * time.Millisecond}
	got := 0
	err := hosting(t, nil, a, b).All(context.Background(), numbered(80), func(i int, r local.Reply) {
		if r.Outcome == local.OK && r.Text == fmt.Sprint("call ", i) {
			got++
		}
	})
	if err != nil || got != 80 || a.asked+b.asked != 80 || a.top != 4 || b.top != 4 {
		t.Errorf("%v; %d answers; asked %d and %d, at once %d and %d", err, got, a.asked, b.asked, a.top, b.top)
	}
	if a.asked < 30 || b.asked < 30 {
		t.Errorf("asked %d and %d", a.asked, b.asked)
	}
}

// A slow host gets less, as its slots are taken.
func TestLeastBusyFirst(t *testing.T) {
	slow, quick := &machine{delay: 80 * time.Millisecond}, &machine{delay: 5 * time.Millisecond}
	err := hosting(t, nil, slow, quick).All(context.Background(), numbered(100), func(int, local.Reply) {})
	if err != nil || slow.asked >= quick.asked/2 {
		t.Errorf("%v; the slow one was asked %d times, the quick one %d", err, slow.asked, quick.asked)
	}
}

// One host that is lost in the middle loses nothing: its calls go to the other, and nothing is asked
// twice that was answered. It is used again when it is back.
func TestLostHostIsSurvived(t *testing.T) {
	a, b := &machine{delay: 5 * time.Millisecond}, &machine{delay: 5 * time.Millisecond}
	var warned []string
	g := hosting(t, func(s string) { warned = append(warned, s) }, a, b)
	got := 0
	err := g.All(context.Background(), numbered(200), func(i int, r local.Reply) {
		if r.Outcome == local.OK {
			got++
		}
		if got == 40 {
			a.dead.Store(true)
		}
	})
	if err != nil || got != 200 {
		t.Errorf("%v; %d answers; %q", err, got, warned)
	}
	if lost := a.asked + b.asked - 200; lost < 1 || lost > 4 {
		t.Errorf("asked %d times too often: only what was in flight on the lost host is asked again", lost)
	}
	if len(warned) != 1 || !strings.Contains(warned[0], "host 1 does not answer any more: its calls go to host 2") {
		t.Errorf("warned %q", warned)
	}

	before := a.asked
	a.dead.Store(false)
	for _, h := range hostsOf(g) {
		h.back = time.Now()
	}
	if err := g.All(context.Background(), numbered(40), func(int, local.Reply) {}); err != nil || a.asked-before < 10 {
		t.Errorf("%v; a host that is back was asked %d times", err, a.asked-before)
	}
	if !slices.Contains(warned, "host 1 is back") {
		t.Errorf("warned %q", warned)
	}
}

// hostsOf finds the hosts behind a gate's only lane, which nobody else touches at the moment.
func hostsOf(g *Gate) []*sharer { return g.spreads[0].hosts }

// Where all hosts are lost the call fails as with one.
func TestAllHostsLost(t *testing.T) {
	a, b := &machine{}, &machine{}
	a.dead.Store(true)
	b.dead.Store(true)
	r, err := hosting(t, nil, a, b).Do(context.Background(), numbered(1)[0])
	if err != nil || r.Outcome != local.Transport {
		t.Errorf("%+v %v", r, err)
	}
}

// Calls that share a beginning go to the host that has just read it, where that is not busier.
func TestSharedBeginningsStay(t *testing.T) {
	a, b := &machine{}, &machine{}
	g := hosting(t, nil, a, b)
	calls := numbered(20)
	for i := range calls {
		calls[i].Prefix = fmt.Sprint("document ", i/10)
		if _, err := g.Do(context.Background(), calls[i]); err != nil {
			t.Fatal(err)
		}
	}
	if a.asked != 10 || b.asked != 10 {
		t.Errorf("asked %q and %q", a.prefixes, b.prefixes)
	}
}

// engines starts servers with four slots that take a while, and a lane of them.
func engines(tb testing.TB, delay time.Duration, n int) (servers []*openaitest.Server, closers []func(), lane Lane) {
	for range n {
		s := &openaitest.Server{Engine: openaitest.VLLM, Slots: 4, Delay: delay, Answer: func(openaitest.Request) string { return "yes" }}
		h := s.Start(tb)
		c, err := openai.Open(context.Background(), openai.Config{Host: h.URL})
		if err != nil {
			tb.Fatal(err)
		}
		servers = append(servers, s)
		closers = append(closers, func() {
			h.Listener.Close()
			h.CloseClientConnections()
		})
		lane.Hosts = append(lane.Hosts, Host{Name: c.Host(), Backend: c, Slots: 4, Version: c.Host(), Alive: c.Alive})
	}
	lane.Prove = true
	return servers, closers, lane
}

func askEngines(n int) []local.Call {
	out := numbered(n)
	for i := range out {
		out[i].Model, out[i].Options = "fake", local.Options{NumCtx: 4096, NumPredict: 20, TopP: 1}
	}
	return out
}

// A server that is killed in the middle of a run loses nothing: every call is answered, and only those
// that it was working on are asked again.
func TestKilledServerIsSurvived(t *testing.T) {
	servers, closers, lane := engines(t, 5*time.Millisecond, 2)
	g, err := Open(Config{Lanes: map[string]Lane{"b": lane}, Retry: Retry{Attempts: 3, First: time.Millisecond, Most: time.Millisecond}})
	if err != nil {
		t.Fatal(err)
	}
	answered := 0
	err = g.All(context.Background(), askEngines(200), func(_ int, r local.Reply) {
		if r.Outcome == local.OK {
			answered++
		}
		if answered == 60 {
			closers[0]()
		}
	})
	asked := len(servers[0].Chats()) + len(servers[1].Chats())
	if err != nil || answered != 200 || asked > 204 {
		t.Errorf("%v: %d answers, asked %d times", err, answered, asked)
	}
	if first := len(servers[0].Chats()); first < 20 || first > 80 {
		t.Errorf("the killed server was asked %d times", first)
	}
}

// BenchmarkTwoHosts asks 800 calls of two servers with four slots each, whose replies take 50 ms: 160 a
// second would be all that they can do.
func BenchmarkTwoHosts(b *testing.B) {
	for b.Loop() {
		_, _, lane := engines(b, 50*time.Millisecond, 2)
		g, err := Open(Config{Lanes: map[string]Lane{"b": lane}})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := g.Do(context.Background(), askEngines(1)[0]); err != nil { // canaries are sent
			b.Fatal(err)
		}
		calls := askEngines(801)[1:]
		start := time.Now()
		if err := g.All(context.Background(), calls, func(int, local.Reply) {}); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(100*float64(len(calls))/time.Since(start).Seconds()/160, "%-of-160-calls/s")
	}
}
