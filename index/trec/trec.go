// Package trec reads and writes the run and relevance files of TREC tools.
//
// A run line is "topic Q0 document rank score tag"; a qrels line is "topic
// iteration document relevance"; a diversity qrels line is "topic subtopic
// document judgement". Fields are separated by spaces or tabs. Files may be
// packed by gzip or zstd, may begin with a byte order mark and may have Windows line ends.
package trec

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"lore/local/files"
)

// Result is one line of a run.
type Result struct {
	Document string
	Score    float64
}

// Run holds the results of a run by topic. The order of results is the file's;
// measures order them by score themselves, as trec_eval does.
type Run struct {
	Tag     string   // the name of the last line
	Renamed int      // lines whose name is another than that of the line before
	Order   []string // topics in the order of the file
	Topics  map[string][]Result
}

// Judgement is one line of a qrels file.
type Judgement struct {
	Iteration string // subtopic in diversity qrels; unused otherwise
	Document  string
	Relevance int
}

// Qrels holds judgements by topic.
type Qrels struct {
	Order  []string // topics in the order of the file
	Topics map[string][]Judgement
}

// SyntaxError is a line that cannot be read.
type SyntaxError struct {
	File string
	Line int
	Msg  string
}

// Error says file, line and what is wrong.
func (e *SyntaxError) Error() string { return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Msg) }

// ReadRunFile reads a run from a file, gzipped or not.
func ReadRunFile(path string) (*Run, error) {
	return readFile(path, "give a TREC run file"+filesIn(path), ReadRun)
}

// ReadQrelsFile reads judgements from a file, gzipped or not.
func ReadQrelsFile(path string) (*Qrels, error) {
	return readFile(path, "give a TREC qrels file", ReadQrels)
}

// filesIn names a file of a folder that was given in its place; empty for anything else.
func filesIn(path string) string {
	entries, err := os.ReadDir(path)
	if err != nil {
		return ""
	}
	for _, e := range entries {
		if !e.IsDir() && (strings.HasSuffix(e.Name(), ".trec") || strings.HasSuffix(e.Name(), ".run")) {
			return ", such as " + filepath.Join(path, e.Name())
		}
	}
	return ""
}

func readFile[T any](path, remedy string, read func(io.Reader, string) (T, error)) (T, error) {
	var zero T
	f, err := files.Open(path)
	if err != nil {
		return zero, files.Unreadable(path, err, remedy)
	}
	defer f.Close()
	return read(f, path)
}

// ReadRun reads a run; name is for error messages.
func ReadRun(r io.Reader, name string) (*Run, error) {
	run := &Run{Topics: map[string][]Result{}}
	var seen seenLines
	err := eachLine(r, name, func(line int, f [][]byte) error {
		if len(f) != 6 {
			return fmt.Errorf("a run line has 6 fields (topic Q0 document rank score tag), this one has %d", len(f))
		}
		score, err := strconv.ParseFloat(string(f[4]), 64)
		if err != nil || math.IsNaN(score) {
			return fmt.Errorf("score %q is not a number", f[4])
		}

		topic, doc := seen.topic(f[0]), string(f[2])
		if first := seen.add(doc, line); first > 0 {
			return fmt.Errorf("document %s of topic %s is already in line %d", doc, topic, first)
		}

		if string(f[5]) != run.Tag {
			if run.Tag != "" {
				run.Renamed++
			}
			run.Tag = string(f[5])
		}
		if _, known := run.Topics[topic]; !known {
			run.Order = append(run.Order, topic)
		}
		run.Topics[topic] = append(run.Topics[topic], Result{doc, score})
		return nil
	})
	return run, err
}

// ReadQrels reads judgements; name is for error messages.
func ReadQrels(r io.Reader, name string) (*Qrels, error) {
	q := &Qrels{Topics: map[string][]Judgement{}}
	var seen seenLines
	err := eachLine(r, name, func(line int, f [][]byte) error {
		if len(f) != 4 {
			return fmt.Errorf("a qrels line has 4 fields (topic iteration document relevance), this one has %d", len(f))
		}
		rel, err := strconv.Atoi(string(f[3]))
		if err != nil {
			grade, notNumber := strconv.ParseFloat(string(f[3]), 64) // some tools write 2.0
			if rel = int(grade); notNumber != nil || float64(rel) != grade || math.Abs(grade) > 1e6 {
				return fmt.Errorf("relevance %q is not a whole number", f[3])
			}
		}

		topic, iteration, doc := seen.topic(f[0]), string(f[1]), string(f[2])
		if first := seen.add(iteration+" "+doc, line); first > 0 {
			return fmt.Errorf("the judgement of document %s for topic %s is already in line %d", doc, topic, first)
		}

		if _, known := q.Topics[topic]; !known {
			q.Order = append(q.Order, topic)
		}
		q.Topics[topic] = append(q.Topics[topic], Judgement{iteration, doc, rel})
		return nil
	})
	return q, err
}

// seenLines remembers the line of each record by topic. Lines of a topic mostly
// stand together, so the last topic's map is kept at hand.
type seenLines struct {
	byTopic map[string]map[string]int
	last    string
	current map[string]int
}

func (s *seenLines) topic(name []byte) string {
	if s.current != nil && string(name) == s.last {
		return s.last
	}

	s.last = string(name)
	if s.byTopic == nil {
		s.byTopic = map[string]map[string]int{}
	}

	s.current = s.byTopic[s.last]
	if s.current == nil {
		s.current = map[string]int{}
		s.byTopic[s.last] = s.current
	}
	return s.last
}

// add returns the line of an earlier record of the same key, or 0.
func (s *seenLines) add(key string, line int) int {
	if first, dup := s.current[key]; dup {
		return first
	}
	s.current[key] = line
	return 0
}

// eachLine hands the fields of each non-empty line to f.
func eachLine(r io.Reader, name string, f func(line int, fields [][]byte) error) error {
	br, err := files.Unpack(r)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}

	scan := bufio.NewScanner(br)
	scan.Buffer(make([]byte, 1<<16), 1<<20)
	line, some := 0, false

	for scan.Scan() {
		line++
		fields := bytes.FieldsFunc(scan.Bytes(), separates)
		if len(fields) == 0 {
			continue
		}

		some = true
		err := checkNames(fields)
		if err == nil {
			err = f(line, fields)
		}
		if err != nil {
			return &SyntaxError{name, line, err.Error()}
		}
	}

	if err := scan.Err(); err != nil {
		if errors.Is(err, bufio.ErrTooLong) {
			return &SyntaxError{name, line + 1, "the line is longer than 1 MiB"}
		}
		return &SyntaxError{name, line + 1, err.Error()}
	}

	if !some {
		return fmt.Errorf("%s: the file is empty", name)
	}
	return nil
}

// separates tells the white space between fields, as trec_eval does.
func separates(r rune) bool { return strings.ContainsRune(" \t\r\n\v\f", r) }

// checkNames refuses fields with characters that other tools would split at, or that nobody
// sees.
func checkNames(fields [][]byte) error {
	for _, f := range fields {
		if plain(f) {
			continue
		}
		if err := files.CheckID(string(f)); err != nil {
			return err
		}
	}
	return nil
}

// plain reports whether a field is of ASCII that can be seen: most are, and need no copy.
func plain(field []byte) bool {
	for _, c := range field {
		if c <= ' ' || c >= 0x7f {
			return false
		}
	}
	return true
}

// WriteRun writes a run. Topics and results stand in the order given; scores have
// the shortest form that reads back to the same number.
func WriteRun(w io.Writer, tag string, topics []string, results map[string][]Result) error {
	bw := bufio.NewWriter(w)
	for _, topic := range topics {
		for i, r := range results[topic] {
			if err := checkFields(topic, r.Document, tag); err != nil {
				return err
			}

			score := strconv.FormatFloat(r.Score, 'g', -1, 64)
			fmt.Fprintf(bw, "%s Q0 %s %d %s %s\n", topic, r.Document, i+1, score, tag)
		}
	}

	if err := bw.Flush(); err != nil {
		return fmt.Errorf("write a run file: %w", err)
	}
	return nil
}

// WriteQrels writes judgements. Topics and judgements stand in the order given.
func WriteQrels(w io.Writer, q *Qrels) error {
	bw := bufio.NewWriter(w)
	for _, topic := range q.Order {
		for _, j := range q.Topics[topic] {
			if err := checkFields(topic, j.Iteration, j.Document); err != nil {
				return err
			}

			fmt.Fprintf(bw, "%s %s %s %d\n", topic, j.Iteration, j.Document, j.Relevance)
		}
	}

	if err := bw.Flush(); err != nil {
		return fmt.Errorf("write a qrels file: %w", err)
	}
	return nil
}

// checkFields refuses names that could not be read again.
func checkFields(fields ...string) error {
	for _, f := range fields {
		if err := files.CheckID(f); err != nil {
			return fmt.Errorf("a run file cannot hold the name %q: %w", f, err)
		}
	}
	return nil
}
