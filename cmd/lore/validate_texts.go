package main

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"lore/datasets"
	"lore/judge/agreement"
)

// textScores are a judge's scores of whole texts beside people's, or an annotator's beside the others'.
type textScores struct {
	name string
	agreement.Texts
}

// textScoresOf are those of the judges, then those of annotators where questions have several.
func textScoresOf(results []shownResult, items []agreement.Item) []textScores {
	var out []textScores
	for _, v := range results {
		out = append(out, textScores{v.report.Judge, v.texts})
	}
	for _, a := range agreement.MeasureAnnotatorTexts(items) {
		out = append(out, textScores{a.Annotator + " (annotator)", a.Texts})
	}
	return out
}

// writersGrid is the bias of each judge by who wrote the texts, where there are several writers.
func writersGrid(all []textScores) datasets.Grid {
	g := datasets.Grid{
		Title: "Bias by writer: the judge's mean score of a text minus people's",
		Head:  []string{"writer", "texts"},
		Note: "A text's score is the mean of its labels, in [0,1]; means over the texts of a writer, whatever was shown to " +
			"them. average: mean over the writers. An annotator is compared with the mean of the others.",
	}

	texts := map[string]int{} // the most that anybody has scored
	for _, m := range all {
		g.Head = append(g.Head, m.name)
		for _, w := range m.Writers {
			texts[w.Writer] = max(texts[w.Writer], w.N)
		}
	}
	if len(texts) < 2 {
		return g
	}

	sum, last := 0, []string{"average", ""}
	for _, writer := range slices.Sorted(maps.Keys(texts)) {
		row := []string{cmp.Or(writer, datasets.NoValue), fmt.Sprint(texts[writer])}
		for _, m := range all {
			row = append(row, decimal(m.BiasOf(writer)))
		}
		g.Rows = append(g.Rows, row)
		sum += texts[writer]
	}
	last[1] = fmt.Sprint(sum)
	for _, m := range all {
		last = append(last, decimal(m.Average))
	}
	g.Rows = append(g.Rows, last)
	return g
}

// lengthGrid is how a text's words per bullet go with its scores. One text, or texts that are all of a
// length, say nothing.
func lengthGrid(all []textScores) datasets.Grid {
	g := datasets.Grid{
		Title: "Length: words per bullet of a text against its score",
		Head: []string{
			"judge", "texts", "with people's score", "by rank", "with the judge's", "by rank", "with the difference", "by rank",
		},
		Note: "Pearson, and by rank Spearman, over whole texts. A judge that length does not sway has 0 with the difference.",
	}
	for _, m := range all {
		if math.IsNaN(m.Score.Pearson) && math.IsNaN(m.Label.Pearson) {
			continue
		}
		row := []string{m.name, fmt.Sprint(m.N)}
		for _, c := range []agreement.LengthCorr{m.Label, m.Score, m.Error} {
			row = append(row, decimal(c.Pearson), decimal(c.Spearman))
		}
		g.Rows = append(g.Rows, row)
	}
	return g
}

func textsJSON(t agreement.Texts) map[string]any {
	writers := make([]map[string]any, len(t.Writers))
	for i, w := range t.Writers {
		writers[i] = map[string]any{"writer": w.Writer, "bias": agreement.Finite(w.Bias), "n": w.N}
	}
	corr := func(c agreement.LengthCorr) map[string]any {
		return map[string]any{"pearson": agreement.Finite(c.Pearson), "spearman": agreement.Finite(c.Spearman)}
	}
	return map[string]any{
		"n":               t.N,
		"bias_by_writer":  writers,
		"bias":            agreement.Finite(t.Average),
		"length_to_label": corr(t.Label),
		"length_to_score": corr(t.Score),
		"length_to_error": corr(t.Error),
	}
}
