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
				"key_points.spans, key_points.documents.\n\n" +
				"It also reads the related public set: a folder key_point of ID_aggregated.json and ID.json files. The texts of\n" +
				"its documents are not public: --documents FILE has them by id, where somebody has them.",
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
			Long: "verify long2rag counts questions, documents, key points and spans, and says where these are not those of\n" +
				"the paper. Tables have the distributions of its Figures 10 to 12: questions by domain and by category,\n" +
				"and documents by their words.",
			Example: "  lore data verify long2rag mine",
			Least:   1,
			Most:    1,
			New:     func(*flag.FlagSet) datasets.Job { return verify },
		},
	}
}

func newImport(fl *flag.FlagSet) datasets.Job {
	out := fl.String("out", "long2rag", "output `folder`, or a file that ends in .jsonl, which has no hash beside it")
	mapping := fl.String("map", "", "comma-separated FIELD=NAME where the file's names are not found by themselves")
	texts := fl.String("documents", "", "`file` of the texts of documents that ID_aggregated.json files name, JSON with id and text")

	return func(ctx context.Context, w datasets.Workshop, args []string) (datasets.Outcome, error) {
		var none datasets.Outcome
		fields, err := ReadMapping(*mapping)
		if err != nil {
			return none, datasets.Usagef("--map: %v", err)
		}
		questions, related, err := toImport(args[0], fields, *texts, w.Warn)
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

		done := counted(questions, *out)
		if !related {
			done, _, err = check(ctx, w, []string{*out})
		}
		documents := slices.ContainsFunc(questions, func(q Question) bool { return len(q.Documents) > 0 })
		if folder != "" && documents { // without any it cannot be loaded by itself, to see that it is whole
			done.Data, done.Folder = []string{folder}, folder
		}
		return done, err
	}
}

// questionsFile is the file of a folder that lore writes.
const questionsFile = "questions.jsonl"

// toImport reads the questions of a file, or of the one file of a folder that holds some, or those of the related
// public set. warn is told what is odd about these.
func toImport(path string, fields Mapping, documents string, warn func(string)) (questions []Question, related bool, err error) {
	isFolder, err := files.IsFolder(path, "give the published file, or its folder")
	if err != nil {
		return nil, false, err
	}
	if isFolder {
		if err := datasets.RefuseOwn(Benchmark{}.Name(), path); err != nil {
			return nil, false, err
		}
		folders, err := aggregatedBelow(path)
		switch {
		case err != nil:
			return nil, false, err
		case len(folders) > 1:
			return nil, false, datasets.SeveralSets("lore data import long2rag", path, folders)
		case len(folders) == 1 && len(fields) > 0:
			return nil, false, datasets.Usagef("--map is for files whose names are not known, and %s holds ID_aggregated.json files, "+
				"whose names are; leave --map out", folders[0])
		case len(folders) == 1:
			questions, err = toImportAggregated(folders[0], documents, warn)
			return questions, true, err
		}
		if path, err = fileToImport(path, fields); err != nil {
			return nil, false, err
		}
	}
	if documents != "" {
		return nil, false, datasets.Usagef("--documents is for folders of ID_aggregated.json files, and %s is none", path)
	}
	if err := refuseRelated(path); err != nil && len(fields) == 0 {
		return nil, false, err
	}
	questions, err = readToImport(path, fields)
	return questions, false, err
}

func toImportAggregated(folder, documents string, warn func(string)) ([]Question, error) {
	texts := map[string]string{}
	if documents != "" {
		s := &set{corpus: &datasets.Corpus{}, texts: texts}
		if _, err := s.addCorpus(documents); err != nil {
			return nil, err
		}
	}
	read, err := readAggregated(folder, texts)
	if err != nil {
		return nil, err
	}
	if read.documents > 0 && len(texts) > 0 && read.spanned == read.documents {
		return nil, &datasets.InputError{
			File:   documents,
			Msg:    fmt.Sprintf("has none of the %d documents of questions: 0 of its %d ids match", read.documents, len(texts)),
			Remedy: fmt.Sprintf("the ids are those of the ID.json files, such as %q", firstDocument(read.questions)),
		}
	}
	for _, w := range read.warnings {
		warn(w)
	}
	return read.questions, nil
}

// firstDocument is the id of a document of questions that have some.
func firstDocument(questions []Question) string {
	for _, q := range questions {
		if len(q.Documents) > 0 {
			return q.Documents[0].ID
		}
	}
	return ""
}

// fileToImport is the one file of a folder that holds questions.
func fileToImport(path string, fields Mapping) (string, error) {
	own, foreign, err := below(path, fields)
	if err != nil {
		return "", err
	}
	found := slices.Concat(own, foreign)
	switch {
	case len(found) == 0 && extractedOf(path) != "":
		return "", refuseRelated(extractedOf(path))
	case len(found) == 0:
		return "", datasets.NoSet(Benchmark{}.Name(), path, wanted, near(path))
	case len(found) > 1:
		return "", datasets.SeveralSets("lore data import long2rag", path, found)
	}
	return found[0], nil
}

func readToImport(path string, fields Mapping) ([]Question, error) {
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

// verify counts what is there, and how it is distributed.
func verify(ctx context.Context, w datasets.Workshop, args []string) (datasets.Outcome, error) {
	done, questions, err := check(ctx, w, args)
	if err == nil {
		done.Tables = append(done.Tables, statistics(questions)...)
	}
	return done, err
}

// check loads a file of questions and counts what is there. Counts that differ from the
// published ones are said.
func check(_ context.Context, w datasets.Workshop, args []string) (datasets.Outcome, []Question, error) {
	ds, err := w.Load(Benchmark{}.Name(), args)
	if err != nil {
		return datasets.Outcome{}, nil, err
	}

	var questions []Question
	for _, it := range ds.Items {
		questions = append(questions, it.(*item).question)
	}
	for _, warning := range CheckCounts(questions) {
		w.Warn(warning)
	}

	return counted(questions, args[0]), questions, nil
}

// counted says how much there is.
func counted(questions []Question, path string) datasets.Outcome {
	documents, points, spans := 0, 0, 0
	seen := map[string]bool{}
	for _, q := range questions {
		for _, d := range q.Documents {
			if whole := d.ID + "\x00" + d.whole(); !seen[whole] {
				seen[whole] = true
				documents++
			}
		}
		points += len(q.KeyPoints)
		for _, p := range q.KeyPoints {
			spans += len(p.Spans)
		}
	}

	next := "lore run long2rag " + files.Quoted(path)
	if documents == 0 {
		next += " --corpus FILE"
	}
	return datasets.Outcome{
		Tables: []datasets.Grid{{
			Head: []string{"questions", "documents", "key points", "spans"},
			Rows: [][]string{{fmt.Sprint(len(questions)), fmt.Sprint(documents), fmt.Sprint(points), fmt.Sprint(spans)}},
		}},
		Next: []string{next},
	}
}
