package files

import (
	"bytes"
	"encoding/json"
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
