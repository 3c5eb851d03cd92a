package build

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"lore/datasets"
	"lore/datasets/long2rag"
	"lore/datasets/long2rag/build/scripted"
	"lore/datasets/sources"
	"lore/local/files"
)

// Verbs are what can be done to make questions, and to have people check them.
func Verbs() []datasets.Verb {
	return []datasets.Verb{
		{
			Kind:  datasets.Build,
			Args:  "--questions FILE --docs DIR|FILE --model ollama:NAME",
			Short: "Make a Long²RAG dataset",
			Long: "build long2rag makes questions with documents and key points from questions to start\n" +
				"with and a corpus. A model screens the questions by five criteria, may evolve new ones\n" +
				"from them for every category and domain, splits each into sub-questions to search by,\n" +
				"and reads the best documents several times for key points with evidence copied word\n" +
				"for word. Points that say the same are merged, and those that the model finds\n" +
				"significant are kept.\n\n" +
				"build-log.jsonl in the new folder lists every refusal, repair and drop. An interrupted\n" +
				"build resumes by the same command. People then check the key points: lore build\n" +
				"long2rag sheets, and verify.",
			Example: "  lore build long2rag --questions seeds.txt --docs texts --model ollama:qwen3:8b --out mine\n" +
				"  lore build long2rag --questions seeds.txt --docs texts --model ollama:qwen3:8b --evolve 1" +
				" --domains history,biology --rerank rerank:cross:models/cross --out mine",
			Needs:   datasets.NeedsOut | datasets.NeedsWriter | datasets.NeedsSearch,
			Prompts: Prompts(),
			StandIn: scripted.Careful,
			New:     newBuild,
		},

		{
			Kind:  datasets.Build,
			Name:  "sheets",
			Args:  "DATA",
			Short: "Write sheets on which people check key points",
			Long: "sheets distributes the key points of a dataset among raters as CSV files, one each. A\n" +
				"rater fills in found_in_text (yes or no: does the text say it?) and\n" +
				"key_point_verdict (agree: it answers the question directly; neutral: background;\n" +
				"disagree: it does not belong in an answer). A share of the points goes to all\n" +
				"raters, to measure how far they agree. --missing also writes a sheet per rater on\n" +
				"which points are added that the documents hold and no row has.",
			Example: "  lore build long2rag sheets mine --raters 2 --missing --out sheets",
			Least:   1,
			Most:    1,
			New:     newSheets,
		},

		{
			Kind:  datasets.Build,
			Name:  "verify",
			Args:  "DATA SHEET...",
			Short: "Keep the key points that people confirmed, and measure how far they agree",
			Long: "verify reads filled-in sheets, keeps the key points that more than half of their\n" +
				"raters found in the text and agree to be key points, and prints the free-marginal\n" +
				"multi-rater kappa over the points that all raters judged.\n\n" +
				"A table shows, by threshold of significance, which share of the points people did not\n" +
				"confirm and which share of the confirmed ones would be lost; --fit-threshold chooses the\n" +
				"one with the largest F1. Build with --threshold 0 to have all points on the sheets. With\n" +
				"sheets of missing points it prints how many of all key points were extracted.",
			Example: "  lore build long2rag verify mine sheets/rater1.csv sheets/rater2.csv --out verified.jsonl\n" +
				"  lore build long2rag verify mine sheets/*.csv --fit-threshold",
			Least: 2,
			Most:  -1,
			New:   newVerify,
		},
	}
}

// options are the flags of a build.
type options struct {
	questions, docs, domains string
	evolve, criteria, rounds int
	threshold                float64
}

func newBuild(fl *flag.FlagSet) datasets.Job {
	var o options
	fl.StringVar(&o.questions, "questions", "", "`file` of questions to start with: a line each, "+
		"a table with a column question, or JSON")
	fl.StringVar(&o.docs, "docs", "", "corpus: a `folder`, or a file: "+sources.Endings)
	fl.IntVar(&o.evolve, "evolve", 0, "new questions per category, domain and method; 0 keeps the given ones")
	fl.StringVar(&o.domains, "domains", strings.Join(long2rag.Domains, ","),
		"comma-separated domains to evolve questions for")
	fl.IntVar(&o.criteria, "criteria", LeastCriteria, "how many of the five criteria a question must meet, 0 to 5")
	fl.IntVar(&o.rounds, "rounds", 2, "how often each document is read for key points")
	fl.Float64Var(&o.threshold, "threshold", Threshold, "least significance of a key point, 0 to 1")

	return func(ctx context.Context, w datasets.Workshop, _ []string) (datasets.Outcome, error) {
		return o.run(ctx, w)
	}
}

// mostRounds is how often a document may be read for more points.
const mostRounds = 20

func (o options) check(model string) error {
	switch {
	case o.questions == "" || o.docs == "" || model == "":
		return datasets.Usagef("build long2rag needs --questions, --docs and --model")
	case o.evolve < 0:
		return datasets.Usagef("--evolve cannot be negative")
	case o.evolve > 0 && len(datasets.List(o.domains, ",")) == 0:
		return datasets.Usagef("--evolve needs --domains")
	case o.criteria < 0 || o.criteria > 5:
		return datasets.Usagef("--criteria is from 0 to 5")
	case o.rounds < 1 || o.rounds > mostRounds:
		return datasets.Usagef("--rounds is from 1 to %d", mostRounds)
	case !(o.threshold >= 0 && o.threshold <= 1):
		return datasets.Usagef("--threshold is from 0 to 1")
	}
	return nil
}

// dataFile holds the questions of a build; the verified ones lie beside it.
const dataFile = "questions.jsonl"

func (o options) run(ctx context.Context, w datasets.Workshop) (datasets.Outcome, error) {
	var none datasets.Outcome
	if err := o.check(w.Model()); err != nil {
		return none, err
	}
	if err := sources.Apart(o.docs, w.Out()); err != nil {
		return none, err
	}
	path := filepath.Join(w.Out(), dataFile)
	if err := w.Fresh(path); err != nil {
		return none, err
	}

	data, err := files.Read(o.questions, "give questions, a line each")
	if err != nil {
		return none, err
	}
	seeds, notes, err := ReadSeeds(o.questions, data)
	if err != nil {
		return none, err
	}

	docs, err := sources.Read(ctx, o.docs, sources.Options{
		Out:   w.Out(),
		Named: map[string]string{"--questions": o.questions},
	})
	if err != nil {
		return none, err
	}
	corpus := datasets.Texts(docs.Documents)

	b := o.builder(w, docs.Documents)
	if b.Session, err = w.Writer(ctx, Window(corpus), Prompts(), long2rag.Benchmark{}.Prompts()); err != nil {
		return none, err
	}
	for _, note := range notes {
		b.Note("read", "", 0, "%s", note)
		w.Note(note)
	}
	docs.Log(b.Session, w)
	questions, err := b.Build(ctx, seeds, corpus)
	if err != nil {
		return datasets.Outcome{Log: b.Log()}, err
	}
	return b.outcome(w, questions, path), nil
}

func (o options) builder(w datasets.Workshop, docs []datasets.Document) *Builder {
	return &Builder{
		Domains:   datasets.List(o.domains, ","),
		Evolve:    o.evolve,
		Criteria:  o.criteria,
		Rounds:    o.rounds,
		Threshold: o.threshold,
		Seed:      w.Seed(),
		Warn:      w.Warn,
		Find: func(ctx context.Context, questions []datasets.Search) ([][]string, error) {
			return w.Find(ctx, docs, questions, long2rag.Shown)
		},
	}
}

// outcome is the data with what became of everything.
func (b *Builder) outcome(w datasets.Workshop, questions []long2rag.Question, path string) datasets.Outcome {
	r := b.Report()
	out := datasets.Outcome{Log: b.Log(), Tables: r.grids(b.Threshold)}
	if len(questions) == 0 {
		out.Missing = fmt.Sprintf("%v of %d", ErrNothing, r.Seeds)
		if r.Screened == 0 {
			out.Missing += "; screening left all of them out"
		}
		return out
	}

	out.Write = func() error { return files.WriteLines(path, questions) }
	out.Data, out.Folder = []string{path}, w.Out()
	out.Next = []string{"lore build long2rag sheets " + w.Out(), "lore run long2rag " + path}
	if r.Dropped+r.Unscored+r.Unread > 0 {
		out.Missing = fmt.Sprintf("%d questions were lost on the way, %d documents could not be read for key points, "+
			"and %d points have no score", r.Dropped, r.Unread, r.Unscored)
	}
	return out
}

// share words a part of something with its percentage.
func share(n, of int) string {
	if of == 0 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%d (%.1f %%)", n, 100*float64(n)/float64(of))
}

// grids show what became of questions and of points, and how significant these are.
func (r Report) grids(threshold float64) []datasets.Grid {
	out := []datasets.Grid{
		{
			Head: []string{"questions given", "screened in", "evolved", "built", "refused replies", "questions lost"},
			Rows: [][]string{{
				fmt.Sprint(r.Seeds), share(r.Screened, r.Seeds), fmt.Sprint(r.Evolved),
				fmt.Sprint(r.Questions), fmt.Sprint(r.Refused), fmt.Sprint(r.Dropped),
			}},
		},
		{
			Head: []string{
				"points read", "tag repaired", "rejected",
				"after merging", "mappings repaired", "without a score", "kept",
			},
			Rows: [][]string{{
				fmt.Sprint(r.Points), fmt.Sprint(r.Repaired), share(r.Rejected, r.Points), fmt.Sprint(r.Merged),
				fmt.Sprint(r.Unpartitioned), share(r.Unscored, r.Merged), share(r.Kept, r.Merged),
			}},
			Note: fmt.Sprintf("rejected: without evidence that stands in the document word for word; "+
				"kept: significance of at least %g", threshold),
		},
	}

	scored := 0
	for _, n := range r.Histogram {
		scored += n
	}
	if scored == 0 {
		return out
	}

	g := datasets.Grid{
		Title: "Significance",
		Head:  []string{"from", "to", "points", "share", "share so far"},
		Note:  "exp(YES) / (exp(YES) + exp(NO)) from the model's token probabilities",
	}

	sum := 0
	percent := func(n int) string { return fmt.Sprintf("%.1f", 100*float64(n)/float64(scored)) }
	for i, n := range r.Histogram {
		sum += n
		from, to := fmt.Sprintf("%.1f", float64(i)/10), fmt.Sprintf("%.1f", float64(i+1)/10)
		g.Rows = append(g.Rows, []string{from, to, fmt.Sprint(n), percent(n), percent(sum)})
	}
	return append(out, g)
}

// folderOf is the folder of a built dataset, which is named by it or by its file of questions.
func folderOf(data string) string {
	if info, err := os.Stat(data); err == nil && info.IsDir() {
		return data
	}
	return filepath.Dir(data)
}

// builtQuestions reads the questions of a built dataset, by folder or file.
func builtQuestions(path string) ([]long2rag.Question, error) {
	if folderOf(path) == path {
		path = filepath.Join(path, dataFile)
	}
	data, err := files.Read(path, "give a folder that lore build long2rag has written, or its file of questions")
	if err != nil {
		return nil, err
	}
	return long2rag.ReadQuestions(path, data)
}

func newSheets(fl *flag.FlagSet) datasets.Job {
	out := fl.String("out", "sheets", "output `folder`")
	raters := fl.Int("raters", 2, "number of raters")
	shared := fl.Float64("shared", 0.1, "share of the points that all raters judge")
	seed := fl.Uint64("seed", 1, "seed of the deal")
	missing := fl.Bool("missing", false, "also a sheet per rater to add points that the documents hold and no row has")
	semicolons := fl.Bool("semicolons", false, "part cells by semicolons, as spreadsheets of many countries want it")

	return func(_ context.Context, _ datasets.Workshop, args []string) (datasets.Outcome, error) {
		switch {
		case *raters < 1 || *raters > 100:
			return datasets.Outcome{}, datasets.Usagef("--raters is from 1 to 100")
		case !(*shared >= 0 && *shared <= 1):
			return datasets.Outcome{}, datasets.Usagef("--shared is from 0 to 1")
		case *out == "":
			return datasets.Outcome{}, datasets.Usagef("--out names the folder to write")
		}

		questions, err := builtQuestions(args[0])
		if err != nil {
			return datasets.Outcome{}, err
		}
		sheets, err := Sheets(questions, *raters, *shared, *seed, *semicolons)
		if err != nil {
			return datasets.Outcome{}, err
		}

		dealt := make([]datasets.Sheet, len(sheets))
		for i, data := range sheets {
			dealt[i] = datasets.Sheet{Name: fmt.Sprintf("rater%d.csv", i+1), Data: data}
		}
		if *missing {
			added, err := MissingSheets(questions, *raters, *seed, *semicolons)
			if err != nil {
				return datasets.Outcome{}, err
			}
			for i, data := range added {
				dealt = append(dealt, datasets.Sheet{Name: fmt.Sprintf("missing%d.csv", i+1), Data: data})
			}
		}
		lines, err := datasets.WriteSheets(*out, dealt, "choose another --out")
		if err != nil {
			return datasets.Outcome{}, err
		}
		next := fmt.Sprintf("when they are filled in, lore build long2rag verify %s %s",
			args[0], filepath.Join(*out, "*.csv"))
		return datasets.Outcome{Lines: lines, Next: []string{next}}, nil
	}
}
