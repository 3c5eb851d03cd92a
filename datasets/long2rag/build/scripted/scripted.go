// Package scripted plays the model of a Long²RAG build by rule.
package scripted

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"lore/datasets/stage/scripted"
	"lore/local"
	"lore/local/text"
)

// Careful answers the prompts of the build as a careful model would: it copies from what
// the prompt holds, and the same prompt has the same answer. A prompt that it does not
// know has the answer "".
func Careful(messages []local.Message) string { return scripted.Answer(careful, messages) }

// careful lists answers by words of the prompts under ../prompts.
var careful = []scripted.Rule{
	{Mark: `"needs_sources"`, Answer: screen},
	{Mark: "Taking it as a model for style", Answer: evolve},
	{Mark: "harder version", Answer: evolve},
	{Mark: `"simple": it asks for one thing`, Answer: decompose},
	{Mark: "<point>the statement</point>", Answer: extract},
	{Mark: "Put points that say the same into one", Answer: merge},
	{Mark: "Does this information by itself answer", Answer: significant},
}

// categories are recognised by a word of the question; the first one counts.
var categories = []struct{ word, category string }{
	{"why", "causal"}, {"differ", "comparative"}, {"how do you", "methodological"}, {"what if", "hypothetical"},
	{"will", "predictive"}, {"best", "subjective"}, {"which", "factual"},
}

func screen(prompt string) string {
	question := strings.ToLower(scripted.Between(prompt, "Question:", "\n"))
	category := "explanatory"
	for _, c := range categories {
		if strings.Contains(question, c.word) {
			category = c.category
			break
		}
	}
	return scripted.JSON(map[string]any{
		"needs_sources": true, "clear": true, "one_reading": true, "complex": len(strings.Fields(question)) > 5,
		"invites_judgement": false, "category": category, "domain": "history",
	})
}

// subjects are what evolved questions are about.
var subjects = []string{
	"harbour wall", "winter fair", "railway strike", "glass works",
	"river ferry", "choir festival", "stone quarry", "water mill",
}

var wanted = regexp.MustCompile(`write (\d+)`)

func evolve(prompt string) string {
	n, err := strconv.Atoi(wanted.FindStringSubmatch(strings.ToLower(prompt))[1])
	if err != nil {
		return ""
	}

	domain := scripted.Between(prompt, `domain "`, `"`)
	var out []string
	for i := range n {
		seed := scripted.Hash(fmt.Sprint(prompt, i))
		out = append(out, fmt.Sprintf("Which turns did the %s of the town number %d take in the field of %s, "+
			"and who decided about %s in the end?", subjects[seed%8], seed%1000, domain, subjects[(seed>>8)%8]))
	}
	return scripted.JSON(map[string]any{"questions": out})
}

func decompose(prompt string) string {
	question := scripted.Between(prompt, "Question:", "\n")
	parts := strings.Split(strings.TrimSuffix(question, "?"), ", and ")
	if len(parts) == 1 {
		return scripted.JSON(map[string]any{"type": "simple", "questions": []string{}})
	}
	for i := range parts {
		parts[i] += "?"
	}
	return scripted.JSON(map[string]any{"type": "complex", "questions": parts})
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

func extract(prompt string) string {
	found := scripted.Between(prompt, "list new points only:\n", "If the document")
	document := scripted.Between(prompt, "Document:\n", "\n\nQuestion:")

	var b strings.Builder
	for _, s := range sharing(document, scripted.Between(prompt, "\nQuestion: ", "\n")) {
		if n := strings.Count(b.String(), "\n"); n < 3 && !strings.Contains(found, s) {
			fmt.Fprintf(&b, "Point %d: <point>%s</point><span>%s</span>\n", n+1, s, s)
		}
	}
	if b.Len() == 0 {
		return "NONE"
	}
	return b.String()
}

// merge puts points of the same words into one.
func merge(prompt string) string {
	var order []string
	members := map[string][]string{}
	for line := range strings.Lines(scripted.Between(prompt, "answer the question:", "Put points that")) {
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

func significant(prompt string) string {
	question, point := scripted.Between(prompt, "Question:", "\n"), scripted.Between(prompt, "Information:", "\n")
	if text.Overlap(question, point) > 0.05 {
		return "YES"
	}
	return "NO"
}
