package files

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Query is a text to search by.
type Query struct {
	ID   string
	Text string
}

// corpusForm is what a corpus is read from, for errors.
const corpusForm = "give a .jsonl file with id and text, or a folder of .txt and .md files"

// Corpus reads documents from a folder of .txt and .md files, or from a file that
// ReadCorpus reads. warnings count documents without text; a corpus of nothing else is
// refused.
func Corpus(path string) (docs []Document, warnings []string, err error) {
	folder, err := IsFolder(path, corpusForm)
	if err != nil {
		return nil, nil, err
	}
	if folder {
		docs, err = Folder(path)
	} else {
		docs, err = stream(path, corpusForm, ReadCorpus)
	}
	if err != nil {
		return nil, nil, err
	}
	warnings, err = CheckTexts(path, docs)
	return docs, warnings, err
}

// Queries reads queries from a file that ReadQueries reads.
func Queries(path string) ([]Query, error) {
	return stream(path, "give a .jsonl file with id and text, or lines of id, tab and text", ReadQueries)
}

// stream reads a file as a stream: a corpus may be large.
func stream[T any](path, remedy string, read func(io.Reader, string) (T, error)) (T, error) {
	var none T
	f, err := Open(path)
	if err != nil {
		return none, Unreadable(path, err, remedy)
	}
	defer f.Close()

	v, err := read(f, path)
	return v, Wrap(path, err)
}

// ReadCorpus reads documents from lines of JSON with id, text and perhaps title, which is
// put before the text; Record has the names that are read. name is for error messages.
func ReadCorpus(r io.Reader, name string) ([]Document, error) {
	var docs []Document
	seen := map[string]int{}
	err := eachRecord(r, name, func(line int, rec Record) error {
		doc, err := rec.Document()
		if err == nil {
			err = checkID(doc.ID, line, seen)
		}
		docs = append(docs, doc)
		return err
	})
	return docs, err
}

// ReadQueries reads queries from lines of JSON with id and text, or from lines of an id, a
// tab and the text; Record has the names that are read.
func ReadQueries(r io.Reader, name string) ([]Query, error) {
	br := bufio.NewReader(r)
	head, _ := br.Peek(4)
	if head = bytes.TrimSpace(bytes.TrimPrefix(head, []byte(mark))); len(head) > 0 && head[0] != '{' {
		return readTabbed(br, name)
	}

	var out []Query
	seen := map[string]int{}
	err := eachRecord(br, name, func(line int, rec Record) error {
		id, idErr := rec.QueryID()
		text, textErr := rec.QueryText()
		if err := cmp.Or(idErr, textErr, checkID(id, line, seen)); err != nil {
			return err
		}
		if strings.TrimSpace(text) == "" {
			return errors.New("the query has no text")
		}
		out = append(out, Query{ID: id, Text: text})
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

func eachRecord(r io.Reader, name string, f func(line int, rec Record) error) error {
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

		var rec Record
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
	if err := CheckID(id); err != nil {
		return err
	}
	if seen[id] > 0 {
		return fmt.Errorf("the id %q is already in line %d", id, seen[id])
	}
	seen[id] = line
	return nil
}
