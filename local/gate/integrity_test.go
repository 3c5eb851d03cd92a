package gate

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"lore/local"
	"lore/local/fake"
)

// journalOf writes a journal of so many calls and returns its file's bytes.
func journalOf(t *testing.T, n int) []byte {
	t.Helper()
	dir := t.TempDir()
	g := open(t, dir, 1, &fake.Backend{})
	for i := range n {
		if _, err := g.Do(context.Background(), ask("m", fmt.Sprintf("call %d <&> \"ü\"", i))); err != nil {
			t.Fatal(err)
		}
	}
	g.Close()
	data, err := os.ReadFile(filepath.Join(dir, journalName))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// reread opens a journal of these bytes and asks all calls again. It returns how many were
// asked, and what was said.
func reread(t *testing.T, data []byte, n int) (asked int, warnings []string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, journalName), data, 0o600); err != nil {
		t.Fatal(err)
	}
	b := &fake.Backend{}
	g, err := Open(Config{
		Dir:   dir,
		Lanes: map[string]Lane{"fake": {Backend: b, Slots: 1}},
		Warn:  func(s string) { warnings = append(warnings, s) },
	})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	for i := range n {
		want := fmt.Sprintf("call %d <&> \"ü\"", i)
		if r, err := g.Do(context.Background(), ask("m", want)); err != nil || r.Text != want {
			t.Errorf("call %d gives %q, %v", i, r.Text, err)
		}
	}
	return len(b.Calls()), warnings
}

// Whatever bit of a journal flips, no reply changes: the line is skipped, told, and its
// call asked again.
func TestFlippedBits(t *testing.T) {
	const n = 5
	whole := journalOf(t, n)
	if asked, warnings := reread(t, whole, n); asked != 0 || len(warnings) != 0 {
		t.Fatalf("%d asked, %q", asked, warnings)
	}

	rng := rand.New(rand.NewPCG(1, 2))
	for range 400 {
		data := bytes.Clone(whole)
		at, bit := rng.IntN(len(data)), rng.IntN(8)
		data[at] ^= 1 << bit
		asked, warnings := reread(t, data, n)
		if len(warnings) == 0 || asked == 0 {
			t.Errorf("byte %d bit %d: %d asked, %q", at, bit, asked, warnings)
		}
	}
}

// Keys that were swapped, and replies that were edited together with their checksum, do
// not pass: a key is that of its call.
func TestSwappedKeys(t *testing.T) {
	lines := bytes.SplitAfter(journalOf(t, 2), []byte("\n"))
	var a, b Entry
	if json.Unmarshal(lines[0], &a) != nil || json.Unmarshal(lines[1], &b) != nil {
		t.Fatal("no entries")
	}
	a.Key, b.Key = b.Key, a.Key
	var data []byte
	for _, e := range []Entry{a, b} {
		line, err := encodeLine(e)
		if err != nil {
			t.Fatal(err)
		}
		data = append(data, line...)
	}
	if asked, warnings := reread(t, data, 2); asked != 2 || len(warnings) != 2 || !strings.Contains(warnings[0], "key") {
		t.Errorf("%d asked, %q", asked, warnings)
	}
}

// A journal of an earlier lore is read, and it is said that it cannot be checked. Its
// fields may have any type.
func TestLinesWithoutChecksum(t *testing.T) {
	var old []byte
	for line := range bytes.Lines(journalOf(t, 3)) {
		at := bytes.LastIndex(line, []byte(sumMark))
		old = append(append(old, line[:at]...), "}\n"...)
	}
	asked, warnings := reread(t, old, 3)
	if asked != 0 || len(warnings) != 1 || !strings.Contains(warnings[0], "3 of 3 lines") {
		t.Errorf("%d asked, %q", asked, warnings)
	}

	odd := bytes.Replace(old, []byte(`"text":"call 0`), []byte(`"text":7,"was":"call 0`), 1)
	odd = bytes.Replace(odd, []byte(`"outcome":"ok"`), []byte(`"outcome":"fine"`), 2)
	if asked, warnings := reread(t, odd, 3); asked != 2 || len(warnings) != 3 {
		t.Errorf("%d asked, %q", asked, warnings)
	}
}

// Two replies to one call that differ are told, and the earlier one is used, in whatever
// order the files are read.
func TestConflictingReplies(t *testing.T) {
	call := ask("m", "x")
	entry := func(text string, second int) []byte {
		at := time.Date(2026, 1, 1, 0, 0, second, 0, time.UTC)
		line, err := encodeLine(Entry{Key: call.Key(), At: at, Try: 1, Call: call, Reply: fake.Text(text)})
		if err != nil {
			t.Fatal(err)
		}
		return line
	}
	for _, files := range [][2][]byte{{entry("early", 1), entry("late", 2)}, {entry("late", 2), entry("early", 1)}} {
		dir := t.TempDir()
		for i, data := range files {
			if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.jsonl", i)), data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		var warnings []string
		j, err := OpenJournal(dir, func(s string) { warnings = append(warnings, s) })
		if err != nil {
			t.Fatal(err)
		}
		got, ok, err := j.Lookup(call.Key())
		if !ok || err != nil || got.reply.Text != "early" || len(warnings) != 1 {
			t.Errorf("%v %v %q, warnings %q", ok, err, got.reply.Text, warnings)
		}
		j.Close()
		if a, err := AuditJournal(dir); err != nil || a.Calls != 1 || a.Lines != 2 || len(a.Problems) != 1 {
			t.Errorf("audit %+v, %v", a, err)
		}
	}
}

// A reply that failed for a passing reason is asked again by later runs, with a bound
// where it may be the model's own; every try is kept.
func TestFailuresAreAskedAgain(t *testing.T) {
	empty := local.Fail(local.Empty, "no text")
	broken := local.Fail(local.ModelError, "out of memory")
	for _, c := range []struct {
		reply local.Reply
		again Again
		asked string // by run
	}{
		{empty, Again{}, "11100"},
		{empty, Again{Tries: 1}, "10000"},
		{empty, Again{Always: true}, "11111"},
		{broken, Again{}, "11111"},
		{local.Fail(local.TooLong, "long"), Again{Always: true}, "10000"},
		{local.Fail(local.Cut, "cut"), Again{Always: true}, "10000"},
	} {
		dir, asked := t.TempDir(), ""
		for range 5 {
			b := &fake.Backend{Script: func(int, local.Call) local.Reply { return c.reply }}
			g, err := Open(Config{Dir: dir, Again: c.again, Lanes: map[string]Lane{"fake": {Backend: b}}})
			if err != nil {
				t.Fatal(err)
			}
			for range 2 { // the second time in one run is answered by the first
				if r, err := g.Do(context.Background(), ask("m", "x")); err != nil || r.Outcome != c.reply.Outcome {
					t.Fatal(r, err)
				}
				if c.reply.Outcome == local.ModelError {
					break
				}
			}
			asked += fmt.Sprint(len(b.Calls()))
			g.Close()
		}
		if asked != c.asked {
			t.Errorf("%s %+v: asked %s, want %s", c.reply.Outcome, c.again, asked, c.asked)
		}
		a, err := AuditJournal(dir)
		if err != nil || a.Lines != strings.Count(c.asked, "1") || a.Calls != 1 {
			t.Errorf("%s: audit %+v, %v", c.reply.Outcome, a, err)
		}
	}
}

// A malformed reply whose repair is known is not asked again; where the repair failed, too,
// both are.
func TestMalformedRepliesAreAskedAgain(t *testing.T) {
	call := ask("m", "x")
	call.Schema = json.RawMessage(`{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"]}`)
	run := func(dir string, script func(n int, c local.Call) local.Reply) (local.Reply, int) {
		b := &fake.Backend{Script: script}
		g := open(t, dir, 1, b)
		defer g.Close()
		r, err := g.Do(context.Background(), call)
		if err != nil {
			t.Fatal(err)
		}
		return r, len(b.Calls())
	}
	garbage := func(int, local.Call) local.Reply { return fake.Text("{{{") }
	repaired := func(n int, c local.Call) local.Reply {
		if len(c.Messages) == 1 {
			return fake.Text("{{{")
		}
		return fake.Text(`{"a":1}`)
	}
	well := func(int, local.Call) local.Reply { return fake.Text(`{"a":2}`) }

	dir := t.TempDir()
	if r, n := run(dir, repaired); r.Outcome != local.OK || n != 2 {
		t.Errorf("%s after %d calls", r.Outcome, n)
	}
	if r, n := run(dir, garbage); r.Outcome != local.OK || n != 0 {
		t.Errorf("a repaired reply is asked again: %s after %d calls", r.Outcome, n)
	}

	dir = t.TempDir()
	for range 2 {
		if r, n := run(dir, garbage); r.Outcome != local.BadFormat || n != 2 {
			t.Errorf("%s after %d calls", r.Outcome, n)
		}
	}
	if r, n := run(dir, well); r.Outcome != local.OK || n != 1 || r.Text != `{"a":2}` {
		t.Errorf("the model is well again: %s after %d calls", r.Outcome, n)
	}
	if r, n := run(dir, garbage); r.Outcome != local.OK || n != 0 {
		t.Errorf("a finished call is asked again: %s after %d calls", r.Outcome, n)
	}
}

// When a model's weights change in the middle, what was answered since they were last
// looked up is taken back, in the journal and in the cache.
func TestChangedWeights(t *testing.T) {
	dir, cache := t.TempDir(), t.TempDir()
	changed := false
	run := func() (asked int, err error) {
		b := &fake.Backend{}
		g, err := Open(Config{Dir: dir, Cache: cache, Lanes: map[string]Lane{"fake": {
			Backend: b, Slots: 1, Shared: true,
			Identity: func(context.Context, local.Call) error {
				if changed {
					return fmt.Errorf("%w: m", ErrChanged)
				}
				return nil
			},
		}}})
		if err != nil {
			t.Fatal(err)
		}
		defer g.Close()
		err = g.All(context.Background(), []local.Call{weighed("a"), weighed("b")}, func(int, local.Reply) {})
		return len(b.Calls()), err
	}

	changed = true
	if n, err := run(); n != 2 || err == nil || !strings.Contains(err.Error(), "the 2 replies") {
		t.Errorf("%d asked, %v", n, err)
	}
	changed = false
	for _, want := range []int{2, 0} {
		if n, err := run(); n != want || err != nil {
			t.Errorf("%d asked, want %d, %v", n, want, err)
		}
	}
}

// A value with one field twice is no answer: which of the two counts?
func TestFieldsTwice(t *testing.T) {
	for text, want := range map[string]string{
		`{"a":1,"b":{"a":2},"c":[{"a":1},{"a":2}]}`: "",
		`{"a":1,"a":2}`:              "a",
		`{"a":1,"b":[],"A":2}`:       "A",
		`{"b":{"x":1,"y":{},"x":2}}`: "x",
		`[1,2,{"k":[],"k":0}]`:       "k",
		`"text"`:                     "",
	} {
		if got := doubled(text); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
