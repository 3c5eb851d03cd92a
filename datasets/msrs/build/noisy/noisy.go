// Package noisy plays the model of a build of queries that falls short in known ways, over stories and
// meetings that it makes up, for tests and benchmarks.
package noisy

import (
	"fmt"
	"slices"
	"strings"

	"lore/datasets/stage/madeup"
	"lore/datasets/stage/scripted"
	"lore/local"
	"lore/local/fake"
)

// each is how many queries a story has, and a cluster of meetings.
const each = 4

// Query is one that is made up.
type Query struct {
	ID, Story, Text, Summary string
	Statement                int // that answers it
}

// place is the one that a statement is on.
func place(statement int) string { return madeup.Place(statement / each) }

// Stories makes up n stories of two chapters, by id, and four queries on each that only make sense to who
// has read it.
func Stories(n int) (chapters map[string]string, queries []Query) {
	chapters = map[string]string{}
	for s := range n {
		id := strings.ToLower(madeup.Place(s))
		texts := make([][]string, 2)
		for k := range each {
			st := s*each + k
			texts[k%2] = append(texts[k%2], madeup.Scene(place(st), st+1), madeup.Statement(place(st), st, 0))
			queries = append(queries, Query{
				ID: fmt.Sprint(st + 1), Story: id, Statement: st, Summary: madeup.Statement(place(st), st, 2),
				Text: fmt.Sprintf("What did it cost to restore the %s there?", madeup.Work(st)),
			})
		}
		for c, sentences := range texts {
			chapters[fmt.Sprintf("%s-%d", id, c+1)] = strings.Join(sentences, " ")
		}
	}
	return chapters, queries
}

// Meetings makes up four queries on each of n matters. Two are similar if they are on one.
func Meetings(n int) (queries []Query, similarity func(i, j int) float64) {
	for st := range n * each {
		queries = append(queries, Query{
			ID: fmt.Sprint(st + 1), Statement: st, Summary: madeup.Statement(place(st), st, 0),
			Text: fmt.Sprintf("What was decided in %s about the %s?", place(st), madeup.Work(st)),
		})
	}
	return queries, func(i, j int) float64 {
		if i/each == j/each {
			return 1
		}
		return 0
	}
}

// Right reports whether a query of a story, as it was rewritten, says what it is about and does not tell
// the answer.
func Right(query string, statement int) bool {
	return strings.Contains(query, place(statement)) && strings.Contains(query, madeup.Work(statement)) && len(madeup.Stated(query)) == 0
}

// Model writes and checks as its noise has it.
type Model struct {
	fake.Noise
	Garbage string // prompts with these words get a reply without form; empty: none
}

// Script answers calls; it is one for a fake.Backend.
func (m *Model) Script(_ int, call local.Call) local.Reply {
	p, key := call.Messages[1].Content, fake.Key(call)
	var reply map[string]any
	switch {
	case m.Garbage != "" && strings.Contains(p, m.Garbage):
		return fake.Text("Sure! Here it is.")
	case strings.Contains(p, `"stands_alone"`):
		reply = m.check(p, key)
	case strings.Contains(p, "Summary 1:"):
		reply = m.merge(p, key)
	default:
		reply = map[string]any{"query": m.rewrite(p, key)}
	}
	return m.Reply(scripted.JSON(reply), call)
}

// rewrite names what a question is about, or forgets it, takes another name, or tells the answer.
func (m *Model) rewrite(p, key string) string {
	st := madeup.Stated(scripted.Between(p, "do not reveal it):\n", "\n"))[0]
	name, tail := place(st), ""
	switch {
	case m.Happens(m.Forget, "forget", st, key):
		name = "the town"
	case m.Happens(m.Leak, "leak", st, key):
		name = place(st + each)
	case m.Happens(m.Leak, "reveal", st, key):
		tail = fmt.Sprintf(", which was %d crowns", madeup.Number(st))
	}
	if m.Happens(m.Verbose, "verbose", key) {
		tail += strings.Repeat(", and what did the people there say of it when all was done", 8)
	}

	forms := []string{
		"What did it cost to restore the %s of %s%s?", "How much was paid for work on the %s in %s%s?",
		"Which sum did the %s of %s take%s?", "How many crowns went into the %s that %s had restored%s?",
	}
	form := forms[0]
	if m.Happens(m.Reword, "reword", st, key) {
		form = forms[int(m.Chance("form", st, key)*float64(len(forms)))]
	}
	return fmt.Sprintf(form, madeup.Work(st), name, tail)
}

// controls are the questions of the builder's controls, and whether the check has to pass them.
var controls = map[string]bool{
	"Why was the ferry to Little Sark out of use on 14 March?": true,

	"Who founded the bakery in Quay Street?": true,

	"What did Captain Orla Finch of the ferry to Little Sark promise the school?": true,

	"Why was it out of use?": false,

	"What colour is the door of the library of Aldersea?": false,

	"Was the ferry to Little Sark out of use because its engine had been flooded the night before?": false,
}

func (m *Model) check(p, key string) map[string]any {
	query := scripted.Between(p, "Rewritten question: ", "\n")
	right, control := controls[query]
	if !control {
		right = Right(query, madeup.Stated(scripted.Between(p, "What the answer says:\n", "\n"))[0])
	}
	ok := m.Says(right, query, key)
	return map[string]any{"stands_alone": ok, "same_question": true, "reveals_answer": false}
}

// merge says all that the summaries say but for what it forgets, and something of another matter.
func (m *Model) merge(p, key string) map[string]any {
	p, _, _ = strings.Cut(p, "Write one question")
	var out []string
	for _, st := range madeup.Stated(p) {
		switch {
		case !m.Happens(m.Forget, "forget", st, key):
			out = append(out, madeup.Statement(place(st), st, 2))
		case m.Happens(m.Near, "near", st, key):
			out = append(out, madeup.Vaguely(place(st), st))
		}
		if m.Happens(m.Leak, "leak", st, key) {
			out = append(out, madeup.Statement(place(st+each), st+each, 0))
		}
	}
	name := place(madeup.Stated(p)[0])
	return map[string]any{
		"query":   fmt.Sprintf("What was decided in %s, about which works, and what did they cost?", name),
		"summary": strings.Join(out, " "),
	}
}

// Told counts the statements of a merged summary that its cluster makes, each once, and others.
func Told(summary string, cluster []int) (right, wrong int) {
	told := madeup.Stated(summary)
	slices.Sort(told)
	for _, st := range slices.Compact(told) {
		if slices.Contains(cluster, st) {
			right++
		} else {
			wrong++
		}
	}
	return right, wrong
}
