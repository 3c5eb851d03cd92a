package main

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lore/datasets/summhay"
	"lore/embed/testmodel"
	"lore/local/files"
	"lore/local/ollama/ollamatest"
	"lore/local/published"
)

// TestPaperSummHay carries out every command of the table in docs/summhay.md that says what makes which
// part of the paper, on published data, or on the sample where no more is needed. A word in large letters
// stands for something; one that the test cannot fill in is an error.
func TestPaperSummHay(t *testing.T) {
	if testing.Short() {
		t.Skip("-short leaves out what only takes long; scripts run the same commands")
	}
	carryOutPaper(t, "summhay", summhayPlaces, nil)
}

// summhayPlaces are what the table's placeholders stand for. Data that is needed whole would take minutes:
// of two published haystacks the first subtopics and documents stand for the release, with what two models wrote.
func summhayPlaces(t *testing.T) map[string][]string {
	t.Helper()
	labels := published.Path(t, "data/summhay/human_coverage_labels_dev.json")
	dir := t.TempDir()
	var release []string
	for _, name := range []string{"topic_news1.json", "topic_news2.json"} {
		file := filepath.Join(dir, name)
		cutHaystack(t, published.Path(t, "data/summhay", name), file)
		release = append(release, file)
	}
	examples, err := filepath.Abs("../../docs/examples")
	if err != nil {
		t.Fatal(err)
	}

	t.Chdir(dir)
	for name, kind := range map[string]testmodel.Kind{"encoder": testmodel.BERT, "cross": testmodel.CrossBERT} {
		if err := testmodel.Write("models/"+name, kind); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	server := &ollamatest.Server{Slots: 4, Answer: careful, Names: []string{"careful"}, Logprobs: true}
	t.Setenv("OLLAMA_HOST", server.Start(t).URL)

	return map[string][]string{
		"R":        release,
		"HUMAN":    {writtenByPeople(t, release)},
		"HAYSTACK": {"town/town.json"}, // which the table builds
		"LABELS":   {labels},
		"OWN":      {examples + "/labels.csv"},
		"SHEETS":   {examples + "/validation/insights.csv", examples + "/validation/documents.csv"},
		"DOCS": {examples + "/town", "--subtopics", "6", "--insights", "5", "--documents", "40", "--words", "300",
			"--repeat", "5", "--export-validation", "3"},
		"ollama:MODEL": {"ollama:careful"},
		"dense:DIR":    {"dense:models/encoder"},
		"cross:DIR":    {"cross:models/cross"},
	}
}

// cutHaystack writes a published haystack with its first two subtopics and twenty documents, and what three models wrote.
func cutHaystack(t *testing.T, from, to string) {
	t.Helper()
	data, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	var hay map[string]any
	if err := json.Unmarshal(data, &hay); err != nil {
		t.Fatal(err)
	}

	subtopics, kept := hay["subtopics"].([]any)[:2], map[any]bool{}
	for _, s := range subtopics {
		for _, in := range s.(map[string]any)["insights"].([]any) {
			kept[in.(map[string]any)["insight_id"]] = true
		}
		for _, field := range []string{"summaries", "eval_summaries"} {
			maps.DeleteFunc(s.(map[string]any)[field].(map[string]any), func(key string, _ any) bool {
				of := func(model string) bool { return strings.HasSuffix(key, "_"+model) }
				return !slices.ContainsFunc([]string{"gpt-4o", "claude3-opus", "gemini-1.5-pro"}, of)
			})
		}
	}
	documents := hay["documents"].([]any)[:20]
	hay["documents"] = documents
	for _, d := range documents {
		doc := d.(map[string]any)
		doc["insights_included"] = slices.DeleteFunc(doc["insights_included"].([]any), func(id any) bool { return !kept[id] })
	}
	hay["subtopics"] = subtopics
	if data, err = json.Marshal(hay); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// writtenByPeople is a file as the page for people saves it, with a summary of every item.
func writtenByPeople(t *testing.T, haystacks []string) string {
	t.Helper()
	ds, err := summhay.Benchmark{}.Load(haystacks)
	if err != nil {
		t.Fatal(err)
	}
	var lines []map[string]any
	for _, it := range ds.Items {
		lines = append(lines, map[string]any{"item": it.ID(), "answer": "- One finding. [1]", "minutes": 80})
	}
	if err := files.WriteLines("human.jsonl", lines); err != nil {
		t.Fatal(err)
	}
	return "human.jsonl"
}
