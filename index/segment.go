package index

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sort"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/klauspost/compress/zstd"
)

// segmentMagic begins a file of documents; its last byte is the version. 1: first version.
const segmentMagic = "LOREDOC\x01"

// blockBytes is how much text is compressed at a time, whole documents: what reading one of them costs.
const blockBytes = 1 << 16

// hashSize is how many bytes of a document's SHA-256 are kept.
const hashSize = 16

// segment is documents on disk that never change, in the order of their ids. Its parts are: ends of the ids, the ids;
// hashes of id and text; ends of the texts in all text; the first document of each block; ends of the blocks; the
// blocks, texts one after the other, each block compressed by zstd.
type segment struct {
	file      *parts
	idEnds    []uint64 // checked at opening, as ids are
	ids       []byte
	hashes    array[byte]
	textEnds  array[uint64]
	firsts    array[uint32]
	blockEnds array[uint64]
	blocks    array[byte]
	last      atomic.Pointer[textBlock]
}

// The parts of a file of documents.
const (
	partIDEnds = iota
	partIDs
	partHashes
	partTextEnds
	partFirsts
	partBlockEnds
	partBlocks
	segmentParts
)

// textBlock is a block unpacked.
type textBlock struct {
	number int
	text   []byte
}

func openSegment(path string) (*segment, error) {
	f, err := openParts(path, segmentMagic, segmentParts)
	if err != nil {
		return nil, err
	}
	s := &segment{file: f}
	if err := s.parse(); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return s, nil
}

func (s *segment) parse() error {
	idEnds, err := arrayOf[uint64](s.file, partIDEnds, -1)
	if err != nil {
		return err
	}
	ids, err := arrayOf[byte](s.file, partIDs, -1)
	if err != nil {
		return err
	}
	var errs [7]error
	s.idEnds, errs[0] = idEnds.whole()
	s.ids, errs[1] = ids.whole()
	s.hashes, errs[2] = arrayOf[byte](s.file, partHashes, len(s.idEnds)*hashSize)
	s.textEnds, errs[3] = arrayOf[uint64](s.file, partTextEnds, len(s.idEnds))
	s.firsts, errs[4] = arrayOf[uint32](s.file, partFirsts, -1)
	s.blockEnds, errs[5] = arrayOf[uint64](s.file, partBlockEnds, s.firsts.len())
	s.blocks, errs[6] = arrayOf[byte](s.file, partBlocks, -1)
	return errors.Join(errs[:]...)
}

func (s *segment) len() int { return len(s.idEnds) }

func (s *segment) id(doc int) string { return string(slice(s.ids, s.idEnds, doc)) }

// find is the number of the document with an id.
func (s *segment) find(id string) (int, bool) {
	return sort.Find(s.len(), func(i int) int { return cmp.Compare(id, string(slice(s.ids, s.idEnds, i))) })
}

// hash of document doc's id and text.
func (s *segment) hash(doc int) ([]byte, error) {
	return s.hashes.cut(uint64(doc)*hashSize, uint64(doc+1)*hashSize)
}

// textBytes is the length of all texts.
func (s *segment) textBytes() uint64 {
	if s.len() == 0 {
		return 0
	}
	n, err := s.textEnds.at(s.len() - 1)
	if err != nil {
		return 0 // whoever reads a text finds out
	}
	return n
}

// text of document doc. The block it is in is kept for the next one.
func (s *segment) text(doc int) (string, error) {
	r := textReader{segment: s, last: s.last.Load()}
	text, err := r.text(doc)
	if r.last != nil {
		s.last.Store(r.last)
	}
	return text, err
}

// textReader reads texts one after the other, each block once.
type textReader struct {
	segment *segment
	last    *textBlock
}

func (r *textReader) text(doc int) (string, error) {
	s := r.segment
	firsts, err := s.firsts.whole()
	if err != nil {
		return "", err
	}
	number := sort.Search(len(firsts), func(i int) bool { return int(firsts[i]) > doc }) - 1
	if number < 0 {
		return "", &DamagedError{s.file.path, "a document is in no block"}
	}
	start, _, err := bounds(s.textEnds, int(firsts[number]))
	if err != nil {
		return "", err
	}
	from, to, err := bounds(s.textEnds, doc)
	if err != nil {
		return "", err
	}

	if r.last == nil || r.last.number != number {
		if r.last, err = s.unpack(number); err != nil {
			return "", err
		}
	}
	if from < start || to < from || to-start > uint64(len(r.last.text)) {
		return "", &DamagedError{s.file.path, "a text lies outside of its block"}
	}
	return string(r.last.text[from-start : to-start]), nil
}

// unpacker is shared: its DecodeAll is safe for concurrent use.
var unpacker = sync.OnceValues(func() (*zstd.Decoder, error) {
	return zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderMaxMemory(1<<32))
})

func (s *segment) unpack(number int) (*textBlock, error) {
	packed, err := piece(s.blocks, s.blockEnds, number)
	if err != nil {
		return nil, err
	}
	z, err := unpacker()
	if err != nil {
		return nil, fmt.Errorf("unpack texts: %w", err)
	}
	text, err := z.DecodeAll(packed, nil)
	if err != nil {
		return nil, &DamagedError{s.file.path, "a block of texts cannot be unpacked: " + err.Error()}
	}
	return &textBlock{number, text}, nil
}

// Close unmaps the file.
func (s *segment) Close() error { return s.file.Close() }

// documentHash is that of id and text.
func documentHash(d Document) [hashSize]byte {
	h := sha256.New()
	fmt.Fprintf(h, "%d:%s", len(d.ID), d.ID)
	_, _ = h.Write([]byte(d.Text)) // a hash takes all
	return [hashSize]byte(h.Sum(nil)[:hashSize])
}

// writeSegment writes documents, which are in the order of their ids.
func writeSegment(path string, docs []Document, hashes [][hashSize]byte) error {
	w, err := createParts(path, segmentMagic)
	if err != nil {
		return err
	}
	defer w.abandon()

	idEnds, textEnds := make([]uint64, len(docs)), make([]uint64, len(docs))
	var ids []byte
	text := uint64(0)
	for i, d := range docs {
		ids = append(ids, d.ID...)
		text += uint64(len(d.Text))
		idEnds[i], textEnds[i] = uint64(len(ids)), text
	}
	w.part(raw(idEnds))
	w.part(ids)
	w.begin()
	for i := range hashes {
		w.add(hashes[i][:])
	}
	w.part(raw(textEnds))

	firsts := blocksOf(docs)
	packed, err := pack(docs, firsts)
	if err != nil {
		return err
	}
	blockEnds := make([]uint64, len(packed))
	at := uint64(0)
	for i, b := range packed {
		at += uint64(len(b))
		blockEnds[i] = at
	}
	w.part(raw(firsts))
	w.part(raw(blockEnds))
	w.begin()
	for _, b := range packed {
		w.add(b)
	}
	return w.finish()
}

// blocksOf names the first document of each block.
func blocksOf(docs []Document) []uint32 {
	var firsts []uint32
	room := 0
	for i, d := range docs {
		if len(firsts) == 0 || len(d.Text) > room {
			firsts = append(firsts, uint32(i))
			room = blockBytes
		}
		room = max(0, room-len(d.Text))
	}
	return firsts
}

// pack compresses the blocks on all processors.
func pack(docs []Document, firsts []uint32) ([][]byte, error) {
	z, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(runtime.GOMAXPROCS(0)))
	if err != nil {
		return nil, fmt.Errorf("pack texts: %w", err)
	}
	defer z.Close()

	out := make([][]byte, len(firsts))
	var next atomic.Int64
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			var block []byte
			for {
				i := int(next.Add(1)) - 1
				if i >= len(firsts) {
					return
				}
				end := len(docs)
				if i+1 < len(firsts) {
					end = int(firsts[i+1])
				}
				block = block[:0]
				for _, d := range docs[firsts[i]:end] {
					block = append(block, d.Text...)
				}
				out[i] = slices.Clone(z.EncodeAll(block, nil))
			}
		})
	}
	wg.Wait()
	return out, nil
}

// sameHash reports whether a segment's document is that one still.
func (s *segment) sameHash(doc int, hash [hashSize]byte) (bool, error) {
	have, err := s.hash(doc)
	return bytes.Equal(have, hash[:]), err
}

// magicFree keeps names of files to letters that every file system takes.
func magicFree(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', strings.ContainsRune("-_.", r):
			return r
		}
		return '_'
	}, name)
}
