package build

import (
	"encoding/json"
	"fmt"
	"strings"

	"lore/datasets"
	"lore/local/files"
)

// Source is a query to build from.
type Source struct {
	ID         string   `json:"id"`
	Story      string   `json:"story,omitempty"` // of a story: the file, without its ending
	Query      string   `json:"query"`
	Documents  []string `json:"documents,omitempty"` // gold documents; of a story all its chapters if none are named
	Summary    string   `json:"summary,omitempty"`
	References []string `json:"references,omitempty"`
}

func (s Source) references() []string {
	if s.Summary != "" {
		return append([]string{s.Summary}, s.References...)
	}
	return s.References
}

// ReadSources reads lines of JSON with id, query, and a summary or references.
func ReadSources(name string, data []byte) ([]Source, error) {
	var out []Source
	seen := map[string]string{} // the place of each id
	err := files.EachLine(data, func(place string, line []byte) error {
		var s Source
		err := json.Unmarshal(line, &s)
		bad := func(msg string) error {
			return &datasets.InputError{
				File:  name,
				Place: place,
				Msg:   msg,
				Remedy: `a line is {"id", "query", "summary", "documents": [...]}, ` +
					`and "story" where documents are split`,
				Err: err,
			}
		}

		switch {
		case err != nil:
			return bad("is not valid JSON: " + err.Error())
		case strings.TrimSpace(s.Query) == "":
			return bad("has no query")
		case len(s.references()) == 0:
			return bad("has no summary")
		}

		if s.ID == "" {
			s.ID = fmt.Sprint(len(out))
		}
		if other, twice := seen[s.ID]; twice {
			return bad(fmt.Sprintf("repeats the id %q of %s", s.ID, other))
		}

		seen[s.ID] = place
		out = append(out, s)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(out) == 0 {
		return nil, &datasets.InputError{
			File:   name,
			Msg:    "holds no queries",
			Remedy: "give lines of JSON with query and summary",
		}
	}
	return out, nil
}
