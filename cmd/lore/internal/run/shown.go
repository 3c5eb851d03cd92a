package run

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"lore/cmd/lore/internal/store"
	"lore/datasets"
	"lore/local"
)

// skeleton is a prompt without the texts of its documents, which are kept once. It is the
// same request worded with a mark in the place of each text; where putting the texts back
// does not give the prompt, such as where a prompt shortens them, it is kept as it is.
func skeleton(it datasets.Item, ask datasets.Ask, messages []local.Message) []store.PromptMessage {
	marked := ask
	marked.Context.Passages = slices.Clone(ask.Context.Passages)
	marks := make([]string, len(marked.Context.Passages))
	for i := range marked.Context.Passages {
		marks[i] = fmt.Sprintf("\uE000%d\uE001", i+1) // for private use: no template has them
		marked.Context.Passages[i].Text = marks[i]
	}

	worded, _, err := it.Request(marked)
	if err != nil || len(worded) != len(messages) {
		return wholePrompt(messages)
	}
	out := make([]store.PromptMessage, len(worded))
	for i, m := range worded {
		out[i] = store.PromptMessage{Role: m.Role, Parts: promptParts(m.Content, marks)}
		if fill(out[i].Parts, ask.Context.Passages) != messages[i].Content {
			return wholePrompt(messages)
		}
	}
	return out
}

// promptParts parts a text at marks, each of which may stand in it once or not at all.
func promptParts(text string, marks []string) []store.PromptPart {
	var out []store.PromptPart
	words := func(s string) {
		if s != "" {
			out = append(out, store.PromptPart{Words: s})
		}
	}
	for i, mark := range marks {
		before, after, ok := strings.Cut(text, mark)
		if !ok {
			continue
		}
		words(before)
		out = append(out, store.PromptPart{Passage: i + 1})
		text = after
	}
	words(text)
	return out
}

// fill puts the texts of passages back.
func fill(parts []store.PromptPart, passages []local.Passage) string {
	var b strings.Builder
	for _, p := range parts {
		if p.Passage > 0 {
			b.WriteString(passages[p.Passage-1].Text)
		} else {
			b.WriteString(p.Words)
		}
	}
	return b.String()
}

func wholePrompt(messages []local.Message) []store.PromptMessage {
	out := make([]store.PromptMessage, len(messages))
	for i, m := range messages {
		out[i] = store.PromptMessage{Role: m.Role, Parts: []store.PromptPart{{Words: m.Content}}}
	}
	return out
}

// keepShown names in each answer what its system was shown, and gathers that.
func (e *engine) keepShown(cells []cell, answers []store.Answer) store.Shown {
	var b store.ShownBuilder
	numbers := make([]int, len(cells))
	for i, c := range cells {
		numbers[i] = -1
		if passages := c.evidence.Context.Passages; len(passages) > 0 || len(c.prompt) > 0 {
			if len(c.prompt) > 0 {
				passages = c.seen
			}
			numbers[i] = b.Add(passages, c.prompt)
		}
	}

	for i, c := range cells {
		keepCited(&b, c, answers[i])
	}

	shown := b.Build()
	shown.Asked = e.worded
	for i, n := range numbers {
		if n >= 0 {
			answers[i].Shown = shown.Contexts[n].Name
		}
	}
	for _, it := range e.items {
		query := it.Query()
		said := store.ShownItem{Item: it.ID(), Gold: query.Gold}
		if h, ok := it.(datasets.Held); ok {
			said.Holders = h.Holders()
		}
		if c := query.Cites; c != nil {
			said.Labels = map[string]string{}
			for id := range said.Gold {
				said.Labels[id] = c.Label(id)
			}
		}
		shown.Items = append(shown.Items, said)
	}
	return shown
}

// keepCited keeps the documents that an answer from outside cites, where nobody knows what its
// system was shown. Where citations are scored, it keeps those, too, that they are compared with.
func keepCited(b *store.ShownBuilder, c cell, a store.Answer) {
	if c.evidence.Retrieved != nil || len(c.evidence.Context.Passages) > 0 {
		return
	}
	corpus := c.item.Corpus()
	keep := func(id string) {
		if corpus.Has(id) {
			b.Keep(id, corpus.Text(id))
		}
	}

	for _, m := range a.Cites {
		for _, d := range m.Cited {
			keep(d.Document)
		}
	}
	query := c.item.Query()
	if query.Cites == nil || c.failed() {
		return
	}
	gold := query.Gold
	for _, id := range slices.Sorted(maps.Keys(gold)) {
		if gold[id] > 0 {
			keep(id)
		}
	}
}
