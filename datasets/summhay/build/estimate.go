package build

import (
	"lore/datasets"
	"lore/datasets/stage"
	"lore/local/tokens"
)

// Cost is what a stage of the synthesis takes if every reply passes at once.
type Cost struct {
	Stage          string
	Calls          int
	Prompt, Output int // tokens of all calls together
}

// Prompts are some tokens longer than what they are filled with.
const promptTokens = 180

// Tokens that texts take, roughly: an insight, a fact, a title; and per word of prose.
const (
	insightTokens = 40
	factTokens    = 30
	titleTokens   = 25
	perWord       = 1.4
)

// Estimate lists the stages with their calls and tokens.
func (b *Builder) Estimate(seeds []datasets.Document) []Cost {
	parts, read := 0, 0
	for _, d := range seeds {
		n := tokens.Count(d.Text)
		parts += (n + factWindow - 1) / factWindow
		read += n
	}
	if parts > mostParts {
		read = read * mostParts / parts
		parts = mostParts
	}

	s, i, d := b.Subtopics+spare, b.Insights+spare, b.Documents
	text := int(perWord * float64(b.Words))
	each := b.perDocument()
	shownFacts := min(parts*factsPerPart, factsForTopics) * factTokens
	someFacts := min(parts*factsPerPart, factsForPoints) * factTokens
	list := b.Subtopics * titleTokens
	cost := func(stage string, calls, prompt, output int) Cost {
		return Cost{stage, calls, calls * (promptTokens + prompt), calls * output}
	}

	out := []Cost{
		{"notes of the seed documents", parts, read + parts*promptTokens, parts * factsPerPart * factTokens},
		cost("subtopics", 2, shownFacts, s*titleTokens),
		cost("insights", s, someFacts+list, i*insightTokens),
		cost("repetitions", s, i*insightTokens, 10),
		cost("sorting", s*i, list+insightTokens, 10),
		cost("queries", b.Subtopics, titleTokens, 20),
	}
	if b.Conversation {
		chapter := text / max(1, each)
		out = append(out,
			cost("chapters", d*each, 100+insightTokens, chapter),
			cost("checks of chapters", d*each, chapter+list, 15))
	} else {
		out = append(out, cost("documents", d, each*insightTokens, text))
	}
	return append(out,
		cost("lists of what a document says", d*b.Subtopics, text+b.Insights*insightTokens, 12),
		cost("audit", d*(each+1), text+insightTokens, 8)) // a suspect on top of what is planned
}

// Window is the room that the longest prompt takes with its reply, in tokens. The whole
// build has one window.
func (b *Builder) Window(seeds []datasets.Document) int {
	longest := 0
	for _, d := range seeds {
		longest = max(longest, min(factWindow, tokens.Count(d.Text)))
	}

	text := int(perWord * float64(b.Words))
	facts := factTokens * min(1, len(seeds)) // without seeds none are shown
	s, i := b.Subtopics+spare, b.Insights+spare
	return stage.Window(
		promptTokens+longest+700,
		promptTokens+factsForTopics*facts+80*s,
		promptTokens+factsForPoints*facts+titleTokens*s+90*i,
		promptTokens+text+b.perDocument()*insightTokens+3*b.Words+200, // an edit
	)
}
