package crux

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"

	"lore/datasets"
	"lore/judge/metric"
	"lore/local/files"
	"lore/local/text"
)

// humanLabel is a line of human grades: one per rater.
type humanLabel struct {
	Topic    string       `json:"topic"`
	Passage  string       `json:"passage"`
	Question int          `json:"question"` // from 1
	Grades   wholeNumbers `json:"grades"`
}

// labelled are the grades that people gave beside those of the data.
type labelled struct {
	raters       int
	ours, theirs []float64 // the data's grade, and the mean of people's
	counts       [][]int   // of the raters who find a question unanswered, and answered
	same         int       // questions on whose answer the data agrees with most raters
}

// Human compares the data's grades with people's: Spearman's ρ with their mean grade,
// and, for two raters or more, Fleiss' κ between them on whether the question is
// answered.
func (b Benchmark) Human(ds *datasets.Dataset, name string, data []byte) (datasets.Grid, error) {
	g := datasets.Grid{
		Title: "Do people agree with the grades?",
		Head:  []string{"labels", "raters", "Spearman's ρ", "answered: agreement", "Fleiss' κ between raters"},
	}
	labels, err := b.readLabels(ds, name, data)
	if err != nil {
		return g, err
	}

	kappa := math.NaN()
	if labels.raters > 1 {
		kappa = metric.FleissKappa(labels.counts)
	}
	n := len(labels.ours)
	g.Rows = [][]string{{
		fmt.Sprint(n),
		fmt.Sprint(labels.raters),
		twoDecimals(metric.Spearman(labels.ours, labels.theirs)),
		fmt.Sprintf("%.1f", 100*float64(labels.same)/float64(n)),
		twoDecimals(kappa),
	}}
	g.Note = fewNote(n)
	return g, nil
}

// fewLabels is below how many labels coefficients say little: the interval of a κ or ρ of 0.5 over 30 is about ±0.3.
const fewLabels = 30

// fewNote warns of coefficients over few labels; empty where there are enough.
func fewNote(n int) string {
	if n >= fewLabels {
		return ""
	}
	return fmt.Sprintf("over %d labels: with fewer than %d, κ and ρ may well be 0.3 higher or lower by chance", n, fewLabels)
}

func twoDecimals(v float64) string {
	if math.IsNaN(v) {
		return datasets.NoValue
	}
	return fmt.Sprintf("%.2f", v)
}

// readLabels reads people's grades. All lines have the same number of raters.
func (b Benchmark) readLabels(ds *datasets.Dataset, name string, data []byte) (labelled, error) {
	items := map[string]*item{}
	for _, x := range ds.Items {
		items[x.ID()] = x.(*item)
	}

	var out labelled
	seen := map[[3]string]string{} // where topic, passage and question are labelled
	err := files.EachLine(data, func(place string, line []byte) error {
		var h humanLabel
		err := json.Unmarshal(line, &h)
		bad := func(format string, args ...any) error {
			return &datasets.InputError{
				File:   name,
				Place:  place,
				Msg:    fmt.Sprintf(format, args...),
				Remedy: `a label is {"topic", "passage", "question": number, "grades": [one per rater]}; leave out lines that lack one`,
				Err:    err,
			}
		}

		it, of := items[h.Topic], [3]string{h.Topic, h.Passage, fmt.Sprint(h.Question)}
		switch {
		case err != nil:
			return bad("%s", files.JSONWords(err))
		case it == nil:
			near := text.DidYouMean(h.Topic, slices.Sorted(maps.Keys(items)))
			return bad("names the topic %q, which the data has not%s", h.Topic, near)
		case it.topic.Grades[h.Passage] == nil:
			return bad("names the passage %q, for which the data has no grades of the topic %s%s", h.Passage, h.Topic,
				text.DidYouMean(h.Passage, slices.Sorted(maps.Keys(it.topic.Grades))))
		case h.Question < 1 || h.Question > len(it.topic.Questions):
			return bad("names question %d of the topic %s, which has questions 1 to %d", h.Question, h.Topic, len(it.topic.Questions))
		case seen[of] != "":
			return bad("labels what %s has labelled: topic %s, passage %s, question %d", seen[of], h.Topic, h.Passage, h.Question)
		case len(h.Grades) == 0 || (out.raters > 0 && len(h.Grades) != out.raters):
			return bad("has %d grades where the lines before have %d, one per rater", len(h.Grades), out.raters)
		case slices.Min(h.Grades) < 0 || slices.Max(h.Grades) > MaxGrade:
			return bad("has a grade outside 0 to %d", MaxGrade)
		}

		seen[of] = place
		out.add(it.topic.Grades[h.Passage][h.Question-1], h.Grades, b.etas()[0])
		return nil
	})
	if err == nil && len(out.ours) == 0 {
		err = &datasets.InputError{
			File:   name,
			Msg:    "holds no labels",
			Remedy: "give lines of JSON with topic, passage, question and grades",
		}
	}
	return out, err
}

// add compares a grade of the data with people's.
func (l *labelled) add(grade int, people []int, eta int) {
	l.raters = len(people)
	mean, yes := 0.0, 0
	for _, v := range people {
		mean += float64(v) / float64(l.raters)
		if v >= eta {
			yes++
		}
	}

	l.ours, l.theirs = append(l.ours, float64(grade)), append(l.theirs, mean)
	l.counts = append(l.counts, []int{l.raters - yes, yes})
	if (grade >= eta) == (2*yes > l.raters) {
		l.same++
	}
}
