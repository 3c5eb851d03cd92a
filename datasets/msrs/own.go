package msrs

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"path/filepath"

	"lore/datasets"
	"lore/local/files"
)

// OwnFile marks a folder in lore's own layout. The others stand beside it.
const (
	OwnFile       = "msrs.json"
	documentsFile = "documents.jsonl"
	queriesFile   = "queries.jsonl"
)

// own is the content of OwnFile.
type own struct {
	Format    int            `json:"format"`
	Domain    string         `json:"domain"`
	Documents int            `json:"documents"`
	Queries   map[string]int `json:"queries"` // by split
	Source    string         `json:"source"`
	SHA256    string         `json:"sha256"` // of documents and queries
}

type ownDocument struct {
	ID   string `json:"id"`
	Text string `json:"text"`
}

type ownQuery struct {
	ID         string   `json:"id"`
	Split      string   `json:"split"`
	Query      string   `json:"query"`
	Gold       []string `json:"gold_documents"`
	References []string `json:"references"`
	Original   string   `json:"original,omitempty"`
	Title      string   `json:"title,omitempty"`
}

// importAgain is the remedy of data that has changed.
const importAgain = "import the data again: lore data import msrs DIR"

// readOwn reads lore's layout and checks it against its counts and hash.
func readOwn(dir fs.FS, name string) (Raw, error) {
	file := filepath.Join(name, OwnFile)
	raw := Raw{Queries: map[string][]Query{}, Files: []string{file}}
	data, err := files.ReadFS(dir, OwnFile, file, importAgain)
	if err != nil {
		return raw, err
	}
	var head own
	if err := json.Unmarshal(data, &head); err != nil || head.Format != 1 {
		return raw, &datasets.InputError{
			File:   file,
			Msg:    "does not describe imported data",
			Remedy: importAgain,
			Err:    err,
		}
	}
	raw.Domain = head.Domain

	if err := raw.readDocuments(dir, name); err != nil {
		return raw, err
	}
	if err := raw.readQueries(dir, name); err != nil {
		return raw, err
	}

	if sum := raw.fullHash(); sum != head.SHA256 || len(raw.Documents) != head.Documents {
		return raw, &datasets.InputError{
			File: file,
			Msg: fmt.Sprintf("describes %d documents with the hash %.12s…, the folder holds %d with %.12s…",
				head.Documents, head.SHA256, len(raw.Documents), sum),
			Remedy: "the files were changed after the import: import the data again",
		}
	}
	return raw, nil
}

// readDocuments reads the documents of lore's own layout.
func (r *Raw) readDocuments(dir fs.FS, name string) error {
	seen := map[string]bool{}
	return eachLine(dir, name, documentsFile, func(line []byte, bad refusal) error {
		var d ownDocument
		if err := json.Unmarshal(line, &d); err != nil || d.ID == "" {
			return bad("is not a document with id and text", "import the data again", err)
		}
		if err := files.CheckID(d.ID); err != nil {
			return bad(err.Error(), "rename the document and its gold, and import the data again", err)
		}
		if seen[d.ID] {
			return bad(fmt.Sprintf("repeats the id %q", d.ID), "ids are unique", nil)
		}

		seen[d.ID] = true
		r.Documents = append(r.Documents, datasets.Document{ID: d.ID, Text: d.Text})
		return nil
	})
}

// readQueries reads the queries of lore's own layout.
func (r *Raw) readQueries(dir fs.FS, name string) error {
	type place struct{ split, id string }
	seen := map[place]bool{}
	return eachLine(dir, name, queriesFile, func(line []byte, bad refusal) error {
		var q ownQuery
		err := json.Unmarshal(line, &q)
		if err != nil || q.ID == "" || q.Query == "" || len(q.References) == 0 {
			return bad("is not a query with id, split, query, gold_documents and references",
				"see docs/msrs.md for the format", err)
		}
		at := place{q.Split, q.ID}
		if seen[at] {
			return bad(fmt.Sprintf("repeats the query %q", q.ID), "ids are unique in a split", nil)
		}

		seen[at] = true
		query := Query{ID: q.ID, Text: q.Query, Gold: q.Gold, References: q.References, Original: q.Original, Title: q.Title}
		r.Queries[q.Split] = append(r.Queries[q.Split], query)
		return nil
	})
}

func (r Raw) fullHash() string {
	var all []byte
	for _, s := range splits {
		all = append(all, r.Hash(s)...)
		for _, q := range r.Queries[s] {
			if q.Original != "" || q.Title != "" {
				all = fmt.Appendf(all, "%q %q %q", q.ID, q.Original, q.Title)
			}
		}
	}
	return datasets.HashFiles(all)
}

// refusal words the error of a line that cannot be used.
type refusal func(msg, remedy string, err error) error

// eachLine reads a file of imported data line by line.
func eachLine(dir fs.FS, name, file string, do func(line []byte, bad refusal) error) error {
	path := filepath.Join(name, file)
	data, err := files.ReadFS(dir, file, path, importAgain)
	if err != nil {
		return err
	}

	return files.EachLine(data, func(place string, line []byte) error {
		return do(line, func(msg, remedy string, err error) error {
			return &datasets.InputError{File: path, Place: place, Msg: msg, Remedy: remedy, Err: err}
		})
	})
}

// Write writes raw data in lore's own layout: the description last, so that a
// folder with it is whole.
func Write(dir string, raw Raw, source string) error {
	if err := files.MkdirAll(dir); err != nil {
		return fmt.Errorf("make the folder for the data: %w", err)
	}
	head := own{
		Format:    1,
		Domain:    raw.Domain,
		Documents: len(raw.Documents),
		Queries:   map[string]int{},
		Source:    source,
		SHA256:    raw.fullHash(),
	}

	var docs []ownDocument
	for _, d := range raw.Documents {
		docs = append(docs, ownDocument{d.ID, d.Text})
	}
	var queries []ownQuery
	for _, split := range splits {
		if n := len(raw.Queries[split]); n > 0 {
			head.Queries[split] = n
		}
		for _, q := range raw.Queries[split] {
			queries = append(queries, ownQuery{q.ID, split, q.Text, q.Gold, q.References, q.Original, q.Title})
		}
	}

	if err := files.WriteLines(filepath.Join(dir, documentsFile), docs); err != nil {
		return err
	}
	if err := files.WriteLines(filepath.Join(dir, queriesFile), queries); err != nil {
		return err
	}
	data, err := json.MarshalIndent(head, "", " ")
	if err != nil {
		return fmt.Errorf("describe the data: %w", err)
	}
	if err := files.WriteFile(filepath.Join(dir, OwnFile), append(data, '\n')); err != nil {
		return fmt.Errorf("write the data: %w", err)
	}
	return nil
}
