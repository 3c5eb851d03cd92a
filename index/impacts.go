package index

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"os"
	"slices"
	"sort"
	"strings"
	"unsafe"

	"lore/local/files"

	mmap "github.com/blevesearch/mmap-go"
)

// impactsMagic begins a file of impacts; its last byte is the version. 1: first version.
const impactsMagic = "LORESPV\x01"

// impacts is an inverted index whose postings hold weights in place of frequencies, as plain arrays, read-only and
// mapped from a file.
//
// The file holds, after the magic, seven counts as 64-bit numbers (documents, terms, postings, bytes of ids, bytes of
// terms, documents in windows, documents that were cut), then these arrays, each padded to 8 bytes: ends of the document
// ids, the ids; ends of the terms, the terms in byte order; ends of the terms' postings; document numbers; weights as
// float32; and last the CRC-32C of all that. Numbers are little-endian; documents are numbered in the order of their ids.
type impacts struct {
	idEnds   []uint64
	ids      []byte
	termEnds []uint64
	terms    []byte
	ends     []uint64 // by term: end of its postings
	docs     []uint32
	weights  []float32
	windowed uint64
	cut      uint64

	file   *os.File
	mapped mmap.MMap
}

func (m *impacts) size() int { return len(m.idEnds) }

func (m *impacts) id(doc uint32) string { return string(slice(m.ids, m.idEnds, int(doc))) }

// find returns a term's postings: document numbers ascending, and weights.
func (m *impacts) find(term string) (docs []uint32, weights []float32) {
	at := func(i int) string { return string(slice(m.terms, m.termEnds, i)) }
	i := sort.Search(len(m.termEnds), func(i int) bool { return at(i) >= term })
	if i == len(m.termEnds) || at(i) != term {
		return nil, nil
	}
	start := uint64(0)
	if i > 0 {
		start = m.ends[i-1]
	}
	return m.docs[start:m.ends[i]], m.weights[start:m.ends[i]]
}

// Close unmaps the file, if there is one.
func (m *impacts) Close() error {
	if m.file == nil {
		return nil
	}
	return errors.Join(m.mapped.Unmap(), m.file.Close())
}

// staging collects vectors, eight bytes a weight, before they are turned over.
type staging struct {
	number  map[string]uint32 // of a term
	terms   []string
	of      []uint32 // terms of the vectors, one vector after the other
	weights []float32
	ends    []int // of the vectors
}

// add takes the next document's vector; weights of zero are left out.
func (s *staging) add(v []TermWeight) error {
	if s.number == nil {
		s.number = map[string]uint32{}
	}
	for _, t := range v {
		if err := t.check(); err != nil {
			return err
		}
		if t.Weight == 0 {
			continue
		}
		n, ok := s.number[t.Term]
		if !ok {
			n = uint32(len(s.terms))
			term := strings.Clone(t.Term) // not the line that it was cut from
			s.number[term], s.terms = n, append(s.terms, term)
		}
		s.of, s.weights = append(s.of, n), append(s.weights, t.Weight)
	}
	s.ends = append(s.ends, len(s.of))
	return nil
}

// impacts turns the vectors of documents, which are in the order of their ids, over.
func (s *staging) impacts(ids []string) *impacts {
	m := &impacts{docs: make([]uint32, len(s.of)), weights: make([]float32, len(s.of)), ends: make([]uint64, len(s.terms))}
	for _, id := range ids {
		m.ids = append(m.ids, id...)
		m.idEnds = append(m.idEnds, uint64(len(m.ids)))
	}

	// Terms in byte order: rank has the place of each.
	order := make([]uint32, len(s.terms))
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order, func(a, b uint32) int { return cmp.Compare(s.terms[a], s.terms[b]) })
	rank := make([]uint32, len(order))
	for i, n := range order {
		rank[n] = uint32(i)
		m.terms = append(m.terms, s.terms[n]...)
		m.termEnds = append(m.termEnds, uint64(len(m.terms)))
	}

	for _, n := range s.of {
		m.ends[rank[n]]++
	}
	sum := uint64(0)
	for i, n := range m.ends { // the start of each list, which grows to its end
		m.ends[i], sum = sum, sum+n
	}
	doc := 0
	for i, n := range s.of {
		for s.ends[doc] <= i {
			doc++
		}
		at := m.ends[rank[n]]
		m.docs[at], m.weights[at] = uint32(doc), s.weights[i]
		m.ends[rank[n]]++
	}
	return m
}

// floats and bits are two views of the same memory.
func floats(a []uint32) []float32 {
	if len(a) == 0 {
		return nil
	}
	return unsafe.Slice((*float32)(unsafe.Pointer(&a[0])), len(a))
}

func floatBits(a []float32) []uint32 {
	if len(a) == 0 {
		return nil
	}
	return unsafe.Slice((*uint32)(unsafe.Pointer(&a[0])), len(a))
}

// write puts the index into a file, synced.
func (m *impacts) write(path string) error {
	f, err := files.Create(path)
	if err != nil {
		return fmt.Errorf("write the sparse index: %w", err)
	}

	w := &postingsWriter{w: bufio.NewWriterSize(f, 1<<20), sum: crc32.New(castagnoli)}
	w.bytes([]byte(impactsMagic))
	w.bytes(raw([]uint64{
		uint64(len(m.idEnds)), uint64(len(m.termEnds)), uint64(len(m.docs)),
		uint64(len(m.ids)), uint64(len(m.terms)), m.windowed, m.cut,
	}))
	for _, part := range [][]byte{
		raw(m.idEnds), m.ids, raw(m.termEnds), m.terms, raw(m.ends), raw(m.docs), raw(floatBits(m.weights)),
	} {
		w.bytes(part)
		w.pad()
	}

	sum := make([]byte, 8)
	binary.LittleEndian.PutUint32(sum, w.sum.Sum32())
	if w.err == nil {
		_, w.err = w.w.Write(sum)
	}
	if w.err == nil {
		w.err = w.w.Flush()
	}
	if w.err == nil {
		w.err = f.Sync()
	}
	if err := errors.Join(w.err, f.Close()); err != nil {
		return fmt.Errorf("write the sparse index: %w", err)
	}
	return nil
}

// openImpacts maps a file and checks it whole against its checksum.
func openImpacts(path string) (*impacts, error) {
	f, err := files.Open(path)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil || info.Size() < int64(len(impactsMagic)+8) {
		f.Close()
		return nil, errors.Join(err, errDamaged)
	}

	mapped, err := mmap.Map(f, mmap.RDONLY, 0)
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("map the sparse index: %w", err)
	}
	m := &impacts{file: f, mapped: mapped}
	if err := m.parse(mapped); err != nil {
		return nil, errors.Join(err, m.Close())
	}
	return m, nil
}

func (m *impacts) parse(data []byte) error {
	body, end := data[:len(data)-8], data[len(data)-8:]
	if string(body[:len(impactsMagic)]) != impactsMagic ||
		crc32.Checksum(body, castagnoli) != binary.LittleEndian.Uint32(end) {
		return errDamaged
	}

	r := reader{b: body[len(impactsMagic):]}
	head := take[uint64](&r, 7)
	if r.err != nil {
		return errDamaged
	}
	docs, terms, n := head[0], head[1], head[2]
	m.windowed, m.cut = head[5], head[6]

	m.idEnds = take[uint64](&r, docs)
	m.ids = r.bytes(head[3])
	m.termEnds = take[uint64](&r, terms)
	m.terms = r.bytes(head[4])
	m.ends = take[uint64](&r, terms)
	m.docs = take[uint32](&r, n)
	m.weights = floats(take[uint32](&r, n))
	if r.err != nil || len(r.b) != 0 {
		return errDamaged
	}
	return nil
}

// check refuses weights that learned sparse models do not give, and that would order documents by chance.
func (t TermWeight) check() error {
	w := float64(t.Weight)
	switch {
	case math.IsNaN(w) || math.IsInf(w, 0):
		return fmt.Errorf("the weight of %q is not a finite number", t.Term)
	case w < 0:
		return fmt.Errorf("the weight of %q is negative (%g); weights of terms are zero or more", t.Term, w)
	}
	return nil
}
