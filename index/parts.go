package index

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"sync/atomic"
	"unsafe"

	"lore/local/files"

	mmap "github.com/blevesearch/mmap-go"
)

// A file of parts holds arrays, each padded to 8 bytes, after 8 bytes that say what it is. After them come the CRC-32C of
// every page of all that, where each part begins and how long it is, and a footer: where these lists begin, and their own
// CRC-32C. Numbers are little-endian. The file is written aside, synced and renamed, so one that is there is whole.
//
// A small file is checked whole when it is opened. Of a larger one the lists are checked then, and each page when it is
// first read: opening does not depend on the size, and yet nothing is read that was not checked.
const (
	magicLength = 8
	pageSize    = 1 << 16
	wholeBelow  = 32 << 20 // bytes of a file that is checked whole at opening
	footerSize  = 24       // where the lists begin, their length, their checksum, and 4 bytes of nothing
	asideEnding = ".writing"
)

// DamagedError says that a file of an index is not what was written. The file is gone when it is returned, so that the
// next opening makes it again.
type DamagedError struct {
	File string
	What string
}

// Error names the file and what will help.
func (e *DamagedError) Error() string {
	return fmt.Sprintf("%s: the index is damaged: %s; run the same command again, which makes it anew", e.File, e.What)
}

// Unwrap makes it known to errors.Is.
func (e *DamagedError) Unwrap() error { return errDamaged }

// span is a part's place in its file, in bytes.
type span struct{ start, length uint64 }

// partsWriter writes a file of parts, one after the other.
type partsWriter struct {
	path   string
	f      *os.File
	w      *bufio.Writer
	n      uint64
	sum    uint32 // of the page that is being written
	pages  []uint32
	spans  []span
	closed bool
	err    error
}

// createParts begins a file aside of path.
func createParts(path, magic string) (*partsWriter, error) {
	f, err := files.Create(path + asideEnding)
	if err != nil {
		return nil, err
	}
	w := &partsWriter{path: path, f: f, w: bufio.NewWriterSize(f, 1<<20)}
	w.write([]byte(magic))
	return w, w.err
}

// begin starts the next part, and add continues it.
func (w *partsWriter) begin() {
	if rest := w.n % 8; rest > 0 {
		w.write(make([]byte, 8-rest))
	}
	w.spans = append(w.spans, span{start: w.n})
}

func (w *partsWriter) add(b []byte) {
	w.spans[len(w.spans)-1].length += uint64(len(b))
	w.write(b)
}

func (w *partsWriter) write(b []byte) {
	if w.err == nil {
		_, w.err = w.w.Write(b)
	}
	for len(b) > 0 {
		left := pageSize - int(w.n%pageSize)
		piece := b[:min(left, len(b))]
		w.sum = crc32.Update(w.sum, castagnoli, piece)
		w.n += uint64(len(piece))
		b = b[len(piece):]
		if w.n%pageSize == 0 {
			w.pages, w.sum = append(w.pages, w.sum), 0
		}
	}
}

// part writes a whole part.
func (w *partsWriter) part(b []byte) {
	w.begin()
	w.add(b)
}

// finish writes the lists and puts the file in its place.
func (w *partsWriter) finish() error {
	defer w.abandon()
	if w.n%pageSize != 0 {
		w.pages = append(w.pages, w.sum)
	}

	var lists []byte
	for _, p := range w.pages {
		lists = binary.LittleEndian.AppendUint32(lists, p)
	}
	for _, s := range w.spans {
		lists = binary.LittleEndian.AppendUint64(lists, s.start)
		lists = binary.LittleEndian.AppendUint64(lists, s.length)
	}
	lists = binary.LittleEndian.AppendUint64(lists, uint64(len(w.spans)))

	foot := binary.LittleEndian.AppendUint64(nil, w.n)
	foot = binary.LittleEndian.AppendUint64(foot, uint64(len(lists)))
	foot = binary.LittleEndian.AppendUint32(foot, crc32.Checksum(append(lists[:len(lists):len(lists)], foot...), castagnoli))
	foot = append(foot, 0, 0, 0, 0)

	for _, b := range [][]byte{lists, foot} {
		if w.err == nil {
			_, w.err = w.w.Write(b)
		}
	}
	if w.err == nil {
		w.err = w.w.Flush()
	}
	if w.err == nil {
		w.err = w.f.Sync()
	}
	if w.err = errors.Join(w.err, w.f.Close()); w.err == nil {
		w.err = os.Rename(w.path+asideEnding, w.path)
	}
	w.closed = w.err == nil
	return w.err
}

// abandon removes a file that was not finished.
func (w *partsWriter) abandon() {
	if !w.closed {
		w.closed = true
		_ = w.f.Close() // it may be closed
		_ = os.Remove(w.path + asideEnding)
	}
}

// parts is a file of parts, mapped and read-only.
type parts struct {
	path   string
	file   *os.File
	mapped mmap.MMap
	body   uint64 // bytes before the lists
	pages  []byte // checksums
	spans  []span
	seen   []atomic.Uint32 // a bit per page that was checked
}

// openParts maps a file of so many parts. The error is errDamaged where it is not whole.
func openParts(path, magic string, count int) (*parts, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && info.Size() < magicLength+footerSize {
		err = errDamaged
	}
	p := &parts{path: path, file: f}
	if err == nil {
		p.mapped, err = mmap.Map(f, mmap.RDONLY, 0)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}

	if !p.lists(count) || string(p.mapped[:magicLength]) != magic {
		return nil, errors.Join(errDamaged, p.Close())
	}
	p.seen = make([]atomic.Uint32, len(p.pages)/4/32+1)
	if p.body <= wholeBelow && p.check(0, p.body) != nil {
		return nil, errors.Join(errDamaged, p.Close())
	}
	return p, nil
}

// lists reads the lists at the end of the file, and says whether they are whole and fit the file.
func (p *parts) lists(count int) bool {
	all := p.mapped
	foot := all[len(all)-footerSize:]
	at, length := binary.LittleEndian.Uint64(foot), binary.LittleEndian.Uint64(foot[8:])
	room := uint64(len(all) - footerSize)
	if at > room || length != room-at || length < 8 || string(foot[20:]) != "\x00\x00\x00\x00" ||
		crc32.Checksum(all[at:room+16], castagnoli) != binary.LittleEndian.Uint32(foot[16:]) {
		return false
	}

	lists := all[at:room]
	pages := (at + pageSize - 1) / pageSize
	if length != pages*4+uint64(count)*16+8 || binary.LittleEndian.Uint64(lists[length-8:]) != uint64(count) {
		return false
	}
	p.body, p.pages = at, lists[:pages*4]
	for i := range count {
		entry := lists[int(pages)*4+i*16:]
		s := span{binary.LittleEndian.Uint64(entry), binary.LittleEndian.Uint64(entry[8:])}
		if s.start%8 != 0 || s.start > at || s.length > at-s.start {
			return false
		}
		p.spans = append(p.spans, s)
	}
	return true
}

// check makes sure that bytes of the body are what was written, page by page, each once.
func (p *parts) check(start, end uint64) error {
	if start >= end {
		return nil
	}
	for page := start / pageSize; page <= (end-1)/pageSize; page++ {
		word, bit := &p.seen[page/32], uint32(1)<<(page%32)
		if word.Load()&bit != 0 {
			continue
		}
		from, to := page*pageSize, min((page+1)*pageSize, p.body)
		if crc32.Checksum(p.mapped[from:to], castagnoli) != binary.LittleEndian.Uint32(p.pages[page*4:]) {
			_ = os.Remove(p.path) // what is damaged must be made again; if it cannot be removed, it is found again
			return &DamagedError{p.path, fmt.Sprintf("bytes %d to %d are not what was written", from, to)}
		}
		word.Or(bit)
	}
	return nil
}

// Close unmaps the file.
func (p *parts) Close() error { return errors.Join(p.mapped.Unmap(), p.file.Close()) }

// array is a part as numbers, or as bytes. What it hands out was checked.
type array[T byte | uint32 | uint64] struct {
	file  *parts
	all   []T
	start uint64 // bytes before it in the file
}

// arrayOf is part i of a file. n is its length; below 0 it is what is there.
func arrayOf[T byte | uint32 | uint64](p *parts, i, n int) (array[T], error) {
	var zero T
	s, size := p.spans[i], uint64(unsafe.Sizeof(zero))
	if s.length%size != 0 || n >= 0 && s.length != uint64(n)*size {
		return array[T]{}, errDamaged
	}
	a := array[T]{file: p, start: s.start}
	if s.length > 0 {
		a.all = unsafe.Slice((*T)(unsafe.Pointer(&p.mapped[s.start])), s.length/size)
	}
	return a, nil
}

func (a array[T]) len() int { return len(a.all) }

// cut is the values from i up to j.
func (a array[T]) cut(i, j uint64) ([]T, error) {
	var zero T
	size := uint64(unsafe.Sizeof(zero))
	if i > j || j > uint64(len(a.all)) {
		return nil, &DamagedError{a.file.path, "a place lies outside of its part"}
	}
	return a.all[i:j:j], a.file.check(a.start+i*size, a.start+j*size)
}

// whole is all values.
func (a array[T]) whole() ([]T, error) { return a.cut(0, uint64(len(a.all))) }

// at is value i.
func (a array[T]) at(i int) (T, error) {
	one, err := a.cut(uint64(i), uint64(i)+1)
	if err != nil {
		return 0, err
	}
	return one[0], nil
}

// piece is the i-th of the pieces that lie one after the other in bytes.
func piece(bytes array[byte], ends array[uint64], i int) ([]byte, error) {
	from, to, err := bounds(ends, i)
	if err != nil {
		return nil, err
	}
	return bytes.cut(from, to)
}

// bounds is where piece i begins and ends.
func bounds(ends array[uint64], i int) (from, to uint64, err error) {
	if i > 0 {
		if from, err = ends.at(i - 1); err != nil {
			return 0, 0, err
		}
	}
	to, err = ends.at(i)
	return from, to, err
}
