package run

import (
	"slices"
	"time"

	"lore/cmd/lore/internal/meter"
	"lore/cmd/lore/internal/models"
	"lore/cmd/lore/internal/pipeline"
	"lore/datasets"
	"lore/judge"
	"lore/local"
)

// judgeBy begins the name of a phase in which a judge is asked.
const judgeBy = "judge by "

// generating and judging are the names of phases.
func generating(m *models.Model) string { return "generate by " + m.Spec }
func judging(j models.Judge) string     { return judgeBy + j.Spec }

const (
	shortening = "shorten documents for "
	takeApart  = "take answers apart"
	bertScore  = "BERTScore"
)

// The places of phases in the loop.
const (
	inRetrieve = iota // as pipelines have it
	inCondense
	inGenerate
	inPoints
	inMeasure
	inJudge
)

// What a step takes about that is computed here, on an ordinary machine.
const (
	extractAbout = 60 * time.Millisecond
	bertAbout    = time.Second
)

// Weights of what models of a server are asked, where a short question has 1.
const (
	shortenWeight = 5
	pointsWeight  = 6
	shortAnswer   = 300 // tokens of an answer: limits are higher
	shortQuestion = 45  // what a short question costs, in tokens of a reply
	readTokens    = 20  // so many tokens are read in the time of one that is written
	fewDocuments  = 10  // shown for an item
	fewPoints     = 15  // of an answer
)

// foresee tells what the run will be: its phases in their order, with their steps. What judges are
// asked is counted on answers of nothing, and corrected as soon as more is known.
func (e *engine) foresee() {
	var parts []meter.Part
	for _, p := range e.opt.Retrievers {
		parts = append(parts, e.foreseeRetriever(p)...) // in the first phase
	}
	for _, m := range e.writers() {
		n := 0
		for _, s := range e.systems {
			if s.model == m {
				n += len(e.items)
			}
		}
		part := meter.Part{Name: generating(m), Model: m.Spec, Steps: n, Phase: inGenerate, Weight: e.answerWeight()}
		if m.Structured() {
			part.Model, part.About = "", extractAbout
		}
		parts = append(parts, part)
	}

	if e.points != nil {
		n := len(e.systems) * len(e.items)
		parts = append(parts, meter.Part{Name: takeApart, Model: e.points.Spec, Steps: n, Phase: inPoints, Weight: pointsWeight})
	}
	if e.opt.BERTScore != nil {
		parts = append(parts, meter.Part{Name: bertScore, Steps: len(e.items), Phase: inMeasure, About: bertAbout})
	}
	e.expected = e.countQuestions(e.blank())
	for _, j := range e.judges {
		part := models.Foreseen(judging(j), j.Spec, e.expected)
		part.Phase = inJudge
		parts = append(parts, part)
	}
	e.opt.Console.Plan(parts)
}

// writers are the models and systems that make answers.
func (e *engine) writers() []*models.Model {
	return append(append([]*models.Model{}, e.generators...), e.asked...)
}

// foreseeRetriever is what a retriever does, and the shortening of what it found.
func (e *engine) foreseeRetriever(p pipeline.Pipeline) []meter.Part {
	parts := p.Foresee(len(e.items), Corpora(e.items)...)
	if p.Shape.Kind == "" {
		return parts
	}
	short := meter.Part{Name: shortening + p.Name, Steps: fewDocuments * len(e.items), Phase: inCondense, Weight: shortenWeight}
	if p.Shape.Model != "" {
		short.Model = models.Full(p.Shape.Model)
	} else {
		short.About = extractAbout
	}
	return append(parts, short)
}

// Corpora are the sizes of the items' corpora.
func Corpora(items []datasets.Item) []int {
	var out []int
	seen := map[*datasets.Corpus]bool{}
	for _, it := range items {
		if c := it.Corpus(); !seen[c] {
			seen[c] = true
			out = append(out, len(c.Documents))
		}
	}
	return out
}

// answerWeight is what an answer costs beside a short question.
func (e *engine) answerWeight() float64 {
	return (float64(e.opt.Budget.Tokens)/readTokens + shortAnswer) / shortQuestion
}

// blank are the cells before anything is retrieved.
func (e *engine) blank() []cell {
	nothing := make([][]datasets.Retrieved, len(e.opt.Retrievers))
	for i := range nothing {
		nothing[i] = make([]datasets.Retrieved, len(e.items))
	}
	return e.cellsFor(nothing)
}

// countQuestions counts what each judge is asked about cells, as gather does, before there are answers.
func (e *engine) countQuestions(cells []cell) int {
	type place struct {
		item    string
		subject judge.Subject
	}
	seen := map[place]bool{}
	n := 0
	for _, c := range cells {
		if out := &c.evidence.Output; out.Outcome == "" { // as long as nothing else is known
			out.Outcome = local.OK
			if e.protocol.Points != nil {
				out.Points = &datasets.Points{Outcome: local.OK, List: slices.Repeat([]string{"point"}, fewPoints)}
			}
		}
		if c.failed() {
			continue
		}
		for _, t := range c.item.Plan(c.evidence) {
			if t.Subject.Part == judge.ADocument {
				at := place{c.item.ID(), t.Subject}
				if seen[at] {
					continue
				}
				seen[at] = true
			}
			n += len(t.Questions)
		}
	}
	return n
}

// correct counts the judges' questions anew, now that more is known.
func (e *engine) correct() {
	was := e.expected
	e.expected = e.countQuestions(e.cells)
	for _, j := range e.judges {
		e.opt.Console.Correct(judging(j), was, e.expected)
	}
}
