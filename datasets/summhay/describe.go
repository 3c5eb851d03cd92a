package summhay

import "lore/datasets"

// differs says, in the report of a run, what is not as in the paper.
const differs = "insights are judged by a judge of the run with lore's own prompt, or by word overlap, " +
	"where the paper has GPT-4o with an example; summaries are asked for by lore's own prompt; see docs/summhay.md"

// Describe says in the manifest how answers are read, and what is not as in the paper.
func (b Benchmark) Describe(*datasets.Dataset, datasets.Budget, string) map[string]string {
	reader := "the usual forms, see docs/summhay.md (--citations usual)"
	if b.Citations == strict {
		reader = "square brackets of numbers alone, the published rule (--citations strict)"
	}

	return map[string]string{
		"citations":          reader,
		"differs_from_paper": differs,
		"joint_asked": "the first bullets of an answer, as many as insights were asked for, each of at most 60 words " +
			"or twice the longest reference insight, whichever is more",
	}
}
