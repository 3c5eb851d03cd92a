// Package build makes CRUX datasets from summaries that people wrote and the documents
// they wrote them from (section 3.1): a model rewrites the documents as passages and
// takes the summaries apart into questions, and a judge grades every passage by every
// question.
package build

import (
	"context"
	"embed"
	"io/fs"

	"lore/datasets/crux"
	"lore/datasets/stage"
	"lore/judge"
	"lore/local/prompt"
)

//go:embed prompts
var promptFiles embed.FS

// Prompts returns the built-in prompts of the build.
func Prompts() fs.FS { return prompt.Embedded(promptFiles) }

//go:embed rubric
var rubricFiles embed.FS

// The rubrics by which a model can grade.
const (
	ownRubric   = "lore"
	paperRubric = "paper"
)

var rubrics = []string{ownRubric, paperRubric}

// PaperRubric is the judge's prompt with the paper's rubric (figure 8) in other words: six grades
// of how relevant, complete and accurate a text is, from 0 to 5.
func PaperRubric() fs.FS {
	sub, err := fs.Sub(rubricFiles, "rubric")
	if err != nil {
		panic(err) // only a bad name fails
	}
	return sub
}

// Builder makes topics and passages from pairs.
type Builder struct {
	*stage.Session
	Judge     judge.Judge
	Questions int // per topic
	Eta       int // least grade that makes a passage relevant
	Examples  []Example
	Graded    func(stage string, n int) func(done int)

	Ungraded int // grades that could not be read, and count 0
	LeftOut  int // passages that were too short or too long at the last try
}

// asked is what a model made of a pair's summary.
type asked struct {
	request   string
	questions []string
}

// Build runs all stages. A pair that fails in one is left out, with its reason in
// the log; so is a passage that could not be made.
func (b *Builder) Build(ctx context.Context, pairs []Pair, documents map[string]string) (
	[]crux.Topic, []crux.Passage, error) {
	parts := b.split(pairs, documents)
	if err := b.tryGrades(ctx, len(parts)); err != nil {
		return nil, nil, err
	}
	passages, err := b.passages(ctx, pairs, parts)
	if err != nil {
		return nil, nil, err
	}

	asks, err := b.ask(ctx, pairs)
	if err != nil {
		return nil, nil, err
	}

	topics, err := b.topics(ctx, pairs, asks, passages)
	return topics, passages.list, err
}
