package embed

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"os"
	"path/filepath"
	"sync"

	"lore/local/files"
)

// sparseMagic begins a cache of sparse vectors; raise the number when the layout changes.
const sparseMagic = "loresparse1\n"

// mostTerms is how many terms a record may have.
const mostTerms = 1 << 24

// SparseCache keeps sparse vectors on disk, one file per model and settings. After the magic and the SHA-256 of the settings comes a
// record per text: the SHA-256 of role and text, tokens, windows with a cut mark, the number of terms, the terms, their
// weights, and a checksum. Records are only added and each batch is synced: a half-written or damaged end is cut off and
// made again. Processes that find all their vectors there share the file; one of them may add to it.
type SparseCache struct {
	inner  SparseEncoder
	path   string
	lock   *writing
	mu     sync.Mutex
	file   *os.File
	places map[[32]byte]int64 // of a text's record
	end    int64
	report map[Role]*Report
	warn   func(string)
	step   func(done, all int)
}

// OpenSparseCache puts a cache in dir before an encoder. Close closes both.
func OpenSparseCache(dir string, inner SparseEncoder, warn func(string)) (*SparseCache, error) {
	if err := files.MkdirAll(dir); err != nil {
		return nil, fmt.Errorf("make the folder for vectors: %w", err)
	}
	path := filepath.Join(dir, "sparse-vectors-"+inner.Settings().Hash()[:32]+".bin")
	c := &SparseCache{inner: inner, path: path, lock: newWriting(path), places: map[[32]byte]int64{}, warn: warn,
		report: map[Role]*Report{Query: {}, Passage: {}}}

	alone, err := c.lock.try()
	if err != nil {
		return nil, err
	}
	if c.file, err = files.Update(path); err != nil {
		return nil, errors.Join(fmt.Errorf("open the vectors: %w", err), c.lock.leave())
	}
	if err := c.load(alone); err != nil {
		return nil, errors.Join(err, c.file.Close(), c.lock.leave())
	}
	if alone {
		err = c.lock.leave()
	}
	return c, err
}

// OnProgress has step called while texts are encoded.
func (c *SparseCache) OnProgress(step func(done, all int)) { c.step = step }

// Report counts the texts of a role that were asked for so far.
func (c *SparseCache) Report(role Role) Report {
	c.mu.Lock()
	defer c.mu.Unlock()
	return *c.report[role]
}

// Settings are those of the encoder behind.
func (c *SparseCache) Settings() Settings { return c.inner.Settings() }

// Term is a token of the encoder's vocabulary.
func (c *SparseCache) Term(id uint32) string { return c.inner.Term(id) }

// Close closes the file and the encoder.
func (c *SparseCache) Close() error {
	return errors.Join(c.file.Close(), c.lock.leave(), c.inner.Close())
}

func (c *SparseCache) header() []byte {
	s, err := json.Marshal(c.inner.Settings().Hash())
	if err != nil {
		panic(err) // a plain string
	}
	sum := sha256.Sum256(s)
	return append([]byte(sparseMagic), sum[:]...)
}

// load reads where the records are. What is no cache is emptied, unless another process may be writing it.
func (c *SparseCache) load(alone bool) error {
	want := c.header()
	head := make([]byte, len(want))
	n, err := c.file.ReadAt(head, 0)
	if err == nil && string(head) == string(want) {
		c.end = int64(len(want))
		return c.scan(alone)
	}
	if !alone {
		return nil
	}
	if n > 0 {
		c.warn(fmt.Sprintf("the vectors in %s cannot be read (%v) and are made again", c.path, errSparseCache))
	}
	if err := c.file.Truncate(0); err != nil {
		return fmt.Errorf("empty %s: %w", c.path, err)
	}
	if _, err := c.file.WriteAt(want, 0); err != nil {
		return fmt.Errorf("write the vectors: %w", err)
	}
	c.end = int64(len(want))
	return nil
}

// scan reads where the records from the known end on are. What follows a damaged one is cut off, unless another
// process may be writing it.
func (c *SparseCache) scan(alone bool) error {
	info, err := c.file.Stat()
	if err != nil {
		return fmt.Errorf("read %s: %w", c.path, err)
	}
	br := bufio.NewReaderSize(io.NewSectionReader(c.file, c.end, math.MaxInt64-c.end), 1<<20)
	for {
		key, _, size, err := readSparse(br)
		if err != nil {
			break
		}
		c.places[key] = c.end
		c.end += size
	}
	if lost := info.Size() - c.end; lost > 0 && alone {
		c.warn(fmt.Sprintf("the last %d bytes of %s are damaged, and their vectors are made again", lost, c.path))
		if err := c.file.Truncate(c.end); err != nil {
			return fmt.Errorf("repair %s: %w", c.path, err)
		}
	}
	return nil
}

// begin takes the right to add to the file, and reads what others have added since it was opened.
func (c *SparseCache) begin(ctx context.Context) error {
	if err := c.lock.take(ctx); err != nil {
		return err
	}
	info, err := c.file.Stat()
	switch {
	case err != nil:
		return fmt.Errorf("read %s: %w", c.path, err)
	case c.end == 0 || info.Size() < c.end:
		c.places = map[[32]byte]int64{}
		return c.load(true)
	}
	return c.scan(true)
}

// readSparse reads the next record and checks it.
func readSparse(r io.Reader) (key [32]byte, e Embedding, size int64, err error) {
	head := make([]byte, 32+12)
	if _, err := io.ReadFull(r, head); err != nil {
		return key, e, 0, err
	}
	n := int(binary.LittleEndian.Uint32(head[40:]))
	if n > mostTerms {
		return key, e, 0, errSparseCache
	}
	body := make([]byte, 8*n+4)
	if _, err := io.ReadFull(r, body); err != nil {
		return key, e, 0, err
	}
	sum := crc32.Update(crc32.Checksum(head, castagnoli), castagnoli, body[:8*n])
	if sum != binary.LittleEndian.Uint32(body[8*n:]) {
		return key, e, 0, errSparseCache
	}

	mark := binary.LittleEndian.Uint32(head[36:])
	e = Embedding{
		Tokens:  int(binary.LittleEndian.Uint32(head[32:])),
		Windows: int(mark >> 1),
		Cut:     mark&1 == 1,
		Terms:   make([]uint32, n),
		Vector:  make([]float32, n),
	}
	for i := range n {
		e.Terms[i] = binary.LittleEndian.Uint32(body[4*i:])
		e.Vector[i] = math.Float32frombits(binary.LittleEndian.Uint32(body[4*(n+i):]))
	}
	return [32]byte(head[:32]), e, int64(len(head) + len(body)), nil
}

func appendSparse(buf []byte, key [32]byte, e Embedding) []byte {
	from := len(buf)
	buf = append(buf, key[:]...)
	mark := uint32(e.Windows) << 1
	if e.Cut {
		mark |= 1
	}
	for _, n := range []uint32{uint32(e.Tokens), mark, uint32(len(e.Terms))} {
		buf = binary.LittleEndian.AppendUint32(buf, n)
	}
	for _, t := range e.Terms {
		buf = binary.LittleEndian.AppendUint32(buf, t)
	}
	for _, x := range e.Vector {
		buf = binary.LittleEndian.AppendUint32(buf, math.Float32bits(x))
	}
	return binary.LittleEndian.AppendUint32(buf, crc32.Checksum(buf[from:], castagnoli))
}

// Embed takes vectors from disk and has the rest encoded, a batch at a time.
func (c *SparseCache) Embed(ctx context.Context, role Role, texts []string) ([]Embedding, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.embed(ctx, role, texts)
}

func (c *SparseCache) embed(ctx context.Context, role Role, texts []string) ([]Embedding, error) {
	cached := 0
	out := make([]Embedding, len(texts))
	keys := make([][32]byte, len(texts))
	missing := map[[32]byte][]int{}
	var order []int
	for i, t := range texts {
		keys[i] = textKey(role, t)
		if e, ok := c.read(keys[i]); ok {
			out[i] = e
			cached++
			continue
		}
		if len(missing[keys[i]]) == 0 { // a text that comes twice is encoded once
			order = append(order, i)
		}
		missing[keys[i]] = append(missing[keys[i]], i)
	}

	if t := trialOf(ctx); t != nil && len(order) > 0 {
		return out, t.fill(ctx, c.inner, role, texts, order, keys, missing, out)
	}
	if len(order) > 0 && !c.lock.held {
		if err := c.begin(ctx); err != nil {
			return nil, err
		}
		return c.embed(ctx, role, texts) // another process may have added them
	}
	for start := 0; start < len(order); start += cacheBatch {
		places := order[start:min(start+cacheBatch, len(order))]
		batch := make([]string, len(places))
		for k, i := range places {
			batch[k] = texts[i]
		}
		got, err := c.inner.Embed(ctx, role, batch)
		if err != nil {
			return nil, err
		}
		if err := c.write(keys, places, got); err != nil {
			return nil, err
		}
		for k, i := range places {
			for _, same := range missing[keys[i]] {
				out[same] = got[k]
			}
		}
		if c.step != nil {
			c.step(len(texts)-len(order)+start+len(places), len(texts))
		}
	}
	c.report[role].Add(out)
	c.report[role].Cached += cached
	return out, nil
}

func (c *SparseCache) read(key [32]byte) (Embedding, bool) {
	at, ok := c.places[key]
	if !ok {
		return Embedding{}, false
	}
	got, e, _, err := readSparse(io.NewSectionReader(c.file, at, c.end-at))
	return e, err == nil && got == key
}

// write adds the records of a batch and syncs them.
func (c *SparseCache) write(keys [][32]byte, places []int, batch []Embedding) error {
	var buf []byte
	added := map[[32]byte]int64{}
	for k, e := range batch {
		key := keys[places[k]]
		added[key] = c.end + int64(len(buf))
		buf = appendSparse(buf, key, e)
	}
	if _, err := c.file.WriteAt(buf, c.end); err != nil {
		return fmt.Errorf("write the vectors: %w", err)
	}
	if err := c.file.Sync(); err != nil {
		return fmt.Errorf("write the vectors: %w", err)
	}
	c.end += int64(len(buf))
	for k, at := range added {
		c.places[k] = at
	}
	return nil
}
