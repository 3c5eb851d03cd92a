// Package crux is CRUX (controlled evaluation of retrieval for report writing): each
// topic is a report request with sub-questions, and a context or a report is measured
// by how many of the answerable sub-questions it answers, and in how few words.
package crux

import (
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"lore/datasets"
	"lore/local/prompt"
)

// Benchmark implements datasets.Benchmark. The zero value has the paper's settings.
type Benchmark struct {
	K         int    // passages given to the generator; 0 is as many as the required ones of each topic
	Etas      []int  // thresholds of answering, the first decides which passages are required; empty is 3 and 5
	Malformed string // what a grade that could not be read counts: unscored (empty), or zero as in the paper
	Ungraded  string // what shown passages without grades get: zero as in the paper (empty), or judge: the judge's
}

// Alpha of α-nDCG.
const Alpha = 0.5

// Depth is how many passages a ranking holds.
const Depth = 100

func (b Benchmark) etas() []int {
	if len(b.Etas) == 0 {
		return []int{3, 5}
	}
	return b.Etas
}

// Name is "crux".
func (Benchmark) Name() string { return "crux" }

// About says what is measured.
func (Benchmark) About() string {
	return "is the retrieved context complete and free of repetition, and does that carry to the report? (CRUX)"
}

//go:embed prompts
var promptFiles embed.FS

// Prompts returns the built-in prompts.
func (Benchmark) Prompts() fs.FS { return prompt.Embedded(promptFiles) }

// Settings are the benchmark's own flags.
func (Benchmark) Settings() []datasets.Setting {
	return []datasets.Setting{
		{Name: "k", System: true, Help: "passages given to the generator; ideal: as many as each topic requires (default ideal)"},
		{Name: "eta", Help: "minimum grades, 1 to 5, that count as answering a question, comma-separated (default 3,5)"},
		{
			Name: "malformed", Values: []string{"unscored", "zero"},
			Help: "what a grade that could not be read counts: unscored (default), or zero as in the paper",
		},
		{
			Name: "ungraded", Values: []string{"zero", askJudge},
			Help: "passages that the data has no grades for: zero as in the paper (default), or judge, who grades them",
		},
	}
}

// Configure sets them.
func (b Benchmark) Configure(values map[string]string) (datasets.Benchmark, error) {
	var err error
	if b.K, err = readK(values["k"]); err != nil {
		return nil, err
	}
	if b.Etas, err = readEtas(values["eta"]); err != nil {
		return nil, err
	}
	if b.Malformed = values["malformed"]; !slices.Contains([]string{"", "unscored", "zero"}, b.Malformed) {
		return nil, fmt.Errorf("--malformed is unscored or zero, not %q", b.Malformed)
	}
	if b.Ungraded = values["ungraded"]; !slices.Contains([]string{"", "zero", askJudge}, b.Ungraded) {
		return nil, fmt.Errorf("--ungraded is zero or %s, not %q", askJudge, b.Ungraded)
	}
	return b, nil
}

// readK reads the size of the context; 0 is as many passages as each topic requires.
func readK(value string) (int, error) {
	if strings.Contains(value, ",") {
		return 0, fmt.Errorf("--k is one size for a run, not %q: lore score crux DATA --run RUN/retrieval --k %s "+
			"scores the rankings of a run at each, and --judge reports copied from them", value, value)
	}
	if value == Size(0).String() {
		return 0, nil
	}
	k, err := datasets.Positive("k", value)
	if err == nil && k > Depth {
		return 0, fmt.Errorf("--k is at most %d, not %d: rankings hold so many passages", Depth, k)
	}
	return k, err
}

// askJudge has the judge grade the passages that the data has no grades for.
const askJudge = "judge"

// readEtas reads different grades; none of an empty list.
func readEtas(list string) ([]int, error) {
	if list == "" {
		return nil, nil
	}

	var out []int
	for v := range strings.SplitSeq(list, ",") {
		eta, err := strconv.Atoi(strings.TrimSpace(v))
		if err != nil || eta < 1 || eta > MaxGrade || slices.Contains(out, eta) {
			return nil, fmt.Errorf("--eta is a list of different grades from 1 to %d, not %q", MaxGrade, list)
		}
		out = append(out, eta)
	}
	return out, nil
}

// Names of the metrics; those with a threshold end in "@" and the threshold.
const (
	CovContext = "cov_context"
	DenContext = "den_context"
	AlphaNDCG  = "alpha_ndcg"
	CovAnswer  = "cov_answer"
	DenAnswer  = "den_answer"
	RecallAtK  = "recall_at_k"
	MAP        = "map"
	NDCGAtK    = "ndcg_at_k"
	Graded     = "graded"
	Tokens     = "tokens_context"
	Words      = "words"
	WordsAsked = "words_asked"
	Repeated   = "questions_repeated"
)

func at(name string, eta int) string { return fmt.Sprintf("%s@%d", name, eta) }

// Metrics are those of the paper's section 3, for each threshold.
func (b Benchmark) Metrics() []datasets.Metric {
	var out []datasets.Metric
	for i, eta := range b.etas() {
		share := func(name, title string, lead, bounded bool, explain string) {
			out = append(out, datasets.Metric{
				Name:    at(name, eta),
				Title:   fmt.Sprintf("%s η%d", title, eta),
				Percent: true,
				High:    1,
				Bounded: bounded,
				Judged:  true,
				Lead:    lead,
				Aside:   i > 0,
				Explain: explain,
			})
		}

		lead := i == 0
		share(CovContext, "Cov(Z)", lead, true,
			"share of the answerable questions that a passage of the context answers")
		share(AlphaNDCG, "α-nDCG", false, false,
			"α-nDCG with answered questions as subtopics, α 0.5, ideal order over the relevant and "+
				"the retrieved passages; that order is found greedily, so a better one comes to more than 100")
		share(DenContext, "Den(Z)", false, false,
			"square root of the context's coverage per token over that of the required passages")
		share(CovAnswer, "Cov(y)", lead, true,
			"share of the answerable questions that the report answers")
		share(DenAnswer, "Den(y)", false, false,
			"square root of the report's coverage per token over that of the required passages")
	}

	for _, m := range [][2]string{{RecallAtK, "R@k"}, {MAP, "MAP"}, {NDCGAtK, "nDCG@k"}} {
		out = append(out, datasets.Metric{
			Name:    m[0],
			Title:   m[1],
			Percent: true,
			High:    1,
			Bounded: true,
			Aside:   true,
			Explain: "of the relevant passages, binary",
		})
	}
	return append(out,
		datasets.Metric{
			Name:    Graded,
			Title:   "Graded",
			Percent: true,
			High:    1,
			Bounded: true,
			Aside:   true,
			Explain: "shown passages whose grades are from the data",
		},
		datasets.Metric{Name: Tokens, Title: "Tokens", Explain: "mean tokens of the context"},
		datasets.Metric{
			Name: Words, Title: "Words", Asked: WordsAsked,
			Explain: "mean length of a report, and of what was asked for, the required passages' length",
		},
		datasets.Metric{
			Name: WordsAsked, Title: "Words asked", Aside: true,
			Explain: "mean of the most words that were asked for, the length of the required passages",
		},
		datasets.Metric{
			Name: Repeated, Title: "Repeats", Percent: true, High: 1, Bounded: true,
			Warn:    "repeat a sub-question instead of answering it; such sentences are not judged",
			Explain: "share of a report's sentences that only repeat a sub-question; they are not judged",
		},
	)
}

// Protocol is to retrieve 100 passages and give as many as a topic requires.
func (b Benchmark) Protocol() datasets.Protocol {
	return datasets.Protocol{
		AnswerPrompt: "crux/answer.txt",
		Asks:         "sub-question",
		Headline:     CovAnswer,
		Budget:       datasets.Budget{Tokens: 32_000},
		Depth:        Depth,
		NumPredict:   1024,
		Temperature:  0,
		TopP:         1,
		Retrievers:   "bm25,bm25>mmr:0.5,oracle,random,none",
		Answering:    b.answering(),
		Published:    where,
	}
}

// Reading says that citations are left out.
func (Benchmark) Reading(bool) string { return datasets.UncitedReading }

// differs says, in the report of a run, what is not as in the paper.
const differs = "reports are graded by a judge of the run with lore's own prompt, or by word overlap, " +
	"where the paper has Llama-3.1-70B-Instruct, which may not be what graded the passages of the data; " +
	"tokens are cl100k_base's; reports are asked for by lore's own prompt; see docs/crux.md"

// Describe says in the manifest what was loaded.
func (b Benchmark) Describe(ds *datasets.Dataset, _ datasets.Budget, _ string) map[string]string {
	k := "as many as each topic requires"
	if b.K > 0 {
		k = strconv.Itoa(b.K)
	}
	ungraded := "count as zero"
	if b.Ungraded == askJudge {
		ungraded = "are graded by the judge"
	}
	malformed := "leave what hangs on them unscored"
	if b.Malformed == "zero" {
		malformed = "count as zero"
	}

	return map[string]string{
		"k":                  k,
		"eta":                fmt.Sprint(b.etas()),
		"alpha":              fmt.Sprint(Alpha),
		"malformed_grades":   malformed,
		"differs_from_paper": differs,
		"grades_from_data":   "passages that the data has grades for are not graded again; those without " + ungraded,
	}
}
