package crux

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"lore/datasets"
	"lore/judge/metric"
	"lore/local/files"
	"lore/local/text"
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

// UnmarshalJSON reads ids and texts under any of the usual names.
func (p *Passage) UnmarshalJSON(data []byte) error {
	var r files.Record
	if err := json.Unmarshal(data, &r); err != nil {
		return err
	}
	d, err := r.Document()
	*p = Passage(d)
	return err
}

// UnmarshalJSON reads id and query under any of the usual names.
func (t *Topic) UnmarshalJSON(data []byte) error {
	type plain Topic
	var rest struct {
		plain
		ID     json.RawMessage `json:"id"` // read below
		Query  json.RawMessage `json:"query"`
		Grades json.RawMessage `json:"grades"`
	}
	var r files.Record
	if err := cmp.Or(json.Unmarshal(data, &rest), json.Unmarshal(data, &r)); err != nil {
		return err
	}

	*t = Topic(rest.plain)
	id, idErr := r.QueryID()
	query, queryErr := r.QueryText()
	t.ID, t.Query = id, query
	var gradesErr error
	if rest.Grades != nil {
		t.Grades, gradesErr = gradeRows(rest.Grades)
	}
	if gradesErr != nil {
		gradesErr = fmt.Errorf("grades: %w", gradesErr)
	}
	return cmp.Or(idErr, queryErr, gradesErr)
}

// gradeRows reads the grades of passages, one per question.
func gradeRows(data []byte) (map[string][]int, error) {
	rows, err := files.Object[wholeNumbers](data)
	if err != nil {
		return nil, err
	}
	out := make(map[string][]int, len(rows))
	for id, row := range rows {
		out[id] = row
	}
	return out, nil
}

// leaveOutBlank makes sub-questions that say nothing unanswerable, as no one can be asked
// them, and counts them. The paper's data has such. Questions keep their places, by which
// grades and people's labels name them.
func (t *Topic) leaveOutBlank() int {
	n := 0
	for q, text := range t.Questions {
		if strings.TrimSpace(text) != "" {
			continue
		}
		n++
		for _, row := range t.Grades {
			row[q] = 0
		}
	}
	return n
}

// Required is the smallest set that the greedy choice finds: each step takes the
// passage that answers most questions not answered yet, of equal ones the first in
// ids, until none adds any (CRUX, section 3). The published sets have ids in the order of
// the corpus.
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

// InOrder lists the passages with grades in the order of their places in the corpus.
func InOrder(grades map[string][]int, place func(id string) (int, bool)) []string {
	return slices.SortedFunc(maps.Keys(grades), func(a, b string) int {
		x, _ := place(a)
		y, _ := place(b)
		return cmp.Compare(x, y)
	})
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
}

// Load reads a folder with topics.jsonl and passages.jsonl, which may lie below the folder that is
// given, or else puts a dataset together of the released files below one or more folders.
func (b Benchmark) Load(paths []string) (*datasets.Dataset, error) {
	if len(paths) == 0 {
		dir, err := fs.Sub(sampleFiles, "sample")
		if err != nil {
			panic(err) // the folder is compiled in
		}
		return b.load(dir, SampleName)
	}
	folder, err := locate(paths)
	if err != nil {
		return nil, err
	}
	if folder != "" {
		return b.load(files.DirFS(folder), folder)
	}

	put, err := putTogether(paths)
	if err != nil {
		return nil, err
	}
	name := strings.Join(paths, ", ") + ", put together"
	ds, err := b.of(name, name, asLines(put.passages), asLines(put.topics))
	if err != nil {
		return nil, err
	}
	ds.Files, ds.Warnings = put.files, append(put.warnings, ds.Warnings...)
	return ds, nil
}

// locate finds the folder of lore's own layout: the one that was given, one below it, or that of
// one of its files. Empty where released files must be put together.
func locate(paths []string) (string, error) {
	var found []string
	for _, p := range paths {
		isFolder, err := files.IsFolder(p, wholeFolder)
		if err != nil {
			return "", err
		}
		if !isFolder {
			if base := filepath.Base(p); base == TopicsFile || base == PassagesFile {
				found = append(found, filepath.Dir(p))
				continue
			}
			return "", &datasets.InputError{File: p, Msg: "is a file, not a folder of CRUX", Remedy: wholeFolder}
		}
		below, err := datasets.FoldersBelow(p, isOwn)
		if err != nil {
			return "", err
		}
		found = append(found, below...)
	}

	found = slices.Compact(found)
	switch {
	case len(found) == 0 && onlyPart(paths):
		return paths[0], nil // the error names the file that is missing
	case len(found) == 0:
		return "", nil
	case len(found) > 1:
		return "", datasets.SeveralSets("lore run crux", strings.Join(paths, ", "), found)
	}
	return found[0], nil
}

// onlyPart reports whether a single folder has one of lore's two files alone.
func onlyPart(paths []string) bool {
	has := func(name string) bool { return files.Exists(filepath.Join(paths[0], name)) }
	return len(paths) == 1 && (has(TopicsFile) || has(PassagesFile))
}

// wholeFolder is the remedy where a file of a dataset is missing.
const wholeFolder = "give one folder with " + TopicsFile + " and " + PassagesFile

// load reads lore's own layout.
func (b Benchmark) load(dir fs.FS, name string) (*datasets.Dataset, error) {
	names := []string{filepath.Join(name, PassagesFile), filepath.Join(name, TopicsFile)}
	passages, err := files.ReadFS(dir, PassagesFile, names[0], wholeFolder)
	if err != nil {
		return nil, err
	}
	topics, err := files.ReadFS(dir, TopicsFile, names[1], wholeFolder)
	if err != nil {
		return nil, err
	}
	return b.of(names[0], names[1], passages, topics)
}

// of makes a dataset of the content of two files; their names stand in errors.
func (b Benchmark) of(passagesFile, file string, passages, topics []byte) (*datasets.Dataset, error) {
	s := &set{bench: b, corpus: &datasets.Corpus{ID: "passages"}}
	err := s.readPassages(passagesFile, passages)
	if err != nil {
		return nil, err
	}

	ds := &datasets.Dataset{
		Texts:   "reports,passages",
		Corpora: []*datasets.Corpus{s.corpus},
		Files:   []string{passagesFile, file},
	}
	if ds.Warnings, err = files.CheckTexts(ds.Files[0], s.corpus.Documents); err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	blank, without := 0, []string{} // empty sub-questions, and the topics that have some
	err = files.EachLine(topics, func(where string, line []byte) error {
		t, err := s.readTopic(file, where, line, seen)
		if err != nil {
			return err
		}

		if n := t.leaveOutBlank(); n > 0 {
			blank += n
			without = append(without, t.ID)
		}
		it := s.item(t)
		if it == nil {
			why := fmt.Sprintf("no question that a passage answers with a grade of %d or more", b.etas()[0])
			if len(t.Grades) == 0 {
				why = "no grades, so that no question is known to be answerable,"
			}
			ds.Warnings = append(ds.Warnings, fmt.Sprintf("%s: topic %s has %s and is left out", file, t.ID, why))
			return nil
		}
		ds.Items = append(ds.Items, it)
		return nil
	})
	if err != nil {
		return nil, err
	}

	if blank > 0 {
		ds.Warnings = append(ds.Warnings, fmt.Sprintf("%s: %d sub-questions are empty (null or \"\") and left out with "+
			"their grades, in the topics %s; the others keep their numbers", file, blank, strings.Join(without, ", ")))
	}

	if len(ds.Items) == 0 {
		return nil, &datasets.InputError{
			File:   file,
			Msg:    "has no topic with an answerable question",
			Remedy: "give grades of at least the threshold; see docs/crux.md",
		}
	}
	ds.Hash = datasets.HashFiles(passages, topics)
	return ds, nil
}

// readPassages makes the corpus.
func (s *set) readPassages(file string, data []byte) error {
	taken := map[string]bool{}
	return files.EachLine(data, func(where string, line []byte) error {
		var p Passage
		err := json.Unmarshal(line, &p)
		bad := func(msg string) error {
			return &datasets.InputError{
				File:   file,
				Place:  where,
				Msg:    msg,
				Remedy: `a passage is {"id": "...", "text": "..."}`,
				Err:    err,
			}
		}

		switch {
		case err != nil:
			return bad(files.JSONWords(err))
		case files.CheckID(p.ID) != nil:
			return bad("is not a passage with an id of one word: " + files.CheckID(p.ID).Error())
		case taken[p.ID]:
			return bad(fmt.Sprintf("repeats the id %q", p.ID))
		}

		taken[p.ID] = true
		s.corpus.Documents = append(s.corpus.Documents, datasets.Document{ID: p.ID, Text: p.Text})
		return nil
	})
}

// readTopic reads a topic and checks its grades against the passages.
func (s *set) readTopic(file, where string, line []byte, seen map[string]bool) (Topic, error) {
	var t Topic
	err := json.Unmarshal(line, &t)
	bad := func(format string, args ...any) (Topic, error) {
		return t, &datasets.InputError{
			File:  file,
			Place: where,
			Msg:   fmt.Sprintf(format, args...),
			Remedy: `a topic is {"id", "query", "questions": [...], ` +
				`"grades": {"PASSAGE": [a grade from 0 to 5 per question]}}`,
			Err: err,
		}
	}

	switch {
	case err != nil:
		return bad("%s", files.JSONWords(err))
	case files.CheckID(t.ID) != nil:
		return bad("has no id of one word: %v", files.CheckID(t.ID))
	case seen[t.ID]:
		return bad("repeats the id %q", t.ID)
	case strings.TrimSpace(t.Query) == "" || len(t.Questions) == 0:
		return bad("topic %s has no query or no questions", t.ID)
	}
	seen[t.ID] = true

	for _, id := range slices.Sorted(maps.Keys(t.Grades)) {
		row := t.Grades[id]
		if !s.corpus.Has(id) {
			return bad("topic %s grades the passage %q, which is not in %s", t.ID, id, PassagesFile)
		}
		if len(row) != len(t.Questions) {
			return bad("topic %s: the passage %s has %d grades for %d questions", t.ID, id, len(row), len(t.Questions))
		}
		for q, g := range row {
			if g < 0 || g > MaxGrade {
				return bad("topic %s: the passage %s has the grade %d for question %d; grades are from 0 to %d",
					t.ID, id, g, q+1, MaxGrade)
			}
		}
	}
	return t, nil
}

// item is that of a topic; nil if no passage answers any of its questions.
func (s *set) item(t Topic) *item {
	etas := s.bench.etas()
	relevant := InOrder(t.Grades, s.corpus.Place)
	required := Required(relevant, t.Grades, etas[0])
	if len(required) == 0 {
		return nil
	}

	it := &item{set: s, topic: t, relevant: relevant, required: required}
	var rows [][]int
	for _, id := range required {
		it.oracleTokens += s.corpus.Tokens(id)
		it.oracleWords += text.Count(s.corpus.Text(id))
		rows = append(rows, t.Grades[id])
	}

	for _, eta := range etas {
		l := level{eta: eta, answerable: Answerable(t.Grades, len(t.Questions), eta)}
		l.oracle = metric.QuestionCoverage(rows, l.answerable, eta)
		l.subtopics = subtopics(l, t.Grades)
		it.levels = append(it.levels, l)
	}
	return it
}

// asLines are values as lines of JSON.
func asLines[T any](values []T) []byte {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	for _, v := range values {
		if err := enc.Encode(v); err != nil {
			panic(err) // plain texts and numbers
		}
	}
	return out.Bytes()
}

// Write writes a dataset, the topics last, so that a folder with them is whole.
func Write(dir string, topics []Topic, passages []Passage) error {
	if err := files.MkdirAll(dir); err != nil {
		return fmt.Errorf("make the folder for the data: %w", err)
	}
	if err := files.WriteLines(filepath.Join(dir, PassagesFile), passages); err != nil {
		return err
	}
	return files.WriteLines(filepath.Join(dir, TopicsFile), topics)
}
