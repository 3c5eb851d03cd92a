// Package trivia is a benchmark in one folder, which tests add to lore with one line:
// short questions over short texts, and an answer is right if it says the reference.
package trivia

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing/fstest"

	"lore/datasets"
	"lore/judge"
	"lore/local"
	"lore/local/files"
	"lore/local/text"
)

// Benchmark implements datasets.Benchmark.
type Benchmark struct{}

// question is a line of the data.
type question struct {
	ID        string            `json:"id"`
	Question  string            `json:"question"`
	Reference string            `json:"reference"`
	Text      string            `json:"text"`               // the document that holds the answer
	Recorded  map[string]string `json:"recorded,omitempty"` // answers by system
}

const sample = `{"id":"wall","question":"What was the harbour wall built of?","reference":"The wall was built of granite.",` +
	`"text":"The harbour of Skellan is old. The wall was built of granite. Ships come twice a day."}
{"id":"fair","question":"When is the winter fair held?","reference":"The fair is held in January.",` +
	`"text":"People travel far for it. The fair is held in January. It rains on most days."}`

func (Benchmark) Name() string { return "trivia" }
func (Benchmark) About() string {
	return "does a short answer say the reference? (a benchmark of the tests)"
}

func (Benchmark) Prompts() fs.FS {
	return fstest.MapFS{"trivia/answer.txt": {Data: []byte("{{.Question}}{{range .Passages}}\n[{{.Label}}] {{.Text}}{{end}}")}}
}

func (Benchmark) Metrics() []datasets.Metric {
	return []datasets.Metric{{Name: "right", Title: "Right", Percent: true, High: 1, Bounded: true,
		Judged: true, Lead: true, Explain: "share of answers that say the reference"}}
}

func (Benchmark) Protocol() datasets.Protocol {
	return datasets.Protocol{AnswerPrompt: "trivia/answer.txt", Headline: "right", Budget: datasets.Budget{Tokens: 500}, Depth: 2,
		NumPredict: 100, TopP: 1, Retrievers: "bm25,oracle,none", Recorded: recorded}
}

// Load reads a file, or the file of a built folder.
func (Benchmark) Load(paths []string) (*datasets.Dataset, error) {
	name, data := "sample:trivia.jsonl", []byte(sample)
	if len(paths) > 0 {
		if name = paths[0]; filepath.Ext(name) == "" {
			name = filepath.Join(name, "trivia.jsonl")
		}
		var err error
		if data, err = files.Read(name, "give lines of JSON with id, question, reference and text"); err != nil {
			return nil, err
		}
	}

	corpus := &datasets.Corpus{ID: "trivia"}
	ds := &datasets.Dataset{Corpora: []*datasets.Corpus{corpus}, Files: []string{name}, Hash: datasets.HashFiles(data)}
	err := files.EachLine(data, func(place string, line []byte) error {
		var q question
		if err := json.Unmarshal(line, &q); err != nil || q.ID == "" || q.Reference == "" {
			return &datasets.InputError{File: name, Place: place, Msg: "is not a question", Remedy: "give id and reference", Err: err}
		}
		corpus.Documents = append(corpus.Documents, datasets.Document{ID: q.ID, Text: q.Text})
		ds.Items = append(ds.Items, &item{q, corpus})
		return nil
	})
	return ds, err
}

// item is a question.
type item struct {
	question
	corpus *datasets.Corpus
}

func (it *item) ID() string                                          { return it.question.ID }
func (it *item) Title() string                                       { return it.Question }
func (it *item) Group() string                                       { return "trivia" }
func (it *item) Corpus() *datasets.Corpus                            { return it.corpus }
func (it *item) References() []string                                { return []string{it.Reference} }
func (it *item) Facets(datasets.Evidence) map[string]string          { return nil }
func (it *item) Notes(datasets.Evidence, datasets.Verdicts) []string { return nil }

func (it *item) Query() datasets.Query {
	return datasets.Query{Text: it.Question, Gold: map[string]float64{it.question.ID: 1}}
}

func (it *item) Context(found datasets.Retrieved, budget datasets.Budget) datasets.Context {
	return datasets.Take(it.corpus, found, 1, budget, datasets.Numbered)
}

func (it *item) Request(ask datasets.Ask) ([]local.Message, *local.Source, error) {
	messages, err := ask.Prompt.Render(map[string]any{"Question": it.Question, "Passages": ask.Context.Passages})
	return messages, &local.Source{Query: it.Question, Passages: ask.Context.Passages, Words: 30}, err
}

func (it *item) Plan(e datasets.Evidence) []judge.Task {
	return []judge.Task{{ID: it.ID(), About: it.Question, Units: text.Sentences(e.Output.Text),
		Questions: []judge.Question{{ID: "reference", Kind: judge.Entailment, Text: it.Reference}}}}
}

func (it *item) Score(_ datasets.Evidence, v datasets.Verdicts) []datasets.Score {
	verdict := v[judge.Answer][0]
	if !verdict.Scored() {
		return []datasets.Score{{Metric: "right", Unscored: verdict.Reason}}
	}
	return []datasets.Score{{Metric: "right", Value: verdict.Value}}
}

// recorded are the answers that came with the data.
func recorded(ds *datasets.Dataset) []datasets.Recorded {
	names := map[string]bool{}
	for _, it := range ds.Items {
		for name := range it.(*item).Recorded {
			names[name] = true
		}
	}

	var out []datasets.Recorded
	for _, name := range slices.Sorted(maps.Keys(names)) {
		r := datasets.Recorded{Name: name, System: datasets.System{Retriever: "recorded", Generator: name}}
		for _, it := range ds.Items {
			r.Outputs = append(r.Outputs, datasets.Output{Text: it.(*item).Recorded[name], Outcome: local.OK})
			r.Verdicts = append(r.Verdicts, datasets.Verdicts{judge.Answer: {judge.Unscored("reference", local.Empty, "none recorded")}})
		}
		out = append(out, r)
	}
	return out
}

// Verbs are a build without a model, and an import of tables.
func Verbs() []datasets.Verb {
	return []datasets.Verb{
		{Kind: datasets.Build, Short: "Ask for the first sentence of every text", Needs: datasets.NeedsOut, New: newBuild},
		{Kind: datasets.Import, Args: "FILE", Short: "Read a CSV table", Least: 1, Most: 1, New: newImport},
	}
}

func newBuild(fl *flag.FlagSet) datasets.Job {
	docs := fl.String("docs", "", "`folder` of texts")
	return func(ctx context.Context, w datasets.Workshop, _ []string) (datasets.Outcome, error) {
		texts, err := files.Folder(*docs)
		if err != nil {
			return datasets.Outcome{}, err
		}
		session, err := w.Writer(ctx, 0)
		if err != nil {
			return datasets.Outcome{}, err
		}

		var questions []question
		for _, d := range texts {
			first := text.Sentences(d.Text)[0]
			session.Note("ask", d.ID, 0, "%s", first)
			questions = append(questions, question{ID: d.ID, Question: "What does " + d.ID + " begin with?", Reference: first, Text: d.Text})
		}
		out := finished(w.Out(), questions)
		out.Log = session.Log()
		return out, nil
	}
}

func newImport(fl *flag.FlagSet) datasets.Job {
	folder := fl.String("out", "", "`folder` to write")
	return func(_ context.Context, _ datasets.Workshop, args []string) (datasets.Outcome, error) {
		data, err := files.Read(args[0], "give a CSV table")
		if err != nil {
			return datasets.Outcome{}, err
		}
		var questions []question
		err = files.EachRow(args[0], data, []string{"question", "reference"}, "give both", func(get func(string) string) error {
			id := fmt.Sprint(len(questions) + 1)
			questions = append(questions, question{ID: id, Question: get("question"), Reference: get("reference"), Text: get("text")})
			return nil
		})
		return finished(*folder, questions), err
	}
}

// finished is a folder of questions.
func finished(folder string, questions []question) datasets.Outcome {
	path := filepath.Join(folder, "trivia.jsonl")
	return datasets.Outcome{
		Write:  func() error { return files.WriteLines(path, questions) },
		Data:   []string{folder},
		Folder: folder,
		Tables: []datasets.Grid{{Head: []string{"questions"}, Rows: [][]string{{fmt.Sprint(len(questions))}}}},
		Next:   []string{"lore run trivia " + strings.TrimSuffix(folder, "/")},
	}
}
