package build

import (
	"context"
	"encoding/json"

	"lore/datasets/long2rag"
	"lore/datasets/stage"
	"lore/local/schema"
)

// LeastCriteria is how many of the five criteria a question must meet (section 3.1).
const LeastCriteria = 4

// screened is a reply about a question.
type screened struct {
	NeedsSources     bool   `json:"needs_sources"`
	Clear            bool   `json:"clear"`
	OneReading       bool   `json:"one_reading"`
	Complex          bool   `json:"complex"`
	InvitesJudgement bool   `json:"invites_judgement"`
	Category         string `json:"category"`
	Domain           string `json:"domain"`
}

// criteria counts those that are met.
func (s screened) criteria() int {
	n := 0
	for _, met := range []bool{s.NeedsSources, s.Clear, s.OneReading, s.Complex, s.InvitesJudgement} {
		if met {
			n++
		}
	}
	return n
}

// screenSchema is sorted: the journals of earlier builds know it so.
func screenSchema() json.RawMessage {
	var categories []string
	for _, c := range long2rag.Categories {
		categories = append(categories, c.Name)
	}
	return schema.Object(
		schema.Field("needs_sources", schema.Boolean()),
		schema.Field("clear", schema.Boolean()),
		schema.Field("one_reading", schema.Boolean()),
		schema.Field("complex", schema.Boolean()),
		schema.Field("invites_judgement", schema.Boolean()),
		schema.Field("category", schema.OneOf(categories...)),
		schema.Field("domain", schema.OneOf(long2rag.Domains...)),
	).Sorted().JSON()
}

// screen keeps the questions that meet enough criteria, and gives them a category and
// a domain where they have none.
func (b *Builder) screen(ctx context.Context, seeds []Seed) ([]Seed, error) {
	got, failed, err := stage.Ask(ctx, b.Session, stage.Question[screened]{
		Stage:      "screen",
		Role:       stage.Checks,
		Prompt:     "long2rag/screen.txt",
		NumPredict: 200,
		Schema:     screenSchema(),
		Subject:    func(i int) string { return seeds[i].ID },
		Data: func(i int, problem string) any {
			return map[string]any{
				"Question": seeds[i].Text, "Categories": long2rag.Categories, "Domains": long2rag.Domains,
				"Problem": problem,
			}
		},
	}, stage.Places(len(seeds)))
	if err != nil {
		return nil, err
	}

	var out []Seed
	for i, s := range seeds {
		if problem, bad := failed[i]; bad {
			b.Drop(s.ID, "not screened: %s", problem)
			continue
		}

		r := got[i]
		if n := r.criteria(); n < b.Criteria {
			b.Note("screen", s.ID, 0, "left out: meets %d of the five criteria, not %d: %q",
				n, b.Criteria, s.Text)
			continue
		}

		if s.Category == "" {
			s.Category = r.Category
		}
		if s.Domain == "" {
			s.Domain = r.Domain
		}
		out = append(out, s)
	}
	return out, nil
}

// questions screens the seeds, evolves new questions from them, and screens these.
func (b *Builder) questions(ctx context.Context, seeds []Seed) ([]*long2rag.Question, error) {
	b.report.Seeds = len(seeds)
	kept, err := b.screen(ctx, seeds)
	if err != nil {
		return nil, err
	}
	b.report.Screened = len(kept)
	b.hint(len(seeds), len(kept))

	if b.Evolve > 0 {
		if kept, err = b.evolve(ctx, kept); err != nil {
			return nil, err
		}
		if kept, err = b.screen(ctx, kept); err != nil {
			return nil, err
		}
		b.report.Evolved = len(kept)
	}

	out := make([]*long2rag.Question, len(kept))
	for i, s := range kept {
		out[i] = &long2rag.Question{ID: s.ID, Text: s.Text, Category: s.Category, Domain: s.Domain}
	}
	return out, nil
}
