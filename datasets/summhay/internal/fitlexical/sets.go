package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"lore/datasets/summhay"
	"lore/judge"
	"lore/judge/agreement"
	"lore/judge/lexical"
	"lore/judge/metric"
	"lore/local/files"
)

// set is the labels of one publication.
type set struct {
	name   string
	groups int
	tasks  []judge.Task
	rows   []row
	items  []agreement.Item
}

// row is one labelled question.
type row struct {
	kind          judge.Kind
	group, system string
	texts         string  // kind of text, where a set has several
	value         float64 // what people say, in [0,1]: their mean, where a file tells it
	label         float64 // what the label that they agree on is worth
	fold          int     // of its group
	task, at      int     // its place in the tasks
	unit          int     // the unit that people name, from 1, or 0
	features      lexical.Row
	x, z          []float64
	length        lexical.Lengths
}

// folds is the number of parts that the groups of a set are dealt out to.
const folds = 5

// line is a line of a label file. Other columns are of no use here.
type line struct {
	Kind      judge.Kind `json:"kind"`
	Group     string     `json:"group"`
	System    string     `json:"system"`
	About     string     `json:"about"`
	Text      string     `json:"text"`
	Statement string     `json:"statement"`
	Label     string     `json:"label"`
	Value     *float64   `json:"value"`
}

// readSet reads a label file: rows about the same text are one task.
func readSet(path string) (*set, error) {
	out := &set{name: strings.TrimSuffix(filepath.Base(path), ".jsonl")}
	data, err := files.Bytes(path, "give the folder of label files with -labels")
	if err != nil {
		return out, err
	}

	at := map[[4]string]int{}
	err = files.EachLine(data, func(_ string, text []byte) error {
		if text = bytes.TrimSpace(text); len(text) == 0 {
			return nil
		}
		var l line
		if err := json.Unmarshal(text, &l); err != nil {
			return err
		}
		out.add(l, at)
		return nil
	})
	return out, files.Wrap(path, err)
}

func (s *set) add(l line, at map[[4]string]int) {
	key := [4]string{l.Group, l.System, l.About, l.Text}
	k, ok := at[key]
	if !ok {
		k = len(s.tasks)
		at[key] = k
		t := judge.Task{ID: fmt.Sprintf("text-%d", k+1), About: l.About}
		for u := range strings.Lines(l.Text) {
			if u = strings.TrimSpace(u); u != "" {
				t.Units = append(t.Units, u)
			}
		}
		s.tasks = append(s.tasks, t)
	}

	t := &s.tasks[k]
	r := row{kind: l.Kind, group: l.Group, system: l.System, task: k, at: len(t.Questions)}
	r.label = judge.Values[l.Kind][l.Label]
	r.value = r.label
	if l.Value != nil {
		r.value = *l.Value
	}
	t.Questions = append(t.Questions, judge.Question{ID: fmt.Sprint("q", r.at+1), Kind: l.Kind, Text: l.Statement})
	s.rows = append(s.rows, r)
}

// readSummHay reads SummHay's human labels.
func readSummHay(path string) (*set, error) {
	out := &set{name: "summhay"}
	data, err := files.Bytes(path, "give the published labels with -summhay")
	if err != nil {
		return out, err
	}
	labels, err := summhay.ParseLabels(path, data)
	if err != nil {
		return out, err
	}
	items := labels.Items
	out.items = items
	for i, it := range items {
		out.tasks = append(out.tasks, it.Task)
		for k, h := range it.Human {
			if h.Scored() {
				out.rows = append(out.rows, row{kind: judge.Coverage, group: it.Group, system: it.System,
					texts: it.Columns[k][agreement.TextsColumn],
					value: h.Value, label: h.Value, task: i, at: k, unit: h.Unit})
			}
		}
	}
	return out, nil
}

// prepare deals the groups out to folds and computes the features.
func (s *set) prepare() {
	var groups []string
	for _, r := range s.rows {
		if !slices.Contains(groups, r.group) {
			groups = append(groups, r.group)
		}
	}
	slices.Sort(groups)
	s.groups = len(groups)
	found := lexical.Rows(s.tasks)
	for i := range s.rows {
		r := &s.rows[i]
		at, _ := slices.BinarySearch(groups, r.group)
		r.fold = at % folds
		r.features = found[r.task][r.at]
		r.x, r.length = r.features.X, r.features.Length
	}
}

// before is the Pearson of the score of the judge that this one replaced: recall in the
// unit by weights of the task, 0.4 of its precision, and 0.3 of the margin over siblings.
func (s *set) before() float64 {
	var x, y []float64
	for _, r := range s.rows {
		x, y = append(x, r.features.Before), append(y, r.value)
	}
	return metric.Pearson(x, y)
}
