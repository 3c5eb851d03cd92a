package gate

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"lore/local"
	"lore/local/fake"
)

// standIn notes what it is asked.
type standIn struct {
	asked, finished []string
	rounds          int
}

func (s *standIn) Do(_ context.Context, call local.Call) (local.Reply, error) {
	s.asked = append(s.asked, call.Messages[0].Content)
	return local.Reply{Outcome: local.OK, Text: `{"a":"stand-in"}`}, nil
}

func (s *standIn) Finished(call local.Call, reply local.Reply) local.Reply {
	s.finished = append(s.finished, call.Messages[0].Content+" "+reply.Text)
	return reply
}

func (s *standIn) Round() { s.rounds++ }

// dryGate opens a gate that must not ask its backend, unless that is here.
func dryGate(t *testing.T, dir, cache string, s *standIn, b local.Backend, here bool) *Gate {
	t.Helper()
	lane := Lane{Backend: b, Slots: 2, Shared: true, Here: here}
	g, err := Open(Config{Dir: dir, Cache: cache, Lanes: map[string]Lane{"fake": lane}, Dry: s})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { g.Close() })
	return g
}

// A dry gate answers from journal and cache what is finished, has a stand-in for the rest, asks no
// backend, and leaves every file as it is.
func TestDryGateOnlyReads(t *testing.T) {
	dir, cache := filepath.Join(t.TempDir(), "run"), filepath.Join(t.TempDir(), "cache")
	var warnings []string
	g := sharing(t, filepath.Join(t.TempDir(), "other"), cache, &fake.Backend{}, &warnings)
	do(t, g, weighed("in the cache"))
	g.Close()
	g = sharing(t, dir, "", &fake.Backend{}, &warnings)
	do(t, g, weighed("in the journal"))
	g.Close()

	was := bytesUnder(t, dir, cache)
	s, b := &standIn{}, &fake.Backend{}
	dry := dryGate(t, dir, cache, s, b, false)
	var got []string
	calls := []local.Call{weighed("in the journal"), weighed("new"), weighed("in the cache")}
	if err := dry.All(context.Background(), calls, func(_ int, r local.Reply) { got = append(got, r.Text) }); err != nil {
		t.Fatal(err)
	}
	if want := []string{"in the journal", `{"a":"stand-in"}`, "in the cache"}; !slices.Equal(got, want) {
		t.Errorf("replies %q, want %q", got, want)
	}
	if !slices.Equal(s.asked, []string{"new"}) || len(s.finished) != 2 || s.rounds != 2 || len(b.Calls()) != 0 {
		t.Errorf("asked %q, finished %q, %d rounds, %d calls to the backend", s.asked, s.finished, s.rounds, len(b.Calls()))
	}
	if err := dry.Close(); err != nil {
		t.Error(err)
	}
	if now := bytesUnder(t, dir, cache); !slices.Equal(was, now) {
		t.Errorf("files were %q and are %q", was, now)
	}
}

// Folders that are not there are not made, a journal that another process writes can be looked into,
// and a backend that is here is asked.
func TestDryGateMakesNothing(t *testing.T) {
	dir, cache := filepath.Join(t.TempDir(), "run"), filepath.Join(t.TempDir(), "cache")
	s, b := &standIn{}, &fake.Backend{}
	do(t, dryGate(t, dir, cache, s, b, true), weighed("here"))
	if len(b.Calls()) != 1 || len(s.asked) != 0 {
		t.Errorf("%d calls to the backend, asked %q", len(b.Calls()), s.asked)
	}
	for _, made := range []string{dir, cache} {
		if _, err := os.Stat(made); err == nil {
			t.Errorf("%s was made", made)
		}
	}

	var warnings []string
	writer := sharing(t, dir, "", &fake.Backend{}, &warnings)
	do(t, writer, weighed("written"))
	do(t, dryGate(t, dir, "", s, b, false), weighed("written"))
	if len(s.finished) != 1 {
		t.Errorf("finished %q", s.finished)
	}
}

// A reply in the journal that must be repaired leads to the call that repairs it, as it would.
func TestDryGateFollowsRepairs(t *testing.T) {
	dir := t.TempDir()
	call := weighed("question")
	call.Schema = json.RawMessage(`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`)
	j, err := OpenJournal(dir, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	if err := j.Append(newEntry(call.Key(), call, local.Reply{Outcome: local.BadFormat, Text: "no"}, 1)); err != nil {
		t.Fatal(err)
	}
	j.Close()

	s := &standIn{}
	if r := do(t, dryGate(t, dir, "", s, &fake.Backend{}, false), call); r.Outcome != local.OK || len(s.asked) != 1 {
		t.Errorf("%+v, asked %q", r, s.asked)
	}
}

// bytesUnder lists the files of folders with what is in them.
func bytesUnder(t *testing.T, dirs ...string) []string {
	t.Helper()
	var out []string
	for _, dir := range dirs {
		for _, pattern := range []string{"*", "*/*"} {
			names, err := filepath.Glob(filepath.Join(dir, pattern))
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range names {
				data, _ := os.ReadFile(name) // folders have none
				out = append(out, name+" "+string(data))
			}
		}
	}
	return out
}
