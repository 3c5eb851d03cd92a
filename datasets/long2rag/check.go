package long2rag

import (
	"slices"
	"strconv"

	"lore/datasets"
)

// CheckTasks are the paper's check of key points (appendix A.3).
func (Benchmark) CheckTasks() []string { return []string{datasets.CheckKeyPoint} }

// Checks ask of every key point whether its documents say it, and whether it is one. The
// documents are shown in full, with the spans that the point was taken from pointed out.
func (b Benchmark) Checks(ds *datasets.Dataset, _ string) []datasets.Check {
	var out []datasets.Check
	for _, i := range ds.Items {
		it, ok := i.(*item)
		if !ok {
			continue
		}
		for _, p := range it.question.KeyPoints {
			out = append(out, datasets.Check{
				Query:     it.question.Text,
				Statement: p.Text,
				Texts:     pointTexts(it.question, p),
				Group:     it.question.ID,
				Key:       map[string]string{"question": it.question.ID, "point": p.ID},
				Claim:     1,
			})
		}
	}
	return out
}

// pointTexts are the documents that a key point names, or all where it names none.
func pointTexts(q Question, p KeyPoint) []datasets.CheckText {
	var out []datasets.CheckText
	for i, d := range q.Documents {
		if len(p.Documents) > 0 && !slices.Contains(p.Documents, d.ID) {
			continue
		}
		out = append(out, datasets.CheckText{Title: "Document " + strconv.Itoa(i+1), Units: []string{d.Text}, Marks: p.Spans})
	}
	return out
}
