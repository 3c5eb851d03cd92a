package agreement

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"lore/local/files"
)

// Row is one labelled question of a plain label file: a line of JSON, or of CSV with these
// names as its heading. Any other column is one to group by.
type Row struct {
	Kind       string   // coverage if empty
	Group      string   // what rows share, such as a topic; each text is its own if empty
	System     string   // who wrote the text
	About      string   // the query the text answers
	Text       string   // the text; every line is a unit
	Statement  string   // the insight, key point or question
	Label      string   // what people say
	Value      *float64 // the same as a number in [0,1], such as the mean of several people
	Unit       int      // 1-based line that carries the label; 0 for none
	Annotators []rating // what each person says, where several have
	Recorded   []rating // verdicts of other judges
	Columns    map[string]string

	line    int    // where it begins in the file
	written string // the label as it is written
}

// Labels are what a file of labels holds. Notes say what to know of how it was read, such as
// rows without a label.
type Labels struct {
	Items []Item
	Notes []string
}

// Read reads a file of labels: lines of JSON where its name ends in .jsonl, else CSV.
func Read(name string, data []byte) (Labels, error) {
	if strings.EqualFold(filepath.Ext(name), ".jsonl") {
		return ReadJSONL(name, data)
	}
	return ReadCSV(name, data)
}

// ReadJSONL reads rows as lines of JSON.
func ReadJSONL(name string, data []byte) (Labels, error) {
	var b builder
	line := 0
	for text := range bytes.Lines(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))) {
		line++
		if text = bytes.TrimSpace(text); len(text) == 0 {
			continue
		}
		if err := b.addJSON(line, text); err != nil {
			return Labels{}, placed(name, line, err)
		}
	}
	return b.labels(name)
}

// addJSON adds a row of JSON. Its fields are taken in one order, so that sums are the same.
func (b *builder) addJSON(line int, data []byte) error {
	fields, err := files.Object[json.RawMessage](data)
	if err != nil {
		return &files.Error{Msg: "is no JSON object: " + files.JSONWords(err), Remedy: "write an object a line"}
	}
	names := slices.Sorted(maps.Keys(fields))
	for _, need := range []string{"statement", "text"} {
		if _, ok := fields[need]; !ok {
			return missing(need, names)
		}
	}
	if err := checkNames(names); err != nil {
		return err
	}

	row := Row{line: line}
	for _, name := range names {
		if err := row.setJSON(name, fields[name]); err != nil {
			return err
		}
	}
	return b.add(row)
}

// ReadCSV reads rows as CSV with a heading. Cells are parted by commas, semicolons or tabs,
// which the heading tells.
func ReadCSV(name string, data []byte) (Labels, error) {
	text, comma, first := sheetOf(data)
	c := csv.NewReader(bytes.NewReader(text))
	c.Comma = comma
	heading, err := c.Read()
	if errors.Is(err, io.EOF) {
		return Labels{}, placed(name, first, &files.Error{Msg: "no heading: the file is empty", Remedy: headingForm})
	}
	if err != nil {
		return Labels{}, placed(name, first, &files.Error{Msg: fmt.Sprintf("no heading: %v", err), Remedy: headingForm})
	}
	for i := range heading {
		heading[i] = columnName(heading[i])
	}
	if err := checkHeading(heading); err != nil {
		return Labels{}, placed(name, first, err)
	}

	var b builder
	for {
		fields, err := c.Read()
		if errors.Is(err, io.EOF) {
			return b.labels(name)
		}
		if err != nil {
			return Labels{}, brokenRow(name, first-1, err, len(fields), len(heading))
		}

		line, _ := c.FieldPos(0)
		line += first - 1
		if err := b.addCells(line, heading, fields); err != nil {
			return Labels{}, placed(name, line, err)
		}
	}
}

// headingForm is what a file of labels must begin with, for errors.
const headingForm = "the first line names the columns: text, statement, and label or value"

// addCells adds a row of CSV. A row of blank cells, as spreadsheets leave them, is nothing.
func (b *builder) addCells(line int, heading, cells []string) error {
	blank := func(s string) bool { return strings.TrimSpace(s) == "" }
	if !slices.ContainsFunc(cells, func(s string) bool { return !blank(s) }) {
		return nil
	}
	row := Row{line: line}
	for i, h := range heading {
		if h == "" && !blank(cells[i]) {
			return &files.Error{Msg: fmt.Sprintf("%.40q stands in a column without a name", cells[i]), Remedy: "name it in the heading"}
		}
		if err := row.setText(h, cells[i]); err != nil {
			return err
		}
	}
	return b.add(row)
}

// brokenRow words what the reader of CSV refuses.
func brokenRow(name string, before int, err error, cells, columns int) error {
	var broken *csv.ParseError
	if !errors.As(err, &broken) {
		return files.Wrap(name, err)
	}
	out := &files.Error{Msg: "is not CSV: " + broken.Err.Error(), Err: err,
		Remedy: "put a cell with commas, quotes or line ends into quotes, and write a quote in it twice"}
	if errors.Is(err, csv.ErrFieldCount) {
		out.Msg = fmt.Sprintf("has %d cells, and the heading %d", cells, columns)
	}
	return placed(name, before+broken.StartLine, out)
}

// placed puts file and line into an error.
func placed(name string, line int, err error) error {
	out := &files.Error{Msg: err.Error(), Err: err}
	if ours := (*files.Error)(nil); errors.As(err, &ours) {
		*out = *ours
	}
	out.File, out.Place = name, fmt.Sprintf("line %d", line)
	return out
}

// sheetOf finds out how a sheet is written: how its cells are parted, and in which line its
// heading stands. Some programs name the separator before it, or end lines as old Macs did.
func sheetOf(data []byte) (text []byte, comma rune, first int) {
	text = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if !bytes.Contains(text, []byte("\n")) {
		text = bytes.ReplaceAll(text, []byte("\r"), []byte("\n"))
	}

	line, rest, _ := bytes.Cut(text, []byte("\n"))
	if named := strings.ToLower(strings.TrimSpace(string(line))); len(named) == 5 && strings.HasPrefix(named, "sep=") {
		return rest, rune(named[4]), 2
	}

	comma, most := ',', 0
	for _, r := range []rune{',', ';', '\t'} {
		c := csv.NewReader(bytes.NewReader(text))
		c.Comma = r
		heading, err := c.Read()
		known := 0
		for _, h := range heading {
			if slices.Contains(columnNames, columnName(h)) {
				known++
			}
		}
		if err == nil && known > most {
			comma, most = r, known
		}
	}
	return text, comma, 1
}

// columnName is a name of a heading: those that are known, in any case.
func columnName(s string) string {
	s = strings.TrimSpace(s)
	if low := strings.ToLower(s); slices.Contains(columnNames, low) || slices.Contains(groupNames, low) {
		return low
	}
	return s
}

// checkHeading refuses a heading without what every row needs.
func checkHeading(heading []string) error {
	for i, h := range heading {
		if h != "" && slices.Contains(heading[:i], h) {
			return &files.Error{Msg: fmt.Sprintf("the column %q is there twice", h), Remedy: "rename one of them"}
		}
	}
	for _, need := range []string{"text", "statement"} {
		if !slices.Contains(heading, need) {
			return missing(need, heading)
		}
	}
	if !slices.ContainsFunc(heading, saysLabel) {
		return cmp.Or(checkNames(heading), missing("label", heading))
	}
	return checkNames(heading)
}
