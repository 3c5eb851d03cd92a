// Package noisy plays the models of a build of topics and passages that fall short in known ways, over
// documents and summaries that it makes up, for tests and benchmarks.
package noisy

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"lore/datasets/stage/madeup"
	"lore/datasets/stage/scripted"
	"lore/local"
	"lore/local/fake"
	"lore/local/text"
)

// Sizes of what is made up, of each pair.
const (
	documents = 2
	perText   = 10 // statements in a document
	Questions = 6  // about as many of them, which the summary tells
	textWords = 380
)

// Pair is a summary with its documents, by id.
type Pair struct {
	ID, Summary string
	Documents   []string
	Told        []int // the statements of the summary
}

// Town makes up n pairs and their documents.
func Town(n int) (pairs []Pair, texts map[string]string) {
	texts = map[string]string{}
	for i := range n {
		place := madeup.Place(i)
		p := Pair{ID: fmt.Sprintf("p%d", i+1)}
		var summary []string
		for d := range documents {
			var sentences []string
			for k := range perText {
				s := statement(i, d, k)
				sentences = append(sentences, madeup.Statement(place, s, 0))
				if k < Questions/documents {
					p.Told = append(p.Told, s)
					summary = append(summary, madeup.Statement(place, s, 1))
				}
			}

			id := fmt.Sprintf("d%d-%d", i+1, d+1)
			texts[id] = filled(sentences, place)
			p.Documents = append(p.Documents, id)
		}
		p.Summary = strings.Join(summary, " ")
		pairs = append(pairs, p)
	}
	return pairs, texts
}

func statement(pair, document, k int) int { return (pair*documents+document)*perText + k }

func placeOf(statement int) string { return madeup.Place(statement / perText / documents) }

// filled spreads sentences over a text that else says nothing.
func filled(sentences []string, place string) string {
	var out []string
	words := 0
	for i := 0; words < textWords; i++ {
		next := []string{madeup.Scene(place, i)}
		if i < len(sentences) {
			next = append(next, sentences[i])
		}
		for _, s := range next {
			out, words = append(out, s), words+len(strings.Fields(s))
		}
	}
	return strings.Join(out, " ")
}

// Asks words the question that a statement answers.
func Asks(n int) string {
	return fmt.Sprintf("What did it cost to do work number %d on the %s?", madeup.Number(n), madeup.Work(n))
}

// Model writes and grades as its noise has it. It knows what every text states.
type Model struct {
	fake.Noise

	Short float64 // passages that are too short
	Loop  float64 // lists that are written again and again until the limit
}

// Script answers calls; it is one for a fake.Backend.
func (m *Model) Script(_ int, call local.Call) local.Reply {
	p, key := call.Messages[1].Content, fake.Key(call)
	switch {
	case strings.HasPrefix(p, "Document:"):
		return m.list("passages", m.passages(p, key), call)
	case strings.Contains(p, "Write the request"):
		return m.Reply(scripted.JSON(map[string]any{"request": m.request(p, key)}), call)
	case strings.Contains(p, "Write exactly"):
		return m.list("questions", m.questions(p, key), call)
	}
	return m.Reply(m.grades(p, key), call)
}

// list is a reply with one list, in a loop as often as the model is in one.
func (m *Model) list(name string, list []string, call local.Call) local.Reply {
	whole := scripted.JSON(map[string]any{name: list})
	if len(list) == 0 || !m.Happens(m.Loop, "loop", fake.Key(call)) {
		return m.Reply(whole, call)
	}
	r := local.Fail(local.Cut, "fake: output limit")
	last := scripted.JSON(list[len(list)-1])
	r.Text = strings.TrimSuffix(whole, "]}") + strings.Repeat(","+last, 20) + "," + last[:len(last)/2]
	return r
}

// passages rewrites a document in two halves, without what it forgets and with what it invents.
func (m *Model) passages(p, key string) []string {
	sentences := text.Sentences(scripted.Between(p, "Document:\n", "\n\nRewrite this document"))
	var halves [2][]string
	for i, s := range sentences {
		at := 2 * i / len(sentences)
		if stated := madeup.Stated(s); len(stated) > 0 {
			n := stated[0]
			switch {
			case !m.Happens(m.Forget, "forget", n, key):
				if m.Happens(m.Reword, "reword", n, key) {
					s = madeup.Statement(placeOf(n), n, 2)
				}
			case m.Happens(m.Near, "near", n, key):
				s = madeup.Vaguely(placeOf(n), n)
			default:
				continue
			}
			if m.Happens(m.Leak, "leak", n, key) {
				halves[at] = append(halves[at], madeup.Statement(placeOf(n), n+1, 0)) // which may be another document's
			}
		}
		halves[at] = append(halves[at], s)
	}

	out := []string{strings.Join(halves[0], " "), strings.Join(halves[1], " ")}
	switch {
	case m.Happens(m.Short, "short", key):
		out[1] = strings.Join(strings.Fields(out[1])[:20], " ")
	case m.Happens(m.Verbose, "verbose", key):
		out[0] += " " + filled(nil, "town")
	}
	return out
}

func (m *Model) request(p, key string) string {
	place := placeOf(madeup.Stated(p)[0])
	out := fmt.Sprintf("Write a report for the paper on what the people of %s had done in their town, who paid for which work, "+
		"and what all of it cost them in the end.", place)
	if m.Happens(m.Verbose, "verbose", key) {
		out = strings.Repeat(out+" ", 4)
	}
	return out
}

// questions asks for what the summary tells. Where it forgets a statement it asks what it does not tell.
func (m *Model) questions(p, key string) []string {
	var out []string
	for _, n := range madeup.Stated(scripted.Between(p, "Report:\n", "Write exactly")) {
		if m.Happens(m.Forget/4, "forget", n, key) {
			n += perText - 1
		}
		out = append(out, Asks(n))
	}
	return out
}

var (
	asksOne   = regexp.MustCompile(`(?m)^Question: (.*)$`)
	asksAbout = regexp.MustCompile(`number (1\d{4})`)
)

// grades are 5 for a question that the text answers, and 0 for others. The answers of controls are
// known by their words.
func (m *Model) grades(p, key string) string {
	shown, _, _ := strings.Cut(p, "Grade how")
	grade := func(question string) string {
		if m.Says(answers(shown, question), question+shown, key) {
			return "5"
		}
		return "0"
	}
	if one := asksOne.FindStringSubmatch(p); one != nil {
		return scripted.JSON(map[string]string{"answer": grade(one[1])})
	}

	type verdict struct {
		Number int    `json:"number"`
		Answer string `json:"answer"`
	}
	var out []verdict
	for i, q := range scripted.Items(scripted.Between(p, "\nQuestions:", "\x00")) {
		out = append(out, verdict{i + 1, grade(q)})
	}
	return scripted.JSON(map[string]any{"verdicts": out})
}

// answers reports whether a text answers a question, which holds the number that is asked about, or is
// one on a control text.
func answers(shown, question string) bool {
	if asked := asksAbout.FindStringSubmatch(question); asked != nil {
		return slices.Contains(madeup.Stated(shown), madeup.Stated(question)[0])
	}
	for _, about := range []string{"ferry", "bakery"} {
		if strings.Contains(question, about) {
			return strings.Contains(shown, about)
		}
	}
	return false
}
