package gate

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"lore/local"
	"lore/local/fake"
)

// sharing opens a gate whose lane shares its calls, and gathers its warnings.
func sharing(t *testing.T, dir, cache string, b local.Backend, warnings *[]string) *Gate {
	t.Helper()
	var mu sync.Mutex
	g, err := Open(Config{
		Dir:   dir,
		Cache: cache,
		Lanes: map[string]Lane{"fake": {Backend: b, Slots: 4, Shared: true}},
		Retry: Retry{Attempts: 1, First: time.Microsecond, Most: time.Microsecond},
		Warn: func(s string) {
			mu.Lock()
			defer mu.Unlock()
			if warnings == nil {
				t.Error("warning: " + s)
				return
			}
			*warnings = append(*warnings, s)
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { g.Close() })
	return g
}

func weighed(text string) local.Call {
	call := ask("m", text)
	call.Digest = "d1"
	return call
}

func do(t *testing.T, g *Gate, call local.Call) local.Reply {
	t.Helper()
	r, err := g.Do(context.Background(), call)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A hit of the cache stands in the run's own journal, which is enough from then on.
func TestCacheHitIsInTheJournal(t *testing.T) {
	cache, second := t.TempDir(), t.TempDir()
	g := sharing(t, t.TempDir(), cache, &fake.Backend{}, nil)
	want := do(t, g, weighed("hello"))
	g.Close()

	b := &fake.Backend{}
	g = sharing(t, second, cache, b, nil)
	if got := do(t, g, weighed("hello")); got.Text != want.Text || len(b.Calls()) != 0 {
		t.Errorf("%+v after %d calls", got, len(b.Calls()))
	}
	if u := g.Usage(); len(u) != 1 || u[0].Cached != 1 || u[0].Asked != 0 || u[0].Journaled != 0 || u[0].Calls() != 1 {
		t.Errorf("usage %+v", u)
	}
	g.Close()

	g = sharing(t, second, "", b, nil)
	if do(t, g, weighed("hello")); len(b.Calls()) != 0 || g.Usage()[0].Journaled != 1 {
		t.Errorf("%d calls, %+v", len(b.Calls()), g.Usage())
	}
}

// The journal has a call before anyone sees it, wherever it came from.
func TestCacheHitIsJournalledFirst(t *testing.T) {
	cache, dir := t.TempDir(), t.TempDir()
	g := sharing(t, t.TempDir(), cache, &fake.Backend{}, nil)
	calls := make([]local.Call, 50)
	for i := range calls {
		calls[i] = weighed(fmt.Sprint(i))
		do(t, g, calls[i])
	}
	g.Close()

	b := &fake.Backend{}
	g = sharing(t, dir, cache, b, nil)
	err := g.All(context.Background(), calls, func(i int, _ local.Reply) {
		data, err := os.ReadFile(filepath.Join(dir, journalName))
		if err != nil || !strings.Contains(string(data), calls[i].Key()) {
			t.Errorf("call %d was seen before it was in the journal: %v", i, err)
		}
	})
	if err != nil || len(b.Calls()) != 0 {
		t.Fatal(err, len(b.Calls()))
	}
}

// Failures that may pass are never shared, and neither are lanes that are not meant to be,
// nor calls that do not say which weights answer.
func TestCacheLeavesOut(t *testing.T) {
	for outcome, reply := range fake.Failures() {
		cache := t.TempDir()
		failing := &fake.Backend{Script: func(int, local.Call) local.Reply { return reply }}
		do(t, sharing(t, t.TempDir(), cache, failing, nil), weighed("hello"))
		b := &fake.Backend{}
		do(t, sharing(t, t.TempDir(), cache, b, nil), weighed("hello"))
		if kept := len(b.Calls()) == 0; kept != outcome.Final() {
			t.Errorf("%s: kept %v", outcome, kept)
		}
	}

	cache := t.TempDir()
	for range 2 {
		b := &fake.Backend{}
		if do(t, sharing(t, t.TempDir(), cache, b, nil), ask("m", "no digest")); len(b.Calls()) != 1 {
			t.Error("a call without a digest was shared")
		}
		g, err := Open(Config{Dir: t.TempDir(), Cache: cache, Lanes: map[string]Lane{"fake": {Backend: b, Slots: 1}}})
		if err != nil {
			t.Fatal(err)
		}
		if do(t, g, weighed("lane")); len(b.Calls()) != 2 {
			t.Error("a lane that is not shared was")
		}
		g.Close()
	}

	other := weighed("hello")
	other.Digest = "d2"
	b := &fake.Backend{}
	do(t, sharing(t, t.TempDir(), cache, b, nil), weighed("hello"))
	if do(t, sharing(t, t.TempDir(), cache, b, nil), other); len(b.Calls()) != 2 {
		t.Error("other weights of the same name answered")
	}
}

// Many at once write to one cache, each a file of its own, and all of it can be read.
func TestCacheOfManyWriters(t *testing.T) {
	const writers, each = 8, 40
	cache := t.TempDir()
	var wg sync.WaitGroup
	for w := range writers {
		g := sharing(t, t.TempDir(), cache, &fake.Backend{Delay: time.Millisecond}, nil)
		wg.Go(func() {
			for i := range each {
				if _, err := g.Do(context.Background(), weighed(fmt.Sprint(w, i))); err != nil {
					t.Error(err)
				}
			}
			g.Close()
		})
	}
	wg.Wait()

	b := &fake.Backend{}
	g := sharing(t, t.TempDir(), cache, b, nil)
	for w := range writers {
		for i := range each {
			do(t, g, weighed(fmt.Sprint(w, i)))
		}
	}
	if len(b.Calls()) != 0 {
		t.Errorf("%d of %d calls were lost", len(b.Calls()), writers*each)
	}
	if files, _ := filepath.Glob(filepath.Join(cache, "*", "*.jsonl")); len(files) > writers {
		t.Errorf("%d files for %d writers", len(files), writers)
	}
}

// A cache that is torn, damaged, or cannot be written is a warning; the run goes on.
func TestCacheThatFails(t *testing.T) {
	cache := t.TempDir()
	g := sharing(t, t.TempDir(), cache, &fake.Backend{}, nil)
	do(t, g, weighed("one"))
	do(t, g, weighed("two"))
	g.Close()
	files, _ := filepath.Glob(filepath.Join(cache, "*", "*.jsonl"))
	data, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(data), "\n")
	if err := os.WriteFile(files[0], []byte("{damaged\n"+lines[0]+lines[1][:20]), 0o666); err != nil {
		t.Fatal(err)
	}

	var warnings []string
	b := &fake.Backend{}
	g = sharing(t, t.TempDir(), cache, b, &warnings)
	do(t, g, weighed("one"))
	do(t, g, weighed("two"))
	g.Close()
	if len(b.Calls()) != 1 || len(warnings) != 2 {
		t.Errorf("%d calls, warnings %q", len(b.Calls()), warnings)
	}

	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	warnings = nil
	g = sharing(t, t.TempDir(), file, b, &warnings)
	do(t, g, weighed("three"))
	do(t, g, weighed("four"))
	if len(warnings) != 1 || !strings.Contains(warnings[0], "--cache names another folder") {
		t.Errorf("warnings %q", warnings)
	}
}
