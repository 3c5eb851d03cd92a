package summhay

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"lore/datasets"
)

// Load reads haystack files of the published format; no path means the bundled
// sample. Errors name file, place and remedy.
func (Benchmark) Load(paths []string) (*datasets.Dataset, error) {
	if len(paths) == 0 {
		return load([]string{SampleName}, [][]byte{Sample()})
	}
	contents := make([][]byte, len(paths))
	for i, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, &datasets.InputError{File: path, Msg: "cannot be read: " + errors.Unwrap(err).Error(),
				Remedy: "give the path of a SummHay haystack file (topic_*.json), or none for the bundled sample", Err: err}
		}
		contents[i] = data
	}
	return load(paths, contents)
}

func load(names []string, contents [][]byte) (*datasets.Dataset, error) {
	ds := &datasets.Dataset{Hash: datasets.HashFiles(contents...), Files: names}
	ids := map[string]string{}
	for i, name := range names {
		f, err := Parse(name, contents[i])
		if err != nil {
			return nil, err
		}
		key := haystackKey(name)
		if other, dup := ids[key]; dup {
			return nil, &datasets.InputError{File: name, Msg: fmt.Sprintf("has the same name as %s", other), Remedy: "give each haystack once, under its own file name"}
		}
		ids[key] = name
		h, warnings, err := newHaystack(name, key, f)
		if err != nil {
			return nil, err
		}
		ds.Warnings = append(ds.Warnings, warnings...)
		ds.Corpora = append(ds.Corpora, h.corpus)
		for k := range f.Subtopics {
			it, warnings, err := newItem(h, &f.Subtopics[k])
			if err != nil {
				return nil, err
			}
			ds.Warnings = append(ds.Warnings, warnings...)
			ds.Items = append(ds.Items, it)
		}
	}
	return ds, nil
}

// haystackKey is the file's base name without extension, without white space.
func haystackKey(name string) string {
	name = strings.TrimPrefix(name, "sample:")
	base := strings.TrimSuffix(filepath.Base(name), ".json")
	return strings.Join(strings.Fields(base), "_")
}

// Parse decodes one haystack file and checks its shape. Bytes that are no UTF-8
// are an error: a text silently changed is a text lost.
func Parse(name string, data []byte) (*File, error) {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if !utf8.Valid(data) {
		at := invalidAt(data)
		return nil, &datasets.InputError{File: name, Place: place(data, at), Msg: fmt.Sprintf("byte %#x is not UTF-8", data[at]),
			Remedy: "convert the file to UTF-8, for example with iconv"}
	}
	var f File
	if err := json.Unmarshal(data, &f); err != nil {
		return nil, decodeError(name, data, err)
	}
	switch {
	case len(f.Documents) == 0:
		return nil, shapeError(name, "it has no documents")
	case len(f.Subtopics) == 0:
		return nil, shapeError(name, "it has no subtopics")
	}
	return &f, nil
}

func shapeError(name, msg string) error {
	return &datasets.InputError{File: name, Msg: msg, Remedy: `a haystack is one JSON object with "topic", "documents" and "subtopics"`}
}

func decodeError(name string, data []byte, err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return &datasets.InputError{File: name, Place: place(data, int(syntax.Offset)), Msg: "is not JSON: " + syntax.Error(),
			Remedy: "check that the file is complete", Err: err}
	case errors.As(err, &kind):
		where := place(data, int(kind.Offset))
		if kind.Field != "" {
			where += ", field " + kind.Field
		}
		return &datasets.InputError{File: name, Place: where, Msg: fmt.Sprintf("holds a %s where a %s belongs", kind.Value, kind.Type),
			Remedy: `a haystack is one JSON object with "topic", "documents" and "subtopics"`, Err: err}
	}
	return &datasets.InputError{File: name, Msg: err.Error(), Err: err}
}

func place(data []byte, offset int) string {
	offset = min(max(offset, 0), len(data))
	return fmt.Sprintf("line %d", 1+bytes.Count(data[:offset], []byte("\n")))
}

func invalidAt(data []byte) int {
	for i := 0; i < len(data); {
		r, size := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return 0
}

// haystack is a loaded file.
type haystack struct {
	name     string
	topic    string
	corpus   *datasets.Corpus
	place    map[string]int          // 1-based position by document id
	holders  map[string]map[int]bool // positions by insight id
	insights map[string]bool
}

func newHaystack(name, key string, f *File) (*haystack, []string, error) {
	h := &haystack{name: name, topic: f.Topic, corpus: &datasets.Corpus{ID: key}, place: map[string]int{}, holders: map[string]map[int]bool{}, insights: map[string]bool{}}
	if err := h.listInsights(f); err != nil {
		return nil, nil, err
	}
	var warnings []string
	for i, d := range f.Documents {
		where := fmt.Sprintf("document %d (%s)", i+1, d.DocumentID)
		switch {
		case d.DocumentID == "":
			return nil, nil, &datasets.InputError{File: name, Place: fmt.Sprintf("document %d", i+1), Msg: "has no document_id", Remedy: "give every document an id"}
		case strings.ContainsAny(d.DocumentID, " \t\r\n"):
			return nil, nil, &datasets.InputError{File: name, Place: where, Msg: "the id holds white space", Remedy: "ids stand in run files, which separate fields by white space"}
		case h.place[d.DocumentID] > 0:
			return nil, nil, &datasets.InputError{File: name, Place: where, Msg: fmt.Sprintf("the id is already that of document %d", h.place[d.DocumentID]), Remedy: "ids must be unique in a haystack"}
		case strings.TrimSpace(d.DocumentText) == "":
			warnings = append(warnings, fmt.Sprintf("%s: %s is empty; it can be retrieved but says nothing", name, where))
		}
		h.place[d.DocumentID] = i + 1
		h.corpus.Documents = append(h.corpus.Documents, datasets.Document{ID: d.DocumentID, Text: d.DocumentText})
		for _, id := range d.InsightsIncluded {
			if !h.insights[id] {
				return nil, nil, &datasets.InputError{File: name, Place: where, Msg: fmt.Sprintf("includes the unknown insight %q", id), Remedy: "every id in insights_included must be an insight of a subtopic"}
			}
			if h.holders[id] == nil {
				h.holders[id] = map[int]bool{}
			}
			h.holders[id][i+1] = true
		}
	}
	return h, warnings, nil
}

func (h *haystack) listInsights(f *File) error {
	for i, s := range f.Subtopics {
		where := fmt.Sprintf("subtopic %d (%s)", i+1, s.SubtopicID)
		if s.SubtopicID == "" || strings.ContainsAny(s.SubtopicID, " \t\r\n") {
			return &datasets.InputError{File: h.name, Place: where, Msg: "has no subtopic_id, or one with white space", Remedy: "give every subtopic a one-word id"}
		}
		if len(s.Insights) == 0 {
			return &datasets.InputError{File: h.name, Place: where, Msg: "has no insights", Remedy: "remove the subtopic or give it insights"}
		}
		if strings.TrimSpace(s.Query) == "" && strings.TrimSpace(s.Subtopic) == "" {
			return &datasets.InputError{File: h.name, Place: where, Msg: "has neither query nor subtopic text", Remedy: "there is nothing to retrieve with; fill one in"}
		}
		for _, in := range s.Insights {
			if in.InsightID == "" || h.insights[in.InsightID] {
				return &datasets.InputError{File: h.name, Place: where, Msg: fmt.Sprintf("insight id %q is empty or occurs twice", in.InsightID), Remedy: "insight ids must be unique in a haystack"}
			}
			h.insights[in.InsightID] = true
		}
	}
	return nil
}

func newItem(h *haystack, s *Subtopic) (*item, []string, error) {
	it := &item{haystack: h, subtopic: s}
	var warnings []string
	for _, in := range s.Insights {
		if len(h.holders[in.InsightID]) == 0 {
			warnings = append(warnings, fmt.Sprintf("%s: subtopic %s: insight %s occurs in no document and is left out", h.name, s.SubtopicID, in.InsightID))
			continue
		}
		it.insights = append(it.insights, in)
	}
	if len(it.insights) == 0 {
		return nil, nil, &datasets.InputError{File: h.name, Place: "subtopic " + s.SubtopicID, Msg: "none of its insights occurs in a document",
			Remedy: "check insights_included of the documents"}
	}
	return it, warnings, nil
}
