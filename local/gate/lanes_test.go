package gate

import (
	"context"
	"testing"
	"time"

	"lore/local"
	"lore/local/fake"
)

// A model may have a lane of its own, with slots and tries of its own; others of its backend
// share one.
func TestOwnLanes(t *testing.T) {
	common, own := &fake.Backend{}, &fake.Backend{}
	common.Script = func(int, local.Call) local.Reply { return local.Fail(local.Transport, "away") }
	own.Script = func(int, local.Call) local.Reply { return local.Fail(local.NoDone, "no end") }
	once := Retry{Attempts: 1, First: time.Millisecond, Most: time.Millisecond}
	g, err := Open(Config{Retry: once, Lanes: map[string]Lane{
		"system":                {Backend: common, Slots: 1},
		OwnLane("system", "d1"): {Backend: own, Slots: 1, Retry: Retry{Attempts: 5, First: 1, Most: 1, Unended: true}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	for digest, want := range map[string]local.Outcome{"": local.Transport, "d2": local.Transport, "d1": local.NoDone} {
		r := do(t, g, local.Call{Backend: "system", Model: "m", Digest: digest})
		if r.Outcome != want {
			t.Errorf("%q: %s", digest, r.Outcome)
		}
	}
	if len(common.Calls()) != 2 || len(own.Calls()) != mostDear {
		t.Errorf("%d and %d calls", len(common.Calls()), len(own.Calls()))
	}
	if _, err := g.Do(context.Background(), local.Call{Backend: "other", Digest: "d1"}); err == nil {
		t.Error("a call without a lane goes through")
	}
}

// What a lane wants now decides whether a reply of the journal is one.
func TestReread(t *testing.T) {
	dir := t.TempDir()
	b := &fake.Backend{Script: func(int, local.Call) local.Reply { return local.Reply{Outcome: local.OK, Text: "kept"} }}
	for i, c := range []struct {
		now   local.Outcome
		asked int
	}{{local.OK, 1}, {local.ModelError, 2}, {local.Empty, 3}, {local.BadFormat, 3}, {local.Cut, 3}, {local.OK, 3}} {
		g, err := Open(Config{Dir: dir, Lanes: map[string]Lane{"system": {Backend: b, Slots: 1, Reread: func(r local.Reply) local.Reply {
			if r.Text != "kept" {
				t.Errorf("%+v", r)
			}
			r.Outcome = c.now
			return r
		}}}})
		if err != nil {
			t.Fatal(err)
		}
		call := local.Call{Backend: "system", Model: "m"}
		spent := c.now == local.BadFormat // it has had its three tries
		reply, kept := g.finished(context.Background(), call)
		if finished := kept && !reply.Stale; finished != (i > 0 && (c.now.Final() || spent)) {
			t.Errorf("%d: finished %v", i, finished)
		}
		if do(t, g, call); len(b.Calls()) != c.asked {
			t.Errorf("%d: asked %d times, want %d", i, len(b.Calls()), c.asked)
		}
		if err := g.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
