package files

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// EachLine hands over every line that is not blank with its place, such as "line 3".
// It stops at the first error. A byte order mark does not belong to the first line.
func EachLine(data []byte, do func(place string, line []byte) error) error {
	n := 0
	for line := range bytes.Lines(bytes.TrimPrefix(data, []byte(mark))) {
		n++
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		if err := do(fmt.Sprintf("line %d", n), line); err != nil {
			return err
		}
	}
	return nil
}

// EachValue hands over the values of a JSON list one by one with their places, such as "row 3":
// a list of many small values takes several times its size in memory. It stops at the first
// error.
func EachValue[T any](data []byte, do func(place string, v T) error) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	if t, err := dec.Token(); err != nil || t != json.Delim('[') {
		return cmp.Or(err, errors.New("is not a JSON list"))
	}
	for n := 1; dec.More(); n++ {
		place := fmt.Sprintf("row %d", n)
		var v T
		if err := dec.Decode(&v); err != nil {
			return fmt.Errorf("%s: %w", place, err)
		}
		if err := do(place, v); err != nil {
			return err
		}
	}
	if _, err := dec.Token(); err != nil {
		return fmt.Errorf("ends before its last bracket: %w", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("goes on after its last bracket")
	}
	return nil
}

// WriteLines puts lines of JSON, one per value, in place of a file.
func WriteLines[T any](path string, values []T) error {
	err := Write(path, func(w io.Writer) error {
		enc := json.NewEncoder(w)
		enc.SetEscapeHTML(false)
		for _, v := range values {
			if err := enc.Encode(v); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}
