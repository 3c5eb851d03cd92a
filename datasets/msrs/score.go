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
	Domain    string            `json:"domain,omitempty"`
	Setting   string            `json:"setting,omitempty"`
	Model     string            `json:"model,omitempty"`
	N         int               `json:"n"`          // items scored
	NUnscored int               `json:"n_unscored"` // items without an output, or with an empty one
	NEmpty    int               `json:"n_empty"`    // those of them whose output is there, but without text
	Figures   map[string]Figure `json:"figures"`    // by metric, see Metrics

	Grades        []Grade     `json:"grades,omitempty"`
	Authors       *Authors    `json:"authors,omitempty"` // what the authors recorded of the same outputs
	PerItem       [][]float64 `json:"-"`                 // scored item, metric in the order of Metrics
	WordsPerItem  float64     `json:"words_per_item"`    // mean length
	MissingFirst  int         `json:"-"`                 // index of the first missing output, -1 if none
	ReferenceRule string      `json:"reference_rule"`

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
	told    *lexical.Recall     // each reference in its own language
	words   map[string][]string // of the references and of their lines, as the published ROUGE counts them

	mu     sync.Mutex
	forced map[string]*lexical.Recall // all in the language that the user names, by its code
}

// NewScorer prepares the references.
func NewScorer(queries []Query) *Scorer {
	s := &Scorer{queries: queries, words: map[string][]string{}, forced: map[string]*lexical.Recall{}}
	s.told = s.newRecall("")
	for _, q := range queries {
		for _, ref := range q.References {
			s.words[ref] = metric.RougeTokens(ref, true)
			for line := range strings.SplitSeq(ref, "\n") {
				s.words[line] = metric.RougeTokens(line, true)
			}
		}
	}
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
// reference. Missing and empty outputs are unscored, as they are in a run: the authors' files
// leave empty ones out, too.
func (s *Scorer) Score(o Outputs, seed uint64) SystemScores {
	out := SystemScores{
		Name:          o.System,
		Figures:       map[string]Figure{},
		Variants:      map[string]int{},
		MissingFirst:  -1,
		ReferenceRule: "best reference by F1, per metric",
	}
	words := 0
	for i, q := range s.queries {
		if !o.answered(i) {
			out.unscored(i, o)
			continue
		}

		out.N++
		out.PerItem = append(out.PerItem, s.scoreItem(s.Language, o.Texts[i], q.References))
		if v := rougeVariant(s.Language, q.References); v != "" {
			out.Variants[v]++
		}
		words += text.Count(o.Texts[i])
	}

	if out.N == 0 {
		return out
	}
	out.WordsPerItem = float64(words) / float64(out.N)
	out.Figures = pool(out.PerItem, seed)
	return out
}

// unscored counts an item whose output is missing or empty.
func (s *SystemScores) unscored(i int, o Outputs) {
	s.NUnscored++
	if i < len(o.Texts) {
		s.NEmpty++
	} else if s.MissingFirst < 0 {
		s.MissingFirst = i
	}
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

// Relevance asks a judge for the relevance of every output that has text, against all of the
// query's references together.
func (s *Scorer) Relevance(o Outputs) []judge.Task {
	var out []judge.Task
	for i, q := range s.queries {
		if o.answered(i) {
			out = append(out, planTask(q, o.System+" "+q.ID, o.Texts[i], judge.Question{ID: q.ID, Kind: judge.Relevance}))
		}
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
func (s *Scorer) rougeOf(language, answer string, references []string) metric.RougeScores {
	if rougeVariant(language, references) == "" {
		return metric.RougeBy(s.published, answer, references)
	}
	return metric.RougeBy(text.Of(language, references...).Stemmed, answer, references)
}

// published cuts a text as the published ROUGE does.
func (s *Scorer) published(text string) []string {
	if words, known := s.words[text]; known {
		return words
	}
	return metric.RougeTokens(text, true)
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
	r := s.rougeOf(language, answer, references)
	recall := s.recall(language).Best(answer, references)

	return []float64{
		r.One.P, r.One.R, r.One.F,
		r.Two.P, r.Two.R, r.Two.F,
		r.L.P, r.L.R, r.L.F,
		r.Lsum.P, r.Lsum.R, r.Lsum.F,
		recall,
	}
}
