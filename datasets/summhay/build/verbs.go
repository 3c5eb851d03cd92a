package build

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"lore/datasets"
	"lore/datasets/sources"
	"lore/datasets/stage"
	"lore/datasets/summhay"
	"lore/datasets/summhay/build/scripted"
	"lore/judge"
	"lore/judge/lexical"
	"lore/local/files"
)

// Verbs are what can be done to make haystacks.
func Verbs() []datasets.Verb {
	return []datasets.Verb{
		{
			Kind:  datasets.Build,
			Args:  "--docs DIR|FILE | --topic TEXT",
			Short: "Synthesise and verify a SummHay haystack",
			Long: "build summhay makes a haystack in the published format, with a model that writes and\n" +
				"checks. From --docs, documents of your own, come the subtopics and insights of news\n" +
				"articles; from --topic alone, those of conversations. Each insight is planned for\n" +
				"several documents; a document is written, and edited until an audit finds that it\n" +
				"says what was planned and no other insight, or five times: then it is kept, and\n" +
				"what the audit finds stands in the data. A table counts what each check found.\n\n" +
				"No checker is trusted alone. It is tried on a text of which the answers are known, and\n" +
				"the build stops if it is of no use. Word overlap has an opinion on every statement,\n" +
				"too, and the two are weighed by how often each errs, which the documents show:\n" +
				"statements on which checks fail again and again are worded anew, or retired. The\n" +
				"table says how many labels are wrong by estimate, with an interval. --judge adds the\n" +
				"opinion of a judge that errs otherwise, nli:DIR or ollama:NAME; --checker has another\n" +
				"model check than the one that writes.\n\n" +
				"Documents are read from " + sources.Endings + ".\n" +
				"--estimate says what it will cost before anything is made. build-log.jsonl in the new\n" +
				"folder lists every refusal and drop. An interrupted build resumes by the same command.\n\n" +
				"--export-validation N writes annotation sheets, also for an existing haystack;\n" +
				" lore build summhay validate reads them.",
			Example: "  lore build summhay --docs texts --model ollama:qwen3:8b --estimate --out mine\n" +
				"  lore build summhay --docs texts --model ollama:qwen3:8b --slots 4 --out mine\n" +
				"  lore build summhay --topic 'neighbours plan a street festival' --model ollama:qwen3:8b" +
				" --out festival",
			Needs:   datasets.NeedsOut | datasets.NeedsWriter | datasets.NeedsJudge,
			Prompts: Prompts(),
			StandIn: scripted.Careful,
			Erring:  erring,
			Writing: stage.Decoding{Temperature: 0.7},
			New:     newBuild,
		},

		{
			Kind:  datasets.Build,
			Name:  "validate",
			Args:  "HAYSTACK SHEET...",
			Short: "Measure how far people agree with a haystack",
			Long: "validate reads sheets that were written by --export-validation and filled in: for\n" +
				"insights the number of the subtopic, for documents yes or no for each statement. It\n" +
				"prints what the paper's Tables 4 and 5 do. Sheets of several people add up.",
			Example: "  lore build summhay validate mine/mine.json" +
				" mine/validation/insights.csv mine/validation/documents.csv",
			Least: 2,
			Most:  -1,
			New:   func(*flag.FlagSet) datasets.Job { return validate },
		},

		{
			Kind:  datasets.Build,
			Name:  "writing",
			Args:  "DATA...",
			Short: "Ask people for summaries, on pages that keep the time",
			Long: "writing makes pages on which people write summaries, as the paper's two annotators did\n" +
				"(section 5.3): they see the documents that hold an insight of the subtopic, and are\n" +
				"asked for what a model is asked for. A page is one file, opened in a browser without a\n" +
				"network; it keeps text and time, shows the documents while the clock runs, and saves\n" +
				"human.jsonl, a line for each summary with the minutes that it took.\n\n" +
				"lore run summhay DATA --answers human.jsonl scores them as the generator human;\n" +
				"of several writers --answers human=human1.jsonl,human=human2.jsonl.",
			Example: "  lore build summhay writing topic_news1.json topic_conv1.json --writers 2 --out writing",
			Least:   1,
			Most:    -1,
			New:     newWriting,
		},
	}
}

// options are the flags of a build.
type options struct {
	Sizes
	docs, topic, participants      string
	edits, chapters, fresh, export int
	semicolons                     bool
}

func newBuild(fl *flag.FlagSet) datasets.Job {
	var o options
	fl.StringVar(&o.docs, "docs", "", "seed documents: a `folder`, or a .jsonl file with id and text")
	fl.StringVar(&o.topic, "topic", "", "what it is about (with --docs: found by the model if not given)")
	fl.StringVar(&o.participants, "participants", "",
		"of conversations: who talks, separated by semicolons (default: invented)")

	fl.IntVar(&o.Subtopics, "subtopics", Published.Subtopics, "number of subtopics")
	fl.IntVar(&o.Insights, "insights", Published.Insights, "most insights of a subtopic; with fewer than 3 it is left out")
	fl.IntVar(&o.Documents, "documents", Published.Documents, "number of documents")
	fl.IntVar(&o.Words, "words", Published.Words, "words of a document, about")
	fl.IntVar(&o.Repeat, "repeat", Published.Repeat, "documents that each insight is planned for")

	fl.IntVar(&o.edits, "edits", 5, "maximum number of edits of a document that disagrees with its plan")
	fl.IntVar(&o.chapters, "chapter-tries", 10, "maximum number of tries of a chapter")
	fl.IntVar(&o.fresh, "replace", 2, "how often a document that cannot be mended is replaced")
	fl.IntVar(&o.export, "export-validation", 0, "write sheets for people: all insights, and `N` documents")
	fl.BoolVar(&o.semicolons, "semicolons", false, "part the cells of sheets by semicolons, as spreadsheets of many countries want it")

	return func(ctx context.Context, w datasets.Workshop, _ []string) (datasets.Outcome, error) {
		return o.run(ctx, w)
	}
}

// haystackFile is the data: named after its folder, so that several haystacks can be
// run together.
func haystackFile(out string) string {
	abs, err := filepath.Abs(out)
	if err != nil {
		abs = out
	}
	return filepath.Join(out, filepath.Base(abs)+".json")
}

func (o options) check(model string) error {
	switch {
	case o.docs == "" && o.topic == "":
		return datasets.Usagef("build summhay needs --docs, --topic, or both")
	case model == "":
		return datasets.Usagef("build summhay needs --model ollama:NAME")
	case o.docs != "" && o.participants != "":
		return datasets.Usagef("--participants is for conversations, which are made from --topic alone")
	case o.edits < 0 || o.fresh < 0:
		return datasets.Usagef("--edits and --replace cannot be negative")
	case o.chapters < 1:
		return datasets.Usagef("--chapter-tries is at least 1")
	case o.export < 0:
		return datasets.Usagef("--export-validation cannot be negative")
	}

	if err := o.Sizes.Check(); err != nil {
		return datasets.Usagef("%v", err)
	}
	return nil
}

func (o options) run(ctx context.Context, w datasets.Workshop) (datasets.Outcome, error) {
	var none datasets.Outcome
	if err := sources.Apart(o.docs, w.Out()); err != nil {
		return none, err
	}
	path := haystackFile(w.Out())
	if _, err := os.Stat(path); err == nil && o.export > 0 {
		next, err := o.writeSheets(path, w.Seed())
		return datasets.Outcome{Next: next}, err
	}
	if err := o.check(w.Model()); err != nil {
		return none, err
	}
	if err := w.Fresh(path); err != nil {
		return none, err
	}

	seeds, err := o.seeds(ctx, w.Out())
	if err != nil {
		return none, err
	}

	b := o.builder(w)
	if b.Session, err = w.Writer(ctx, b.Window(seeds.Documents), Prompts(), summhay.Benchmark{}.Prompts()); err != nil {
		return none, err
	}
	seeds.Log(b.Session, w)
	if b.Second, err = second(ctx, w); err != nil {
		return none, err
	}
	file, err := b.Build(ctx, seeds.Documents)
	if err != nil {
		return datasets.Outcome{Log: b.Log()}, err
	}
	return o.outcome(w, b, file, path), nil
}

// second is the judge that gives an opinion beside word overlap, nil if --judge names none.
func second(ctx context.Context, w datasets.Workshop) (judge.Judge, error) {
	judges, err := w.Judges(ctx, datasets.Grading{})
	if err != nil {
		return nil, err
	}

	var out judge.Judge
	for _, j := range judges {
		switch {
		case j.Name() == lexical.Judge{}.Name(): // which always has an opinion
		case out != nil:
			return nil, datasets.Usagef("build summhay takes one --judge beside lexical")
		default:
			out = j
		}
	}
	return out, nil
}

func (o options) builder(w datasets.Workshop) *Builder {
	return &Builder{
		Sizes:        o.Sizes,
		Topic:        o.topic,
		Conversation: o.docs == "",
		Participants: datasets.List(o.participants, ";"),
		Edits:        o.edits,
		Chapters:     o.chapters,
		Fresh:        o.fresh,
		Workers:      2 * w.Slots(),
		Seed:         w.Seed(),
		Judge:        lexical.Judge{},
	}
}

// seeds reads the documents; a haystack cannot be made from one alone.
func (o options) seeds(ctx context.Context, out string) (*sources.Reading, error) {
	if o.docs == "" {
		return &sources.Reading{}, nil
	}
	r, err := sources.Read(ctx, o.docs, sources.Options{LeastWords: leastSeedWords, Out: out})
	if err == nil && len(r.Documents) < 2 {
		err = &datasets.InputError{
			File:   o.docs,
			Msg:    "holds one document; a haystack is made from at least 2",
			Remedy: "add documents, or split it into its articles",
		}
	}
	return r, err
}

// outcome is the haystack with what is less than was asked for.
func (o options) outcome(w datasets.Workshop, b *Builder, file *summhay.File, path string) datasets.Outcome {
	q := b.Quality()
	out := datasets.Outcome{Log: b.Log(), Tables: []datasets.Grid{q.Grid()}}
	if file == nil || len(file.Documents) == 0 {
		out.Missing = fmt.Sprintf("no haystack was built: %d subtopics and %d documents passed",
			q.SubtopicsKept, q.DocumentsKept)
		return out
	}

	out.Tables = append(out.Tables, Assignment(file, o.Words))
	out.Data, out.Folder = []string{path}, w.Out()
	out.Next = []string{"lore run summhay " + path}
	out.Write = func() error {
		if err := summhay.WriteFile(path, file); err != nil || o.export == 0 {
			return err
		}
		_, err := o.writeSheets(path, w.Seed())
		return err
	}

	if o.export > 0 {
		out.Next = append(out.Next, sheetsNext(path))
	}

	switch mean := meanWords(file); {
	case len(file.Subtopics) < o.Subtopics || len(file.Documents) < o.Documents:
		out.Missing = fmt.Sprintf("%d of %d subtopics and %d of %d documents were made",
			len(file.Subtopics), o.Subtopics, len(file.Documents), o.Documents)
	case mean < shortText*float64(o.Words):
		out.Missing = fmt.Sprintf("the documents have %.0f words on average, not about %d; a model that writes longer texts, "+
			"or a lower --words, gives the length that was asked for", mean, o.Words)
	}
	return out
}

// sheetsFolder holds the sheets of a haystack.
func sheetsFolder(path string) string { return filepath.Join(filepath.Dir(path), "validation") }

// sheetsNext is what to do with filled-in sheets.
func sheetsNext(path string) string {
	return fmt.Sprintf("lore build summhay validate %s %s", path, filepath.Join(sheetsFolder(path), "*.csv"))
}

// writeSheets writes the sheets of a haystack, and says what to do with them. Sheets that
// are there already may be filled in, and are left alone.
func (o options) writeSheets(path string, seed uint64) (next []string, err error) {
	file, err := readHaystack(path)
	if err != nil {
		return nil, err
	}
	insights, err := InsightSheet(file, seed, o.semicolons)
	if err != nil {
		return nil, err
	}
	documents, err := DocumentSheet(file, o.export, seed, o.semicolons)
	if err != nil {
		return nil, err
	}

	_, err = datasets.WriteSheets(sheetsFolder(path), []datasets.Sheet{
		{Name: "insights.csv", Data: insights},
		{Name: "documents.csv", Data: documents},
	}, "move it away first")
	if err != nil {
		return nil, err
	}
	return []string{sheetsNext(path)}, nil
}

func readHaystack(path string) (*summhay.File, error) {
	data, err := files.Read(path, "give the haystack that the sheets are of")
	if err != nil {
		return nil, err
	}
	return summhay.Parse(path, data)
}

// validate reads filled-in sheets.
func validate(_ context.Context, _ datasets.Workshop, args []string) (datasets.Outcome, error) {
	file, err := readHaystack(args[0])
	if err != nil {
		return datasets.Outcome{}, err
	}

	var v Validation
	for _, name := range args[1:] {
		data, err := files.Read(name, "give sheets that --export-validation wrote")
		if err != nil {
			return datasets.Outcome{}, err
		}
		if err := v.Read(file, name, data); err != nil {
			return datasets.Outcome{}, err
		}
	}
	return datasets.Outcome{Tables: v.Grids()}, nil
}
