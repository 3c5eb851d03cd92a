package collection

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"lore/index/trec"
	"lore/local/files"
)

// What judgements and runs are read from, for errors.
const (
	qrelsForm = "give TREC judgements (topic, iteration, document, relevance), those of BEIR, or JSON of {topic: {document: relevance}}"
	runForm   = "give a TREC run file, JSON of {topic: {document: score}}, or lines of topic, document and rank"
)

// Judgements reads relevance judgements: of TREC; of a BEIR folder, its test split; tables of BEIR with a heading; and JSON
// of documents by topic, as pytrec_eval and ranx keep it. Tables (.csv, .parquet, or lines with a heading) have the columns
// of ranx, BEIR or ir_datasets. Three columns without a heading are topic, document and grade; where these may be the ranks
// of a run, the error is ErrRanks.
func Judgements(path string) (*trec.Qrels, error) { return readJudgements(path, nil) }

// readJudgements counts what it leaves out of tables, unless left is nil.
func readJudgements(path string, left *losses) (*trec.Qrels, error) {
	if folder, err := files.IsFolder(path, qrelsForm); err != nil {
		return nil, err
	} else if folder {
		split, ok := beirSplit(path)
		if !ok {
			return nil, &files.Error{File: path, Msg: "is a folder without qrels/test.tsv", Remedy: qrelsForm}
		}
		path = split
	}

	q := &trec.Qrels{Topics: map[string][]trec.Judgement{}}
	took, err := readPairs(path, qrelsForm, left, func(topic, doc string, value float64) error {
		if value != math.Trunc(value) || math.Abs(value) > 1e6 {
			return fmt.Errorf("relevance %g is not a whole number", value)
		}
		if _, known := q.Topics[topic]; !known {
			q.Order = append(q.Order, topic)
		}
		q.Topics[topic] = append(q.Topics[topic], trec.Judgement{Iteration: "0", Document: doc, Relevance: int(value)})
		return nil
	})
	if err == nil && took == threeCells && likeRanks(q) {
		return nil, &files.Error{File: path, Msg: ErrRanks.Error(), Err: ErrRanks,
			Remedy: "if these are judgements, write the heading query-id, tab, corpus-id, tab, score above them"}
	}
	if took != noPairs || err != nil {
		return q, err
	}
	q, err = trec.ReadQrelsFile(path)
	if err == nil && otherOrder(q) {
		return nil, &files.Error{
			File: path,
			Msg:  "seems to have topic, document, relevance and iteration, in the order of ir_datasets' tables",
			Remedy: "export the judgements with --format trec: topic, iteration, document, relevance; or write the heading " +
				"query_id, doc_id, relevance, iteration",
		}
	}
	return q, files.Wrap(path, err)
}

// otherOrder reports whether four columns are in the order of a table that ir_datasets exports: then all judgements read as TREC's
// have relevance 0, documents are small numbers, and iterations are many.
func otherOrder(q *trec.Qrels) bool {
	iterations := map[string]bool{}
	for _, judged := range q.Topics {
		for _, j := range judged {
			grade, err := strconv.Atoi(j.Document)
			if err != nil || grade < -2 || grade > 10 || j.Relevance != 0 {
				return false
			}
			iterations[j.Iteration] = true
		}
	}
	return len(iterations) > 1
}

// Run reads a run: of TREC; of MS MARCO, lines of topic, document and rank parted by tabs; and JSON of documents by topic.
// Tables (.csv, .parquet) have the columns of ranx.
func Run(path string) (*trec.Run, error) { return readRun(path, nil) }

func readRun(path string, left *losses) (*trec.Run, error) {
	if folder, err := files.IsFolder(path, runForm); err != nil {
		return nil, err
	} else if folder {
		_, err := trec.ReadRunFile(path) // which names a run in it
		return nil, files.Wrap(path, err)
	}
	r := &trec.Run{Topics: map[string][]trec.Result{}}
	took, err := readPairs(path, runForm, left, func(topic, doc string, value float64) error {
		if _, known := r.Topics[topic]; !known {
			r.Order = append(r.Order, topic)
		}
		r.Topics[topic] = append(r.Topics[topic], trec.Result{Document: doc, Score: value})
		return nil
	})
	if took == threeCells {
		for _, results := range r.Topics {
			for i := range results {
				results[i].Score = -results[i].Score // a rank, of which a small one is good
			}
		}
	}
	if took != noPairs || err != nil {
		return r, err
	}
	r, err = trec.ReadRunFile(path)
	return r, files.Wrap(path, err)
}

// pairForm is what values by topic and document stand in.
type pairForm int

// The forms.
const (
	noPairs    pairForm = iota // a file of TREC, or an empty one
	namedPairs                 // columns with names, or JSON
	threeCells                 // three columns without a heading: judgements with a grade, or a run of MS MARCO with ranks
)

// readPairs reads values by topic and document from what is no file of TREC.
func readPairs(
	path, form string, left *losses, do func(topic, doc string, value float64) error,
) (took pairForm, err error) {
	f, err := files.Open(path)
	if err != nil {
		return namedPairs, files.Unreadable(path, err, form)
	}
	defer f.Close()
	seen := map[[2]string]string{}
	next := func(place, topic, doc string, value float64) error {
		err := errors.Join(files.CheckID(topic), files.CheckID(doc))
		if first, twice := seen[[2]string{topic, doc}]; err == nil && twice {
			err = fmt.Errorf("document %s of topic %s is already in %s", doc, topic, first)
		}
		if err == nil && (math.IsNaN(value) || math.IsInf(value, 0)) {
			err = errors.New("the value is not a number")
		}
		seen[[2]string{topic, doc}] = place
		if err == nil {
			err = do(topic, doc, value)
		}
		if err != nil {
			return &files.Error{File: path, Place: place, Msg: err.Error(), Err: err}
		}
		return nil
	}

	kind := kindOf(path)
	r, err := files.Unpack(f)
	if err != nil {
		return namedPairs, &files.Error{File: path, Msg: err.Error(), Remedy: form}
	}
	took = namedPairs
	first, err := firstByte(r)
	switch {
	case kind == ".parquet" || kind == ".csv":
		err = eachRow(path, nil, form, func(place string, rec files.Record) error { return pairOf(rec, left, place, next) })
	case errors.Is(err, io.EOF):
		return noPairs, nil // empty, which the reader of TREC files says
	case err != nil:
		return namedPairs, files.Unreadable(path, err, form)
	case first == '{':
		err = nestedPairs(r, next)
	default:
		head, _ := r.Peek(4096)
		line, _, _ := strings.Cut(strings.TrimLeft(string(head), "\r\n \t"), "\n")
		switch cells := cellsOfLine(line); {
		case isPairHeading(cells):
			err = headedPairs(r, func(place string, rec files.Record) error { return pairOf(rec, left, place, next) })
		case strings.Count(line, "\t") == 2:
			took, err = threeCells, threeColumns(r, next)
		default:
			return noPairs, nil
		}
	}

	var ours *files.Error
	if err != nil && !errors.As(err, &ours) {
		err = &files.Error{File: path, Msg: err.Error(), Remedy: form, Err: err}
	}
	if ours != nil && ours.File == "" {
		ours.File = path
	}
	return took, err
}

// pairOf reads a row of a table.
func pairOf(rec files.Record, left *losses, place string, do func(place, topic, doc string, value float64) error) error {
	topic, err := rec.Field(ofPairs...)
	if err != nil {
		return err
	}
	doc, err := rec.Field(ofPaired...)
	if err != nil {
		return err
	}
	text, err := rec.Field(ofValues...)
	if err != nil {
		return err
	}
	value, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return fmt.Errorf("score %q is not a number", text)
	}
	if left != nil {
		left.field(rec, 3, topic, doc, text)
	}
	return do(place, topic, doc, value)
}

// nestedPairs reads {topic: {document: value}} in the order of the file.
func nestedPairs(r io.Reader, do func(place, topic, doc string, value float64) error) error {
	dec := json.NewDecoder(r)
	dec.UseNumber()
	if _, err := dec.Token(); err != nil {
		return err
	}
	for dec.More() {
		t, err := dec.Token()
		if err != nil {
			return err
		}
		topic, _ := t.(string)
		place := "topic " + topic
		if open, err := dec.Token(); err != nil || open != json.Delim('{') {
			return fmt.Errorf("%s is not an object of numbers by document", place)
		}
		if err := innerPairs(dec, place, topic, do); err != nil {
			return err
		}
	}
	_, err := dec.Token()
	return err
}

// innerPairs reads the documents of a topic with the bracket that closes them.
func innerPairs(dec *json.Decoder, place, topic string, do func(place, topic, doc string, value float64) error) error {
	for dec.More() {
		doc, err := dec.Token()
		if err != nil {
			return err
		}
		value, err := dec.Token()
		if err != nil {
			return err
		}
		number, ok := value.(json.Number)
		if !ok {
			return fmt.Errorf("%s is not an object of numbers by document", place)
		}
		v, err := number.Float64()
		if err == nil {
			err = do(place, topic, doc.(string), v) // a key, as the decoder says
		}
		if err != nil {
			return err
		}
	}
	_, err := dec.Token()
	return err
}

// cellsOfLine parts a line by tabs, or by white space where it has none.
func cellsOfLine(line string) []string {
	if line = strings.TrimRight(line, "\r"); strings.Contains(line, "\t") {
		return strings.Split(line, "\t")
	}
	return strings.Fields(line)
}

// headedPairs reads lines of cells by the names of the first line.
func headedPairs(r io.Reader, do func(place string, rec files.Record) error) error {
	var names []string
	return eachLine(r, func(place string, line []byte) error {
		cells := cellsOfLine(string(line))
		if names == nil {
			names = cells
			return nil
		}
		if len(cells) != len(names) {
			return &files.Error{Place: place, Msg: fmt.Sprintf("has %d cells, the heading %d", len(cells), len(names))}
		}
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		return doRow(place, names, cells, do)
	})
}

// threeColumns reads lines of topic, document and value without a heading.
func threeColumns(r io.Reader, do func(place, topic, doc string, value float64) error) error {
	return eachLine(r, func(place string, line []byte) error {
		cells := strings.Split(strings.TrimRight(string(line), "\r"), "\t")
		if len(cells) != 3 {
			return &files.Error{Place: place, Msg: fmt.Sprintf("has %s where 3 belong", cellsOf(cells))}
		}
		value, err := strconv.ParseFloat(strings.TrimSpace(cells[2]), 64)
		if err != nil {
			return &files.Error{Place: place, Msg: fmt.Sprintf("%q is not a number", cells[2])}
		}
		return do(place, strings.TrimSpace(cells[0]), strings.TrimSpace(cells[1]), value)
	})
}

// ErrRanks says that what was given as judgements may as well be a run of MS MARCO.
var ErrRanks = errors.New("the third column counts up from 1 in every topic, as the ranks of a run do")

// likeRanks reports whether all topics' grades count up from 1, in some topic to 3 at least.
func likeRanks(q *trec.Qrels) bool {
	longest := 0
	for _, judged := range q.Topics {
		for i, j := range judged {
			if j.Relevance != i+1 {
				return false
			}
		}
		longest = max(longest, len(judged))
	}
	return longest >= 3
}
