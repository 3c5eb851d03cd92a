package files

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"
)

// record is a line of a corpus or of queries. Both the plain names and those of
// BEIR are known.
type record struct {
	ID    string `json:"id"`
	BEIR  string `json:"_id"`
	Title string `json:"title"`
	Text  string `json:"text"`
	Query string `json:"query"`
}

func (r record) id() string {
	if r.ID != "" {
		return r.ID
	}
	return r.BEIR
}

// Query is a text to search by.
type Query struct {
	ID   string
	Text string
}

// corpusForm is what a corpus is read from, for errors.
const corpusForm = "give a .jsonl file with id and text, or a folder of .txt and .md files"

// Corpus reads documents from a folder of .txt and .md files, or from a file that
// ReadCorpus reads.
func Corpus(path string) ([]Document, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, Unreadable(path, err, corpusForm)
	}
	if info.IsDir() {
		return Folder(path)
	}
	return open(path, corpusForm, ReadCorpus)
}

// Queries reads queries from a file that ReadQueries reads.
func Queries(path string) ([]Query, error) {
	return open(path, "give a .jsonl file with id and text, or lines of id, tab and text", ReadQueries)
}

// open reads a file as a stream: a corpus may be large.
func open[T any](path, remedy string, read func(io.Reader, string) (T, error)) (T, error) {
	var none T
	f, err := os.Open(path)
	if err != nil {
		return none, Unreadable(path, err, remedy)
	}
	defer f.Close()

	v, err := read(f, path)
	return v, Wrap(path, err)
}

// ReadCorpus reads documents from lines of JSON with id (or _id), text and perhaps
// title, which is put before the text. name is for error messages.
func ReadCorpus(r io.Reader, name string) ([]Document, error) {
	var docs []Document
	seen := map[string]int{}
	err := eachRecord(r, name, func(line int, rec record) error {
		if err := checkID(rec.id(), line, seen); err != nil {
			return err
		}
		docs = append(docs, Document{rec.id(), strings.TrimSpace(rec.Title + "\n" + rec.Text)})
		return nil
	})
	return docs, err
}

// ReadQueries reads queries from lines of JSON with id (or _id) and text (or
// query), or from lines of an id, a tab and the text.
func ReadQueries(r io.Reader, name string) ([]Query, error) {
	br := bufio.NewReader(r)
	head, _ := br.Peek(4)
	if head = bytes.TrimSpace(bytes.TrimPrefix(head, []byte(mark))); len(head) > 0 && head[0] != '{' {
		return readTabbed(br, name)
	}

	var out []Query
	seen := map[string]int{}
	err := eachRecord(br, name, func(line int, rec record) error {
		text := rec.Text
		if text == "" {
			text = rec.Query
		}
		if strings.TrimSpace(text) == "" {
			return errors.New("the query has no text")
		}

		if err := checkID(rec.id(), line, seen); err != nil {
			return err
		}
		out = append(out, Query{ID: rec.id(), Text: text})
		return nil
	})
	return out, err
}

func readTabbed(r io.Reader, name string) ([]Query, error) {
	var out []Query
	seen := map[string]int{}
	scan := bufio.NewScanner(r)
	scan.Buffer(nil, 1<<24)
	for line := 1; scan.Scan(); line++ {
		if strings.TrimSpace(scan.Text()) == "" {
			continue
		}

		id, text, ok := strings.Cut(strings.TrimPrefix(scan.Text(), mark), "\t")
		if !ok || strings.TrimSpace(text) == "" {
			return nil, fmt.Errorf("%s:%d: a query line is an id, a tab and the text", name, line)
		}
		if err := checkID(id, line, seen); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, line, err)
		}
		out = append(out, Query{ID: id, Text: strings.TrimSpace(text)})
	}

	if err := scan.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return out, nil
}

func eachRecord(r io.Reader, name string, f func(line int, rec record) error) error {
	scan := bufio.NewScanner(r)
	scan.Buffer(make([]byte, 1<<16), 1<<28)
	n := 0

	for line := 1; scan.Scan(); line++ {
		data := bytes.TrimSpace(bytes.TrimPrefix(scan.Bytes(), []byte(mark)))
		if len(data) == 0 {
			continue
		}
		if !utf8.Valid(data) {
			return fmt.Errorf("%s:%d: not UTF-8; convert the file, for example with iconv", name, line)
		}

		var rec record
		err := json.Unmarshal(data, &rec)
		if err == nil {
			err = f(line, rec)
		}
		if err != nil {
			return fmt.Errorf("%s:%d: %w", name, line, err)
		}
		n++
	}

	if err := scan.Err(); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if n == 0 {
		return fmt.Errorf("%s: the file is empty", name)
	}
	return nil
}

func checkID(id string, line int, seen map[string]int) error {
	switch {
	case id == "":
		return errors.New(`there is no "id"`)
	case strings.ContainsAny(id, " \t\r\n"):
		return fmt.Errorf("the id %q holds white space, which separates the fields of run files", id)
	case seen[id] > 0:
		return fmt.Errorf("the id %q is already in line %d", id, seen[id])
	}
	seen[id] = line
	return nil
}
