package long2rag

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"lore/datasets"
	"lore/judge"
	"lore/local/files"
)

// Document is a retrieved document of a question.
type Document struct {
	ID    string `json:"id"`
	Title string `json:"title,omitempty"`
	Text  string `json:"text"`

	// Extract says that the text is not the whole document, but the spans that key points were taken from.
	Extract bool `json:"extract,omitempty"`
}

// UnmarshalJSON reads id and text under any of the usual names.
func (d *Document) UnmarshalJSON(data []byte) error {
	var r files.Record
	if err := json.Unmarshal(data, &r); err != nil {
		return err
	}
	id, idErr := r.DocumentID()
	title, titleErr := r.Title()
	text, textErr := r.DocumentText()
	var extract struct {
		Extract bool `json:"extract"`
	}
	extractErr := json.Unmarshal(data, &extract)
	*d = Document{ID: id, Title: title, Text: text, Extract: extract.Extract}
	return cmp.Or(idErr, titleErr, textErr, extractErr)
}

// whole is the text with its title.
func (d Document) whole() string {
	if d.Title == "" {
		return d.Text
	}
	return d.Title + "\n" + d.Text
}

// KeyPoint is a piece of information from the documents that a complete answer needs.
type KeyPoint struct {
	ID        string   `json:"id"`
	Text      string   `json:"text"`
	Spans     []string `json:"spans,omitempty"`     // copied from the documents
	Documents []string `json:"documents,omitempty"` // that hold it
	Score     *float64 `json:"score,omitempty"`     // significance, in data that was built
}

// Question is a line of a dataset.
type Question struct {
	ID        string     `json:"id"`
	Text      string     `json:"question"`
	Category  string     `json:"category,omitempty"`
	Domain    string     `json:"domain,omitempty"`
	Documents []Document `json:"documents"`
	KeyPoints []KeyPoint `json:"key_points"`

	// Source names the public set that the question is from, where it is not the paper's.
	Source string `json:"source,omitempty"`

	Slips []string `json:"-"` // fields that are not read and have nearly the name of one that is missing
}

// UnmarshalJSON reads documents by ids that are text or integers.
func (p *KeyPoint) UnmarshalJSON(data []byte) error {
	type plain KeyPoint
	var rest struct {
		plain
		ID        json.RawMessage `json:"id"` // read below
		Documents files.IDs       `json:"documents"`
	}
	if err := json.Unmarshal(data, &rest); err != nil {
		return err
	}
	*p = KeyPoint(rest.plain)
	p.Documents = rest.Documents
	if rest.ID == nil {
		return nil
	}

	var ids files.IDs
	err := ids.UnmarshalJSON(slices.Concat([]byte("["), rest.ID, []byte("]")))
	if err == nil {
		p.ID = ids[0]
	}
	return err
}

// UnmarshalJSON reads id and question under any of the usual names.
func (q *Question) UnmarshalJSON(data []byte) error {
	type plain Question
	var rest struct {
		plain
		ID   json.RawMessage `json:"id"` // read below
		Text json.RawMessage `json:"question"`
	}
	var r files.Record
	if err := cmp.Or(json.Unmarshal(data, &rest), json.Unmarshal(data, &r)); err != nil {
		return err
	}

	*q = Question(rest.plain)
	id, idErr := r.QueryID()
	text, textErr := r.QueryText()
	q.ID, q.Text = id, text
	return cmp.Or(idErr, textErr)
}

const questionForm = `a question is {"id", "question", "category", "domain", ` +
	`"documents": [{"id", "text"}], "key_points": [{"id", "text"}]}; ` +
	`other names: lore data import long2rag FILE --map question=query`

// isQuestion tells a question in lore's own form from an object of several.
func isQuestion(members map[string]json.RawMessage) bool {
	return members["key_points"] != nil || members["documents"] != nil || members["question"] != nil
}

// ReadQuestions reads questions in lore's own form, as lines of JSON or as eachEntry does, and checks them.
func ReadQuestions(name string, data []byte) ([]Question, error) {
	var out []Question
	seen := map[string]bool{}
	bad := func(place string, err error) error {
		return &datasets.InputError{File: name, Place: place, Msg: err.Error(), Remedy: questionForm, Err: err}
	}
	err := eachEntry(data, isQuestion, func(e entry) error {
		var q Question
		var r files.Record
		err := json.Unmarshal(e.raw, &r)
		if err == nil {
			err = json.Unmarshal(e.withID(r.HasID()), &q)
		}
		if err == nil {
			err = q.check(seen)
		}
		if err != nil {
			return bad(e.place, errors.New(files.JSONWords(err)))
		}
		q.Slips = slipsOf(r.Names())
		out = append(out, q)
		return nil
	})

	var form *formError
	if errors.As(err, &form) {
		err = bad(form.place, form.err)
	}
	if err == nil && len(out) == 0 {
		err = &datasets.InputError{File: name, Msg: "holds no questions", Remedy: questionForm}
	}
	return out, err
}

// check refuses what cannot be scored, and numbers key points without an id.
func (q *Question) check(seen map[string]bool) error {
	switch {
	case files.CheckID(q.ID) != nil:
		return fmt.Errorf("the question has no id of one word: %w", files.CheckID(q.ID))
	case seen[q.ID]:
		return fmt.Errorf("the id %q is repeated", q.ID)
	case strings.TrimSpace(q.Text) == "":
		return fmt.Errorf("question %s has no text", q.ID)
	case len(q.KeyPoints) == 0:
		return fmt.Errorf("question %s has no key points", q.ID)
	}
	seen[q.ID] = true

	documents := map[string]bool{}
	for i, d := range q.Documents {
		switch {
		case files.CheckID(d.ID) != nil:
			return fmt.Errorf("question %s: document %d has no id of one word: %w", q.ID, i+1, files.CheckID(d.ID))
		case documents[d.ID]:
			return fmt.Errorf("question %s has two documents %q", q.ID, d.ID)
		}
		documents[d.ID] = true
	}
	return q.checkPoints(documents)
}

func (q *Question) checkPoints(documents map[string]bool) error {
	points := map[string]bool{}
	for i := range q.KeyPoints {
		p := &q.KeyPoints[i]
		if p.ID == "" {
			p.ID = fmt.Sprintf("p%d", i+1)
		}
		switch {
		case strings.TrimSpace(p.Text) == "":
			return fmt.Errorf("question %s: key point %s has no text", q.ID, p.ID)
		case points[p.ID]:
			return fmt.Errorf("question %s has two key points %q", q.ID, p.ID)
		}
		points[p.ID] = true
		if err := files.CheckName("id of a key point", p.ID); err != nil {
			return fmt.Errorf("question %s: %w", q.ID, err)
		}

		for _, d := range p.Documents {
			if !documents[d] {
				return fmt.Errorf("question %s: key point %s names the document %q, which the question does not have",
					q.ID, p.ID, d)
			}
		}
	}
	return nil
}

// lostSpans counts spans that stand in no document of the question, and those in all.
func (q Question) lostSpans() (lost, all int) {
	for _, p := range q.KeyPoints {
		for _, s := range p.Spans {
			all++
			found := false
			for _, d := range q.Documents {
				found = found || strings.Contains(d.Text, s)
			}
			if !found {
				lost++
			}
		}
	}
	return lost, all
}

// set is what the items of a dataset share.
type set struct {
	bench  Benchmark
	corpus *datasets.Corpus
	texts  map[string]string // while documents are added
}

// Load reads files with a question per line, or those below a folder. All their documents make up one
// corpus, so that a question's own documents can be searched for.
func (b Benchmark) Load(paths []string) (*datasets.Dataset, error) {
	if len(paths) == 0 {
		paths = []string{SampleName}
	} else {
		var err error
		if paths, err = locate(paths, "lore run long2rag"); err != nil {
			return nil, err
		}
	}
	ds := &datasets.Dataset{Texts: "web"}
	s := &set{bench: b, corpus: &datasets.Corpus{ID: "documents"}, texts: map[string]string{}}

	var contents [][]byte
	seen := map[string]string{} // files by question
	for _, path := range paths {
		data, err := s.addFile(ds, path, seen)
		if err != nil {
			return nil, err
		}
		contents, ds.Files = append(contents, data), append(ds.Files, path)
	}
	if b.CorpusFile != "" {
		data, err := s.addCorpus(b.CorpusFile)
		if err != nil {
			return nil, err
		}
		contents, ds.Files = append(contents, data), append(ds.Files, b.CorpusFile)
	}

	if len(s.corpus.Documents) == 0 {
		ds.Unsearchable = &datasets.InputError{
			File:   paths[0],
			Msg:    "has questions without documents",
			Remedy: "give the documents to retrieve from with --corpus FILE, or answers from elsewhere with --answers FILE",
		}
	}
	warnings, err := files.CheckTexts(strings.Join(ds.Files, ", "), s.corpus.Documents)
	if err != nil {
		return nil, err
	}
	ds.Warnings = append(ds.Warnings, warnings...)
	ds.Warnings = append(ds.Warnings, twinNames(ds.Items)...)
	ds.Warnings = append(ds.Warnings, slippedFields(ds.Items)...)
	ds.Warnings = append(ds.Warnings, twicePoints(ds.Items)...)
	ds.Corpora, ds.Hash = []*datasets.Corpus{s.corpus}, datasets.HashFiles(contents...)
	return ds, nil
}

// addFile adds the questions of a file, and returns its content.
func (s *set) addFile(ds *datasets.Dataset, path string, seen map[string]string) ([]byte, error) {
	data, err := readData(path)
	if err != nil {
		return nil, err
	}
	if err := refuseRelated(path); err != nil {
		return nil, err
	}
	questions, err := ReadQuestions(path, data)
	if err != nil {
		return nil, err
	}

	lost, all := 0, 0
	for _, q := range questions {
		if other, twice := seen[q.ID]; twice {
			return nil, &datasets.InputError{
				File:   path,
				Place:  "question " + q.ID,
				Msg:    "has an id that is taken in " + other,
				Remedy: "give files with different ids",
			}
		}
		seen[q.ID] = path
		ds.Items = append(ds.Items, s.add(q))
		l, a := q.lostSpans()
		lost, all = lost+l, all+a
	}

	if lost > 0 {
		ds.Warnings = append(ds.Warnings, fmt.Sprintf("%s: %d of %d spans of key points "+
			"do not stand in their question's documents word for word", path, lost, all))
	}
	return data, nil
}

func readData(path string) ([]byte, error) {
	if path == SampleName {
		return sample, nil
	}
	return files.Read(path, "give a file of questions, .jsonl or .json")
}

// add makes the item of a question and puts its documents into the corpus. A document
// with the id of another and a text of its own is named after its question.
func (s *set) add(q Question) *item {
	it := &item{set: s, question: q, given: map[string]float64{}, supports: map[string]float64{}}
	names := map[string]string{}
	for i, d := range q.Documents {
		id, text := d.ID, d.whole()
		if have, taken := s.texts[id]; taken && have != text {
			id = q.ID + "/" + d.ID
		}
		if _, taken := s.texts[id]; !taken {
			s.texts[id] = text
			s.corpus.Documents = append(s.corpus.Documents, datasets.Document{ID: id, Text: text})
		}

		it.given[id] = float64(len(q.Documents) - i)
		it.supports[id] = 1
		names[d.ID] = id
	}

	for _, p := range q.KeyPoints {
		for _, d := range p.Documents {
			it.supports[names[d]]++
		}
		it.questions = append(it.questions, judge.Question{ID: p.ID, Kind: judge.Entailment, Text: p.Text})
	}
	return it
}

// addCorpus adds the documents of a file. One that a question has, too, must be the same.
func (s *set) addCorpus(path string) ([]byte, error) {
	data, err := readData(path)
	if err != nil {
		return nil, err
	}

	seen := map[string]bool{}
	isDocument := func(members map[string]json.RawMessage) bool { return len(members) > 0 && !areObjects(members) }
	err = eachEntry(data, isDocument, func(e entry) error {
		d, err := e.document()
		bad := func(msg string) error {
			return &datasets.InputError{
				File:   path,
				Place:  e.place,
				Msg:    msg,
				Remedy: documentForm,
				Err:    err,
			}
		}

		switch have, taken := s.texts[d.ID]; {
		case err != nil:
			return bad("is not a document: " + strings.TrimPrefix(files.JSONWords(err), "is "))
		case files.CheckID(d.ID) != nil:
			return bad("is not a document with an id of one word: " + files.CheckID(d.ID).Error())
		case seen[d.ID]:
			return bad(fmt.Sprintf("repeats the id %q", d.ID))
		case taken && have != d.whole():
			return bad(fmt.Sprintf("has another text than the document %q of a question", d.ID))
		case !taken:
			s.texts[d.ID] = d.whole()
			s.corpus.Documents = append(s.corpus.Documents, datasets.Document{ID: d.ID, Text: d.whole()})
		}

		seen[d.ID] = true
		return nil
	})
	var form *formError
	if errors.As(err, &form) {
		err = &datasets.InputError{File: path, Place: form.place, Msg: files.JSONWords(form.err), Remedy: documentForm, Err: err}
	}
	return data, err
}

const documentForm = `a document is {"id": "...", "text": "..."}`

// areObjects reports whether all members are objects or lists, as of documents by their ids.
func areObjects(members map[string]json.RawMessage) bool {
	for _, v := range members {
		if v[0] != '{' && v[0] != '[' {
			return false
		}
	}
	return true
}

// document reads an entry as a document.
func (e entry) document() (d Document, err error) {
	var r files.Record
	if err := json.Unmarshal(e.raw, &r); err != nil {
		return d, err
	}
	return d, json.Unmarshal(e.withID(r.HasID()), &d)
}
