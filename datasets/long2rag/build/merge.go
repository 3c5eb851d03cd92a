package build

import (
	"context"
	"fmt"
	"slices"

	"lore/datasets/long2rag"
	"lore/datasets/stage"
	"lore/local"
)

// How points are merged.
const (
	mergeAtOnce = 40 // points that a model is asked to merge at once
	mergePasses = 3  // rounds of merging where there are more
	mergeTokens = 60 * mergeAtOnce
)

// batch is a run of a question's points that are merged at once.
type batch struct {
	question, from, to int
}

// merge puts points that say the same into one, in batches; where a question had
// several batches, what they left is merged again.
func (b *Builder) merge(ctx context.Context, questions []*long2rag.Question, points [][]point) ([][]point, error) {
	again := make([]bool, len(questions))
	for i := range again {
		again[i] = len(points[i]) > 1
	}

	for pass := 1; pass <= mergePasses; pass++ {
		var batches []batch
		for i := range questions {
			for from := 0; again[i] && from < len(points[i]); from += mergeAtOnce {
				batches = append(batches, batch{i, from, min(from+mergeAtOnce, len(points[i]))})
			}
		}
		if len(batches) == 0 {
			break
		}

		merged, err := b.mergeOnce(ctx, questions, points, batches, pass)
		if err != nil {
			return nil, err
		}
		for i := range questions {
			if again[i] {
				// Another pass helps where there were several batches, and this one helped.
				again[i] = len(points[i]) > mergeAtOnce && len(merged[i]) < len(points[i])
				points[i] = merged[i]
			}
		}
	}

	for i := range points {
		b.report.Merged += len(points[i])
	}
	return points, nil
}

// mergeOnce merges the points of each batch, and returns what is left of each question.
func (b *Builder) mergeOnce(ctx context.Context, questions []*long2rag.Question, points [][]point,
	batches []batch, pass int) (map[int][]point, error) {
	texts := make([][]string, len(batches))
	for k, at := range batches {
		for _, p := range points[at.question][at.from:at.to] {
			texts[k] = append(texts[k], p.text)
		}
	}
	subject := func(k int) string {
		return fmt.Sprintf("%s points %d to %d", questions[batches[k].question].ID, batches[k].from+1, batches[k].to)
	}

	last := map[int][]group{} // also of replies that are not a partition: these are repaired
	_, failed, err := stage.Ask(ctx, b.Session, stage.Question[[]group]{
		Stage:      fmt.Sprintf("merge, pass %d", pass),
		Role:       stage.Checks, // which points are the same
		Prompt:     "long2rag/merge.txt",
		NumPredict: mergeTokens,
		Subject:    subject,
		Data: func(k int, problem string) any {
			return map[string]any{
				"Question": questions[batches[k].question].Text, "Points": stage.Numbered(texts[k]), "Problem": problem,
			}
		},
		Read: func(k int, r local.Reply) ([]group, string) {
			groups, problem := readGroups(r)
			if problem == "" {
				last[k] = groups
			}
			return groups, problem
		},
		Check:  func(k int, groups []group) string { return partition(groups, len(texts[k])) },
		Closed: closedGroups,
	}, stage.Places(len(batches)))
	if err != nil {
		return nil, err
	}

	out := map[int][]point{}
	for k, at := range batches {
		if problem, bad := failed[k]; bad {
			b.report.Unpartitioned++
			b.Note("merge", subject(k), 0, "the mapping was repaired: %s", problem)
		}
		groups, moved := faithful(repaired(last[k], texts[k]), texts[k])
		for _, m := range moved {
			b.Note("merge", subject(k), 0, "%d is taken out of a point that has not all of its numbers: %q", m, texts[k][m-1])
		}
		for _, g := range groups {
			if len(g.Members) > 1 {
				b.Note("merge", subject(k), 0, "%v became %q", g.Members, g.Text)
			}
			out[at.question] = append(out[at.question], g.union(points[at.question][at.from:at.to]))
		}
	}
	return out, nil
}

// union is the point that stands for the members of a group, with the evidence of all.
func (g group) union(originals []point) point {
	p := point{text: g.Text}
	for _, m := range g.Members {
		p.spans = appendNew(p.spans, originals[m-1].spans)
		p.documents = appendNew(p.documents, originals[m-1].documents)
	}
	return p
}

func appendNew(list, more []string) []string {
	for _, s := range more {
		if !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return list
}
