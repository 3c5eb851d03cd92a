// Package fake is a scripted Backend for tests: it answers from a list or a
// function, records every call, can be slow, and can fail in every way that
// local servers are known to.
package fake

import (
	"context"
	"fmt"
	"sync"
	"time"

	"lore/local"
)

// Backend answers calls by a script. The zero value echoes the last message.
type Backend struct {
	Script func(n int, call local.Call) local.Reply // n counts calls from 0; nil echoes
	Delay  time.Duration                            // time a call takes

	mu      sync.Mutex
	calls   []local.Call
	running int
	most    int
	busy    time.Duration
}

// Do answers a call.
func (b *Backend) Do(ctx context.Context, call local.Call) (local.Reply, error) {
	b.mu.Lock()
	n := len(b.calls)
	b.calls = append(b.calls, call)
	b.running++
	b.most = max(b.most, b.running)
	b.mu.Unlock()

	start := time.Now()
	defer func() {
		b.mu.Lock()
		b.running--
		b.busy += time.Since(start)
		b.mu.Unlock()
	}()

	if b.Delay > 0 {
		select {
		case <-time.After(b.Delay):
		case <-ctx.Done():
			return local.Reply{}, context.Cause(ctx)
		}
	}

	if b.Script == nil {
		return Echo(n, call), nil
	}
	return b.Script(n, call), nil
}

// Calls returns the calls so far, in the order they came.
func (b *Backend) Calls() []local.Call {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]local.Call(nil), b.calls...)
}

// MostAtOnce returns the largest number of calls that ran together.
func (b *Backend) MostAtOnce() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.most
}

// Busy returns the time spent in calls, summed over them.
func (b *Backend) Busy() time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.busy
}

// Text is a good reply with a plain token count.
func Text(text string) local.Reply {
	return local.Reply{Outcome: local.OK, Text: text, Usage: local.Usage{PromptTokens: 1, OutputTokens: 1}}
}

// Echo answers with the last message.
func Echo(_ int, call local.Call) local.Reply {
	if len(call.Messages) == 0 {
		return Text("")
	}
	return Text(call.Messages[len(call.Messages)-1].Content)
}

// Failures maps every way a call can fail to a reply that fails so.
func Failures() map[local.Outcome]local.Reply {
	out := map[local.Outcome]local.Reply{}
	for _, o := range local.Outcomes {
		if o != local.OK {
			out[o] = local.Fail(o, "fake: %s", o)
		}
	}

	cut := out[local.Cut]
	cut.Text = "half an ans"
	out[local.Cut] = cut
	return out
}

// String describes the backend in test logs.
func (b *Backend) String() string { return fmt.Sprintf("fake backend after %d calls", len(b.Calls())) }
