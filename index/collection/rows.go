package collection

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go"

	"lore/local/files"
)

// Columns of tables without a heading, by how many there are: passages and documents of MS MARCO, and queries.
var (
	documentColumns = map[int][]string{2: {"id", "text"}, 4: {"id", "url", "title", "text"}}
	queryColumns    = map[int][]string{2: {"id", "text"}}
)

// headings are names of columns that tell a heading from a row.
var headings = strings.Fields("id _id docid doc_id document_id pid qid query_id query-id corpus-id topic_id " +
	"text contents content body passage segment query question title url score relevance")

// longestLine is how long a row may be.
const longestLine = 1 << 28

// eachRow hands over the rows of a file, whatever its form. columns are those of a table without a heading; form is what
// would be read, for errors.
func eachRow(path string, columns map[int][]string, form string, do func(place string, rec files.Record) error) error {
	f, err := files.Open(path)
	if err != nil {
		return files.Unreadable(path, err, form)
	}
	defer f.Close()

	n := 0
	next := func(place string, rec files.Record) error {
		n++
		if err := do(place, rec); err != nil {
			return &files.Error{File: path, Place: place, Msg: err.Error(), Err: err}
		}
		return nil
	}
	err = readRows(f, kindOf(path), columns, next)

	var ours *files.Error
	switch {
	case errors.As(err, &ours):
		if ours.File == "" {
			ours.File = path
		}
		return ours
	case err != nil:
		return &files.Error{File: path, Msg: err.Error(), Remedy: form, Err: err}
	case n == 0:
		return &files.Error{File: path, Msg: "the file is empty", Remedy: form}
	}
	return nil
}

// kindOf is the ending of a file without what packs it.
func kindOf(path string) string {
	bare := strings.TrimSuffix(strings.TrimSuffix(strings.ToLower(path), ".gz"), ".zst")
	return filepath.Ext(bare)
}

func readRows(f io.Reader, kind string, columns map[int][]string, do func(place string, rec files.Record) error) error {
	r, err := files.Unpack(f)
	if err != nil {
		return err
	}
	if kind == ".parquet" {
		return parquetRows(r, do)
	}
	first, err := firstByte(r)
	switch {
	case errors.Is(err, io.EOF):
		return nil // the file is empty
	case err != nil:
		return err
	case first == '{':
		return jsonRows(r, do)
	case first == '[':
		return listRows(r, do)
	case first == '<':
		return topicRows(r, do)
	case kind == ".csv":
		return csvRows(r, do)
	}
	return tabRows(r, columns, do)
}

// firstByte looks at the first byte that is no white space.
func firstByte(r *bufio.Reader) (byte, error) {
	for n := 1; ; n++ {
		head, err := r.Peek(n)
		if len(head) < n {
			return 0, err
		}
		if c := head[n-1]; !bytes.ContainsRune([]byte(" \t\r\n"), rune(c)) {
			return c, nil
		}
		if n == r.Size() {
			return ' ', nil
		}
	}
}

// eachLine hands over lines that are not blank, with their numbers.
func eachLine(r io.Reader, do func(place string, line []byte) error) error {
	scan := bufio.NewScanner(r)
	scan.Buffer(make([]byte, 1<<16), longestLine)
	n := 0
	for scan.Scan() {
		n++
		if len(bytes.TrimSpace(scan.Bytes())) == 0 {
			continue
		}
		place := fmt.Sprintf("line %d", n)
		if !utf8.Valid(scan.Bytes()) {
			return &files.Error{Place: place, Msg: "is not UTF-8", Remedy: "convert the file, for example with iconv"}
		}
		if err := do(place, scan.Bytes()); err != nil {
			return err
		}
	}
	if err := scan.Err(); err != nil {
		return fmt.Errorf("line %d: %w", n+1, err)
	}
	return nil
}

// jsonRows reads lines of JSON.
func jsonRows(r io.Reader, do func(place string, rec files.Record) error) error {
	return eachLine(r, func(place string, line []byte) error {
		var rec files.Record
		if err := json.Unmarshal(line, &rec); err != nil {
			return &files.Error{Place: place, Msg: "is not an object of JSON on one line: " + err.Error(),
				Remedy: "write one object a line, or a list of all in brackets"}
		}
		return do(place, rec)
	})
}

// listRows reads a list of objects of JSON.
func listRows(r io.Reader, do func(place string, rec files.Record) error) error {
	data, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	return files.EachValue(data, do)
}

// parquetRows reads a table of Parquet. The library panics on some broken files.
func parquetRows(r io.Reader, do func(place string, rec files.Record) error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("broken Parquet: %v", p)
		}
	}()
	data, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	rows, err := parquet.Read[any](bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return fmt.Errorf("is not Parquet: %w", err)
	}
	for i, row := range rows {
		fields, ok := row.(map[string]any)
		if !ok {
			return fmt.Errorf("row %d is no record", i+1)
		}
		for name, v := range fields {
			if b, ok := v.([]byte); ok {
				fields[name] = string(b)
			}
		}
		rec, err := files.RecordOf(fields)
		if err == nil {
			err = do(fmt.Sprintf("row %d", i+1), rec)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// csvRows reads a table of commas with a heading. Cells may hold commas and line ends between quotes.
func csvRows(r io.Reader, do func(place string, rec files.Record) error) error {
	c := csv.NewReader(r)
	c.FieldsPerRecord = -1
	c.ReuseRecord = true
	var heading []string
	for {
		row, err := c.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("is not CSV: %w", err)
		}
		line, _ := c.FieldPos(0)
		place := fmt.Sprintf("line %d", line)
		if bad := slices.IndexFunc(row, func(cell string) bool { return !utf8.ValidString(cell) }); bad >= 0 {
			return &files.Error{Place: place, Msg: "is not UTF-8", Remedy: "convert the file, for example with iconv"}
		}
		if heading == nil {
			heading = slices.Clone(row)
			continue
		}
		if len(row) != len(heading) {
			return &files.Error{Place: place, Msg: fmt.Sprintf("has %d cells, the heading %d", len(row), len(heading)),
				Remedy: "put cells with commas between quotes"}
		}
		if err := doRow(place, heading, row, do); err != nil {
			return err
		}
	}
}

// tabRows reads lines of cells parted by tabs, as MS MARCO has them: nothing is quoted. Columns are named by the first
// line, where that is a heading, or else by how many there are.
func tabRows(r io.Reader, columns map[int][]string, do func(place string, rec files.Record) error) error {
	var names []string
	return eachLine(r, func(place string, line []byte) error {
		cells := strings.Split(strings.TrimRight(string(line), "\r"), "\t")
		if names == nil {
			if isHeading(cells) {
				names = cells
				return nil
			}
			if names = columns[len(cells)]; names == nil {
				msg := fmt.Sprintf("has %s and is no heading", cellsOf(cells))
				return &files.Error{Place: place, Msg: msg, Remedy: "write " + forms(columns)}
			}
		}
		if len(cells) != len(names) {
			return &files.Error{Place: place, Msg: fmt.Sprintf("has %s where %d belong", cellsOf(cells), len(names)),
				Remedy: "write " + strings.Join(names, ", tab, ") + " on every line"}
		}
		return doRow(place, names, cells, do)
	})
}

func cellsOf(cells []string) string {
	if len(cells) == 1 {
		return "no tab"
	}
	return fmt.Sprintf("%d cells parted by tabs", len(cells))
}

// forms words the columns that tables without a heading have.
func forms(columns map[int][]string) string {
	var out []string
	for _, n := range []int{2, 3, 4} {
		if names := columns[n]; names != nil {
			out = append(out, strings.Join(names, ", tab, "))
		}
	}
	return strings.Join(out, "; or ") + "; or a heading that names the columns"
}

// isHeading reports whether all cells are names of columns.
func isHeading(cells []string) bool {
	if len(cells) < 2 {
		return false
	}
	for _, c := range cells {
		if !slices.Contains(headings, strings.ToLower(strings.TrimSpace(c))) {
			return false
		}
	}
	return true
}

// doRow hands over a row of a table.
func doRow(place string, names, cells []string, do func(place string, rec files.Record) error) error {
	fields := make(map[string]any, len(cells))
	for i, c := range cells {
		fields[strings.TrimSpace(names[i])] = c
	}
	rec, err := files.RecordOf(fields)
	if err != nil {
		return err
	}
	return do(place, rec)
}
