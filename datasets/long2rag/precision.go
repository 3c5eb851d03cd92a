package long2rag

import (
	"fmt"
	"strconv"

	"lore/datasets"
	"lore/judge"
	"lore/judge/metric"
	"lore/local"
	"lore/local/text"
)

// What an answer's own points are looked for in. The paper's section 6.4 counts those "actually present in the
// retrieved documents", and then speaks of the "retrieved key points": both can be read, and they are other figures.
const (
	ByBoth      = "both"
	ByKeyPoints = "key-points"
	ByDocuments = "documents"
)

var precisions = []string{ByBoth, ByKeyPoints, ByDocuments}

// reading is a way to read key point precision, with its metrics.
type reading struct {
	subject           judge.Subject
	precision, shared string // names of the metrics: precision, and its harmonic mean with recall
}

// readings are those that are asked for.
func (b Benchmark) readings() []reading {
	var out []reading
	if b.Precision != ByDocuments {
		out = append(out, reading{judge.Points, KPP, KPF})
	}
	if b.Precision == ByDocuments || b.Precision == ByBoth {
		out = append(out, reading{judge.Held, KPPDocuments, KPFDocuments})
	}
	return out
}

// planPoints asks of each point whether the key points hold it, whether the documents of the question do, or both.
// A question without documents is not asked about these.
func (it *item) planPoints(language string, points []string) []judge.Task {
	var questions []judge.Question
	for i, p := range points {
		questions = append(questions, judge.Question{ID: strconv.Itoa(i + 1), Kind: judge.Entailment, Text: p})
	}

	var tasks []judge.Task
	for _, r := range it.set.bench.readings() {
		t := judge.Task{Subject: r.subject, ID: it.ID(), About: it.question.Text, Questions: questions}
		if r.subject == judge.Held {
			t.Units = it.sentences(language)
		} else {
			for _, q := range it.questions {
				t.Units = append(t.Units, q.Text)
			}
		}
		if len(t.Units) > 0 {
			tasks = append(tasks, t)
		}
	}
	return tasks
}

// sentences are those of the documents that came with the question, whole, whatever a system was shown of them:
// all systems are held against the same.
func (it *item) sentences(language string) []string {
	var out []string
	for _, d := range it.question.Documents {
		whole := d.whole()
		out = append(out, text.Of(language, whole).Sentences(whole)...)
	}
	return out
}

// scorePoints gives precision and its harmonic mean with recall, by each reading. An answer that failed, or could
// not be taken apart, has neither.
func (it *item) scorePoints(out datasets.Output, v datasets.Verdicts) []datasets.Score {
	if out.Outcome == local.OK && out.Points == nil {
		return nil
	}

	var scores []datasets.Score
	for _, r := range it.set.bench.readings() {
		precision, reason := it.precision(out, r, v[r.subject])
		if reason != "" {
			scores = append(scores, datasets.Score{Metric: r.precision, Unscored: reason},
				datasets.Score{Metric: r.shared, Unscored: reason})
			continue
		}

		both := datasets.Score{Metric: r.shared}
		recall, reason := entailed(v[judge.Answer])
		if both.Unscored = reason; reason == "" {
			both.Value = metric.F1(precision, recall)
		}
		scores = append(scores, datasets.Score{Metric: r.precision, Value: precision}, both)
	}
	return scores
}

// precision is the share of an answer's points that are there; reason says why it is open.
func (it *item) precision(out datasets.Output, r reading, verdicts []judge.Verdict) (share float64, reason string) {
	switch {
	case out.Outcome != local.OK:
		return 0, fmt.Sprintf("%s: the answer failed: %s", out.Outcome, out.Reason)
	case out.Points.Outcome != local.OK:
		return 0, fmt.Sprintf("%s: %s", out.Points.Outcome, out.Points.Reason)
	case r.subject == judge.Held && len(it.question.Documents) == 0:
		return 0, "the question comes without documents to look for points in"
	case len(verdicts) == 0:
		return 0, "the answer has no points"
	}
	return entailed(verdicts)
}
