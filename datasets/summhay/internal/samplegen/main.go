// Samplegen writes the bundled sample haystack: an invented town, facts that
// recur in known documents, and text between them. The same seed writes the same
// bytes.
//
//	go run ./datasets/summhay/internal/samplegen -out datasets/summhay/sample/skellan_bay.json
package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"slices"
	"strings"

	"lore/datasets/summhay"
	"lore/local/files"
)

const (
	seed      = 20240624
	documents = 48
	themes    = 3 // subtopics per document
	facts     = 2 // insights per subtopic and document
)

func main() {
	out := flag.String("out", "", "file to write; standard output if empty")
	flag.Parse()

	data := Generate()
	if *out == "" {
		os.Stdout.Write(data)
		return
	}
	if err := files.WriteFile(*out, data); err != nil {
		log.Fatal(err)
	}
}

// Generate returns the sample as JSON in the published format.
func Generate() []byte {
	rng := rand.New(rand.NewPCG(seed, 1))
	f := summhay.File{TopicID: "skellan_bay", Topic: topic}

	for s, sub := range subtopics {
		out := summhay.Subtopic{SubtopicID: sub.name, Subtopic: sub.title, Name: sub.name, Query: sub.query}
		for i, in := range sub.insights {
			insight := summhay.Insight{InsightID: insightID(s, i), Insight: in.text, Name: in.name}
			out.Insights = append(out.Insights, insight)
		}
		f.Subtopics = append(f.Subtopics, out)
	}

	deck := newDeck(rng)
	for d := range documents {
		f.Documents = append(f.Documents, write(rng, d, deck))
	}

	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	if err := enc.Encode(f); err != nil {
		log.Fatal(err)
	}
	return buf.Bytes()
}

func insightID(subtopic, insight int) string {
	return fmt.Sprintf("%s-%d", subtopics[subtopic].name, insight+1)
}

// deck deals the insights of each subtopic in shuffled rounds, so that every
// insight occurs about equally often.
type deck struct {
	rng  *rand.Rand
	left [][]int
}

func newDeck(rng *rand.Rand) *deck { return &deck{rng, make([][]int, len(subtopics))} }

func (d *deck) deal(subtopic, n int) []int {
	var out []int
	for len(out) < n {
		if len(d.left[subtopic]) == 0 {
			d.left[subtopic] = d.rng.Perm(len(subtopics[subtopic].insights))
		}

		next := d.left[subtopic][0]
		d.left[subtopic] = d.left[subtopic][1:]
		if !slices.Contains(out, next) {
			out = append(out, next)
		}
	}
	return out
}

func write(rng *rand.Rand, number int, d *deck) summhay.Document {
	genre := genres[rng.IntN(len(genres))]
	doc := summhay.Document{DocumentID: fmt.Sprintf("skellan-%02d", number+1)}

	paragraphs := []string{pick(rng, genre.open) + " " + pick(rng, asides)}
	for k, s := range rng.Perm(len(subtopics))[:themes] {
		var p []string
		if k > 0 {
			p = append(p, pick(rng, links))
		}

		filler := rng.Perm(len(subtopics[s].filler))
		p = append(p, subtopics[s].filler[filler[0]])
		for j, i := range d.deal(s, facts) {
			p = append(p, pick(rng, subtopics[s].insights[i].wordings[:]), subtopics[s].filler[filler[j+1]])
			doc.InsightsIncluded = append(doc.InsightsIncluded, insightID(s, i))
		}

		p = append(p, pick(rng, asides))
		paragraphs = append(paragraphs, strings.Join(p, " "))
	}

	doc.DocumentText = strings.Join(append(paragraphs, pick(rng, genre.close)), "\n\n")
	return doc
}

func pick(rng *rand.Rand, from []string) string { return from[rng.IntN(len(from))] }
