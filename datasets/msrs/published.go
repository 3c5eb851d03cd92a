package msrs

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"lore/datasets"
	"lore/local/files"
)

// Domains of the benchmark.
var Domains = []string{"story", "meeting"}

// Query is one row of a queries file.
type Query struct {
	ID         string   // key of the row
	Text       string   // stand-alone query
	Gold       []string // ids of the documents that hold the answer
	References []string // reference summaries: four for stories, one for meetings

	Original string `json:",omitempty"` // the query before it was rewritten to stand alone; of published stories alone
	Title    string `json:",omitempty"` // of the story, with its author; from what was shown without documents

	Near string `json:"-"` // where there is no gold, the field of the row that may hold it by another name
}

// publishedForm is what a published folder holds, for errors.
const publishedForm = "give the folder of a domain: it holds documents/*.txt and queries_test.json"

// ReadPublished reads the published layout; no splits means those that are there.
func ReadPublished(dir fs.FS, name string, wanted ...string) (Raw, error) {
	raw := Raw{Domain: domainOf(name), Queries: map[string][]Query{}}

	var err error
	if raw.Documents, err = publishedDocuments(dir, name); err != nil {
		return raw, err
	}
	raw.Files = []string{filepath.Join(name, "documents")}

	if len(wanted) == 0 {
		wanted = splits
	}
	for _, split := range wanted {
		file := queriesOf(split)
		path := filepath.Join(name, file)
		data, err := files.ReadFS(dir, file, path, "choose a split that is there with --split")
		if errors.Is(err, fs.ErrNotExist) && len(wanted) > 1 {
			continue
		}
		if err != nil {
			return raw, err
		}

		if raw.Queries[split], err = ParseQueries(path, data); err != nil {
			return raw, err
		}
		raw.Files = append(raw.Files, path)
	}
	return raw, nil
}

// publishedDocuments reads documents/*.txt. A document's id is its file's name before the
// first dot: queries name documents so.
func publishedDocuments(dir fs.FS, name string) ([]datasets.Document, error) {
	folder := filepath.Join(name, "documents")
	entries, err := fs.ReadDir(dir, "documents")
	if err != nil {
		return nil, files.Unreadable(folder, err, publishedForm)
	}

	var docs []datasets.Document
	taken := map[string]string{}
	for _, e := range entries {
		if e.IsDir() || !strings.HasSuffix(e.Name(), ".txt") {
			continue
		}
		file := filepath.Join(folder, e.Name())
		data, err := files.ReadFS(dir, "documents/"+e.Name(), file, "check its permissions")
		if err != nil {
			return nil, err
		}

		id, _, _ := strings.Cut(e.Name(), ".")
		if err := files.CheckID(id); err != nil {
			return nil, &datasets.InputError{File: file, Msg: err.Error(), Remedy: "rename the file"}
		}
		if other, ok := taken[id]; ok {
			return nil, &datasets.InputError{
				File:   file,
				Msg:    fmt.Sprintf("has the id %q, as %s has", id, other),
				Remedy: "rename one: a document's id is its file's name before the first dot",
			}
		}
		taken[id] = e.Name()
		docs = append(docs, datasets.Document{ID: id, Text: string(data)})
	}

	if len(docs) == 0 {
		return nil, &datasets.InputError{File: folder, Msg: "holds no .txt files", Remedy: publishedForm}
	}
	return docs, nil
}

// LoadQueries reads queries_{train,dev,test}.json: an object of rows, in the
// order of the file, which is the order of recorded outputs.
func LoadQueries(path string) ([]Query, error) {
	data, err := files.Read(path, "check the path")
	if err != nil {
		return nil, err
	}
	return ParseQueries(path, data)
}

// ParseQueries decodes a queries file; name stands in errors. It is read token by token,
// since a map would lose the order of the rows.
func ParseQueries(name string, data []byte) ([]Query, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	line := func() string { return datasets.LineAt(data, int(dec.InputOffset())) }
	bad := func(place, msg string) error {
		return &datasets.InputError{
			File:   name,
			Place:  place,
			Msg:    msg,
			Remedy: `a queries file is {"ROW": {"query": "...", "gold_documents": [...], "answer": ...}}`,
		}
	}
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil, bad(line(), "is not a JSON object of rows")
	}

	var out []Query
	seen := map[string]bool{}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil, bad(line(), err.Error())
		}
		id := key.(string)
		where := fmt.Sprintf("%s, row %s", line(), id)

		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			return nil, bad(where, err.Error())
		}
		var row queryRow
		if err := json.Unmarshal(raw, &row); err != nil {
			return nil, bad(where, err.Error())
		}
		q, problem := row.query(id)
		if len(q.Gold) == 0 {
			q.Near = nearGold(raw)
		}
		if problem == "" && seen[id] {
			problem = "the row is there twice"
		}
		if problem != "" {
			return nil, bad(where, problem)
		}
		seen[id] = true
		out = append(out, q)
	}

	if _, err := dec.Token(); err != nil {
		return nil, bad(line(), "ends before its last brace")
	}
	if len(out) == 0 {
		return nil, bad("", "has no rows")
	}
	return out, nil
}

// queryRow is a row as it is written.
type queryRow struct {
	Query    string          `json:"query"`
	Original string          `json:"squality_query"`
	Gold     []string        `json:"gold_documents"`
	Answer   json.RawMessage `json:"answer"` // a text or a list of texts
}

// query is that of a row; problem says what it lacks.
func (r queryRow) query(id string) (q Query, problem string) {
	q = Query{ID: id, Text: r.Query, Gold: r.Gold, Original: r.Original}
	if json.Unmarshal(r.Answer, &q.References) != nil {
		var one string
		if json.Unmarshal(r.Answer, &one) != nil {
			return q, "has no answer that is a text or a list of texts"
		}
		q.References = []string{one}
	}

	switch {
	case strings.TrimSpace(q.Text) == "":
		return q, "has no query"
	case len(q.References) == 0:
		return q, "has no reference answer"
	}
	return q, ""
}

// Outputs are the recorded answers of one system, in the order of the queries.
type Outputs struct {
	System  string // setting and model
	Setting string // how documents were found; empty where the file's place does not say
	Model   string
	File    string
	Texts   []string
}

// answered reports whether the output for the i-th query is there and has text.
func (o Outputs) answered(i int) bool { return i < len(o.Texts) && !isBlank(o.Texts[i]) }

// LoadOutputs reads a list of answers. The system's name is taken from the
// published layout, <setting>/summary/<model>_summary.json, or else from the file.
func LoadOutputs(path string) (Outputs, error) {
	data, err := files.Read(path, "check the path")
	if err != nil {
		return Outputs{}, err
	}

	out := Outputs{System: systemName(path), Setting: settingOf(path), Model: modelName(path), File: path}
	if err := json.Unmarshal(data, &out.Texts); err != nil {
		return out, &datasets.InputError{
			File:   path,
			Msg:    "is not a JSON list of texts: " + err.Error(),
			Remedy: "give one text per query, in the order of the queries",
			Err:    err,
		}
	}
	return out, nil
}

func systemName(path string) string {
	if setting := settingOf(path); setting != "" {
		return setting + "/" + modelName(path)
	}
	return modelName(path)
}

// settingOf is the setting of a file of answers as published, in SETTING/summary; else empty.
func settingOf(path string) string {
	dir := filepath.Dir(path)
	if filepath.Base(dir) != "summary" {
		return ""
	}
	if setting := filepath.Base(filepath.Dir(dir)); setting != "." && setting != "/" {
		return setting
	}
	return ""
}

// modelName is the model of a file of answers, as the authors name them.
func modelName(path string) string {
	return strings.TrimSuffix(strings.TrimSuffix(filepath.Base(path), ".json"), "_summary")
}

// released are the sizes of the released data.
var released = map[string]struct {
	documents int
	queries   map[string]int
}{
	"story":   {1138, map[string]int{"test": 260, "dev": 125, "train": 250}},
	"meeting": {231, map[string]int{"test": 131, "dev": 44, "train": 261}},
}

// CheckCounts says where data differs from the released sizes.
func CheckCounts(ds *datasets.Dataset, split string) []string {
	s := ds.Items[0].(*item).set
	want := released[s.domain]

	var out []string
	differs := func(what string, want, got int) {
		if got != want {
			out = append(out, fmt.Sprintf("the published %s data has %d %s, this has %d", s.domain, want, what, got))
		}
	}
	differs("documents", want.documents, len(s.corpus.Documents))
	if n, known := want.queries[split]; known {
		differs(split+" queries", n, len(ds.Items))
	}
	return out
}
