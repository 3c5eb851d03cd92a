package agreement

import (
	"cmp"
	_ "embed"
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"lore/judge"
)

// Worth says in a word what a measurement means for who reads a score.
type Worth string

// What a measured agreement is worth: useless is near none, or worse.
const (
	Good    Worth = "good"
	Fair    Worth = "fair"
	Weak    Worth = "weak"
	Useless Worth = "useless"
)

// Known is one measurement of a judge: how it agrees with people, or with another judge, on
// one kind of question and one kind of text.
type Known struct {
	Judge   string
	Kind    judge.Kind
	Texts   string // kind of text, such as news; datasets.Dataset has the same words
	Against string // people, or a judge such as G-Eval
	Measure string // Pearson of single values, or Kendall of systems
	Value   string // in [-1,1], as measured
	N       string // of what and how many, where known
	Worth   Worth
	Set     string // the labels
	Source  string // how the figure is made, or that it was entered by hand, and why

	// Of cards alone.
	Language string // of the texts, in English words; empty is English
	Verdict  string // in words
}

// String words the figure.
func (k Known) String() string {
	text := fmt.Sprintf("%s %s with %s", k.Measure, k.Value, k.Against)
	if k.N != "" {
		text += " over " + k.N
	}
	return text
}

// ByHand begins the source of figures that nothing makes.
const ByHand = "by hand: "

//go:embed known.csv
var knownFile string

// AllKnown are the measurements, in the file's order.
var AllKnown = sync.OnceValue(func() []Known {
	out, err := ParseKnown(knownFile)
	if err != nil {
		panic("judge/agreement/known.csv: " + err.Error()) // it is compiled in, and tested
	}
	return out
})

// knownColumns are the columns of the file.
const knownColumns = 10

// otherLanguages are texts in several languages.
const otherLanguages = "other languages"

// ParseKnown reads a file of measurements.
func ParseKnown(text string) ([]Known, error) {
	r := csv.NewReader(strings.NewReader(text))
	r.FieldsPerRecord = knownColumns
	rows, err := r.ReadAll()
	if err != nil || len(rows) == 0 {
		return nil, cmp.Or(err, io.ErrUnexpectedEOF)
	}
	out := make([]Known, 0, len(rows))
	for _, r := range rows[1:] {
		k := Known{
			Judge: r[0], Kind: judge.Kind(r[1]), Texts: r[2], Against: r[3], Measure: r[4],
			Value: r[5], N: r[6], Worth: Worth(r[7]), Set: r[8], Source: r[9],
		}
		if k.Texts == otherLanguages {
			k.Language = "several"
		}
		out = append(out, k)
	}
	return out, nil
}

// Case is what is known of a judge for one kind of question on one kind of text.
type Case struct {
	Here      []Known // on this kind of text
	Elsewhere []Known // on others
}

// Look finds what is known. texts may be several kinds, with a comma between them. It is empty
// where the kind of text is not known: then nothing is known to be measured here.
// measured is what cards say besides what ships.
func Look(name string, kind judge.Kind, texts, language string, measured ...Known) Case {
	var c Case
	for _, k := range slices.Concat(measured, AllKnown()) {
		fits := slices.Contains(strings.Split(texts, ","), k.Texts)
		foreign := language != "" && texts == "" // a figure on the language says more than none
		switch {
		case k.Judge != name || k.Kind != kind:
		case k.Language == language && (fits || foreign):
			c.Here = append(c.Here, k)
		default:
			c.Elsewhere = append(c.Elsewhere, k)
		}
	}
	return c
}

// worths are in ascending order.
var worths = []Worth{Useless, Weak, Fair, Good}

// Least is the measurement that says the least for the judge, of those on this kind of text.
func (c Case) Least() (Known, bool) {
	if len(c.Here) == 0 {
		return Known{}, false
	}
	return slices.MinFunc(c.Here, func(a, b Known) int {
		return cmp.Compare(slices.Index(worths, a.Worth), slices.Index(worths, b.Worth))
	}), true
}
