package ollama

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// lineReader reads newline-ended records of any length.
type lineReader struct{ r *bufio.Reader }

func newLineReader(r io.Reader) *lineReader { return &lineReader{bufio.NewReaderSize(r, 1<<16)} }

// next returns the next non-empty line without its end, or io.EOF.
func (l *lineReader) next() ([]byte, error) {
	for {
		line, err := l.r.ReadBytes('\n')
		if line = bytes.TrimSpace(line); len(line) > 0 {
			return line, nil // an error with data comes back on the next read
		}
		if err != nil {
			if errors.Is(err, io.EOF) {
				return nil, io.EOF
			}
			return nil, err
		}
	}
}
