package pipeline

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"lore/cmd/lore/internal/usage"
	"lore/datasets"
	"lore/index"
	"lore/index/collection"
	"lore/index/rerank"
	"lore/index/trec"
	"lore/judge"
	"lore/judge/lexical"
)

// goldRanker scores gold documents by the benchmark's own rule, and by the lexical judge
// where it has none.
type goldRanker struct{ lexicalRanker }

func (g goldRanker) Rerank(ctx context.Context, jobs []rerank.Job, step func(int)) ([][]float64, error) {
	out := make([][]float64, len(jobs))
	for i, j := range jobs {
		if j.Query.BestGold == nil {
			scores, err := g.lexicalRanker.Rerank(ctx, jobs[i:i+1], nil)
			if err != nil {
				return nil, err
			}
			out[i] = scores[0]
		} else {
			best := j.Query.BestGold()
			for _, c := range j.Candidates {
				out[i] = append(out[i], best[c.ID])
			}
		}

		if step != nil {
			step(i + 1)
		}
	}
	return out, nil
}

// lexicalRanker scores a passage by the lexical judge: the share of the query's
// words, weighted by idf, that it holds.
type lexicalRanker struct{}

func (lexicalRanker) Stats() rerank.Stats { return rerank.Stats{Name: (lexical.Judge{}).Name()} }

func (lexicalRanker) Rerank(ctx context.Context, jobs []rerank.Job, step func(int)) ([][]float64, error) {
	out := make([][]float64, len(jobs))
	for i, j := range jobs {
		question := judge.Question{ID: "q", Kind: judge.Answerability, Text: j.Query.Text}
		tasks := make([]judge.Task, len(j.Candidates))
		for k, c := range j.Candidates {
			tasks[k] = judge.Task{ID: j.Query.ID, Units: []string{c.Text}, Questions: []judge.Question{question}}
		}

		verdicts, err := (lexical.Judge{}).Judge(ctx, tasks, nil)
		if err != nil {
			return nil, err
		}
		for _, v := range verdicts {
			out[i] = append(out[i], v[0].Score)
		}
		if step != nil {
			step(i + 1)
		}
	}
	return out, nil
}

// recorded ranks by scores that came with the data, and says which there are.
type recorded struct {
	index.Retriever
	name string
}

func (r recorded) Retrieve(ctx context.Context, q index.Query, k int) (index.Ranking, error) {
	if _, ok := q.Recorded[r.name]; !ok {
		have := strings.Join(slices.Sorted(maps.Keys(q.Recorded)), ", ")
		if have == "" {
			return index.Ranking{}, usage.Errorf("the data has no rankings, so none is %q", r.name)
		}
		return index.Ranking{}, usage.Errorf("the data has no ranking %q for the item %s; it has: %s", r.name, q.ID, have)
	}
	return r.Retriever.Retrieve(ctx, q, k)
}

// fromRun ranks by a run file, in any form that lore reads, whose topics are item ids.
func (s *Set) fromRun(path string, docs index.Corpus) (index.Retriever, error) {
	run := s.runs[path]
	if run == nil {
		var err error
		if run, err = collection.Run(path); err != nil {
			return nil, err
		}
		s.runs[path] = run
	}

	return fromRun{path, run, docs}, nil
}

// otherTopics says what to do with a run that ranks nothing for an item.
func (f fromRun) otherTopics() string {
	topics := slices.Sorted(maps.Keys(f.run.Topics))
	named, rest := topics, ""
	if len(topics) > mostTopics {
		named, rest = topics[:mostTopics], ",..."
	}
	return fmt.Sprintf("topics must be the item ids of the data, as in retrieval/*.trec of any run folder; where it has fewer than "+
		"the data, take its %d topics alone: --item %s%s", len(topics), strings.Join(named, ","), rest)
}

// mostTopics is how many topics a remedy names.
const mostTopics = 12

type fromRun struct {
	path string
	run  *trec.Run
	docs index.Corpus
}

func (f fromRun) Retrieve(_ context.Context, q index.Query, k int) (index.Ranking, error) {
	var hits []index.Hit
	for _, r := range f.run.Topics[q.ID] {
		if _, known := f.docs.Find(r.Document); !known {
			return index.Ranking{}, &datasets.InputError{
				File:   f.path,
				Place:  "topic " + q.ID,
				Msg:    fmt.Sprintf("ranks the document %q, which is not in the corpus", r.Document),
				Remedy: "document ids must be those of the data",
			}
		}
		hits = append(hits, index.Hit{ID: r.Document, Score: r.Score})
	}
	if len(hits) == 0 {
		return index.Ranking{}, &datasets.InputError{
			File:   f.path,
			Msg:    fmt.Sprintf("has no result for the item %s", q.ID),
			Remedy: f.otherTopics(),
		}
	}

	index.SortHits(hits)
	if k > 0 && len(hits) > k {
		hits = hits[:k]
	}
	return index.Ranking{Hits: hits}, nil
}
