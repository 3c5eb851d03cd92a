package long2rag

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"lore/datasets"
	"lore/datasets/rows"
	"lore/local/files"
)

// Verbs are what can be done with data that is there.
func Verbs() []datasets.Verb {
	return []datasets.Verb{
		{
			Kind:  datasets.Import,
			Args:  "FILE|DIR",
			Short: "Turn a file of questions into lines of lore's own form",
			Long: "import long2rag reads a list or lines of JSON, or Parquet, whose fields may have other\n" +
				"names, checks them, and writes questions.jsonl in lore's own form with its hash. --map\n" +
				"says which name a field has: id, question, category, domain, documents, documents.id,\n" +
				"documents.title, documents.text, key_points, key_points.id, key_points.text,\n" +
				"key_points.spans, key_points.documents.",
			Example: "  lore data import long2rag published.json --map question=query,documents.text=content" +
				" --out mine",
			Least: 1,
			Most:  1,
			New:   newImport,
		},

		{
			Kind:  datasets.Verify,
			Args:  "FILE|DIR",
			Short: "Check a file of questions against the published counts",
			Least: 1,
			Most:  1,
			New:   func(*flag.FlagSet) datasets.Job { return verify },
		},
	}
}

func newImport(fl *flag.FlagSet) datasets.Job {
	out := fl.String("out", "long2rag", "output `folder`, or a file that ends in .jsonl, which has no hash beside it")
	mapping := fl.String("map", "", "comma-separated FIELD=NAME where the file's names are not found by themselves")

	return func(ctx context.Context, w datasets.Workshop, args []string) (datasets.Outcome, error) {
		var none datasets.Outcome
		fields, err := ReadMapping(*mapping)
		if err != nil {
			return none, datasets.Usagef("--map: %v", err)
		}
		questions, err := toImport(args[0], fields)
		if err != nil {
			return none, err
		}

		path, folder := *out, ""
		if !strings.EqualFold(filepath.Ext(path), ".jsonl") {
			path, folder = filepath.Join(*out, questionsFile), *out
		}
		if err := w.Fresh(path); err != nil {
			return none, err
		}
		if folder != "" {
			if err := files.MkdirAll(folder); err != nil {
				return none, fmt.Errorf("make the folder for the data: %w", err)
			}
		}
		if err := files.WriteLines(path, questions); err != nil {
			return none, err
		}

		done, err := verify(ctx, w, []string{*out})
		if folder != "" {
			done.Data, done.Folder = []string{folder}, folder
		}
		return done, err
	}
}

// questionsFile is the file of a folder that lore writes.
const questionsFile = "questions.jsonl"

// toImport reads the questions of a file, or of the one file of a folder that holds some.
func toImport(path string, fields Mapping) ([]Question, error) {
	isFolder, err := files.IsFolder(path, "give the published file, or its folder")
	if err != nil {
		return nil, err
	}
	if isFolder {
		if err := datasets.RefuseOwn(Benchmark{}.Name(), path); err != nil {
			return nil, err
		}
		own, foreign, err := below(path, fields)
		if err != nil {
			return nil, err
		}
		found := slices.Concat(own, foreign)
		switch {
		case len(found) == 0:
			return nil, datasets.NoSet(Benchmark{}.Name(), path, wanted, near(path))
		case len(found) > 1:
			return nil, datasets.SeveralSets("lore data import long2rag", path, found)
		}
		path = found[0]
	}

	if strings.EqualFold(filepath.Ext(path), ".parquet") {
		var lines []byte
		err := rows.Each(path, func(_ int, row map[string]any) error {
			line, err := json.Marshal(rows.Plain(row))
			lines = append(append(lines, line...), '\n')
			return err
		})
		if err != nil {
			return nil, err
		}
		return ReadMapped(path, lines, fields)
	}
	data, err := files.Read(path, "give the published file")
	if err != nil {
		return nil, err
	}
	return ReadMapped(path, data, fields)
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
		Next: []string{"lore run long2rag " + files.Quoted(args[0])},
	}, nil
}
