package msrs

import (
	"fmt"
	"strings"

	"lore/datasets"
	"lore/judge/lexical"
	"lore/judge/metric"
)

// Figure is a mean over items. Values are percentages.
type Figure struct {
	Mean float64 `json:"mean"`
	Low  float64 `json:"low"`  // 95 % bootstrap percentiles, as rouge_score's aggregator gives them;
	High float64 `json:"high"` // the paper's tables print the high one
}

// SystemScores are the scores of one system.
type SystemScores struct {
	Name      string            `json:"name"`
	N         int               `json:"n"`          // items scored
	NUnscored int               `json:"n_unscored"` // items without an output
	NEmpty    int               `json:"n_empty"`    // outputs without text, scored as such
	Figures   map[string]Figure `json:"figures"`    // by metric, see Metrics
	// Answered are the same over outputs that have text, where some have none: the
	// authors' evaluation files leave empty outputs out.
	Answered      map[string]Figure `json:"figures_without_empty,omitempty"`
	PerItem       [][]float64       `json:"-"`              // item, metric in the order of Metrics
	WordsPerItem  float64           `json:"words_per_item"` // mean length
	MissingFirst  int               `json:"-"`              // index of the first missing output, -1 if none
	ReferenceRule string            `json:"reference_rule"`
}

// Metrics are the figures of a system, in the order of tables.
var Metrics = []string{
	"rouge1_precision", "rouge1_recall", "rouge1_f1", "rouge2_precision", "rouge2_recall", "rouge2_f1",
	"rougeL_precision", "rougeL_recall", "rougeL_f1", "rougeLsum_precision", "rougeLsum_recall", "rougeLsum_f1", "lexical_recall",
}

// Resamples of the bootstrap, as in rouge_score.
const Resamples = 1000

// CheckOutputs refuses outputs that cannot belong to the queries.
func CheckOutputs(queries []Query, o Outputs) error {
	if len(o.Texts) > len(queries) {
		return &datasets.InputError{File: o.File, Msg: fmt.Sprintf("has %d outputs for %d queries", len(o.Texts), len(queries)),
			Remedy: "give the queries file that the outputs were made from: outputs stand in the order of its rows"}
	}
	return nil
}

// Scorer scores systems on a set of queries.
type Scorer struct {
	queries []Query
	recall  *lexical.Recall
}

// NewScorer prepares the references.
func NewScorer(queries []Query) *Scorer {
	var texts []string
	for _, q := range queries {
		texts = append(texts, q.References...)
	}
	return &Scorer{queries, lexical.NewRecall(texts)}
}

// Score computes stemmed ROUGE with the best reference by F1, and lexical recall,
// the idf-weighted share of a reference's content words in the output, best
// reference. Missing outputs are unscored; empty ones score 0, because the system
// did answer with nothing.
func (s *Scorer) Score(o Outputs, seed uint64) SystemScores {
	out := SystemScores{Name: o.System, Figures: map[string]Figure{}, MissingFirst: -1, ReferenceRule: "best reference by F1, per metric"}
	words := 0
	var answered [][]float64
	for i, q := range s.queries {
		if i >= len(o.Texts) {
			out.NUnscored++
			if out.MissingFirst < 0 {
				out.MissingFirst = i
			}
			continue
		}
		out.N++
		row := s.scoreItem(o.Texts[i], q.References)
		out.PerItem = append(out.PerItem, row)
		n := len(strings.Fields(o.Texts[i]))
		words += n
		if n == 0 {
			out.NEmpty++
		} else {
			answered = append(answered, row)
		}
	}
	if out.N == 0 {
		return out
	}
	out.WordsPerItem = float64(words) / float64(out.N)
	out.Figures = pool(out.PerItem, seed)
	if out.NEmpty > 0 {
		out.Answered = pool(answered, seed)
	}
	return out
}

// pool averages each metric over items.
func pool(rows [][]float64, seed uint64) map[string]Figure {
	out := map[string]Figure{}
	for k, name := range Metrics {
		values := make([]float64, len(rows))
		for i, row := range rows {
			values[i] = row[k]
		}
		if len(values) == 0 {
			continue
		}
		ci := metric.PercentileBootstrap(values, Resamples, 0.95, seed)
		out[name] = Figure{100 * metric.Mean(values), 100 * ci.Low, 100 * ci.High}
	}
	return out
}

func (s *Scorer) scoreItem(text string, references []string) []float64 {
	r := metric.Rouge(text, references, true)
	recall := 0.0
	for _, ref := range references {
		recall = max(recall, s.recall.Of(text, ref))
	}
	return []float64{r.One.P, r.One.R, r.One.F, r.Two.P, r.Two.R, r.Two.F, r.L.P, r.L.R, r.L.F, r.Lsum.P, r.Lsum.R, r.Lsum.F, recall}
}
