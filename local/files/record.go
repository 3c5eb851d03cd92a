package files

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"lore/local/text"
)

// Names under which collections keep ids and texts, the first that holds something is
// taken: lore's own, those of BEIR (_id), Pyserini (contents), MS MARCO (docid, body,
// passage, segment; pid of a passage, whose docid names the document it is of) and TREC (qid, title).
var (
	documentIDs   = []string{"id", "_id", "pid", "docid", "doc_id", "document_id", "qid", "query_id"}
	queryIDs      = []string{"id", "_id", "qid", "query_id", "docid", "doc_id", "document_id"}
	documentTexts = []string{"text", "contents", "content", "body", "passage", "segment"}
	queryTexts    = []string{"text", "query", "question", "request", "topic", "contents", "content", "body",
		"passage", "segment", "title"}
)

// Record is an object of JSON about a document or a query, whatever its fields are called.
type Record struct {
	fields map[string]json.RawMessage
}

// RecordOf is a record of the fields of a table's row.
func RecordOf(fields map[string]any) (Record, error) {
	r := Record{fields: make(map[string]json.RawMessage, len(fields))}
	for name, v := range fields {
		raw, err := json.Marshal(v)
		if err != nil {
			return r, fmt.Errorf("%s: %w", name, err)
		}
		r.fields[name] = raw
	}
	return r, nil
}

// mostFields is how many fields a record has at most: each takes far more memory than it has
// letters.
const mostFields = 10_000

// UnmarshalJSON keeps the fields as they are; the methods read them.
func (r *Record) UnmarshalJSON(data []byte) error {
	if bytes.Count(data, []byte(`":`)) > mostFields {
		if err := countFields(data); err != nil {
			return err
		}
	}
	return json.Unmarshal(data, &r.fields)
}

// countFields refuses an object of too many fields; those of objects inside do not count.
func countFields(data []byte) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return err // not an object: the caller finds out
	}
	for n := 1; dec.More(); n++ {
		if n > mostFields {
			return fmt.Errorf("the record has more than %d fields", mostFields)
		}
		var value json.RawMessage
		_, err := dec.Token()
		if err == nil {
			err = dec.Decode(&value)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Names are those of the record's fields, in alphabetical order.
func (r Record) Names() []string { return slices.Sorted(maps.Keys(r.fields)) }

// DocumentID is the id of a document or passage, without check.
func (r Record) DocumentID() (string, error) { return r.id(documentIDs) }

// QueryID is the id of a query, question or topic, without check.
func (r Record) QueryID() (string, error) { return r.id(queryIDs) }

// Field is the first of some fields that is there, as text; a number is taken as it is written.
func (r Record) Field(names ...string) (string, error) {
	for _, name := range names {
		v, ok := r.field(name)
		if !ok {
			continue
		}
		var n json.Number
		if json.Unmarshal(v, &n) == nil && v[0] != '"' {
			return n.String(), nil
		}
		return textOf(name, v)
	}
	return "", fmt.Errorf("there is no %q%s", names[0], r.missing(names))
}

// HasID reports whether there is a field for an id.
func (r Record) HasID() bool {
	return slices.ContainsFunc(queryIDs, func(name string) bool {
		_, ok := r.field(name)
		return ok
	})
}

// QueryText is what is asked.
func (r Record) QueryText() (string, error) { return r.text(queryTexts) }

// Title is empty where there is none.
func (r Record) Title() (string, error) {
	v, ok := r.field("title")
	if !ok {
		return "", nil
	}
	return textOf("title", v)
}

// Document reads id and text; a title is put before the text.
func (r Record) Document() (Document, error) {
	id, idErr := r.DocumentID()
	title, titleErr := r.Title()
	body, bodyErr := r.DocumentText()
	if err := cmp.Or(idErr, titleErr, bodyErr); err != nil {
		return Document{}, err
	}
	return Document{ID: id, Text: strings.TrimSpace(title + "\n" + body)}, nil
}

// DocumentText is a document's text without its title. It may be empty, but a record
// without a field for the text is an error.
func (r Record) DocumentText() (string, error) { return r.text(documentTexts) }

// Raw is a field as it is written.
func (r Record) Raw(name string) (json.RawMessage, bool) { return r.field(name) }

// field finds a field by its name, in whatever case, as package json does.
func (r Record) field(name string) (json.RawMessage, bool) {
	if v, ok := r.fields[name]; ok {
		return v, true
	}
	for _, k := range slices.Sorted(maps.Keys(r.fields)) {
		if strings.EqualFold(k, name) {
			return r.fields[k], true
		}
	}
	return nil, false
}

// id reads an id that is text or an integer. It may be empty, but not missing.
func (r Record) id(names []string) (string, error) {
	there := false
	for _, name := range names {
		v, ok := r.field(name)
		if !ok {
			continue
		}
		there = true
		s, err := idOf(name, v)
		if s != "" || err != nil {
			return s, err
		}
	}
	if there {
		return "", nil
	}
	return "", fmt.Errorf(`there is no "id"%s`, r.missing(names))
}

// text reads the first text that is not blank.
func (r Record) text(names []string) (string, error) {
	there := false
	for _, name := range names {
		v, ok := r.field(name)
		if !ok {
			continue
		}
		there = true
		s, err := textOf(name, v)
		if strings.TrimSpace(s) != "" || err != nil {
			return s, err
		}
	}
	if there {
		return "", nil
	}
	return "", fmt.Errorf("there is no text%s", r.missing(names))
}

// missing says what there is instead of a field: the nearest name, and all fields.
func (r Record) missing(names []string) string {
	if len(r.fields) == 0 {
		return ": the record has no fields"
	}
	have := slices.Sorted(maps.Keys(r.fields))
	known := strings.Join(names, ", ")

	for _, h := range have {
		if v := r.fields[h]; len(v) > 0 && (v[0] == '[' || v[0] == '{') {
			continue // a list of questions is no question with a slip of the finger
		}
		if near := text.Nearest(h, names); near != "" {
			return fmt.Sprintf(": rename %q to %q; the record has the fields %s, and these names are read: %s",
				h, near, strings.Join(have, ", "), known)
		}
	}
	return fmt.Sprintf(": the record has the fields %s; these names are read: %s", strings.Join(have, ", "), known)
}

// idOf reads text, or an integer as it is written.
func idOf(name string, v json.RawMessage) (string, error) {
	var n json.Number
	if json.Unmarshal(v, &n) == nil && v[0] != '"' {
		if strings.ContainsAny(n.String(), ".eE") {
			return "", fmt.Errorf("%s is %s, which is neither text nor an integer", name, n)
		}
		return n.String(), nil
	}
	return textOf(name, v)
}

// textOf reads text; null is none.
func textOf(name string, v json.RawMessage) (string, error) {
	var s *string
	if json.Unmarshal(v, &s) != nil {
		return "", fmt.Errorf("%s is %s, not text", name, kindOf(v))
	}
	if s == nil {
		return "", nil
	}
	return *s, nil
}

// kindOf names a value of JSON by its first letter.
func kindOf(v json.RawMessage) string {
	switch v[0] {
	case '[':
		return "a list"
	case '{':
		return "an object"
	case 't', 'f':
		return "true or false"
	}
	return "a number"
}

// IDs are ids that are written as text or as integers, such as a list of documents.
type IDs []string

// UnmarshalJSON reads either.
func (ids *IDs) UnmarshalJSON(data []byte) error {
	var raw []json.RawMessage
	if err := json.Unmarshal(data, &raw); err != nil {
		return fmt.Errorf("ids are %s, not a list", kindOf(data))
	}
	*ids = nil
	for _, v := range raw {
		id, err := idOf("an id", v)
		if err != nil {
			return err
		}
		*ids = append(*ids, id)
	}
	return nil
}

// CheckTexts refuses documents that all lack text, which can never be found, and words
// a warning where some do. name is the file's.
func CheckTexts(name string, docs []Document) (warnings []string, err error) {
	var t Texts
	for _, d := range docs {
		t.Add(d)
	}
	return t.Check(name)
}

// Texts counts documents, and those without text.
type Texts struct {
	documents, blank int
	first            string // without text
}

// Add counts a document.
func (t *Texts) Add(d Document) {
	t.documents++
	if strings.TrimSpace(d.Text) != "" {
		return
	}
	if t.blank++; t.blank == 1 {
		t.first = d.ID
	}
}

// Check warns of documents without text, and refuses a corpus of nothing else.
func (t *Texts) Check(name string) (warnings []string, err error) {
	switch t.blank {
	case 0:
		return nil, nil
	case t.documents:
		return nil, &Error{
			File:   name,
			Msg:    fmt.Sprintf("holds %d documents, none of which has text", t.documents),
			Remedy: "give their text under one of the names " + strings.Join(documentTexts, ", "),
		}
	}
	return []string{fmt.Sprintf("%s: %d of %d documents have no text and can never be found, the first is %s",
		name, t.blank, t.documents, t.first)}, nil
}

// Object reads an object of JSON. A key that is there twice is refused: package json would
// take the last value and lose the others.
func Object[V any](data []byte) (map[string]V, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	if t, err := dec.Token(); err != nil || t == nil {
		return nil, err // null is none
	} else if t != json.Delim('{') {
		return nil, fmt.Errorf("there is %s where an object belongs", kindOf(bytes.TrimSpace(data)))
	}

	out := map[string]V{}
	for dec.More() {
		t, err := dec.Token()
		if err != nil {
			return nil, err
		}
		key := t.(string) // of an object, as the decoder says
		if _, twice := out[key]; twice {
			return nil, fmt.Errorf("%q is there twice", key)
		}
		var v V
		if err := dec.Decode(&v); err != nil {
			return nil, err
		}
		out[key] = v
	}
	return out, nil
}
