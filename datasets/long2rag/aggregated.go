package long2rag

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

// A related set is public: key points that were extracted for questions of people and put together, to score reports
// with (cxcscmu/deepresearch_benchmarking). Of each question there are, in the folder key_point,
//
//	ID_aggregated.json    {question, key_points: [{point_number, point_content, original_point_number: [...]}]}
//	ID.json               {question, key_points: {document: [{point_number, point_content, spans: [...]}]}}
//
// and in earlier versions ID_deduplicated.json in the place of the first. original_point_number counts the points of
// ID.json from 1 on, over all its documents in their order. The documents' texts are not public.
var aggregatedEndings = []string{"_aggregated.json", "_deduplicated.json"}

// aggregated is what was read of such a folder.
type aggregated struct {
	questions []Question
	warnings  []string
}

// aggregatedBelow are the folders at or below dir that hold such files.
func aggregatedBelow(dir string) ([]string, error) {
	names, err := files.Below(dir)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, n := range names {
		folder := filepath.Join(dir, filepath.Dir(filepath.FromSlash(n)))
		if _, ending := cutEnding(n); ending != "" && !slices.Contains(out, folder) {
			out = append(out, folder)
		}
	}
	return out, nil
}

// cutEnding is the name of a question and the ending of its file; the ending is empty where it is no such file.
func cutEnding(name string) (id, ending string) {
	base := filepath.Base(filepath.FromSlash(name))
	for _, e := range aggregatedEndings {
		if id, ok := strings.CutSuffix(base, e); ok && id != "" {
			return id, e
		}
	}
	return "", ""
}

// aggregatedFile is ID_aggregated.json.
type aggregatedFile struct {
	Question string            `json:"question"`
	Points   []aggregatedPoint `json:"key_points"`
}

type aggregatedPoint struct {
	Number    int    `json:"point_number"`
	Content   string `json:"point_content"`
	Originals []int  `json:"original_point_number"`
}

// original is a point of a document, in ID.json.
type original struct {
	document string
	Spans    []string `json:"spans"`
}

// readAggregated reads the questions of a folder. texts are the documents' by id, as far as they are known.
func readAggregated(folder string, texts map[string]string) (aggregated, error) {
	names, err := files.List(folder)
	if err != nil {
		return aggregated{}, files.Unreadable(folder, err, "give the folder key_point")
	}
	names = slices.DeleteFunc(names, func(n string) bool { return strings.Contains(n, "/") })
	endings := map[string]string{}
	for _, n := range names {
		if id, ending := cutEnding(n); ending != "" && endings[id] != aggregatedEndings[0] {
			endings[id] = ending
		}
	}

	var out aggregated
	var count aggregatedCounts
	for _, n := range names {
		id, ending := cutEnding(n)
		if ending == "" || endings[id] != ending {
			continue
		}
		q, err := readAggregatedQuestion(folder, id, ending, texts, &count)
		if err != nil {
			return out, err
		}
		if len(q.KeyPoints) == 0 {
			count.empty = append(count.empty, id)
			continue
		}
		out.questions = append(out.questions, q)
	}
	if len(out.questions) == 0 {
		return out, &datasets.InputError{File: folder, Msg: "holds no question with key points", Remedy: "give the folder key_point"}
	}
	out.warnings = count.warnings(folder)
	return out, nil
}

func readAggregatedQuestion(folder, id, ending string, texts map[string]string, count *aggregatedCounts) (Question, error) {
	path := filepath.Join(folder, id+ending)
	bad := func(msg string, err error) error {
		return &datasets.InputError{
			File: path, Msg: msg, Err: err,
			Remedy: `such a file is {"question", "key_points": [{"point_number", "point_content", "original_point_number"}]}`,
		}
	}
	data, err := files.Read(path, "give the folder key_point")
	if err != nil {
		return Question{}, err
	}
	var file aggregatedFile
	if err := json.Unmarshal(data, &file); err != nil {
		return Question{}, bad(err.Error(), err)
	}

	originals, err := readOriginals(filepath.Join(folder, id+".json"))
	if err != nil {
		return Question{}, err
	}
	q := Question{ID: id, Text: file.Question, Documents: documentsOf(originals, texts, count)}
	for _, p := range file.Points {
		q.KeyPoints = append(q.KeyPoints, p.keyPoint(originals, count))
	}
	count.add(file.Points, originals)
	if len(q.KeyPoints) == 0 {
		return q, nil
	}
	if err := q.check(map[string]bool{}); err != nil {
		return q, bad(err.Error(), err)
	}
	return q, nil
}

// readOriginals reads the points of ID.json in their order; nil where there is no such file.
func readOriginals(path string) ([]original, error) {
	if !files.Exists(path) {
		return nil, nil
	}
	data, err := files.Read(path, "give the folder key_point")
	if err != nil {
		return nil, err
	}
	out, err := parseOriginals(data)
	if err != nil {
		return nil, &datasets.InputError{
			File: path, Msg: err.Error(), Err: err,
			Remedy: `such a file is {"question", "key_points": {"DOCUMENT": [{"point_content", "spans"}]}}`,
		}
	}
	return out, nil
}

func parseOriginals(data []byte) ([]original, error) {
	var file struct {
		Points json.RawMessage `json:"key_points"`
	}
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, err
	}
	if string(file.Points) == "null" || file.Points == nil {
		return nil, nil
	}
	if file.Points[0] != '{' {
		return nil, errors.New("key_points is not an object of lists by document")
	}

	names, members, err := membersOf(file.Points)
	if err != nil {
		return nil, err
	}
	var out []original
	for i, document := range names {
		var points []original
		if err := json.Unmarshal(members[i], &points); err != nil {
			return nil, fmt.Errorf("document %s: %w", document, err)
		}
		for _, p := range points {
			p.document = document
			out = append(out, p)
		}
	}
	return out, nil
}

// documentsOf are the documents that points were extracted from, in their order: with their texts where these are
// known, else with the spans that are public of them.
func documentsOf(originals []original, texts map[string]string, count *aggregatedCounts) []Document {
	var out []Document
	at := map[string]int{}
	for _, o := range originals {
		i, known := at[o.document]
		if !known {
			i = len(out)
			at[o.document] = i
			out = append(out, Document{ID: o.document, Text: texts[o.document]})
			if texts[o.document] == "" {
				count.spanned++
			}
			count.documents++
		}
		if texts[o.document] != "" {
			continue
		}
		for _, s := range o.Spans {
			if s = strings.TrimSpace(s); s != "" && !strings.Contains("\n"+out[i].Text+"\n", "\n"+s+"\n") {
				out[i].Text = strings.TrimPrefix(out[i].Text+"\n"+s, "\n")
			}
		}
	}
	return out
}

// keyPoint is a point with the spans and documents of those that it was put together from.
func (p aggregatedPoint) keyPoint(originals []original, count *aggregatedCounts) KeyPoint {
	out := KeyPoint{ID: fmt.Sprintf("p%d", p.Number), Text: p.Content}
	for _, n := range p.Originals {
		if n < 1 || n > len(originals) {
			if len(originals) > 0 {
				count.unknown++
			}
			continue
		}
		o := originals[n-1]
		if !slices.Contains(out.Documents, o.document) {
			out.Documents = append(out.Documents, o.document)
		}
		for _, s := range o.Spans {
			if s = strings.TrimSpace(s); s != "" && !slices.Contains(out.Spans, s) {
				out.Spans = append(out.Spans, s)
			}
		}
	}
	return out
}

// aggregatedCounts are what is odd about a folder.
type aggregatedCounts struct {
	documents, spanned int // documents, and those of which only spans are known
	unknown            int // numbers of originals that are not there
	originals          int
	several, none      int // of these: put into several points, or into none
	empty              []string
}

// add counts how the points of a question were put together.
func (c *aggregatedCounts) add(points []aggregatedPoint, originals []original) {
	uses := make([]int, len(originals))
	for _, p := range points {
		for _, n := range p.Originals {
			if n >= 1 && n <= len(uses) {
				uses[n-1]++
			}
		}
	}
	c.originals += len(uses)
	for _, n := range uses {
		switch {
		case n == 0:
			c.none++
		case n > 1:
			c.several++
		}
	}
}

func (c *aggregatedCounts) warnings(folder string) []string {
	var out []string
	say := func(n int, format string, args ...any) {
		if n > 0 {
			out = append(out, folder+": "+fmt.Sprintf(format, args...))
		}
	}
	say(len(c.empty), "left out, as without key points: %s", datasets.Some(c.empty))
	say(c.several+c.none, "of %d extracted points %d were put into several key points and %d into none",
		c.originals, c.several, c.none)
	say(c.unknown, "%d numbers of extracted points name none", c.unknown)
	say(c.spanned, "the texts of %d of the %d documents of questions are not there: each stands for the spans that points "+
		"were extracted from, where key points are easier to find than in whole texts; give these with --documents FILE",
		c.spanned, c.documents)
	if c.documents == 0 {
		out = append(out, folder+": no documents are named: run with --corpus FILE, or import with the ID.json files beside these")
	}
	return out
}
