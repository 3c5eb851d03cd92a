package summhay

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"lore/datasets"
	"lore/judge"
	"lore/judge/metric"
	"lore/local"
)

// item is one subtopic of a haystack.
type item struct {
	haystack *haystack
	subtopic *Subtopic
	insights []Insight // those that occur in a document
}

// freeBullets is how many bullets the extractive generator, which must have a number,
// writes where none is given.
const freeBullets = 8

// bounds are the most that an answer from the shown documents can score: the citation F1
// of an insight is at best that of citing all its documents that are shown, and no other
// (the paper's section 7 gives 84 for its oracle).
func (it *item) bounds(ctx datasets.Context) []datasets.Score {
	shown := map[int]bool{}
	for _, p := range ctx.Passages {
		if n, err := strconv.Atoi(p.Label); err == nil {
			shown[n] = true
		}
	}

	var scores []datasets.Score
	for _, in := range it.insights {
		cited := map[int]bool{}
		for n := range it.haystack.holders[in.InsightID] {
			if shown[n] {
				cited[n] = true
			}
		}

		_, _, f1 := metric.Citation(cited, it.haystack.holders[in.InsightID])
		covered := 0.0
		if len(cited) > 0 {
			covered = 1
			scores = append(scores, datasets.Score{Metric: BoundCitation, Unit: in.InsightID, Value: f1})
		}
		scores = append(scores,
			datasets.Score{Metric: BoundCoverage, Unit: in.InsightID, Value: covered},
			datasets.Score{Metric: BoundJoint, Unit: in.InsightID, Value: metric.Joint(covered, f1)},
		)
	}
	return scores
}

func (it *item) ID() string               { return it.haystack.corpus.ID + "/" + it.subtopic.SubtopicID }
func (it *item) Title() string            { return it.subtopic.Query }
func (it *item) Group() string            { return it.haystack.corpus.ID }
func (it *item) Corpus() *datasets.Corpus { return it.haystack.corpus }

// Query searches with query and subtopic together. A document's gold relevance
// is the number of the subtopic's insights it holds.
func (it *item) Query() datasets.Query {
	gold := map[string]float64{}
	for _, in := range it.insights {
		for position := range it.haystack.holders[in.InsightID] {
			gold[it.haystack.corpus.Documents[position-1].ID]++
		}
	}
	return datasets.Query{
		Text:     strings.TrimSpace(it.subtopic.Query + " " + it.subtopic.Subtopic),
		Gold:     gold,
		Recorded: it.subtopic.Retriever,
	}
}

// Context takes documents in ranked order until the budget is full; the last one
// is cut to fit. Documents are numbered by their place in the haystack, so that a
// citation means the same whatever was retrieved.
func (it *item) Context(found datasets.Retrieved, budget datasets.Budget) datasets.Context {
	label := func(_ int, id string) string {
		place, _ := it.Corpus().Place(id)
		return strconv.Itoa(place + 1)
	}
	return datasets.Take(it.Corpus(), found, 0, budget, label)
}

// Request asks for one bullet per insight that occurs in the haystack.
func (it *item) Request(ask datasets.Ask) ([]local.Message, *local.Source, error) {
	passages := ask.Context.Passages
	source := &local.Source{Query: it.Query().Text, Passages: passages, Bullets: len(it.insights)}

	asked := len(it.insights)
	if ask.Variant == free {
		asked, source.Bullets = 0, freeBullets
	}

	messages, err := ask.Prompt.Render(map[string]any{
		"Topic":    it.haystack.topic,
		"Query":    it.subtopic.Query,
		"Subtopic": it.subtopic.Subtopic,
		"Bullets":  asked,
		"Passages": passages,
	})
	return messages, source, err
}

// Lines cuts an answer into the lines that count as bullets: split at line ends,
// trimmed, empty ones dropped. Headings stay, as in the published scoring.
func Lines(answer string) []string {
	var out []string
	for line := range strings.Lines(answer) {
		if line = strings.TrimSpace(line); line != "" {
			out = append(out, line)
		}
	}
	return out
}

// Plan asks for the coverage of every insight.
func (it *item) Plan(e datasets.Evidence) []judge.Task {
	t := judge.Task{ID: it.ID(), About: it.subtopic.Query, Units: Lines(e.Output.Text)}
	for _, in := range it.insights {
		t.Questions = append(t.Questions, judge.Question{ID: in.InsightID, Kind: judge.Coverage, Text: in.Insight})
	}
	return []judge.Task{t}
}

// Score gives every insight its coverage and joint score, and covered insights
// their citation scores.
func (it *item) Score(e datasets.Evidence, v datasets.Verdicts) []datasets.Score {
	scores := it.scoreAnswer(e.Output, v[judge.Answer])
	if e.Retrieved != nil {
		scores = append(scores, it.bounds(e.Context)...)
	}
	return scores
}

func (it *item) scoreAnswer(out datasets.Output, verdicts []judge.Verdict) []datasets.Score {
	lines := Lines(out.Text)
	var scores []datasets.Score
	for i, in := range it.insights {
		v := verdicts[i]
		if !v.Scored() {
			reason := fmt.Sprintf("%s: %s", v.Outcome, v.Reason)
			for _, m := range []string{Coverage, Citation, Joint, CitationPrecision, CitationRecall} {
				scores = append(scores, datasets.Score{Metric: m, Unit: in.InsightID, Unscored: reason})
			}
			continue
		}
		scores = append(scores, scoreInsight(in.InsightID, v, lines, it.haystack.holders[in.InsightID])...)
	}

	if out.Outcome == local.OK {
		scores = append(scores, datasets.Score{Metric: Bullets, Value: float64(len(lines))})
		for i, line := range lines {
			words := float64(len(strings.Fields(line)))
			scores = append(scores, datasets.Score{Metric: WordsPerBullet, Unit: strconv.Itoa(i + 1), Value: words})
		}
	}
	return scores
}

func scoreInsight(id string, v judge.Verdict, lines []string, gold map[int]bool) []datasets.Score {
	value := func(m string, x float64) datasets.Score { return datasets.Score{Metric: m, Unit: id, Value: x} }
	if v.Value == 0 {
		return []datasets.Score{value(Coverage, 0), value(Joint, 0)}
	}

	if v.Unit < 1 || v.Unit > len(lines) {
		reason := fmt.Sprintf("%s: covered by line %d of %d, which does not exist", local.BadFormat, v.Unit, len(lines))
		out := []datasets.Score{value(Coverage, v.Value)}
		for _, m := range []string{Citation, Joint, CitationPrecision, CitationRecall} {
			out = append(out, datasets.Score{Metric: m, Unit: id, Unscored: reason})
		}
		return out
	}

	p, r, f1 := metric.Citation(Citations(lines[v.Unit-1]), gold)
	return []datasets.Score{
		value(Coverage, v.Value), value(Citation, f1), value(Joint, metric.Joint(v.Value, f1)),
		value(CitationPrecision, p), value(CitationRecall, r),
	}
}

// citation matches square brackets that hold only digits, commas and spaces.
var citation = regexp.MustCompile(`\[([\d, ]+)\]`)

// Citations returns the set of document numbers a line cites. A number too long
// to be a document still counts as cited, as document 0, which does not exist.
func Citations(line string) map[int]bool {
	cited := map[int]bool{}
	for _, m := range citation.FindAllStringSubmatch(line, -1) {
		for _, field := range strings.FieldsFunc(m[1], func(r rune) bool { return r == ',' || r == ' ' }) {
			n, err := strconv.Atoi(field)
			if err != nil {
				n = 0
			}
			cited[n] = true
		}
	}
	return cited
}

// Facets are none.
func (it *item) Facets(datasets.Evidence) map[string]string { return nil }

// Notes say what is odd about an answer: documents cited that do not exist, bullets
// without a source, another number of bullets than asked for. None of it stops the
// scoring; a document that does not exist counts against precision.
func (it *item) Notes(e datasets.Evidence, v datasets.Verdicts) []string {
	if v != nil || e.Output.Outcome != local.OK {
		return nil
	}

	lines := Lines(e.Output.Text)
	var unknown []int
	bare := 0
	for _, line := range lines {
		cited := Citations(line)
		if len(cited) == 0 {
			bare++
		}
		for n := range cited {
			if (n < 1 || n > len(it.haystack.corpus.Documents)) && !slices.Contains(unknown, n) {
				unknown = append(unknown, n)
			}
		}
	}
	slices.Sort(unknown)

	var notes []string
	if len(unknown) > 0 {
		list := strings.Trim(fmt.Sprint(unknown), "[]")
		notes = append(notes, "cites documents that do not exist: "+list)
	}
	if bare > 0 {
		notes = append(notes, fmt.Sprintf("%d of %d lines cite no document", bare, len(lines)))
	}
	if len(lines) != len(it.insights) {
		notes = append(notes, fmt.Sprintf("has %d lines where %d bullets were asked for", len(lines), len(it.insights)))
	}
	return notes
}
