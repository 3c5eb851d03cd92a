// Package datasets defines what a benchmark is: documents, items, and what each item
// asks of a generator and a judge. A benchmark is one package below this one, registered
// in datasets/all.
//
// An item goes one way. Its corpus is searched, Context chooses what is shown, Request
// words the question, and what comes back is Evidence. Plan says what a judge must find
// out about the evidence, and Score and Notes turn the verdicts into values and words.
package datasets

import (
	"encoding/json"
	"io/fs"

	"lore/judge"
	"lore/judge/agreement"
	"lore/local"
	"lore/local/prompt"
)

// Benchmark is a family of datasets with its rules.
type Benchmark interface {
	Name() string

	// About says in one line what is measured, with the source.
	About() string

	// Load reads data files; no path means the bundled sample.
	Load(paths []string) (*Dataset, error)

	// Prompts are the built-in prompts.
	Prompts() fs.FS

	Metrics() []Metric
	Protocol() Protocol
}

// Item is one task of a benchmark. All methods are pure.
type Item interface {
	// ID is unique in the dataset and has no white space, so that it can stand in a
	// run file.
	ID() string

	// Title says in a few words what the item asks, for reports.
	Title() string

	// Group names what the item shares with others, such as its haystack.
	Group() string

	// Corpus is where the item retrieves from, and Query what it retrieves with.
	Corpus() *Corpus
	Query() Query

	// Context selects and labels the documents to show.
	Context(found Retrieved, budget Budget) Context

	// Request words the generation request for a model, and in plain parts for a
	// backend that needs no words.
	Request(ask Ask) ([]local.Message, *local.Source, error)

	// Plan lists what a judge must find out: a task for the answer, and perhaps one for
	// its own points and one for each document that was shown. An answer that failed is
	// planned for, too: its questions stay unscored.
	Plan(e Evidence) []judge.Task

	// Score turns the verdicts on Plan's tasks into values.
	Score(e Evidence, v Verdicts) []Score

	// Notes say, in words that people can act on, what is odd about an answer (v is nil),
	// or what the verdicts show that context and answer lack. The latter begin with their
	// kind and a colon.
	Notes(e Evidence, v Verdicts) []string

	// Facets name the groups by which figures are also shown, such as the question's
	// category or the length of the context. What does not apply is left out.
	Facets(e Evidence) map[string]string
}

// Ask is what an item is asked with.
type Ask struct {
	Context Context
	Variant string // one of Protocol.Variants
	Prompt  *prompt.Prompt
}

// Evidence is what a system did with an item, as far as it is known.
type Evidence struct {
	Retrieved *Retrieved // nil where only the answer is known
	Context   Context
	Output    Output
	Language  string // code of that of all texts, where the user says it; empty: it is told

	plain *string // what Uncited gives, where it was found before
}

// Verdicts are a judge's verdicts on an item's evidence, by subject, each in the order of
// its task's questions. What was not asked is not in it.
type Verdicts map[judge.Subject][]judge.Verdict

// Retrieved is what a retriever found for an item.
type Retrieved struct {
	IDs   []string // document ids, best first
	Whole bool     // the corpus whole, in this order: no budget applies
	Gold  bool     // all relevant documents and no others, as the oracle ranks them

	// Texts are shown instead of the documents' own, by id: their beginnings, snippets or
	// summaries. What is not in it is shown as it is.
	Texts map[string]string
}

// Budget limits the context given to a generator.
type Budget struct {
	Tokens int // most tokens of document text, by local/tokens
}

// Context is what a generator is shown.
type Context struct {
	Passages []local.Passage
	Tokens   int // tokens of the passages
	Dropped  int // retrieved documents that did not fit
	Cut      int // passages that were cut to fit

	// CutTokens counts the tokens of the cut ends; those of whole documents left out only
	// where the benchmark counts them.
	CutTokens int

	// AnswerTokens is the most tokens of an answer to the item, where the item knows it
	// better than Protocol.NumPredict; 0: it does not.
	AnswerTokens int
}

// Output is an answer to an item. An answer that failed has an Outcome other
// than local.OK and no score.
type Output struct {
	Text    string
	Outcome local.Outcome
	Reason  string

	// Cut says that the answer reached its length limit, and is scored as it stands: its
	// Outcome is local.OK, and Reason says where it ends. A cut answer that is not to be
	// scored has the Outcome local.Cut instead.
	Cut bool

	// Measures were computed outside the item or came with the answer, by metric. They
	// are kept with the answer, so that Score stays pure.
	Measures map[string]float64

	Points *Points // the answer's own points, where the benchmark judges these; nil: not made

	// Recorded: the answer came with the data, and is read by the rule it was published with.
	Recorded bool
}

// Points are an answer taken apart into what it says.
type Points struct {
	List    []string      `json:"list,omitempty"`
	Outcome local.Outcome `json:"outcome"`
	Reason  string        `json:"reason,omitempty"`
}

// Score is one value that an item contributes to a metric. An unscored value
// has a reason and no number.
type Score struct {
	Metric   string `json:"metric"`
	Unit     string `json:"unit,omitempty"` // part of the item the value is of, such as an insight
	Value    float64
	Unscored string
}

// Metric describes a figure of a benchmark.
type Metric struct {
	Name    string  // key in files, such as "coverage"
	Title   string  // heading in tables, such as "Coverage"
	Percent bool    // values are shares in [0,1], shown times 100
	Places  int     // decimals that tables show; 0 stands for one
	Low     float64 // smallest possible value, the worst case of an unscored unit
	High    float64 // largest possible value; ignored when Bounded is false
	Bounded bool    // Low and High are known
	Judged  bool    // needs a judge
	Lead    bool    // a main figure: tables show its interval
	Aside   bool    // left out of the main table: the benchmark's own tables have it
	Explain string  // one sentence with the source

	// Verdict says that each value is that of the verdict on the question that the unit
	// names: whoever has both can check one against the other.
	Verdict bool

	// Asked is the metric that says how much was asked for, where this one is how much was
	// given. Tables show it behind this one, and answers that exceed it by half are counted.
	Asked string

	// Counted says that not every answer has a value: tables show how many have.
	Counted bool

	// Warn says what a value above 0 means for an answer. Tables show such a metric only
	// where a value is, and the answers are counted on the screen.
	Warn string
}

// Protocol is how a benchmark is run. Budget, Depth, NumPredict, Temperature, TopP and
// Retrievers hold where the user says nothing else.
type Protocol struct {
	AnswerPrompt string // name of the prompt for generation
	Asks         string // what a question to a judge of an answer is of: an insight, a key point; empty: of a unit
	Headline     string // the metric that sums a run up, without what may follow an "@" in its name
	Budget       Budget
	Depth        int // documents retrieved; 0 is all
	NumPredict   int // most tokens of an answer
	Temperature  float64
	TopP         float64
	Retrievers   string

	// Variants are ways of asking for an answer, to study what the way does to it. The
	// plain one is ""; none means the plain one alone.
	Variants []string

	// Points says how answers are taken apart; nil: their own points are not judged.
	Points *PointRule

	// Answering says which verdicts say that a text answers a question, where the same is
	// asked of answers and of the documents shown; nil: it is not.
	Answering *AnsweringRule

	// Recorded returns the systems whose answers came with the data, in order of name.
	// nil: the data of this benchmark holds none.
	Recorded func(ds *Dataset) []Recorded

	// Labels reads human labels of the benchmark as they were published. nil: there are
	// none.
	Labels func(path string) (agreement.Labels, error)

	// Pictures are drawn on the page besides those that every benchmark has.
	Pictures []FacetPicture

	// Published says where the benchmark's data is, and what lore reads of it. The zero value:
	// there is none.
	Published Published

	// Measured returns figures by item and metric that lie beside a file of published
	// answers. nil: none are known; none found is no error.
	Measured func(answers string, ds *Dataset) (map[string]map[string]float64, error)
}

// FacetPicture draws the mean of a metric over the items of each value of a facet, a line per system.
type FacetPicture struct {
	Title  string
	Note   string
	Facet  string   // as Item.Facets names it
	Metric string   // by its name
	Order  []string // values of the facet in their order; others stand behind
	Axis   string   // what the values are of, in words
	Radar  bool     // values have no order and stand in a circle; else a line leads from one to the next
}

// PointRule says how an answer is taken apart into its own points.
type PointRule struct {
	Model  string // ollama:NAME; empty: Plain is used
	Prompt string
	Schema json.RawMessage // of the reply, {"points": [...]}
	Plain  func(answer string) []string
}

// AnsweringRule says from where on a graded verdict counts.
type AnsweringRule struct {
	Answers func(v judge.Verdict) bool
	From    string // in words, such as "a grade of 3 or more"
}

// Recorded is a system whose answers came with the data.
type Recorded struct {
	Name     string // as the data calls it
	System   System // the parts of the name
	Outputs  []Output
	Verdicts []Verdicts // per item; nil where there are none
	Notes    []string   // what the scoring had to decide, with counts
}

// Referenced is an Item with reference texts, which an encoder can compare an answer
// with.
type Referenced interface {
	References() []string
}

// Held is an Item whose data says which documents hold what its questions ask for: the ids
// of documents by the id of a question. A question that no document holds may be missing.
type Held interface {
	Holders() map[string][]string
}

// Measures that an encoder computes for items that are Referenced.
const (
	BERTScoreP   = "bertscore_precision"
	BERTScoreR   = "bertscore_recall"
	BERTScoreF   = "bertscore_f1"
	BERTScoreAll = "bertscore_windowed_f1" // over all windows of long texts
)

// Setting is a flag of a benchmark's own.
type Setting struct {
	Name string
	Help string

	// Values are all that it takes, where these are few; one that ends in ":" goes on. Those of two
	// benchmarks may differ.
	Values []string

	// System says that the setting belongs to what is measured, such as how many documents a
	// system is shown, and not to how: runs with other values of it can be compared.
	System bool
}

// Configurable is a Benchmark with settings of its own.
type Configurable interface {
	Settings() []Setting

	// Configure returns the benchmark with the given values; what is not given or
	// empty has its default.
	Configure(values map[string]string) (Benchmark, error)
}

// LanguagesNote is the key of a Describer's note on figures that are other ones in other
// languages than English. It is shown under the table.
const LanguagesNote = "languages"

// FiguresNote is the key of a Describer's note on figures that the data makes other ones than they seem. It is shown
// under the table.
const FiguresNote = "figures"

// Describer is a Benchmark that says in the manifest what was loaded, and how it is shown. language is
// the code of that of all texts; empty: each is told.
type Describer interface {
	Describe(ds *Dataset, budget Budget, language string) map[string]string
}

// Reader is a Benchmark that says, in a short sentence under its table, how it reads
// citations in answers: in those of a run, or in recorded ones.
type Reader interface {
	Reading(recorded bool) string
}

// Tabulator is a benchmark that has tables of its own, such as those of its paper.
type Tabulator interface {
	Tables(systems []Scored) []Grid
}
