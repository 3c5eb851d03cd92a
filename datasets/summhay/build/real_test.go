package build

import (
	"context"
	"strings"
	"testing"

	"lore/datasets/stage"
	"lore/datasets/summhay"
	"lore/judge/lexical"
	"lore/local"
	"lore/local/gate"
	"lore/local/ollama"
	"lore/local/ollama/ollamatest"
	"lore/local/prompt"
)

// A real server takes the schemas of every check: with random weights a reply means
// nothing, but it obeys its schema or is cut.
func TestRealSchemas(t *testing.T) {
	s := ollamatest.StartReal(t, 2, "tiny")
	client, err := ollama.NewClient(ollama.Config{Host: s.URL})
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	info, err := client.Model(ctx, "tiny")
	if err != nil {
		t.Fatal(err)
	}
	g, err := gate.Open(gate.Config{Lanes: map[string]gate.Lane{"ollama": {Backend: client, Slots: 2}}})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	call := local.Call{Backend: "ollama", Model: info.Name, Digest: info.Digest,
		Options: local.Options{NumCtx: 2048, TopP: 1, Seed: 1, RepeatPenalty: 1}}
	b := &Builder{Session: &stage.Session{Calls: g, Call: call, Prompts: prompt.NewSet(nil, Prompts()), Tries: 1},
		Sizes: Sizes{Subtopics: 2, Insights: 3, Documents: 2, Words: 40, Repeat: 1},
		Topic: "town life", Chapters: 1, Judge: lexical.Judge{}, Conversation: true,
		Participants: []string{"Ana", "Ben"}}
	subtopics := []*subtopic{{id: "s1", name: "harbour", about: "work on the wall"},
		{id: "s2", name: "school", about: "lessons and exams"}}
	for _, s := range subtopics {
		for _, text := range []string{"In 1931 the wall was built.", "In 1953 it held.", "Arlen paid 40 crowns."} {
			s.insights = append(s.insights, summhay.Insight{Insight: text})
		}
	}
	if _, err := b.distinctByModel(ctx, nil, subtopics); err != nil {
		t.Fatal(err)
	}
	if err := b.independent(ctx, subtopics); err != nil {
		t.Fatal(err)
	}
	if err := b.assign(ctx, subtopics, subtopics); err != nil {
		t.Fatal(err)
	}
	for _, s := range subtopics {
		s.insights = []summhay.Insight{{InsightID: s.id + "_i1", Insight: "In 1931 the wall was built."},
			{InsightID: s.id + "_i2", Insight: "In 1953 it held."}}
	}
	if err := b.queries(ctx, subtopics); err != nil {
		t.Fatal(err)
	}
	b.rates = usual
	w := b.writers(subtopics, [][]spot{{{0, 0}, {1, 1}}})[0]
	w.chapters = make([]string, 2)
	if _, err := w.chapter(ctx, 0, nil, 0); err != nil {
		t.Fatal(err)
	}
	w.text = "In 1931 the wall was built. It rained."
	if err := w.examine(ctx); err != nil {
		t.Fatal(err)
	}
	if _, err := b.reword(ctx, subtopics, []*writer{w}, []disputed{{spot{0, 0}, "no text says it"}}); err != nil {
		t.Fatal(err)
	}
	b.Join(w.s)
	for _, e := range b.Log() {
		for _, bad := range []local.Outcome{local.ModelError, local.RefusedOption, local.Transport, local.NoDone} {
			if strings.Contains(e.Detail, string(bad)+":") {
				t.Errorf("%+v", e)
			}
		}
	}
	if w.quality.Audited < 2 || w.quality.AuditOpen > 0 {
		t.Errorf("%+v, found %v\n%+v", w.quality, w.found(), b.Log())
	}
}
