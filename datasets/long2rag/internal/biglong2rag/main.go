// Command biglong2rag writes a Long²RAG dataset of the paper's size from real text, for
// measuring: 280 questions with five documents of 2,444 words, and 2,055 key points
// that are sentences of the documents. The same seed gives the same file.
//
//	go run ./datasets/long2rag/internal/biglong2rag -text DIR -out FILE
package main

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"

	"lore/datasets/long2rag"
	"lore/local/files"
	"lore/local/realtext"
	"lore/local/text"
)

func main() {
	dir := flag.String("text", "", "folder of .txt files")
	out := flag.String("out", "", "file to write")
	questions := flag.Int("questions", 280, "questions")
	points := flag.Int("points", 2_055, "key points in all")
	words := flag.Int("words", 2_444, "words of a document")
	flag.Parse()

	if err := write(*dir, *out, *questions, *points, *words); err != nil {
		fmt.Fprintln(os.Stderr, "biglong2rag:", err)
		os.Exit(1)
	}
}

func write(dir, out string, questions, points, words int) error {
	sentences, err := realtext.Sentences(dir)
	if err != nil {
		return err
	}

	rng := rand.New(rand.NewPCG(20261121, 11))
	qs := make([]long2rag.Question, questions)
	for i := range qs {
		q := long2rag.Question{
			ID:       fmt.Sprintf("q%03d", i+1),
			Category: long2rag.Categories[i%len(long2rag.Categories)].Name,
			Domain:   long2rag.Domains[i%len(long2rag.Domains)],
		}
		var pool []string // sentences of the question's documents that can be key points
		for d := range long2rag.Shown {
			body, fit := document(sentences, rng.IntN(len(sentences)), words)
			pool = append(pool, fit...)
			q.Documents = append(q.Documents, long2rag.Document{ID: fmt.Sprintf("%s-d%d", q.ID, d+1), Text: body})
		}

		// The key points in all are spread as evenly as whole numbers allow.
		for len(q.KeyPoints) < points*(i+1)/questions-points*i/questions {
			p := pool[rng.IntN(len(pool))]
			id := fmt.Sprintf("p%d", len(q.KeyPoints)+1)
			q.KeyPoints = append(q.KeyPoints, long2rag.KeyPoint{ID: id, Text: p, Spans: []string{p}})
		}
		about := text.Words(q.KeyPoints[0].Text + " " + q.KeyPoints[1].Text)
		q.Text = "What is told of " + strings.ToLower(strings.Join(about[:12], " ")) + "?"
		qs[i] = q
	}
	return files.WriteLines(out, qs)
}

// document joins neighbouring sentences, as a real document does, and lists those that can
// be key points.
func document(sentences []string, at, words int) (body string, fit []string) {
	var b strings.Builder
	for n := 0; n < words; at = (at + 1) % len(sentences) {
		b.WriteString(sentences[at] + " ")
		n += len(strings.Fields(sentences[at]))
		if k := len(text.Terms(sentences[at])); k >= 6 && k <= 25 {
			fit = append(fit, sentences[at])
		}
	}
	return strings.TrimSpace(b.String()), fit
}
