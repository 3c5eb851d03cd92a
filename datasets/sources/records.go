package sources

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"lore/datasets"
	"lore/local/files"
)

// record is a document of a file of many.
type record struct{ place, id, text string }

// readRecords reads lines of JSON with id and text, and perhaps title.
func readRecords(file string, content []byte) ([]record, error) {
	var out []record
	err := files.EachLine(content, func(place string, line []byte) error {
		id, title, body, err := readRecord(line)
		switch {
		case err == nil && len(body) > MostBytes:
			return &datasets.InputError{File: file, Place: place, Msg: tooLong(len(body)), Remedy: "make several records of it"}
		case err == nil && files.CheckID(id) != nil:
			err = fmt.Errorf("it has no id of one word: %w", files.CheckID(id))
		}
		if err != nil {
			return &datasets.InputError{
				File:   file,
				Place:  place,
				Msg:    "is not a document: " + files.JSONWords(err),
				Remedy: `a document is {"id": "...", "text": "..."}`,
				Err:    err,
			}
		}

		text, err := extracted(strings.TrimSpace(title + "\n\n" + body))
		out = append(out, record{place, id, text})
		return err
	})
	return out, err
}

// readRecord reads a line under any of the usual names of fields.
func readRecord(line []byte) (id, title, body string, err error) {
	var r files.Record
	if err := json.Unmarshal(line, &r); err != nil {
		return "", "", "", err
	}
	id, idErr := r.DocumentID()
	title, titleErr := r.Title()
	body, bodyErr := r.DocumentText()
	return id, title, body, cmp.Or(idErr, titleErr, bodyErr)
}
