package index

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sort"
	"sync"
	"sync/atomic"

	"lore/local/files"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/index/scorch"
	"github.com/blevesearch/bleve/v2/mapping"
	blevestore "github.com/blevesearch/bleve_index_api"
	"github.com/gofrs/flock"
)

// formatVersion is part of every index folder's name. Raise it when the mapping,
// the analysis or the layout changes. 1: first version. 2: postings as arrays beside
// Bleve's index.
const formatVersion = 2

const (
	field        = "text"
	completeKey  = "lore-complete"
	batchSize    = 10_000
	lockWait     = "2s"
	bleveFolder  = "bleve"
	postingsFile = "postings.bin"
)

// ErrIndexBusy says that another process is building the same index.
var ErrIndexBusy = errors.New("another process is building this index")

// OpenBM25 indexes docs under dir with Bleve, or opens what an earlier run indexed
// there. Bleve analyses the text and keeps the index on disk; its own scoring is not
// used because it is not BM25. When Bleve's index is complete its postings are
// written beside it as plain arrays with a checksum, and those are searched. A
// damaged array file is made again from Bleve's index.
//
// The folder's name holds the hash of documents and analyser, so an index is never
// used for other documents. It is written aside and renamed when complete; a second
// process that wants to build the same index gets ErrIndexBusy at once.
func OpenBM25(ctx context.Context, dir string, corpus Corpus, analyzer string, params BM25Params) (*BM25, error) {
	docs, err := All(corpus)
	if err != nil {
		return nil, err
	}
	return openBM25(ctx, dir, docs, analyzer, params, batchSize)
}

func openBM25(
	ctx context.Context, dir string, docs []Document, analyzer string, params BM25Params, batch int,
) (*BM25, error) {
	if err := params.Check(); err != nil {
		return nil, err
	}
	analyze, err := Analyzer(analyzer)
	if err != nil {
		return nil, err
	}

	name := fmt.Sprintf("bm25-v%d-%s-%s", formatVersion, analyzer, corpusHash(docs, analyzer)[:32])
	path := filepath.Join(dir, name)
	p, err := openPostings(filepath.Join(path, postingsFile))
	if err != nil { // missing or damaged: it can always be made again
		if p, err = rebuild(ctx, path, docs, analyzer, batch); err != nil {
			return nil, err
		}
	}

	p.analyze = analyze
	return newBM25(p, params), nil
}

// corpusHash identifies documents and analysis, whatever the documents' order.
func corpusHash(docs []Document, analyzer string) string {
	h := sha256.New()
	var sum [sha256.Size]byte
	for _, d := range docs { // exclusive or of hashes does not depend on the order
		one := sha256.New()
		fmt.Fprintf(one, "%d:%s%d:%s", len(d.ID), d.ID, len(d.Text), d.Text)
		for i, b := range one.Sum(nil) {
			sum[i] ^= b
		}
	}

	fmt.Fprintf(h, "%s %d %x", analyzer, len(docs), sum)
	return hex.EncodeToString(h.Sum(nil))
}

// rebuild makes what is missing, under a lock: the postings from a complete Bleve
// index, or all of it.
func rebuild(ctx context.Context, path string, docs []Document, analyzer string, batch int) (*postings, error) {
	if err := files.MkdirAll(filepath.Dir(path)); err != nil {
		return nil, fmt.Errorf("create the index folder: %w; --index-dir names another", err)
	}

	lock := flock.New(path + ".lock")
	got, err := lock.TryLock()
	if err != nil {
		return nil, fmt.Errorf("lock the index %s: %w", path, err)
	}
	if !got {
		return nil, fmt.Errorf("%s: %w; wait for it and try again", path, ErrIndexBusy)
	}
	defer lock.Unlock()

	if p, err := openPostings(filepath.Join(path, postingsFile)); err == nil {
		return p, nil // finished by another process in the meantime
	}

	// What cannot be read need not be kept: it came from the documents.
	if err := extract(ctx, path); err != nil {
		if err := os.RemoveAll(path); err != nil {
			return nil, fmt.Errorf("remove an unusable index: %w", err)
		}
		if err := build(ctx, path, docs, analyzer, batch); err != nil {
			return nil, err
		}
	}

	return openPostings(filepath.Join(path, postingsFile))
}

func build(ctx context.Context, path string, docs []Document, analyzer string, batch int) error {
	aside := path + ".building"
	if err := os.RemoveAll(aside); err != nil {
		return fmt.Errorf("remove an unfinished index: %w", err)
	}
	defer os.RemoveAll(aside)
	if err := files.MkdirAll(aside); err != nil {
		return fmt.Errorf("create the index folder: %w; --index-dir names another", err)
	}

	idx, err := bleve.NewUsing(filepath.Join(aside, bleveFolder), indexMapping(bleveName(analyzer)),
		scorch.Name, scorch.Name, map[string]any{"bolt_timeout": lockWait})
	if err != nil {
		return fmt.Errorf("create an index in %s: %w", aside, err)
	}

	err = fill(ctx, idx, docs, batch)
	if closeErr := idx.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = extract(ctx, aside)
	}
	if err == nil {
		err = files.Restrict(aside)
	}
	if err != nil {
		return fmt.Errorf("index %d documents in %s: %w", len(docs), aside, err)
	}

	if err := os.Rename(aside, path); err != nil {
		return fmt.Errorf("put the finished index in place: %w", err)
	}
	return nil
}

// fillers is how many batches are indexed at a time: one is analysed while the
// other is written.
const fillers = 2

func fill(ctx context.Context, idx bleve.Index, docs []Document, size int) error {
	seen := make(map[string]bool, len(docs))
	for _, d := range docs {
		if seen[d.ID] {
			return fmt.Errorf("document id %q occurs twice", d.ID)
		}
		seen[d.ID] = true
	}

	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var next atomic.Int64
	var wg sync.WaitGroup

	for range fillers {
		wg.Go(func() {
			batch := idx.NewBatch()
			for ctx.Err() == nil {
				start := int(next.Add(int64(size))) - size
				if start >= len(docs) {
					return
				}
				if err := indexBatch(idx, batch, docs[start:min(start+size, len(docs))]); err != nil {
					stop(err)
				}
			}
		})
	}

	wg.Wait()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return idx.SetInternal([]byte(completeKey), []byte("yes"))
}

func indexBatch(idx bleve.Index, batch *bleve.Batch, docs []Document) error {
	batch.Reset()
	for _, d := range docs {
		if err := batch.Index(d.ID, map[string]any{field: d.Text}); err != nil {
			return fmt.Errorf("document %s: %w", d.ID, err)
		}
	}
	return idx.Batch(batch)
}

func indexMapping(analyzer string) mapping.IndexMapping {
	m := bleve.NewIndexMapping()
	text := bleve.NewTextFieldMapping()
	text.Analyzer = analyzer
	text.Store, text.IncludeTermVectors, text.IncludeInAll, text.DocValues = false, false, false, false
	doc := bleve.NewDocumentStaticMapping()
	doc.AddFieldMappingsAt(field, text)
	m.DefaultMapping = doc
	m.DefaultAnalyzer = analyzer
	return m
}

// extract writes the postings of a complete Bleve index beside it.
func extract(ctx context.Context, path string) error {
	readOnly := map[string]any{"bolt_timeout": lockWait, "read_only": true}
	idx, err := bleve.OpenUsing(filepath.Join(path, bleveFolder), readOnly)
	if err != nil {
		return fmt.Errorf("open the index %s: %w", path, err)
	}
	defer idx.Close()

	// The mark is written last: an index without it was left half done.
	if mark, err := idx.GetInternal([]byte(completeKey)); err != nil || string(mark) != "yes" {
		return fmt.Errorf("the index %s is not complete", path)
	}

	advanced, err := idx.Advanced()
	if err != nil {
		return fmt.Errorf("open the index %s: %w", path, err)
	}
	reader, err := advanced.Reader()
	if err != nil {
		return fmt.Errorf("read the index %s: %w", path, err)
	}

	p, err := readPostings(ctx, reader)
	if err = errors.Join(err, reader.Close()); err != nil {
		return err
	}

	aside := filepath.Join(path, postingsFile+".writing")
	if err := p.write(aside); err != nil {
		return err
	}
	if err := os.Rename(aside, filepath.Join(path, postingsFile)); err != nil {
		return fmt.Errorf("put the postings in place: %w", err)
	}
	return nil
}

func readPostings(ctx context.Context, reader blevestore.IndexReader) (*postings, error) {
	p := &postings{}
	number, err := numberDocuments(reader, p)
	if err != nil {
		return nil, err
	}

	dict, err := reader.FieldDict(field)
	if err != nil {
		return nil, fmt.Errorf("read the index dictionary: %w", err)
	}
	defer dict.Close()

	for {
		terms, err := nextTerms(dict)
		if err != nil {
			return nil, fmt.Errorf("read the index dictionary: %w", err)
		}
		if len(terms) == 0 {
			return p, nil
		}

		lists, err := readTerms(ctx, reader, number, terms)
		if err != nil {
			return nil, err
		}
		for i, list := range lists {
			p.append(terms[i], list)
		}
	}
}

// append adds a term's postings: document number above, frequency below.
func (p *postings) append(term string, list []uint64) {
	for _, x := range list {
		doc, tf := uint32(x>>32), uint32(x)
		p.docs, p.tfs = append(p.docs, doc), append(p.tfs, tf)
		p.lengths[doc] += tf
		p.tokens += uint64(tf)
	}
	p.terms = append(p.terms, term...)
	p.termEnds = append(p.termEnds, uint64(len(p.terms)))
	p.ends = append(p.ends, uint64(len(p.docs)))
}

// termRound is how many terms are read before their postings are put in order.
const termRound = 1024

func nextTerms(dict blevestore.FieldDict) ([]string, error) {
	var out []string
	for len(out) < termRound {
		e, err := dict.Next()
		if err != nil || e == nil {
			return out, err
		}
		out = append(out, e.Term)
	}
	return out, nil
}

// readTerms reads the postings of terms on all processors.
func readTerms(
	ctx context.Context, reader blevestore.IndexReader, number map[string]uint32, terms []string,
) ([][]uint64, error) {
	out := make([][]uint64, len(terms))
	errs := make([]error, len(terms))
	var next atomic.Int64
	var wg sync.WaitGroup

	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= len(terms) {
					return
				}
				list, err := readTerm(ctx, reader, number, terms[i])
				if err != nil {
					errs[i] = fmt.Errorf("read the postings of %q: %w", terms[i], err)
				}
				slices.Sort(list)
				out[i] = list
			}
		})
	}
	wg.Wait()
	return out, errors.Join(errs...)
}

// numberDocuments numbers documents in the order of their ids and returns the
// number by Bleve's internal id.
func numberDocuments(reader blevestore.IndexReader, p *postings) (map[string]uint32, error) {
	all, err := reader.DocIDReaderAll()
	if err != nil {
		return nil, fmt.Errorf("read the index's documents: %w", err)
	}
	defer all.Close()
	type document struct{ internal, external string }
	var docs []document

	for {
		id, err := all.Next()
		if err != nil {
			return nil, fmt.Errorf("read the index's documents: %w", err)
		}
		if id == nil {
			break
		}
		name, err := reader.ExternalID(id)
		if err != nil {
			return nil, fmt.Errorf("read the index's documents: %w", err)
		}
		docs = append(docs, document{string(id), name})
	}

	sort.Slice(docs, func(i, j int) bool { return docs[i].external < docs[j].external })
	number := make(map[string]uint32, len(docs))
	for i, d := range docs {
		number[d.internal] = uint32(i)
		p.ids = append(p.ids, d.external...)
		p.idEnds = append(p.idEnds, uint64(len(p.ids)))
	}

	p.lengths = make([]uint32, len(docs))
	return number, nil
}

// readTerm reads a term's postings: document number above, frequency below.
func readTerm(
	ctx context.Context, reader blevestore.IndexReader, number map[string]uint32, term string,
) (list []uint64, err error) {
	r, err := reader.TermFieldReader(ctx, []byte(term), field, true, false, false)
	if err != nil {
		return nil, err
	}
	defer r.Close()

	var doc blevestore.TermFieldDoc
	for {
		d, err := r.Next(&doc)
		if errors.Is(err, io.EOF) || (err == nil && d == nil) {
			return list, nil
		}
		if err != nil {
			return nil, err
		}

		n, ok := number[string(d.ID)]
		if !ok {
			return nil, errors.New("a posting names an unknown document")
		}
		list = append(list, uint64(n)<<32|uint64(uint32(d.Freq)))
		doc = *doc.Reset()
	}
}
