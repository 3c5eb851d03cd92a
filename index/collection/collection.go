// Package collection reads corpora, queries, judgements and runs as the field keeps them: folders of BEIR, tables of MS
// MARCO, lines of Pyserini and ir_datasets, topics of TREC, JSON, CSV and Parquet, packed by gzip or zstd or not. What a
// file is, is told from its beginning, whatever its name; only CSV and Parquet go by their ending.
package collection

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"lore/local/files"
)

// Query is a text to search by.
type Query struct {
	ID   string
	Text string
}

// What corpora and queries are read from, for errors.
const (
	corpusForm = "give lines of JSON with id and text, a table (.tsv, .csv, .parquet) with these columns, a BEIR folder, " +
		"or a folder of .txt and .md files"
	queriesForm = "give lines of JSON with id and text, lines of id, tab and text, a table with these columns, " +
		"TREC topics, or a BEIR folder"
)

// Source is a corpus that can be read, and the files it is in.
type Source struct {
	Path  string
	Files []string
	texts bool // a folder of texts, not of rows
}

// Open finds the files of a corpus: a folder of BEIR, of Pyserini (.jsonl and .json, packed or not) or of .txt and .md
// files, or a file of rows with an id, a text and perhaps a title, which is put before the text. files.Record has the
// names that are read.
func Open(path string) (Source, error) {
	s := Source{Path: path, Files: []string{path}}
	folder, err := files.IsFolder(path, corpusForm)
	if err != nil || !folder {
		return s, err
	}
	if s.Files, err = corpusFiles(path); err != nil || len(s.Files) > 0 {
		return s, err
	}

	s.texts = true
	names, err := files.TextFiles(path)
	for _, name := range names {
		s.Files = append(s.Files, filepath.Join(path, filepath.FromSlash(name)))
	}
	return s, err
}

// Each hands over the documents, one after the other; ids are unique over all files. warnings count documents without
// text; a corpus of nothing else is refused.
func (s Source) Each(do func(files.Document) error) (warnings []string, err error) {
	var texts files.Texts
	counted := func(d files.Document) error {
		texts.Add(d)
		return do(d)
	}
	if s.texts {
		err = files.EachText(s.Path, counted)
	} else {
		err = eachDocument(s.Files, counted)
	}
	if err != nil {
		return nil, err
	}
	return texts.Check(s.Path)
}

// Corpus reads the documents of what Open finds into memory.
func Corpus(path string) (docs []files.Document, warnings []string, err error) {
	s, err := Open(path)
	if err != nil {
		return nil, nil, err
	}
	warnings, err = s.Each(func(d files.Document) error {
		docs = append(docs, d)
		return nil
	})
	return docs, warnings, err
}

// eachDocument reads the rows of all files, one after the other; ids are unique over all.
func eachDocument(paths []string, do func(files.Document) error) error {
	seen := places{}
	var refused error // by do: no fault of the file
	for _, path := range paths {
		err := eachRow(path, documentColumns, corpusForm, func(place string, rec files.Record) error {
			doc, err := rec.Document()
			if err == nil {
				err = seen.add(doc.ID, path, place, len(paths) > 1)
			}
			if err != nil {
				return err
			}
			refused = do(doc)
			return refused
		})
		if err = cmp.Or(refused, err); err != nil {
			return err
		}
	}
	return nil
}

// Queries reads queries: from a folder of BEIR, of which those are taken that its test split judges, or from a file of
// rows with an id and a text, or of TREC topics, of which the title is the query. notes say what was left out.
func Queries(path string) (queries []Query, notes []string, err error) {
	folder, err := files.IsFolder(path, queriesForm)
	if err != nil {
		return nil, nil, err
	}
	if folder {
		return beirQueries(path)
	}
	queries, err = readQueries(path)
	return queries, nil, err
}

func readQueries(path string) ([]Query, error) {
	var out []Query
	seen := places{}
	err := eachRow(path, queryColumns, queriesForm, func(place string, rec files.Record) error {
		id, idErr := rec.QueryID()
		text, textErr := rec.QueryText()
		if err := cmp.Or(idErr, textErr); err != nil {
			return err
		}
		if err := seen.add(id, path, place, false); err != nil {
			return err
		}
		if strings.TrimSpace(text) == "" {
			return errors.New("the query has no text")
		}
		out = append(out, Query{ID: id, Text: strings.TrimSpace(text)})
		return nil
	})
	return out, err
}

// places are where ids stand.
type places map[string]string

// add checks an id and keeps its place; an id that is there already is refused.
func (p places) add(id, path, place string, severalFiles bool) error {
	if err := files.CheckID(id); err != nil {
		return err
	}
	if first, twice := p[id]; twice {
		return fmt.Errorf("the id %q is already in %s", id, first)
	}
	if severalFiles {
		place = filepath.Base(path) + ", " + place
	}
	p[id] = place
	return nil
}

// Names of the files of a BEIR folder, without what packs them.
const (
	beirCorpus = "corpus.jsonl"
	beirAsked  = "queries.jsonl"
	beirQrels  = "qrels"
)

// endings of packed files.
var packedEndings = []string{"", ".gz", ".zst"}

// inFolder finds a file of a folder, packed or not.
func inFolder(dir, name string) (string, bool) {
	for _, ending := range packedEndings {
		path := filepath.Join(dir, name+ending)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return path, true
		}
	}
	return "", false
}

// corpusFiles are the files of rows that a folder's corpus consists of; none where it is one of texts.
func corpusFiles(dir string) ([]string, error) {
	if path, ok := inFolder(dir, beirCorpus); ok {
		return []string{path}, nil
	}
	names, err := files.List(dir)
	if err != nil {
		return nil, err
	}

	var rows, texts []string
	for _, name := range names {
		bare := strings.TrimSuffix(strings.TrimSuffix(strings.ToLower(name), ".gz"), ".zst")
		switch filepath.Ext(bare) {
		case ".jsonl", ".json", ".parquet":
			rows = append(rows, filepath.Join(dir, filepath.FromSlash(name)))
		case ".txt", ".md":
			texts = append(texts, name)
		}
	}
	if len(rows) > 0 && len(texts) > 0 {
		return nil, &files.Error{
			File: dir, Msg: fmt.Sprintf("holds texts, such as %s, and rows of documents, such as %s", texts[0], filepath.Base(rows[0])),
			Remedy: "give the one folder or file that is the corpus",
		}
	}
	return rows, nil
}

// beirQueries reads the queries of a BEIR folder that its judgements are of.
func beirQueries(dir string) ([]Query, []string, error) {
	path, ok := inFolder(dir, beirAsked)
	if !ok {
		return nil, nil, &files.Error{File: dir, Msg: "is a folder without " + beirAsked, Remedy: queriesForm}
	}
	all, err := readQueries(path)
	if err != nil {
		return nil, nil, err
	}
	split, ok := beirSplit(dir)
	if !ok {
		return all, []string{dir + " has no judgements: all of its queries are asked"}, nil
	}
	qrels, err := Judgements(split)
	if err != nil {
		return nil, nil, err
	}

	judged := slices.DeleteFunc(slices.Clone(all), func(q Query) bool { return qrels.Topics[q.ID] == nil })
	if len(judged) == 0 {
		return nil, nil, &files.Error{File: path, Msg: "has none of the queries that " + split + " judges",
			Remedy: "give the judgements of these queries"}
	}
	if left := len(all) - len(judged); left > 0 {
		return judged, []string{fmt.Sprintf("%d of %d queries are judged in %s and asked; the others are left out",
			len(judged), len(all), split)}, nil
	}
	return judged, nil, nil
}

// beirSplit is the file of judgements of a BEIR folder: of its test split, or else of dev or train.
func beirSplit(dir string) (string, bool) {
	for _, split := range []string{"test", "dev", "train"} {
		if path, ok := inFolder(filepath.Join(dir, beirQrels), split+".tsv"); ok {
			return path, true
		}
	}
	return "", false
}
