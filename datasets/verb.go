package datasets

import (
	"context"
	"flag"
	"fmt"
	"io/fs"

	"lore/datasets/stage"
	"lore/judge"
	"lore/local"
)

// Verb is a job that a benchmark offers besides being run: making data, importing or
// checking it, dealing it out to people and reading their sheets, analysing it. Whoever
// carries verbs out knows nothing of the benchmark: a verb is data.
type Verb struct {
	Kind Kind
	Name string // of a job beside the main one of its kind, such as "sheets"; else empty

	Args    string // of the command line, for help: "DATA SHEET..."
	Short   string // one line, without a stop
	Long    string
	Example string // commands that work

	Least, Most int // arguments; Most below 0 is any number
	Needs       Needs

	Prompts fs.FS // that the verb uses, where it has some of its own; nil: none

	// StandIn answers the verb's prompts as a careful model would, so that what it takes can be
	// foretold: "" for a prompt that it does not know. nil: replies that obey the schema will do.
	StandIn func(messages []local.Message) string

	// Erring is how many times the calls of a careful model it takes by one that errs in this share of
	// its replies, or checks, always on the same ones. nil: what is refused is asked for again.
	Erring func(share float64) float64

	// Writing is how what is written is drawn if the command line does not say; what is checked
	// is greedy.
	Writing stage.Decoding

	// New declares the verb's own flags and returns the job, which reads them when it is
	// done with the command line.
	New func(flags *flag.FlagSet) Job
}

// Kind is where a verb stands on the command line.
type Kind string

// The kinds: lore build NAME, lore data import NAME, lore data verify NAME, and lore
// score NAME.
const (
	Build   Kind = "build"
	Import  Kind = "import"
	Verify  Kind = "verify"
	Analyse Kind = "score"
)

// Needs says what a verb asks of its workshop, and so which flags it has besides its own.
type Needs uint

// What a verb may need.
const (
	NeedsOut     Needs = 1 << iota // --out
	NeedsWriter                    // models that write and check: --model and how it is asked
	NeedsJudge                     // --judge and how it judges
	NeedsSearch                    // --retriever and how documents are found
	NeedsVectors                   // how texts become vectors
)

// Job does the work of a verb.
type Job func(ctx context.Context, w Workshop, args []string) (Outcome, error)

// Outcome is what a verb has done. Whoever carries it out writes, checks and prints it.
type Outcome struct {
	// Log is what a build did, refused and dropped, for build-log.jsonl; nil: no build. It also counts
	// beside an error: what was done until a build was stopped.
	Log []stage.Event

	// Write puts what was made in its place; nil: there is nothing to write. It is called
	// after the log is written, so that data is never there without its log.
	Write func() error

	// Data is what Write has written. It is loaded again, to see that it is whole, unless
	// Loaded holds it already.
	Data   []string
	Loaded *Dataset

	// Folder is the dataset's own folder, which gets a manifest; empty: it has none.
	Folder string

	Tables []Grid
	JSON   any      // the same for programs, where the verb prints JSON
	Lines  []string // printed as they are, such as the paths of sheets

	Next    []string // commands that go on from here
	Missing string   // what is missing of what was asked for; empty: nothing is
}

// Workshop is what verbs work with: the models, judges and retrievers that the command
// line names.
type Workshop interface {
	// Out is the folder of --out; Model is the model that writes, of --writer or --model; Seed and
	// Slots are those flags.
	Out() string
	Model() string
	Seed() uint64
	Slots() int

	// Language is the code of --language; empty where each text's own is told.
	Language() string

	// Fresh refuses to write over a file that a finished job has written.
	Fresh(path string) error

	// Load reads the data of a benchmark by its name.
	Load(benchmark string, paths []string) (*Dataset, error)

	// Writer is a session with the models that write and check, of --model, or --writer and
	// --checker. need is the most tokens of a prompt
	// with its reply: the model is loaded with room for them and must keep to a schema, or
	// is refused before any work. With 0 each stage finds its own window. Without --model
	// a session only keeps a log.
	Writer(ctx context.Context, need int, prompts ...fs.FS) (*stage.Session, error)

	// Judges are those of --judge, none if it is empty.
	Judges(ctx context.Context, how Grading) ([]judge.Judge, error)

	// Find searches documents by questions and their parts with --retriever, and orders
	// the result anew by the question itself with --rerank. It returns the best n ids of
	// each question.
	Find(ctx context.Context, docs []Document, questions []Search, n int) ([][]string, error)

	// Similarity compares texts by an embedder, dense:DIR or dense:ollama:NAME, or by
	// lexical vectors if none is named.
	Similarity(ctx context.Context, embedder string, texts []string) (func(i, j int) float64, error)

	// Warn and Note tell the user what is odd, and what is good to know; Start shows how
	// far a phase of n steps has come.
	Warn(s string)
	Note(s string)
	Start(phase string, n int) func(done int)
}

// Grading is how a verb has judges grade where the user does not say.
type Grading struct {
	// Together has a model asked all questions on a text in one call. What was measured one by
	// one, which is a judge by token probabilities or by a calibration, stays so.
	Together bool
	// Prompts go before the judges' built-in ones, and after those of the user; may be nil.
	Prompts fs.FS
}

// Search is a question for documents, with the parts that it is also searched by.
type Search struct {
	ID, Text string
	Parts    []string
}

// UsageError is a request that makes no sense; nothing was done.
type UsageError struct{ Msg string }

// Error returns the message.
func (e *UsageError) Error() string { return e.Msg }

// Usagef words a UsageError.
func Usagef(format string, args ...any) error { return &UsageError{fmt.Sprintf(format, args...)} }
