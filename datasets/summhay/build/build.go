// Package build makes haystacks as Summary of a Haystack does (section 3 and appendix
// A.1): a model names subtopics and insights, writes documents that hold them, and
// audits what it wrote; people then check a share of it on sheets.
package build

import (
	"context"
	"embed"
	"io/fs"

	"lore/datasets"
	"lore/datasets/stage"
	"lore/datasets/summhay"
	"lore/judge"
	"lore/local/prompt"
)

//go:embed prompts
var promptFiles embed.FS

// Prompts returns the built-in prompts of the build.
func Prompts() fs.FS { return prompt.Embedded(promptFiles) }

// spare is how many subtopics and insights are asked for over the number wanted: checks
// leave some of them out.
const spare = 2

// Builder synthesises a haystack (section 3 and appendix A.1): subtopics, insights, and
// documents that hold them, each verified.
type Builder struct {
	*stage.Session
	Sizes
	Topic        string
	Conversation bool     // documents are conversations, made chapter by chapter; else news articles
	Participants []string // of the conversations; invented where there are none
	Edits        int      // most edits of a document that disagrees with its plan
	Chapters     int      // most tries of a chapter
	Fresh        int      // most documents that replace one that cannot be mended
	Workers      int      // documents at work at once
	Seed         uint64
	Judge        judge.Judge // by words: looks for every statement, and costs no calls
	Second       judge.Judge // gives an opinion of its own on what is audited; may be nil

	quality Quality
	facts   []string
	rates   rates // by which opinions are weighed now
}

// Build makes a haystack from seed documents; a conversation needs none. What fails
// beyond repair is left out and counted; nothing is written for fewer than two
// subtopics.
func (b *Builder) Build(ctx context.Context, seeds []datasets.Document) (*summhay.File, error) {
	if err := b.tryChecks(ctx); err != nil {
		return nil, err
	}
	if err := b.readSeeds(ctx, seeds); err != nil {
		return nil, err
	}
	if err := b.settle(ctx); err != nil {
		return nil, err
	}

	subtopics, err := b.subtopics(ctx)
	if err != nil {
		return nil, err
	}
	if len(subtopics) < 2 {
		return nil, nil
	}
	if err := b.queries(ctx, subtopics); err != nil {
		return nil, err
	}

	documents, err := b.compose(ctx, subtopics, b.plan(subtopics))
	if err != nil {
		return nil, err
	}

	return b.file(subtopics, documents), nil
}

// file puts the haystack together. An insight that no document holds is no insight, and a
// subtopic without any is no task: such a file could not be run. nil if nothing is left.
func (b *Builder) file(subtopics []*subtopic, documents []summhay.Document) *summhay.File {
	held := map[string]bool{}
	for _, d := range documents {
		for _, id := range d.InsightsIncluded {
			held[id] = true
		}
	}

	f := &summhay.File{Topic: b.Topic, Documents: documents}
	if b.Conversation {
		f.Metadata.Participants = b.Participants
	}
	for _, s := range subtopics {
		var kept []summhay.Insight
		for _, in := range s.kept() {
			if held[in.InsightID] {
				kept = append(kept, in)
				continue
			}
			b.quality.InsightsLost++
			b.Drop(in.InsightID, "no document holds it: %q", in.Insight)
		}

		if len(kept) == 0 {
			b.quality.SubtopicsLost++
			b.Drop(s.id, "none of its insights is left: %q", s.name)
			continue
		}
		f.Subtopics = append(f.Subtopics, summhay.Subtopic{
			SubtopicID: s.id, Subtopic: s.about, Name: s.name, Query: s.query, Insights: kept,
		})
	}
	if len(f.Subtopics) == 0 || len(documents) == 0 {
		return nil
	}
	return f
}

// settle names the topic and the people where they are not given.
func (b *Builder) settle(ctx context.Context) error {
	if b.Topic == "" {
		if err := b.nameTopic(ctx); err != nil {
			return err
		}
	}
	if b.Conversation && len(b.Participants) == 0 {
		return b.invite(ctx)
	}
	return nil
}
