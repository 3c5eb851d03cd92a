package lexical

import (
	"maps"
	"slices"
	"strings"

	"lore/judge"
	"lore/local/text"
)

// The line from the score to relevance, by least squares on the 3,115 recorded G-Eval grades
// of 12 systems on MSRS's story test set (TestPublishedRelevance in datasets/msrs). Over these
// answers the judge's Pearson with G-Eval is 0.72.
const (
	relevanceSlope     = 2.086
	relevanceIntercept = 0.175
)

// Agreement of relevance with those grades: per answer, and of the 12 systems' means.
const (
	RelevancePearson = 0.719
	RelevanceN       = 3115
	RelevanceTau     = 0.85
	RelevanceSystems = 12
)

// references compares a text with references.
type references struct {
	of     *text.Language
	common *statistics
	have   map[string]bool
	words  float64 // of the text
}

// longAnswer is how many times a reference's words a text may have before its recall counts
// less: who says everything repeats every reference.
const longAnswer = 1.5

// relevance compares the content words of a text with those of each reference: the mean of
// the F1 of their sets of stems, which is strict on what else is said, and of the share of
// the reference's weight that the text repeats, which ranks systems better, mapped to a
// grade. Its value is not rounded to a grade.
func relevance(l *text.Language, t judge.Task, q judge.Question, common *statistics) judge.Verdict {
	whole := strings.Join(t.Units, "\n")
	r := references{l, common, set(l.Terms(whole)), float64(text.Count(whole))}
	score, all := 0.0, q.References()
	for _, ref := range all {
		score += r.agree(ref) / float64(len(all))
	}

	value := min(1, max(0, relevanceIntercept+relevanceSlope*score))
	return judge.Verdict{Question: q.ID, Label: judge.Nearest(q.Kind, value), Value: value, Score: score}
}

// agree is the mean of F1 and of recall, which counts less in a text that is much longer.
func (r references) agree(reference string) float64 {
	want := set(r.of.Terms(reference))
	common, found, total := 0, 0.0, 0.0
	for _, w := range slices.Sorted(maps.Keys(want)) {
		weight := r.common.weight(normal(w))
		total += weight
		if r.have[w] {
			common++
			found += weight
		}
	}
	if common == 0 {
		return 0
	}

	f1 := 2 * float64(common) / float64(len(r.have)+len(want))
	most := longAnswer * float64(text.Count(reference))
	return (f1 + found/total*min(1, most/max(1, r.words))) / 2
}

// consistency is the share of a text's different content words that any reference
// holds. There are no labels to fit it to: the share itself is the value.
func consistency(l *text.Language, t judge.Task, q judge.Question) judge.Verdict {
	held := set(l.Terms(q.Text))
	have := set(l.Terms(strings.Join(t.Units, "\n")))

	common := 0
	for w := range have {
		if held[w] {
			common++
		}
	}

	value := 0.0
	if len(have) > 0 {
		value = float64(common) / float64(len(have))
	}
	return judge.Verdict{Question: q.ID, Label: judge.Nearest(q.Kind, value), Value: value, Score: value}
}
