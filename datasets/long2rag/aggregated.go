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

// relatedSet is the name of that set.
const relatedSet = "cxcscmu/deepresearch_benchmarking"

// aggregated is what was read of such a folder.
type aggregated struct {
	questions []Question
	warnings  []string

	documents, spanned int // documents, and those of which only spans are known
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
		if n := len(base) - len(e); n > 0 && strings.EqualFold(base[n:], e) {
			return base[:n], base[n:]
		}
	}
	return "", ""
}

// relatedFolder is the folder of a file of the related set, with either of its layouts; empty for other files.
func relatedFolder(path string) string {
	isRelated := func(members map[string]json.RawMessage) bool {
		points := members["key_points"]
		if points == nil || members["documents"] != nil {
			return false
		}
		var list []map[string]json.RawMessage
		if json.Unmarshal(points, &list) == nil {
			return len(list) > 0 && list[0]["point_content"] != nil
		}
		var byDocument map[string][]map[string]json.RawMessage
		if json.Unmarshal(points, &byDocument) != nil {
			return false
		}
		for _, list := range byDocument {
			if len(list) > 0 {
				return list[0]["point_content"] != nil
			}
		}
		return false
	}
	if firstObject(path, isRelated) == nil {
		return ""
	}
	return filepath.Dir(path)
}

// extractedOf is a file below a folder that belongs to the related set; empty for none.
func extractedOf(dir string) string {
	names, _ := files.Below(dir)
	for _, n := range names {
		path := filepath.Join(dir, filepath.FromSlash(n))
		if strings.EqualFold(filepath.Ext(n), ".json") && relatedFolder(path) != "" {
			return path
		}
	}
	return ""
}

// refuseRelated refuses a file of the related set that is given by itself: its questions are read from their folder.
func refuseRelated(path string) error {
	folder := relatedFolder(path)
	if folder == "" {
		return nil
	}
	err := &datasets.InputError{
		File:   path,
		Msg:    "is a file of the related public set, which is read as a folder",
		Remedy: "lore data import long2rag " + files.Quoted(folder) + " --out points",
	}
	if found, e := aggregatedBelow(folder); e == nil && len(found) == 0 {
		err.Msg = "holds key points as they were extracted, and no ID_aggregated.json beside it puts them together"
		err.Remedy = "get the whole folder key_point, and lore data import long2rag key_point"
	}
	return err
}

// refuseRelatedFolder refuses to run a folder of the related set, of which a file is given: it is imported first.
func refuseRelatedFolder(dir, file string) error {
	if found, err := aggregatedBelow(dir); err != nil || len(found) == 0 {
		return refuseRelated(file)
	}
	return &datasets.InputError{
		File:   dir,
		Msg:    "holds the related public set, which is not in lore's own form",
		Remedy: "lore data import long2rag " + files.Quoted(dir) + " --out points, and then lore run long2rag points",
	}
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
		if id, ending := cutEnding(n); ending != "" && !strings.EqualFold(endings[id], aggregatedEndings[0]) {
			endings[id] = ending
		}
	}

	var out aggregated
	count := aggregatedCounts{folder: folder}
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
	if err := count.misnamed(); err != nil {
		return out, err
	}
	if len(out.questions) == 0 {
		return out, &datasets.InputError{File: folder, Msg: "holds no question with key points", Remedy: "give the folder key_point"}
	}
	out.documents, out.spanned = count.documents, count.spanned
	out.warnings = count.warnings()
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
		return Question{}, bad(files.JSONWords(err), err)
	}
	count.seeNames(data)

	extracted, err := readOriginals(filepath.Join(folder, id+".json"))
	if err != nil {
		return Question{}, err
	}
	originals := extracted.points
	count.inOriginals.add(extracted.names)
	if extracted.question != "" && !sameWords(extracted.question, file.Question) {
		count.differing = append(count.differing, id)
	}
	q := Question{ID: id, Text: file.Question, Documents: documentsOf(originals, texts, count), Source: relatedSet}
	for _, p := range file.Points {
		q.KeyPoints = append(q.KeyPoints, p.keyPoint(id, originals, count))
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

// sameWords compares questions without regard to white space.
func sameWords(a, b string) bool { return slices.Equal(strings.Fields(a), strings.Fields(b)) }

// originals is ID.json: a question, and the points of its documents in their order.
type originals struct {
	question string
	points   []original
	names    fieldNames // of the points
}

// readOriginals reads ID.json; it is empty where there is no such file.
func readOriginals(path string) (originals, error) {
	if !files.Exists(path) {
		return originals{}, nil
	}
	data, err := files.Read(path, "give the folder key_point")
	if err != nil {
		return originals{}, err
	}
	out, err := parseOriginals(data)
	if err != nil {
		return out, &datasets.InputError{
			File: path, Msg: files.JSONWords(err), Err: err,
			Remedy: `such a file is {"question", "key_points": {"DOCUMENT": [{"point_content", "spans"}]}}`,
		}
	}
	return out, nil
}

func parseOriginals(data []byte) (originals, error) {
	var out originals
	var file struct {
		Question string          `json:"question"`
		Points   json.RawMessage `json:"key_points"`
	}
	if err := json.Unmarshal(data, &file); err != nil {
		return out, err
	}
	out.question = file.Question
	if string(file.Points) == "null" || file.Points == nil {
		return out, nil
	}
	if file.Points[0] != '{' {
		return out, errors.New("key_points is not an object of lists by document")
	}

	names, members, err := membersOf(file.Points)
	if err != nil {
		return out, err
	}
	for i, document := range names {
		var points []original
		if err := json.Unmarshal(members[i], &points); err != nil {
			return out, fmt.Errorf("document %s: %s", document, files.JSONWords(err))
		}
		var records []map[string]json.RawMessage
		_ = json.Unmarshal(members[i], &records) // read just now
		for i, p := range points {
			out.names.see(records[i])
			p.document = document
			out.points = append(out.points, p)
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
			out = append(out, Document{ID: o.document, Text: texts[o.document], Extract: texts[o.document] == ""})
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
func (p aggregatedPoint) keyPoint(question string, originals []original, count *aggregatedCounts) KeyPoint {
	out := KeyPoint{ID: fmt.Sprintf("p%d", p.Number), Text: p.Content}
	for _, n := range p.Originals {
		if n < 1 || n > len(originals) {
			if len(originals) > 0 {
				count.unknown = append(count.unknown, fmt.Sprintf("%s: key point %d names %d of %d", question, p.Number, n, len(originals)))
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
