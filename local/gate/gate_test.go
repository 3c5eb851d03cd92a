package gate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"lore/local"
	"lore/local/fake"
)

func open(t *testing.T, dir string, slots int, b local.Backend) *Gate {
	t.Helper()
	g, err := Open(Config{Dir: dir, Lanes: map[string]Lane{"fake": {Backend: b, Slots: slots}},
		Retry: Retry{Attempts: 3, First: time.Microsecond, Most: time.Microsecond},
		Warn:  func(s string) { t.Log("warning:", s) }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { g.Close() })
	return g
}

func ask(model, text string) local.Call {
	return local.Call{Backend: "fake", Model: model, Messages: []local.Message{{Role: local.User, Content: text}}}
}

func TestJournalAnswersFinishedCalls(t *testing.T) {
	dir := t.TempDir()
	b := &fake.Backend{}
	g := open(t, dir, 2, b)
	first, err := g.Do(context.Background(), ask("m", "hello"))
	if err != nil || first.Outcome != local.OK {
		t.Fatal(first, err)
	}
	g.Close()

	b2 := &fake.Backend{}
	g2 := open(t, dir, 2, b2)
	second, err := g2.Do(context.Background(), ask("m", "hello"))
	if err != nil || second.Text != "hello" || len(b2.Calls()) != 0 {
		t.Fatalf("reply %+v, err %v, %d calls reached the backend", second, err, len(b2.Calls()))
	}
	if u := g2.Usage(); len(u) != 1 || u[0].Journaled != 1 || u[0].Asked != 0 || u[0].Usage.PromptTokens != 1 {
		t.Errorf("usage %+v", u)
	}
}

func TestOutcomesJournalledOrAskedAgain(t *testing.T) {
	for outcome, reply := range fake.Failures() {
		t.Run(string(outcome), func(t *testing.T) {
			dir := t.TempDir()
			for range 2 {
				g := open(t, dir, 1, &fake.Backend{Script: func(int, local.Call) local.Reply { return reply }})
				got, err := g.Do(context.Background(), ask("m", "x"))
				if err != nil || got.Outcome != outcome {
					t.Fatalf("got %+v, %v", got, err)
				}
				g.Close()
			}
			b := &fake.Backend{}
			g := open(t, dir, 1, b)
			if _, err := g.Do(context.Background(), ask("m", "x")); err != nil {
				t.Fatal(err)
			}
			if asked := len(b.Calls()) == 1; asked == outcome.Final() {
				t.Errorf("final %v, but asked again: %v", outcome.Final(), asked)
			}
		})
	}
}

func TestRetryOnlyTransport(t *testing.T) {
	for outcome, reply := range fake.Failures() {
		b := &fake.Backend{Script: func(n int, c local.Call) local.Reply {
			if n < 2 {
				return reply
			}
			return fake.Echo(n, c)
		}}
		g := open(t, "", 1, b)
		got, err := g.Do(context.Background(), ask("m", "x"))
		if err != nil {
			t.Fatal(err)
		}
		if want := outcome == local.Transport; (got.Outcome == local.OK) != want {
			t.Errorf("%s: final outcome %s after %d calls", outcome, got.Outcome, len(b.Calls()))
		}
	}
}

func TestRetryHoldsNoSlot(t *testing.T) {
	b := &fake.Backend{Script: func(n int, c local.Call) local.Reply {
		if c.Messages[0].Content == "bad" {
			return local.Fail(local.Transport, "down")
		}
		return fake.Echo(n, c)
	}}
	g, err := Open(Config{Lanes: map[string]Lane{"fake": {Backend: b, Slots: 1}}, Retry: Retry{Attempts: 2, First: time.Hour, Most: time.Hour}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	stuck := make(chan error)
	go func() { _, err := g.Do(ctx, ask("m", "bad")); stuck <- err }()
	for len(b.Calls()) == 0 {
		time.Sleep(time.Millisecond)
	}
	if r, err := g.Do(ctx, ask("m", "good")); err != nil || r.Outcome != local.OK {
		t.Fatalf("a pausing retry blocks the only slot: %+v %v", r, err)
	}
	cancel()
	if err := <-stuck; !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled retry returned %v", err)
	}
}

func TestEqualCallsInFlightShareOneAnswer(t *testing.T) {
	b := &fake.Backend{Delay: 20 * time.Millisecond}
	g := open(t, t.TempDir(), 8, b)
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			if r, err := g.Do(context.Background(), ask("m", "same")); err != nil || r.Text != "same" {
				t.Errorf("%+v %v", r, err)
			}
		})
	}
	wg.Wait()
	if n := len(b.Calls()); n != 1 {
		t.Errorf("%d calls reached the backend, want 1", n)
	}
	if n := g.journal.Len(); n != 1 {
		t.Errorf("%d journal entries, want 1", n)
	}
}

func TestAllRunsModelsInPhasesAndPrefixesTogether(t *testing.T) {
	var calls []local.Call
	for i := range 12 {
		c := ask([]string{"a", "b"}[i%2], fmt.Sprint(i))
		c.Prefix = []string{"p", "q", "r"}[i%3]
		calls = append(calls, c)
	}
	b := &fake.Backend{}
	g := open(t, "", 1, b)
	seen := make([]bool, len(calls))
	if err := g.All(context.Background(), calls, func(i int, r local.Reply) { seen[i] = r.Text == fmt.Sprint(i) }); err != nil {
		t.Fatal(err)
	}
	if slices.Contains(seen, false) {
		t.Errorf("replies do not match their calls: %v", seen)
	}
	// A worker that has a call in hand may be overtaken by the next one at the only
	// slot, so the dispatch order is what is checked.
	var order []string
	for _, phase := range phases(calls) {
		for _, i := range phase {
			order = append(order, calls[i].Model+calls[i].Prefix)
		}
	}
	if want := strings.Fields("ap ap ar ar aq aq bq bq bp bp br br"); !slices.Equal(order, want) {
		t.Errorf("order %v, want %v", order, want)
	}
	models := ""
	for _, c := range b.Calls() {
		models += c.Model
	}
	if models != "aaaaaabbbbbb" {
		t.Errorf("models in order %s", models)
	}
}

func TestSlotsAreNeverExceeded(t *testing.T) {
	b := &fake.Backend{Delay: time.Millisecond}
	g := open(t, "", 3, b)
	var calls []local.Call
	for i := range 60 {
		calls = append(calls, ask("m", fmt.Sprint(i)))
	}
	if err := g.All(context.Background(), calls, func(int, local.Reply) {}); err != nil {
		t.Fatal(err)
	}
	if got := b.MostAtOnce(); got != 3 {
		t.Errorf("%d calls at once, want 3", got)
	}
}

var schema = json.RawMessage(`{"type":"object","properties":{"v":{"enum":["yes","no"]}},"required":["v"],"additionalProperties":false}`)

func TestFormatRepairsOnce(t *testing.T) {
	cases := []struct {
		name    string
		replies []string
		want    local.Outcome
		calls   int
	}{
		{"good", []string{`{"v":"yes"}`}, local.OK, 1},
		{"prose then good", []string{`Sure! yes`, `{"v":"no"}`}, local.OK, 2},
		{"off the menu twice", []string{`{"v":"maybe"}`, `{"v":"perhaps"}`}, local.BadFormat, 2},
		{"text after the value", []string{`{"v":"yes"} hope it helps`, `{"v":"yes"}`}, local.OK, 2},
		{"white space after the value", []string{"{\"v\":\"yes\"}\n\n  "}, local.OK, 1},
		{"half", []string{`{"v":`, `{"v"`}, local.BadFormat, 2},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			b := &fake.Backend{Script: func(n int, _ local.Call) local.Reply { return fake.Text(c.replies[n]) }}
			g := open(t, "", 1, b)
			call := ask("m", "judge")
			call.Schema = schema
			r, err := g.Do(context.Background(), call)
			if err != nil || r.Outcome != c.want || len(b.Calls()) != c.calls {
				t.Errorf("got %+v, %v after %d calls", r, err, len(b.Calls()))
			}
		})
	}
}

func TestTornAndDamagedLines(t *testing.T) {
	dir := t.TempDir()
	g := open(t, dir, 1, &fake.Backend{})
	for _, s := range []string{"one", "two", "three"} {
		if _, err := g.Do(context.Background(), ask("m", s)); err != nil {
			t.Fatal(err)
		}
	}
	g.Close()
	path := filepath.Join(dir, journalName)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(data), "\n")
	lines[1] = "{not json}\n"
	torn := strings.Join(lines[:3], "") + `{"key":"abc","reply":{"outc`
	if err := os.WriteFile(path, []byte(torn), 0o666); err != nil {
		t.Fatal(err)
	}
	b := &fake.Backend{}
	g = open(t, dir, 1, b)
	for _, s := range []string{"one", "two", "three"} {
		if r, err := g.Do(context.Background(), ask("m", s)); err != nil || r.Text != s {
			t.Fatal(r, err)
		}
	}
	if n := len(b.Calls()); n != 1 {
		t.Errorf("%d calls asked again, want only the damaged one", n)
	}
	g.Close()
	data, _ = os.ReadFile(path)
	if strings.Contains(string(data), `"key":"abc"`) || !strings.HasSuffix(string(data), "}\n") {
		t.Errorf("torn end is still there: %q", data[len(data)-80:])
	}
}

func TestJournalsOfOtherMachinesAreRead(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	g := open(t, other, 1, &fake.Backend{})
	if _, err := g.Do(context.Background(), ask("m", "x")); err != nil {
		t.Fatal(err)
	}
	g.Close()
	data, _ := os.ReadFile(filepath.Join(other, journalName))
	if err := os.WriteFile(filepath.Join(dir, "other.jsonl"), data, 0o666); err != nil {
		t.Fatal(err)
	}
	b := &fake.Backend{}
	g = open(t, dir, 1, b)
	if _, err := g.Do(context.Background(), ask("m", "x")); err != nil || len(b.Calls()) != 0 {
		t.Errorf("err %v, %d calls", err, len(b.Calls()))
	}
}

// Two doors never write one journal.
func TestJournalIsLocked(t *testing.T) {
	dir := t.TempDir()
	g := open(t, dir, 1, &fake.Backend{})
	if _, err := OpenJournal(dir, func(string) {}); !errors.Is(err, ErrJournalBusy) {
		t.Errorf("a second journal opens: %v", err)
	}
	if err := g.Close(); err != nil {
		t.Fatal(err)
	}
	open(t, dir, 1, &fake.Backend{})
}

func TestCancelStopsAll(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	b := &fake.Backend{Delay: time.Hour}
	g := open(t, t.TempDir(), 2, b)
	done := make(chan error)
	go func() {
		done <- g.All(ctx, []local.Call{ask("m", "1"), ask("m", "2"), ask("m", "3")}, func(int, local.Reply) {})
	}()
	for len(b.Calls()) < 2 {
		time.Sleep(time.Millisecond)
	}
	cancel()
	if err := <-done; !IsCancelled(err) {
		t.Errorf("All returned %v", err)
	}
}

// BenchmarkSlots prints the share of slot time that is busy with 400 calls of
// 50 ms on a server of 4 slots, journal and syncs included.
func BenchmarkSlots(b *testing.B) {
	const slots, calls = 4, 400
	for b.Loop() {
		backend := &fake.Backend{Delay: 50 * time.Millisecond}
		g, err := Open(Config{Dir: b.TempDir(), Lanes: map[string]Lane{"fake": {Backend: backend, Slots: slots}}})
		if err != nil {
			b.Fatal(err)
		}
		var work []local.Call
		for i := range calls {
			work = append(work, ask("m", fmt.Sprint(i)))
		}
		start := time.Now()
		if err := g.All(context.Background(), work, func(int, local.Reply) {}); err != nil {
			b.Fatal(err)
		}
		elapsed := time.Since(start)
		g.Close()
		b.ReportMetric(100*float64(backend.Busy())/float64(slots)/float64(elapsed), "%busy")
	}
}

// BenchmarkChecks compares a run over a server that takes five milliseconds a call, with all
// checks and without those of the prompt and of the weights, in one run. The checksum of a
// line is compared with the encoding of the line.
func BenchmarkChecks(b *testing.B) {
	prompt := strings.Repeat("The bird sat on the gate of the farm. ", 500) // 20 KB, as judges are sent
	reply := fake.Text(strings.Repeat("It sang all day. ", 40))
	reply.Usage.PromptTokens = 6000
	run := func(checked bool) time.Duration {
		lane := Lane{
			Backend: &fake.Backend{Delay: 5 * time.Millisecond, Script: func(_ int, call local.Call) local.Reply {
				if words := len(strings.Fields(call.Messages[0].Content)); words > call.Options.NumCtx {
					return local.Fail(local.TooLong, "too long")
				}
				return reply
			}},
			Slots: 2,
		}
		if checked {
			lane.Prove = true
			lane.Identity = func(context.Context, local.Call) error { return nil }
		}
		g, err := Open(Config{Dir: b.TempDir(), Lanes: map[string]Lane{"fake": lane}})
		if err != nil {
			b.Fatal(err)
		}
		defer g.Close()

		var calls []local.Call
		for i := range 200 {
			call := ask("m", prompt+fmt.Sprint(i))
			call.Options.NumCtx = 8192
			calls = append(calls, call)
		}
		start := time.Now()
		if err := g.All(context.Background(), calls, func(int, local.Reply) {}); err != nil {
			b.Fatal(err)
		}
		return time.Since(start)
	}

	encode := func(sum bool) time.Duration {
		e := Entry{Key: "k", Call: ask("m", prompt), Reply: reply}
		start := time.Now()
		for range 200 {
			var err error
			if sum {
				_, err = encodeLine(e)
			} else {
				_, err = json.Marshal(e)
			}
			if err != nil {
				b.Fatal(err)
			}
		}
		return time.Since(start)
	}

	for b.Loop() {
		var with, without, summed, plain []time.Duration
		for range 7 {
			with, without = append(with, run(true)), append(without, run(false))
			summed, plain = append(summed, encode(true)), append(plain, encode(false))
		}
		for _, d := range [][]time.Duration{with, without, summed, plain} {
			slices.Sort(d)
		}
		b.ReportMetric(float64(with[3])/float64(without[3]), "run/unchecked")
		b.ReportMetric(float64(summed[3]-plain[3])/float64(without[3]), "sums/run")
	}
}
