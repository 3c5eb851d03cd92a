package gate

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"sync"

	"lore/local"
	"lore/local/files"
	"lore/local/tokens"
)

// sighting is what a canary has shown of a model on a server.
type sighting struct {
	Rate float64 `json:"rate"` // tokens that the model counts a word of plain English; 0: not known
	Cuts int     `json:"cuts"` // tokens that are left of a prompt that is too long; 0: it is refused, or counted whole
	// Uncached says that the server counts only those tokens of a prompt that it had not in
	// its cache.
	Uncached bool `json:"uncached"`
}

// floor is the fewest tokens that the model may count of a prompt with so many words. A
// tokeniser that joins words counts fewer than one a word.
func (s sighting) floor(least int) float64 {
	rate := 1.0
	if s.Rate > 0.3 {
		rate = min(rate, s.Rate)
	}
	return tokens.Slack * rate * float64(least)
}

// canaryWords are a sentence that the canary sings over and over.
const canaryWords = "The small yellow bird sat on the gate of the old farm and sang all day, for it had seen " +
	"that the cat was asleep in the warm hay of the barn. "

// song is a text of at least so many words.
func song(words int) string {
	return strings.TrimSpace(strings.Repeat(canaryWords, words/tokens.Least(canaryWords)+1))
}

// sight finds out about the model as a call loads it, once. Others wait for it. failed is
// the reply of a canary that the server could not answer: the call fails the same way.
func (p *proof) sight(ctx context.Context, call local.Call) (seen sighting, failed *local.Reply, err error) {
	at := profile{call.Model, call.Digest, call.Options.NumCtx}
	p.mu.Lock()
	once := p.models[at]
	if once == nil {
		once = &sync.Mutex{}
		p.models[at] = once
	}
	p.mu.Unlock()

	once.Lock()
	defer once.Unlock()
	p.mu.Lock()
	seen, ok := p.known[at]
	p.mu.Unlock()
	if ok {
		return seen, nil, nil
	}

	if seen, ok = p.canary.recall(p.version, at); !ok {
		if seen, failed, err = p.send(ctx, call, at); err != nil || failed != nil {
			return seen, failed, err
		}
		if seen.Cuts == 0 && !seen.Uncached { // a server that is at fault may be mended
			p.canary.remember(p.version, at, seen)
		}
	}
	if seen.Cuts > 0 {
		p.warn(fmt.Sprintf("the server cuts prompts for %s that are too long to %d tokens, although it is told not to; "+
			"every reply is checked, and one to a prompt that was cut is a failure", call.Model, seen.Cuts))
	}

	p.mu.Lock()
	p.known[at] = seen
	p.mu.Unlock()
	return seen, nil, nil
}

// send sends canaries: one that fits, twice, to see how the model counts, and one that is
// longer than the window, which a good server refuses.
//
// What was answered is kept, so that a server that is sick now and then gets there.
func (p *proof) send(ctx context.Context, call local.Call, at profile) (
	seen sighting, failed *local.Reply, err error,
) {
	few := min(120, call.Options.NumCtx/4)
	lengths := []int{few, few, call.Options.NumCtx + templateTokens}
	canary := counting(call)
	least := func(i int) int { return tokens.Least(local.Canary + song(lengths[i])) }
	counts := p.sungSoFar(at)
	for len(counts) < len(lengths) {
		canary.Messages = []local.Message{{Role: local.User, Content: local.Canary + song(lengths[len(counts)])}}
		reply, err := p.count(ctx, canary)
		if err != nil {
			return seen, nil, err
		}
		if reply.Outcome.Sick() {
			reply.Detail = "a canary before the first call: " + reply.Detail
			return seen, &reply, nil
		}
		counts = append(counts, reply.Usage.PromptTokens)
		p.keepSung(at, counts)
	}

	seen.Rate = float64(counts[0]) / float64(least(0))
	seen.Uncached = 2*counts[1] < counts[0] // the server had it in its cache
	if n := counts[2]; n > 0 && float64(n) < seen.floor(least(2)) {
		seen.Cuts = n
	}
	return seen, nil, nil
}

func (p *proof) sungSoFar(at profile) []int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.sung[at]
}

// keepSung keeps how many tokens the canaries had so far.
func (p *proof) keepSung(at profile, counts []int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sung[at] = counts
}

// canaries is a folder where is kept what canaries have shown, by server version, model
// and window. A nil one keeps nothing.
type canaries struct{ dir string }

func (c *canaries) file(version string, at profile) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%s\x00%s\x00%d", version, at.model, at.digest, at.window))
	return filepath.Join(c.dir, fmt.Sprintf("%x.json", sum[:8]))
}

func (c *canaries) recall(version string, at profile) (sighting, bool) {
	var s sighting
	if c == nil || version == "" || at.digest == "" {
		return s, false
	}
	data, err := files.ReadFile(c.file(version, at))
	return s, err == nil && json.Unmarshal(data, &s) == nil && s.Rate > 0
}

// remember keeps a sighting. It is a help: where it cannot be kept, the next run sends
// canaries again.
func (c *canaries) remember(version string, at profile, s sighting) {
	if c == nil || version == "" || at.digest == "" || files.MkdirAll(c.dir) != nil {
		return
	}
	data, err := json.Marshal(s)
	if err != nil {
		return
	}
	_ = files.WriteFile(c.file(version, at), data)
}
