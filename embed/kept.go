package embed

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"

	"lore/local/files"
)

// Kept is what a file of vectors holds.
type Kept struct {
	Model   string // as the user named it; empty of sparse vectors, whose file has the hash of the settings alone
	Vectors int    // records, damaged ones included
	Damaged int    // those that are not what was written; 0 where nobody looked
	Lost    int64  // bytes behind a damaged record of sparse vectors, or of one that is half written
}

// ReadKept reads what a file of Cache or SparseCache holds: whole says that all records are held against their checksums.
// The error is one of reading, or says that the file has no readable head.
func ReadKept(path string, whole bool) (Kept, error) {
	f, err := files.Open(path)
	if err != nil {
		return Kept{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return Kept{}, err
	}
	magic := make([]byte, len(sparseMagic))
	if _, err := f.ReadAt(magic, 0); err == nil && string(magic) == sparseMagic {
		return keptSparse(f, info.Size(), whole)
	}

	c := Cache{file: f, path: path}
	if err := c.loadHead(); err != nil {
		return Kept{}, fmt.Errorf("its head cannot be read: %w", err)
	}
	k := Kept{Model: c.model(), Vectors: int((info.Size() - c.end) / recordSize(c.dims))}
	if !whole {
		return k, nil
	}
	buf := make([]byte, recordSize(c.dims))
	r := bufio.NewReaderSize(io.NewSectionReader(f, c.end, int64(k.Vectors)*int64(len(buf))), 1<<20)
	for range k.Vectors {
		if _, err := io.ReadFull(r, buf); err != nil {
			return k, err
		}
		if !sumOK(buf) {
			k.Damaged++
		}
	}
	return k, nil
}

// model is the name in the settings of the file's head, which loadHead has read.
func (c *Cache) model() string {
	from := int64(len(cacheMagic) + 4)
	text := make([]byte, c.end-4-from)
	var s Settings
	if _, err := c.file.ReadAt(text, from); err != nil || json.Unmarshal(text, &s) != nil {
		return ""
	}
	return s.Name
}

// keptSparse counts records of sparse vectors, whose lengths differ.
func keptSparse(f *os.File, size int64, whole bool) (k Kept, err error) {
	at := int64(len(sparseMagic) + 32)
	r := bufio.NewReaderSize(io.NewSectionReader(f, at, math.MaxInt64-at), 1<<20)
	head := make([]byte, 32+12)
	for at < size {
		n := int64(0)
		if whole {
			_, _, n, err = readSparse(r)
		} else if _, err = f.ReadAt(head, at); err == nil {
			n = int64(len(head)) + 8*int64(binary.LittleEndian.Uint32(head[40:])) + 4
		}

		switch {
		case errors.Is(err, errSparseCache), err == nil && at+n > size, errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			k.Lost = size - at
			return k, nil
		case err != nil:
			return k, err
		}
		at += n
		k.Vectors++
	}
	return k, nil
}

// Check words what is damaged; nil where nothing is.
func (k Kept) Check() error {
	var said []string
	if k.Damaged > 0 {
		said = append(said, fmt.Sprintf("%d of %d vectors are damaged", k.Damaged, k.Vectors))
	}
	if k.Lost > 0 {
		said = append(said, fmt.Sprintf("the last %d bytes are damaged or half written", k.Lost))
	}
	if said == nil {
		return nil
	}
	return errors.New(strings.Join(said, ", and ") + "; they are made again when they are asked for")
}
