package collection

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"

	"lore/local/files"
)

// WriteTREC writes a run or judgements of TREC to a file, packed by gzip or zstd where its name ends in .gz or .zst. Names that
// would be read as another form, or as packed in another way, are refused before write is asked.
func WriteTREC(path string, write func(w io.Writer) error) error {
	if err := CheckTREC(path); err != nil {
		return err
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() { // a pipe or a device
		var buf bytes.Buffer
		if err := write(&buf); err != nil {
			return err
		}
		return files.WriteFile(path, buf.Bytes())
	}
	return files.Write(path, func(to io.Writer) error { return packed(to, path, "{", write) })
}

// CheckTREC refuses names of files that would not be read as files of TREC.
func CheckTREC(path string) error {
	ending := kindOf(path)
	if slices.Contains([]string{".csv", ".parquet"}, ending) {
		return choicef("%s would be read as a table, and a file of TREC is none: "+
			"write to another name, and convert it by lore data convert", path)
	}
	if slices.Contains([]string{".bz2", ".xz", ".lz4", ".zip", ".tar", ".tgz"}, ending) {
		return choicef("%s: files are packed by gzip or zstd alone: let the name end in .gz or .zst", path)
	}
	return nil
}

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
