// Package noisy plays the model of a build of haystacks that falls short in known ways, for
// tests and benchmarks.
package noisy

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"lore/datasets/stage/scripted"
	careful "lore/datasets/summhay/build/scripted"
	"lore/local"
	"lore/local/fake"
)

// Model writes and checks as the careful one does, but for its noise. It
// knows what every text states, whatever its words.
type Model struct {
	fake.Noise

	mu       sync.Mutex
	insights []string // that were written, in order of the alphabet
}

// wordings is how many ways there are to say a statement: as it is, and in other words.
const wordings = 6

// plain takes the place of words where a statement is reworded.
var plain = strings.Fields("matter people place thing once again there while about quite rather further among " +
	"certain others through beside under another several moment reason manner whole given taken under later")

// say words a statement: the first wording is its own, the others share fewer and fewer
// words with it. Names and numbers stay.
func say(statement string, wording int) string {
	words := strings.Fields(strings.TrimPrefix(statement, careful.WordedAnew))
	for i, w := range words {
		h := scripted.Hash(statement + w + string(rune('a'+wording)))
		kept := w[0] < 'a' || w[0] > 'z' || int(h%10) >= 1+2*wording
		if wording > 0 && !kept {
			words[i] = plain[(h>>8)%uint64(len(plain))]
		}
	}
	out := strings.Join(words, " ")
	if !strings.HasSuffix(out, ".") {
		out += "."
	}
	return out
}

// vaguely says what comes near a statement, without its numbers, and with another name.
func vaguely(statement string) string {
	words := strings.Fields(say(statement, 1))
	for i, w := range words {
		switch {
		case strings.ContainsAny(w, "0123456789"):
			words[i] = "several"
		case i == 0:
			words[i] = "Somebody"
		}
	}
	return strings.Join(words, " ")
}

// States reports whether a text that was written by such a model states something.
func (m *Model) States(document, statement string) bool {
	if strings.HasPrefix(document, "The ferry to Little Sark") {
		return careful.States(document, statement)
	}
	for k := range wordings {
		if strings.Contains(document, say(statement, k)) {
			return true
		}
	}
	return false
}

// Script answers calls; it is one for a fake.Backend.
func (m *Model) Script(_ int, call local.Call) local.Reply {
	p := call.Messages[len(call.Messages)-1].Content
	key := fake.Key(call)
	says := func(document, statement string) bool {
		return m.Says(m.States(document, statement), strings.TrimPrefix(statement, careful.WordedAnew), key)
	}

	text := ""
	switch {
	case strings.Contains(p, "Give the article and nothing else."):
		statements := scripted.Items(scripted.Between(p, "spread over the article:", "Fill up with"))
		text = m.article(statements, p, key)
	case strings.Contains(p, "Give the conversation and nothing else."):
		insight := scripted.Between(p, "the others take it up:\n", "\n")
		text = "Ana: Listen to this.\nBen: " + m.article([]string{insight}, p, key) + "\nCleo: Is that so?"
	case strings.Contains(p, "Give the whole new text and nothing else."):
		text = m.edit(p, key)
	case strings.Contains(p, `"states": true or false`):
		insight := scripted.Between(p, "\nStatement:", "\n")
		said, _, _ := strings.Cut(p, "\nSubtopics:")
		list := scripted.Items(scripted.Between(p, "\nSubtopics:\n", "\nStatement:"))
		text = scripted.JSON(map[string]any{"subtopic": careful.Nearest(insight, list), "states": says(said, insight)})
	case strings.Contains(p, `{"present": `):
		out := []int{}
		for i, s := range scripted.Items(scripted.Between(p, "\nStatements:", "List the numbers")) {
			if says(careful.DocumentOf(p), s) {
				out = append(out, i+1)
			}
		}
		text = scripted.JSON(map[string]any{"present": out})
	case strings.Contains(p, `{"answer": "yes"} or`):
		text = careful.YesNo("answer", says(careful.DocumentOf(p), careful.StatementOf(p)))
	case strings.Contains(p, `{"left_out": "yes"} or`):
		text = careful.YesNo("left_out", !says(careful.DocumentOf(p), careful.StatementOf(p)))
	default:
		text = careful.Careful(call.Messages)
		m.learn(text)
	}
	return m.Reply(text, call)
}

// learn keeps the insights of a reply that has some.
func (m *Model) learn(reply string) {
	var r struct{ Insights []string }
	if json.Unmarshal([]byte(reply), &r) != nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, s := range r.Insights {
		if at, there := slices.BinarySearch(m.insights, s); !there {
			m.insights = slices.Insert(m.insights, at, s)
		}
	}
}

// leaks are statements that slip into a text.
func (m *Model) leaks(how string, rate float64, key string) []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []string
	for _, s := range m.insights {
		if m.Happens(rate, how, s, key) {
			out = append(out, s)
		}
	}
	return out
}

// worded says a statement, in words of its own as often as it does that.
func (m *Model) worded(statement, key string) string {
	if !m.Happens(m.Reword, "reword", statement, key) {
		return say(statement, 0)
	}
	return say(statement, 1+int(m.Chance("wording", statement, key)*(wordings-1)))
}

func (m *Model) article(statements []string, prompt, key string) string {
	var said []string
	for _, s := range statements {
		switch {
		case !m.Happens(m.Forget, "forget", s, key):
			said = append(said, m.worded(s, key))
		case m.Happens(m.Near, "near", s, key):
			said = append(said, vaguely(s))
		}
	}
	for _, s := range m.leaks("leak", m.Leak, key) {
		said = append(said, m.worded(s, key))
	}
	for _, s := range m.leaks("near leak", 3*m.Leak*m.Near, key) {
		said = append(said, vaguely(s))
	}

	words := careful.WordsOf(prompt)
	if m.Happens(m.Verbose, "verbose", key) {
		words *= 2
	}
	return careful.Spread(said, words, scripted.Hash(prompt)%8)
}

// edit adds and takes out as it is told to, forgets some of what it is to add, and lets
// something slip in a third as often as in a new text.
func (m *Model) edit(prompt, key string) string {
	asked, _, _ := strings.Cut(scripted.Between(prompt, "with every number, date and name:", "Give the whole new text"),
		"Take out of the text")
	gone := scripted.Items(scripted.Between(prompt, "says any of this:", "Give the whole new text"))
	out := scripted.Between(prompt, "Text:\n", "\n\nAdd to the text")
	out, _, _ = strings.Cut(out, "\n\nTake out of the text")

	for _, s := range gone {
		for k := range wordings {
			if !m.Happens(m.Forget, "leave", s, key) {
				out = strings.ReplaceAll(out, say(s, k), "")
			}
		}
	}
	for _, s := range scripted.Items(asked) {
		if !m.Happens(m.Forget, "forget", s, key) {
			out += " " + m.worded(s, key)
		}
	}
	for _, s := range m.leaks("leak", m.Leak/3, key) {
		if !slices.Contains(gone, s) {
			out += " " + m.worded(s, key)
		}
	}
	return strings.TrimSpace(out)
}
