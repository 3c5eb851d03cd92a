package gate

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"lore/local"
	"lore/local/fake"
)

func patient(t *testing.T, p Patience, b local.Backend) *Gate {
	t.Helper()
	g, err := Open(Config{
		Lanes:    map[string]Lane{"fake": {Backend: b, Slots: 2}},
		Retry:    Retry{Attempts: 4, First: time.Microsecond, Most: time.Microsecond},
		Patience: p,
	})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func many(n int) []local.Call {
	var calls []local.Call
	for i := range n {
		calls = append(calls, ask("m", fmt.Sprint(i)))
	}
	return calls
}

// A server that fails call after call stops the run, soon where each failure costs minutes;
// failures that are the model's do not.
func TestSickServerStopsTheRun(t *testing.T) {
	for outcome, reply := range fake.Failures() {
		b := &fake.Backend{Script: func(int, local.Call) local.Reply { return reply }}
		err := patient(t, Patience{Failures: 10}, b).All(context.Background(), many(100), func(int, local.Reply) {})
		if stopped := errors.Is(err, ErrSick); stopped != outcome.Sick() {
			t.Errorf("%s: %v", outcome, err)
		}
		most := 100
		if outcome.Sick() {
			most = 10 + 2*4*sickAfter // tries before repeating has an end, and calls in flight
		}
		if outcome == local.Timeout {
			most = 8
		}
		if n := len(b.Calls()); n > most {
			t.Errorf("%s: %d calls, want at most %d", outcome, n, most)
		}
	}
}

// One good call begins the count anew.
func TestFailuresInARow(t *testing.T) {
	b := &fake.Backend{Script: func(n int, c local.Call) local.Reply {
		if n%5 == 4 {
			return fake.Echo(n, c)
		}
		return local.Fail(local.ModelError, "no")
	}}
	good := 0
	g := patient(t, Patience{Failures: 8}, b)
	for _, call := range many(100) { // one after the other: side by side a good one may be counted late
		r, err := g.Do(context.Background(), call)
		if err != nil {
			t.Fatal(err)
		}
		if r.Outcome == local.OK {
			good++
		}
	}
	if good != 20 {
		t.Errorf("%d good", good)
	}
	b.Script = func(int, local.Call) local.Reply { return local.Fail(local.ModelError, "no") }
	if err := patient(t, Patience{Failures: -1}, b).All(context.Background(), many(50), func(int, local.Reply) {}); err != nil {
		t.Errorf("a run that is never to stop: %v", err)
	}
}

// With Keep a server that is away for long is waited for, and no call is lost.
func TestKeepTrying(t *testing.T) {
	var asked atomic.Int64
	b := &fake.Backend{Script: func(n int, c local.Call) local.Reply {
		if k := asked.Add(1); k > 5 && k < 120 {
			return local.Fail(local.Transport, "connection refused")
		}
		return fake.Echo(n, c)
	}}
	var warnings []string
	g, err := Open(Config{
		Lanes: map[string]Lane{"fake": {
			Backend: b,
			Slots:   2,
			Alive:   func(context.Context) error { return errors.New("gone") },
		}},
		Retry:    Retry{Attempts: 4, First: time.Microsecond, Most: time.Microsecond},
		Patience: Patience{Failures: 6, Keep: true, Pause: time.Microsecond},
		Warn:     func(s string) { warnings = append(warnings, s) },
	})
	if err != nil {
		t.Fatal(err)
	}
	good := 0
	err = g.All(context.Background(), many(40), func(_ int, r local.Reply) {
		if r.Outcome == local.OK {
			good++
		}
	})
	if err != nil || good != 40 {
		t.Errorf("%d of 40 calls, %v", good, err)
	}
	if len(warnings) != 1 || !strings.Contains(warnings[0], "trying again until it does") {
		t.Errorf("said %q", warnings)
	}
}

// The time that a server asks for is kept, unless it is so long that it is no answer.
func TestRetryAfter(t *testing.T) {
	for wait, want := range map[time.Duration]int{50 * time.Millisecond: 2, time.Hour: 1} {
		b := &fake.Backend{Script: func(n int, c local.Call) local.Reply {
			if n == 0 {
				r := local.Fail(local.Transport, "busy")
				r.Wait = wait
				return r
			}
			return fake.Echo(n, c)
		}}
		start := time.Now()
		if _, err := patient(t, Patience{}, b).Do(context.Background(), ask("m", "x")); err != nil {
			t.Fatal(err)
		}
		if n := len(b.Calls()); n != want {
			t.Errorf("asked to wait %s: %d calls, want %d", wait, n, want)
		}
		if took := time.Since(start); want == 2 && took < wait {
			t.Errorf("asked to wait %s, waited %s", wait, took)
		}
	}
}

// A call that takes too long is tried twice, not eight times.
func TestTimeoutsAreTriedTwice(t *testing.T) {
	b := &fake.Backend{Script: func(int, local.Call) local.Reply { return local.Fail(local.Timeout, "slow") }}
	r, err := patient(t, Patience{Failures: -1}, b).Do(context.Background(), ask("m", "x"))
	if err != nil || r.Outcome != local.Timeout || len(b.Calls()) != mostDear {
		t.Errorf("%s after %d calls, %v", r.Outcome, len(b.Calls()), err)
	}
}
