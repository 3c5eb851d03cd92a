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

// slack is the share of the least tokens that a count may lack.
const slack = 0.9

// floor is the fewest tokens that the model may count of a prompt with so many words. A
// tokeniser that joins words counts fewer than one a word.
func (s sighting) floor(least int) float64 {
	rate := 1.0
	if s.Rate > 0.3 {
		rate = min(rate, s.Rate)
	}
	return slack * rate * float64(least)
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
		if seen, failed, err = p.send(ctx, call); err != nil || failed != nil {
			return seen, failed, err
		}
		p.canary.remember(p.version, at, seen)
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
func (p *proof) send(ctx context.Context, call local.Call) (seen sighting, failed *local.Reply, err error) {
	canary := counting(call)
	sing := func(words int) (local.Reply, int, error) {
		text := song(words)
		canary.Messages = []local.Message{{Role: local.User, Content: local.Canary + text}}
		reply, err := p.count(ctx, canary)
		return reply, least(canary.Messages), err
	}

	short, words, err := sing(min(120, call.Options.NumCtx/4))
	if err != nil {
		return seen, nil, err
	}
	if short.Outcome.Sick() {
		return seen, &short, nil
	}
	seen.Rate = float64(short.Usage.PromptTokens) / float64(words)

	// The same again: the server has it in its cache now.
	again, _, err := sing(min(120, call.Options.NumCtx/4))
	if err != nil {
		return seen, nil, err
	}
	if again.Outcome.Sick() {
		return seen, &again, nil
	}
	seen.Uncached = 2*again.Usage.PromptTokens < short.Usage.PromptTokens

	long, words, err := sing(call.Options.NumCtx + templateTokens)
	if err != nil {
		return seen, nil, err
	}
	if long.Outcome.Sick() {
		return seen, &long, nil
	}
	if n := long.Usage.PromptTokens; n > 0 && float64(n) < seen.floor(words) {
		seen.Cuts = n
	}
	return seen, nil, nil
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
