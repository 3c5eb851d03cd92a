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
	"sync"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/analysis"
	_ "github.com/blevesearch/bleve/v2/analysis/analyzer/standard" // analyser by name
	_ "github.com/blevesearch/bleve/v2/analysis/lang/en"           // analyser by name
	"github.com/blevesearch/bleve/v2/index/scorch"
	"github.com/blevesearch/bleve/v2/mapping"
	"github.com/blevesearch/bleve/v2/registry"
	blevestore "github.com/blevesearch/bleve_index_api"
)

// formatVersion is part of every index folder's name. Raise it when the mapping,
// the analysis or the layout changes. 1: first version.
const formatVersion = 1

// Analyzers that BM25 takes by name, from Bleve: "en" lower-cases, drops
// possessives and 174 stop words, and stems by Porter; "standard" does the same
// without possessives and stemming.
var Analyzers = []string{"en", "standard"}

const (
	field       = "text"
	completeKey = "lore-complete"
	batchSize   = 1000
	lockWait    = "2s"
)

// OpenBM25 indexes docs under dir with Bleve, or opens what an earlier run
// indexed there, and scores from its postings. Bleve analyses the text and keeps
// the index on disk; its own scoring is not used because it is not BM25.
//
// The folder's name holds the hash of documents and analyser, so an index is
// never used for other documents. It is written aside and renamed when complete.
func OpenBM25(ctx context.Context, dir string, docs []Document, analyzer string, params BM25Params) (*BM25, error) {
	if params.K1 < 0 || params.B < 0 || params.B > 1 {
		return nil, fmt.Errorf("BM25 needs k1 >= 0 and b in [0,1], got k1=%g b=%g", params.K1, params.B)
	}
	analyze, err := analyzerByName(analyzer)
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, fmt.Sprintf("bm25-v%d-%s", formatVersion, corpusHash(docs, analyzer)[:32]))
	p, err := loadPostings(ctx, path)
	if err != nil {
		if err := os.RemoveAll(path); err != nil {
			return nil, fmt.Errorf("remove an unusable index: %w", err)
		}
		if err := build(ctx, path, docs, analyzer); err != nil {
			return nil, err
		}
		if p, err = loadPostings(ctx, path); err != nil {
			return nil, err
		}
	}
	p.analyze = analyze
	return &BM25{p, params}, nil
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

var analyzerCache = struct {
	sync.Mutex
	*registry.Cache
}{Cache: registry.NewCache()}

func analyzerByName(name string) (func(string) []string, error) {
	analyzerCache.Lock()
	defer analyzerCache.Unlock()
	a, err := analyzerCache.AnalyzerNamed(name)
	if err != nil {
		return nil, fmt.Errorf("unknown analyser %q; there are %v", name, Analyzers)
	}
	return func(text string) []string { return terms(a, text) }, nil
}

func terms(a analysis.Analyzer, text string) []string {
	tokens := a.Analyze([]byte(text))
	out := make([]string, len(tokens))
	for i, t := range tokens {
		out[i] = string(t.Term)
	}
	return out
}

func build(ctx context.Context, path string, docs []Document, analyzer string) (err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return fmt.Errorf("create the index folder: %w", err)
	}
	aside, err := os.MkdirTemp(filepath.Dir(path), ".building-*")
	if err != nil {
		return fmt.Errorf("create the index folder: %w", err)
	}
	defer os.RemoveAll(aside)
	inner := filepath.Join(aside, "bleve")
	idx, err := bleve.NewUsing(inner, indexMapping(analyzer), scorch.Name, scorch.Name, map[string]any{"bolt_timeout": lockWait})
	if err != nil {
		return fmt.Errorf("create an index in %s: %w", aside, err)
	}
	err = fill(ctx, idx, docs)
	if closeErr := idx.Close(); err == nil && closeErr != nil {
		err = closeErr
	}
	if err != nil {
		return fmt.Errorf("index %d documents in %s: %w", len(docs), aside, err)
	}
	if err := os.Rename(inner, path); err != nil {
		if _, statErr := os.Stat(path); statErr == nil {
			return nil // another process finished the same index first
		}
		return fmt.Errorf("put the finished index in place: %w", err)
	}
	return nil
}

func fill(ctx context.Context, idx bleve.Index, docs []Document) error {
	seen := make(map[string]bool, len(docs))
	batch := idx.NewBatch()
	for _, d := range docs {
		if seen[d.ID] {
			return fmt.Errorf("document id %q occurs twice", d.ID)
		}
		seen[d.ID] = true
		if err := batch.Index(d.ID, map[string]any{field: d.Text}); err != nil {
			return fmt.Errorf("document %s: %w", d.ID, err)
		}
		if batch.Size() < batchSize {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := idx.Batch(batch); err != nil {
			return err
		}
		batch.Reset()
	}
	if err := idx.Batch(batch); err != nil {
		return err
	}
	return idx.SetInternal([]byte(completeKey), []byte("yes"))
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

// loadPostings reads a complete index into memory.
func loadPostings(ctx context.Context, path string) (*postings, error) {
	idx, err := bleve.OpenUsing(path, map[string]any{"bolt_timeout": lockWait, "read_only": true})
	if err != nil {
		return nil, fmt.Errorf("open the index %s: %w", path, err)
	}
	defer idx.Close()
	if mark, err := idx.GetInternal([]byte(completeKey)); err != nil || string(mark) != "yes" {
		return nil, fmt.Errorf("the index %s is not complete", path)
	}
	advanced, err := idx.Advanced()
	if err != nil {
		return nil, fmt.Errorf("open the index %s: %w", path, err)
	}
	reader, err := advanced.Reader()
	if err != nil {
		return nil, fmt.Errorf("read the index %s: %w", path, err)
	}
	p, err := readPostings(ctx, reader)
	return p, errors.Join(err, reader.Close())
}

func readPostings(ctx context.Context, reader blevestore.IndexReader) (*postings, error) {
	p := &postings{lists: map[string][]entry{}}
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
		e, err := dict.Next()
		if err != nil {
			return nil, fmt.Errorf("read the index dictionary: %w", err)
		}
		if e == nil {
			break
		}
		if err := readTerm(ctx, reader, p, number, e.Term); err != nil {
			return nil, fmt.Errorf("read the postings of %q: %w", e.Term, err)
		}
	}
	total := 0
	for _, n := range p.lengths {
		total += n
	}
	if len(p.ids) > 0 {
		p.mean = float64(total) / float64(len(p.ids))
	}
	return p, nil
}

func numberDocuments(reader blevestore.IndexReader, p *postings) (map[string]uint32, error) {
	ids, err := reader.DocIDReaderAll()
	if err != nil {
		return nil, fmt.Errorf("read the index's documents: %w", err)
	}
	defer ids.Close()
	number := map[string]uint32{}
	for {
		id, err := ids.Next()
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
		number[string(id)] = uint32(len(p.ids))
		p.ids = append(p.ids, name)
	}
	p.lengths = make([]int, len(p.ids))
	return number, nil
}

func readTerm(ctx context.Context, reader blevestore.IndexReader, p *postings, number map[string]uint32, term string) error {
	list, err := reader.TermFieldReader(ctx, []byte(term), field, true, false, false)
	if err != nil {
		return err
	}
	defer list.Close()
	var doc blevestore.TermFieldDoc
	for {
		d, err := list.Next(&doc)
		if errors.Is(err, io.EOF) || (err == nil && d == nil) {
			return nil
		}
		if err != nil {
			return err
		}
		n, ok := number[string(d.ID)]
		if !ok {
			return fmt.Errorf("a posting names an unknown document")
		}
		p.lists[term] = append(p.lists[term], entry{n, uint32(d.Freq)})
		p.lengths[n] += int(d.Freq)
		doc = *doc.Reset()
	}
}
