package summhay

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"lore/datasets"
	"lore/local/files"
)

// Load reads haystack files of the published format, or those below a folder; no path means the
// bundled sample. Errors name file, place and remedy.
func (b Benchmark) Load(paths []string) (*datasets.Dataset, error) {
	names, contents := []string{SampleName}, [][]byte{Sample()}
	var leftOut []string
	if len(paths) > 0 {
		var err error
		if paths, leftOut, err = locate(paths); err != nil {
			return nil, err
		}
		if names, contents, err = readFiles(paths); err != nil {
			return nil, err
		}
	}

	ds, err := load(names, contents)
	if err != nil {
		return nil, err
	}
	ds.Warnings = append(leftOut, ds.Warnings...)
	for _, it := range ds.Items {
		it.(*item).haystack.citations = b.Citations
	}
	return ds, nil
}

func readFiles(paths []string) ([]string, [][]byte, error) {
	const remedy = "give the path of a SummHay haystack file (topic_*.json), or none for the bundled sample"
	contents := make([][]byte, len(paths))
	for i, path := range paths {
		var err error
		if contents[i], err = files.Bytes(path, remedy); err != nil {
			return nil, nil, err
		}
	}
	return paths, contents, nil
}

func load(names []string, contents [][]byte) (*datasets.Dataset, error) {
	ds := &datasets.Dataset{Hash: datasets.HashFiles(contents...), Files: names, Texts: textsOf(names)}
	ids := map[string]string{}
	for i, name := range names {
		f, err := Parse(name, contents[i])
		if err != nil {
			return nil, err
		}

		key := haystackKey(name)
		if other, dup := ids[key]; dup {
			return nil, &datasets.InputError{
				File:   name,
				Msg:    fmt.Sprintf("has the same name as %s", other),
				Remedy: "give each haystack once, under its own file name",
			}
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

// textsOf tells the kind of text by the names of published files, topic_news1.json and
// topic_conv1.json; empty for others, and for both together.
func textsOf(names []string) string {
	for prefix, kind := range map[string]string{"topic_news": "news", "topic_conv": "conversations"} {
		other := func(name string) bool { return !strings.HasPrefix(haystackKey(name), prefix) }
		if len(names) > 0 && !slices.ContainsFunc(names, other) {
			return kind
		}
	}
	return ""
}

// haystackKey is the file's base name without extension, as one word.
func haystackKey(name string) string {
	name = strings.TrimPrefix(name, "sample:")
	base := strings.TrimSuffix(filepath.Base(name), ".json")
	return files.OneWord(base)
}

// Parse decodes one haystack file and checks its shape. Bytes that are not UTF-8
// are an error: a text silently changed is a text lost.
func Parse(name string, data []byte) (*File, error) {
	data, err := files.Text(name, data)
	if err != nil {
		return nil, err
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

// haystackForm is the remedy of files that are something else.
const haystackForm = `a haystack is one JSON object with "topic", "documents" and "subtopics"`

func shapeError(name, msg string) error {
	return &datasets.InputError{File: name, Msg: msg, Remedy: haystackForm}
}

// decodeError finds the place of an error in JSON.
func decodeError(name string, data []byte, err error) error {
	out := &datasets.InputError{File: name, Msg: err.Error(), Err: err}
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		out.Place = datasets.LineAt(data, int(syntax.Offset))
		out.Msg = "is not valid JSON: " + syntax.Error()
		out.Remedy = "check that the file is complete"
	case errors.As(err, &kind):
		out.Place = datasets.LineAt(data, int(kind.Offset))
		if kind.Field != "" {
			out.Place += ", field " + kind.Field
		}
		belongs := withArticle(kind.Type.String())
		if kind.Field == "" {
			belongs = "an object"
		}
		out.Msg = fmt.Sprintf("holds %s where %s belongs", withArticle(kind.Value), belongs)
		out.Remedy = haystackForm
	}
	return out
}

func withArticle(noun string) string {
	if strings.IndexAny(noun, "aeiou") == 0 {
		return "an " + noun
	}
	return "a " + noun
}

// haystack is a loaded file.
type haystack struct {
	name   string
	topic  string
	corpus *datasets.Corpus

	participants []string // of conversations

	holders  map[string]map[int]bool // positions by insight id
	insights map[string]bool

	citations string         // the rule by which they are read; empty: it depends on the answer
	names     map[string]int // positions by id and title, folded; 0 where several have one
	answers   answers
}

// conversations tells haystacks of conversations from others: they say who takes part, or have the name of a
// published one.
func (h *haystack) conversations() bool {
	return len(h.participants) > 0 || textsOf([]string{h.name}) == "conversations"
}

func newHaystack(name, key string, f *File) (*haystack, []string, error) {
	h := &haystack{
		name:  name,
		topic: f.Topic,

		participants: f.Metadata.Participants,

		corpus:   &datasets.Corpus{ID: key},
		holders:  map[string]map[int]bool{},
		insights: map[string]bool{},
		names:    map[string]int{},
	}
	if err := h.listInsights(f); err != nil {
		return nil, nil, err
	}

	var warnings []string
	taken := map[string]int{} // positions by document id
	for i, d := range f.Documents {
		where := fmt.Sprintf("document %d (%s)", i+1, d.DocumentID)
		bad := func(msg, remedy string) (*haystack, []string, error) {
			return nil, nil, &datasets.InputError{File: name, Place: where, Msg: msg, Remedy: remedy}
		}
		switch {
		case d.DocumentID == "":
			where = fmt.Sprintf("document %d", i+1)
			return bad("has no document_id", "give every document an id")
		case files.CheckID(d.DocumentID) != nil:
			return bad(files.CheckID(d.DocumentID).Error(), "rename the document; ids stand in run files")
		case taken[d.DocumentID] > 0:
			return bad(fmt.Sprintf("the id is already that of document %d", taken[d.DocumentID]),
				"ids must be unique in a haystack")
		case strings.TrimSpace(d.DocumentText) == "":
			warning := fmt.Sprintf("%s: %s is empty; it can be retrieved but says nothing", name, where)
			warnings = append(warnings, warning)
		}

		taken[d.DocumentID] = i + 1
		h.call(d, i+1)
		h.corpus.Documents = append(h.corpus.Documents, datasets.Document{ID: d.DocumentID, Text: d.DocumentText})

		for _, id := range d.InsightsIncluded {
			if !h.insights[id] {
				return bad(fmt.Sprintf("includes the unknown insight %q", id),
					"every id in insights_included must be an insight of a subtopic")
			}
			if h.holders[id] == nil {
				h.holders[id] = map[int]bool{}
			}
			h.holders[id][i+1] = true
		}
	}
	_, err := files.CheckTexts(name, h.corpus.Documents) // single ones are named above
	return h, warnings, err
}

// call makes a document known by its id and its title. A title that several share names none.
func (h *haystack) call(d Document, place int) {
	for _, title := range []string{foldName(d.Title), foldName(d.DocumentTitle)} {
		switch n, taken := h.names[title]; {
		case title == "":
		case taken && n != place:
			h.names[title] = 0
		default:
			h.names[title] = place
		}
	}
	h.names[foldName(d.DocumentID)] = place
}

func (h *haystack) listInsights(f *File) error {
	subtopics := map[string]int{}
	for i, s := range f.Subtopics {
		bad := func(msg, remedy string) error {
			where := fmt.Sprintf("subtopic %d (%s)", i+1, s.SubtopicID)
			return &datasets.InputError{File: h.name, Place: where, Msg: msg, Remedy: remedy}
		}
		switch {
		case s.SubtopicID == "":
			return bad("has no subtopic_id", "give every subtopic a one-word id")
		case files.CheckID(s.SubtopicID) != nil:
			return bad(files.CheckID(s.SubtopicID).Error(), "give every subtopic a one-word id")
		case subtopics[s.SubtopicID] > 0:
			return bad(fmt.Sprintf("the id is already that of subtopic %d", subtopics[s.SubtopicID]),
				"subtopic ids must be unique in a haystack")
		case len(s.Insights) == 0:
			return bad("has no insights", "remove the subtopic or give it insights")
		case strings.TrimSpace(s.Query) == "" && strings.TrimSpace(s.Subtopic) == "":
			return bad("has neither query nor subtopic text", "there is nothing to retrieve with; fill one in")
		}

		subtopics[s.SubtopicID] = i + 1

		for _, in := range s.Insights {
			if h.insights[in.InsightID] {
				return bad(fmt.Sprintf("insight id %q occurs twice", in.InsightID),
					"insight ids must be unique in a haystack")
			}
			if err := files.CheckName("insight id", in.InsightID); err != nil {
				return bad(err.Error(), "insight ids are words that can be seen")
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
		if strings.TrimSpace(in.Insight) == "" {
			warnings = append(warnings, fmt.Sprintf("%s: subtopic %s: insight %s has no text and is left out",
				h.name, s.SubtopicID, in.InsightID))
			continue
		}
		if len(h.holders[in.InsightID]) == 0 {
			warnings = append(warnings, fmt.Sprintf("%s: subtopic %s: insight %s occurs in no document and is left out",
				h.name, s.SubtopicID, in.InsightID))
			continue
		}
		it.insights = append(it.insights, in)
	}

	if len(it.insights) == 0 {
		return nil, nil, &datasets.InputError{
			File:   h.name,
			Place:  "subtopic " + s.SubtopicID,
			Msg:    "none of its insights occurs in a document",
			Remedy: "check insights_included of the documents",
		}
	}
	return it, warnings, nil
}
