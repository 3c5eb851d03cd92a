package build

import (
	"context"

	"lore/datasets/stage"
	"lore/judge"
	"lore/local/schema"
	"lore/local/text"
)

// examine finds out what a text says, whatever its plan: the model lists the statements
// of each subtopic that it finds, word overlap adds others, and every suspect, with all
// that was planned, is then audited by a question of its own. Only the audit counts.
func (w *writer) examine(ctx context.Context, document string) ([]spot, error) {
	suspect := map[spot]bool{}
	for _, p := range w.plan {
		suspect[p] = true
	}
	if err := w.listed(ctx, document, suspect); err != nil {
		return nil, err
	}
	if err := w.similar(ctx, document, suspect); err != nil {
		return nil, err
	}

	var places []spot // in the order of the subtopics, so that calls are the same each time
	for _, p := range spots(w.subtopics) {
		if suspect[p] {
			places = append(places, p)
		}
	}
	return w.audited(ctx, document, places)
}

// audited asks of each insight whether a text says it. One without an answer counts as
// not said.
func (w *writer) audited(ctx context.Context, document string, places []spot) ([]spot, error) {
	type reply struct {
		Answer string `json:"answer"`
	}

	got, failed, err := stage.Ask(ctx, w.s, stage.Question[reply]{
		Stage:      "audit",
		Prompt:     "summhay/audit.txt",
		NumPredict: 30,
		Subject:    w.subject,
		Schema:     schema.Object(schema.Field("answer", schema.OneOf("yes", "no"))).JSON(),
		Data: func(n int, problem string) any {
			return map[string]any{"Document": document, "Insight": w.insight(places[n]), "Problem": problem}
		},
	}, stage.Places(len(places)))
	if err != nil {
		return nil, err
	}

	w.quality.Audited += len(places)
	w.quality.AuditOpen += len(failed)
	var found []spot
	for n, p := range places {
		if got[n].Answer == "yes" {
			found = append(found, p)
		}
	}
	return found, nil
}

// listed adds what the model finds among the statements of each subtopic.
func (w *writer) listed(ctx context.Context, document string, suspect map[spot]bool) error {
	most := 0
	for _, s := range w.subtopics {
		most = max(most, len(s.insights))
	}
	type reply struct {
		Present []int `json:"present"`
	}

	got, _, err := stage.Ask(ctx, w.s, stage.Question[reply]{
		Stage:      "present",
		Complete:   true, // what half a list leaves out would count as absent
		Prompt:     "summhay/present.txt",
		NumPredict: 100,
		Subject:    w.subject,
		Schema:     schema.Object(schema.Field("present", numbers(most))).JSON(),
		Data: func(i int, problem string) any {
			list := stage.Numbered(insightTexts(w.subtopics[i].insights))
			return map[string]any{"Document": document, "Insights": list, "Problem": problem}
		},
	}, stage.Places(len(w.subtopics)))
	if err != nil {
		return err
	}

	for i, s := range w.subtopics {
		for _, n := range got[i].Present {
			if n >= 1 && n <= len(s.insights) {
				suspect[spot{i, n - 1}] = true
			}
		}
	}
	return nil
}

// similar adds what the judge takes for covered by the text.
func (w *writer) similar(ctx context.Context, document string, suspect map[spot]bool) error {
	places := spots(w.subtopics)
	task := judge.Task{ID: w.id(), About: w.b.Topic, Units: text.Sentences(document)}
	for _, p := range places {
		in := w.subtopics[p.subtopic].insights[p.insight]
		q := judge.Question{ID: in.InsightID, Kind: judge.Coverage, Text: in.Insight}
		task.Questions = append(task.Questions, q)
	}

	verdicts, err := w.b.Judge.Judge(ctx, []judge.Task{task}, nil)
	if err != nil {
		return err
	}
	for n, v := range verdicts[0] {
		if v.Label == judge.Full {
			suspect[places[n]] = true
		}
	}
	return nil
}
