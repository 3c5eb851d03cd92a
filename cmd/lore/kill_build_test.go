package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ollama/ollama/api"

	"lore/datasets/stage/scripted"
	"lore/local/ollama/ollamatest"
)

// goodParts answers every prompt of a CRUX build: passages that depend on the prompt,
// a request, two questions, and the grade 4 for all.
func goodParts(req api.ChatRequest) string {
	last := req.Messages[len(req.Messages)-1].Content
	if _, list, grades := strings.Cut(last, "\nQuestions:\n"); grades {
		var verdicts []string
		for i := range scripted.Items(list) {
			verdicts = append(verdicts, fmt.Sprintf(`{"number":%d,"answer":"4"}`, i+1))
		}
		return `{"verdicts":[` + strings.Join(verdicts, ",") + `]}`
	}
	if strings.Contains(last, "\nQuestion: ") {
		return `{"answer":"4"}`
	}
	n := scripted.Hash(last) % 100_000
	passage := func(part int) string {
		return fmt.Sprintf("Passage %d of %d. %s", part, n, strings.Repeat("The harbour wall held through the storm because of its new stone. ", 8))
	}
	switch {
	case strings.HasPrefix(last, "Document:"):
		passages := []string{passage(1)}
		if strings.Contains(last, "as 2 to 3 passages") {
			passages = append(passages, passage(2))
		}
		return scripted.JSON(map[string]any{"passages": passages})
	case strings.Contains(last, "Write the request"):
		return `{"request":"Write a report for the council on how the harbour wall came through the winter, who repaired it, ` +
			`who paid, and how it ended."}`
	default:
		return scripted.JSON(map[string]any{"questions": []string{
			fmt.Sprintf("Why did the harbour wall hold through storm %d?", n), fmt.Sprintf("Who paid for the stone of the wall %d?", n),
		}})
	}
}

// Builds that are killed resume with no finished call asked again, and end with the
// dataset and the log of an undisturbed one.
func TestKillBuild(t *testing.T) {
	if testing.Short() {
		t.Skip("-short leaves out what only takes long; TestKillAtAnyMoment kills a few runs")
	}
	kills := sized(8, 20)
	dir := t.TempDir()
	write := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	seeds := write("seeds.txt", "Why was the tramway closed, and what did the council do about the rails and the men?\nHow was the concert hall repaired, and what did it cost in the end?\n")
	server := func(answer func(api.ChatRequest) string) *ollamatest.Server {
		return &ollamatest.Server{Slots: 3, Delay: 8 * time.Millisecond, Answer: answer, Logprobs: true}
	}
	for name, k := range map[string]killing{
		"crux": {server: server(goodParts), files: []string{"topics.jsonl", "passages.jsonl", "build-log.jsonl"}, whole: "topics.jsonl",
			args: []string{"build", "crux", "--msrs", "../../datasets/msrs/sample/story", "--questions", "2", "--model", "ollama:fake", "--judge", "lexical", "--slots", "3"}},
		"long2rag": {server: server(careful), files: []string{"questions.jsonl", "build-log.jsonl"}, whole: "questions.jsonl",
			args: []string{"build", "long2rag", "--questions", seeds, "--docs", "../../docs/examples/town", "--evolve", "1", "--domains", "history", "--model", "ollama:fake", "--slots", "3"}},
		"summhay": {server: server(careful), files: []string{"out.json", "build-log.jsonl"}, whole: "out.json",
			args: []string{"build", "summhay", "--docs", "../../docs/examples/town", "--subtopics", "2", "--insights", "3", "--documents", "6", "--words", "80", "--repeat", "2", "--model", "ollama:fake", "--slots", "3"}},
	} {
		t.Run(name, func(t *testing.T) {
			k.kills, k.seed = kills, 19
			k.test(t)
		})
	}
}
