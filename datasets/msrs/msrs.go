// Package msrs is MSRS (multi-source retrieval and synthesis): queries over a large
// corpus whose answer has to be put together from several documents. Here are its
// published formats and the scores of recorded outputs.
package msrs

import (
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"lore/datasets"
	"lore/local/prompt"
	"lore/local/text"
)

// Benchmark implements datasets.Benchmark. The zero value takes the domain from the
// data, the test split and the paper's number of documents.
type Benchmark struct {
	Domain string // story, meeting, or empty
	Split  string // test, dev or train; empty is test
	K      int    // documents given to the generator; 0 is 8 for stories and 3 for meetings

	Wording string // of the queries: empty as they are, original as before they were rewritten (Table 11)

	OracleWords int // words of all gold documents together; 0 is 20,000 for meetings and all for stories
	FullTokens  int // tokens of each document of the whole corpus; 0 is 4,800 for meetings and all for stories
}

// Name is "msrs".
func (Benchmark) Name() string { return "msrs" }

// About says what is measured.
func (Benchmark) About() string {
	return "retrieve from a large corpus and synthesise an answer over several sources (MSRS)"
}

//go:embed prompts
var promptFiles embed.FS

// Prompts returns the built-in prompts.
func (Benchmark) Prompts() fs.FS { return prompt.Embedded(promptFiles) }

// Settings are the benchmark's own flags.
func (Benchmark) Settings() []datasets.Setting {
	return []datasets.Setting{
		{Name: "domain", Values: Domains, Help: "story or meeting (default: what the data is)"},
		{Name: "split", Values: splits, Help: "test, dev or train (default test)"},
		{
			Name: "wording", Values: []string{wordingOriginal},
			Help: "original: stories are asked by the queries of SQuALITY, as they were before they were rewritten to stand alone",
		},
		{Name: "k", System: true, Help: "documents given to the generator (default 8 for stories, 3 for meetings)"},
		{
			Name: "oracle-words", System: true,
			Help: "words of all gold documents together that oracle shows (default 20000 for meetings, all for stories)",
		},
		{
			Name: "full-tokens", System: true,
			Help: "tokens of each document that full shows at most (default 4800 for meetings, all for stories)",
		},
	}
}

// Configure sets them.
func (b Benchmark) Configure(values map[string]string) (datasets.Benchmark, error) {
	b.Domain, b.Split = values["domain"], values["split"]
	if b.Domain != "" && !slices.Contains(Domains, b.Domain) {
		return nil, fmt.Errorf("--domain is story or meeting, not %q", b.Domain)
	}
	if b.Split != "" && !slices.Contains(splits, b.Split) {
		return nil, fmt.Errorf("--split is one of %s, not %q%s", strings.Join(splits, ", "), b.Split,
			text.DidYouMean(b.Split, splits))
	}

	if b.Wording = values["wording"]; b.Wording != "" && b.Wording != wordingOriginal {
		return nil, fmt.Errorf("--wording is original, not %q", b.Wording)
	}

	var err error
	if b.K, err = datasets.Positive("k", values["k"]); err != nil {
		return nil, err
	}
	if b.OracleWords, err = datasets.Positive("oracle-words", values["oracle-words"]); err != nil {
		return nil, err
	}
	b.FullTokens, err = datasets.Positive("full-tokens", values["full-tokens"])
	return b, err
}

// wordingOriginal asks the queries as they were before they were rewritten.
const wordingOriginal = "original"

// Names of the metrics of items. Those of systems that were recorded have the same
// names where they are the same figures.
const (
	Rouge1        = "rouge1_f1"
	Rouge2        = "rouge2_f1"
	RougeL        = "rougeL_f1"
	Recall        = "lexical_recall"
	Relevance     = "relevance"
	Consistency   = "consistency"
	GEvalRecorded = "geval_recorded"
	PrecisionAtK  = "p_at_k"
	RecallAtK     = "recall_at_k"
	NDCGAtK       = "ndcg_at_k"
	MAPAtK        = "map_at_k"
	MAPUncut      = "map"
	NDCGUncut     = "ndcg"
	RecipRank     = "recip_rank"
	Words         = "words"
	WordsAsked    = "words_asked"
)

// Depth is how many documents a ranking holds; measures without a cut are over
// these.
const Depth = 100

// Metrics are the paper's: ROUGE, BERTScore and G-Eval of the answers, P, R, NDCG
// and MAP of the rankings (section 4), and a few besides.
func (Benchmark) Metrics() []datasets.Metric {
	percent := func(name, title, explain string) datasets.Metric {
		return datasets.Metric{Name: name, Title: title, Percent: true, High: 1, Bounded: true, Explain: explain}
	}
	lead := func(name, title, explain string) datasets.Metric {
		m := percent(name, title, explain)
		m.Lead = true
		return m
	}
	grade := func(name, title, explain string) datasets.Metric {
		m := lead(name, title, explain)
		m.Judged = true
		m.Low = 0.2 // the lowest grade is 1 of 5
		return m
	}
	aside := func(name, title, explain string) datasets.Metric {
		m := percent(name, title, explain)
		m.Aside = true
		return m
	}

	return []datasets.Metric{
		lead(Recall, "Lex. recall",
			"idf-weighted share of a reference's content words in the answer, best reference; first, because it ranks "+
				"recorded systems much as the authors' G-Eval does, in stories and in meetings: Kendall 0.84 over all "+
				"story systems but those of the oracle setting, 0.79 there and 0.78 on 21 meeting systems"),
		percent(Rouge1, "R-1",
			"ROUGE-1 F1, Porter stems, best reference by F1"),
		lead(Rouge2, "R-2",
			"ROUGE-2 F1, Porter stems, best reference by F1"),
		percent(RougeL, "R-L",
			"ROUGE-L F1, Porter stems, best reference by F1"),
		grade(Relevance, "Relevance",
			"grade from 1 to 5 for the references' important content in the answer, times 20; "+
				"after appendix C.5, by lore's own prompt over all references"),
		grade(Consistency, "Consistency",
			"grade from 1 to 5 for an answer without statements that the references do not support, "+
				"times 20; after appendix C.5, by lore's own prompt over all references"),

		percent(datasets.BERTScoreP, "BScr P",
			"BERTScore precision by --bertscore, texts cut at the encoder's window, best reference by F1"),
		percent(datasets.BERTScoreR, "BScr R",
			"BERTScore recall, as above"),
		percent(datasets.BERTScoreF, "BScr F1",
			"BERTScore F1, as above"),
		percent(datasets.BERTScoreAll, "BScr F1, windows",
			"BERTScore F1 over all windows of texts longer than the encoder's; not the published metric"),
		percent(GEvalRecorded, "G-Eval (authors)",
			"the authors' recorded relevance, where it lies beside the answers"),

		aside(PrecisionAtK, "P@K", "share of gold documents among the first K"),
		aside(RecallAtK, "R@K", "share of the gold documents found in the first K"),
		aside(NDCGAtK, "NDCG@K", "binary gain, ideal ranking cut at K"),
		aside(MAPAtK, "MAP@K", "sum of the precisions at hits in the first K over the number of gold documents"),
		aside(MAPUncut, "map", "trec_eval's map over the first 100"),
		aside(NDCGUncut, "ndcg", "trec_eval's ndcg over the first 100"),
		aside(RecipRank, "recip_rank", "trec_eval's recip_rank over the first 100"),

		{
			Name: Words, Title: "Words", Asked: WordsAsked,
			Explain: "mean length of an answer, and the most words that were asked for",
		},
		{Name: WordsAsked, Title: "Words asked", Aside: true, Explain: "the most words that were asked for"},
	}
}

// Protocol is the paper's (section 4): answers of at most 600 tokens, temperature 0.7,
// top-p 0.9; contexts of at most 32,000 tokens, which the paper uses for meetings.
func (Benchmark) Protocol() datasets.Protocol {
	return datasets.Protocol{
		AnswerPrompt: "msrs/answer.txt",
		Asks:         "grade",
		Headline:     Recall,
		Budget:       datasets.Budget{Tokens: 32_000},
		Depth:        Depth,
		NumPredict:   600,
		Temperature:  0.7,
		TopP:         0.9,
		Retrievers:   "bm25,oracle,random,none",
		Measured:     measured,
		Published:    where,
	}
}

// Reading says that citations are left out.
func (Benchmark) Reading(bool) string { return datasets.UncitedReading }

// differs says, in the report of a run, what is not as in the paper.
const differs = "relevance and consistency are not the paper's G-Eval: a judge of the run grades by lore's own prompt, " +
	"or by word overlap, against all references together, where the paper has GPT-4o's expected grade against one; " +
	"answers are asked for by lore's own prompt; see docs/msrs.md"

// Describe says in the manifest what was loaded and how contexts are cut.
func (Benchmark) Describe(ds *datasets.Dataset, budget datasets.Budget, language string) map[string]string {
	s := ds.Items[0].(*item).set
	context := fmt.Sprintf("the first %d documents, whole while they fit into %d tokens; "+
		"the next one is cut and the rest left out", s.k, budget.Tokens)
	whole := "every document whole"
	if s.fullTokens > 0 {
		whole = fmt.Sprintf("the first %d tokens of every document", s.fullTokens)
	}
	whole += fmt.Sprintf("; where that is over %d tokens an equal share of these", budget.Tokens)
	oracle := "all gold documents in their published order"
	if s.oracleWords > 0 {
		oracle += fmt.Sprintf(", of n documents the first %d/n words each", s.oracleWords)
	}
	oracle += fmt.Sprintf("; over %d tokens an equal share of these; their own number is K", budget.Tokens)
	best := "the gold document with the best BM25 by the reference answers"
	if s.domain == "story" {
		best += " and the latest place, in standard scores, summed"
	}

	out := map[string]string{
		"domain":             s.domain,
		"split":              s.split,
		"k":                  strconv.Itoa(s.k),
		"context":            context,
		"whole_corpus":       whole,
		"oracle":             oracle,
		"oracle1":            best + ", where no model chooses",
		"differs_from_paper": differs,
	}
	if said := saidOfVariants(ds, language); said != "" {
		out[datasets.LanguagesNote] = said
	}
	return out
}

// saidOfVariants says of which items ROUGE is not by the published tokeniser; empty for none.
func saidOfVariants(ds *datasets.Dataset, language string) string {
	variants := map[string]int{}
	for _, it := range ds.Items {
		if v := rougeVariant(language, it.(*item).query.References); v != "" {
			variants[v]++
		}
	}
	return variantsText(variants, len(ds.Items))
}
