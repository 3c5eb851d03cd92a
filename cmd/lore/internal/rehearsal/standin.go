package rehearsal

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"strings"
	"time"
	"unicode"

	"lore/cmd/lore/internal/forecast"
	"lore/local"
	"lore/local/gate"
	"lore/local/schema"
	"lore/local/system"
	"lore/local/tokens"
)

// mark is a word that stand-ins have in every line and sentence, so that prompts that are made of
// them are told from those that the work will really have.
const mark = "loremipsum"

// madeUp reports whether a prompt holds what a stand-in said.
func madeUp(call local.Call) bool {
	for _, m := range call.Messages {
		if strings.Contains(m.Content, mark) {
			return true
		}
	}
	return false
}

// memory is what the passes of an estimate share: replies, and how long they took.
type memory struct {
	counts  map[string]int         // tokens of prompts, by identity
	known   map[string]local.Reply // by identity: replies to calls that were tried
	tried   map[string]bool        // of these, calls that were made as the work will make them
	tries   map[place][]forecast.Try
	replies map[place][]forecast.Reply
	samples map[place][]local.Reply               // good replies, to make stand-ins like them
	made    map[place]int                         // calls that were tried
	failed  map[place][]string                    // why calls failed that were tried
	loads   map[string]time.Duration              // how long models took to load, where the server tells it
	first   map[string]firstCall                  // calls that may have loaded models
	answer  func(messages []local.Message) string // plays models by rule; may be nil
}

func newMemory() *memory {
	return &memory{
		counts:  map[string]int{},
		known:   map[string]local.Reply{},
		tried:   map[string]bool{},
		tries:   map[place][]forecast.Try{},
		replies: map[place][]forecast.Reply{},
		samples: map[place][]local.Reply{},
		made:    map[place]int{},
		failed:  map[place][]string{},
		loads:   map[string]time.Duration{},
		first:   map[string]firstCall{},
	}
}

// mostSamples are enough to make stand-ins like them.
const mostSamples = 200

// learnOnce takes in a reply that was there before, in the first pass that meets it.
func (m *memory) learnOnce(key string, at place, call local.Call, reply local.Reply) {
	if _, known := m.known[key]; !known {
		m.known[key] = reply
		m.learn(at, call, reply)
	}
}

// learn takes in a reply that is there.
func (m *memory) learn(at place, call local.Call, reply local.Reply) {
	if reply.Outcome != local.OK && reply.Outcome != local.Cut {
		return
	}
	m.replies[at] = append(m.replies[at], m.replyOf(call, reply))
	if len(m.samples[at]) < mostSamples {
		m.samples[at] = append(m.samples[at], reply)
	}
}

// count counts the tokens of a call's prompt by lore's own tokeniser, once in all passes.
func (m *memory) count(key string, call local.Call) int {
	n, known := m.counts[key]
	if !known {
		for _, one := range call.Messages {
			n += tokens.Count(one.Content)
		}
		m.counts[key] = n
	}
	return n
}

func (m *memory) replyOf(call local.Call, reply local.Reply) forecast.Reply {
	n := m.count(identity(call), call)
	return forecast.Reply{Prompt: n, Counted: reply.Usage.PromptTokens, Output: reply.Usage.OutputTokens}
}

// byRule answers in place of a model where the rules know the prompt.
func (m *memory) byRule(call local.Call) (local.Reply, bool) {
	if m.answer == nil {
		return local.Reply{}, false
	}
	text := m.answer(call.Messages)
	return local.Reply{Outcome: local.OK, Text: text}, text != ""
}

// standIn answers in place of a model: like one of its replies if some are known.
func (m *memory) standIn(at place, call local.Call) local.Reply {
	h := fnv.New32a()
	_, _ = h.Write([]byte(identity(call))) // a hash takes all
	seed := int(h.Sum32() >> 1)

	var like local.Reply
	if some := m.samples[at]; len(some) > 0 {
		like = some[seed%len(some)]
	}
	out := local.Reply{Outcome: local.OK, Text: like.Text, Logprobs: like.Logprobs}
	switch {
	case call.Backend == system.BackendName:
		out.Text = fmt.Sprintf(`{"answer":%q}`, prose(call, defaultShape, seed))
	case len(call.Schema) > 0:
		out.Text = instance(call, like.Text, seed)
	case call.Options.NumPredict <= shortReply:
		if like.Text == "" {
			out.Text = "1"
		}
	default:
		if like.Text == "" {
			like.Text = defaultShape
		}
		out.Text = prose(call, like.Text, seed)
	}
	return out
}

// shortReply is the limit of replies that are a grade or an order, and not prose.
const shortReply = 64

// defaultShape is that of an answer where none is known.
var defaultShape = strings.Repeat("- A line of an answer has about twenty words and says one thing of a "+
	"document, which it names at its end. [1]\n", 6)

// instance is a reply that obeys the schema of a call. A reply that makes no statement of its own
// is taken over from another call of its kind, if it obeys the schema here.
func instance(call local.Call, like string, seed int) string {
	if !schema.Free(call.Schema) && like != "" && gate.Obeys(call.Schema, like) == nil {
		return like
	}
	items, words := shapeOf(like)
	text, err := schema.Instance(call.Schema, items, func(i int) string {
		return mark + " " + strings.Join(wordsFrom(call, seed+i*words, words), " ")
	})
	if err != nil {
		return like // the work will tell of what cannot be read
	}
	return text
}

// Items of a list and words of a text where no reply is known.
const (
	defaultItems = 5
	defaultWords = 12
)

// shapeOf is the length of the longest list in a reply, and the mean length of its texts in words.
func shapeOf(reply string) (items, words int) {
	var value any
	if json.Unmarshal([]byte(reply), &value) != nil {
		return defaultItems, defaultWords
	}
	texts, all := 0, 0
	items = -1
	var look func(v any)
	look = func(v any) {
		switch v := v.(type) {
		case []any:
			items = max(items, len(v))
			for _, one := range v {
				look(one)
			}
		case map[string]any:
			for _, one := range v {
				look(one)
			}
		case string:
			texts, all = texts+1, all+len(strings.Fields(v))
		}
	}
	look(value)
	if items < 0 {
		items = defaultItems
	}
	if texts == 0 {
		return items, defaultWords
	}
	return items, max(1, all/texts)
}

// prose has the lines, sentences, numbers and signs of a text, and the words of a call's prompt.
func prose(call local.Call, like string, seed int) string {
	var b strings.Builder
	for n, line := range strings.SplitAfter(like, "\n") {
		words := wordsFrom(call, seed+97*n, len(strings.Fields(line)))
		begun := false
		for i, word := range strings.Fields(line) {
			if i > 0 {
				b.WriteByte(' ')
			}
			if strings.IndexFunc(word, unicode.IsLetter) < 0 || len(words) == 0 {
				b.WriteString(word)
				continue
			}
			if !begun {
				b.WriteString(mark)
				begun = true
				continue
			}

			b.WriteString(words[i%len(words)])
			if end := word[len(word)-1]; strings.IndexByte(".!?:", end) >= 0 {
				b.WriteByte(end)
				begun = false
			}
		}
		if strings.HasSuffix(line, "\n") {
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// wordsFrom are words in a row of the prompt's longest message, without what ends sentences.
func wordsFrom(call local.Call, at, n int) []string {
	longest := ""
	for _, m := range call.Messages {
		if len(m.Content) > len(longest) {
			longest = m.Content
		}
	}
	all := strings.FieldsFunc(longest, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	if len(all) == 0 {
		return nil
	}
	out := make([]string, n)
	for i := range out {
		out[i] = all[(at+i)%len(all)]
	}
	return out
}
