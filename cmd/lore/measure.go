package main

import (
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"lore/cmd/lore/internal/report"
	"lore/cmd/lore/internal/usage"
	"lore/index/collection"
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
		Use:   "measure RUN [RUN...] QRELS",
		Short: "Measure TREC run files against judgements",
		Long: "measure computes retrieval measures as trec_eval and ndeval do. Every topic of the\n" +
			"judgements counts; one that a run lacks scores 0. Results are ordered by score,\n" +
			"equal scores by document id descending; the rank column is ignored. The judgements\n" +
			"are the last file. All files may be gzipped. Without --measure it computes\n" +
			adhocMeasures + ", or where judgements are by subtopic\n" + diversityMeasures + ".\n\n" +
			"Names are those of trec_eval and pytrec_eval (ndcg_cut_10, P.5,10, official), of\n" +
			"ir_measures (nDCG(dcg='exp-log2')@10) and of ranx (precision@10, rbp.95, map@100-l2),\n" +
			"and mean what these tools compute. lore prints the name below with its parameters,\n" +
			"because tools differ in their defaults. Every judged topic counts, as with trec_eval -c;\n" +
			"what trec_eval -l 2 does is rel=2. lore compare --qrels tests whether runs differ.\n\n" +
			"Measures:\n" + strings.TrimRight(metric.ExplainMeasures(), "\n"),
		Example: "  lore measure bm25.trec qrels.txt -m 'nDCG@10 P@8 AP'\n" +
			"  lore measure bm25.trec dense.trec qrels.txt -m official\n" +
			"  lore measure bm25.trec subtopics.txt -m 'alpha_nDCG@20(alpha=0.5) StRecall@10' --json",
		Args: usageArgs(cobra.MinimumNArgs(2)),
		RunE: func(c *cobra.Command, args []string) error {
			return measureRuns(c, f, args[:len(args)-1], args[len(args)-1])
		},
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

// measuredRun is a run with its values.
type measuredRun struct {
	Run      string     `json:"run"`
	Measures []measured `json:"measures"`
	Missing  int        `json:"topics_without_results"`
}

func measureRuns(c *cobra.Command, f measureFlags, paths []string, qrelsPath string) error {
	if err := checkOnce(paths); err != nil {
		return err
	}
	qrels, err := readJudgements(c, qrelsPath)
	if err != nil {
		return err
	}
	measures, err := parseMeasures(f.measures, qrels)
	if err != nil {
		return err
	}

	var out []measuredRun
	for i, path := range paths {
		run, missing, err := readJudgedRun(c, path, qrels, len(paths) > 1)
		if err != nil {
			return err
		}
		values := compute(measures, run, qrels, f)
		out = append(out, measuredRun{Run: runName(paths, i), Measures: values, Missing: missing})
	}

	if f.json {
		return measureJSON(c.OutOrStdout(), out)
	}
	report.Text(c.OutOrStdout(), measureGrid(out, qrels.Order, f.perTopic))
	return nil
}

// readJudgements reads judgements, and says so where they find nothing relevant, or where the file is a run.
func readJudgements(c *cobra.Command, path string) (*trec.Qrels, error) {
	qrels, err := collection.Judgements(path)
	if err != nil {
		if _, isRun := collection.Run(path); isRun == nil && !errors.Is(err, collection.ErrRanks) {
			return nil, &files.Error{File: path, Msg: "is a run, not judgements", Remedy: "judgements come last: lore measure RUN QRELS"}
		}
		return nil, err
	}
	for _, judgements := range qrels.Topics {
		for _, j := range judgements {
			if j.Relevance > 0 {
				return qrels, nil
			}
		}
	}
	usage.NewConsole(c.ErrOrStderr()).Warn(path + ": judges no document to be relevant, so that most measures are 0 whatever a run does")
	return qrels, nil
}

// readJudgedRun reads a run and says which topics of it or of the judgements have no partner.
func readJudgedRun(c *cobra.Command, path string, qrels *trec.Qrels, several bool) (*trec.Run, int, error) {
	run, err := collection.Run(path)
	if err != nil {
		return nil, 0, err
	}
	missing, extra := compareTopics(run, qrels)
	if len(missing) == len(qrels.Order) {
		return nil, 0, &files.Error{File: path, Msg: "has none of the " + fmt.Sprint(len(missing)) + " judged topics; it has " +
			abbreviate(run.Order), Remedy: "the judgements have " + abbreviate(qrels.Order)}
	}

	console, prefix := usage.NewConsole(c.ErrOrStderr()), ""
	if several {
		prefix = path + ": "
	}
	if len(missing) > 0 {
		console.Note(fmt.Sprintf("%s%d of %d topics have no result and score 0: %s",
			prefix, len(missing), len(qrels.Order), abbreviate(missing)))
	}
	if len(extra) > 0 {
		console.Note(fmt.Sprintf("%s%d topics of the run have no judgements and are left out: %s",
			prefix, len(extra), abbreviate(extra)))
	}
	return run, len(missing), nil
}

// parseMeasures reads the measures that were given, or those that fit the judgements, each once.
func parseMeasures(given []string, qrels *trec.Qrels) ([]*metric.Measure, error) {
	var names []string
	for _, g := range given {
		names = append(names, splitMeasures(g)...)
	}
	if len(names) == 0 {
		names = strings.Fields(adhocMeasures)
		if bySubtopic(qrels) {
			names = strings.Fields(diversityMeasures)
		}
	}

	var out []*metric.Measure
	seen := map[string]bool{}
	for _, n := range names {
		all, err := metric.ParseMeasures(n)
		if err != nil {
			return nil, unreadMeasure(err)
		}
		for _, m := range all {
			if m.Diversity() && !bySubtopic(qrels) {
				return nil, usage.Errorf("%s needs judgements by subtopic: "+
					"lines of topic, subtopic, document and judgement", m)
			}
			if !seen[m.String()] {
				seen[m.String()] = true
				out = append(out, m)
			}
		}
	}
	return out, nil
}

// splitMeasures splits at white space and at commas before a name, outside parentheses: nDCG(dcg='log2', rel=2)@10 and
// P.5,10 are one name each.
func splitMeasures(list string) []string {
	depth, signs := 0, []rune(list)
	var out []string
	start := 0
	for i := 0; i <= len(signs); i++ {
		if i < len(signs) {
			switch signs[i] {
			case '(':
				depth++
			case ')':
				depth--
			}
			comma := signs[i] == ',' && i+1 < len(signs) && unicode.IsLetter(signs[i+1])
			if depth > 0 || !comma && !unicode.IsSpace(signs[i]) {
				continue
			}
		}
		if name := strings.TrimSuffix(strings.TrimSpace(string(signs[start:i])), ","); name != "" {
			out = append(out, name)
		}
		start = i + 1
	}
	return out
}

// unreadMeasure adds the nearest right name.
func unreadMeasure(err error) error {
	var unknown *metric.UnknownError
	if !errors.As(err, &unknown) {
		return usage.Errorf("--measure: %v", err)
	}
	if near := usage.Nearest(unknown.Name, unknown.Known); near != "" {
		return usage.Errorf("--measure: %v; did you mean %s?", err, near)
	}
	if len(unknown.Known) < 10 {
		return usage.Errorf("--measure: %v; there are: %s", err, strings.Join(unknown.Known, ", "))
	}
	return usage.Errorf("--measure: %v; there are: %s, and the names that trec_eval and ranx have for them",
		err, strings.Join(metric.MeasureKinds(), ", "))
}
