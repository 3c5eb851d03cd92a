package long2rag

import (
	"context"
	"flag"
	"fmt"

	"lore/datasets"
	"lore/local/files"
)

// Verbs are what can be done with data that is there.
func Verbs() []datasets.Verb {
	return []datasets.Verb{
		{
			Kind:  datasets.Import,
			Args:  "FILE",
			Short: "Turn a published file into lines of lore's own form",
			Long: "import long2rag reads a list or lines of JSON whose fields may have other names, checks\n" +
				"them, and writes lines of lore's own form. --map says which name a field has: id,\n" +
				"question, category, domain, documents, documents.id, documents.title, documents.text,\n" +
				"key_points, key_points.id, key_points.text, key_points.spans, key_points.documents.",
			Example: "  lore data import long2rag published.json --map question=query,documents.text=content" +
				" --out long2rag.jsonl",
			Least: 1,
			Most:  1,
			New:   newImport,
		},

		{
			Kind:  datasets.Verify,
			Args:  "FILE",
			Short: "Check a file of questions against the published counts",
			Least: 1,
			Most:  1,
			New:   func(*flag.FlagSet) datasets.Job { return verify },
		},
	}
}

func newImport(fl *flag.FlagSet) datasets.Job {
	out := fl.String("out", "long2rag.jsonl", "`file` to write")
	mapping := fl.String("map", "", "comma-separated FIELD=NAME where the file's names are not found by themselves")

	return func(ctx context.Context, w datasets.Workshop, args []string) (datasets.Outcome, error) {
		fields, err := ReadMapping(*mapping)
		if err != nil {
			return datasets.Outcome{}, datasets.Usagef("--map: %v", err)
		}

		data, err := files.Read(args[0], "give the published file")
		if err != nil {
			return datasets.Outcome{}, err
		}
		questions, err := ReadMapped(args[0], data, fields)
		if err != nil {
			return datasets.Outcome{}, err
		}

		if err := w.Fresh(*out); err != nil {
			return datasets.Outcome{}, err
		}
		if err := files.WriteLines(*out, questions); err != nil {
			return datasets.Outcome{}, err
		}
		return verify(ctx, w, []string{*out})
	}
}

// verify loads a file of questions and counts what is there. Counts that differ from the
// published ones are said.
func verify(_ context.Context, w datasets.Workshop, args []string) (datasets.Outcome, error) {
	ds, err := w.Load(Benchmark{}.Name(), args)
	if err != nil {
		return datasets.Outcome{}, err
	}

	var questions []Question
	for _, it := range ds.Items {
		questions = append(questions, it.(*item).question)
	}
	for _, warning := range CheckCounts(questions) {
		w.Warn(warning)
	}

	points, spans := 0, 0
	for _, q := range questions {
		points += len(q.KeyPoints)
		for _, p := range q.KeyPoints {
			spans += len(p.Spans)
		}
	}
	return datasets.Outcome{
		Tables: []datasets.Grid{{
			Head: []string{"questions", "documents", "key points", "spans"},
			Rows: [][]string{{
				fmt.Sprint(len(questions)), fmt.Sprint(ds.Documents()), fmt.Sprint(points), fmt.Sprint(spans),
			}},
		}},
		Next: []string{"lore run long2rag " + args[0]},
	}, nil
}
