package crux

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"lore/datasets"
	"lore/local/files"
)

// people is a human study as it was released: annotators' labels of reports (T1) and of passages (T2),
// with gaps, and the reports themselves (CRUX, section 4.3 and appendix A.2).
type people struct {
	raters  []rater
	reports []labelledReport // that somebody labelled, in the order of their file
	bare    []string         // labelled reports whose text is not there
}

// rater is one annotator.
type rater struct {
	name     string
	reports  map[string][]int     // by report: per question 1 answered, 0 not, asNobody not asked
	passages map[passageLabel]int // grades

	reportAt  map[string]place // where the labels stand
	passageAt map[passageLabel]place
}

// place is a line of a file.
type place struct{ file, line string }

// newRater is one without labels.
func newRater(name string) *rater {
	return &rater{
		name:      name,
		reports:   map[string][]int{},
		passages:  map[passageLabel]int{},
		reportAt:  map[string]place{},
		passageAt: map[passageLabel]place{},
	}
}

// asNobody is the label of a question that was not asked, as it was null.
const asNobody = -2

// passageLabel is what a grade is of; question is a place in the study's list of the topic.
type passageLabel struct {
	topic, passage string
	question       int
}

// labelledReport is a report of a system on a topic.
type labelledReport struct {
	id, system, topic string
	questions         []string
	text              string
}

// answered reports how the rater labelled a question of a report; ok is false where it was not asked
// or the rater has no label.
func (r rater) answered(report string, q int) (yes, ok bool) {
	row, labelled := r.reports[report]
	if !labelled || q >= len(row) || row[q] == asNobody {
		return false, false
	}
	return row[q] == 1, true
}

// humanLine is a line of qlabels.jsonl or qrels.jsonl.
type humanLine struct {
	ID            string          `json:"id"`
	Answerability wholeNumbers    `json:"answerability"`
	Document      string          `json:"document"`
	Relevances    json.RawMessage `json:"relevances"` // grades by question, read by relevances
}

// reportLine is a line of the files of reports.
type reportLine struct {
	QID       string    `json:"qid"`
	Questions []*string `json:"questions"`
	Response  string    `json:"response"`
}

// Names of the files of labels.
const (
	reportLabels  = "qlabels.jsonl"
	passageLabels = "qrels.jsonl"
)

// readPeople reads a study below a folder: one rater per folder with labels.
func readPeople(dir string) (*people, error) {
	names, err := files.Below(dir)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(names, naturally)

	raters := map[string]*rater{}
	var order []string
	texts := map[string][]reportLine{} // by file
	for _, n := range names {
		base, file := path.Base(n), filepath.Join(dir, filepath.FromSlash(n))
		switch {
		case base == reportLabels || base == passageLabels:
			name := path.Base(path.Dir(n))
			if raters[name] == nil {
				raters[name] = newRater(name)
				order = append(order, name)
			}
			err = raters[name].read(file)
		case path.Ext(n) == ".jsonl":
			texts[n], err = readReports(file)
		}
		if err != nil {
			return nil, err
		}
	}

	if len(order) == 0 {
		return nil, &datasets.InputError{File: dir, Msg: "holds no people's labels",
			Remedy: fmt.Sprintf("give the folder above one folder per annotator with %s and %s, or a file of lines of "+
				`{"topic", "passage", "question", "grades"}`, reportLabels, passageLabels)}
	}
	p := &people{}
	for _, name := range order {
		p.raters = append(p.raters, *raters[name])
	}
	p.findReports(texts)
	return p, p.check(dir)
}

// read adds the labels of a file to a rater's.
func (r *rater) read(file string) error {
	data, err := files.Read(file, "check its permissions")
	if err != nil {
		return err
	}
	return r.parse(file, data)
}

func (r *rater) parse(file string, data []byte) error {
	return files.EachLine(data, func(where string, line []byte) error {
		var h humanLine
		err := json.Unmarshal(line, &h)
		bad := func(format string, args ...any) error {
			return &datasets.InputError{File: file, Place: where, Msg: fmt.Sprintf(format, args...), Err: err,
				Remedy: `labels are {"id", "answerability": [1, 0 or -2]} of reports, and ` +
					`{"id", "document", "relevances": {"question": -1 to 5}} of passages`}
		}
		if string(h.Relevances) == "null" {
			h.Relevances = nil
		}
		switch {
		case err != nil:
			return bad("%s", files.JSONWords(err))
		case h.ID == "" || (h.Answerability == nil) == (h.Relevances == nil):
			return bad("has no id, or not one of answerability and relevances")
		case h.Answerability != nil:
			return r.addReport(h, place{file, where}, bad)
		}
		return r.addPassage(h, place{file, where}, bad)
	})
}

func (r *rater) addReport(h humanLine, at place, bad func(string, ...any) error) error {
	for q, v := range h.Answerability {
		if v != 0 && v != 1 && v != asNobody {
			return bad("labels question %d with %d, which is none of 1, 0 and %d (not asked)", q, v, asNobody)
		}
	}
	if _, again := r.reports[h.ID]; again {
		return bad("labels the report %s again, as %s does", h.ID, r.reportAt[h.ID].line)
	}
	r.reports[h.ID], r.reportAt[h.ID] = h.Answerability, at
	return nil
}

func (r *rater) addPassage(h humanLine, at place, bad func(string, ...any) error) error {
	relevances, err := files.Object[*int](h.Relevances)
	if err != nil {
		return bad("relevances: %s", files.JSONWords(err))
	}
	for _, key := range slices.Sorted(maps.Keys(relevances)) {
		q, err := strconv.Atoi(key)
		switch grade := relevances[key]; {
		case err != nil || q < 0:
			return bad("has the question %q, which is no place in a list", key)
		case grade == nil:
			return bad("has null for question %s; -1 is no grade, and 0 the worst", key)
		case *grade > MaxGrade || *grade < asNobody:
			return bad("has the grade %d for question %s; grades are from 0 to %d, and -1 is none", *grade, key, MaxGrade)
		case *grade < 0:
			continue
		}
		label := passageLabel{h.ID, h.Document, q}
		if _, again := r.passages[label]; again {
			return bad("grades the passage %s for question %d again, as %s does", h.Document, q, r.passageAt[label].line)
		}
		r.passages[label], r.passageAt[label] = *relevances[key], at
	}
	return nil
}

// readReports reads the lines of a file that hold reports.
func readReports(file string) ([]reportLine, error) {
	data, err := files.Read(file, "check its permissions")
	if err != nil {
		return nil, err
	}
	var out []reportLine
	err = files.EachLine(data, func(_ string, line []byte) error {
		var r reportLine
		if json.Unmarshal(line, &r) == nil && r.QID != "" && r.Questions != nil {
			out = append(out, r)
		}
		return nil
	})
	return out, err
}

// findReports takes the labelled reports from the file that has most of them: the study has some reports
// in several files, under ids that stand for another system's elsewhere.
func (p *people) findReports(texts map[string][]reportLine) {
	labelled := map[string]bool{}
	for _, r := range p.raters {
		for id := range r.reports {
			labelled[id] = true
		}
	}
	known := func(name string) int {
		n := 0
		for _, l := range texts[name] {
			if labelled[l.QID] && l.Response != "" {
				n++
			}
		}
		return n
	}

	best := ""
	for _, name := range slices.SortedFunc(maps.Keys(texts), naturally) {
		if known(name) > known(best) {
			best = name
		}
	}
	for _, l := range texts[best] {
		if !labelled[l.QID] || l.Response == "" {
			continue
		}
		delete(labelled, l.QID)
		system, topic := splitReport(l.QID)
		p.reports = append(p.reports, labelledReport{l.QID, system, topic, asTexts(l.Questions), l.Response})
	}
	p.bare = slices.Sorted(maps.Keys(labelled))
	slices.SortStableFunc(p.reports, func(a, b labelledReport) int {
		return cmp.Or(strings.Compare(a.system, b.system), naturally(a.topic, b.topic))
	})
}

// splitReport tells a report's system and topic: bm25_duc04-testb-3 is of bm25, and an id without a
// system is of the oracle.
func splitReport(id string) (system, topic string) {
	at := strings.LastIndex(id, "_")
	if at < 0 {
		return "oracle", usualID(id)
	}
	return id[:at], usualID(id[at+1:])
}

// listOf is the study's list of questions of a topic; nil if no report of it is there.
func (p *people) listOf(topic string) []string {
	for _, r := range p.reports {
		if r.topic == topic {
			return r.questions
		}
	}
	return nil
}
