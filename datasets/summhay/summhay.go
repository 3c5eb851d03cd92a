// Package summhay is Summary of a Haystack (Laban, Fabbri, Xiong and Wu, 2024):
// given about 100 documents and a query, write bullets that report the insights
// which recur in the documents, and cite every document that holds each.
package summhay

import (
	"embed"
	"io/fs"

	"lore/datasets"
	"lore/local/prompt"
)

// Benchmark implements datasets.Benchmark.
type Benchmark struct{}

// Name is "summhay".
func (Benchmark) Name() string { return "summhay" }

// About says what is measured.
func (Benchmark) About() string {
	return "summarise what recurs in a haystack of documents and cite it (Laban et al., 2024)"
}

//go:embed prompts
var promptFiles embed.FS

// Prompts returns the built-in prompts.
func (Benchmark) Prompts() fs.FS { return prompt.Embedded(promptFiles) }

// AnswerPrompt names the generation prompt.
func (Benchmark) AnswerPrompt() string { return "summhay/answer.txt" }

// Names of the metrics.
const (
	Coverage          = "coverage"
	Citation          = "citation"
	Joint             = "joint"
	CitationPrecision = "citation_precision"
	CitationRecall    = "citation_recall"
	WordsPerBullet    = "words_per_bullet"
)

// Metrics of the paper's section 4.1, and the words per bullet of its Table 2.
func (Benchmark) Metrics() []datasets.Metric {
	percent := func(name, title, explain string) datasets.Metric {
		lead := name == Coverage || name == Citation || name == Joint
		return datasets.Metric{Name: name, Title: title, Percent: true, Low: 0, High: 1, Bounded: true, Judged: true, Lead: lead, Explain: explain}
	}
	return []datasets.Metric{
		percent(Coverage, "Coverage", "mean over insights of 100 for fully, 50 for partially, 0 for not covered (section 4.1)"),
		percent(Citation, "Citation", "mean over covered insights of the F1 of the linked bullet's citations against the documents that hold the insight (section 4.1)"),
		percent(Joint, "Joint", "mean over insights of coverage times citation F1, 0 when not covered (section 4.1)"),
		percent(CitationPrecision, "Cit. P", "mean over covered insights of the precision of the linked bullet's citations"),
		percent(CitationRecall, "Cit. R", "mean over covered insights of the recall of the linked bullet's citations"),
		{Name: WordsPerBullet, Title: "Words/bullet", Explain: "mean number of words per line of the answer (Table 2)"},
	}
}

// Defaults are the paper's settings: a context of 15,000 tokens (section 5.1).
// Answers are sampled greedily so that runs repeat.
func (Benchmark) Defaults() datasets.Defaults {
	return datasets.Defaults{
		Budget:     datasets.Budget{Tokens: 15_000},
		NumPredict: 2048, Temperature: 0, TopP: 1,
		Retrievers: "bm25,keywords,random,oracle,full",
	}
}
