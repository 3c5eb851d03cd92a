package crux

import (
	"context"
	"flag"

	"lore/datasets"
	"lore/local/files"
)

// Verbs are what can be done with data that is there.
func Verbs() []datasets.Verb {
	return []datasets.Verb{{
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
