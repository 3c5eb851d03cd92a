package wire

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Bounds of what is read from a server whatever is asked, in bytes.
const (
	mostHeader = 64 << 10
	mostStatus = 64 << 10
)

// OversizeError says that an answer is larger than anything that was asked for.
type OversizeError struct{ most int64 }

func (e *OversizeError) Error() string {
	return fmt.Sprintf("the answer is larger than the %s it may have", size(e.most))
}

func size(n int64) string {
	if n < 1<<20 {
		return fmt.Sprintf("%d KB", n>>10)
	}
	return fmt.Sprintf("%d MB", n>>20)
}

// bounded reads at most so many bytes, and then fails.
type bounded struct {
	r          io.Reader
	left, most int64
}

func newBounded(r io.Reader, most int64) *bounded { return &bounded{r, most, most} }

func (b *bounded) Read(p []byte) (int, error) {
	if b.left < 0 {
		return 0, &OversizeError{b.most}
	}
	// One byte more shows that there is more.
	if int64(len(p)) > b.left+1 {
		p = p[:b.left+1]
	}
	n, err := b.r.Read(p)
	b.left -= int64(n)
	if b.left < 0 {
		return 0, &OversizeError{b.most}
	}
	return n, err
}

// decode reads one JSON value of at most so many bytes.
func decode(r io.Reader, most int64, out any) error {
	data, err := io.ReadAll(newBounded(r, most))
	if err != nil {
		return err
	}
	return json.Unmarshal(data, out)
}

// LineReader reads newline-ended records. What it reads from is bounded.
type LineReader struct{ r *bufio.Reader }

// NewLineReader reads from r.
func NewLineReader(r io.Reader) *LineReader { return &LineReader{bufio.NewReaderSize(r, 1<<16)} }

// Next returns the next non-empty line without its end, or io.EOF.
func (l *LineReader) Next() ([]byte, error) {
	for {
		line, err := l.r.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, err // what was read of the line is not whole
		}
		if line = bytes.TrimSpace(line); len(line) > 0 {
			return line, nil
		}
		if err != nil {
			return nil, io.EOF
		}
	}
}
