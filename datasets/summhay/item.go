package summhay

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"lore/datasets"
	"lore/judge"
	"lore/judge/metric"
	"lore/local"
	"lore/local/text"
)

// item is one subtopic of a haystack.
type item struct {
	haystack *haystack
	subtopic *Subtopic
	insights []Insight // those that occur in a document
}

// answerWords is the most words of a summary that the protocol asks for (the release's prompts), and the most
// that count in an answer as asked.
const answerWords = 300

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

// Holders are the documents that hold each insight, in the haystack's order.
func (it *item) Holders() map[string][]string {
	out := map[string][]string{}
	for _, in := range it.insights {
		for _, position := range slices.Sorted(maps.Keys(it.haystack.holders[in.InsightID])) {
			out[in.InsightID] = append(out[in.InsightID], it.haystack.corpus.Documents[position-1].ID)
		}
	}
	return out
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
		Cites:    &datasets.Citing{Reading: it.reading, Label: it.label},
	}
}

// Context takes documents in ranked order until the budget is full; the last one
// is cut to fit. Documents are numbered by their place in the haystack, so that a
// citation means the same whatever was retrieved.
func (it *item) Context(found datasets.Retrieved, budget datasets.Budget) datasets.Context {
	label := func(_ int, id string) string { return it.label(id) }
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
		"Topic":         it.haystack.topic,
		"Conversations": it.haystack.conversations(),
		"Participants":  it.haystack.participants,
		"Query":         it.subtopic.Query,
		"Subtopic":      it.subtopic.Subtopic,
		"Bullets":       asked,
		"Words":         answerWords,
		"Passages":      passages,
	})
	return messages, source, err
}

// Plan asks for the coverage of every insight, and asks it again of the answer as asked
// where that differs.
func (it *item) Plan(e datasets.Evidence) []judge.Task {
	lines := it.read(e.Output)
	t := judge.Task{ID: it.ID(), About: it.subtopic.Query, Units: units(lines)}
	for _, in := range it.insights {
		t.Questions = append(t.Questions, judge.Question{ID: in.InsightID, Kind: judge.Coverage, Text: in.Insight})
	}

	tasks := []judge.Task{t}
	if cut, differs := it.asAsked(lines); differs {
		t.Subject, t.Units = judge.AsAsked, units(cut)
		tasks = append(tasks, t)
	}
	return tasks
}

// Score gives every insight its coverage and joint score, and covered insights
// their citation scores.
func (it *item) Score(e datasets.Evidence, v datasets.Verdicts) []datasets.Score {
	lines := it.read(e.Output)
	scores := it.scoreAsAsked(lines, v)
	scores = append(scores, it.scoreInsights(lines, v[judge.Answer])...)
	scores = append(scores, linked(lines, v[judge.Answer])...)
	if e.Output.Outcome == local.OK {
		scores = append(scores, it.describe(lines)...)
	}
	if minutes, ok := e.Output.Measures[Minutes]; ok {
		scores = append(scores, datasets.Score{Metric: Minutes, Value: minutes})
	}
	if e.Retrieved != nil {
		scores = append(scores, it.bounds(e.Context)...)
	}
	return scores
}

// scoreAsAsked gives the joint scores of the answer as asked. Recorded verdicts are on the
// answer as it was given: where they do not do for all answers of a system, their place
// is taken by an empty list, and there are no scores.
func (it *item) scoreAsAsked(lines []bullet, v datasets.Verdicts) []datasets.Score {
	cut, differs := it.asAsked(lines)
	verdicts, judged := v[judge.AsAsked]
	switch {
	case judged && len(verdicts) == 0:
		return nil
	case !differs:
		verdicts = v[judge.Answer]
	case !judged:
		return nil
	}

	var scores []datasets.Score
	for _, s := range it.scoreInsights(cut, verdicts) {
		if s.Metric == Joint {
			s.Metric = JointAsked
			scores = append(scores, s)
		}
	}
	return scores
}

func (it *item) scoreInsights(lines []bullet, verdicts []judge.Verdict) []datasets.Score {
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
	return scores
}

// linked gives the share of an answer's bullets that report an insight. It asks nothing of
// the judge: a verdict names the bullet. A verdict that is missing leaves it unscored.
func linked(lines []bullet, verdicts []judge.Verdict) []datasets.Score {
	if len(lines) == 0 {
		return nil
	}

	used := map[int]bool{}
	for _, v := range verdicts {
		if !v.Scored() {
			reason := fmt.Sprintf("%s: %s", v.Outcome, v.Reason)
			return []datasets.Score{{Metric: BulletsLinked, Unscored: reason}}
		}
		if v.Value > 0 && v.Unit >= 1 && v.Unit <= len(lines) {
			used[v.Unit] = true
		}
	}
	return []datasets.Score{{Metric: BulletsLinked, Value: float64(len(used)) / float64(len(lines))}}
}

// describe gives the figures of an answer that need no judge.
func (it *item) describe(lines []bullet) []datasets.Score {
	uncited, ignored, given := 1.0, 0, 0
	for _, l := range lines {
		if len(l.cited) > 0 {
			uncited = 0
		}
		ignored += l.ignored
		given += text.Count(l.unit)
	}

	unknown := 0.0
	if len(it.unknown(lines)) > 0 {
		unknown = 1
	}

	scores := []datasets.Score{
		{Metric: Bullets, Value: float64(len(lines))},
		{Metric: BulletsAsked, Value: float64(len(it.insights))},
		{Metric: Words, Value: float64(given)},
		{Metric: WordsAsked, Value: answerWords},
		{Metric: Uncited, Value: uncited},
		{Metric: NoSuchDocument, Value: unknown},
		{Metric: IgnoredNumbers, Value: float64(ignored)},
	}
	for i, l := range lines {
		words := float64(text.Count(l.unit))
		scores = append(scores, datasets.Score{Metric: WordsPerBullet, Unit: strconv.Itoa(i + 1), Value: words})
	}
	return scores
}

// unknown are the numbers that an answer cites and no document has, in order.
func (it *item) unknown(lines []bullet) []int {
	var out []int
	for _, l := range lines {
		for n := range l.cited {
			if (n < 1 || n > len(it.haystack.corpus.Documents)) && !slices.Contains(out, n) {
				out = append(out, n)
			}
		}
	}
	slices.Sort(out)
	return out
}

func scoreInsight(id string, v judge.Verdict, lines []bullet, gold map[int]bool) []datasets.Score {
	value := func(m string, x float64) datasets.Score { return datasets.Score{Metric: m, Unit: id, Value: x} }
	switch {
	case v.Value == 0:
		return []datasets.Score{value(Coverage, 0), value(Joint, 0)}
	case v.Unit == 0 && v.Label == judge.None:
		// A calibrated "none" is worth a little, for it is wrong now and then. No bullet says the
		// insight, so there is nothing to cite.
		return []datasets.Score{value(Coverage, v.Value), value(Joint, 0)}
	}

	if v.Unit < 1 || v.Unit > len(lines) {
		reason := fmt.Sprintf("%s: covered by line %d of %d, which does not exist", local.BadFormat, v.Unit, len(lines))
		if v.Unit == 0 {
			reason = fmt.Sprintf("%s: covered, and linked to none of %d lines", local.BadFormat, len(lines))
		}
		out := []datasets.Score{value(Coverage, v.Value)}
		for _, m := range []string{Citation, Joint, CitationPrecision, CitationRecall} {
			out = append(out, datasets.Score{Metric: m, Unit: id, Unscored: reason})
		}
		return out
	}

	p, r, f1 := metric.Citation(lines[v.Unit-1].cited, gold)
	return []datasets.Score{
		value(Coverage, v.Value), value(Citation, f1), value(Joint, metric.Joint(v.Value, f1)),
		value(CitationPrecision, p), value(CitationRecall, r),
	}
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

	lines := it.read(e.Output)
	bare, ignored := 0, 0
	for _, l := range lines {
		if len(l.cited) == 0 {
			bare++
		}
		ignored += l.ignored
	}

	var notes []string
	if unknown := it.unknown(lines); len(unknown) > 0 {
		list := strings.Trim(fmt.Sprint(unknown), "[]")
		notes = append(notes, "cites documents that do not exist: "+list)
	}
	if bare > 0 {
		notes = append(notes, fmt.Sprintf("%d of %d lines cite no document", bare, len(lines)))
	}
	if ignored > 0 {
		notes = append(notes, fmt.Sprintf("%d numbers in brackets, superscripts or ranges were not taken for citations",
			ignored))
	}
	if len(lines) != len(it.insights) {
		notes = append(notes, fmt.Sprintf("has %d lines where %d bullets were asked for", len(lines), len(it.insights)))
	}
	return notes
}
