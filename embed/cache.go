package embed

import (
	"bufio"
	"bytes"
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

// cacheBatch is how many texts are embedded and written at a time: what an
// interrupt can lose.
const cacheBatch = 64

// cacheMagic begins a cache file; raise the number when the layout changes.
const cacheMagic = "lorevec1"

// ErrCacheBusy says that another process embeds with the same model and settings.
var ErrCacheBusy = errors.New("another process is embedding with this model")

// Cache keeps vectors on disk, one file per model and settings. A record is the
// SHA-256 of role and text, tokens, windows, a cut mark, the vector, and a
// checksum. Records are only added, each batch is synced, and a half-written or
// damaged record is left out and embedded again. Processes that find all their vectors
// there share the file; one of them may add to it.
type Cache struct {
	inner  Embedder
	path   string
	lock   *writing
	mu     sync.Mutex
	file   *os.File
	dims   int
	places map[[32]byte]int64 // of a text's record
	end    int64
	report Report
	warn   func(string)
	step   func(done, all int)
}

// OpenCache puts a cache in dir before an embedder. Close closes both.
func OpenCache(dir string, inner Embedder, warn func(string)) (*Cache, error) {
	if err := files.MkdirAll(dir); err != nil {
		return nil, fmt.Errorf("make the folder for vectors: %w", err)
	}

	hash := inner.Settings().Hash()
	path := filepath.Join(dir, "vectors-"+hash[:32]+".bin")
	c := &Cache{
		inner:  inner,
		path:   path,
		lock:   newWriting(path),
		places: map[[32]byte]int64{},
		warn:   warn,
	}

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

// OnProgress has step called while texts are embedded.
func (c *Cache) OnProgress(step func(done, all int)) { c.step = step }

// Report counts all texts asked for so far.
func (c *Cache) Report() Report {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.report
}

// Settings are those of the embedder behind.
func (c *Cache) Settings() Settings { return c.inner.Settings() }

// Close closes the file and the embedder.
func (c *Cache) Close() error {
	return errors.Join(c.file.Close(), c.lock.leave(), c.inner.Close())
}

// header is the magic, the length of the settings' JSON, the JSON, and the number
// of dimensions.
func (c *Cache) header(dims int) ([]byte, error) {
	s, err := json.Marshal(c.inner.Settings())
	if err != nil {
		return nil, fmt.Errorf("encode the settings: %w", err)
	}

	b := binary.LittleEndian.AppendUint32([]byte(cacheMagic), uint32(len(s)))
	return binary.LittleEndian.AppendUint32(append(b, s...), uint32(dims)), nil
}

func recordSize(dims int) int64 { return 32 + 8 + int64(dims)*4 + 4 }

// load reads where the records are. A file that is not whole is used as far as it
// is good; what is no cache is emptied, unless another process may be writing it.
func (c *Cache) load(alone bool) error {
	if err := c.loadHead(); err != nil {
		c.dims, c.end = 0, 0
		if alone {
			return c.reset(err)
		}
		return nil
	}
	return c.scan(alone)
}

// loadHead reads the header.
func (c *Cache) loadHead() error {
	start := io.NewSectionReader(c.file, 0, math.MaxInt64)
	head := make([]byte, len(cacheMagic)+4)
	if _, err := io.ReadFull(start, head); err != nil {
		return err
	}

	size := binary.LittleEndian.Uint32(head[len(cacheMagic):])
	rest := make([]byte, min(int(size), 1<<20)+4)
	if _, err := io.ReadFull(start, rest); err != nil {
		return err
	}

	if string(head[:len(cacheMagic)]) != cacheMagic {
		return errors.New("it is not a cache of vectors")
	}
	c.dims = int(binary.LittleEndian.Uint32(rest[len(rest)-4:]))
	if c.dims <= 0 || c.dims > 1<<20 {
		return errors.New("its number of dimensions makes no sense")
	}
	c.end = int64(len(head) + len(rest))
	return nil
}

// scan reads where the records from the known end on are. Another process may be at the last one.
func (c *Cache) scan(alone bool) error {
	buf := make([]byte, recordSize(c.dims))
	bad := 0
	br := bufio.NewReaderSize(io.NewSectionReader(c.file, c.end, math.MaxInt64-c.end), 1<<20)
	for {
		if _, err := io.ReadFull(br, buf); err != nil {
			if !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
				return fmt.Errorf("read the vectors in %s: %w", c.path, err)
			}
			break // what is left is a half-written record; the next one overwrites it
		}

		if sumOK(buf) {
			c.places[[32]byte(buf[:32])] = c.end
		} else {
			bad++
		}
		c.end += int64(len(buf))
	}

	if bad > 0 && alone {
		c.warn(fmt.Sprintf("%d damaged vectors in %s are made again", bad, c.path))
	}
	return nil
}

// begin takes the right to add to the file, and reads what others have added since it was opened.
func (c *Cache) begin(ctx context.Context) error {
	if err := c.lock.take(ctx); err != nil {
		return err
	}
	info, err := c.file.Stat()
	switch {
	case err != nil:
		return fmt.Errorf("read %s: %w", c.path, err)
	case c.dims == 0 || info.Size() < c.end:
		c.places = map[[32]byte]int64{}
		return c.load(true)
	}
	return c.scan(true)
}

// reset empties a file that is new or not a cache.
func (c *Cache) reset(cause error) error {
	info, err := c.file.Stat()
	if err != nil {
		return fmt.Errorf("read %s: %w", c.path, err)
	}

	if info.Size() > 0 {
		c.warn(fmt.Sprintf("the vectors in %s cannot be read (%v) and are made again", c.path, cause))
	}

	c.dims, c.end = 0, 0
	if err := c.file.Truncate(0); err != nil {
		return fmt.Errorf("empty %s: %w", c.path, err)
	}
	return nil
}

func sumOK(record []byte) bool {
	n := len(record) - 4
	return crc32.Checksum(record[:n], castagnoli) == binary.LittleEndian.Uint32(record[n:])
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func textKey(role Role, text string) [32]byte {
	return sha256.Sum256([]byte(string(role) + "\x00" + text))
}

// again marks a context in which texts are asked for that were asked for before.
type again struct{}

// Again has Report leave texts out that were asked for before: the rows of vectors that are scored in full.
func Again(ctx context.Context) context.Context { return context.WithValue(ctx, again{}, true) }

// Embed takes vectors from disk and has the rest embedded, a batch at a time.
func (c *Cache) Embed(ctx context.Context, role Role, texts []string) ([]Embedding, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.embed(ctx, role, texts)
}

func (c *Cache) embed(ctx context.Context, role Role, texts []string) ([]Embedding, error) {
	counted, cached := ctx.Value(again{}) == nil, 0
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

		// A text that comes twice is embedded once.
		if len(missing[keys[i]]) == 0 {
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

	if counted {
		c.report.Add(out)
		c.report.Cached += cached
	}
	return out, nil
}

// appendRecord adds a record in the layout that Cache describes.
func appendRecord(buf []byte, key [32]byte, e Embedding) []byte {
	from := len(buf)
	buf = append(buf, key[:]...)
	buf = binary.LittleEndian.AppendUint32(buf, uint32(e.Tokens))

	mark := uint32(e.Windows) << 1
	if e.Cut {
		mark |= 1
	}
	buf = binary.LittleEndian.AppendUint32(buf, mark)

	for _, x := range e.Vector {
		buf = binary.LittleEndian.AppendUint32(buf, math.Float32bits(x))
	}
	return binary.LittleEndian.AppendUint32(buf, crc32.Checksum(buf[from:], castagnoli))
}

// read takes a record from disk and checks it again.
func (c *Cache) read(key [32]byte) (Embedding, bool) {
	at, ok := c.places[key]
	if !ok {
		return Embedding{}, false
	}

	buf := make([]byte, recordSize(c.dims))
	if _, err := c.file.ReadAt(buf, at); err != nil || !sumOK(buf) || !bytes.Equal(buf[:32], key[:]) {
		return Embedding{}, false
	}

	e := Embedding{
		Tokens:  int(binary.LittleEndian.Uint32(buf[32:])),
		Windows: int(binary.LittleEndian.Uint32(buf[36:]) >> 1),
		Cut:     buf[36]&1 == 1,
		Vector:  make([]float32, c.dims),
	}
	for k := range e.Vector {
		e.Vector[k] = math.Float32frombits(binary.LittleEndian.Uint32(buf[40+4*k:]))
	}
	const notBlank = "a"
	return e, new(checker).odd(notBlank, e.Vector) == "" // an earlier lore kept what came
}

// write adds the records of a batch and syncs them.
func (c *Cache) write(keys [][32]byte, places []int, batch []Embedding) error {
	start := c.end
	var buf []byte

	// The first batch of a new file brings the header with it: only now is the number of
	// dimensions known.
	if c.dims == 0 && len(batch) > 0 {
		c.dims = len(batch[0].Vector)
		head, err := c.header(c.dims)
		if err != nil {
			return err
		}
		buf = head
	}

	added := map[[32]byte]int64{}
	for k, e := range batch {
		if len(e.Vector) != c.dims {
			return &ModelError{
				Dir:    c.Settings().Name,
				Msg:    fmt.Sprintf("gives vectors of %d and of %d dimensions", c.dims, len(e.Vector)),
				Remedy: "remove " + c.path + " if the model has changed",
				Err:    ErrVectors,
			}
		}
		key := keys[places[k]]
		added[key] = start + int64(len(buf))
		buf = appendRecord(buf, key, e)
	}

	if _, err := c.file.WriteAt(buf, start); err != nil {
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
