package fake

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"regexp"
	"strconv"
	"strings"

	"lore/local"
	"lore/local/text"
)

// Careful answers the prompts of lore's builds as a careful model would: it copies from
// what the prompt holds, and the same prompt has the same answer. A prompt that it does
// not know has the answer "".
func Careful(messages []local.Message) string {
	if len(messages) == 0 {
		return ""
	}
	p := messages[len(messages)-1].Content
	for _, c := range careful {
		if strings.Contains(p, c.mark) {
			return c.answer(p)
		}
	}
	return ""
}

// careful lists answers by a part of the prompt.
var careful = []struct {
	mark   string
	answer func(prompt string) string
}{
	{`"needs_sources"`, screen},
	{"Taking it as a model for style", evolve},
	{"harder version", evolve},
	{`"simple": it asks for one thing`, decompose},
	{"<point>the statement</point>", extract},
	{"Put points that say the same into one", merge},
	{"Does this information by itself answer", significant},
}

// Between cuts the part of s between two marks; "" where the first is not there.
func Between(s, from, to string) string {
	_, s, ok := strings.Cut(s, from)
	if !ok {
		return ""
	}
	s, _, _ = strings.Cut(s, to)
	return strings.TrimSpace(s)
}

// JSON encodes an answer.
func JSON(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // answers are plain values
	}
	return string(data)
}

func hash(s string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(s)) // a hash takes all
	return h.Sum64()
}

func screen(p string) string {
	q := strings.ToLower(Between(p, "Question:", "\n"))
	category := "explanatory"
	for _, c := range [][2]string{{"why", "causal"}, {"differ", "comparative"}, {"how do you", "methodological"}, {"what if", "hypothetical"}, {"will", "predictive"}, {"best", "subjective"}, {"which", "factual"}} {
		if strings.Contains(q, c[0]) {
			category = c[1]
			break
		}
	}
	return JSON(map[string]any{"needs_sources": true, "clear": true, "one_reading": true, "complex": len(strings.Fields(q)) > 5, "invites_judgement": false, "category": category, "domain": "history"})
}

var subjects = []string{"harbour wall", "winter fair", "railway strike", "glass works", "river ferry", "choir festival", "stone quarry", "water mill"}

func evolve(p string) string {
	n, err := strconv.Atoi(regexp.MustCompile(`write (\d+)`).FindStringSubmatch(strings.ToLower(p))[1])
	if err != nil {
		return ""
	}
	domain := Between(p, `domain "`, `"`)
	var out []string
	for i := range n {
		seed := hash(fmt.Sprint(p, i))
		out = append(out, fmt.Sprintf("Which turns did the %s of the town number %d take in the field of %s, and who decided about %s in the end?", subjects[seed%8], seed%1000, domain, subjects[(seed>>8)%8]))
	}
	return JSON(map[string]any{"questions": out})
}

func decompose(p string) string {
	q := Between(p, "Question:", "\n")
	parts := strings.Split(strings.TrimSuffix(q, "?"), ", and ")
	if len(parts) == 1 {
		return JSON(map[string]any{"type": "simple", "questions": []string{}})
	}
	for i := range parts {
		parts[i] += "?"
	}
	return JSON(map[string]any{"type": "complex", "questions": parts})
}

// sharing returns the sentences of a document that share a content word with a query.
func sharing(document, query string) []string {
	words := map[string]bool{}
	for _, t := range text.Terms(query) {
		words[t] = true
	}
	var out []string
	for _, s := range text.Sentences(document) {
		for _, t := range text.Terms(s) {
			if words[t] && len(strings.Fields(s)) >= 4 && s[0] != '#' {
				out = append(out, s)
				break
			}
		}
	}
	return out
}

func extract(p string) string {
	found := Between(p, "list new points only:\n", "If the document")
	var b strings.Builder
	for _, s := range sharing(Between(p, "Document:\n", "\n\nQuestion:"), Between(p, "\nQuestion: ", "\n")) {
		if n := strings.Count(b.String(), "\n"); n < 3 && !strings.Contains(found, s) {
			fmt.Fprintf(&b, "Point %d: <point>%s</point><span>%s</span>\n", n+1, s, s)
		}
	}
	if b.Len() == 0 {
		return "NONE"
	}
	return b.String()
}

func merge(p string) string {
	var order []string
	members := map[string][]string{}
	for line := range strings.Lines(Between(p, "answer the question:", "Put points that")) {
		n, s, ok := strings.Cut(strings.TrimSpace(line), ". ")
		if _, err := strconv.Atoi(n); err != nil || !ok {
			continue
		}
		if members[s] == nil {
			order = append(order, s)
		}
		members[s] = append(members[s], n)
	}
	var b strings.Builder
	for i, s := range order {
		fmt.Fprintf(&b, "Point %d: %s [%s]\n", i+1, s, strings.Join(members[s], ", "))
	}
	return b.String()
}

func significant(p string) string {
	if text.Overlap(Between(p, "Question:", "\n"), Between(p, "Information:", "\n")) > 0.05 {
		return "YES"
	}
	return "NO"
}
