package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"lore/cmd/lore/internal/report"
	"lore/cmd/lore/internal/table"
	"lore/cmd/lore/internal/usage"
	"lore/datasets"
	"lore/index/trec"
	"lore/judge/metric"
	"lore/local/files"
)

type measureFlags struct {
	measures []string
	perTopic bool
	json     bool
	seed     uint64
}

func newMeasure() *cobra.Command {
	var f measureFlags
	c := &cobra.Command{
		Use:   "measure RUN QRELS",
		Short: "Measure a TREC run file against judgements",
		Long: "measure computes retrieval measures as trec_eval and ndeval do. Every topic of the\n" +
			"judgements counts; one that the run lacks scores 0. Results are ordered by score,\n" +
			"equal scores by document id descending; the rank column is ignored. Names and\n" +
			"parameters are those of ir_measures; all parameters are printed, because tools\n" +
			"differ in their defaults. Both files may be gzipped. Without --measure it computes\n" +
			adhocMeasures + ", or where judgements are by subtopic\n" + diversityMeasures + ".\n\n" +
			"Measures:\n" + strings.TrimRight(metric.ExplainMeasures(), "\n"),
		Example: "  lore measure bm25.trec qrels.txt -m 'nDCG@10 P@8 AP'\n" +
			"  lore measure bm25.trec subtopics.txt -m 'alpha_nDCG@20(alpha=0.5) StRecall@10' --json",
		Args: usageArgs(cobra.ExactArgs(2)),
		RunE: func(c *cobra.Command, args []string) error { return measureRun(c, f, args[0], args[1]) },
	}

	group(c, judgingFlags, func(fl *pflag.FlagSet) {
		fl.StringArrayVarP(&f.measures, "measure", "m", nil, "`measures`, separated by spaces; may be repeated")
	})
	group(c, outputFlags, func(fl *pflag.FlagSet) {
		fl.BoolVarP(&f.perTopic, "per-topic", "q", false, "print every topic, too")
		fl.BoolVar(&f.json, "json", false, "print JSON")
		fl.Uint64Var(&f.seed, "seed", 1, "seed of the bootstrap interval")
	})
	return c
}

// Measures where none is given.
const (
	adhocMeasures     = "nDCG@10 P@10 R@10 AP RR"
	diversityMeasures = "alpha_nDCG@10 StRecall@10 AP_IA"
)

// measured is one measure over all topics, in its own unit.
type measured struct {
	Name   string              `json:"name"`
	Value  *float64            `json:"value"`
	Low    *float64            `json:"low"` // 95 % interval; null where the value is not a mean
	High   *float64            `json:"high"`
	N      int                 `json:"n"` // topics
	Topics map[string]*float64 `json:"topics,omitempty"`
}

func measureRun(c *cobra.Command, f measureFlags, runPath, qrelsPath string) error {
	results, err := trec.ReadRunFile(runPath)
	if err != nil {
		return files.Wrap(runPath, err)
	}
	qrels, err := trec.ReadQrelsFile(qrelsPath)
	if err != nil {
		return files.Wrap(qrelsPath, err)
	}
	measures, err := parseMeasures(f.measures, qrels)
	if err != nil {
		return err
	}

	missing, extra := compareTopics(results, qrels)
	console := usage.NewConsole(c.ErrOrStderr())
	if len(missing) > 0 {
		console.Note(fmt.Sprintf("%d of %d topics have no result and score 0: %s",
			len(missing), len(qrels.Order), abbreviate(missing)))
	}
	if len(extra) > 0 {
		console.Note(fmt.Sprintf("%d topics of the run have no judgements and are left out: %s",
			len(extra), abbreviate(extra)))
	}

	out := compute(measures, results, qrels, f)
	if f.json {
		return measureJSON(c.OutOrStdout(), out, len(missing))
	}
	report.Text(c.OutOrStdout(), measureGrid(out, qrels.Order, f.perTopic))
	return nil
}

// parseMeasures reads the measures that were given, or those that fit the judgements.
func parseMeasures(given []string, qrels *trec.Qrels) ([]*metric.Measure, error) {
	var names []string
	for _, g := range given {
		names = append(names, strings.Fields(g)...)
	}
	if len(names) == 0 {
		names = strings.Fields(adhocMeasures)
		if bySubtopic(qrels) {
			names = strings.Fields(diversityMeasures)
		}
	}

	out := make([]*metric.Measure, len(names))
	for i, n := range names {
		m, err := metric.ParseMeasure(n)
		if err != nil {
			return nil, usage.Errorf("--measure: %v", err)
		}
		if m.Diversity() && !bySubtopic(qrels) {
			return nil, usage.Errorf("%s needs judgements by subtopic: "+
				"lines of topic, subtopic, document and judgement", m)
		}
		out[i] = m
	}
	return out, nil
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
		one := measured{Name: m.String(), N: len(qrels.Order)}
		if f.perTopic {
			one.Topics = map[string]*float64{}
		}

		values := make([]float64, len(qrels.Order))
		clusters := make([]metric.Cluster, len(qrels.Order))
		for k, name := range qrels.Order {
			if topics[k] == nil {
				topics[k] = topicOf(results.Topics[name], qrels.Topics[name], m.Diversity())
			}
			values[k] = m.Calc(topics[k])
			clusters[k] = metric.Cluster{Sum: values[k], N: 1}
			if f.perTopic {
				one.Topics[name] = finite(values[k])
			}
		}

		one.Value = finite(m.Aggregate(values))
		if m.Averaged() {
			ci := metric.BootstrapMean(clusters, table.Resamples, table.Level, f.seed)
			one.Low, one.High = finite(ci.Low), finite(ci.High)
		}
		out[i] = one
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

func measureGrid(out []measured, order []string, perTopic bool) datasets.Grid {
	g := datasets.Grid{Head: []string{"measure", "topic", "value", "95 % interval", "n"}}
	for _, m := range out {
		if perTopic {
			for _, t := range order {
				g.Rows = append(g.Rows, []string{m.Name, t, show4(m.Topics[t]), "–", "1"})
			}
		}

		ci := "–"
		if m.Low != nil {
			ci = fmt.Sprintf("%s to %s", show4(m.Low), show4(m.High))
		}
		g.Rows = append(g.Rows, []string{m.Name, "all", show4(m.Value), ci, fmt.Sprint(m.N)})
	}
	return g
}

func measureJSON(w io.Writer, out []measured, missing int) error {
	interval := fmt.Sprintf("%g %% BCa bootstrap over topics, %d resamples", 100*table.Level, table.Resamples)
	return report.WriteJSON(w, map[string]any{
		"measures":               out,
		"topics_without_results": missing,
		"interval":               interval,
	})
}
