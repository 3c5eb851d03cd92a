package crux

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"lore/datasets"
	"lore/judge"
	"lore/judge/metric"
	"lore/local"
	"lore/local/text"
	"lore/local/tokens"
)

// item is one topic.
type item struct {
	set          *set
	topic        Topic
	relevant     []string // P*: the passages with grades
	required     []string // P**, which is the oracle's context Z*
	oracleTokens int
	oracleWords  int
	levels       []level
}

// level is what hangs on a threshold.
type level struct {
	eta        int
	answerable []bool
	oracle     float64                   // coverage of the required passages
	subtopics  map[string]map[string]int // answerable questions, and the relevant passages that answer them
}

func (it *item) ID() string               { return it.topic.ID }
func (it *item) Title() string            { return it.topic.Query }
func (it *item) Group() string            { return "topics" }
func (it *item) Corpus() *datasets.Corpus { return it.set.corpus }

// k is how many passages are shown.
func (it *item) k() int {
	if it.set.bench.K > 0 {
		return it.set.bench.K
	}
	return len(it.required)
}

// Query searches with the request. Required passages are twice as relevant as
// redundant ones, so that the oracle's first |Z*| are the required ones.
func (it *item) Query() datasets.Query {
	gold := map[string]float64{}
	for _, id := range it.relevant {
		gold[id] = 1
	}
	for i, id := range it.required {
		gold[id] = 2 + 1/float64(i+2) // in the order of the greedy choice
	}
	return datasets.Query{Text: it.topic.Query, Gold: gold}
}

// Holders are, for each question, the passages with a grade that counts at the first
// threshold.
func (it *item) Holders() map[string][]string {
	out := map[string][]string{}
	for _, id := range it.relevant {
		for q, grade := range it.topic.Grades[id] {
			if grade >= it.levels[0].eta {
				out[strconv.Itoa(q+1)] = append(out[strconv.Itoa(q+1)], id)
			}
		}
	}
	return out
}

// References hold the human-written report, if there is one.
func (it *item) References() []string {
	if it.topic.Summary == "" {
		return nil
	}
	return []string{it.topic.Summary}
}

// shown are the passages of a ranking that are given to the generator.
func (it *item) shown(found datasets.Retrieved) []string {
	if found.Whole {
		return found.IDs
	}
	return firstOf(found.IDs, it.k())
}

func firstOf(ids []string, k int) []string { return ids[:min(k, len(ids))] }

// Context takes the first k passages while they fit; the next one is cut. The report may be
// as long as the oracle's context, in tokens (CRUX, section 3).
func (it *item) Context(found datasets.Retrieved, budget datasets.Budget) datasets.Context {
	ctx := datasets.Take(it.Corpus(), found, it.k(), budget, datasets.Numbered)
	ctx.AnswerTokens = it.oracleTokens
	return ctx
}

// Request asks for a report no longer than the oracle's context.
func (it *item) Request(ask datasets.Ask) ([]local.Message, *local.Source, error) {
	passages := ask.Context.Passages
	source := &local.Source{Query: it.topic.Query, Passages: passages, Words: it.oracleWords}
	messages, err := ask.Prompt.Render(map[string]any{
		"Query":    it.topic.Query,
		"Passages": passages,
		"Words":    it.oracleWords,
	})
	return messages, source, err
}

// questions are the sub-questions that any threshold counts as answerable.
func (it *item) questions() []judge.Question {
	var out []judge.Question
	for q, text := range it.topic.Questions {
		if slices.ContainsFunc(it.levels, func(l level) bool { return l.answerable[q] }) {
			out = append(out, judge.Question{ID: strconv.Itoa(q + 1), Kind: judge.Answerability, Text: text})
		}
	}
	return out
}

// Plan asks how well the report answers each question and, where the judge is to grade
// what the data does not, the same of each shown passage without grades. Sentences that
// only repeat a question are left out.
func (it *item) Plan(e datasets.Evidence) []judge.Task {
	report, _ := repeats(datasets.Uncited(it, e), it.topic.Questions)
	task := judge.Task{ID: it.ID(), About: it.topic.Query, Units: []string{report}, Questions: it.questions()}
	tasks := []judge.Task{task}
	if e.Retrieved == nil || it.set.bench.Ungraded != askJudge {
		return tasks
	}

	for _, id := range it.shown(*e.Retrieved) {
		if _, graded := it.topic.Grades[id]; !graded {
			task.Subject, task.ID, task.Units = judge.Document(id), id, []string{it.Corpus().Text(id)}
			tasks = append(tasks, task)
		}
	}
	return tasks
}

// ungraded stands for a grade that could not be read.
const ungraded = -1

// grade is that of a verdict.
func grade(v judge.Verdict) int { return int(math.Round(v.Value * MaxGrade)) }

// answering counts a text as an answer to a question at the first threshold.
func (b Benchmark) answering() *datasets.AnsweringRule {
	eta := b.etas()[0]
	return &datasets.AnsweringRule{
		Answers: func(v judge.Verdict) bool { return v.Scored() && grade(v) >= eta },
		From:    fmt.Sprintf("a grade of %d or more", eta),
	}
}

// row turns verdicts into grades per question of the topic.
func (it *item) row(verdicts []judge.Verdict) []int {
	out := make([]int, len(it.topic.Questions))
	for i, q := range it.questions() {
		n, _ := strconv.Atoi(q.ID)
		switch {
		case verdicts[i].Scored():
			out[n-1] = grade(verdicts[i])
		case it.set.bench.Malformed != "zero":
			out[n-1] = ungraded
		}
	}
	return out
}

// coverage is the share of answerable questions with a grade of at least eta. A
// question without such a grade, but with one that could not be read, leaves it
// open; reason then says how many.
func coverage(rows [][]int, l level) (value float64, reason string) {
	open := 0
	for q, can := range l.answerable {
		if !can {
			continue
		}

		hit, unknown := false, false
		for _, r := range rows {
			hit = hit || r[q] >= l.eta
			unknown = unknown || r[q] == ungraded
		}
		if !hit && unknown {
			open++
		}
	}

	if open > 0 {
		return 0, fmt.Sprintf("grades that decide %d questions could not be read", open)
	}
	return metric.QuestionCoverage(rows, l.answerable, l.eta), ""
}

// measured is a coverage with its density.
func (it *item) measured(cov, den string, rows [][]int, n int, l level) []datasets.Score {
	c, reason := coverage(rows, l)
	switch {
	case reason != "":
		return []datasets.Score{
			{Metric: at(cov, l.eta), Unscored: reason},
			{Metric: at(den, l.eta), Unscored: reason},
		}
	case math.IsNaN(c):
		return nil // no question is answerable at this threshold
	}

	out := []datasets.Score{{Metric: at(cov, l.eta), Value: c}}
	switch d := metric.Density(c, n, l.oracle, it.oracleTokens); {
	case n == 0:
		out = append(out, datasets.Score{Metric: at(den, l.eta), Value: 0})
	case !math.IsNaN(d):
		out = append(out, datasets.Score{Metric: at(den, l.eta), Value: d})
	}
	return out
}

// Score measures the report, the shown passages and the ranking.
func (it *item) Score(e datasets.Evidence, v datasets.Verdicts) []datasets.Score {
	scores := it.scoreReport(e, v[judge.Answer])
	if e.Retrieved != nil && !e.Retrieved.Whole {
		scores = append(scores, it.scoreContext(e.Retrieved.IDs, it.k(), v)...)
	}
	return scores
}

func (it *item) scoreReport(e datasets.Evidence, verdicts []judge.Verdict) []datasets.Score {
	var scores []datasets.Score
	if out := e.Output; out.Outcome != local.OK {
		reason := fmt.Sprintf("%s: %s", out.Outcome, out.Reason)
		for _, l := range it.levels {
			for _, m := range []string{CovAnswer, DenAnswer} {
				scores = append(scores, datasets.Score{Metric: at(m, l.eta), Unscored: reason})
			}
		}
		return scores
	}

	report := datasets.Uncited(it, e)
	row, n := it.row(verdicts), tokens.Count(report)
	for _, l := range it.levels {
		scores = append(scores, it.measured(CovAnswer, DenAnswer, [][]int{row}, n, l)...)
	}

	_, repeated := repeats(report, it.topic.Questions)
	return append(scores,
		datasets.Score{Metric: Words, Value: float64(text.Count(report))},
		datasets.Score{Metric: WordsAsked, Value: float64(it.oracleWords)},
		datasets.Score{Metric: Repeated, Value: repeated},
	)
}

// grades are a passage's, from the data or else from the judge. Without either they are
// zeros, by the paper's rule.
func (it *item) grades(id string, v datasets.Verdicts) (row []int, fromData bool) {
	if row, ok := it.topic.Grades[id]; ok {
		return row, true
	}
	if it.set.bench.Ungraded != askJudge {
		return make([]int, len(it.topic.Questions)), false
	}
	return it.row(v[judge.Document(id)]), false
}

// scoreContext measures a ranking whose first k passages are shown.
func (it *item) scoreContext(ranked []string, k int, v datasets.Verdicts) []datasets.Score {
	ids := firstOf(ranked, k)
	var rows [][]int
	var scores []datasets.Score
	judged := map[string][]int{} // by a judge, of the shown passages
	n := 0
	for _, id := range ids {
		row, fromData := it.grades(id, v)
		from := datasets.Score{Metric: Graded, Unit: id}
		if fromData {
			from.Value = 1
		} else if slices.Max(row) > 0 {
			judged[id] = row
		}
		scores = append(scores, from)
		rows = append(rows, row)
		n += it.set.corpus.Tokens(id)
	}

	scores = append(scores, datasets.Score{Metric: Tokens, Value: float64(n)})
	for _, l := range it.levels {
		scores = append(scores, it.measured(CovContext, DenContext, rows, n, l)...)
		if s, ok := it.alphaNDCG(ids, k, judged, rows, l); ok {
			scores = append(scores, s)
		}
	}
	return append(scores, it.ranking(ranked, k)...)
}

// alphaNDCG takes answered questions for subtopics. The ideal order of k passages is over the
// relevant passages and the shown ones.
func (it *item) alphaNDCG(ids []string, k int, judged map[string][]int, rows [][]int, l level) (datasets.Score, bool) {
	for _, r := range rows {
		if slices.Contains(r, ungraded) {
			reason := "grades of shown passages could not be read"
			return datasets.Score{Metric: at(AlphaNDCG, l.eta), Unscored: reason}, true
		}
	}

	if len(l.subtopics) == 0 {
		return datasets.Score{}, false
	}
	judgements := l.subtopics
	if len(judged) > 0 {
		judgements = subtopics(l, it.topic.Grades, judged)
	}
	topic := metric.NewDiversityTopic(metric.Ranked(ids), judgements)
	return datasets.Score{Metric: at(AlphaNDCG, l.eta), Value: metric.AlphaNDCG(topic, k, Alpha)}, true
}

// subtopics are the answerable questions at a threshold, each with the passages that answer it.
func subtopics(l level, grades ...map[string][]int) map[string]map[string]int {
	out := map[string]map[string]int{}
	for q, can := range l.answerable {
		if !can {
			continue
		}
		answering := map[string]int{}
		for _, rows := range grades {
			for id, row := range rows {
				if row[q] >= l.eta {
					answering[id] = 1
				}
			}
		}
		out[strconv.Itoa(q+1)] = answering
	}
	return out
}

// ranking measures the whole ranking, and its first k, by the relevant passages.
func (it *item) ranking(ids []string, k int) []datasets.Score {
	judged := map[string]int{}
	for _, id := range it.relevant {
		judged[id] = 1
	}

	t := metric.NewTopic(metric.Ranked(ids), judged)
	return []datasets.Score{
		{Metric: RecallAtK, Value: metric.Recall(t, 1, k)},
		{Metric: MAP, Value: metric.AveragePrecision(t, 1, 0)},
		{Metric: NDCGAtK, Value: metric.NDCG(t, k, metric.LinearGain)},
	}
}

// Facets are none.
func (it *item) Facets(datasets.Evidence) map[string]string { return nil }

// Notes name, at the first threshold, the questions that no shown passage answers, the
// passages that answer none that those before them do not, and the questions that the
// report lost.
func (it *item) Notes(e datasets.Evidence, v datasets.Verdicts) []string {
	if v == nil || e.Retrieved == nil || e.Retrieved.Whole {
		return nil
	}

	l := it.levels[0]
	by := make([]string, len(it.topic.Questions)) // the first passage that answers
	var notes []string
	for _, id := range it.shown(*e.Retrieved) {
		row, fromData := it.grades(id, v)
		if !fromData && it.set.bench.Ungraded != askJudge {
			notes = append(notes, fmt.Sprintf(
				"redundant: the passage %s has no grades in the data, and so counts as answering nothing", id))
			continue
		}
		adds := false
		for q, can := range l.answerable {
			if can && row[q] >= l.eta && by[q] == "" {
				by[q], adds = id, true
			}
		}

		if !adds && !slices.Contains(row, ungraded) {
			notes = append(notes, fmt.Sprintf(
				"redundant: the passage %s answers no question that those before it do not", id))
		}
	}

	var reported []int
	if e.Output.Outcome == local.OK {
		reported = it.row(v[judge.Answer])
	}
	for q, can := range l.answerable {
		switch {
		case !can:
		case by[q] == "":
			notes = append(notes, fmt.Sprintf(
				"incomplete: no passage answers question %d: %s", q+1, it.topic.Questions[q]))
		case reported != nil && reported[q] < l.eta && reported[q] != ungraded:
			notes = append(notes, fmt.Sprintf(
				"lost: the report does not answer question %d, which the passage %s does: %s",
				q+1, by[q], it.topic.Questions[q]))
		}
	}
	return notes
}
