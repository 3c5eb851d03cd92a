// Package datasets defines what a benchmark is: documents, items, and what each
// item asks of a generator and a judge. A benchmark is one package below this
// one, registered in datasets/all.
package datasets

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"lore/judge"
	"lore/local"
	"lore/local/prompt"
)

// Document is one text of a corpus.
type Document struct {
	ID   string
	Text string
}

// Corpus is the set of documents that items retrieve from.
type Corpus struct {
	ID        string
	Documents []Document
}

// Query is what an item searches for.
type Query struct {
	Text     string
	Gold     map[string]float64            // graded relevance by document id
	Recorded map[string]map[string]float64 // scores that came with the data: retriever, document id
}

// Dataset is loaded data.
type Dataset struct {
	Corpora  []*Corpus
	Items    []Item
	Hash     string   // SHA-256 of the files read
	Files    []string // what was read, for the manifest
	Warnings []string // what is odd but usable, each with its place
}

// Retrieved is what a retriever found for an item.
type Retrieved struct {
	IDs   []string // document ids, best first
	Whole bool     // the corpus whole, in this order: no budget applies

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

	CutTokens int // tokens of the cut ends; of whole documents left out only where the benchmark counts them
}

// Output is an answer to an item. An answer that failed has an Outcome other
// than local.OK and no score.
type Output struct {
	Text    string
	Outcome local.Outcome
	Reason  string

	// Measures were computed outside the item or came with the answer, by metric. They
	// are kept with the answer, so that Score stays pure.
	Measures map[string]float64

	Points *Points // the answer's own points, where the benchmark judges these; nil: not made
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

// Item is one task of a benchmark. All methods are pure.
type Item interface {
	// ID is unique in the dataset and has no white space, so that it can stand in a
	// run file.
	ID() string
	// Title says in a few words what the item asks, for reports.
	Title() string
	// Group names what the item shares with others, such as its haystack.
	Group() string
	// Corpus is where the item retrieves from.
	Corpus() *Corpus
	// Query is what it retrieves with.
	Query() Query
	// Context selects and labels the documents to show.
	Context(found Retrieved, budget Budget) Context
	// Request words the generation request for a model, and in plain parts for a
	// backend that needs no words.
	Request(ctx Context, p *prompt.Prompt) ([]local.Message, *local.Source, error)
	// Plan lists what a judge must find out about an output.
	Plan(out Output) judge.Task
	// Score turns the judge's verdicts, in the order of Plan's questions, into values.
	Score(out Output, verdicts []judge.Verdict) []Score
}

// RetrievalScorer is an Item that measures rankings, too, and what was shown of them.
// Its scores are the same for all answers made from a ranking.
type RetrievalScorer interface {
	ScoreRetrieval(found Retrieved, ctx Context) []Score
}

// Varied is a Benchmark that can ask for its answers in several ways, to study what the
// way does to them.
type Varied interface {
	// Variants names the ways; the plain one is "". None means the plain one alone.
	Variants() []string
}

// VariedItem is an Item of such a benchmark.
type VariedItem interface {
	// Vary returns the item as it is asked in another way. All but Request is the same.
	Vary(variant string) Item
}

// ContextJudged is an Item whose shown documents are judged by themselves. A document
// is judged once per item and judge, however many rankings hold it.
type ContextJudged interface {
	// PlanContext lists the documents of a ranking that must be judged, a task each; its
	// ID is the document's.
	PlanContext(found Retrieved) []judge.Task
	// ScoreContext turns the verdicts by document into values.
	ScoreContext(found Retrieved, verdicts map[string][]judge.Verdict) []Score
}

// PointJudged is an Item that also judges an answer's own points by what the data holds.
type PointJudged interface {
	// PlanPoints asks of each of the answer's points whether the data holds it. Without
	// points there are no questions.
	PlanPoints(out Output) judge.Task
	// ScorePoints turns the verdicts on Plan's and on PlanPoints' questions into values.
	ScorePoints(out Output, verdicts, points []judge.Verdict) []Score
}

// PointMaker is a Benchmark with items that are PointJudged. It says how answers are
// taken apart.
type PointMaker interface {
	// PointModel names the model, ollama:NAME, or is empty; then PlainPoints is used.
	PointModel() string
	// PointPrompt is the prompt's name with the schema of its reply, {"points": [...]}.
	PointPrompt() (name string, schema json.RawMessage)
	PlainPoints(answer string) []string
}

// Faceted is an Item whose figures are also shown by the groups that an answer belongs
// to, such as the question's category or the length of the context. A facet that does
// not apply is left out.
type Faceted interface {
	Facets(ctx Context, out Output) map[string]string
}

// Diagnoser is an Item that says what a context and an answer lack, in words that
// people can act on. Each note begins with its kind and a colon. found is nil for
// answers from outside; verdicts are those on the documents of items that are
// ContextJudged.
type Diagnoser interface {
	Diagnose(found *Retrieved, verdicts map[string][]judge.Verdict, out Output, answer []judge.Verdict) []string
}

// Referenced is an Item with reference texts, which an encoder can compare an answer
// with.
type Referenced interface {
	References() []string
}

// Measures that an encoder computes for items that are Referenced.
const (
	BERTScoreP   = "bertscore_precision"
	BERTScoreR   = "bertscore_recall"
	BERTScoreF   = "bertscore_f1"
	BERTScoreAll = "bertscore_windowed_f1" // over all windows of long texts
)

// AnswerMeasurer is a Benchmark that knows what was measured of published answers.
type AnswerMeasurer interface {
	// Measures returns, for a file of answers, figures by item and metric that lie
	// beside it; none is no error.
	Measures(answers string, ds *Dataset) (map[string]map[string]float64, error)
}

// Setting is a flag of a benchmark's own.
type Setting struct {
	Name string
	Help string
}

// Configurable is a Benchmark with settings of its own.
type Configurable interface {
	Settings() []Setting
	// Configure returns the benchmark with the given values; what is not given or
	// empty has its default.
	Configure(values map[string]string) (Benchmark, error)
}

// Noter is a Benchmark that adds settings to the manifest.
type Noter interface {
	Notes(ds *Dataset, budget Budget) map[string]string
}

// Metric describes a figure of a benchmark.
type Metric struct {
	Name    string  // key in files, such as "coverage"
	Title   string  // heading in tables, such as "Coverage"
	Percent bool    // values are shares in [0,1], shown times 100
	Low     float64 // smallest possible value, the worst case of an unscored unit
	High    float64 // largest possible value; ignored when Bounded is false
	Bounded bool    // Low and High are known
	Judged  bool    // needs a judge
	Lead    bool    // a main figure: tables show its interval
	Aside   bool    // left out of the main table: the benchmark's own tables have it
	Explain string  // one sentence with the source
}

// Defaults are a benchmark's settings where the user gives none.
type Defaults struct {
	Budget      Budget
	Depth       int // documents retrieved; 0 is all
	NumPredict  int // most tokens of an answer
	Temperature float64
	TopP        float64
	Retrievers  string
}

// Recorded is a system whose answers came with the data.
type Recorded struct {
	Name      string // as the data calls it
	Retriever string // parts of the name, for tables
	Generator string
	Outputs   []Output          // per item of the dataset
	Verdicts  [][]judge.Verdict // per item, in the order of Plan's questions; nil where there are none
	Notes     []string          // what the scoring had to decide, with counts
}

// Recorder is a benchmark whose data may hold recorded systems.
type Recorder interface {
	// Recorded returns the systems of a loaded dataset in order of name.
	Recorded(ds *Dataset) []Recorded
}

// Benchmark is a family of datasets with its rules.
type Benchmark interface {
	Name() string
	// About says in one line what is measured, with the source.
	About() string
	// Load reads data files; no path means the bundled sample.
	Load(paths []string) (*Dataset, error)
	// Prompts are the built-in prompts; AnswerPrompt names the one for generation.
	Prompts() fs.FS
	AnswerPrompt() string
	Metrics() []Metric
	Defaults() Defaults
}

// InputError is data that is missing or malformed. Its message names file, place
// and remedy.
type InputError struct {
	File   string
	Place  string // where in the file: a line, a document, a subtopic
	Msg    string
	Remedy string
	Err    error
}

// Error puts the parts in one line.
func (e *InputError) Error() string {
	s := e.File
	if e.Place != "" {
		s += ": " + e.Place
	}
	s += ": " + e.Msg
	if e.Remedy != "" {
		s += "; " + e.Remedy
	}
	return s
}

// Unwrap returns the cause.
func (e *InputError) Unwrap() error { return e.Err }

// Cause words an error of the file system without its operation and path, which an
// InputError names by itself.
func Cause(err error) string {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err.Error()
	}
	return err.Error()
}

// HashFiles returns the SHA-256 over the contents of files in order.
func HashFiles(contents ...[]byte) string {
	h := sha256.New()
	for _, c := range contents {
		fmt.Fprintf(h, "%d:", len(c))
		h.Write(c)
	}
	return hex.EncodeToString(h.Sum(nil))
}
