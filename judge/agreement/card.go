package agreement

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"lore/judge"
	"lore/judge/metric"
	"lore/local/text"
)

// Card is what was measured of one judge on labels: figures alone, no texts.
type Card struct {
	Format int       `json:"format"`
	Judge  string    `json:"judge"`
	Rows   []CardRow `json:"rows"`
}

// CardFormat is the form of a card's file.
const CardFormat = 1

// CardRow is the agreement on one kind of question, kind of text and language. Undefined figures
// are null.
type CardRow struct {
	Kind     judge.Kind `json:"kind"`
	Texts    string     `json:"texts"`
	Language string     `json:"language"`
	Set      string     `json:"set"` // the file of labels
	N        int        `json:"n"`
	Unscored int        `json:"n_unscored"`

	Pearson *float64 `json:"pearson"`
	Low     *float64 `json:"low"` // 95 %
	High    *float64 `json:"high"`
	Score   *float64 `json:"pearson_score"`
	AUC     *float64 `json:"auc"`
	Bias    *float64 `json:"bias"`

	Systems    int      `json:"systems"`
	Kendall    *float64 `json:"kendall_systems"`
	KendallLow *float64 `json:"kendall_low"`

	Accuracy *float64 `json:"accuracy"`
	Majority *float64 `json:"majority"` // accuracy of people's most frequent label
	Recall   *float64 `json:"recall"`   // Pearson of the share of the statement's words in the text
	Length   *float64 `json:"length"`   // Pearson of the text's words
	People   *float64 `json:"people"`   // Pearson, mean over pairs of annotators
	Alpha    *float64 `json:"alpha"`    // Krippendorff's

	Worth   Worth   `json:"worth"`
	Verdict Verdict `json:"verdict"`
}

// Verdict says what a judge may be used for.
type Verdict string

// The verdicts, and the fewest labels and systems that they are given on.
const (
	Use         Verdict = "use"
	RankSystems Verdict = "use for ranking systems only"
	DoNotUse    Verdict = "do not use"
	TooFew      Verdict = "too few labels to say"

	leastLabels  = 30
	leastSystems = 5
)

// Limits of worth: what a coefficient is called from there on.
const (
	goodFrom = 0.75
	fairFrom = 0.5
	weakFrom = 0.1
)

// WorthOf is the word for a coefficient.
func WorthOf(v float64) Worth {
	switch {
	case v >= goodFrom:
		return Good
	case v >= fairFrom:
		return Fair
	case v >= weakFrom:
		return Weak
	}
	return Useless
}

// VerdictLimits words the rule of verdictOf.
var VerdictLimits = fmt.Sprintf("use: Pearson of single values %g or more, and its interval above %g; "+
	"use for ranking systems only: Kendall of %d systems or more %g or more, and its interval above 0; "+
	"do not use: else. Fewer than %d labels say nothing.",
	fairFrom, weakFrom, leastSystems, fairFrom, leastLabels)

// verdictOf says what a measured agreement allows.
func verdictOf(r Report) Verdict {
	switch {
	case r.N < leastLabels:
		return TooFew
	case r.Pearson >= fairFrom && !(r.PearsonCI.Low < weakFrom):
		return Use
	case r.Systems >= leastSystems && r.KendallSystems >= fairFrom && r.KendallCI.Low > 0:
		return RankSystems
	}
	return DoNotUse
}

// place is a case of its own on a card.
type place struct {
	kind            judge.Kind
	texts, language string
}

// NewRows measures a judge on a file of labels, apart for every kind of question, kind of text and
// language. set names the file, and stands for the kind of text where no column says it.
func NewRows(name, set string, items []Item, verdicts [][]judge.Verdict, seed uint64) []CardRow {
	languageOf := columnOf(LanguageColumn, items)
	at := func(it Item, k int) place {
		return place{
			kind:     it.Task.Questions[k].Kind,
			texts:    cmp.Or(it.Column(k, TextsColumn), it.Column(k, "domain"), set),
			language: languageOf(it, k),
		}
	}
	places := map[place]bool{}
	for _, it := range items {
		for k, h := range it.Human {
			if h.Scored() {
				places[at(it, k)] = true
			}
		}
	}

	order := slices.SortedFunc(maps.Keys(places), func(a, b place) int {
		return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(a.texts, b.texts), cmp.Compare(a.language, b.language))
	})
	var out []CardRow
	for _, p := range order {
		some, theirs := Only(items, verdicts, func(it Item, k int) bool { return at(it, k) == p })
		out = append(out, newRow(p, set, some, Measure(name, some, theirs, seed)))
	}
	return out
}

// newRow is the row of one case.
func newRow(p place, set string, items []Item, r Report) CardRow {
	row := CardRow{
		Kind:       p.kind,
		Texts:      p.texts,
		Language:   p.language,
		Set:        set,
		N:          r.N,
		Unscored:   r.NUnscored,
		Pearson:    rounded(r.Pearson),
		Low:        rounded(r.PearsonCI.Low),
		High:       rounded(r.PearsonCI.High),
		Score:      rounded(r.PearsonScore),
		AUC:        rounded(r.AUC),
		Bias:       rounded(r.Bias),
		Systems:    r.Systems,
		Kendall:    rounded(r.KendallSystems),
		KendallLow: rounded(r.KendallCI.Low),
		Accuracy:   rounded(r.Accuracy),
		Worth:      WorthOf(r.Pearson),
		Verdict:    verdictOf(r),
	}
	row.baselines(items)
	if people, ok := MeasurePeople(items, nil); ok {
		row.People, row.Alpha = rounded(people.Pairs), rounded(people.Alpha)
	}
	return row
}

// baselines are what needs no judge.
func (r *CardRow) baselines(items []Item) {
	var human, recall, length []float64
	labels := map[string]int{}
	for _, it := range items {
		have := map[string]bool{}
		words := 0
		for _, u := range it.Task.Units {
			for _, w := range text.Words(u) {
				have[w] = true
				words++
			}
		}
		for k, h := range it.Human {
			if h.Scored() {
				human, length = append(human, h.Value), append(length, float64(words))
				recall = append(recall, shareOf(it.Task.Questions[k].Text, have))
				labels[h.Label]++
			}
		}
	}
	r.Recall, r.Length = rounded(metric.Pearson(recall, human)), rounded(metric.Pearson(length, human))
	if n := len(human); n > 0 {
		r.Majority = rounded(float64(slices.Max(slices.Collect(maps.Values(labels)))) / float64(n))
	}
}

// shareOf is the share of a statement's words that are there.
func shareOf(statement string, have map[string]bool) float64 {
	words, found := text.Words(statement), 0
	for _, w := range words {
		if have[w] {
			found++
		}
	}
	if len(words) == 0 {
		return 0
	}
	return float64(found) / float64(len(words))
}

// told is the name of the language of a text, or of what is asked where it is short.
func told(it Item) string {
	parts := slices.Clone(it.Task.Units)
	for _, q := range it.Task.Questions {
		parts = append(parts, q.Text)
	}
	return text.Detect(strings.Join(parts, "\n")).Name
}

func rounded(v float64) *float64 {
	if math.IsNaN(v) {
		return nil
	}
	v = math.Round(v*1e4) / 1e4
	return &v
}

// Known are the rows of a card as reports read them. name is how the report names the judge.
func (c Card) Known(name string) []Known {
	var out []Known
	for _, r := range c.Rows {
		if r.N < leastLabels {
			continue
		}
		value := "undefined" // the judge says the same of everything, or people do
		if r.Pearson != nil {
			value = fmt.Sprintf("%.2f", *r.Pearson)
		}
		set := r.Set
		if r.Kendall != nil && r.Systems >= leastSystems {
			set += fmt.Sprintf("; %d systems: Kendall %.2f", r.Systems, *r.Kendall)
		}
		out = append(out, Known{
			Judge:    name,
			Kind:     r.Kind,
			Texts:    r.Texts,
			Language: foreign(r.Language),
			Verdict:  string(r.Verdict),
			Against:  "people",
			Measure:  "Pearson",
			Value:    value,
			N:        fmt.Sprintf("%d labels", r.N),
			Worth:    r.Worth,
			Set:      set + " (" + string(r.Verdict) + ")",
		})
	}
	return out
}

// foreign is a language as Known has it.
func foreign(language string) string {
	if language == text.English.Name {
		return ""
	}
	return language
}

// ParseCard reads a card.
func ParseCard(data []byte) (Card, error) {
	var c Card
	if err := json.Unmarshal(data, &c); err != nil {
		return c, err
	}
	if c.Format != CardFormat || c.Judge == "" {
		return c, errors.New("it is no card of this lore")
	}
	for _, r := range c.Rows {
		if !slices.Contains(judge.Kinds, r.Kind) || !slices.Contains(worths, r.Worth) {
			return c, fmt.Errorf("a row has the kind %q and the worth %q", r.Kind, r.Worth)
		}
	}
	return c, nil
}

// Merge replaces the rows of the sets that were measured again, and keeps the others.
func (c Card) Merge(again Card) Card {
	sets := map[string]bool{}
	for _, r := range again.Rows {
		sets[r.Set] = true
	}
	kept := slices.DeleteFunc(slices.Clone(c.Rows), func(r CardRow) bool { return sets[r.Set] })
	again.Rows = append(kept, again.Rows...)
	return again
}

// Base is a judge's name as it stands in tables without the rule and mode behind it.
func Base(name string) (base, rule string) {
	var out, behind strings.Builder
	depth := 0
	for _, r := range name {
		switch {
		case r == '(':
			depth++
		case r == ')' && depth > 0:
			depth--
			behind.WriteRune(';')
			continue
		case depth == 0:
			out.WriteRune(r)
			continue
		}
		behind.WriteRune(r)
	}
	return strings.TrimSpace(strings.ReplaceAll(out.String(), " +", "+")), behind.String()
}
