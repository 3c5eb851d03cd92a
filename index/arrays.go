package index

import (
	"bufio"
	"errors"
	"hash"
	"hash/crc32"
	"io"
	"unsafe"
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// errDamaged says that a file of arrays is not what was written.
var errDamaged = errors.New("the postings file is damaged")

// postingsWriter writes arrays with a running checksum.
type postingsWriter struct {
	w   *bufio.Writer
	sum hash.Hash32
	n   int
	err error
}

func (w *postingsWriter) bytes(b []byte) {
	if w.err != nil {
		return
	}
	if _, w.err = w.w.Write(b); w.err != nil {
		return
	}
	w.sum.Write(b)
	w.n += len(b)
}

func (w *postingsWriter) pad() {
	if rest := w.n % 8; rest > 0 {
		w.bytes(make([]byte, 8-rest))
	}
}

func raw[T uint32 | uint64](a []T) []byte {
	if len(a) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&a[0])), len(a)*int(unsafe.Sizeof(a[0])))
}

// slice is the i-th of the pieces that lie one after the other in bytes.
func slice(bytes []byte, ends []uint64, i int) []byte {
	start := uint64(0)
	if i > 0 {
		start = ends[i-1]
	}
	return bytes[start:ends[i]]
}

// reader takes arrays, each padded to 8 bytes, from a mapped file.
type reader struct {
	b   []byte
	err error
}

func (r *reader) bytes(n uint64) []byte {
	padded := (n + 7) / 8 * 8
	if r.err != nil || padded < n || padded > uint64(len(r.b)) {
		r.err = io.ErrUnexpectedEOF
		return nil
	}
	out := r.b[:n:n]
	r.b = r.b[padded:]
	return out
}

func take[T uint32 | uint64](r *reader, n uint64) []T {
	var zero T
	size := uint64(unsafe.Sizeof(zero))
	if n > uint64(len(r.b)) {
		r.err = io.ErrUnexpectedEOF
		return nil
	}
	b := r.bytes(n * size)
	if r.err != nil || n == 0 {
		return nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(&b[0])), n)
}
