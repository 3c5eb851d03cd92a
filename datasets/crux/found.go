package crux

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"lore/datasets"
	"lore/local/files"
)

// found is what folders hold of CRUX as it was released: by the study itself
// (DylanJoo/crux-labeling), by the group's follow-up on the same topics (DylanJoo/LANCER), or in
// the form that the paper's code (DylanJoo/crux) writes. Files are told by what is in them.
type found struct {
	passages  []Passage
	texts     map[string]string // of passages by id
	requests  []ask
	reports   map[string]string // written by people, by topic
	questions []questionFile
	rows      []gradeRow
	lists     []gradeFile // grades without passages: these stand in a run
	runs      []string
	files     []string // that were read
	unread    []string // that hold data of another kind
}

// ask is a report request. One that stands beside a report, as in the study's examples, comes after
// those of the files of requests, so that the order of folders does not matter.
type ask struct {
	topic, text string
	beside      bool
}

// questionFile holds lists of questions by topic.
type questionFile struct {
	name  string
	lists map[string][]string
}

// gradeRow are the grades of a passage, one per question.
type gradeRow struct {
	topic, passage string
	grades         []int
	file           string
}

// gradeFile holds rows of grades in the order of a run's passages, by topic.
type gradeFile struct {
	name string
	rows map[string][][]int
}

// study is how the study's own files call the topics that are duc04-test-N everywhere else.
const study = "duc04-testb-"

// usualID is an id as all but the study's own files have it.
func usualID(id string) string { return strings.Replace(id, study, "duc04-test-", 1) }

// record is a line of any of the released files. The older form has example_id and pid, the
// study's own qid, the present one id and docid.
type record struct {
	ID        *string   `json:"id"`
	QID       *string   `json:"qid"`
	ExampleID *string   `json:"example_id"`
	Docid     *string   `json:"docid"`
	PID       *string   `json:"pid"`
	Request   *string   `json:"request"`
	Topic     *string   `json:"topic"`
	Contents  *string   `json:"contents"`
	Text      *string   `json:"text"`
	Title     string    `json:"title"`
	Report    string    `json:"report"`
	Questions []*string `json:"questions"`
	Sub       []*string `json:"subquestions"`
	Rating    []*int    `json:"rating"`
}

// first is the first text that is there, else empty.
func first(texts ...*string) string {
	for _, t := range texts {
		if t != nil {
			return *t
		}
	}
	return ""
}

// asTexts are those of a list that may hold null, as the study's questions do.
func asTexts(list []*string) []string {
	out := make([]string, len(list))
	for i, t := range list {
		out[i] = first(t)
	}
	return out
}

// look reads all files below folders that hold released data.
func look(paths []string) (*found, error) {
	f := &found{texts: map[string]string{}, reports: map[string]string{}}
	for _, dir := range paths {
		names, err := files.Below(dir)
		if err != nil {
			return nil, err
		}
		slices.SortFunc(names, naturally)
		for _, n := range names {
			if err := f.read(filepath.Join(dir, filepath.FromSlash(n)), n); err != nil {
				return nil, err
			}
		}
	}
	return f, nil
}

// mostHead is how much of a file is looked at to tell what it is.
const mostHead = 1 << 20

// read reads a file if it is one of the known kinds, and leaves it be otherwise.
func (f *found) read(file, name string) error {
	ending := strings.ToLower(path.Ext(name))
	switch {
	case ending == ".run" || ending == ".trec":
		f.runs = append(f.runs, file)
		return nil
	case ending == ".tsv" && strings.Contains(path.Base(name), "request"):
		return f.readRequests(file)
	case ending != ".jsonl" && ending != ".json" && strings.Contains(path.Base(name), "."):
		return nil // the study has a file without ending per passage
	}

	head, err := files.Head(file, mostHead)
	if err != nil {
		return files.Unreadable(file, err, "check its permissions")
	}
	if !bytes.HasPrefix(bytes.TrimSpace(head), []byte("{")) {
		return nil
	}
	var one map[string]json.RawMessage
	err = json.NewDecoder(bytes.NewReader(head)).Decode(&one)
	switch {
	case err == nil && isRecord(one):
		return f.readRecords(file, name)
	case err == nil || errors.Is(err, io.ErrUnexpectedEOF): // an object of lists by topic may be long
		return f.readLists(file, name)
	}
	return nil
}

// isRecord tells a record from an object of lists by topic.
func isRecord(fields map[string]json.RawMessage) bool {
	for _, name := range []string{"id", "qid", "example_id"} {
		if v, ok := fields[name]; ok && bytes.HasPrefix(v, []byte(`"`)) {
			return true
		}
	}
	return false
}

// readRequests reads lines of a topic, a tab and its request.
func (f *found) readRequests(file string) error {
	data, err := files.Read(file, "check its permissions")
	if err != nil {
		return err
	}
	f.files = append(f.files, file)
	return files.EachLine(data, func(place string, line []byte) error {
		topic, text, ok := strings.Cut(string(line), "\t")
		if !ok {
			return &datasets.InputError{File: file, Place: place, Msg: "has no tab", Remedy: "a line is a topic, a tab and its request"}
		}
		f.requests = append(f.requests, ask{topic: usualID(strings.TrimSpace(topic)), text: strings.TrimSpace(text)})
		return nil
	})
}

// readRecords reads lines of records, whatever they are of.
func (f *found) readRecords(file, name string) error {
	data, err := files.Read(file, "check its permissions")
	if err != nil {
		return err
	}

	questions := questionFile{name: name, lists: map[string][]string{}}
	used := false
	err = files.EachLine(data, func(place string, line []byte) error {
		var r record
		if err := json.Unmarshal(line, &r); err != nil {
			return nil // of another kind: its fields have other types
		}
		did, err := f.add(r, questions, file)
		if err != nil {
			return &datasets.InputError{File: file, Place: place, Msg: err.Error(), Remedy: "take one of the files out", Err: err}
		}
		used = used || did
		return nil
	})

	if len(questions.lists) > 0 {
		f.questions = append(f.questions, questions)
	}
	if used {
		f.files = append(f.files, file)
	} else {
		f.unread = append(f.unread, name)
	}
	return err
}

// add takes what a record holds. It reports whether that was anything.
func (f *found) add(r record, questions questionFile, file string) (bool, error) {
	id := first(r.ID, r.QID, r.ExampleID)
	topic, text := usualID(id), first(r.Contents, r.Text)
	list := r.Sub
	if list == nil {
		list = r.Questions
	}

	switch {
	case r.Rating != nil && first(r.Docid, r.PID) != "":
		f.rows = append(f.rows, gradeRow{topic, usualID(first(r.Docid, r.PID)), whole(r.Rating), file})
		return true, nil
	case text != "" && list == nil:
		return true, f.addPassage(topic, strings.TrimSpace(r.Title+"\n"+text))
	case list == nil && r.Request == nil:
		return false, nil
	}

	if list != nil {
		// Under the id as the file has it: the study's lists differ from the later ones.
		questions.lists[id] = asTexts(list)
	}
	if request := strings.TrimSpace(first(r.Request, r.Topic)); request != "" {
		f.requests = append(f.requests, ask{topic, request, r.Request == nil})
	}
	if r.Report != "" {
		f.reports[topic] = r.Report
	}
	return true, nil
}

// whole are grades; one that is null could not be read, and is told as -1.
func whole(rating []*int) []int {
	out := make([]int, len(rating))
	for i, g := range rating {
		if out[i] = -1; g != nil {
			out[i] = *g
		}
	}
	return out
}

// addPassage adds a passage. The release has some several times.
func (f *found) addPassage(id, text string) error {
	have, taken := f.texts[id]
	switch {
	case taken && have != text:
		return fmt.Errorf("has another text for the passage %q than a file before it", id)
	case !taken:
		f.texts[id] = text
		f.passages = append(f.passages, Passage{ID: id, Text: text})
	}
	return nil
}

// readLists reads an object of lists by topic: of questions, or of grades.
func (f *found) readLists(file, name string) error {
	data, err := files.Read(file, "check its permissions")
	if err != nil {
		return err
	}

	var questions map[string][]*string
	var grades map[string][][]*int
	switch {
	case json.Unmarshal(data, &questions) == nil && len(questions) > 0:
		lists := map[string][]string{}
		for topic, list := range questions {
			lists[topic] = asTexts(list)
		}
		f.questions = append(f.questions, questionFile{name, lists})
	case json.Unmarshal(data, &grades) == nil && len(grades) > 0:
		rows := map[string][][]int{}
		for topic, lists := range grades {
			for _, list := range lists {
				rows[topic] = append(rows[topic], whole(list))
			}
		}
		f.lists = append(f.lists, gradeFile{name, rows})
	default:
		f.unread = append(f.unread, name)
		return nil
	}
	f.files = append(f.files, file)
	return nil
}

// naturally orders paths as people do, numbers by their size: of passages that answer as much the
// first one is required.
func naturally(a, b string) int {
	digit := func(c byte) bool { return c >= '0' && c <= '9' }
	for a != "" && b != "" {
		if digit(a[0]) && digit(b[0]) {
			i, j := numberEnd(a), numberEnd(b)
			x, y := strings.TrimLeft(a[:i], "0"), strings.TrimLeft(b[:j], "0")
			if len(x) != len(y) {
				return len(x) - len(y)
			}
			if c := strings.Compare(x, y); c != 0 {
				return c
			}
			a, b = a[i:], b[j:]
			continue
		}
		if a[0] != b[0] {
			return int(a[0]) - int(b[0])
		}
		a, b = a[1:], b[1:]
	}
	return len(a) - len(b)
}

func numberEnd(s string) int {
	end := strings.IndexFunc(s, func(r rune) bool { return r < '0' || r > '9' })
	if end < 0 {
		return len(s)
	}
	return end
}
