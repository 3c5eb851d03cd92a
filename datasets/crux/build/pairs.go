package build

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"lore/datasets"
	"lore/datasets/sources"
	"lore/local/files"
)

// Pair is a human-written summary with the documents it was written from.
type Pair struct {
	ID        string   `json:"id"`
	Summary   string   `json:"summary"`
	Documents []string `json:"documents"` // ids
}

// UnmarshalJSON reads ids that are text or integers, under any of the usual names.
func (p *Pair) UnmarshalJSON(data []byte) error {
	var r files.Record
	var rest struct {
		Summary   string    `json:"summary"`
		Documents files.IDs `json:"documents"`
	}
	if err := cmp.Or(json.Unmarshal(data, &rest), json.Unmarshal(data, &r)); err != nil {
		return err
	}
	id, err := r.DocumentID()
	*p = Pair{ID: id, Summary: rest.Summary, Documents: rest.Documents}
	return err
}

// ReadPairs reads lines of JSON with id, summary and documents, which must be among the
// given ones. People may name a document by its file.
func ReadPairs(name string, data []byte, documents *sources.Reading) ([]Pair, error) {
	var out []Pair
	seen := map[string]bool{}
	err := files.EachLine(data, func(place string, line []byte) error {
		var p Pair
		err := json.Unmarshal(line, &p)
		bad := func(format string, args ...any) error {
			return &datasets.InputError{
				File:   name,
				Place:  place,
				Msg:    fmt.Sprintf(format, args...),
				Remedy: `a pair is {"id": "...", "summary": "...", "documents": ["..."]}`,
				Err:    err,
			}
		}

		switch {
		case err != nil:
			return bad("%s", files.JSONWords(err))
		case files.CheckID(p.ID) != nil:
			return bad("has no id of one word: %v", files.CheckID(p.ID))
		case seen[p.ID]:
			return bad("repeats the id %q", p.ID)
		case strings.TrimSpace(p.Summary) == "" || len(p.Documents) == 0:
			return bad("has no summary or no documents")
		}
		for i, d := range p.Documents {
			id, ok := documents.IDOf(d)
			if !ok {
				msg := fmt.Sprintf("names the document %q, which is not there", d)
				return &datasets.InputError{File: name, Place: place, Msg: msg, Remedy: documents.Meant(d)}
			}
			p.Documents[i] = id
		}

		seen[p.ID] = true
		out = append(out, p)
		return nil
	})
	if err != nil {
		return nil, err
	}

	if len(out) == 0 {
		return nil, &datasets.InputError{
			File:   name,
			Msg:    "holds no pairs",
			Remedy: "give lines of JSON with id, summary and documents",
		}
	}
	return out, nil
}

// Example is a summary with the request for it, as a model is shown it (the paper's figure 9).
type Example struct {
	Summary string `json:"summary"`
	Request string `json:"request"`
}

// ReadExamples reads lines of JSON with summary and request.
func ReadExamples(name string, data []byte) ([]Example, error) {
	bad := func(place, format string, args ...any) error {
		return &datasets.InputError{
			File:   name,
			Place:  place,
			Msg:    fmt.Sprintf(format, args...),
			Remedy: `an example is {"summary": "...", "request": "..."}`,
		}
	}

	var out []Example
	err := files.EachLine(data, func(place string, line []byte) error {
		var e Example
		switch err := json.Unmarshal(line, &e); {
		case err != nil:
			return bad(place, "%s", files.JSONWords(err))
		case strings.TrimSpace(e.Summary) == "" || strings.TrimSpace(e.Request) == "":
			return bad(place, "has no summary or no request")
		}
		out = append(out, e)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(out) == 0 {
		return nil, bad("", "holds no examples")
	}
	return out, nil
}
