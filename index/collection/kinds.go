package collection

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"lore/local/files"
)

// Kind is what a file or folder holds.
type Kind string

// The kinds.
const (
	CorpusKind     Kind = "corpus"
	QueriesKind    Kind = "queries"
	JudgementsKind Kind = "judgements"
	RunKind        Kind = "run"
)

// Kinds are all of them.
var Kinds = []Kind{CorpusKind, QueriesKind, JudgementsKind, RunKind}

// ChoiceError is a form, a kind or a place to write that was asked for and cannot be had. Nothing was written.
type ChoiceError struct{ msg string }

// Error says what cannot be had, and what can.
func (e *ChoiceError) Error() string { return e.msg }

func choicef(format string, args ...any) error { return &ChoiceError{fmt.Sprintf(format, args...)} }

// errEnough ends reading where the beginning is enough.
var errEnough = errors.New("enough")

// KindOf tells what a file or folder holds by its beginning, and where that may be two kinds by words in its name, such as
// corpus, queries, qrels or run. Where neither tells, the error is a ChoiceError.
func KindOf(path string) (Kind, error) {
	folder, err := files.IsFolder(path, corpusForm)
	if err != nil {
		return "", err
	}
	maybe := []Kind{CorpusKind}
	if folder {
		if parts := beirParts(path); len(parts) > 0 {
			maybe = parts
		}
	} else if maybe, err = kindsOfFile(path); err != nil {
		return "", err
	}
	if len(maybe) == 1 {
		return maybe[0], nil
	}

	if named := kindByName(path); !folder && slices.Contains(maybe, named) {
		return named, nil
	}
	var ways []string
	for _, k := range maybe {
		ways = append(ways, "--as "+string(k))
	}
	if folder {
		return "", choicef("%s holds several things: say which is meant by %s", path, strings.Join(ways, ", "))
	}
	return "", choicef("%s does not tell what it holds: say it by %s", path, strings.Join(ways, " or "))
}

// beirParts are the kinds that a BEIR folder has.
func beirParts(dir string) (out []Kind) {
	if _, ok := inFolder(dir, beirCorpus); ok {
		out = append(out, CorpusKind)
	}
	if _, ok := inFolder(dir, beirAsked); ok {
		out = append(out, QueriesKind)
	}
	if _, ok := beirSplit(dir); ok {
		out = append(out, JudgementsKind)
	}
	return out
}

// kindByName goes by the words of a file's name; empty where none says anything.
func kindByName(path string) Kind {
	words := strings.FieldsFunc(strings.ToLower(filepath.Base(path)), func(r rune) bool { return !unicode.IsLetter(r) })
	for _, w := range words {
		switch w {
		case "corpus", "collection", "documents", "docs", "passages":
			return CorpusKind
		case "queries", "query", "topics", "questions":
			return QueriesKind
		case "qrels", "qrel", "judgements", "judgments":
			return JudgementsKind
		case "run", "runs":
			return RunKind
		}
	}
	return ""
}

// kindsOfFile are the kinds that a file may be by its beginning.
func kindsOfFile(path string) ([]Kind, error) {
	f, err := files.Open(path)
	if err != nil {
		return nil, files.Unreadable(path, err, corpusForm)
	}
	defer f.Close()
	r, err := files.Unpack(f)
	if err != nil {
		return nil, files.Wrap(path, err)
	}

	kind := kindOf(path)
	if kind == ".csv" || kind == ".parquet" {
		return kindsOfRecord(path)
	}
	switch first, _ := firstByte(r); first {
	case '<':
		return []Kind{QueriesKind}, nil
	case '{':
		if maybe := kindsOfNested(r); maybe != nil {
			return maybe, nil
		}
	case '[':
	default:
		if maybe := kindsOfLine(r); maybe != nil {
			return maybe, nil
		}
	}
	return kindsOfRecord(path)
}

// kindsOfNested looks at the values of {topic: {document: value}}; nil where it is something else.
func kindsOfNested(r *bufio.Reader) []Kind {
	const looked = 1000
	n, values := 0, 0
	maybe := []Kind{JudgementsKind, RunKind}
	err := nestedPairs(r, func(_, _, _ string, value float64) error {
		if values++; value != float64(int(value)) || value < -10 || value > 100 {
			maybe = []Kind{RunKind}
		}
		if n++; n == looked {
			return errEnough
		}
		return nil
	})
	if values == 0 || err != nil && !errors.Is(err, errEnough) {
		return nil
	}
	return maybe
}

// kindsOfLine looks at the fields of the first line, where that is no record; nil where it may be one.
func kindsOfLine(r *bufio.Reader) []Kind {
	head, _ := r.Peek(r.Size())
	line, _, _ := strings.Cut(strings.TrimLeft(string(head), " \t\r\n"), "\n")
	line = strings.TrimRight(line, "\r")
	cells, fields := strings.Split(line, "\t"), strings.Fields(line)
	number := func(s string) bool {
		_, err := strconv.ParseFloat(s, 64)
		return err == nil
	}

	trec := len(cells) == 1 || len(cells) == len(fields)
	switch {
	case isPairHeading(cellsOfLine(line)):
		return kindsOfFields(cellsOfLine(line))
	case trec && len(fields) == 6 && number(fields[3]) && number(fields[4]):
		return []Kind{RunKind}
	case trec && len(fields) == 4 && number(fields[3]):
		return []Kind{JudgementsKind}
	case len(cells) == 3 && number(cells[2]):
		return []Kind{JudgementsKind, RunKind}
	}
	return nil
}

// kindsOfRecord looks at the fields of the first record.
func kindsOfRecord(path string) ([]Kind, error) {
	var names []string
	err := eachRow(path, documentColumns, corpusForm, func(_ string, rec files.Record) error {
		names = rec.Names()
		return errEnough
	})
	if err != nil && !errors.Is(err, errEnough) {
		return nil, err
	}
	return kindsOfFields(names), nil
}

// Names of fields that only one kind has.
var (
	ofDocuments  = strings.Fields("title contents body passage segment url doc_id docid document_id")
	ofQueries    = strings.Fields("qid query_id query question request")
	ofJudgements = strings.Fields("relevance rel label corpus-id")
	ofPairs      = strings.Fields("q_id query_id query-id qid topic topic_id")
	ofPaired     = strings.Fields("doc_id docid corpus-id document_id docno doc")
	ofValues     = strings.Fields("score relevance rel label")
)

// oneOf reports whether a name is known.
func oneOf(names, known []string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return slices.Contains(known, strings.ToLower(strings.TrimSpace(n))) })
}

// isPairHeading reports whether names of columns are those of values by topic and document.
func isPairHeading(names []string) bool {
	return oneOf(names, ofPairs) && oneOf(names, ofPaired) && oneOf(names, ofValues)
}

// kindsOfFields are the kinds that records with some fields may be.
func kindsOfFields(names []string) []Kind {
	document, query := oneOf(names, ofDocuments), oneOf(names, ofQueries)
	switch {
	case isPairHeading(names):
		if oneOf(names, ofJudgements) {
			return []Kind{JudgementsKind}
		}
		return []Kind{JudgementsKind, RunKind}
	case document && !query:
		return []Kind{CorpusKind}
	case query && !document:
		return []Kind{QueriesKind}
	}
	return []Kind{CorpusKind, QueriesKind}
}

// jsonString is a text as JSON, with no letter escaped that need not be.
func jsonString(s string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string always is
	return strings.TrimSuffix(b.String(), "\n")
}
