package long2rag

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"lore/datasets"
	"lore/local/files"
)

// fields are the parts of a question with the names they are looked for under, the
// first that is there. A mapping puts another name first.
var fields = map[string][]string{
	"id":                   {"id", "question_id", "qid", "idx", "_id", "query_id"},
	"question":             {"question", "query", "prompt"},
	"category":             {"category", "question_category", "question_type", "type"},
	"domain":               {"domain", "topic"},
	"documents":            {"documents", "docs", "references", "contexts", "ctxs", "retrieved_documents"},
	"documents.id":         {"id", "doc_id", "url", "_id", "docid", "document_id"},
	"documents.title":      {"title"},
	"documents.text":       {"text", "content", "document", "body", "contents", "passage", "segment"},
	"key_points":           {"key_points", "keypoints", "points"},
	"key_points.id":        {"id", "point_id"},
	"key_points.text":      {"text", "point", "key_point", "content"},
	"key_points.spans":     {"spans", "span"},
	"key_points.documents": {"documents", "docs", "doc_ids"},
}

// Mapping says which name a field has in a file to import.
type Mapping map[string]string

// ReadMapping reads "question=query,documents.text=content".
func ReadMapping(s string) (Mapping, error) {
	m := Mapping{}
	for _, part := range datasets.List(s, ",") {
		field, name, ok := strings.Cut(part, "=")
		if fields[field] == nil || !ok || name == "" {
			known := strings.Join(slices.Sorted(maps.Keys(fields)), ", ")
			return nil, fmt.Errorf("%q is not FIELD=NAME with a field of: %s", part, known)
		}
		m[field] = name
	}
	return m, nil
}

// record is an object of a file whose fields have other names.
type record map[string]json.RawMessage

// get returns the value of a field and the name it was found under, "" if there is none.
func (m Mapping) get(r record, field string) (json.RawMessage, string) {
	names := fields[field]
	if m[field] != "" {
		names = []string{m[field]}
	}
	for _, n := range names {
		if v, ok := r[n]; ok && string(v) != "null" {
			return v, n
		}
	}
	return nil, ""
}

// text reads a field that is a text or a number; "" if it is not there.
func (m Mapping) text(r record, field string) (string, error) {
	v, name := m.get(r, field)
	if v == nil {
		return "", nil
	}

	var s string
	if json.Unmarshal(v, &s) == nil {
		return s, nil
	}

	var n json.Number
	if json.Unmarshal(v, &n) == nil {
		return n.String(), nil
	}

	return "", fmt.Errorf("the field %q is not a text", name)
}

// list reads a field that is a text or a list of texts.
func (m Mapping) list(r record, field string) ([]string, error) {
	v, name := m.get(r, field)
	if v == nil {
		return nil, nil
	}

	var one string
	if json.Unmarshal(v, &one) == nil {
		return []string{one}, nil
	}

	var many []string
	if err := json.Unmarshal(v, &many); err != nil {
		return nil, fmt.Errorf("the field %q is not a list of texts", name)
	}
	return many, nil
}

// parts reads a field that is a list of objects or of texts; a text becomes an object
// with it as its field textField.
func (m Mapping) parts(r record, field, textField string) ([]record, error) {
	v, name := m.get(r, field)
	if v == nil {
		return nil, nil
	}

	raw, ids, err := listed(v)
	if err != nil {
		return nil, fmt.Errorf("the field %q is not a list: %w", name, err)
	}
	key := cmp.Or(m[textField], fields[textField][0])

	out := make([]record, len(raw))
	for i, x := range raw {
		if bytes.HasPrefix(x, []byte(`"`)) {
			out[i] = record{key: x}
		} else if err := json.Unmarshal(x, &out[i]); err != nil {
			return nil, fmt.Errorf("part %d of the field %q is neither an object nor a text", i+1, name)
		}
		if ids != nil {
			out[i] = m.named(out[i], field+".id", ids[i])
		}
	}
	return out, nil
}

// listed are the parts of a list, or of an object of parts by their ids, in the order of the file.
func listed(v json.RawMessage) (parts []json.RawMessage, ids []string, err error) {
	if bytes.HasPrefix(v, []byte("{")) {
		ids, parts, err = membersOf(v)
		return parts, ids, err
	}
	err = json.Unmarshal(v, &parts)
	return parts, nil, err
}

// named gives a part an id, if it has none.
func (m Mapping) named(r record, field, id string) record {
	if have, _ := m.get(r, field); have != nil {
		return r
	}
	out := record{}
	maps.Copy(out, r)
	out[cmp.Or(m[field], fields[field][0])], _ = json.Marshal(id) // a text
	return out
}

// question reads a question with its parts. What cannot be read is reported together.
func (m Mapping) question(r record) (Question, error) {
	var q Question
	var err error
	read := func(into *string, r record, field string) {
		v, e := m.text(r, field)
		*into, err = v, errors.Join(err, e)
	}

	read(&q.ID, r, "id")
	read(&q.Text, r, "question")
	read(&q.Category, r, "category")
	read(&q.Domain, r, "domain")
	q.Category = categoryName(q.Category)

	documents, e := m.parts(r, "documents", "documents.text")
	err = errors.Join(err, e)
	for i, d := range documents {
		var doc Document
		read(&doc.ID, d, "documents.id")
		read(&doc.Title, d, "documents.title")
		read(&doc.Text, d, "documents.text")
		if files.CheckID(doc.ID) != nil {
			doc.ID = fmt.Sprintf("%s-d%d", q.ID, i+1)
		}
		q.Documents = append(q.Documents, doc)
	}

	points, e := m.parts(r, "key_points", "key_points.text")
	err = errors.Join(err, e)
	for _, p := range points {
		var point KeyPoint
		read(&point.ID, p, "key_points.id")
		read(&point.Text, p, "key_points.text")
		spans, e1 := m.list(p, "key_points.spans")
		docs, e2 := m.list(p, "key_points.documents")
		point.Spans, point.Documents, err = spans, docs, errors.Join(err, e1, e2)
		q.KeyPoints = append(q.KeyPoints, point)
	}
	return q, err
}

// categoryName takes the name out of headings such as "Factual Questions".
func categoryName(s string) string {
	s = strings.TrimSuffix(strings.TrimSpace(s), " Questions")
	return strings.ToLower(strings.TrimSuffix(s, " questions"))
}

// ReadMapped reads questions whose fields have other names, as lines of JSON, as a list, or as eachEntry does. A
// question without an id is numbered.
func ReadMapped(name string, data []byte, m Mapping) ([]Question, error) {
	var out []Question
	seen := map[string]bool{}
	err := eachEntry(data, m.isQuestion, func(e entry) error {
		q, err := m.read(e, len(out)+1)
		if err == nil {
			err = q.check(seen)
		}
		if err != nil {
			return &datasets.InputError{
				File:   name,
				Place:  e.place,
				Msg:    err.Error(),
				Remedy: "name the file's fields with --map, such as --map question=query,documents.text=content",
				Err:    err,
			}
		}
		out = append(out, q)
		return nil
	})

	const remedy = "give a list or lines of JSON, or an object of questions by their ids"
	var form *formError
	switch {
	case errors.As(err, &form):
		msg := "is no JSON of questions: " + form.err.Error()
		return nil, &datasets.InputError{File: name, Place: form.place, Msg: msg, Remedy: remedy, Err: err}
	case err == nil && len(out) == 0:
		err = &datasets.InputError{File: name, Msg: "holds no questions", Remedy: remedy}
	}
	return out, err
}

// isQuestion tells a question from an object of several.
func (m Mapping) isQuestion(members map[string]json.RawMessage) bool {
	for _, field := range []string{"question", "key_points", "documents"} {
		if v, _ := m.get(members, field); v != nil {
			return true
		}
	}
	return false
}

// read reads a question; one without an id gets its key's, or that of its number.
func (m Mapping) read(e entry, number int) (Question, error) {
	var r record
	if err := json.Unmarshal(e.raw, &r); err != nil {
		return Question{}, err
	}
	return m.question(m.named(r, "id", cmp.Or(e.key, fmt.Sprintf("q%03d", number))))
}

// Published counts of the paper (section 3.3).
const (
	publishedQuestions = 280
	publishedPoints    = 2055
)

// CheckCounts says where data differs from the published counts. Those of another public set are not compared.
func CheckCounts(questions []Question) []string {
	if slices.ContainsFunc(questions, func(q Question) bool { return q.Source == relatedSet }) {
		return nil
	}
	points, documents := 0, 0
	for _, q := range questions {
		points += len(q.KeyPoints)
		documents += len(q.Documents)
	}

	var out []string
	differs := func(what string, got, want int) {
		if got != want {
			out = append(out, fmt.Sprintf("%d %s where the paper has %d: "+
				"this is not the published dataset, or not all of it", got, what, want))
		}
	}
	differs("questions", len(questions), publishedQuestions)
	differs("key points", points, publishedPoints)
	differs("documents", documents, publishedQuestions*Shown)
	return out
}
