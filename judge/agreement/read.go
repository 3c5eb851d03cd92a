package agreement

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"lore/judge"
	"lore/local"
)

// Row is one labelled question of a plain label file: a line of JSON, or of CSV
// with these names as its heading.
type Row struct {
	Kind      string `json:"kind"`      // coverage if empty
	Group     string `json:"group"`     // what rows share, such as a topic; each text is its own if empty
	System    string `json:"system"`    // who wrote the text
	About     string `json:"about"`     // the query the text answers
	Text      string `json:"text"`      // the text; every line is a unit
	Statement string `json:"statement"` // the insight, key point or question
	Label     string `json:"label"`     // what people say
	Unit      int    `json:"unit"`      // 1-based line that carries the label; 0 for none
}

// ReadJSONL reads rows as lines of JSON.
func ReadJSONL(r io.Reader, name string) ([]Item, error) {
	var b builder
	scan := bufio.NewScanner(r)
	scan.Buffer(nil, 1<<24)
	for line := 1; scan.Scan(); line++ {
		data := bytes.TrimSpace(bytes.TrimPrefix(scan.Bytes(), []byte("\xef\xbb\xbf")))
		if len(data) == 0 {
			continue
		}

		dec := json.NewDecoder(bytes.NewReader(data))
		dec.DisallowUnknownFields()
		var row Row
		if err := dec.Decode(&row); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, line, err)
		}
		if err := b.add(row); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, line, err)
		}
	}

	if err := scan.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return b.items(name)
}

// ReadCSV reads rows as CSV with a heading.
func ReadCSV(r io.Reader, name string) ([]Item, error) {
	c := csv.NewReader(r)
	heading, err := c.Read()
	if err != nil {
		return nil, fmt.Errorf("%s:1: no heading: %w", name, err)
	}
	heading[0] = strings.TrimPrefix(heading[0], "\xef\xbb\xbf")

	var b builder
	for {
		fields, err := c.Read()
		if errors.Is(err, io.EOF) {
			return b.items(name)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}

		line, _ := c.FieldPos(0)
		row, err := rowOf(heading, fields)
		if err == nil {
			err = b.add(row)
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, line, err)
		}
	}
}

func rowOf(heading, fields []string) (Row, error) {
	var row Row
	texts := map[string]*string{
		"kind":      &row.Kind,
		"group":     &row.Group,
		"system":    &row.System,
		"about":     &row.About,
		"text":      &row.Text,
		"statement": &row.Statement,
		"label":     &row.Label,
	}

	for i, h := range heading {
		name, value := strings.TrimSpace(h), fields[i]
		into := texts[name]
		switch {
		case into != nil:
			*into = value
		case name != "unit":
			return row, fmt.Errorf("unknown column %q; there are "+
				"kind, group, system, about, text, statement, label, unit", h)
		case value != "":
			n, err := strconv.Atoi(value)
			if err != nil {
				return row, fmt.Errorf("unit %q is not a number", value)
			}
			row.Unit = n
		}
	}
	return row, nil
}

// builder gathers rows about the same text into one task.
type builder struct {
	list []Item
	at   map[[4]string]int
}

func (b *builder) add(row Row) error {
	kind := judge.Kind(row.Kind)
	if kind == "" {
		kind = judge.Coverage
	}
	value, ok := judge.Values[kind][row.Label]
	switch {
	case judge.Values[kind] == nil:
		return fmt.Errorf("unknown kind %q; there are %v", row.Kind, judge.Kinds)
	case !ok:
		return fmt.Errorf("the label %q is not one of %v", row.Label, judge.Labels[kind])
	case strings.TrimSpace(row.Statement) == "":
		return errors.New("the statement is empty")
	}

	units := unitsOf(row.Text)
	if row.Unit < 0 || row.Unit > len(units) {
		return fmt.Errorf("unit %d of a text with %d lines", row.Unit, len(units))
	}

	// Rows about the same text share a task, wherever they stand in the file.
	key := [4]string{row.Group, row.System, row.About, row.Text}
	if b.at == nil {
		b.at = map[[4]string]int{}
	}

	k, ok := b.at[key]
	if !ok {
		k = len(b.list)
		b.at[key] = k
		group := row.Group
		if group == "" {
			group = fmt.Sprintf("text %d", k+1)
		}
		b.list = append(b.list, Item{
			System: row.System,
			Group:  group,
			Task:   judge.Task{ID: fmt.Sprintf("text-%d", k+1), About: row.About, Units: units},
		})
	}

	it := &b.list[k]
	id := fmt.Sprintf("q%d", len(it.Human)+1)
	it.Task.Questions = append(it.Task.Questions, judge.Question{ID: id, Kind: kind, Text: row.Statement})
	it.Human = append(it.Human, judge.Verdict{Question: id, Label: row.Label, Value: value, Unit: row.Unit})
	return nil
}

func unitsOf(text string) []string {
	var out []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			out = append(out, line)
		}
	}
	return out
}

func (b *builder) items(name string) ([]Item, error) {
	if len(b.list) == 0 {
		return nil, fmt.Errorf("%s: no labels", name)
	}
	return b.list, nil
}

// HumanVerdict is one line of human verdicts on a run.
type HumanVerdict struct {
	Retriever string `json:"retriever"`
	Generator string `json:"generator"`
	Item      string `json:"item"`
	Question  string `json:"question"`
	Label     string `json:"label"`
	Unit      int    `json:"unit"`
}

// ReadHuman reads human verdicts on a run, one JSON object a line.
func ReadHuman(r io.Reader, name string) ([]HumanVerdict, error) {
	var out []HumanVerdict
	scan := bufio.NewScanner(r)
	scan.Buffer(nil, 1<<24)
	for line := 1; scan.Scan(); line++ {
		data := bytes.TrimSpace(scan.Bytes())
		if len(data) == 0 {
			continue
		}

		dec := json.NewDecoder(bytes.NewReader(data))
		dec.DisallowUnknownFields()
		var h HumanVerdict
		if err := dec.Decode(&h); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, line, err)
		}
		if h.Item == "" || h.Question == "" || h.Label == "" {
			return nil, fmt.Errorf("%s:%d: item, question and label are needed", name, line)
		}
		out = append(out, h)
	}

	if err := scan.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s: no verdicts", name)
	}
	return out, nil
}

// Unlabelled marks a question that nobody labelled.
func Unlabelled(question string) judge.Verdict {
	return judge.Unscored(question, local.Empty, "not labelled")
}
