package run

import (
	"testing"

	"lore/cmd/lore/internal/store"
	"lore/datasets"
	"lore/datasets/all"
	"lore/local"
	"lore/local/prompt"
)

// The prompt of every benchmark comes back from its skeleton and the documents, which are
// not in it, also where a document holds the marks.
func TestPromptsComeBackFromTheirSkeletons(t *testing.T) {
	for _, name := range all.Names() {
		bench, ok := all.Find(name)
		if !ok {
			t.Fatal(name)
		}
		p, err := prompt.NewSet(nil, bench.Prompts()).Load(bench.Protocol().AnswerPrompt)
		if err != nil {
			t.Fatal(err)
		}
		ds, err := bench.Load(nil)
		if err != nil {
			t.Fatal(err)
		}

		shown := []local.Passage{
			{Label: "7", Document: "a", Text: "The tide turns.\uE0001\uE001 \uE0002\uE001"},
			{Label: "9", Document: "b", Text: " Boats leave at dawn.\n"},
		}
		ask := datasets.Ask{Context: datasets.Context{Passages: shown}, Prompt: p}
		messages, _, err := ds.Items[0].Request(ask)
		if err != nil {
			t.Fatal(err)
		}

		got := skeleton(ds.Items[0], ask, messages)
		passages := 0
		for i, m := range got {
			if text := fill(m.Parts, shown); text != messages[i].Content || m.Role != messages[i].Role {
				t.Errorf("%s: message %d is %q instead of %q", name, i, text, messages[i].Content)
			}
			for _, part := range m.Parts {
				if part.Passage > 0 {
					passages++
				}
			}
		}
		if passages != len(shown) {
			t.Errorf("%s: %d of %d documents are left out of the skeleton: %+v", name, passages, len(shown), got)
		}
	}
}

// Where a prompt does something to a document, its words are kept.
func TestPromptThatChangesDocuments(t *testing.T) {
	bench, ok := all.Find("msrs")
	if !ok {
		t.Fatal("no msrs")
	}
	ds, err := bench.Load(nil)
	if err != nil {
		t.Fatal(err)
	}
	messages := []local.Message{{Role: local.User, Content: "The tide"}}
	p, err := prompt.NewSet(nil, bench.Prompts()).Load(bench.Protocol().AnswerPrompt)
	if err != nil {
		t.Fatal(err)
	}
	ask := datasets.Ask{Context: datasets.Context{Passages: []local.Passage{{Label: "1", Text: "The tide turns"}}}, Prompt: p}
	got := skeleton(ds.Items[0], ask, messages)
	want := []store.PromptPart{{Words: "The tide"}}
	if len(got) != 1 || len(got[0].Parts) != 1 || got[0].Parts[0] != want[0] {
		t.Errorf("%+v", got)
	}
}
