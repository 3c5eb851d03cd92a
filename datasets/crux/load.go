package crux

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"lore/datasets"
	"lore/judge/metric"
	"lore/local/tokens"
)

// MaxGrade is the best grade of a passage for a question; 0 is the worst.
const MaxGrade = 5

// Files of a dataset's folder.
const (
	TopicsFile   = "topics.jsonl"
	PassagesFile = "passages.jsonl"
)

// Topic is a line of the topics file.
type Topic struct {
	ID        string           `json:"id"`
	Query     string           `json:"query"`             // the report request
	Questions []string         `json:"questions"`         // sub-questions
	Summary   string           `json:"summary,omitempty"` // the human-written report, if there is one
	Grades    map[string][]int `json:"grades"`            // of the relevant passages: a grade from 0 to 5 per question
}

// Passage is a line of the passages file.
type Passage struct {
	ID   string `json:"id"`
	Text string `json:"text"`
}

// Required is the smallest set that the greedy choice finds: each step takes the
// passage that answers most questions not answered yet, of equal ones the first by
// id, until none adds any (CRUX, section 3).
func Required(ids []string, grades map[string][]int, eta int) []string {
	answered := map[int]bool{}
	var out []string
	for {
		best, gain := "", 0
		for _, id := range ids {
			n := 0
			for q, g := range grades[id] {
				if g >= eta && !answered[q] {
					n++
				}
			}
			if n > gain {
				best, gain = id, n
			}
		}
		if gain == 0 {
			return out
		}
		out = append(out, best)
		for q, g := range grades[best] {
			if g >= eta {
				answered[q] = true
			}
		}
	}
}

// Answerable says which questions a passage answers.
func Answerable(grades map[string][]int, questions, eta int) []bool {
	out := make([]bool, questions)
	for _, row := range grades {
		for q, g := range row {
			out[q] = out[q] || g >= eta
		}
	}
	return out
}

// set is what the items of a dataset share.
type set struct {
	bench  Benchmark
	corpus *datasets.Corpus
	texts  map[string]string
}

// Load reads a folder with topics.jsonl and passages.jsonl.
func (b Benchmark) Load(paths []string) (*datasets.Dataset, error) {
	if len(paths) == 0 {
		dir, err := fs.Sub(sampleFiles, "sample")
		if err != nil {
			panic(err) // the folder is compiled in
		}
		return b.load(dir, SampleName)
	}
	if len(paths) > 1 {
		return nil, &datasets.InputError{File: paths[1], Msg: "is a second folder", Remedy: "give one folder with " + TopicsFile + " and " + PassagesFile}
	}
	return b.load(os.DirFS(paths[0]), paths[0])
}

func (b Benchmark) load(dir fs.FS, name string) (*datasets.Dataset, error) {
	s := &set{bench: b, corpus: &datasets.Corpus{ID: "passages"}, texts: map[string]string{}}
	passages := filepath.Join(name, PassagesFile)
	data, err := eachLine(dir, name, PassagesFile, func(where string, line []byte) error {
		var p Passage
		err := json.Unmarshal(line, &p)
		bad := func(msg string) error {
			return &datasets.InputError{File: passages, Place: where, Msg: msg, Remedy: `a passage is {"id": "...", "text": "..."}`, Err: err}
		}
		if err != nil || p.ID == "" || strings.ContainsAny(p.ID, " \t") {
			return bad("is no passage with an id without spaces")
		}
		if _, twice := s.texts[p.ID]; twice {
			return bad(fmt.Sprintf("repeats the id %q", p.ID))
		}
		s.texts[p.ID] = p.Text
		s.corpus.Documents = append(s.corpus.Documents, datasets.Document{ID: p.ID, Text: p.Text})
		return nil
	})
	if err != nil {
		return nil, err
	}
	ds := &datasets.Dataset{Corpora: []*datasets.Corpus{s.corpus}, Files: []string{passages, filepath.Join(name, TopicsFile)}}
	seen := map[string]bool{}
	topics, err := eachLine(dir, name, TopicsFile, func(where string, line []byte) error {
		return b.addTopic(ds, s, seen, filepath.Join(name, TopicsFile), where, line)
	})
	if err != nil {
		return nil, err
	}
	if len(ds.Items) == 0 {
		return nil, &datasets.InputError{File: filepath.Join(name, TopicsFile), Msg: "has no topic with an answerable question", Remedy: "give grades of at least the threshold; see docs/crux.md"}
	}
	ds.Hash = datasets.HashFiles(data, topics)
	return ds, nil
}

// addTopic checks a topic and adds its item. A topic without an answerable question
// is named and left out.
func (b Benchmark) addTopic(ds *datasets.Dataset, s *set, seen map[string]bool, file, where string, line []byte) error {
	var t Topic
	err := json.Unmarshal(line, &t)
	bad := func(format string, args ...any) error {
		return &datasets.InputError{File: file, Place: where, Msg: fmt.Sprintf(format, args...), Err: err,
			Remedy: `a topic is {"id", "query", "questions": [...], "grades": {"PASSAGE": [a grade from 0 to 5 per question]}}`}
	}
	switch {
	case err != nil:
		return bad("is no topic: %v", err)
	case t.ID == "" || strings.ContainsAny(t.ID, " \t"):
		return bad("has no id without spaces")
	case seen[t.ID]:
		return bad("repeats the id %q", t.ID)
	case strings.TrimSpace(t.Query) == "" || len(t.Questions) == 0:
		return bad("topic %s has no query or no questions", t.ID)
	}
	seen[t.ID] = true
	ids := sortedKeys(t.Grades)
	for _, id := range ids {
		if _, ok := s.texts[id]; !ok {
			return bad("topic %s grades the passage %q, which is not in %s", t.ID, id, PassagesFile)
		}
		if len(t.Grades[id]) != len(t.Questions) {
			return bad("topic %s: the passage %s has %d grades for %d questions", t.ID, id, len(t.Grades[id]), len(t.Questions))
		}
		for q, g := range t.Grades[id] {
			if g < 0 || g > MaxGrade {
				return bad("topic %s: the passage %s has the grade %d for question %d; grades are from 0 to %d", t.ID, id, g, q+1, MaxGrade)
			}
		}
	}
	eta := b.etas()[0]
	required := Required(ids, t.Grades, eta)
	if len(required) == 0 {
		ds.Warnings = append(ds.Warnings, fmt.Sprintf("%s: topic %s has no question that a passage answers with a grade of %d or more, and is left out", file, t.ID, eta))
		return nil
	}
	it := &item{set: s, topic: t, relevant: ids, required: required}
	for _, id := range required {
		it.oracleTokens += tokens.Count(s.texts[id])
		it.oracleWords += len(strings.Fields(s.texts[id]))
	}
	for _, eta := range b.etas() {
		l := level{eta: eta, answerable: Answerable(t.Grades, len(t.Questions), eta)}
		var rows [][]int
		for _, id := range required {
			rows = append(rows, t.Grades[id])
		}
		l.oracle = metric.QuestionCoverage(rows, l.answerable, eta)
		it.levels = append(it.levels, l)
	}
	ds.Items = append(ds.Items, it)
	return nil
}

// eachLine reads a file of a dataset's folder line by line.
func eachLine(dir fs.FS, name, file string, do func(where string, line []byte) error) ([]byte, error) {
	data, err := fs.ReadFile(dir, file)
	if err != nil {
		return nil, &datasets.InputError{File: filepath.Join(name, file), Msg: "cannot be read: " + datasets.Cause(err), Remedy: "give a folder with " + TopicsFile + " and " + PassagesFile, Err: err}
	}
	return data, datasets.EachLine(data, do)
}

// Write writes a dataset, the topics last, so that a folder with them is whole.
func Write(dir string, topics []Topic, passages []Passage) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return fmt.Errorf("make the folder for the data: %w", err)
	}
	if err := datasets.WriteLines(filepath.Join(dir, PassagesFile), passages); err != nil {
		return err
	}
	return datasets.WriteLines(filepath.Join(dir, TopicsFile), topics)
}
