package index

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"lore/local/files"

	"github.com/gofrs/flock"
)

// TermWeight is an entry of a sparse vector: a term of a vocabulary and its weight, which is zero or more.
type TermWeight struct {
	Term   string
	Weight float32
}

// SparseVectors gives documents their vectors.
type SparseVectors struct {
	// Key names what the vectors depend on besides the documents; equal keys give equal vectors.
	Key string
	// Each calls add once for every document of order. windowed and cut say what became of its text. An error of add is
	// returned as it is.
	Each func(ctx context.Context, docs Corpus, order []int, add func(v []TermWeight, windowed, cut bool) error) error
	// Queries are the vectors of queries, in their order; no term is there twice.
	Queries func(ctx context.Context, queries []Query) ([][]TermWeight, error)
	// Discard says that the index is not to be kept on disk: the vectors are stand-ins.
	Discard bool
}

// Sparse ranks by the inner product of sparse vectors. Products of two float32 are exact in float64, and the sum of a
// document runs in the byte order of the terms: scores are equal to the bit to those of a loop over all documents.
// Documents that share no term with the query are not ranked.
type Sparse struct {
	impacts *impacts
	queries func(ctx context.Context, queries []Query) ([][]TermWeight, error)
	pool    sync.Pool // *sums
}

// SparseReport counts what became of the documents' texts.
type SparseReport struct {
	Documents, Windowed, Cut int
}

// OpenSparse indexes the vectors of docs under dir, or opens what an earlier run indexed there. A file's name holds the
// hash of documents and vectors, so it is never used for others; it is written aside and renamed. A damaged file is made
// again. Building takes 16 bytes of memory a weight; the finished index is mapped.
func OpenSparse(ctx context.Context, dir string, docs Corpus, from SparseVectors) (*Sparse, error) {
	m, err := openOrBuild(ctx, dir, docs, from)
	if err != nil {
		return nil, err
	}
	s := &Sparse{impacts: m, queries: from.Queries}
	s.pool.New = func() any { return &sums{} }
	return s, nil
}

func openOrBuild(ctx context.Context, dir string, docs Corpus, from SparseVectors) (*impacts, error) {
	if from.Discard {
		return buildImpacts(ctx, docs, from)
	}
	hash, err := corpusHash(docs, from.Key)
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, "sparse-v1-"+hash[:32]+".arrays")
	if m, err := openImpacts(path); err == nil {
		return m, nil
	}
	if err := files.MkdirAll(dir); err != nil {
		return nil, fmt.Errorf("create the index folder: %w; --index-dir names another", err)
	}

	lock := flock.New(path + ".lock")
	if err := acquire(ctx, lock, path); err != nil {
		return nil, err
	}
	defer lock.Unlock()
	if m, err := openImpacts(path); err == nil {
		return m, nil // finished by another process in the meantime
	}

	m, err := buildImpacts(ctx, docs, from)
	if err != nil {
		return nil, err
	}
	if err := m.write(path + ".building"); err != nil {
		return nil, err
	}
	if err := os.Rename(path+".building", path); err != nil {
		return nil, fmt.Errorf("write the sparse index: %w", err)
	}
	return openImpacts(path)
}

func buildImpacts(ctx context.Context, docs Corpus, from SparseVectors) (*impacts, error) {
	order := byID(docs)
	ids := make([]string, len(order))
	for i, doc := range order {
		ids[i] = docs.ID(doc)
	}

	var staged staging
	var windowed, cut uint64
	err := from.Each(ctx, docs, order, func(v []TermWeight, inWindows, wasCut bool) error {
		if inWindows {
			windowed++
		}
		if wasCut {
			cut++
		}
		if len(staged.ends) == len(ids) {
			return errors.New("there are more vectors than documents")
		}
		if err := staged.add(v); err != nil {
			return fmt.Errorf("document %s: %w", ids[len(staged.ends)], err)
		}
		return nil
	})
	if err == nil && len(staged.ends) != len(ids) {
		err = fmt.Errorf("there are vectors of %d documents, not of %d", len(staged.ends), len(ids))
	}
	if err != nil {
		return nil, err
	}
	m := staged.impacts(ids)
	m.windowed, m.cut = windowed, cut
	return m, nil
}

// Close frees the index; it must not be used afterwards.
func (s *Sparse) Close() error { return s.impacts.Close() }

// Report counts what became of the documents' texts when they were indexed, by this process or an earlier one.
func (s *Sparse) Report() SparseReport {
	return SparseReport{Documents: s.impacts.size(), Windowed: int(s.impacts.windowed), Cut: int(s.impacts.cut)}
}

// Retrieve ranks for one query.
func (s *Sparse) Retrieve(ctx context.Context, q Query, k int) (Ranking, error) {
	return RetrieveOne(ctx, s, q, k)
}

// RetrieveBatch makes the vectors of all queries, and ranks on all cores.
func (s *Sparse) RetrieveBatch(ctx context.Context, queries []Query, k int, step func(int)) ([]Ranking, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	vectors, err := s.queries(ctx, queries)
	if err != nil {
		return nil, err
	}
	if len(vectors) != len(queries) {
		return nil, fmt.Errorf("there are vectors of %d queries, not of %d", len(vectors), len(queries))
	}

	out := make([]Ranking, len(queries))
	errs := make([]error, len(queries))
	var next, done atomic.Int64
	var wg sync.WaitGroup
	var telling sync.Mutex
	for range min(runtime.GOMAXPROCS(0), len(queries)) {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(queries) && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				out[i].Hits, errs[i] = s.Search(vectors[i], k)
				n := int(done.Add(1))
				if step != nil {
					telling.Lock()
					step(n)
					telling.Unlock()
				}
			}
		})
	}
	wg.Wait()
	return out, errors.Join(append(errs, ctx.Err())...)
}

// impactCursor is a query term with what is left of its postings.
type impactCursor struct {
	docs    []uint32
	weights []float32
	weight  float64 // of the query
}

// Search ranks by a vector, block after block of documents. At most k hits are returned; k below 1 means all documents
// that share a term.
func (s *Sparse) Search(query []TermWeight, k int) ([]Hit, error) {
	cursors, err := s.cursors(query)
	if err != nil {
		return nil, err
	}

	blk := s.pool.Get().(*sums)
	defer s.pool.Put(blk)
	best := bestDocs{k: k, id: func(d scoredDoc) string { return s.impacts.id(d.doc) }}
	for base := 0; base < s.impacts.size(); base += blockDocs {
		end := min(base+blockDocs, s.impacts.size())
		for i := range cursors {
			cursors[i].add(blk, base, end)
		}
		blk.hand(base, end-base, &best)
	}
	return best.hits(), nil
}

// cursors are the query's terms that documents have, in byte order.
func (s *Sparse) cursors(query []TermWeight) ([]impactCursor, error) {
	sorted := slices.Clone(query)
	slices.SortFunc(sorted, func(a, b TermWeight) int { return cmp.Compare(a.Term, b.Term) })
	var out []impactCursor
	for i, t := range sorted {
		if err := t.check(); err != nil {
			return nil, fmt.Errorf("query: %w", err)
		}
		if i > 0 && sorted[i-1].Term == t.Term {
			return nil, fmt.Errorf("query: the term %q is there twice", t.Term)
		}
		if docs, weights := s.impacts.find(t.Term); len(docs) > 0 && t.Weight > 0 {
			out = append(out, impactCursor{docs, weights, float64(t.Weight)})
		}
	}
	return out, nil
}

// sums holds the scores of blockDocs documents. Weights are above zero, and so is the product of any two in float64: a
// score of zero is that of a document that shares no term.
type sums [blockDocs]float64

// add adds a term's part to the scores of the documents from base to end.
func (c *impactCursor) add(blk *sums, base, end int) {
	n := 0
	for n < len(c.docs) && int(c.docs[n]) < end {
		n++
	}
	docs, weights := c.docs[:n], c.weights[:n]
	c.docs, c.weights = c.docs[n:], c.weights[n:]

	for i, d := range docs {
		at := (int(d) - base) & (blockDocs - 1) // always so; spares a bounds check
		blk[at] += c.weight * float64(weights[i])
	}
}

// hand offers the documents with a score, and clears the block.
func (blk *sums) hand(base, n int, best *bestDocs) {
	least := max(0, best.least())
	for at, s := range blk[:n] {
		// Documents come in ascending order: an equal score is worse than a kept one.
		if s > least {
			best.add(uint32(base+at), s)
			least = max(0, best.least())
		}
	}
	clear(blk[:n])
}
