// Package rerank orders the first results of a retriever anew: by a cross-encoder,
// by a language model in five ways, or for diversity.
package rerank

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"lore/index"
)

// Candidate is a document to be ranked anew.
type Candidate struct {
	index.Hit
	Text string
}

// Job is one query with its candidates, best first.
type Job struct {
	Query      index.Query
	Candidates []Candidate
}

// Reranker orders candidates. It is given all queries at once, so that a model
// server stays busy.
type Reranker interface {
	// Rerank returns per job a score for each candidate, in the order of the
	// candidates; higher is better. NaN stands for no score: such candidates come after
	// the others in their old order. step, if not nil, is told how many jobs are done.
	Rerank(ctx context.Context, jobs []Job, step func(done int)) ([][]float64, error)
	// Stats count what the model did so far.
	Stats() Stats
}

// Stats count the replies of a reranker's model and what was made of them.
type Stats struct {
	Name       string `json:"name"`
	Calls      int    `json:"calls"`      // replies, or pairs of a cross-encoder
	Repaired   int    `json:"repaired"`   // read in part: see Remedy
	Unparsable int    `json:"unparsable"` // could not be read or failed: see Remedy
	Cut        int    `json:"cut"`        // passages shown without their end
	Remedy     string `json:"remedy"`     // what was done with the latter three

	Forged int `json:"forged_marks,omitempty"` // queries and passages in which such marks were made neutral
}

// Stage is a first retriever with a reranker after it.
type Stage struct {
	first index.Retriever
	docs  index.Corpus
	model Reranker
	depth int
}

// New puts a reranker after a retriever. The first depth documents are ordered
// anew; those below keep their order and stand below. Equal scores keep the order
// of the first stage.
func New(first index.Retriever, docs index.Corpus, model Reranker, depth int) *Stage {
	return &Stage{first: first, docs: docs, model: model, depth: depth}
}

// tieStep is how far a score is put below an equal one before it, so that a run
// file keeps the order. Readers in single precision still tell the two apart.
const tieStep = 1e-5

// Retrieve ranks for one query.
func (s *Stage) Retrieve(ctx context.Context, q index.Query, k int) (index.Ranking, error) {
	return index.RetrieveOne(ctx, s, q, k)
}

// RetrieveBatch ranks all queries by the first stage and then anew.
func (s *Stage) RetrieveBatch(
	ctx context.Context, queries []index.Query, k int, step func(int),
) ([]index.Ranking, error) {
	deep := k
	if k > 0 {
		deep = max(k, s.depth)
	}
	found, err := index.RetrieveAll(ctx, s.first, queries, deep, nil)
	if err != nil {
		return nil, err
	}

	jobs := make([]Job, len(queries))
	for i, r := range found {
		jobs[i].Query = queries[i]
		for _, h := range r.Hits[:min(s.depth, len(r.Hits))] {
			number, ok := s.docs.Find(h.ID)
			if !ok {
				return nil, fmt.Errorf("rerank: the document %s is not in the corpus", h.ID)
			}
			text, err := s.docs.Text(number)
			if err != nil {
				return nil, err
			}
			jobs[i].Candidates = append(jobs[i].Candidates, Candidate{h, text})
		}
	}

	scores, err := s.model.Rerank(ctx, jobs, step)
	if err != nil {
		return nil, err
	}

	out := make([]index.Ranking, len(queries))
	for i := range found {
		out[i].Hits = reorder(found[i].Hits, scores[i])
		if k > 0 && len(out[i].Hits) > k {
			out[i].Hits = out[i].Hits[:k]
		}
	}
	return out, nil
}

// reorder gives the first hits their new scores, the unscored ones and the rest
// falling scores below.
func reorder(hits []index.Hit, scores []float64) []index.Hit {
	var scored, rest []index.Hit
	for i, h := range hits {
		if i >= len(scores) || math.IsNaN(scores[i]) {
			rest = append(rest, h)
			continue
		}
		h.Score = scores[i]
		scored = append(scored, h)
	}

	slices.SortStableFunc(scored, func(a, b index.Hit) int { return cmp.Compare(b.Score, a.Score) })
	for i := 1; i < len(scored); i++ {
		if before := scored[i-1].Score; scored[i].Score >= before {
			scored[i].Score = before - tieStep
		}
	}

	lowest := 0.0
	if len(scored) > 0 {
		lowest = scored[len(scored)-1].Score
	}
	for i, h := range rest {
		h.Score = lowest - 1 - float64(i)
		scored = append(scored, h)
	}
	return scored
}

// places turns an order of candidates into scores: n for the first down to 1.
func places(order []int) []float64 {
	out := make([]float64, len(order))
	for rank, i := range order {
		out[i] = float64(len(order) - rank)
	}
	return out
}
