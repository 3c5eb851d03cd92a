package files

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
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

// WriteLines writes a file with a line of JSON per value.
func WriteLines[T any](path string, values []T) error {
	f, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("write the data: %w", err)
	}

	w := bufio.NewWriter(f)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for _, v := range values {
		err = errors.Join(err, enc.Encode(v))
	}
	if err = errors.Join(err, w.Flush(), f.Close()); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}
