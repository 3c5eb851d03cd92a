package crux

import (
	"context"
	"flag"
	"fmt"
	"path/filepath"
	"strings"

	"lore/datasets"
	"lore/judge"
	"lore/local/files"
)

// Verbs are what can be done with data that is there.
func Verbs() []datasets.Verb {
	return []datasets.Verb{newImportVerb(), {
		Kind:  datasets.Analyse,
		Args:  "[DATA...]",
		Short: "Analyse the data's own grades, and score recorded runs by them",
		Long: "score crux analyses the data's own grades: how the figures of a context correlate over random\n" +
			"contexts, how they grow with its size, what the data holds, and, with --human, how far people\n" +
			"agree with the grades. With --run it scores recorded TREC runs by the grades instead, at every\n" +
			"size of --k and threshold of --eta. No model is asked, but by --judge: it grades reports, which\n" +
			"are copied from the contexts of --run, or which people labelled (--human FOLDER).",
		Example: "  lore score crux\n  lore score crux mine --run bm25.trec,dense.trec --k ideal,10,20\n" +
			"  lore score crux crux-labeling LANCER --run LANCER\n  lore score crux mine --human grades.jsonl --format md",
		Most:  -1,
		Needs: datasets.NeedsOut | datasets.NeedsJudge,
		New:   newAnalysis,
	}}
}

// analysis is what lore score crux is asked for.
type analysis struct {
	contexts, sample    int
	human, runs, k, eta string
}

func newAnalysis(fl *flag.FlagSet) datasets.Job {
	var a analysis
	fl.IntVar(&a.contexts, "contexts", Contexts, "random contexts per topic")
	fl.StringVar(&a.human, "human", "",
		"people's labels: a `path` of a file, lines of JSON: topic, passage, question (from 1), grades (one per rater), "+
			"or a folder with the released study's")
	fl.StringVar(&a.runs, "run", "", "TREC runs to score: comma-separated `files`, and folders with *.run and *.trec below")
	fl.IntVar(&a.sample, "sample", 0, "random contexts per run of --run: 10 passages of its first 50 (the paper's Figure 5 has 16)")
	fl.StringVar(&a.k, "k", "ideal", "sizes of the context for --run, comma-separated `numbers`; ideal: as many as each topic requires")
	fl.StringVar(&a.eta, "eta", "", "minimum `grades`, 1 to 5, that count as answering a question, comma-separated (default 3,5)")
	return a.do
}

// do scores runs, and analyses the grades.
func (a *analysis) do(ctx context.Context, w datasets.Workshop, args []string) (datasets.Outcome, error) {
	var none datasets.Outcome
	if a.contexts < 2 {
		return none, datasets.Usagef("--contexts is at least 2")
	}
	if a.sample < 0 || a.sample > 0 && a.runs == "" {
		return none, datasets.Usagef("--sample is a number of contexts per run: it needs --run")
	}
	if a.runs == "" && a.k != Size(0).String() {
		return none, datasets.Usagef("--k is the size of contexts of --run, which is not given")
	}
	etas, err := readEtas(a.eta)
	if err != nil {
		return none, datasets.Usagef("%v", err)
	}
	sizes, err := readSizes(a.k)
	if err != nil {
		return none, err
	}

	b := Benchmark{Etas: etas}
	ds, err := b.Load(args) // by thresholds of its own, which decide what is required
	if err != nil {
		return none, err
	}
	for _, warning := range ds.Warnings {
		w.Warn(warning)
	}
	judges, err := a.judges(ctx, w)
	if err != nil {
		return none, err
	}
	var out datasets.Outcome
	if a.runs == "" {
		out.Tables = append(b.Analysis(ds, a.contexts, w.Seed()), b.statistics(ds))
	} else if err := a.scoreRuns(ctx, w, b, ds, sizes, judges, &out); err != nil {
		return none, err
	}
	people, open, err := a.people(ctx, w, b, ds, judges)
	out.Tables = append(out.Tables, people...)
	if figures, ok := out.JSON.(map[string]any); ok {
		figures["tables"] = datasets.Plain(out.Tables)
	}
	if open > 0 {
		out.Missing = fmt.Sprintf("judges left %d questions on reports open", open)
	}
	return out, err
}

// isStudy tells a folder of people's labels from a file.
func (a *analysis) isStudy() (bool, error) {
	if a.human == "" {
		return false, nil
	}
	return files.IsFolder(a.human, "give people's labels, or the folder of the released study")
}

// judges opens those of --judge, which grade reports: those that people labelled, or that are copied from
// the contexts of runs.
func (a *analysis) judges(ctx context.Context, w datasets.Workshop) ([]judge.Judge, error) {
	judges, err := w.Judges(ctx, datasets.Grading{})
	if err != nil || len(judges) == 0 {
		return nil, err
	}
	study, err := a.isStudy()
	switch {
	case err != nil:
		return nil, err
	case !study && a.runs == "":
		return nil, datasets.Usagef("--judge grades reports: give --run, or the folder of a study as --human")
	case a.runs != "" && len(judges) > 1:
		return nil, datasets.Usagef("--run takes one judge, not %d", len(judges))
	}
	return judges, nil
}

// people compares people with each other, with the data's grades and with judges.
func (a *analysis) people(ctx context.Context, w datasets.Workshop, b Benchmark, ds *datasets.Dataset, judges []judge.Judge) (
	tables []datasets.Grid, open int, err error) {
	study, err := a.isStudy()
	switch {
	case err != nil:
		return nil, 0, err
	case a.human == "":
		return nil, 0, nil
	case study:
		p, err := readPeople(a.human)
		if err != nil {
			return nil, 0, err
		}
		return b.peopleTables(ctx, ds, p, judges, w.Warn)
	}
	labels, err := files.Read(a.human, "give lines of JSON: topic, passage, question, grades")
	if err != nil {
		return nil, 0, err
	}
	g, err := b.Human(ds, a.human, labels)
	return []datasets.Grid{g}, 0, err
}

// scoreRuns adds the tables of recorded runs, and their figures for programs.
func (a *analysis) scoreRuns(ctx context.Context, w datasets.Workshop, b Benchmark, ds *datasets.Dataset, sizes []Size,
	judges []judge.Judge, out *datasets.Outcome) error {
	names, err := runFiles(a.runs)
	if err != nil {
		return err
	}
	runs, err := readRuns(ds, names)
	if err != nil {
		return err
	}
	for _, doubt := range runDoubts(ds, runs, sizes) {
		w.Warn(doubt)
	}
	all := measureRuns(ds, runs, sizes)
	if len(judges) > 0 {
		for _, k := range sizes {
			all = append(all, boundsAt(ds, k)...)
		}
		if all, err = withReports(ctx, w, ds, all, judges[0]); err != nil {
			return err
		}
	}
	out.Tables = append(out.Tables, b.runTables(all, sizes)...)
	out.JSON = map[string]any{"runs": all}
	unscored := 0
	for _, f := range all {
		unscored += f.Unscored
	}
	if unscored > 0 {
		out.Missing = fmt.Sprintf("%d figures of reports are unscored", unscored)
	}
	if a.sample == 0 {
		return nil
	}

	drawn := measureRuns(ds, sample(ds, runs, a.sample, w.Seed()), []Size{sampleSize})
	if len(judges) > 0 {
		if drawn, err = withReports(ctx, w, ds, drawn, judges[0]); err != nil {
			return err
		}
	}
	g := b.runTau("Do the figures order random contexts alike?", chosen(drawn, sampleSize, leftOut))
	g.Note = fmt.Sprintf("over the means of %d contexts per run, each %s passages drawn from the first %d, η %d, seed %d",
		a.sample, sampleSize, sampleFrom, b.etas()[0], w.Seed())
	out.Tables = append(out.Tables, datasets.Filled(g)...)
	return nil
}

// withReports adds reports to the figures of contexts without what is not there, size by size.
func withReports(ctx context.Context, w datasets.Workshop, ds *datasets.Dataset, all []RunFigures, j judge.Judge) ([]RunFigures, error) {
	by := map[string][]RunFigures{}
	var sizes []string
	var out []RunFigures
	for _, f := range all {
		if f.Absent != string(leftOut) {
			out = append(out, f)
			continue
		}
		if by[f.K] == nil {
			sizes = append(sizes, f.K)
		}
		by[f.K] = append(by[f.K], f)
	}
	for _, k := range sizes {
		if err := addReports(ctx, ds, by[k], j, w.Start); err != nil {
			return nil, err
		}
		out = append(out, by[k]...)
	}
	return byTopic(ds, out), nil
}

func newImportVerb() datasets.Verb {
	return datasets.Verb{
		Kind:  datasets.Import,
		Args:  "DIR...",
		Short: "Put released files together in lore's layout",
		Long: "import crux finds report requests, questions, passages and grades in the released files\n" +
			"below one or more folders, checks that they fit each other, says what it leaves out, and\n" +
			"writes topics.jsonl and passages.jsonl with their hash.",
		Example: "  lore data import crux crux-labeling LANCER --out duc04",
		Least:   1,
		Most:    -1,
		New:     newImport,
	}
}

func newImport(fl *flag.FlagSet) datasets.Job {
	out := fl.String("out", "crux", "output `folder`")
	return func(_ context.Context, w datasets.Workshop, args []string) (datasets.Outcome, error) {
		var none datasets.Outcome
		folder, err := locate(args)
		if err != nil {
			return none, err
		}
		if folder != "" {
			return none, datasets.AlreadyOwn(Benchmark{}.Name(), folder)
		}
		put, err := putTogether(args)
		if err != nil {
			return none, err
		}
		for _, warning := range put.warnings {
			w.Warn(warning)
		}

		if err := w.Fresh(filepath.Join(*out, TopicsFile)); err != nil {
			return none, err
		}
		runs, err := put.placeRuns()
		if err != nil {
			return none, err
		}
		questions := 0
		for _, t := range put.topics {
			for _, q := range t.Questions {
				if strings.TrimSpace(q) != "" {
					questions++
				}
			}
		}
		if there, all := ranked(runs); there < all {
			w.Warn(fmt.Sprintf("%d of %d passages that %d runs rank are not there: they are left out, and those behind them move up",
				all-there, all, len(runs)))
		}
		return datasets.Outcome{
			Write:  func() error { return put.write(*out, runs) },
			Data:   []string{*out},
			Folder: *out,
			Tables: []datasets.Grid{{
				Head: []string{"topics", "questions", "passages", "runs"},
				Rows: [][]string{{
					fmt.Sprint(len(put.topics)), fmt.Sprint(questions), fmt.Sprint(len(put.passages)), fmt.Sprint(len(runs)),
				}},
			}},
			Next: afterImport(*out, runs),
		}, nil
	}
}
