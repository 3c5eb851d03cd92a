// Package summhay is Summary of a Haystack (Laban, Fabbri, Xiong and Wu, 2024):
// given about 100 documents and a query, write bullets that report the insights
// which recur in the documents, and cite every document that holds each.
package summhay

import (
	"embed"
	"fmt"
	"io/fs"
	"slices"

	"lore/datasets"
	"lore/local/prompt"
)

// Benchmark implements datasets.Benchmark. The zero value has the paper's settings.
type Benchmark struct {
	// Bullets is given (empty), free or both: answers are asked for as many bullets as there
	// are insights, for as many as it takes, or each way.
	Bullets string

	// Citations is how citations are read: usual or strict; empty: recorded summaries by the
	// published rule, others in the usual forms.
	Citations string
}

// free is the way of asking that gives no number of bullets.
const free = "bullets free"

// Settings are the benchmark's own flags.
func (Benchmark) Settings() []datasets.Setting {
	return []datasets.Setting{{
		Name: "bullets", Values: []string{"given", "free", "both"},
		Help: "whether the prompt fixes the number of bullets: given (default), free, or both (as two systems)",
	}, {
		Name: "citations", Values: []string{usual, strict},
		Help: "how citations are read: usual (default), in the usual forms; strict, by the published rule alone",
	}}
}

// Configure sets them.
func (b Benchmark) Configure(values map[string]string) (datasets.Benchmark, error) {
	if b.Bullets = values["bullets"]; !slices.Contains([]string{"", "given", "free", "both"}, b.Bullets) {
		return nil, fmt.Errorf("--bullets is given, free or both, not %q", b.Bullets)
	}
	if b.Citations = values["citations"]; !slices.Contains([]string{"", usual, strict}, b.Citations) {
		return nil, fmt.Errorf("--citations is usual or strict, not %q", b.Citations)
	}
	return b, nil
}

// Reading says how citations are read.
func (b Benchmark) Reading(recorded bool) string {
	if b.Citations == strict || b.Citations == "" && recorded {
		return "Citations are read by the published rule: numbers in square brackets."
	}
	return "Citations are read in the usual forms (--citations usual)."
}

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

// Names of the metrics.
const (
	Coverage          = "coverage"
	Citation          = "citation"
	Joint             = "joint"
	JointAsked        = "joint_asked"
	CitationPrecision = "citation_precision"
	CitationRecall    = "citation_recall"
	WordsPerBullet    = "words_per_bullet"
	BulletsLinked     = "bullets_linked"
	Bullets           = "bullets"
	BulletsAsked      = "bullets_asked"
	Words             = "words"
	WordsAsked        = "words_asked"
	Uncited           = "uncited"
	NoSuchDocument    = "no_such_document"
	IgnoredNumbers    = "ignored_numbers"
	Minutes           = "minutes"
	BoundCoverage     = "bound_coverage"
	BoundCitation     = "bound_citation"
	BoundJoint        = "bound_joint"
)

// Metrics of the paper's section 4.1, and the words per bullet of its Table 2.
func (Benchmark) Metrics() []datasets.Metric {
	share := func(name, title, explain string) datasets.Metric {
		return datasets.Metric{Name: name, Title: title, Percent: true, High: 1, Bounded: true, Explain: explain}
	}
	judged := func(name, title, explain string) datasets.Metric {
		m := share(name, title, explain)
		m.Judged = true
		return m
	}
	lead := func(name, title, explain string) datasets.Metric {
		m := judged(name, title, explain)
		m.Lead = true
		return m
	}
	bound := func(name, title, explain string) datasets.Metric {
		m := share(name, title, explain)
		m.Aside = true
		return m
	}

	coverage := lead(Coverage, "Coverage",
		"mean over insights of 100 for fully, 50 for partially, 0 for not covered (section 4.1)")
	coverage.Verdict = true

	return []datasets.Metric{
		lead(JointAsked, "Joint@N",
			"Joint of the answer's first N bullets and first 300 words, N as asked: "+
				"what an answer is worth at the length that was asked for"),
		coverage,
		lead(Citation, "Citation",
			"mean over covered insights of the F1 of the linked bullet's citations "+
				"against the documents that hold the insight (section 4.1)"),
		lead(Joint, "Joint",
			"mean over insights of coverage times citation F1, 0 when not covered (section 4.1)"),
		judged(CitationPrecision, "Cit. P",
			"mean over covered insights of the precision of the linked bullet's citations"),
		judged(CitationRecall, "Cit. R",
			"mean over covered insights of the recall of the linked bullet's citations"),
		judged(BulletsLinked, "Linked",
			"precision of an answer's own points: share of its bullets that the judge links to an insight; "+
				"of several that report the same insight one is linked"),

		{Name: WordsPerBullet, Title: "Words/bullet", Explain: "mean number of words per line of the answer (Table 2)"},
		{
			Name: Bullets, Title: "Bullets", Asked: BulletsAsked,
			Explain: "mean number of lines of an answer, and of bullets that were asked for",
		},
		{Name: BulletsAsked, Title: "Bullets asked", Aside: true, Explain: "mean number of bullets asked for"},
		{
			Name: Words, Title: "Words", Asked: WordsAsked,
			Explain: "mean number of words of an answer, its citations included, and the most that were asked for",
		},
		{
			Name: WordsAsked, Title: "Words asked", Aside: true,
			Explain: "the most words that were asked for, and that Joint@N counts",
		},
		{
			Name: Minutes, Title: "Minutes", Counted: true,
			Explain: "mean minutes that a person took for a summary, where the answers say it, and n of these",
		},
		{
			Name: Uncited, Title: "No cit.", Percent: true, High: 1, Bounded: true,
			Warn:    "without a citation that can be read, so its Citation and Joint are 0",
			Explain: "share of answers without a citation that can be read",
		},
		{
			Name: NoSuchDocument, Title: "No such doc.", Percent: true, High: 1, Bounded: true,
			Warn:    "cite documents that do not exist, which count against precision",
			Explain: "share of answers that cite a number beyond the haystack's documents",
		},
		{
			Name: IgnoredNumbers, Title: "Ignored numbers", Aside: true,
			Explain: "mean of numbers in brackets, superscripts or ranges that were not taken for citations",
		},

		bound(BoundCoverage, "Coverage bound",
			"share of the insights that a document of the context holds"),
		bound(BoundCitation, "Citation bound",
			"mean over these insights of the citation F1 of citing all their documents in the context, and no other"),
		bound(BoundJoint, "Joint bound",
			"mean over all insights of that F1, 0 where no document of the context holds the insight"),
	}
}

// Protocol is the paper's: a context of 15,000 tokens (section 5.1). Answers are sampled
// greedily so that runs repeat.
func (b Benchmark) Protocol() datasets.Protocol {
	return datasets.Protocol{
		AnswerPrompt: "summhay/answer.txt",
		Asks:         "insight",
		Headline:     JointAsked,
		Budget:       datasets.Budget{Tokens: 15_000},
		NumPredict:   2048,
		Temperature:  0,
		TopP:         1,
		Retrievers:   "bm25,keywords,random,oracle,full",
		Variants:     map[string][]string{"free": {free}, "both": {"", free}}[b.Bullets],
		Recorded:     Recorded,
		Measured:     measured,
		Labels:       LoadLabels,
		Published:    where,
	}
}
