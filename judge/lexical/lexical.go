// Package lexical judges by word overlap. It needs no model and no network.
//
// Coverage of a statement is the idf-weighted share of its content words found in
// the best unit (notes: on SummHay's human labels this agrees with annotators as
// well as GPT-4o does). A word's idf is counted over the task itself, its units
// and its sibling statements, so that words which every sibling shares carry
// nothing.
package lexical

import (
	"context"
	"maps"
	"math"
	"regexp"
	"slices"

	"lore/judge"
	"lore/local"
	"lore/local/text"
)

// Thresholds on recall, found on SummHay's human coverage labels.
const (
	partialFrom = 0.30
	fullFrom    = 0.45
)

// Judge is the lexical judge.
type Judge struct{}

// Name is "lexical".
func (Judge) Name() string { return "lexical" }

// Judge answers all tasks. It has no failures except a cancelled context and
// questions of a kind it does not know, which are unscored.
func (Judge) Judge(ctx context.Context, tasks []judge.Task, done func(int)) ([][]judge.Verdict, error) {
	out := make([][]judge.Verdict, len(tasks))
	answered := 0
	for i, t := range tasks {
		if err := ctx.Err(); err != nil {
			return nil, context.Cause(ctx)
		}
		out[i] = verdicts(t)
		answered += len(t.Questions)
		if done != nil {
			done(answered)
		}
	}
	return out, nil
}

func verdicts(t judge.Task) []judge.Verdict {
	units := make([]map[string]bool, len(t.Units))
	for i, u := range t.Units {
		units[i] = set(text.Terms(citation.ReplaceAllString(u, " ")))
	}
	statements := make([]map[string]bool, len(t.Questions))
	for i, q := range t.Questions {
		statements[i] = set(text.Terms(q.Text))
	}
	idf := inverseFrequency(units, statements)
	out := make([]judge.Verdict, len(t.Questions))
	for i, q := range t.Questions {
		if q.Kind != judge.Coverage {
			out[i] = judge.Unscored(q.ID, local.RefusedOption, "the lexical judge does not know questions of kind "+string(q.Kind))
			continue
		}
		out[i] = coverage(q, statements[i], units, idf)
	}
	return out
}

// citation matches bracketed document numbers, which are no content.
var citation = regexp.MustCompile(`\[[\d,;\s]*\]`)

func set(terms []string) map[string]bool {
	m := make(map[string]bool, len(terms))
	for _, t := range terms {
		m[t] = true
	}
	return m
}

// inverseFrequency returns ln((N+1)/(df+0.5)) for every term of the task, N being the number of units and statements.
func inverseFrequency(groups ...[]map[string]bool) map[string]float64 {
	df := map[string]float64{}
	n := 0.0
	for _, g := range groups {
		for _, terms := range g {
			n++
			for t := range terms {
				df[t]++
			}
		}
	}
	for t, d := range df {
		df[t] = math.Log((n + 1) / (d + 0.5))
	}
	return df
}

func coverage(q judge.Question, statement map[string]bool, units []map[string]bool, idf map[string]float64) judge.Verdict {
	order := slices.Sorted(maps.Keys(statement)) // sums in a fixed order are equal to the bit
	total := 0.0
	for _, t := range order {
		total += idf[t]
	}
	v := judge.Verdict{Question: q.ID, Label: judge.None}
	for i, u := range units {
		found := 0.0
		for _, t := range order {
			if u[t] {
				found += idf[t]
			}
		}
		if total > 0 && found/total > v.Score {
			v.Score, v.Unit = found/total, i+1
		}
	}
	switch {
	case v.Score >= fullFrom:
		v.Label = judge.Full
	case v.Score >= partialFrom:
		v.Label = judge.Partial
	}
	v.Value = judge.Values[judge.Coverage][v.Label]
	if v.Label == judge.None {
		v.Unit = 0
		return v
	}
	for _, t := range order {
		if units[v.Unit-1][t] {
			v.Evidence = append(v.Evidence, t)
		}
	}
	return v
}
