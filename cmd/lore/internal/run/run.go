// Package run is the engine: the one loop that every benchmark goes through, a phase a
// file.
//
//	resolve → retrieve → condense → generate → points → measure → judge → score → save
//
// A cell is one item for one system. It is made by retrieve and generate, and every later
// phase adds to it. Several runs go through the loop together, as Jobs.
package run

import (
	"lore/cmd/lore/internal/models"
	"lore/cmd/lore/internal/pipeline"
	"lore/cmd/lore/internal/prompts"
	"lore/cmd/lore/internal/store"
	"lore/cmd/lore/internal/table"
	"lore/cmd/lore/internal/usage"
	"lore/datasets"
	"lore/judge"
	"lore/local"
	"lore/local/gate"
	"lore/local/prompt"
)

// Options say what to run.
type Options struct {
	Retrievers []pipeline.Pipeline
	Generators []string
	Answers    []Answers // of systems from outside, judged besides the grid
	Judges     []string
	Judging    models.Judging

	Limit       int      // items; 0 is all
	Subset      int      // items, drawn by groups and the seed; 0 is all
	OnlyItems   []string // ids, in the order of the data; none: all
	Watch       bool     // the folder is that of a watch, whose runs replace each other
	Budget      datasets.Budget
	NumPredict  int    // most tokens of an answer; 0: as the item or the benchmark has it
	Language    string // code of that of all texts; empty: each is told
	StrictCut   bool   // answers that reached their limit are not scored
	Temperature float64
	TopP        float64
	BERTScore   *BERTScore        // nil: not computed
	Bench       map[string]string // the benchmark's own settings that were given

	Models    models.Config
	Pipelines pipeline.Config
	Prompts   []prompts.Version // stand before lore's own prompts; none: these alone
	Seed      uint64
	Version   string
	Console   usage.Console

	// Failed is told of each answer that failed, as they come; may be nil.
	Failed func(store.FailedAnswer)
	// Phase is told of each phase that begins; may be nil.
	Phase func(name string)
}

// Systems is how many systems are run at most: some parts of a grid may not go together.
func (o Options) Systems() int {
	made := 0
	for _, g := range o.Generators {
		if made++; prompted(g) {
			made += max(0, len(o.Prompts)-1)
		}
	}
	return len(o.Retrievers)*made + len(o.Answers) + len(o.Models.Systems.Names())
}

// Result is a finished run.
type Result struct {
	Table    table.Table
	Manifest store.Manifest
	Answers  []store.Answer
	Verdicts []store.TaskVerdicts
	Contexts []store.ContextVerdicts // on shown documents, for benchmarks that judge these
	Shown    store.Shown
	Usage    []gate.ModelUsage

	FromFiles []datasets.System // their answers stood in files: nobody is asked for them again
}

// engine carries what the phases share.
type engine struct {
	bench    datasets.Benchmark
	protocol datasets.Protocol
	ds       *datasets.Dataset
	items    []datasets.Item
	opt      Options
	folder   *store.Folder

	models     *models.Set
	rankers    pipeline.Rankers
	generators []*models.Model
	asked      []*models.Model // systems that are asked over HTTP
	points     *models.Model   // takes answers apart; nil: no model does
	judges     []models.Judge
	judgeNames []string          // with mode, as they stand in tables
	pairs      map[string]string // what judges that are several did, by name
	systems    []system
	leftOut    []string // what of the grid cannot work, in words

	prompts *prompt.Set
	answers []answering // versions of the prompt for answers
	gate    *gate.Gate

	pipelines *pipeline.Set
	found     [][]datasets.Retrieved // by retriever and item
	cells     []cell                 // by system and item
	expected  int                    // questions of a judge, before they are known
	questions *questions             // about the cells
	judged    []judged               // by judge

	retrieval store.Retrieval // what the pipelines' models did
	worded    []store.ShownAsked
	forged    forged          // texts that pose as something else
	languages store.Languages // of the texts that were judged

	// Of systems that files describe: what could not be read of their replies, by system and in
	// words, and what finds their texts.
	reads    map[string]*readCounts
	misread  []string
	matchers map[*datasets.Corpus]*Matcher
}

// system is a system before it is judged: a cell of the grid, one that is asked over
// HTTP, or answers from outside.
type system struct {
	datasets.System
	answers *Answers      // nil: they are made
	model   *models.Model // that makes them
	at      int           // place of the retriever; noRetriever where there is none of ours
	variant string        // how the benchmark asks
	asks    *answering    // by which prompt; nil: by none
}

// noRetriever is the place of the retriever of systems that are not ours.
const noRetriever = -1

// cell is an item for a system: what was found, shown and answered, what is asked about
// it, and what each judge said.
type cell struct {
	system   int
	item     datasets.Item
	evidence datasets.Evidence
	tasks    []judge.Task
	verdicts []datasets.Verdicts // by judge

	// Where a model was asked in words: the prompt without its documents, these as the model
	// saw them, and what the call cost.
	prompt []store.PromptMessage
	seen   []local.Passage
	usage  local.Usage

	notes []string // what is odd about what a system gave besides its answer
}

// failed reports whether there is no answer.
func (c *cell) failed() bool { return c.evidence.Output.Outcome != local.OK }
