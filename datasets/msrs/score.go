package msrs

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"lore/datasets"
	"lore/judge"
	"lore/judge/lexical"
	"lore/judge/metric"
	"lore/local/text"
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
	Grades        []Grade           `json:"grades,omitempty"`
	PerItem       [][]float64       `json:"-"`              // item, metric in the order of Metrics
	WordsPerItem  float64           `json:"words_per_item"` // mean length
	MissingFirst  int               `json:"-"`              // index of the first missing output, -1 if none
	ReferenceRule string            `json:"reference_rule"`

	// Variants counts the items whose ROUGE is not by the published tokeniser, by its name.
	Variants map[string]int `json:"rouge_variants,omitempty"`
}

// Grade is a judge's mean relevance of a system's outputs.
type Grade struct {
	Judge     string  `json:"judge"`
	Figure    *Figure `json:"relevance"` // null where nothing was graded
	N         int     `json:"n"`
	NUnscored int     `json:"n_unscored"`
	MeanMass  float64 `json:"mean_mass,omitempty"` // mean probability of all grades together, from token probabilities
}

// Metrics are the figures of a system, in the order of tables.
var Metrics = []string{
	"rouge1_precision", "rouge1_recall", "rouge1_f1",
	"rouge2_precision", "rouge2_recall", "rouge2_f1",
	"rougeL_precision", "rougeL_recall", "rougeL_f1",
	"rougeLsum_precision", "rougeLsum_recall", "rougeLsum_f1",
	"lexical_recall",
}

// Resamples of the bootstrap, as in rouge_score.
const Resamples = 1000

// CheckOutputs refuses outputs that cannot belong to the queries.
func CheckOutputs(queries []Query, o Outputs) error {
	if len(o.Texts) > len(queries) {
		return &datasets.InputError{
			File: o.File,
			Msg:  fmt.Sprintf("has %d outputs for %d queries", len(o.Texts), len(queries)),
			Remedy: "give the queries file that the outputs were made from: " +
				"outputs stand in the order of its rows",
		}
	}
	return nil
}

// Scorer scores systems on a set of queries.
type Scorer struct {
	Language string // code of that of all texts; empty: it is told from the references

	queries []Query
	told    *lexical.Recall // each reference in its own language

	mu     sync.Mutex
	forced map[string]*lexical.Recall // all in the language that the user names, by its code
}

// NewScorer prepares the references.
func NewScorer(queries []Query) *Scorer {
	s := &Scorer{queries: queries, forced: map[string]*lexical.Recall{}}
	s.told = s.newRecall("")
	return s
}

func (s *Scorer) newRecall(language string) *lexical.Recall {
	var texts []string
	for _, q := range s.queries {
		texts = append(texts, q.References...)
	}
	return lexical.NewRecall(language, texts)
}

// recall counts words of the references in the language with a code, or each in its own.
func (s *Scorer) recall(language string) *lexical.Recall {
	if language == "" {
		return s.told
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.forced[language] == nil {
		s.forced[language] = s.newRecall(language)
	}
	return s.forced[language]
}

// Score computes stemmed ROUGE with the best reference by F1, and lexical recall,
// the idf-weighted share of a reference's content words in the output, best
// reference. Missing outputs are unscored; empty ones score 0, because the system
// did answer with nothing.
func (s *Scorer) Score(o Outputs, seed uint64) SystemScores {
	out := SystemScores{
		Name:          o.System,
		Figures:       map[string]Figure{},
		Variants:      map[string]int{},
		MissingFirst:  -1,
		ReferenceRule: "best reference by F1, per metric",
	}
	words := 0
	var answered [][]float64 // rows of outputs that have text
	for i, q := range s.queries {
		if i >= len(o.Texts) {
			out.NUnscored++
			if out.MissingFirst < 0 {
				out.MissingFirst = i
			}
			continue
		}

		out.N++
		row := s.scoreItem(s.Language, o.Texts[i], q.References)
		if v := rougeVariant(s.Language, q.References); v != "" {
			out.Variants[v]++
		}
		out.PerItem = append(out.PerItem, row)

		n := text.Count(o.Texts[i])
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
		if len(values) > 0 {
			out[name] = figure(values, seed)
		}
	}
	return out
}

// figure is a mean with its interval, in percent.
func figure(values []float64, seed uint64) Figure {
	ci := metric.PercentileBootstrap(values, Resamples, 0.95, seed)
	return Figure{100 * metric.Mean(values), 100 * ci.Low, 100 * ci.High}
}

// Relevance asks a judge for the relevance of every output, against all of the
// query's references together.
func (s *Scorer) Relevance(o Outputs) []judge.Task {
	var out []judge.Task
	for i, text := range o.Texts[:min(len(o.Texts), len(s.queries))] {
		q := s.queries[i]
		out = append(out, planTask(q, o.System+" "+q.ID, text, judge.Question{ID: q.ID, Kind: judge.Relevance}))
	}
	return out
}

// planTask asks questions about an answer, each against all references together. The
// prompt of the paper's G-Eval has one reference.
func planTask(q Query, id, answer string, questions ...judge.Question) judge.Task {
	task := judge.Task{ID: id, About: q.Text}
	for _, one := range questions {
		one.Text = judge.JoinReferences(q.References)
		task.Questions = append(task.Questions, one)
	}

	for line := range strings.Lines(answer) {
		if line = strings.TrimSpace(line); line != "" {
			task.Units = append(task.Units, line)
		}
	}
	return task
}

// Graded adds a judge's mean relevance, in percent as the paper prints it: the
// grade of 1 to 5 times 20. Verdicts that are missing are counted, not averaged.
func (s *SystemScores) Graded(judgeName string, verdicts [][]judge.Verdict, seed uint64) {
	g := Grade{Judge: judgeName, NUnscored: s.NUnscored}
	var values []float64
	for _, v := range verdicts {
		if !v[0].Scored() {
			g.NUnscored++
			continue
		}
		values = append(values, (1+4*v[0].Value)/5)
		g.MeanMass += v[0].Mass
	}

	if g.N = len(values); g.N > 0 {
		mean := figure(values, seed)
		g.Figure = &mean
		g.MeanMass /= float64(g.N)
	}
	s.Grades = append(s.Grades, g)
}

// rougeOf computes ROUGE of an answer in the language of its references: as published in
// English, and by that language's words elsewhere.
func rougeOf(language, answer string, references []string) metric.RougeScores {
	if rougeVariant(language, references) == "" {
		return metric.Rouge(answer, references, true)
	}
	return metric.RougeBy(text.Of(language, references...).Stemmed, answer, references)
}

// rougeVariant names the tokeniser of ROUGE where it is not the published one, which drops all
// letters but a to z; empty in English, and where the language is not told.
func rougeVariant(language string, references []string) string {
	switch l := text.Of(language, references...); {
	case l == text.English || l == text.Unknown:
		return ""
	case l.Support == text.Stems:
		return l.Name + " words and stems"
	case l.Support == text.Sequences:
		return l.Name + " sequences of letters"
	default:
		return l.Name + " words"
	}
}

// variantsText words how many of n items have which ROUGE; empty where all have the published one.
func variantsText(variants map[string]int, n int) string {
	var parts []string
	for _, v := range slices.Sorted(maps.Keys(variants)) {
		parts = append(parts, fmt.Sprintf("ROUGE of %d of %d items by %s", variants[v], n, v))
	}
	if len(parts) == 0 {
		return ""
	}
	return strings.Join(parts, ", ") + ", not by the published tokeniser, which drops all letters but a to z"
}

// scoreItem measures an answer, in the order of Metrics.
func (s *Scorer) scoreItem(language, answer string, references []string) []float64 {
	r := rougeOf(language, answer, references)

	recall := 0.0
	for _, ref := range references {
		recall = max(recall, s.recall(language).Of(answer, ref))
	}

	return []float64{
		r.One.P, r.One.R, r.One.F,
		r.Two.P, r.Two.R, r.Two.F,
		r.L.P, r.L.R, r.L.F,
		r.Lsum.P, r.Lsum.R, r.Lsum.F,
		recall,
	}
}
