package main

import (
	"github.com/spf13/cobra"

	"lore/cmd/lore/internal/table"
	"lore/cmd/lore/internal/usage"
	"lore/datasets"
	"lore/index/trec"
	"lore/judge/metric"
)

// compareRankings compares TREC run files over the topics of judgements, with the tests of run folders: a run is a
// system, a topic an item, and a measure a metric.
func compareRankings(c *cobra.Command, f compareFlags, paths []string) error {
	if err := f.checkRankings(); err != nil {
		return err
	}
	if err := checkOnce(paths); err != nil {
		return err
	}
	if len(paths) < 2 {
		return usage.Errorf("there is only one run, %s; give a second run file", paths[0])
	}
	qrels, err := readJudgements(c, f.qrels)
	if err != nil {
		return err
	}
	measures, err := parseMeasures(f.measures, qrels)
	if err != nil {
		return err
	}
	metrics, err := metricsOf(measures)
	if err != nil {
		return err
	}

	var systems []table.Contestant
	for i, path := range paths {
		run, _, err := readJudgedRun(c, path, qrels, true)
		if err != nil {
			return err
		}
		systems = append(systems, table.Contestant{Name: runName(paths, i), Run: i, Row: rankingRow(measures, run, qrels)})
	}
	if systems, err = f.choose(systems); err != nil {
		return err
	}
	found := comparison{systems: systems, metrics: metrics, how: f.design(), blocks: table.Compare(systems, metrics, f.design())}
	return found.print(c.OutOrStdout(), f)
}

// checkRankings refuses flags that say nothing of rankings.
func (f compareFlags) checkRankings() error {
	switch {
	case f.metrics != "":
		return usage.Errorf("--metric is of a benchmark's runs; measures of run files are named by --measure, such as -m 'nDCG@10 AP'")
	case f.judges != "":
		return usage.Errorf("--judge is of a benchmark's runs; run files have no judge")
	case f.unit == table.ByGroup:
		return usage.Errorf("--unit group needs topics in groups, which run files do not have")
	case f.forPaper:
		return usage.Errorf("a paper's table is of a benchmark's runs; --format latex alone writes the tables of run files")
	}
	return f.check()
}

// placesOpen is how many decimals are shown of measures that are no shares, such as DCG and the logarithm of odds.
const placesOpen = 3

// metricsOf are the measures as metrics. Those in [0,1] are shown times 100, as all shares are.
func metricsOf(measures []*metric.Measure) ([]datasets.Metric, error) {
	var out []datasets.Metric
	for _, m := range measures {
		if !m.Averaged() {
			return nil, usage.Errorf("%s is no mean over topics, so that no test between runs is known for it; lore measure prints it", m)
		}
		share := m.Share()
		one := datasets.Metric{Name: m.String(), Title: m.String(), Percent: share, High: 1, Bounded: share, Lead: true}
		if !share {
			one.Places = placesOpen
		}
		out = append(out, one)
	}
	return out, nil
}

// rankingRow has the values of a run by topic.
func rankingRow(measures []*metric.Measure, results *trec.Run, qrels *trec.Qrels) table.Row {
	row := table.Row{Items: len(qrels.Order)}
	for _, name := range qrels.Order {
		scores := table.ItemScores{Item: name, Group: name}
		for _, m := range measures {
			value := m.Calc(topicOf(results.Topics[name], qrels.Topics[name], m.Diversity()))
			u := table.UnitScores{Metric: m.String()}
			if value != value {
				u.Unscored = []table.Missing{{Unit: name, Reason: "not defined for this topic"}}
			} else {
				u.Units, u.Values = []string{name}, []float64{value}
			}
			scores.Values = append(scores.Values, u)
		}
		row.Scores = append(row.Scores, scores)
	}
	for i, m := range measures {
		values := valuesAt(row, i)
		row.Figures = append(row.Figures, table.Figure{
			Metric: m.String(), Value: finite(m.Aggregate(values)), N: len(values), NUnscored: len(qrels.Order) - len(values),
		})
	}
	return row
}

// valuesAt are the values of the i-th measure.
func valuesAt(row table.Row, i int) []float64 {
	var out []float64
	for _, topic := range row.Scores {
		out = append(out, topic.Values[i].Values...)
	}
	return out
}
