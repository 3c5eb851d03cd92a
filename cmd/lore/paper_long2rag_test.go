package main

import (
	"os"
	"path/filepath"
	"testing"

	"lore/embed/testmodel"
	"lore/local/ollama/ollamatest"
)

// TestPaperLong2RAG carries out the table of docs/long2rag.md on the bundled sample and on data that the table itself
// builds: the paper's own data is not public.
func TestPaperLong2RAG(t *testing.T) {
	if testing.Short() {
		t.Skip("-short leaves out what only takes long; scripts run the same commands")
	}
	carryOutPaper(t, "long2rag", long2ragPlaces, nil)
}

// long2ragPlaces are what the table's placeholders stand for.
func long2ragPlaces(t *testing.T) map[string][]string {
	t.Helper()
	examples, err := filepath.Abs("../../docs/examples")
	if err != nil {
		t.Fatal(err)
	}
	sample, err := filepath.Abs("../../datasets/long2rag/sample/questions.jsonl")
	if err != nil {
		t.Fatal(err)
	}

	t.Chdir(t.TempDir())
	for name, kind := range map[string]testmodel.Kind{"encoder": testmodel.BERT, "cross": testmodel.CrossBERT} {
		if err := testmodel.Write("models/"+name, kind); err != nil {
			t.Fatal(err)
		}
	}
	const related = `{"question": "why do ferries stop", "key_points": `
	for name, text := range map[string]string{
		"human.csv": "retriever,generator,item,question,label\n" +
			"given,extractive,tramway,p1,yes\ngiven,extractive,tramway,p2,no\ngiven,extractive,tramway,p3,neutral\n" +
			"given,extractive,tramway,p4,yes\nbm25,extractive,tramway,p1,yes\nbm25,extractive,tramway,p2,yes\n",
		"related/key_point/7.json":            related + `{"d": [{"point_number": 1, "point_content": "Fog.", "spans": ["Fog stops them."]}]}}`,
		"related/key_point/7_aggregated.json": related + `[{"point_number": 1, "point_content": "Fog stops ferries.", "original_point_number": [1]}]}`,
	} {
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	server := &ollamatest.Server{Slots: 4, Answer: careful, Names: []string{"careful"}, Logprobs: true}
	t.Setenv("OLLAMA_HOST", server.Start(t).URL)

	return map[string][]string{
		"DATA":         {sample},
		"QUESTIONS":    {examples + "/questions.txt"},
		"DOCS":         {examples + "/town"},
		"SHEETS":       {examples + "/sheets/rater1.csv", examples + "/sheets/rater2.csv"},
		"HUMAN":        {"human.csv"},
		"RELATED":      {"related"},
		"MODEL":        {"careful"},
		"ollama:MODEL": {"ollama:careful"},
		"ollama:OTHER": {"ollama:careful"},
		"dense:DIR":    {"dense:models/encoder"},
		"cross:DIR":    {"cross:models/cross"},
	}
}
