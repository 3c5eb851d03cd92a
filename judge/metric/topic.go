package metric

import (
	"cmp"
	"slices"
)

// Retrieved is one document of a ranking with its score.
type Retrieved struct {
	Document string
	Score    float64
}

// Ranked gives documents, best first, scores that keep their order.
func Ranked(documents []string) []Retrieved {
	out := make([]Retrieved, len(documents))
	for i, d := range documents {
		out[i] = Retrieved{Document: d, Score: float64(len(documents) - i)}
	}
	return out
}

// Unjudged marks a document without a judgement. A negative judgement means that the document is in the
// pool and nobody judged it, as in trec_eval; only InferredAP tells the two apart.
const (
	Unjudged = -1
	Pooled   = -2
)

// Topic is a ranking joined with its judgements: all that measures need.
type Topic struct {
	Relevance []int // grade per rank, Unjudged or Pooled where there is no judgement
	Judged    []int // all judgements of 0 and above, in any order

	Subtopics int     // subtopics with at least one relevant document
	Covers    [][]int // per rank: the subtopics (0-based) the document is relevant to
	pool      [][]int // the same for all judged relevant documents, document id descending
	relevant  []int   // per subtopic: its number of relevant documents

	results []Retrieved    // as they were given
	grades  map[string]int // by document
}

// Order sorts results as trec_eval does: by score as a 32-bit float, equal scores
// by document id descending. Ranks that came with the data are ignored.
func Order(results []Retrieved) []Retrieved {
	out := slices.Clone(results)
	slices.SortFunc(out, func(a, b Retrieved) int {
		return cmp.Or(cmp.Compare(float32(b.Score), float32(a.Score)), cmp.Compare(b.Document, a.Document))
	})
	return out
}

// NewTopic joins results, in any order, with graded judgements by document.
func NewTopic(results []Retrieved, judgements map[string]int) *Topic {
	t := &Topic{results: results, grades: judgements}
	for _, r := range Order(results) {
		rel, ok := judgements[r.Document]
		switch {
		case !ok:
			rel = Unjudged
		case rel < 0:
			rel = Pooled
		}
		t.Relevance = append(t.Relevance, rel)
	}

	for _, rel := range judgements {
		if rel >= 0 {
			t.Judged = append(t.Judged, rel)
		}
	}
	return t
}

// NewDiversityTopic joins results with judgements by subtopic and document, as
// ndeval reads them; above 0 is relevant. A document's grade is the number of
// subtopics it is relevant to being above 0.
func NewDiversityTopic(results []Retrieved, judgements map[string]map[string]int) *Topic {
	number := map[string]int{}
	covers := map[string][]int{}
	flat := map[string]int{}
	for _, subtopic := range sortedKeys(judgements) {
		for doc, rel := range judgements[subtopic] {
			flat[doc] = max(flat[doc], min(rel, 1), 0)
			if rel <= 0 {
				continue
			}

			if _, ok := number[subtopic]; !ok {
				number[subtopic] = len(number)
			}
			covers[doc] = append(covers[doc], number[subtopic])
		}
	}

	t := NewTopic(results, flat)
	t.Subtopics = len(number)
	t.relevant = make([]int, t.Subtopics)
	for _, subs := range covers {
		slices.Sort(subs)
		for _, s := range subs {
			t.relevant[s]++
		}
	}

	for _, r := range Order(results) {
		t.Covers = append(t.Covers, covers[r.Document])
	}

	// Highest id first: of equal gains ndeval takes that one.
	docs := sortedKeys(covers)
	slices.Reverse(docs)
	for _, d := range docs {
		t.pool = append(t.pool, covers[d])
	}
	return t
}

// judgedOnly is the topic without the retrieved documents that nobody judged.
func (t *Topic) judgedOnly() *Topic {
	out := *t
	out.Relevance, out.Covers = nil, nil
	for i, r := range t.Relevance {
		if r < 0 {
			continue
		}
		out.Relevance = append(out.Relevance, r)
		if t.Covers != nil {
			out.Covers = append(out.Covers, t.Covers[i])
		}
	}
	return &out
}

func sortedKeys[V any](m map[string]V) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// relevantRetrieved counts ranks with a grade of at least rel.
func (t *Topic) relevantRetrieved(rel, depth int) int {
	n := 0
	for i, r := range t.Relevance {
		if i >= depth {
			break
		}
		if r >= rel {
			n++
		}
	}
	return n
}

// otherRetrieved counts ranks that are judged and below rel.
func (t *Topic) otherRetrieved(rel int) int {
	n := 0
	for _, r := range t.Relevance {
		if r >= 0 && r < rel {
			n++
		}
	}
	return n
}

// relevantJudged counts judgements of at least rel.
func (t *Topic) relevantJudged(rel int) int {
	n := 0
	for _, r := range t.Judged {
		if r >= rel {
			n++
		}
	}
	return n
}
