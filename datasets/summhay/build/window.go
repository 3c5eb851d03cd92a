package build

import (
	"lore/datasets"
	"lore/datasets/stage"
	"lore/local/tokens"
)

// Prompts are some tokens longer than what they are filled with.
const promptTokens = 180

// Tokens that texts take, roughly: an insight, a fact, a title; and per word of prose.
const (
	insightTokens = 40
	factTokens    = 30
	titleTokens   = 25
	perWord       = 1.4
)

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
		promptTokens+text+listLength*insightTokens+100,
		promptTokens+longest+700,
		promptTokens+factsForTopics*facts+80*s,
		promptTokens+factsForPoints*facts+titleTokens*s+90*i,
		promptTokens+text+b.perDocument()*insightTokens+3*b.Words+200, // an edit
	)
}

// erring is how many times the calls of a perfect checker a build takes by one that is always wrong on
// a share of the statements: a line through what `make bench-build` measures, 1.22 at 5 % and 1.70 at 15 %.
func erring(share float64) float64 { return 1 + 4.65*share }
