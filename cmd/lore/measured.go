package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"lore/cmd/lore/internal/report"
	"lore/cmd/lore/internal/table"
	"lore/datasets"
	"lore/index/trec"
	"lore/judge/metric"
)

// measured is one measure over all topics, in its own unit.
type measured struct {
	Name      string              `json:"name"`
	Value     *float64            `json:"value"`
	Low       *float64            `json:"low"` // 95 % interval; null where the value is not a mean
	High      *float64            `json:"high"`
	N         int                 `json:"n"`                   // topics with a value
	Undefined int                 `json:"undefined,omitempty"` // topics without one
	Topics    map[string]*float64 `json:"topics,omitempty"`
}

// bySubtopic reports whether a topic's judgements differ in their second field.
func bySubtopic(q *trec.Qrels) bool {
	for _, judgements := range q.Topics {
		for _, j := range judgements {
			if j.Iteration != judgements[0].Iteration {
				return true
			}
		}
	}
	return false
}

// compareTopics lists the judged topics without a result, and the topics without judgements.
func compareTopics(r *trec.Run, q *trec.Qrels) (missing, extra []string) {
	for _, t := range q.Order {
		if len(r.Topics[t]) == 0 {
			missing = append(missing, t)
		}
	}
	for _, t := range r.Order {
		if _, ok := q.Topics[t]; !ok {
			extra = append(extra, t)
		}
	}
	return missing, extra
}

// abbreviate lists the first ten names.
func abbreviate(names []string) string {
	if len(names) > 10 {
		return strings.Join(names[:10], " ") + " …"
	}
	return strings.Join(names, " ")
}

// topicOf joins a topic's results and judgements. Graded judgements of several
// iterations count as the best of them.
func topicOf(results []trec.Result, judgements []trec.Judgement, diversity bool) *metric.Topic {
	ranked := make([]metric.Retrieved, len(results))
	for i, r := range results {
		ranked[i] = metric.Retrieved{Document: r.Document, Score: r.Score}
	}

	if !diversity {
		flat := map[string]int{}
		for _, j := range judgements {
			if old, ok := flat[j.Document]; !ok || j.Relevance > old {
				flat[j.Document] = j.Relevance
			}
		}
		return metric.NewTopic(ranked, flat)
	}

	by := map[string]map[string]int{}
	for _, j := range judgements {
		if by[j.Iteration] == nil {
			by[j.Iteration] = map[string]int{}
		}
		by[j.Iteration][j.Document] = j.Relevance
	}
	return metric.NewDiversityTopic(ranked, by)
}

// compute measures every topic, and takes the mean, or what else a measure is over topics.
func compute(measures []*metric.Measure, results *trec.Run, qrels *trec.Qrels, f measureFlags) []measured {
	// Topics are made once for all measures that see judgements alike.
	adhoc := make([]*metric.Topic, len(qrels.Order))
	diverse := make([]*metric.Topic, len(qrels.Order))

	out := make([]measured, len(measures))
	for i, m := range measures {
		topics := adhoc
		if m.Diversity() {
			topics = diverse
		}
		one := measured{Name: m.String()}
		if f.perTopic {
			one.Topics = map[string]*float64{}
		}

		values := make([]float64, len(qrels.Order))
		var clusters []metric.Cluster // topics where the measure is defined
		for k, name := range qrels.Order {
			if topics[k] == nil {
				topics[k] = topicOf(results.Topics[name], qrels.Topics[name], m.Diversity())
			}
			values[k] = m.Calc(topics[k])
			if v := values[k]; v == v {
				clusters = append(clusters, metric.Cluster{Sum: v, N: 1})
			}
			if f.perTopic {
				one.Topics[name] = finite(values[k])
			}
		}

		one.N, one.Undefined = len(clusters), len(values)-len(clusters)
		one.Value = finite(m.Aggregate(inOrderOfNames(values, qrels.Order)))
		if m.Averaged() {
			ci := metric.BootstrapMean(clusters, table.Resamples, table.Level, f.seed)
			one.Low, one.High = finite(ci.Low), finite(ci.High)
		}
		out[i] = one
	}
	return out
}

// inOrderOfNames are values in the order in which trec_eval adds them up, on which the last digit may hang.
func inOrderOfNames(values []float64, names []string) []float64 {
	at := make([]int, len(names))
	for i := range at {
		at[i] = i
	}
	slices.SortFunc(at, func(i, j int) int { return strings.Compare(names[i], names[j]) })
	out := make([]float64, len(values))
	for i, k := range at {
		out[i] = values[k]
	}
	return out
}

// finite turns NaN into nil, which prints as a dash and as null.
func finite(v float64) *float64 {
	if v != v {
		return nil
	}
	return &v
}

func show4(v *float64) string {
	if v == nil {
		return "–"
	}
	return fmt.Sprintf("%.4f", *v)
}

func measureGrid(runs []measuredRun, order []string, perTopic bool) datasets.Grid {
	g := datasets.Grid{Head: []string{"measure", "topic", "value", "95 % interval", "n"}}
	if len(runs) > 1 {
		g.Head = append([]string{"run"}, g.Head...)
	}
	add := func(run measuredRun, cells ...string) {
		if len(runs) > 1 {
			cells = append([]string{run.Run}, cells...)
		}
		g.Rows = append(g.Rows, cells)
	}

	var undefined []string
	for i := range runs[0].Measures {
		for _, run := range runs {
			m := run.Measures[i]
			if perTopic {
				for _, t := range order {
					add(run, m.Name, t, show4(m.Topics[t]), "–", "1")
				}
			}
			if m.Undefined > 0 {
				undefined = append(undefined, m.Name)
			}

			ci := "–"
			if m.Low != nil {
				ci = fmt.Sprintf("%s to %s", show4(m.Low), show4(m.High))
			}
			add(run, m.Name, "all", show4(m.Value), ci, fmt.Sprint(m.N))
		}
	}
	if len(undefined) > 0 {
		g.Note = strings.Join(slices.Compact(undefined), ", ") + ": not defined for some topics, which are left out of its mean and of n."
	}
	return g
}

func measureJSON(w io.Writer, runs []measuredRun) error {
	out := map[string]any{"interval": fmt.Sprintf("%g %% BCa bootstrap over topics, %d resamples", 100*table.Level, table.Resamples)}
	if len(runs) > 1 {
		out["runs"] = runs
	} else {
		out["measures"], out["topics_without_results"] = runs[0].Measures, runs[0].Missing
	}
	return report.WriteJSON(w, out)
}
