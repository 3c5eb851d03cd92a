// Package msrs is MSRS (multi-source retrieval and synthesis): queries over a large
// corpus whose answer has to be put together from several documents. Here are its
// published formats and the scores of recorded outputs.
package msrs

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"lore/datasets"
)

// Domains of the benchmark.
var Domains = []string{"story", "meeting"}

// Query is one row of a queries file.
type Query struct {
	ID         string   // key of the row
	Text       string   // stand-alone query
	Gold       []string // ids of the documents that hold the answer
	References []string // reference summaries: four for stories, one for meetings
}

// LoadQueries reads queries_{train,dev,test}.json: an object of rows, in the
// order of the file, which is the order of recorded outputs.
func LoadQueries(path string) ([]Query, error) {
	data, err := readFile(path)
	if err != nil {
		return nil, err
	}
	return ParseQueries(path, data)
}

// ParseQueries decodes a queries file; name stands in errors.
func ParseQueries(name string, data []byte) ([]Query, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	bad := func(place, msg string) error {
		return &datasets.InputError{File: name, Place: place, Msg: msg, Remedy: `a queries file is {"ROW": {"query": "...", "gold_documents": [...], "answer": ...}}`}
	}
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil, bad(line(data, dec), "is no JSON object of rows")
	}
	var out []Query
	seen := map[string]bool{}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil, bad(line(data, dec), err.Error())
		}
		id := key.(string)
		where := fmt.Sprintf("%s, row %s", line(data, dec), id)
		var row struct {
			Query  string          `json:"query"`
			Gold   []string        `json:"gold_documents"`
			Answer json.RawMessage `json:"answer"`
		}
		if err := dec.Decode(&row); err != nil {
			return nil, bad(where, err.Error())
		}
		q := Query{ID: id, Text: row.Query, Gold: row.Gold}
		var one string
		if json.Unmarshal(row.Answer, &q.References) != nil {
			if err := json.Unmarshal(row.Answer, &one); err != nil {
				return nil, bad(where, "has no answer that is a text or a list of texts")
			}
			q.References = []string{one}
		}
		switch {
		case seen[id]:
			return nil, bad(where, "the row is there twice")
		case strings.TrimSpace(q.Text) == "":
			return nil, bad(where, "has no query")
		case len(q.References) == 0:
			return nil, bad(where, "has no reference answer")
		}
		seen[id] = true
		out = append(out, q)
	}
	if _, err := dec.Token(); err != nil {
		return nil, bad(line(data, dec), "ends before its last brace")
	}
	if len(out) == 0 {
		return nil, bad("", "has no rows")
	}
	return out, nil
}

func line(data []byte, dec *json.Decoder) string {
	return fmt.Sprintf("line %d", 1+bytes.Count(data[:min(int(dec.InputOffset()), len(data))], []byte("\n")))
}

// Outputs are the recorded answers of one system, in the order of the queries.
type Outputs struct {
	System string // setting and model
	File   string
	Texts  []string
}

// LoadOutputs reads a list of answers. The system's name is taken from the
// published layout, <setting>/summary/<model>_summary.json, or else from the file.
func LoadOutputs(path string) (Outputs, error) {
	data, err := readFile(path)
	if err != nil {
		return Outputs{}, err
	}
	out := Outputs{System: systemName(path), File: path}
	if err := json.Unmarshal(data, &out.Texts); err != nil {
		return out, &datasets.InputError{File: path, Msg: "is no JSON list of texts: " + err.Error(), Remedy: "give one text per query, in the order of the queries", Err: err}
	}
	return out, nil
}

func systemName(path string) string {
	model := strings.TrimSuffix(strings.TrimSuffix(filepath.Base(path), ".json"), "_summary")
	dir := filepath.Dir(path)
	if filepath.Base(dir) == "summary" {
		if setting := filepath.Base(filepath.Dir(dir)); setting != "." && setting != "/" {
			return setting + "/" + model
		}
	}
	return model
}

func readFile(path string) ([]byte, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, &datasets.InputError{File: path, Msg: "cannot be read: " + errors.Unwrap(err).Error(), Remedy: "check the path", Err: err}
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if !utf8.Valid(data) {
		return nil, datasets.NotUTF8(path)
	}
	return data, nil
}
