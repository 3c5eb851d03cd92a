package long2rag

import (
	"fmt"

	"lore/datasets"
	"lore/judge"
	"lore/judge/metric"
	"lore/local"
	"lore/local/text"
	"lore/local/tokens"
)

// item is one question.
type item struct {
	set       *set
	question  Question
	given     map[string]float64 // the question's documents in their order, as scores
	supports  map[string]float64 // the same documents: 1 and the number of key points that name it
	questions []judge.Question
}

func (it *item) ID() string               { return it.question.ID }
func (it *item) Title() string            { return it.question.Text }
func (it *item) Corpus() *datasets.Corpus { return it.set.corpus }

// Group is the domain.
func (it *item) Group() string {
	if it.question.Domain == "" {
		return "questions"
	}
	return it.question.Domain
}

// Query searches with the question. Its own documents are the relevant ones.
func (it *item) Query() datasets.Query {
	return datasets.Query{
		Text:     it.question.Text,
		Gold:     it.supports,
		Recorded: map[string]map[string]float64{"given": it.given},
	}
}

// Context takes the first k documents while they fit; the next one is cut.
func (it *item) Context(found datasets.Retrieved, budget datasets.Budget) datasets.Context {
	return datasets.Take(it.Corpus(), found, it.set.bench.k(), budget, datasets.Numbered)
}

// extractiveWords is how much the extractive generator copies; models are given no
// length, as in the paper.
const extractiveWords = 400

// Request asks to use as many important points of the documents as help.
func (it *item) Request(ask datasets.Ask) ([]local.Message, *local.Source, error) {
	passages := ask.Context.Passages
	source := &local.Source{Query: it.question.Text, Passages: passages, Words: extractiveWords}
	messages, err := ask.Prompt.Render(map[string]any{"Query": it.question.Text, "Passages": passages})
	return messages, source, err
}

// Plan asks for each key point whether the answer entails it, and for each of the answer's
// own points whether the key points hold it, or the documents, or each of them.
func (it *item) Plan(e datasets.Evidence) []judge.Task {
	tasks := []judge.Task{it.planAnswer(e)}
	if p := e.Output.Points; p != nil && len(p.List) > 0 {
		tasks = append(tasks, it.planPoints(e.Language, p.List)...)
	}
	return tasks
}

func (it *item) planAnswer(e datasets.Evidence) judge.Task {
	answer := datasets.Uncited(it, e)
	return judge.Task{ID: it.ID(), About: it.question.Text, Units: text.Of(e.Language, answer).Sentences(answer), Questions: it.questions}
}

// entailed is the share of verdicts that say yes; reason says why it is open.
func entailed(verdicts []judge.Verdict) (share float64, reason string) {
	hits := make([]bool, len(verdicts))
	missing := 0
	for i, v := range verdicts {
		if hits[i] = v.Label == judge.Yes; !v.Scored() {
			missing++
			reason = fmt.Sprintf("%s: %s", v.Outcome, v.Reason)
		}
	}

	if missing > 0 {
		return 0, fmt.Sprintf("%d of %d verdicts are missing, such as %s", missing, len(verdicts), reason)
	}
	return metric.Share(hits), ""
}

// Score gives recall, precision and their harmonic mean, each key point, and the length of
// the answer.
func (it *item) Score(e datasets.Evidence, v datasets.Verdicts) []datasets.Score {
	scores := it.scoreAnswer(e, v[judge.Answer])
	return append(scores, it.scorePoints(e.Output, v)...)
}

func (it *item) scoreAnswer(e datasets.Evidence, verdicts []judge.Verdict) []datasets.Score {
	recall, reason := entailed(verdicts)
	scores := []datasets.Score{{Metric: KPR, Value: recall, Unscored: reason}}
	for i, q := range it.questions {
		s := datasets.Score{Metric: Point, Unit: q.ID}
		switch v := verdicts[i]; {
		case !v.Scored():
			s.Unscored = fmt.Sprintf("%s: %s", v.Outcome, v.Reason)
		case v.Label == judge.Yes:
			s.Value = 1
		}
		scores = append(scores, s)
	}

	if e.Output.Outcome != local.OK {
		return scores
	}
	answer := datasets.Uncited(it, e)
	return append(scores,
		datasets.Score{Metric: Words, Value: float64(text.Count(answer))},
		datasets.Score{Metric: Tokens, Value: float64(tokens.Count(answer))},
	)
}

// Facets of an answer.
const (
	byCategory = "category"
	byDomain   = "domain"
	byInput    = "documents"
	byAnswer   = "answer"
)

// Bands of lengths in tokens: those of the paper's Figure 6 for the documents shown,
// and lore's own for the answer, for which its Figure 7 has no bands.
var (
	inputBands = []band{
		{8_000, "<8k"}, {16_000, "8–16k"}, {25_000, "16–25k"}, {32_000, "25–32k"}, {1 << 62, ">32k"},
	}
	answerBands = []band{
		{250, "<250"}, {500, "250–500"}, {750, "500–750"}, {1_000, "750–1,000"}, {1 << 62, ">1,000"},
	}
)

type band struct {
	below int
	name  string
}

func bandOf(n int, bands []band) string {
	for _, b := range bands {
		if n < b.below {
			return b.name
		}
	}
	return bands[len(bands)-1].name
}

// Facets are the question's category and domain and the lengths of what was shown and
// answered.
func (it *item) Facets(e datasets.Evidence) map[string]string {
	f := map[string]string{}
	if it.question.Category != "" {
		f[byCategory] = it.question.Category
	}
	if it.question.Domain != "" {
		f[byDomain] = it.question.Domain
	}
	if len(e.Context.Passages) > 0 {
		f[byInput] = bandOf(e.Context.Tokens, inputBands)
	}
	if e.Output.Outcome == local.OK {
		f[byAnswer] = bandOf(tokens.Count(datasets.Uncited(it, e)), answerBands)
	}
	return f
}
