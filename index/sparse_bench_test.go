package index

import (
	"context"
	"fmt"
	"os"
	"slices"
	"testing"
	"time"
)

// BenchmarkSparse500k indexes 500,000 made-up vectors of 120 terms, and compares the median time of the top 100 for 391
// queries of 32 terms with that of BM25's over as many passages and the queries of MSRS, on the same machine. Terms of
// documents and queries have frequencies as words have them: the commonest are in two documents of five. `make
// bench-index` runs it.
func BenchmarkSparse500k(b *testing.B) {
	if os.Getenv("LORE_BENCH_INDEX") == "" {
		b.Skip("takes minutes; make bench-index runs it")
	}
	const n, terms, asked = 500_000, 120, 391
	docs := numbered(n)
	vectors, queries := zipfVectors(n, terms, 28_000, 1), zipfVectors(asked, 32, 28_000, 2)
	names := make([]string, asked)
	for i := range names {
		names[i] = fmt.Sprintf("q%d", i)
	}

	for b.Loop() {
		dir := b.TempDir()
		start := time.Now()
		s, err := OpenSparse(context.Background(), dir, InMemory(docs), given(vectors, queries))
		if err != nil {
			b.Fatal(err)
		}
		build := time.Since(start)
		s.Close()
		start = time.Now()
		if s, err = OpenSparse(context.Background(), dir, InMemory(docs), given(vectors, queries)); err != nil {
			b.Fatal(err)
		}
		opened := time.Since(start)

		postings := 0
		for _, q := range queries {
			cursors, err := s.cursors(q)
			if err != nil {
				b.Fatal(err)
			}
			for _, c := range cursors {
				postings += len(c.docs)
			}
		}
		mine := median(b, names, func(q string) error {
			_, err := s.Retrieve(context.Background(), Query{ID: q}, 100)
			return err
		})
		s.Close()
		b.ReportMetric(n/build.Seconds(), "vectors/s")
		b.ReportMetric(float64(opened.Milliseconds()), "ms-to-open")
		b.ReportMetric(float64(postings)/asked, "postings/query")
		b.ReportMetric(float64(mine.Microseconds())/1000, "ms-median")
		if words := benchBM25(b); words > 0 {
			b.ReportMetric(float64(words.Microseconds())/1000, "ms-median-bm25")
			b.ReportMetric(float64(mine)/float64(words), "times-bm25")
		}
	}
}

// benchBM25 is the median time of BM25 over 500,000 passages.
func benchBM25(b *testing.B) time.Duration {
	b.Helper()
	docs := passages(b, 500_000)
	var queries []string
	for _, domain := range []string{"story", "meeting"} {
		for _, q := range msrsQueries(b, domain) {
			queries = append(queries, q.Query)
		}
	}
	slices.Sort(queries)
	r, err := OpenBM25(context.Background(), b.TempDir(), InMemory(docs), "en", DefaultBM25)
	if err != nil {
		b.Fatal(err)
	}
	defer r.Close()
	return median(b, queries, func(q string) error {
		_, err := r.Retrieve(context.Background(), Query{Text: q}, 100)
		return err
	})
}
