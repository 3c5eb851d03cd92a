package build

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
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

// same reports whether two queries ask, answer and refer to the same.
func (s Source) same(other Source) bool {
	return s.Query == other.Query && s.Story == other.Story && slices.Equal(s.references(), other.references()) &&
		slices.Equal(s.Documents, other.Documents)
}

// sourceList are queries on their way out of a file.
type sourceList struct {
	file   string
	list   []Source
	places map[string]string // of each id
	copies []string          // places of queries that are there already
}

// ReadSources reads queries, of JSON with id, query, and a summary or references: one a line, or a list of them. A query
// that is there again with all that belongs to it is left out, and named in notes.
func ReadSources(name string, data []byte) (queries []Source, notes []string, err error) {
	l := &sourceList{file: name, places: map[string]string{}}
	if trimmed := bytes.TrimSpace(data); len(trimmed) > 0 && trimmed[0] == '[' {
		err = files.Wrap(name, files.EachValue(trimmed, func(place string, v json.RawMessage) error { return l.add(place, v) }))
	} else {
		err = files.EachLine(data, l.add)
	}
	if err != nil {
		return nil, nil, err
	}

	if len(l.list) == 0 {
		return nil, nil, &datasets.InputError{
			File:   name,
			Msg:    "holds no queries",
			Remedy: "give lines of JSON with query and summary",
		}
	}
	if len(l.copies) > 0 {
		notes = append(notes, fmt.Sprintf("%s: left out queries that are there already, with the same answer: %s",
			name, strings.Join(l.copies, ", ")))
	}
	return l.list, notes, nil
}

// add takes a query in.
func (l *sourceList) add(place string, line []byte) error {
	var s Source
	err := json.Unmarshal(line, &s)
	bad := func(msg string) error {
		return &datasets.InputError{
			File:  l.file,
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

	if i := slices.IndexFunc(l.list, s.same); i >= 0 {
		l.copies = append(l.copies, fmt.Sprintf("%s (like %s)", place, l.places[l.list[i].ID]))
		return nil
	}
	if s.ID == "" {
		s.ID = fmt.Sprint(len(l.list))
	}
	if other, twice := l.places[s.ID]; twice {
		return bad(fmt.Sprintf("repeats the id %q of %s", s.ID, other))
	}

	l.places[s.ID] = place
	l.list = append(l.list, s)
	return nil
}
