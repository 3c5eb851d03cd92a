// Package long2rag is Long²RAG: each question comes with retrieved documents and the
// key points that these hold, and an answer is measured by how many of the key points
// it says (key point recall), and how many of its own points are among them (key point
// precision).
package long2rag

import (
	"cmp"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"lore/datasets"
	"lore/local/prompt"
	"lore/local/text"
)

// Benchmark implements datasets.Benchmark. The zero value has the paper's settings.
type Benchmark struct {
	K          int    // documents given to the generator; 0 is Shown
	CorpusFile string // lines of JSON with id and text: further documents to retrieve from
	Model      string // takes answers apart into their own points, ollama:NAME; empty: by sentence
	Precision  string // what an answer's points are looked for in, one of precisions; empty: ByKeyPoints
}

// Shown is how many documents a question has in the paper (section 3.2).
const Shown = 5

// Categories are the paper's kinds of question (its Figure 3), in the order of its
// Table 1, with what they ask for.
var Categories = []Category{
	{"factual", "asks for particular facts or figures, with an answer that is settled"},
	{"explanatory", "asks how something works or what it means, with its parts and processes"},
	{"comparative", "asks how two or more things are alike and how they differ"},
	{"subjective", "asks for a judgement, which depends on one's point of view"},
	{"methodological", "asks how to do something, by which steps or means"},
	{"causal", "asks for the reasons or motives behind something"},
	{"hypothetical", "asks what would follow from a supposition"},
	{"predictive", "asks how something may develop"},
}

// Category is a kind of question.
type Category struct{ Name, About string }

// Domains are the paper's (its Figure 9).
var Domains = []string{
	"film", "economics", "religion", "biology", "music", "sports", "history", "AI", "technology", "others",
}

// Name is "long2rag".
func (Benchmark) Name() string { return "long2rag" }

// About says what is measured.
func (Benchmark) About() string {
	return "how much of what the retrieved documents say does a long answer use? (Long²RAG)"
}

//go:embed prompts
var promptFiles embed.FS

// Prompts returns the built-in prompts.
func (Benchmark) Prompts() fs.FS { return prompt.Embedded(promptFiles) }

// Settings are the benchmark's own flags.
func (Benchmark) Settings() []datasets.Setting {
	return []datasets.Setting{
		{Name: "k", System: true, Help: fmt.Sprintf("documents given to the generator (default %d)", Shown)},
		{Name: "corpus", Help: "file of further documents to retrieve from, lines of JSON with id and text"},
		{
			Name: "points", Values: []string{"sentences", "ollama:"},
			Help: "how an answer is split into its own points: sentences (default) or ollama:NAME",
		},
		{
			Name: "precision", Values: precisions,
			Help: "what an answer's own points are looked for in: its key-points (default), the documents that came " +
				"with the question, or both; a model judge reads the documents whole once more for each point",
		},
	}
}

// Configure sets them.
func (b Benchmark) Configure(values map[string]string) (datasets.Benchmark, error) {
	var err error
	if b.K, err = datasets.Positive("k", values["k"]); err != nil {
		return nil, err
	}

	b.CorpusFile = values["corpus"]
	switch v := values["points"]; {
	case v == "" || v == "sentences":
	case strings.HasPrefix(v, "ollama:") && v != "ollama:":
		b.Model = v
	default:
		return nil, fmt.Errorf("--points is sentences or ollama:NAME, not %q", v)
	}

	if b.Precision = values["precision"]; b.Precision != "" && !slices.Contains(precisions, b.Precision) {
		return nil, fmt.Errorf("--precision is %s, not %q", strings.Join(precisions, ", "), b.Precision)
	}
	return b, nil
}

// Names of the metrics.
const (
	KPR = "kpr"
	KPP = "kpp"
	KPF = "kpf"

	KPPDocuments = "kpp_documents"
	KPFDocuments = "kpf_documents"

	Point  = "key_point"
	Words  = "words"
	Tokens = "answer_tokens"
)

// Metrics are those of the paper's sections 4 and 6.4.
func (Benchmark) Metrics() []datasets.Metric {
	share := func(name, title, explain string) datasets.Metric {
		return datasets.Metric{
			Name:    name,
			Title:   title,
			Percent: true,
			High:    1,
			Bounded: true,
			Judged:  true,
			Explain: explain,
		}
	}
	lead := func(name, title, explain string) datasets.Metric {
		m := share(name, title, explain)
		m.Lead = true
		return m
	}
	points := share(Point, "Key points", "the key points one by one, pooled over questions")
	points.Aside, points.Verdict = true, true

	return []datasets.Metric{
		lead(KPR, "KPR", "key point recall: share of a question's key points that the answer entails, "+
			"mean over questions (equation 2)"),
		lead(KPP, "KPP", "key point precision: share of the answer's own points that are among the key points, "+
			"mean over questions (section 6.4)"),
		lead(KPF, "KPF", "harmonic mean of a question's recall and precision, mean over questions (section 6.4)"),
		lead(KPPDocuments, "KPP docs", "key point precision, read the other way: share of the answer's own points that "+
			"the documents of the question entail, mean over questions (section 6.4)"),
		lead(KPFDocuments, "KPF docs", "harmonic mean of a question's recall and its precision by documents, "+
			"mean over questions (section 6.4)"),

		{Name: Words, Title: "Words", Explain: "mean length of an answer"},
		{Name: Tokens, Title: "Tokens", Explain: "mean length of an answer in tokens"},
		points,
	}
}

// Protocol is to give each question its own documents, to decode greedily and to leave
// room for a long answer.
func (b Benchmark) Protocol() datasets.Protocol {
	return datasets.Protocol{
		AnswerPrompt: "long2rag/answer.txt",
		Asks:         "key point",
		Headline:     KPF,
		Budget:       datasets.Budget{Tokens: 128_000},
		Depth:        100,
		NumPredict:   2048,
		Temperature:  0,
		TopP:         1,
		Retrievers:   "given",
		Published:    where,
		Pictures:     pictures(),
		Points: &datasets.PointRule{
			Model:  b.Model,
			Prompt: "long2rag/points.txt",
			Schema: json.RawMessage(pointSchema),
			Plain:  sentences,
		},
	}
}

// pointSchema is the reply of the model that takes an answer apart.
const pointSchema = `{"type":"object","properties":` +
	`{"points":{"type":"array","items":{"type":"string"}}},"required":["points"]}`

// Reading says that citations are left out.
func (Benchmark) Reading(bool) string { return datasets.UncitedReading }

// differs says, in the report of a run, what is not as in the paper.
const differs = "key points are judged by a judge of the run with lore's own prompt, or by word overlap, " +
	"where the paper has GPT-4o; precision is over the question's key points, its documents, or both (--precision), " +
	"and over sentences unless --points names a model; answers are asked for by lore's own prompt; see docs/long2rag.md"

// Describe says in the manifest what was loaded.
func (b Benchmark) Describe(ds *datasets.Dataset, _ datasets.Budget, _ string) map[string]string {
	points := b.Model
	if points == "" {
		points = "sentences"
	}

	n := 0
	for _, it := range ds.Items {
		n += len(it.(*item).question.KeyPoints)
	}

	out := map[string]string{
		"k":                      strconv.Itoa(b.k()),
		"answers_taken_apart_by": points,
		"precision_by":           cmp.Or(b.Precision, ByKeyPoints),
		"key_points":             strconv.Itoa(n),
		"differs_from_paper":     differs,
	}
	if said := b.saidOfExtracts(ds); said != "" {
		out[datasets.FiguresNote] = said
	}
	return out
}

// saidOfExtracts says what it does to figures that documents are extracts; empty where they are whole.
func (b Benchmark) saidOfExtracts(ds *datasets.Dataset) string {
	documents, extracts := 0, 0
	for _, it := range ds.Items {
		for _, d := range it.(*item).question.Documents {
			documents++
			if d.Extract {
				extracts++
			}
		}
	}
	if extracts == 0 {
		return ""
	}
	said := fmt.Sprintf("Of the %d documents of questions %d are not whole: they are the spans that key points were extracted from, "+
		"in which an answer finds these more easily (KPR too high)", documents, extracts)
	if b.Precision == ByDocuments || b.Precision == ByBoth {
		said += ". A true sentence of an answer that stands elsewhere in such a document counts as unsupported " +
			"(KPP docs and KPF docs too low)"
	}
	return said
}

func (b Benchmark) k() int {
	if b.K > 0 {
		return b.K
	}
	return Shown
}

// sentences takes every sentence for a point; headings and other lines without two
// content words are none.
func sentences(answer string) []string {
	var out []string
	l := text.Detect(answer)
	for _, s := range l.Sentences(answer) {
		if len(l.Terms(s)) > 1 {
			out = append(out, s)
		}
	}
	return out
}
