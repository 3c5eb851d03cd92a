package build

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"lore/datasets"
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
	err := datasets.EachLine(data, func(place string, line []byte) error {
		var s Source
		err := json.Unmarshal(line, &s)
		bad := func(msg string) error {
			return &datasets.InputError{File: name, Place: place, Msg: msg, Err: err,
				Remedy: `a line is {"id", "query", "summary", "documents": [...]}, ` +
					`and "story" where documents are split`}
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
		return nil, &datasets.InputError{File: name, Msg: "holds no queries",
			Remedy: "give lines of JSON with query and summary"}
	}
	return out, nil
}

// ReadTexts reads the .txt and .md files of a folder, by name without ending.
func ReadTexts(dir fs.FS, name string) ([]datasets.Document, error) {
	var out []datasets.Document
	err := fs.WalkDir(dir, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !slices.Contains([]string{".txt", ".md"}, strings.ToLower(path.Ext(p))) {
			return err
		}
		data, err := fs.ReadFile(dir, p)
		if err != nil {
			return err
		}
		if !utf8.Valid(data) {
			return datasets.NotUTF8(filepath.Join(name, p))
		}

		// Ids are parts of file names and of run files: they hold no slash.
		id := strings.ReplaceAll(strings.TrimSuffix(p, path.Ext(p)), "/", "_")
		out = append(out, datasets.Document{ID: id, Text: string(data)})
		return nil
	})

	var ours *datasets.InputError
	switch {
	case errors.As(err, &ours):
		return nil, err
	case err != nil:
		return nil, &datasets.InputError{File: name, Msg: "cannot be read: " + datasets.Cause(err),
			Remedy: "give a folder of .txt and .md files", Err: err}
	case len(out) == 0:
		return nil, &datasets.InputError{File: name, Msg: "holds no .txt or .md files",
			Remedy: "give a folder of texts"}
	}
	return out, nil
}
