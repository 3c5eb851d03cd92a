package files

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"lore/local/text"
)

// EachRow reads a sheet that people filled in: CSV with a heading that has at least the
// given columns. get returns a cell, trimmed; cells that a row lacks are empty. An error
// of do is put into an Error with the line.
func EachRow(file string, data []byte, columns []string, remedy string,
	do func(get func(column string) string) error) error {
	r := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(data, []byte(mark))))
	r.FieldsPerRecord = -1
	bad := func(line int, err error) error {
		return &Error{File: file, Place: "line " + strconv.Itoa(line), Msg: err.Error(), Remedy: remedy, Err: err}
	}

	heading, err := r.Read()
	if err != nil {
		return bad(1, fmt.Errorf("is not CSV with a heading: %w", err))
	}
	at := map[string]int{}
	for i, h := range heading {
		at[strings.TrimSpace(h)] = i
	}
	for _, c := range columns {
		if _, ok := at[c]; !ok {
			return bad(1, fmt.Errorf("has no column %s", c))
		}
	}

	for {
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		var broken *csv.ParseError
		if errors.As(err, &broken) {
			return bad(broken.Line, fmt.Errorf("is not CSV: %w", broken.Err))
		}
		if err != nil {
			return bad(0, err)
		}

		line, _ := r.FieldPos(0)
		get := func(column string) string {
			if i, ok := at[column]; ok && i < len(row) {
				return strings.TrimSpace(bare(row[i]))
			}
			return ""
		}
		if err := do(get); err != nil {
			return bad(line, err)
		}
	}
}

// Sheet writes CSV with a heading, for people to read and fill in. What a spreadsheet would
// run begins with an apostrophe, which EachRow takes off; control characters become visible.
func Sheet(heading []string, rows [][]string) ([]byte, error) {
	var buf bytes.Buffer
	w := csv.NewWriter(&buf)
	for _, row := range append([][]string{heading}, rows...) {
		cells := make([]string, len(row))
		for i, c := range row {
			cells[i] = guarded(text.Plain(c))
		}
		if err := w.Write(cells); err != nil {
			return nil, fmt.Errorf("write a sheet: %w", err)
		}
	}
	w.Flush()
	if err := w.Error(); err != nil {
		return nil, fmt.Errorf("write a sheet: %w", err)
	}
	return buf.Bytes(), nil
}

// apostrophe before a cell tells a spreadsheet that it is text.
const apostrophe = "'"

// figures are numbers, alone or with an interval: they begin like formulas and hold nothing
// that could be run.
var figures = regexp.MustCompile(`^[-+][-+0-9.,%±()\[\] –]*([eE][-+]?[0-9]+)?$`)

// runs reports whether a spreadsheet may take a cell for a formula.
func runs(cell string) bool {
	return cell != "" && strings.ContainsAny(cell[:1], "=+-@\t\r") && !figures.MatchString(cell) ||
		strings.HasPrefix(cell, "＝") || strings.HasPrefix(cell, "＋") ||
		strings.HasPrefix(cell, "－") || strings.HasPrefix(cell, "＠")
}

// guarded is a cell that no spreadsheet runs, and bare takes the guard off again. A cell
// that looks guarded by itself gets a second apostrophe.
func guarded(cell string) string {
	if runs(strings.TrimLeft(cell, apostrophe)) {
		return apostrophe + cell
	}
	return cell
}

func bare(cell string) string {
	if strings.HasPrefix(cell, apostrophe) && runs(strings.TrimLeft(cell, apostrophe)) {
		return cell[1:]
	}
	return cell
}
