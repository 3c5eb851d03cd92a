package collection

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"fmt"
	"io"
	"strings"

	"github.com/klauspost/compress/zstd"

	"lore/local/files"
)

// packed hands what is written to whatever packs a file of that name, after a guard that sees it unpacked.
func packed(to io.Writer, path, others string, write func(w io.Writer) error) error {
	var pack io.WriteCloser
	switch lower := strings.ToLower(path); {
	case strings.HasSuffix(lower, ".gz"):
		pack = gzip.NewWriter(to)
	case strings.HasSuffix(lower, ".zst"):
		z, err := zstd.NewWriter(to, zstd.WithEncoderConcurrency(1))
		if err != nil {
			return fmt.Errorf("pack by zstd: %w", err)
		}
		pack = z
	default:
		pack = open{to}
	}

	guarded := &guard{to: pack, path: path, others: others}
	w := bufio.NewWriterSize(guarded, 1<<16)
	err := write(w)
	if err == nil {
		err = w.Flush()
	}
	return cmp.Or(err, pack.Close())
}

// open is a file that is not packed.
type open struct{ io.Writer }

func (open) Close() error { return nil }

// guard refuses the beginning of a file by which it would be read as another form.
type guard struct {
	to     io.Writer
	path   string
	others string // first letters of other forms
	begun  bool
}

// tarAt is where an archive of tar has its mark.
const tarAt = 257

// Write passes on what it is given. The first piece is large enough to look at, as it comes from a buffer.
func (g *guard) Write(data []byte) (int, error) {
	if !g.begun && len(data) > 0 {
		g.begun = true
		tar := len(data) > tarAt && bytes.HasPrefix(data[tarAt:], []byte("ustar"))
		if strings.IndexByte(g.others, data[0]) >= 0 || bytes.HasPrefix(data, []byte("BZh")) || tar {
			return 0, &files.Error{
				File:   g.path,
				Msg:    fmt.Sprintf("would begin with %q and be read as another form; nothing was written", data[:min(len(data), 3)]),
				Remedy: "write another form, such as " + string(JSON),
			}
		}
	}
	return g.to.Write(data)
}

// guard are letters that tell other forms at the beginning of a file.
func (c Conversion) guard() string {
	pairs := c.Kind == JudgementsKind || c.Kind == RunKind
	switch {
	case pairs && (c.Form == MSMARCO || c.Form == TREC):
		return "{"
	case c.Form == MSMARCO:
		return "{[<"
	}
	return ""
}
