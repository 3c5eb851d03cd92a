package gate

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"unicode/utf8"

	"lore/local"
	"lore/local/tokens"
)

// withProof makes sure that a model has read the whole prompt. Servers cut prompts that do
// not fit, whatever they were told, and answer as if nothing were amiss; only the number
// of prompt tokens that they report can show it.
//
// A prompt has at least a token a word (tokens.Least). A count far below that is of a
// prompt that was cut. A count at the window, at half of it, or where the server was seen
// to cut, is a suspicion: the prompt is counted in two halves, whose sum must be no more.
//
// Before the first call a canary finds out how the server counts, and whether it refuses
// what is too long. Where it does not count what it had cached, a prompt with too low a
// count is counted again behind a mark that no cache knows.
type proof struct {
	inner   local.Backend
	meter   *meter
	canary  *canaries
	version string // of the server
	warn    func(string)

	mu     sync.Mutex
	models map[profile]*sync.Mutex
	known  map[profile]sighting
	sung   map[profile][]int // tokens of the canaries so far; under the lock of its model
}

// profile is a model as it is loaded.
type profile struct {
	model, digest string
	window        int
}

func newProof(inner local.Backend, m *meter, c *canaries, version string, warn func(string)) *proof {
	return &proof{
		inner: inner, meter: m, canary: c, version: version, warn: warn,
		models: map[profile]*sync.Mutex{}, known: map[profile]sighting{}, sung: map[profile][]int{},
	}
}

// Do runs a call and proves that its prompt was read whole.
func (p *proof) Do(ctx context.Context, call local.Call) (local.Reply, error) {
	seen, failed, err := p.sight(ctx, call)
	if err != nil {
		return local.Reply{}, err
	}
	if failed != nil {
		return *failed, nil
	}

	reply, err := p.inner.Do(ctx, call)
	switch reply.Outcome {
	case local.OK, local.Cut, local.Empty:
		if err == nil {
			reply, err = p.check(ctx, call, reply, seen)
		}
	}
	if err == nil {
		p.meter.add(call, reply, fromModel)
	}
	return reply, err
}

// check turns a reply to a prompt that was cut into a failure.
func (p *proof) check(ctx context.Context, call local.Call, reply local.Reply, seen sighting) (local.Reply, error) {
	count := reply.Usage.PromptTokens
	least := least(call.Messages)
	switch {
	case count <= 0 && fits(call):
		return reply, nil // no server counts so little that it could have cut this
	case float64(count) >= seen.floor(least):
	case seen.Uncached:
		return p.countAgain(ctx, call, reply, seen)
	case count <= 0:
		return fail(reply, "the server does not say how many tokens of the prompt it has read, "+
			"so nothing shows that it has read it whole (window %d tokens)", call.Options.NumCtx), nil
	default:
		return fail(reply, "the server has read %d tokens of a prompt of at least %d words (window %d tokens): "+
			"it was cut", count, least, call.Options.NumCtx), nil
	}

	switch {
	case suspicious(count, call.Options.NumCtx, seen.Cuts) && seen.mayExceed(call):
		return p.countHalves(ctx, call, reply)
	}
	return reply, nil
}

// least is the fewest tokens that messages can have.
func least(messages []local.Message) int {
	n := 0
	for _, m := range messages {
		n += tokens.Least(m.Content)
	}
	return n
}

// templateTokens is more than a chat template adds to a message.
const templateTokens = 64

// fits reports whether the prompt cannot be longer than the window, however it is
// tokenised: a token is at least a byte.
func fits(call local.Call) bool {
	n := 0
	for _, m := range call.Messages {
		n += len(m.Content) + templateTokens
	}
	return n <= call.Options.NumCtx
}

// densest is how many times the tokens of plain English a word of other text may have, in
// Latin letters.
const densest = 1.9

// mayExceed reports whether the prompt may be longer than the window, by its bytes, and where
// it is in Latin letters also by its words.
func (s sighting) mayExceed(call local.Call) bool {
	if fits(call) {
		return false
	}
	bytes, ascii := 0, 0
	for _, m := range call.Messages {
		bytes += len(m.Content)
		for i := range len(m.Content) {
			if m.Content[i] < utf8.RuneSelf {
				ascii++
			}
		}
	}
	if s.Rate <= 0.3 || 10*ascii < 9*bytes {
		return true
	}
	most := densest*s.Rate*float64(least(call.Messages)) + float64(templateTokens*len(call.Messages))
	return most > float64(call.Options.NumCtx)
}

// near is how far a count may be from where a server cuts to look cut. Servers that cut to
// half of the window leave two tokens more.
const (
	near     = 8
	nearHalf = 4
)

// suspicious reports whether a count is where servers cut: at the window, at half of it,
// or where this one was seen to.
func suspicious(count, window, cuts int) bool {
	at := func(mark, near int) bool { return mark > 0 && count >= mark-near && count <= mark+near }
	return count >= window-near || at(window/2+2, nearHalf) || at(cuts, near)
}

// countAgain counts a prompt behind a mark that is not in the server's cache.
func (p *proof) countAgain(ctx context.Context, call local.Call, reply local.Reply, seen sighting) (local.Reply, error) {
	marked := counting(call)
	marked.Messages = append([]local.Message(nil), call.Messages...)
	marked.Messages[0].Content = "(" + call.Key()[:16] + ")\n" + marked.Messages[0].Content

	counted, err := p.count(ctx, marked)
	if err != nil {
		return local.Reply{}, err
	}
	first := reply.Usage.PromptTokens
	if counted.Outcome == local.TooLong {
		// The mark was one token too many; the prompt fills the window.
		return p.countHalves(ctx, call, reply)
	}
	if n := counted.Usage.PromptTokens; float64(n) >= seen.floor(least(call.Messages)) {
		reply.Usage.PromptTokens = n
		reply.Usage.CachedTokens = max(reply.Usage.CachedTokens, n-first)
		return reply, nil
	}

	return fail(reply, "the server has read %d tokens of a prompt of at least %d words (window %d tokens), "+
		"also behind a new beginning: it was cut", first, least(call.Messages), call.Options.NumCtx), nil
}

// seam is how many tokens parting a text may add: as few may be cut and not be seen.
const seam = 2

// countHalves counts a prompt in two halves. Each may be cut, too, but then the two have
// more tokens than the whole. What the chat template adds to the second half is counted
// with a message of one letter.
func (p *proof) countHalves(ctx context.Context, call local.Call, reply local.Reply) (local.Reply, error) {
	nothing := counting(call)
	nothing.Messages = []local.Message{{Role: local.User, Content: "a"}}
	sum := 0
	for i, part := range append(halves(call), nothing) {
		counted, err := p.count(ctx, part)
		if err != nil {
			return local.Reply{}, err
		}
		if counted.Outcome == local.TooLong {
			return fail(reply, "half of the prompt is longer than the window of %d tokens: it was cut to %d",
				call.Options.NumCtx, reply.Usage.PromptTokens), nil
		}
		if counted.Usage.PromptTokens <= 0 {
			return fail(reply, "the server does not say how many tokens of the prompt it has read"), nil
		}
		if i < 2 {
			sum += counted.Usage.PromptTokens
		} else {
			sum -= counted.Usage.PromptTokens
		}
	}

	if whole := reply.Usage.PromptTokens; sum > whole+seam {
		return fail(reply, "the server has read %d tokens of a prompt whose halves have %d (window %d tokens): "+
			"it was cut", whole, sum, call.Options.NumCtx), nil
	}
	return reply, nil
}

func fail(reply local.Reply, format string, args ...any) local.Reply {
	reply.Outcome, reply.Detail = local.Truncated, fmt.Sprintf(format, args...)
	return reply
}

// counting is a call that only counts its prompt.
func counting(call local.Call) local.Call {
	call.Schema, call.TopLogprobs = nil, 0
	call.Options.NumPredict = 1
	return call
}

func (p *proof) count(ctx context.Context, call local.Call) (local.Reply, error) {
	p.meter.probe(call)
	return p.inner.Do(ctx, call)
}

// halves parts the longest message of a call near its middle, at white space.
func halves(call local.Call) []local.Call {
	longest := 0
	for i, m := range call.Messages {
		if len(m.Content) > len(call.Messages[longest].Content) {
			longest = i
		}
	}
	text := call.Messages[longest].Content
	middle := len(text) / 2
	if at := strings.IndexAny(text[middle:], " \n\t"); at >= 0 {
		middle += at
	}

	first, second := counting(call), counting(call)
	first.Messages = append([]local.Message(nil), call.Messages...)
	first.Messages[longest].Content = strings.ToValidUTF8(text[:middle], "")
	second.Messages = []local.Message{{Role: local.User, Content: strings.ToValidUTF8(text[middle:], "")}}
	return []local.Call{first, second}
}
