package wire

import (
	"testing"
	"time"

	"lore/local"
)

// A model that has shown nothing is given minutes; one that has is given a few times what
// it took, scaled to the prompt and to what stands in the queue.
func TestLimitsFollowTheModel(t *testing.T) {
	p := newPaces()
	limits := func(bytes, tokens int) Limits {
		defer p.end("m")
		return p.begin("m", bytes, tokens, Limits{})
	}

	first := limits(2_000, 100)
	if first.First < 5*time.Minute || first.First > 10*time.Minute || first.Idle > 3*time.Minute {
		t.Errorf("of an unknown model: %+v", first)
	}
	if long := limits(200_000, 100); long.First < 30*time.Minute {
		t.Errorf("a processor may read a long prompt for half an hour, limits %+v", long)
	}

	// 1 s for 2,000 bytes, after 10 s of loading; then 100 tokens in 5 s.
	p.learn("m", 2_000, 100, 10*time.Second, 11*time.Second, 100*time.Millisecond, 16*time.Second)
	known := limits(2_000, 100)
	want := Limits{First: grace + 44*time.Second, Idle: grace + 4400*time.Millisecond}
	want.Total = want.First + grace + 40*time.Second
	if known != want {
		t.Errorf("limits %+v, want %+v", known, want)
	}
	if long := limits(60_000, 100); long.First != grace+160*time.Second {
		t.Errorf("30 times the prompt: %+v", long)
	}

	p.begin("m", 2_000, 100, Limits{})
	if second := limits(2_000, 100); second.First != grace+48*time.Second {
		t.Errorf("behind another call: %+v", second)
	}
	given := Limits{First: time.Second, Idle: 2 * time.Second, Total: 3 * time.Second}
	if got := p.begin("m", 2_000, 100, given); got != given {
		t.Errorf("limits that were given: %+v", got)
	}
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	for value, want := range map[string]time.Duration{
		"":                              0,
		"2":                             2 * time.Second,
		" 120 ":                         2 * time.Minute,
		"-5":                            0,
		"soon":                          0,
		"Sat, 21 Nov 2026 12:01:00 GMT": time.Minute,
		"Sat, 21 Nov 2026 11:01:00 GMT": 0,
	} {
		if got := local.RetryAfter(value, now); got != want {
			t.Errorf("%q: %s, want %s", value, got, want)
		}
	}
}
