package agreement

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"lore/local/text"
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
}

// columnNames are the names that a row knows.
var columnNames = []string{
	"kind", "group", "system", "about", "text", "statement", "label", "value", "unit", "annotators", "recorded",
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

		var fields map[string]json.RawMessage
		err := json.Unmarshal(data, &fields)
		if err == nil {
			err = b.addFields(fields)
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, line, err)
		}
	}

	if err := scan.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return b.items(name)
}

// addFields adds a row of JSON.
func (b *builder) addFields(fields map[string]json.RawMessage) error {
	var row Row
	for name, raw := range fields {
		if err := row.setJSON(name, raw); err != nil {
			return err
		}
	}
	if _, ok := fields["statement"]; !ok {
		return missing("statement", slices.Collect(maps.Keys(fields)))
	}
	return b.add(row)
}

// ReadCSV reads rows as CSV with a heading.
func ReadCSV(r io.Reader, name string) ([]Item, error) {
	c := csv.NewReader(r)
	heading, err := c.Read()
	if err != nil {
		return nil, fmt.Errorf("%s:1: no heading: %w", name, err)
	}
	heading[0] = strings.TrimPrefix(heading[0], "\xef\xbb\xbf")
	for i := range heading {
		heading[i] = strings.TrimSpace(heading[i])
	}
	if err := checkHeading(heading); err != nil {
		return nil, fmt.Errorf("%s:1: %w", name, err)
	}

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
		var row Row
		for i, h := range heading {
			if err == nil {
				err = row.setText(h, fields[i])
			}
		}
		if err == nil {
			err = b.add(row)
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, line, err)
		}
	}
}

// checkHeading refuses a heading without what every row needs.
func checkHeading(heading []string) error {
	for i, h := range heading {
		if slices.Contains(heading[:i], h) {
			return fmt.Errorf("the column %q is there twice", h)
		}
	}
	for _, need := range []string{"text", "statement"} {
		if !slices.Contains(heading, need) {
			return missing(need, heading)
		}
	}
	return nil
}

// missing says which column is not there, and which one may be meant for it.
func missing(column string, have []string) error {
	var strange []string
	for _, h := range have {
		if !slices.Contains(columnNames, h) {
			strange = append(strange, h)
		}
	}
	slices.Sort(strange)
	if near := text.Nearest(column, strange); near != "" {
		return fmt.Errorf("there is no column %q; did you mean it by %q?", column, near)
	}
	return fmt.Errorf("there is no column %q; the columns are %s, and any others to group by",
		column, strings.Join(columnNames, ", "))
}
