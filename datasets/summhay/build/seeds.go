package build

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"

	"lore/datasets"
	"lore/datasets/stage"
	"lore/local"
	"lore/local/schema"
	"lore/local/tokens"
)

// How seed documents are read.
const (
	factWindow   = 3000 // tokens of a seed document that are read at once
	factsPerPart = 8
	mostParts    = 300 // parts of seed documents that are read

	leastSeedWords = 20 // of a seed document; one of fewer words has nothing to take notes of
)

// factsForTopics is how many notes are shown where the topic and subtopics are named.
const factsForTopics = 80

// part is a part of a seed document that is read at once.
type part struct{ label, text string }

// readSeeds takes notes of the seed documents.
func (b *Builder) readSeeds(ctx context.Context, seeds []datasets.Document) error {
	parts := b.parts(seeds)
	type reply struct {
		Facts []string `json:"facts"`
	}

	got, failed, err := stage.Ask(ctx, b.Session, stage.Question[reply]{
		Stage:      "facts",
		Prompt:     "summhay/facts.txt",
		NumPredict: 700,
		Schema:     schema.Object(schema.Field("facts", schema.Array(schema.String()).AtMost(factsPerPart))).JSON(),
		Subject:    func(i int) string { return parts[i].label },
		Options:    func(_, _ int, o *local.Options) { o.Temperature = 0 }, // notes are taken, and nothing is invented
		Data: func(i int, problem string) any {
			return map[string]any{"Document": parts[i].text, "Most": factsPerPart, "Problem": problem}
		},
		Check: func(_ int, r reply) string {
			if len(r.Facts) == 0 {
				return "there is no fact"
			}
			return ""
		},
	}, stage.Places(len(parts)))
	if err != nil {
		return err
	}

	for i, p := range parts {
		if problem, bad := failed[i]; bad {
			b.Drop(p.label, "no notes: %s", problem)
		}
		for _, f := range got[i].Facts {
			if len(strings.Fields(f)) >= leastWords {
				b.facts = append(b.facts, strings.TrimSpace(f))
			}
		}
	}

	// Prompts show the first notes, which must not be those of the first documents.
	rng := rand.New(rand.NewPCG(b.Seed, 4))
	rng.Shuffle(len(b.facts), func(i, j int) { b.facts[i], b.facts[j] = b.facts[j], b.facts[i] })
	return nil
}

// parts cuts documents up. Of more parts than mostParts some are drawn.
func (b *Builder) parts(seeds []datasets.Document) []part {
	var parts []part
	for _, d := range seeds {
		for i, w := range tokens.Windows(d.Text, factWindow, 0) {
			parts = append(parts, part{fmt.Sprintf("%s part %d", d.ID, i+1), w})
		}
	}
	if len(parts) <= mostParts {
		return parts
	}

	b.Note("facts", "", 0, "%d of %d parts of the seed documents are read, drawn with seed %d",
		mostParts, len(parts), b.Seed)
	rng := rand.New(rand.NewPCG(b.Seed, 3))
	rng.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
	return parts[:mostParts]
}

// nameTopic has the model say what the notes are about.
func (b *Builder) nameTopic(ctx context.Context) error {
	type reply struct {
		Topic string `json:"topic"`
	}

	got, failed, err := stage.One(ctx, b.Session, stage.Question[reply]{
		Stage:      "topic",
		Prompt:     "summhay/topic.txt",
		NumPredict: 80,
		Schema:     schema.Object(schema.Field("topic", schema.String())).JSON(),
		Subject:    func(int) string { return "" },
		Data: func(_ int, problem string) any {
			return map[string]any{"Facts": b.facts[:min(len(b.facts), factsForTopics)], "Problem": problem}
		},
		Check: func(_ int, r reply) string {
			// The prompt asks for 3 to 12; a few more or fewer are still a topic.
			if n := len(strings.Fields(r.Topic)); n < 2 || n > 20 {
				return fmt.Sprintf("the topic has %d words, not 3 to 12", n)
			}
			return ""
		},
	})
	if err != nil {
		return err
	}

	b.Topic = strings.TrimSpace(got.Topic)
	if failed != "" {
		b.Topic = "what the documents report"
		b.Note("topic", "", 0, "worded by rule: %s", failed)
	}
	return nil
}

// invite has the model invent the people of conversations.
func (b *Builder) invite(ctx context.Context) error {
	type reply struct {
		Participants []string `json:"participants"`
	}

	got, failed, err := stage.One(ctx, b.Session, stage.Question[reply]{
		Stage:      "participants",
		Prompt:     "summhay/participants.txt",
		NumPredict: 200,
		Schema:     schema.Object(schema.Field("participants", schema.Array(schema.String()).AtMost(5))).JSON(),
		Subject:    func(int) string { return "" },
		Data: func(_ int, problem string) any {
			return map[string]any{"Topic": b.Topic, "N": 3, "Problem": problem}
		},
		Check: func(_ int, r reply) string {
			if len(r.Participants) < 2 {
				return "a conversation needs two people"
			}
			return ""
		},
	})
	if err != nil {
		return err
	}

	b.Participants = got.Participants
	if failed != "" {
		b.Participants = []string{"Ana", "Ben", "Cleo"}
		b.Note("participants", "", 0, "named by rule: %s", failed)
	}
	return nil
}
