// Package noisy plays the model of a build of questions and key points that falls short in known ways,
// over documents that it makes up, for tests and benchmarks.
package noisy

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"lore/datasets/long2rag/build/scripted"
	"lore/datasets/stage/madeup"
	shared "lore/datasets/stage/scripted"
	"lore/local"
	"lore/local/fake"
	"lore/local/text"
)

// Sizes of what is made up: of each question so many statements answer it, and so many are background,
// in so many documents.
const (
	answers     = 8
	backgrounds = 3
	documents   = 3
)

// World is a corpus with questions whose key points are known.
type World struct {
	Questions []string // that are to be built
	Poor      []string // that screening is to leave out
	Documents map[string]string
	place     map[string]int // the town of each question
}

// Town makes up a world of n questions, and a quarter as many poor ones.
func Town(n int) *World {
	w := &World{Documents: map[string]string{}, place: map[string]int{}}
	for p := range n + n/4 {
		name := madeup.Place(p)
		question := fmt.Sprintf("Why did the people of %s spend so much on their town, and who paid for what of it?", name)
		if p < n {
			w.Questions = append(w.Questions, question)
		} else {
			question = fmt.Sprintf("What of %s, or so?", name)
			w.Poor = append(w.Poor, question)
		}
		w.place[question] = p
		w.write(p)
	}
	return w
}

// write makes the documents of a town. Each statement stands in one of them, and each that answers in
// another one, too, in other words.
func (w *World) write(p int) {
	name := madeup.Place(p)
	texts := make([][]string, documents)
	for k := range answers + backgrounds {
		n := statement(p, k)
		texts[k%documents] = append(texts[k%documents], madeup.Statement(name, n, 0), madeup.Scene(name, n+1))
		if k < answers {
			texts[(k+1)%documents] = append(texts[(k+1)%documents], madeup.Statement(name, n, 1))
		}
	}
	for d, sentences := range texts {
		w.Documents[fmt.Sprintf("%s-%d", strings.ToLower(name), d+1)] = strings.Join(sentences, " ")
	}
}

// statement is the number of the kth statement on a town; those that answer come first.
func statement(place, k int) int { return place*(answers+backgrounds) + k }

// Find returns the documents of a question's town.
func (w *World) Find(question string) []string {
	var out []string
	for d := range documents {
		out = append(out, fmt.Sprintf("%s-%d", strings.ToLower(madeup.Place(w.place[question])), d+1))
	}
	return out
}

// Points are the statements that answer a question, by their numbers; a poor one has none.
func (w *World) Points(question string) []int {
	if !slices.Contains(w.Questions, question) {
		return nil
	}
	var out []int
	for k := range answers {
		out = append(out, statement(w.place[question], k))
	}
	return out
}

// Model reads and checks as its noise has it. It knows which questions are poor, and which statement
// says what.
type Model struct {
	fake.Noise
	*World

	Misquote float64 // points whose evidence is not copied word for word
	Loop     float64 // lists that are written again and again until the limit
	Garbage  string  // prompts with these words get a reply without form; empty: none
}

// Script answers calls; it is one for a fake.Backend.
func (m *Model) Script(_ int, call local.Call) local.Reply {
	p, key := call.Messages[1].Content, fake.Key(call)
	switch {
	case m.Garbage != "" && strings.Contains(p, m.Garbage):
		return fake.Text("Sure! Here it is.")
	case strings.Contains(p, `"needs_sources"`):
		return m.Reply(m.screen(p, key), call)
	case strings.Contains(p, "<point>the statement</point>"):
		return m.list(m.extract(p, key), call)
	case strings.Contains(p, "Put points that say the same into one"):
		return m.list(m.merge(p, key), call)
	case strings.Contains(p, "Does this information by itself answer"):
		return m.significant(p, key)
	}
	return m.Reply(scripted.Careful(call.Messages[:2]), call)
}

func (m *Model) screen(p, key string) string {
	question := shared.Between(p, "Question:", "\n")
	good := m.Says(!slices.Contains(m.Poor, question), question, key)
	return shared.JSON(map[string]any{
		"needs_sources": true, "clear": good, "one_reading": good, "complex": good, "invites_judgement": true,
		"category": "causal", "domain": "history",
	})
}

// list is a reply of lines with the faults of its form: without tags and brackets, or in a loop.
func (m *Model) list(lines []string, call local.Call) local.Reply {
	key := fake.Key(call)
	whole := strings.Join(lines, "\n")
	switch {
	case m.Happens(m.Format, "format", key):
		return fake.Text("Here is what the document says: " +
			strings.NewReplacer("<point>", "", "</point>", "", "<span>", "", "</span>", "", "[", "", "]", "", "Point", "-").Replace(whole))
	case len(lines) > 0 && m.Happens(m.Loop, "loop", key):
		r := local.Fail(local.Cut, "fake: output limit")
		r.Text = whole + strings.Repeat("\n"+lines[len(lines)-1], 40)
		return r
	case len(lines) == 0:
		whole = "NONE"
	}
	return m.Reply(whole, call)
}

// extract copies the statements of a document but for those that it forgets, and invents some.
func (m *Model) extract(p, key string) []string {
	found := madeup.Stated(shared.Between(p, "list new points only:\n", "If the document"))
	var out []string
	add := func(point, span string) {
		out = append(out, fmt.Sprintf("Point %d: <point>%s</point><span>%s</span>", len(out)+1, point, span))
	}

	for _, s := range text.Sentences(shared.Between(p, "Document:\n", "\n\nQuestion:")) {
		stated := madeup.Stated(s)
		if len(stated) == 0 || slices.Contains(found, stated[0]) {
			continue
		}
		n := stated[0]
		place := madeup.Place(n / (answers + backgrounds))
		switch {
		case m.Happens(m.Forget, "forget", n, key):
			if m.Happens(m.Near, "near", n, key) {
				add(madeup.Vaguely(place, n), s)
			}
			continue
		case m.Happens(m.Misquote, "misquote", n, key):
			s = strings.Replace(s, " the ", " that ", 1)
		}
		add(m.worded(place, n, key), s)

		if m.Happens(m.Leak, "leak", n, key) {
			invented := madeup.Statement(place, n+10_000, 0)
			add(invented, invented)
		}
	}
	return out
}

// worded says a statement, in other words as often as the model does that.
func (m *Model) worded(place string, n int, key string) string {
	wording := 0
	if m.Happens(m.Reword, "reword", n, key) {
		wording = 2
	}
	return madeup.Statement(place, n, wording)
}

// merge puts points of one number into one. Where it errs it keeps them apart, or puts a point to the
// one before it and drops what it says.
func (m *Model) merge(p, key string) []string {
	type group struct {
		text, members string
		number        int
	}
	var groups []group
	for line := range strings.Lines(shared.Between(p, "answer the question:", "Put points that")) {
		n, s, ok := strings.Cut(strings.TrimSpace(line), ". ")
		if _, err := strconv.Atoi(n); err != nil || !ok {
			continue
		}
		number := -1
		if stated := madeup.Stated(s); len(stated) > 0 {
			number = stated[0]
		}

		same := slices.IndexFunc(groups, func(g group) bool { return number >= 0 && g.number == number })
		as := same
		if same < 0 {
			as = len(groups) - 1
		}
		if as >= 0 && m.Says(same >= 0, fmt.Sprint("same ", s, groups[as].text), key) {
			groups[as].members += ", " + n
			continue
		}
		groups = append(groups, group{s, n, number})
	}

	var out []string
	for i, g := range groups {
		out = append(out, fmt.Sprintf("Point %d: %s [%s]", i+1, g.text, g.members))
	}
	return out
}

// significant says YES or NO with its probability: YES to what answers. Where it does not keep to its
// form it says neither.
func (m *Model) significant(p, key string) local.Reply {
	point := shared.Between(p, "Information:", "\n")
	stated := madeup.Stated(point)
	truth := len(stated) > 0 && stated[0]%(answers+backgrounds) < answers ||
		strings.Contains(point, "ferry") // of the controls

	word, yes := "NO", 0.2
	if m.Says(truth, point, key) {
		word, yes = "YES", 0.9
	}
	r := fake.Text(word)
	top := []local.TokenProb{{Token: "YES", Logprob: math.Log(yes)}, {Token: "NO", Logprob: math.Log(1 - yes)}}
	if m.Happens(m.Format, "format", key) {
		word, top = "Well", nil
		r = fake.Text(word)
	}
	r.Logprobs = []local.Position{{TokenProb: local.TokenProb{Token: word}, Top: top}}
	return r
}
