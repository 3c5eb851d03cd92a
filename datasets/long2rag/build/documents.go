package build

import (
	"context"
	"strings"

	"lore/datasets"
	"lore/datasets/long2rag"
	"lore/datasets/stage"
	"lore/local/schema"
)

// mostSub is the most sub-questions that a question is split into.
const mostSub = 5

type decomposed struct {
	Type      string   `json:"type"`
	Questions []string `json:"questions"`
}

// documents searches by the sub-questions of each question.
func (b *Builder) documents(ctx context.Context, questions []*long2rag.Question, corpus map[string]string) error {
	searches, err := b.searches(ctx, questions)
	if err != nil || len(searches) == 0 {
		return err
	}

	found, err := b.Find(ctx, searches)
	if err != nil {
		return err
	}

	for i, q := range questions {
		for _, id := range found[i] {
			q.Documents = append(q.Documents, long2rag.Document{ID: id, Text: corpus[id]})
		}
		if len(q.Documents) == 0 {
			b.Drop(q.ID, "no document was found")
			continue
		}
		b.Note("documents", q.ID, 0, "%s, by %d searches", strings.Join(found[i], ", "), 1+len(searches[i].Parts))
	}
	return nil
}

// searches splits questions. One that could not be split is searched by itself.
func (b *Builder) searches(ctx context.Context, questions []*long2rag.Question) ([]datasets.Search, error) {
	got, failed, err := stage.Ask(ctx, b.Session, stage.Question[decomposed]{
		Stage:      "decompose",
		Prompt:     "long2rag/decompose.txt",
		NumPredict: 400,
		Schema: schema.Object(
			schema.Field("type", schema.OneOf("simple", "complex", "vague")),
			schema.Field("questions", schema.Array(schema.String()).AtMost(mostSub)),
		).JSON(),
		Subject: func(i int) string { return questions[i].ID },
		Data: func(i int, problem string) any {
			return map[string]any{"Question": questions[i].Text, "Most": mostSub, "Problem": problem}
		},
		Check: func(_ int, r decomposed) string {
			if r.Type != "simple" && len(r.Questions) == 0 {
				return "a question that is not simple needs sub-questions"
			}
			return ""
		},
	}, stage.Places(len(questions)))
	if err != nil {
		return nil, err
	}

	out := make([]datasets.Search, len(questions))
	for i, q := range questions {
		out[i] = datasets.Search{ID: q.ID, Text: q.Text}
		if problem, bad := failed[i]; bad {
			b.Note("decompose", q.ID, 0, "left out: the parts of the question, which is searched by itself alone: %s", problem)
		} else if got[i].Type != "simple" {
			out[i].Parts = got[i].Questions
		}
	}
	return out, nil
}
