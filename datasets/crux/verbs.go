package crux

import (
	"context"
	"flag"
	"fmt"
	"path/filepath"

	"lore/datasets"
	"lore/local/files"
)

// Verbs are what can be done with data that is there.
func Verbs() []datasets.Verb {
	return []datasets.Verb{newImportVerb(), {
		Kind:  datasets.Analyse,
		Args:  "[DATA]",
		Short: "Analyse the data's own grades",
		Long: "score crux analyses the data's own grades: how the figures of a context correlate over\n" +
			"random contexts, how they grow with its size, and, with --human, how far people agree\n" +
			"with the grades.",
		Example: "  lore score crux\n  lore score crux mine --human grades.jsonl --format md",
		Most:    1,
		New:     newAnalysis,
	}}
}

func newAnalysis(fl *flag.FlagSet) datasets.Job {
	contexts := fl.Int("contexts", Contexts, "random contexts per topic")
	human := fl.String("human", "",
		"`file` of people's grades, lines of JSON: topic, passage, question (from 1), grades (one per rater)")
	seed := fl.Uint64("seed", 1, "seed of the random contexts")

	return func(_ context.Context, w datasets.Workshop, args []string) (datasets.Outcome, error) {
		if *contexts < 2 {
			return datasets.Outcome{}, datasets.Usagef("--contexts is at least 2")
		}

		ds, err := w.Load(Benchmark{}.Name(), args)
		if err != nil {
			return datasets.Outcome{}, err
		}
		out := datasets.Outcome{Tables: Benchmark{}.Analysis(ds, *contexts, *seed)}
		if *human == "" {
			return out, nil
		}

		labels, err := files.Read(*human, "give lines of JSON: topic, passage, question, grades")
		if err != nil {
			return datasets.Outcome{}, err
		}
		g, err := Benchmark{}.Human(ds, *human, labels)
		out.Tables = append(out.Tables, g)
		return out, err
	}
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
		questions := 0
		for _, t := range put.topics {
			questions += len(t.Questions)
		}
		return datasets.Outcome{
			Write:  func() error { return Write(*out, put.topics, put.passages) },
			Data:   []string{*out},
			Folder: *out,
			Tables: []datasets.Grid{{
				Head: []string{"topics", "questions", "passages"},
				Rows: [][]string{{fmt.Sprint(len(put.topics)), fmt.Sprint(questions), fmt.Sprint(len(put.passages))}},
			}},
			Next: []string{"lore run crux " + files.Quoted(*out)},
		}, nil
	}
}
