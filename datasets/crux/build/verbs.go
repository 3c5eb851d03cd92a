package build

import (
	"context"
	"flag"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"lore/datasets"
	"lore/datasets/crux"
	"lore/datasets/sources"
	"lore/datasets/stage"
	"lore/judge"
	"lore/local/files"
)

// Verbs are what can be done to make topics.
func Verbs() []datasets.Verb {
	return []datasets.Verb{{
		Kind:  datasets.Build,
		Args:  "--docs DIR --pairs FILE | --msrs DIR",
		Short: "Make a CRUX dataset",
		Long: "build crux makes topics and passages from summaries that people wrote and the\n" +
			"documents they wrote them from. A model splits each document into passages, and\n" +
			"makes a request and sub-questions of each summary; a judge grades every passage by\n" +
			"every question, a model all questions on a passage in one call. Replies are checked and\n" +
			"asked for again with the reason.\n\n" +
			"build-log.jsonl in the new folder lists every refusal and drop. An interrupted build\n" +
			"resumes by the same command.",
		Example: "  lore build crux --docs texts --pairs pairs.jsonl --model ollama:qwen3:8b" +
			" --judge lexical --out mine\n" +
			"  lore build crux --msrs MSRS/story --limit 20 --model ollama:qwen3:8b" +
			" --judge ollama:qwen3:8b --out mine",
		Needs:   datasets.NeedsOut | datasets.NeedsWriter | datasets.NeedsJudge,
		Writing: stage.Decoding{Temperature: 0.7, TopP: 0.95}, // as in the paper
		Prompts: Prompts(),
		New:     newBuild,
	}}
}

// options are the flags of a build.
type options struct {
	docs, pairs, msrs     string
	limit, questions, eta int

	rubric, example string
	oneByOne        bool
}

func newBuild(fl *flag.FlagSet) datasets.Job {
	var o options
	fl.StringVar(&o.docs, "docs", "", "`folder`, or a file: "+sources.Endings)
	fl.StringVar(&o.pairs, "pairs", "", "`file` with lines of JSON: id, summary, documents")
	fl.StringVar(&o.msrs, "msrs", "", "take pairs from an MSRS `folder`: reference answers with their gold documents")
	fl.IntVar(&o.limit, "limit", 0, "use only the first N pairs; 0 is all")
	fl.IntVar(&o.questions, "questions", 10, "sub-questions per summary")
	fl.IntVar(&o.eta, "eta", 3, "least grade that makes a passage relevant")
	fl.StringVar(&o.example, "example", "",
		"`file` with lines of JSON, summary and request, that show the model what requests are like")
	fl.BoolVar(&o.oneByOne, "one-by-one", false, "ask a model that judges each question in a call of its own, as the paper does")
	fl.StringVar(&o.rubric, "rubric", ownRubric, "what a model that judges grades by: lore, how fully a passage answers, or paper, "+
		"how relevant, complete and accurate it is")

	return func(ctx context.Context, w datasets.Workshop, _ []string) (datasets.Outcome, error) {
		return o.run(ctx, w)
	}
}

func (o options) check(model string) error {
	own, fromMSRS := o.docs != "" && o.pairs != "", o.msrs != ""
	half := (o.docs != "") != (o.pairs != "")
	switch {
	case own == fromMSRS || half:
		return datasets.Usagef("build crux needs either --docs and --pairs, or --msrs")
	case model == "":
		return datasets.Usagef("build crux needs --model ollama:NAME, which writes passages and questions")
	case o.limit < 0:
		return datasets.Usagef("--limit cannot be negative")
	case o.questions < 1 || o.questions > 50:
		return datasets.Usagef("--questions is from 1 to 50")
	case !slices.Contains(rubrics, o.rubric):
		return datasets.Usagef("--rubric is %s, not %q", strings.Join(rubrics, " or "), o.rubric)
	case o.eta < 1 || o.eta > crux.MaxGrade:
		return datasets.Usagef("--eta is from 1 to %d", crux.MaxGrade)
	}
	return nil
}

func (o options) run(ctx context.Context, w datasets.Workshop) (datasets.Outcome, error) {
	var none datasets.Outcome
	if err := o.check(w.Model()); err != nil {
		return none, err
	}
	if err := sources.Apart(o.docs, w.Out()); err != nil {
		return none, err
	}
	if err := w.Fresh(filepath.Join(w.Out(), crux.TopicsFile)); err != nil {
		return none, err
	}

	pairs, texts, read, err := o.sources(ctx, w)
	if err != nil {
		return none, err
	}
	if o.limit > 0 && o.limit < len(pairs) {
		pairs = pairs[:o.limit]
	}

	b := &Builder{Questions: o.questions, Eta: o.eta, Graded: w.Start}
	if o.example != "" {
		data, err := files.Read(o.example, "give lines of JSON with summary and request")
		if err != nil {
			return none, err
		}
		if b.Examples, err = ReadExamples(o.example, data); err != nil {
			return none, err
		}
	}
	if b.Judge, err = o.judge(ctx, w); err != nil {
		return none, err
	}
	if b.Session, err = w.Writer(ctx, 0, Prompts(), crux.Benchmark{}.Prompts()); err != nil {
		return none, err
	}

	read.Log(b.Session, w)
	if n := unused(pairs, texts); n > 0 {
		w.Note(fmt.Sprintf("%d of %d documents are in no pair, and make no passages", n, len(texts)))
	}
	topics, passages, err := b.Build(ctx, pairs, texts)
	if err != nil {
		return datasets.Outcome{Log: b.Log()}, err
	}
	return b.outcome(w, topics, passages, len(pairs)), nil
}

// unused counts the documents that no pair names.
func unused(pairs []Pair, texts map[string]string) int {
	named := map[string]bool{}
	for _, p := range pairs {
		for _, id := range p.Documents {
			named[id] = true
		}
	}
	return len(texts) - len(named)
}

// judge is the only judge. It reads each passage once for all questions, unless it is told not to.
func (o options) judge(ctx context.Context, w datasets.Workshop) (judge.Judge, error) {
	how := datasets.Grading{Together: !o.oneByOne}
	if o.rubric == paperRubric {
		how.Prompts = PaperRubric()
	}

	judges, err := w.Judges(ctx, how)
	if err != nil {
		return nil, err
	}
	if len(judges) != 1 {
		return nil, datasets.Usagef("--judge takes exactly one judge, not %d", len(judges))
	}
	return judges[0], nil
}

// sources reads pairs and documents.
func (o options) sources(ctx context.Context, w datasets.Workshop) ([]Pair, map[string]string, *sources.Reading, error) {
	if o.msrs != "" {
		pairs, texts, err := fromMSRS(w, o.msrs)
		return pairs, texts, &sources.Reading{}, err
	}

	docs, err := sources.Read(ctx, o.docs, sources.Options{
		Out:      w.Out(),
		Named:    map[string]string{"--pairs": o.pairs, "--example": o.example},
		Referred: true,
	})
	if err != nil {
		return nil, nil, nil, err
	}
	texts := datasets.Texts(docs.Documents)

	data, err := files.Read(o.pairs, "give lines of JSON with id, summary and documents")
	if err != nil {
		return nil, nil, nil, err
	}
	pairs, err := ReadPairs(o.pairs, data, docs)
	return pairs, texts, docs, err
}

// fromMSRS makes pairs of queries with gold documents: their first reference is the
// summary.
func fromMSRS(w datasets.Workshop, dir string) ([]Pair, map[string]string, error) {
	ds, err := w.Load("msrs", []string{dir})
	if err != nil {
		return nil, nil, err
	}
	corpus := ds.Corpora[0]

	var pairs []Pair
	for _, it := range ds.Items {
		var gold []string
		for _, d := range corpus.Documents {
			if it.Query().Gold[d.ID] > 0 {
				gold = append(gold, d.ID)
			}
		}

		referenced, ok := it.(datasets.Referenced)
		if ok && len(gold) > 0 {
			pairs = append(pairs, Pair{ID: "s" + it.ID(), Summary: referenced.References()[0], Documents: gold})
		}
	}
	return pairs, datasets.Texts(corpus.Documents), nil
}

// outcome is the dataset with what became of the pairs.
func (b *Builder) outcome(
	w datasets.Workshop, topics []crux.Topic, passages []crux.Passage, asked int,
) datasets.Outcome {
	out := datasets.Outcome{
		Log: b.Log(),
		Tables: []datasets.Grid{{
			Head: []string{"pairs", "topics", "passages", "passages left out", "refused replies", "grades not read", "dropped"},
			Rows: [][]string{{
				fmt.Sprint(asked), fmt.Sprint(len(topics)), fmt.Sprint(len(passages)), fmt.Sprint(b.LeftOut),
				fmt.Sprint(b.Refused()), fmt.Sprint(b.Ungraded), fmt.Sprint(b.Dropped()),
			}},
		}},
	}
	if len(topics) == 0 {
		out.Missing = fmt.Sprintf("no topic was built of %d pairs", asked)
		return out
	}

	out.Write = func() error { return crux.Write(w.Out(), topics, passages) }
	out.Data, out.Folder = []string{w.Out()}, w.Out()
	out.Next = []string{"lore run crux " + w.Out()}
	if b.Dropped()+b.Ungraded+b.LeftOut > 0 {
		out.Missing = fmt.Sprintf("%d pairs or documents were dropped, %d passages left out for their length, "+
			"and %d grades could not be read", b.Dropped(), b.LeftOut, b.Ungraded)
	}
	return out
}
