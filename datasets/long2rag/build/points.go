package build

import (
	"context"
	"fmt"

	"lore/datasets/long2rag"
	"lore/datasets/stage"
	"lore/local"
	"lore/local/tokens"
)

// How documents are read.
const (
	extractWindow = 6000 // tokens of a document that are read at once
	extractTokens = 2000 // most tokens of a list of points
)

// point is a key point on its way.
type point struct {
	text      string
	spans     []string
	documents []string
}

// reading is a part of a document that is read for a question.
type reading struct {
	question int
	document string
	text     string
	label    string
	found    []string // points so far
	read     bool     // in some round
}

func readings(questions []*long2rag.Question) []*reading {
	var out []*reading
	for i, q := range questions {
		for _, d := range q.Documents {
			parts := tokens.Windows(d.Text, extractWindow, 0)
			for k, part := range parts {
				label := q.ID + " " + d.ID
				if len(parts) > 1 {
					label += fmt.Sprintf(" part %d", k+1)
				}
				out = append(out, &reading{question: i, document: d.ID, text: part, label: label})
			}
		}
	}
	return out
}

// extract reads every document several times, each time for what was overlooked.
func (b *Builder) extract(ctx context.Context, questions []*long2rag.Question) ([][]point, error) {
	places := readings(questions)
	out := make([][]point, len(questions))
	for round := 1; round <= b.Rounds; round++ {
		got, failed, err := stage.Ask(ctx, b.Session, stage.Question[[]extracted]{
			Stage:      fmt.Sprintf("extract, round %d", round),
			Prompt:     "long2rag/extract.txt",
			NumPredict: extractTokens,
			Subject:    func(i int) string { return places[i].label },
			Data: func(i int, problem string) any {
				p := places[i]
				return map[string]any{
					"Document": p.text, "Question": questions[p.question].Text, "Found": p.found, "Problem": problem,
				}
			},
			Read:   func(_ int, r local.Reply) ([]extracted, string) { return readExtraction(r) },
			Closed: closedPoints,
		}, stage.Places(len(places)))
		if err != nil {
			return nil, err
		}

		for i, p := range places {
			if problem, bad := failed[i]; bad {
				b.Note("extract", p.label, 0, "no points in round %d: %s", round, problem)
			} else {
				p.read = true
			}
			out[p.question] = append(out[p.question], b.grounded(p, got[i])...)
		}
	}
	for _, p := range places {
		if !p.read {
			b.report.Unread++
			b.Note("extract", p.label, 0, "left out: no reply could be read in any round, so that it has no key points")
		}
	}
	return out, nil
}

// grounded keeps the points whose evidence stands in the document.
func (b *Builder) grounded(p *reading, points []extracted) []point {
	var out []point
	seen := map[string]bool{} // what was found before
	for _, f := range p.found {
		seen[stage.Wording(f)] = true
	}

	repeats, example := 0, ""
	for _, e := range points {
		if seen[stage.Wording(e.Text)] { // a model in a loop writes the same point until its limit
			repeats, example = repeats+1, e.Text
			continue
		}

		b.report.Points++
		g, reason := e.ground(p.text)
		if reason != "" {
			b.report.Rejected++
			b.Note("extract", p.label, 0, "rejected %q: %s", e.Text, reason)
			continue
		}

		if e.Repaired {
			b.report.Repaired++
		}
		p.found = append(p.found, e.Text)
		seen[stage.Wording(e.Text)] = true
		out = append(out, point{e.Text, g.Spans, []string{p.document}})
	}
	if repeats > 0 {
		b.Note("extract", p.label, 0, "left out: %d of %d points repeat an earlier one: %q", repeats, len(points), example)
	}
	return out
}
