package crux

import (
	"maps"
	"slices"
	"strconv"

	"lore/datasets"
)

// CheckTasks are the paper's second annotation task: passages graded for sub-questions.
func (Benchmark) CheckTasks() []string { return []string{datasets.CheckGrade} }

// Checks ask of every graded passage how well it answers each question of its topic. The claim
// is the grade that the data has.
func (b Benchmark) Checks(ds *datasets.Dataset, _ string) []datasets.Check {
	var out []datasets.Check
	for _, i := range ds.Items {
		it, ok := i.(*item)
		if !ok {
			continue
		}
		for _, id := range slices.Sorted(maps.Keys(it.topic.Grades)) {
			for q, grade := range it.topic.Grades[id] {
				out = append(out, datasets.Check{
					Query:     it.topic.Query,
					Statement: it.topic.Questions[q],
					Texts:     []datasets.CheckText{{Title: "Passage", Units: []string{it.Corpus().Text(id)}}},
					Group:     it.topic.ID,
					Key:       map[string]string{"item": it.topic.ID, "document": id, "question": strconv.Itoa(q + 1)},
					Claim:     float64(max(0, grade)) / 5,
				})
			}
		}
	}
	return out
}
