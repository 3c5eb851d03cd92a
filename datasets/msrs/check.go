package msrs

import (
	"strconv"
	"strings"

	"lore/datasets"
)

// CheckTasks are the paper's check of its data by six criteria (section 3.4).
func (Benchmark) CheckTasks() []string { return []string{datasets.CheckCriteria} }

// Checks show every query with its documents in full and the summary that people wrote, the
// first where there are several.
func (b Benchmark) Checks(ds *datasets.Dataset, _ string) []datasets.Check {
	var out []datasets.Check
	for _, i := range ds.Items {
		it, ok := i.(*item)
		if !ok || len(it.query.References) == 0 {
			continue
		}
		c := datasets.Check{
			Query: it.query.Text,
			Texts: []datasets.CheckText{{Title: "Answer", Units: linesOf(it.query.References[0])}},
			Group: it.query.ID,
			Key:   map[string]string{"item": it.query.ID},
			Claim: 1,
		}
		for n, id := range it.gold {
			c.Texts = append(c.Texts, datasets.CheckText{
				Title: "Document " + strconv.Itoa(n+1), Units: []string{it.Corpus().Text(id)},
			})
		}
		out = append(out, c)
	}
	return out
}

// linesOf are the lines of a text that are not blank.
func linesOf(text string) []string {
	var out []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			out = append(out, line)
		}
	}
	return out
}
