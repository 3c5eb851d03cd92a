package files

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
)

// packed are compressed files that are known by their first bytes.
var packed = []struct {
	magic, name string
	open        func(io.Reader) (io.Reader, error) // nil: not read
}{
	{"\x1f\x8b", "gzip", func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) }},
	{"\x28\xb5\x2f\xfd", "zstd", func(r io.Reader) (io.Reader, error) {
		z, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1))
		if err != nil {
			return nil, err
		}
		return z.IOReadCloser(), nil
	}},
	{"\x04\x22\x4d\x18", "lz4", nil},
	{"BZh", "bzip2", nil},
	{"\xfd7zXZ\x00", "xz", nil},
	{"PK\x03\x04", "zip", nil},
}

// Unpack reads what is inside a gzip or zstd stream, several of them one after the other, too, and hands over anything
// else as it is, without a byte order mark. Other compressed files are refused with what unpacks them.
func Unpack(r io.Reader) (*bufio.Reader, error) {
	br := bufio.NewReaderSize(r, 1<<16)
	for _, p := range packed {
		head, _ := br.Peek(len(p.magic))
		if string(head) != p.magic {
			continue
		}
		if p.open == nil {
			return nil, fmt.Errorf("is compressed by %s, which is not read; unpack it, or pack it by gzip or zstd", p.name)
		}
		inner, err := p.open(br)
		if err != nil {
			return nil, fmt.Errorf("not a readable %s file: %w", p.name, err)
		}
		br = bufio.NewReaderSize(inner, 1<<16)
		break
	}
	if err := otherForm(br); err != nil {
		return nil, err
	}
	if head, _ := br.Peek(len(mark)); bytes.Equal(head, []byte(mark)) {
		_, _ = br.Discard(len(mark)) // peeked, so there
	}
	return br, nil
}

// tarMark is what an archive of tar has at tarMarkAt.
const (
	tarMark   = "ustar"
	tarMarkAt = 257
)

// otherForm refuses archives, and texts that are not UTF-8 by their first bytes.
func otherForm(r *bufio.Reader) error {
	head, _ := r.Peek(tarMarkAt + len(tarMark))
	switch {
	case bytes.HasPrefix(head, []byte("\xff\xfe")), bytes.HasPrefix(head, []byte("\xfe\xff")):
		return errors.New("is UTF-16, and UTF-8 is read; convert it, for example with iconv -f UTF-16 -t UTF-8")
	case bytes.HasSuffix(head, []byte(tarMark)) && len(head) == tarMarkAt+len(tarMark):
		return errors.New("is an archive of tar, which is not read; unpack it, and give the file or folder in it")
	}
	return nil
}
