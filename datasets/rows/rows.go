// Package rows reads tables as data sets are published in, row by row: Parquet, JSON lines,
// or a JSON list.
package rows

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/parquet-go/parquet-go"

	"lore/local/files"
)

// Each hands over the rows of a table, whatever its format, with their numbers from 0.
func Each(path string, do func(i int, row map[string]any) error) error {
	if ending := strings.ToLower(filepath.Ext(path)); ending == ".csv" || ending == ".tsv" {
		return &files.Error{
			File:   path,
			Msg:    "is a table whose cells hold no lists, of which documents, answers and insights are made",
			Remedy: "give Parquet, JSON lines, or a JSON list of objects, which hubs serve as well",
		}
	}
	data, err := readTable(path)
	if err != nil {
		return err
	}

	n := 0
	next := func(_ string, row map[string]any) error {
		n++
		return do(n-1, row)
	}
	switch {
	case strings.EqualFold(filepath.Ext(path), ".parquet"):
		err = parquetRows(data, next)
	case bytes.HasPrefix(bytes.TrimSpace(data), []byte("[")):
		err = files.EachValue(data, next)
	default:
		err = lineRows(data, next)
	}

	if err == nil && n == 0 {
		err = errors.New("it has no rows")
	}
	var ours *files.Error
	if err == nil || errors.As(err, &ours) {
		return err
	}
	return files.Unreadable(path, err, "give Parquet (.parquet), JSON lines, or a JSON list of objects")
}

// readTable reads a file whole. Parquet is not text, and not checked to be UTF-8.
func readTable(path string) ([]byte, error) {
	const remedy = "check the path"
	if strings.EqualFold(filepath.Ext(path), ".parquet") {
		return files.Bytes(path, remedy)
	}
	return files.Read(path, remedy)
}

func lineRows(data []byte, do func(place string, row map[string]any) error) error {
	return files.EachLine(data, func(place string, line []byte) error {
		var row map[string]any
		if err := json.Unmarshal(line, &row); err != nil {
			return fmt.Errorf("%s: %w", place, err)
		}
		return do(place, row)
	})
}

// parquetRows reads a Parquet file. The library panics on some broken files.
func parquetRows(data []byte, do func(place string, row map[string]any) error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("broken Parquet: %v", r)
		}
	}()

	values, err := parquet.Read[any](bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return err
	}
	for _, v := range values {
		row, ok := v.(map[string]any)
		if !ok {
			return fmt.Errorf("a row is %T", v)
		}
		if err := do("", row); err != nil {
			return err
		}
	}
	return nil
}

// Plain is a value of a row as JSON would have it: lists of Parquet without their wrapping, texts
// instead of bytes, and no fields without a value, which tables have where other rows have one.
func Plain(v any) any {
	switch v := v.(type) {
	case []byte:
		return string(v)
	case []any:
		out := make([]any, len(v))
		for i, x := range v {
			out[i] = Plain(x)
		}
		return out
	case map[string]any:
		if len(v) == 1 {
			for _, wrapping := range []string{"list", "element", "item", "array"} {
				if inner, ok := v[wrapping]; ok {
					return Plain(inner)
				}
			}
		}
		out := map[string]any{}
		for k, x := range v {
			if x = Plain(x); x != nil {
				out[k] = x
			}
		}
		return out
	}
	return v
}
