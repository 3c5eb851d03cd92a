package agreement

import (
	"cmp"
	"maps"
	"slices"

	"lore/judge"
	"lore/judge/metric"
)

// Texts is how a judge's scores of whole texts differ from people's: by who wrote them, and by their length
// (the paper of SummHay, appendix A.3 and Table 6). A text's score is the mean of its values over the
// questions that have a human label and a verdict. Undefined figures are NaN.
type Texts struct {
	N       int // texts with such a question
	Writers []WriterBias
	Average float64    // mean of the writers' biases, each counted once
	Score   LengthCorr // of the judge's score with the text's words per unit
	Label   LengthCorr // of people's score
	Error   LengthCorr // of the judge's score minus people's
}

// WriterBias is the mean over a writer's texts of the judge's score minus people's, in [-1,1].
type WriterBias struct {
	Writer string
	Bias   float64
	N      int // texts
}

// LengthCorr is how length goes with something, by value and by rank.
type LengthCorr struct{ Pearson, Spearman float64 }

// wholeText is a text with the sums of its values.
type wholeText struct {
	writer       string
	length       float64 // words per unit
	judge, human float64
	n            float64 // questions
}

// bias is one division, so that equal ones are equal to the last bit, and share a rank.
func (t wholeText) bias() float64 { return (t.judge - t.human) / t.n }

// MeasureTexts compares a judge's verdicts, one list per item, with people's, text by text.
func MeasureTexts(items []Item, verdicts [][]judge.Verdict) Texts {
	texts := wholeTexts(items, verdicts)
	out := Texts{N: len(texts), Writers: writers(texts)}

	var biases, length, score, label, errors []float64
	for _, w := range out.Writers {
		biases = append(biases, w.Bias)
	}
	out.Average = metric.NaN
	if len(biases) > 0 {
		out.Average = metric.Mean(biases)
	}

	for _, t := range texts {
		length = append(length, t.length)
		score, label, errors = append(score, t.judge/t.n), append(label, t.human/t.n), append(errors, t.bias())
	}
	with := func(x []float64) LengthCorr { return LengthCorr{metric.Pearson(x, length), metric.Spearman(x, length)} }
	out.Score, out.Label, out.Error = with(score), with(label), with(errors)
	return out
}

func wholeTexts(items []Item, verdicts [][]judge.Verdict) []wholeText {
	var out []wholeText
	for i, it := range items {
		t := wholeText{writer: cmp.Or(it.Writer, it.System), length: wordsPerUnit(it)}
		for k, h := range it.Human {
			if v := verdicts[i][k]; h.Scored() && v.Scored() {
				t.judge += v.Value
				t.human += h.Value
				t.n++
			}
		}
		if t.n > 0 {
			out = append(out, t)
		}
	}
	return out
}

// writers are those of the texts, in alphabetical order.
func writers(texts []wholeText) []WriterBias {
	by := map[string][]float64{}
	for _, t := range texts {
		by[t.writer] = append(by[t.writer], t.bias())
	}
	var out []WriterBias
	for _, name := range slices.Sorted(maps.Keys(by)) {
		out = append(out, WriterBias{Writer: name, Bias: metric.Mean(by[name]), N: len(by[name])})
	}
	return out
}

// BiasOf is a writer's; not a number where there is no text of theirs.
func (t Texts) BiasOf(writer string) float64 {
	for _, w := range t.Writers {
		if w.Writer == writer {
			return w.Bias
		}
	}
	return metric.NaN
}

// AnnotatorTexts is an annotator measured as a judge is, against the mean of the others.
type AnnotatorTexts struct {
	Annotator string
	Texts
}

// MeasureAnnotatorTexts measures each annotator of labels that have several, in alphabetical order.
func MeasureAnnotatorTexts(items []Item) []AnnotatorTexts {
	r := ratingsOf(items, nil)
	var out []AnnotatorTexts
	for _, name := range r.names {
		theirs, verdicts := asJudge(items, name)
		if t := MeasureTexts(theirs, verdicts); t.N > 0 {
			out = append(out, AnnotatorTexts{name, t})
		}
	}
	return out
}

// asJudge takes an annotator for a judge, and the mean of the others for people's label, on the questions that
// both have rated.
func asJudge(items []Item, name string) ([]Item, [][]judge.Verdict) {
	var out []Item
	var verdicts [][]judge.Verdict
	for _, it := range items {
		one := it
		one.Human = make([]judge.Verdict, len(it.Human))
		said := make([]judge.Verdict, len(it.Human))
		for k, q := range it.Task.Questions {
			one.Human[k], said[k] = Unlabelled(q.ID), Unlabelled(q.ID)
			if k >= len(it.Ratings) {
				continue
			}
			own, rated := it.Ratings[k][name]
			others := maps.Clone(it.Ratings[k])
			delete(others, name)
			if rated && len(others) > 0 {
				said[k] = judge.Verdict{Question: q.ID, Value: own}
				one.Human[k] = judge.Verdict{Question: q.ID, Value: metric.Mean(sortedValues(others))}
			}
		}
		out, verdicts = append(out, one), append(verdicts, said)
	}
	return out, verdicts
}

// sortedValues are the values in the order of their names, so that their sum is always the same.
func sortedValues(by map[string]float64) []float64 {
	var out []float64
	for _, name := range slices.Sorted(maps.Keys(by)) {
		out = append(out, by[name])
	}
	return out
}
