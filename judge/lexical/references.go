package lexical

import (
	"strings"

	"lore/judge"
	"lore/local/text"
)

// The line from the mean F1 of content words to relevance, by least squares on the
// 3,115 recorded G-Eval grades of 12 systems on MSRS's story test set
// (TestPublishedRelevance in datasets/msrs). Over these answers the judge's Pearson
// with G-Eval is 0.72.
const (
	relevanceSlope     = 2.861
	relevanceIntercept = -0.0738
)

// Agreement of relevance with those grades: per answer, and of the 12 systems' means.
const (
	RelevancePearson = 0.716
	RelevanceN       = 3115
	RelevanceTau     = 0.85
	RelevanceSystems = 12
)

// relevance compares the content words of a text with those of each reference: the
// mean F1 of their sets of stems, mapped to a grade. Its value is not rounded to a
// grade.
func relevance(t judge.Task, q judge.Question) judge.Verdict {
	have := set(text.Terms(strings.Join(t.Units, "\n")))
	references := q.References()

	f1 := 0.0
	for _, ref := range references {
		want := set(text.Terms(ref))
		common := 0
		for w := range want {
			if have[w] {
				common++
			}
		}
		if common > 0 {
			f1 += 2 * float64(common) / float64(len(have)+len(want)) / float64(len(references))
		}
	}

	value := min(1, max(0, relevanceIntercept+relevanceSlope*f1))
	return judge.Verdict{Question: q.ID, Label: judge.Nearest(q.Kind, value), Value: value, Score: f1}
}

// consistency is the share of a text's different content words that any reference
// holds. There are no labels to fit it to: the share itself is the value.
func consistency(t judge.Task, q judge.Question) judge.Verdict {
	held := set(text.Terms(q.Text))
	have := set(text.Terms(strings.Join(t.Units, "\n")))

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
