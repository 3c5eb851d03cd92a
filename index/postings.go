package index

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"sort"

	"lore/local/files"

	mmap "github.com/blevesearch/mmap-go"
)

// postingsMagic begins a postings file; its last byte is the version. 1: first
// version.
const postingsMagic = "LOREBM2\x01"

// postings is an inverted index as plain arrays, read-only and mapped from a file,
// so that opening takes no time and memory is the operating system's to manage.
//
// The file holds, after the magic, the counts of documents, terms, postings and
// tokens as 64-bit numbers, then these arrays, each padded to 8 bytes: ends of the
// document ids, the ids; lengths; ends of the terms, the terms in byte order; ends
// of the terms' postings; document numbers; frequencies; and last the CRC-32C of
// all that. Numbers are little-endian; documents are numbered in the order of
// their ids. Frequencies are 32 bits wide: whole books count right.
type postings struct {
	analyze func(text string) []string

	idEnds   []uint64
	ids      []byte
	lengths  []uint32 // tokens by document number
	termEnds []uint64
	terms    []byte
	ends     []uint64 // by term: end of its postings
	docs     []uint32
	tfs      []uint32
	tokens   uint64

	file   *os.File
	mapped mmap.MMap
}

func (p *postings) size() int { return len(p.lengths) }

// mean is the mean document length in tokens.
func (p *postings) mean() float64 {
	if p.size() == 0 {
		return 0
	}
	return float64(p.tokens) / float64(p.size())
}

func (p *postings) id(doc uint32) string { return string(slice(p.ids, p.idEnds, int(doc))) }

func (p *postings) term(i int) []byte { return slice(p.terms, p.termEnds, i) }

// find returns a term's postings: document numbers ascending, and frequencies.
func (p *postings) find(term string) (docs, tfs []uint32) {
	i := sort.Search(len(p.termEnds), func(i int) bool { return string(p.term(i)) >= term })
	if i == len(p.termEnds) || string(p.term(i)) != term {
		return nil, nil
	}
	return p.list(i)
}

func (p *postings) list(i int) (docs, tfs []uint32) {
	start := uint64(0)
	if i > 0 {
		start = p.ends[i-1]
	}
	return p.docs[start:p.ends[i]], p.tfs[start:p.ends[i]]
}

// Close unmaps the file.
func (p *postings) Close() error {
	return errors.Join(p.mapped.Unmap(), p.file.Close())
}

// write puts the index into a file, synced.
func (p *postings) write(path string) error {
	f, err := files.Create(path)
	if err != nil {
		return fmt.Errorf("write the postings: %w", err)
	}

	w := &postingsWriter{w: bufio.NewWriterSize(f, 1<<20), sum: crc32.New(castagnoli)}
	w.bytes([]byte(postingsMagic))
	w.bytes(raw([]uint64{
		uint64(len(p.idEnds)), uint64(len(p.termEnds)), uint64(len(p.docs)),
		p.tokens, uint64(len(p.ids)), uint64(len(p.terms)),
	}))

	for _, part := range [][]byte{
		raw(p.idEnds), p.ids, raw(p.lengths),
		raw(p.termEnds), p.terms, raw(p.ends),
		raw(p.docs), raw(p.tfs),
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
		return fmt.Errorf("write the postings: %w", err)
	}
	return nil
}

// openPostings maps a file and checks it whole against its checksum.
func openPostings(path string) (*postings, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil || info.Size() < int64(len(postingsMagic)+8) {
		f.Close()
		return nil, errors.Join(err, errDamaged)
	}

	m, err := mmap.Map(f, mmap.RDONLY, 0)
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("map the postings: %w", err)
	}

	p := &postings{file: f, mapped: m}
	if err := p.parse(m); err != nil {
		p.Close()
		return nil, err
	}
	return p, nil
}

func (p *postings) parse(m []byte) error {
	body, end := m[:len(m)-8], m[len(m)-8:]
	if string(body[:len(postingsMagic)]) != postingsMagic ||
		crc32.Checksum(body, castagnoli) != binary.LittleEndian.Uint32(end) {
		return errDamaged
	}

	r := reader{b: body[len(postingsMagic):]}
	head := take[uint64](&r, 6)
	if r.err != nil {
		return errDamaged
	}

	docs, terms, n := head[0], head[1], head[2]
	p.tokens = head[3]
	p.idEnds = take[uint64](&r, docs)
	p.ids = r.bytes(head[4])
	p.lengths = take[uint32](&r, docs)
	p.termEnds = take[uint64](&r, terms)
	p.terms = r.bytes(head[5])
	p.ends = take[uint64](&r, terms)
	p.docs = take[uint32](&r, n)
	p.tfs = take[uint32](&r, n)
	if r.err != nil || len(r.b) != 0 {
		return errDamaged
	}
	return nil
}
