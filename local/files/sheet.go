package files

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
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
				return strings.TrimSpace(row[i])
			}
			return ""
		}
		if err := do(get); err != nil {
			return bad(line, err)
		}
	}
}

// Sheet writes CSV with a heading, for people to fill in.
func Sheet(heading []string, rows [][]string) ([]byte, error) {
	var buf bytes.Buffer
	w := csv.NewWriter(&buf)
	if err := errors.Join(w.Write(heading), w.WriteAll(rows)); err != nil {
		return nil, fmt.Errorf("write a sheet: %w", err)
	}
	return buf.Bytes(), nil
}
