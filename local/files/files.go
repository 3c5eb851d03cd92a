// Package files reads the files that people give: texts, lines of JSON, sheets, and
// folders of texts. There is one rule for encodings, one for ids, and one kind of error,
// which names file, place and remedy. And it writes what lore writes: whole, and for the
// user alone.
package files

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"unicode/utf8"

	"lore/local/text"
)

// Error is input that is missing or malformed. Its message names file, place and remedy.
type Error struct {
	File   string
	Place  string // where in the file: a line, a document, a subtopic
	Msg    string
	Remedy string
	Err    error
}

// Error puts the parts in one line. A file's name may hold anything, even line ends.
func (e *Error) Error() string {
	s := text.Line(e.File)
	if e.Place != "" {
		s += ": " + text.Line(e.Place)
	}
	s += ": " + text.Line(e.Msg)
	if e.Remedy != "" {
		s += "; " + e.Remedy
	}
	return s
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Wrap makes an error of reading a file an Error, without naming the file twice. An error
// that is one already stays as it is, and so does nil.
func Wrap(file string, err error) error {
	var ours *Error
	if err == nil || errors.As(err, &ours) {
		return err
	}
	msg := strings.TrimSpace(strings.TrimPrefix(err.Error(), file+":"))
	return &Error{File: file, Msg: msg, Err: err}
}

// Unreadable is the error of a file or folder that the system would not read.
func Unreadable(file string, err error, remedy string) error {
	file, msg, remedy := wordUnreadable(file, err, remedy)
	return &Error{File: file, Msg: msg, Remedy: remedy, Err: err}
}

// Cause words an error of the file system without its operation and path, which an Error
// names by itself.
func Cause(err error) string {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err.Error()
	}
	return err.Error()
}

// mark is the byte order mark that some editors put before a text.
const mark = "\ufeff"

// Bytes reads a file whole, as it is.
func Bytes(path, remedy string) ([]byte, error) {
	data, err := ReadFile(path)
	if err != nil {
		return nil, Unreadable(path, err, remedy)
	}
	return data, nil
}

// Read reads a text file in UTF-8, without its byte order mark. Other encodings and
// binary content are refused: a text silently changed is a text lost.
func Read(path, remedy string) ([]byte, error) {
	data, err := Bytes(path, remedy)
	if err != nil {
		return nil, err
	}
	return Text(path, data)
}

// ReadFS reads a text file like Read from a file system; name stands in errors.
func ReadFS(dir fs.FS, file, name, remedy string) ([]byte, error) {
	data, err := fs.ReadFile(dir, file)
	if err != nil {
		return nil, Unreadable(name, err, remedy)
	}
	return Text(name, data)
}

// foreign are the first bytes of what is not text in UTF-8, with what helps.
var foreign = []struct{ bytes, what, remedy string }{
	{"\xff\xfe", "UTF-16, not text in UTF-8", convert},
	{"\xfe\xff", "UTF-16, not text in UTF-8", convert},
	{"%PDF", "PDF, not text in UTF-8", convert},
	{"\x1f\x8b", "a gzip file, not text in UTF-8", "unpack it first, with gunzip or tar -xzf"},
	{"PK\x03\x04", "a zip file, not text in UTF-8", "unpack it first, with unzip"},
	{"\x28\xb5\x2f\xfd", "a zstd file, not text in UTF-8", "unpack it first, with unzstd"},
	{"BZh91AY&SY", "a bzip2 file, not text in UTF-8", "unpack it first, with bunzip2"},
	{"\xfd7zXZ", "an xz file, not text in UTF-8", "unpack it first, with unxz"},
	{"PAR1\x15", "Parquet, not text in UTF-8", "convert it first: lore data import reads Parquet"},
	{"version https://git-lfs.github.com/spec/", "a pointer of Git LFS, not the file itself",
		"fetch what it stands for, with git lfs pull"},
}

const convert = "convert it first, for example with iconv or pdftotext"

// Text checks that a file's content is text in UTF-8, and returns it without its byte
// order mark. The error names the line of the first wrong byte.
func Text(name string, data []byte) ([]byte, error) {
	for _, f := range foreign {
		if bytes.HasPrefix(data, []byte(f.bytes)) {
			return nil, &Error{File: name, Msg: "is " + f.what, Remedy: f.remedy}
		}
	}
	if wide(data) {
		return nil, &Error{
			File:   name,
			Msg:    "is UTF-16, or binary, not text in UTF-8",
			Remedy: "convert it first, for example with iconv -f UTF-16 -t UTF-8, or take it out of the folder",
		}
	}
	if i := bytes.IndexByte(data, 0); i >= 0 {
		place := fmt.Sprintf("byte %d", i+1)
		return nil, &Error{File: name, Place: place, Msg: "is binary, not text", Remedy: "take it out of the folder"}
	}
	if !utf8.Valid(data) {
		return nil, notUTF8(name, data)
	}
	return bytes.TrimPrefix(data, []byte(mark)), nil
}

// wide reports whether a text begins as UTF-16 without its mark does: of Latin letters every
// other byte is 0.
func wide(data []byte) bool {
	if len(data) < 4 || len(data)%2 != 0 {
		return false
	}
	zero := func(i int) bool { return data[i] == 0 }
	return zero(0) != zero(1) && zero(0) == zero(2) && zero(1) == zero(3)
}

// notUTF8 finds the first byte that is wrong.
func notUTF8(name string, data []byte) error {
	at := 0
	for at < len(data) {
		r, n := utf8.DecodeRune(data[at:])
		if r == utf8.RuneError && n == 1 {
			break
		}
		at += n
	}
	return &Error{
		File:   name,
		Place:  fmt.Sprintf("line %d", 1+bytes.Count(data[:at], []byte("\n"))),
		Msg:    fmt.Sprintf("byte %#x is not UTF-8", data[at]),
		Remedy: "convert the file to UTF-8, for example with iconv -f LATIN1 -t UTF-8",
	}
}
