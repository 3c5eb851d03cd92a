package gate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
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
	if len(warnings) != 2 || !strings.Contains(warnings[0], "tried 2 of 4") || !strings.Contains(warnings[1], "trying again until it does") {
		t.Errorf("said %q", warnings)
	}
}

// Whoever waits is told why, once in a while and not for every call.
func TestRetriesAreTold(t *testing.T) {
	var said []string
	b := &fake.Backend{Script: func(n int, c local.Call) local.Reply {
		if n%4 < 3 {
			return local.Fail(local.Transport, "status 503: ")
		}
		return fake.Echo(n, c)
	}}
	g, err := Open(Config{
		Lanes: map[string]Lane{"fake": {Backend: b, Slots: 1}},
		Retry: Retry{Attempts: 8, First: time.Millisecond, Most: time.Millisecond},
		Warn:  func(s string) { said = append(said, s) },
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, call := range many(5) {
		if r, err := g.Do(context.Background(), call); err != nil || r.Outcome != local.OK {
			t.Fatal(r, err)
		}
	}
	if want := []string{"status 503 from m: tried 2 of 8, next in 1 s"}; !slices.Equal(said, want) {
		t.Errorf("said %q, want %q", said, want)
	}
}

// What a server refuses because of who asks stops the run after three calls in a row; other
// refusals, and refusals among answers, do not.
func TestRefusedCredentialsStopSoon(t *testing.T) {
	for name, c := range map[string]struct {
		status func(n int) int
		calls  int
		stops  bool
	}{
		"all":                {func(int) int { return 401 }, 3, true},
		"after good ones":    {func(n int) int { return map[bool]int{true: 403}[n >= 5] }, 8, true},
		"now this, now that": {func(n int) int { return []int{401, 403}[n%2] }, 12, false},
		"every third good":   {func(n int) int { return []int{401, 401, 0}[n%3] }, 12, false},
	} {
		b := &fake.Backend{Script: func(n int, call local.Call) local.Reply {
			status := c.status(n)
			if status == 0 {
				return fake.Echo(n, call)
			}
			r := local.Fail(local.ModelError, "status %d: request %d", status, n)
			r.Denied = status
			return r
		}}
		g, err := Open(Config{Lanes: map[string]Lane{"fake": {Backend: b, Slots: 1, Server: "the system rag"}}})
		if err != nil {
			t.Fatal(err)
		}
		for _, call := range many(12) { // one after the other
			if _, err = g.Do(context.Background(), call); err != nil {
				break
			}
		}
		if errors.Is(err, ErrSick) != c.stops || len(b.Calls()) != c.calls || err != nil && !strings.HasPrefix(err.Error(), "the system rag fails") {
			t.Errorf("%s: %d calls, %v", name, len(b.Calls()), err)
		}
	}
}

// That all first replies fail alike is said once; that some do, or unlike each other, is not.
func TestFirstRepliesThatFailAlike(t *testing.T) {
	for name, c := range map[string]struct {
		reason func(n int) string
		told   int
	}{
		"alike":        {func(n int) string { return fmt.Sprintf("names %q, of %d", fmt.Sprint("d", n), n) }, 1},
		"unlike":       {func(n int) string { return []string{"no JSON", "no answer"}[n%2] }, 0},
		"one is good":  {func(n int) string { return map[bool]string{true: "no JSON"}[n != 3] }, 0},
		"the rest are": {func(n int) string { return map[bool]string{true: "no JSON"}[n < 4] }, 0},
	} {
		var said []string
		b := &fake.Backend{Script: func(n int, call local.Call) local.Reply {
			if reason := c.reason(n); reason != "" {
				return local.Fail(local.BadFormat, "%s", reason)
			}
			return fake.Echo(n, call)
		}}
		g, err := Open(Config{
			Lanes: map[string]Lane{"fake": {Backend: b, Slots: 1, Remedy: func(model string) string { return "look at " + model }}},
			Warn:  func(s string) { said = append(said, s) },
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := g.All(context.Background(), many(12), func(int, local.Reply) {}); err != nil {
			t.Fatal(err)
		}
		if len(said) != c.told || c.told > 0 && !strings.Contains(said[0], "the first 5 replies of m all failed alike: bad_format: names") {
			t.Errorf("%s: said %q", name, said)
		}
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
		r, err := patient(t, Patience{}, b).Do(context.Background(), ask("m", "x"))
		if err != nil {
			t.Fatal(err)
		}
		if want == 1 && r.Detail != "busy; it asks to wait 3600 s, more than the 120 s that lore waits" {
			t.Errorf("given up with %q", r.Detail)
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

// That nothing has come for long is said only if nothing has: not one byte of any reply.
func TestNothingWasAnswered(t *testing.T) {
	for _, heard := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			var said atomic.Int64
			b := local.BackendFunc(func(ctx context.Context, call local.Call) (local.Reply, error) {
				time.Sleep(longQuiet / 2)
				if heard {
					local.Heard(ctx)
				}
				time.Sleep(longQuiet)
				return fake.Echo(0, call), nil
			})
			g, err := Open(Config{
				Lanes: map[string]Lane{"fake": {Backend: b, Slots: 2}},
				Warn:  func(string) { said.Add(1) },
			})
			if err != nil {
				t.Fatal(err)
			}
			if err := g.All(t.Context(), many(2), func(int, local.Reply) {}); err != nil {
				t.Fatal(err)
			}
			if want := map[bool]int64{false: 1}[heard]; said.Load() != want {
				t.Errorf("heard %v: said %d times, want %d", heard, said.Load(), want)
			}
		})
	}
}
