package crux

import (
	"context"
	"fmt"
	"math/rand/v2"

	"lore/datasets"
	"lore/judge"
	"lore/local"
	"lore/local/extractive"
	"lore/local/parallel"
)

// contextBudget is the most tokens of a context that a report is copied from, as in a run.
var contextBudget = Benchmark{}.Protocol().Budget

// reportOf is what the built-in generator copies from a context, as long as the required passages are.
func (it *item) reportOf(ctx context.Context, shown []string) (datasets.Evidence, error) {
	found := datasets.Retrieved{IDs: shown}
	from := datasets.Take(it.Corpus(), found, 0, contextBudget, datasets.Numbered)
	source := &local.Source{Query: it.topic.Query, Passages: from.Passages, Words: it.oracleWords}
	reply, err := extractive.New().Do(ctx, local.Call{Source: source})
	output := datasets.Output{Text: reply.Text, Outcome: reply.Outcome, Reason: reply.Detail}
	return datasets.Evidence{Context: from, Output: output}, err
}

// addReports adds to the figures of runs those of extractive reports from their contexts. The judge is
// asked once for all of them, as the lexical one weighs words by all that it is asked.
func addReports(ctx context.Context, ds *datasets.Dataset, runs []RunFigures, j judge.Judge, start func(string, int) func(int)) error {
	n := len(ds.Items)
	evidence, errs := make([]datasets.Evidence, len(runs)*n), make([]error, len(runs)*n)
	parallel.Each(len(evidence), func(i int) {
		it := ds.Items[i%n].(*item)
		if shown := runs[i/n].shown[i%n]; runs[i/n].gold {
			evidence[i].Output = datasets.Output{Text: it.topic.Summary, Outcome: local.OK}
		} else {
			evidence[i], errs[i] = it.reportOf(ctx, shown)
		}
	})

	var tasks []judge.Task
	asked := make([]int, len(evidence)) // the task of each report, from 1; 0: there is no report to ask about
	for i, e := range evidence {
		if errs[i] != nil {
			return fmt.Errorf("write the report of %s on %s: %w", runs[i/n].Run, ds.Items[i%n].ID(), errs[i])
		}
		if e.Output.Outcome == local.OK && e.Output.Text != "" && runs[i/n].figures[i%n] != nil {
			tasks = append(tasks, ds.Items[i%n].Plan(e)[0])
			asked[i] = len(tasks)
		}
	}
	questions := 0
	for _, t := range tasks {
		questions += len(t.Questions)
	}
	verdicts, err := j.Judge(ctx, tasks, start("judge "+j.Name(), questions))
	if err != nil {
		return err
	}

	for i, e := range evidence {
		f := &runs[i/n]
		if f.figures[i%n] == nil || f.gold && asked[i] == 0 {
			continue
		}
		var answers []judge.Verdict
		if asked[i] > 0 {
			answers = verdicts[asked[i]-1]
		}
		for _, s := range ds.Items[i%n].(*item).scoreReport(e, answers) {
			if s.Unscored == "" {
				f.figures[i%n][s.Metric] = s.Value
			} else {
				f.Unscored++
			}
		}
	}
	return nil
}

// Names of the bounds beside runs.
const (
	boundOracle = "(oracle)"
	boundGold   = "(human report)"
)

// boundsAt are the oracle's context, which is the required passages first, and the reports that people
// wrote, as far as there are some (the paper's Table 1).
func boundsAt(ds *datasets.Dataset, k Size) []RunFigures {
	oracle := recordedRun{name: boundOracle, topics: map[string]ranking{}}
	gold := RunFigures{Run: boundGold, K: k.String(), Absent: string(leftOut), gold: true, shown: make([][]string, len(ds.Items))}
	for _, x := range ds.Items {
		it := x.(*item)
		ids := append(append([]string{}, it.required...), without(it.relevant, it.required)...)
		oracle.topics[it.ID()] = ranking{all: ids, there: ids}
		oracle.there, oracle.passages = oracle.there+len(ids), oracle.passages+len(ids)
		gold.figures = append(gold.figures, map[string]float64{})
	}
	return []RunFigures{oracle.at(ds, k, leftOut), gold}
}

// bound reports whether figures are those of a bound.
func (f RunFigures) bound() bool { return f.Run == boundOracle || f.gold }

// Figure 5 of the paper: contexts of so many passages, drawn from the first ones of a ranking.
const (
	sampleSize Size = 10
	sampleFrom int  = 50
)

// sample draws contexts of runs, each in random order, as runs of their own.
func sample(ds *datasets.Dataset, runs []recordedRun, each int, seed uint64) []recordedRun {
	var out []recordedRun
	for r, run := range runs {
		for n := range each {
			one := recordedRun{name: fmt.Sprintf("%s, sample %d", run.name, n+1), topics: map[string]ranking{}}
			rng := rand.New(rand.NewPCG(seed, uint64(r*each+n)))
			for _, x := range ds.Items {
				ranked, ok := run.topics[x.ID()]
				if !ok {
					continue
				}
				ids := append([]string{}, firstOf(ranked.there, sampleFrom)...)
				shuffle(ids, rng)
				ids = firstOf(ids, int(sampleSize))
				one.topics[x.ID()] = ranking{all: ids, there: ids}
				one.there, one.passages = one.there+len(ids), one.passages+len(ids)
			}
			out = append(out, one)
		}
	}
	return out
}
