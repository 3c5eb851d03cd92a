package index

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/index/scorch"
)

// passages makes n passages of about 100 words: first the real ones of both MSRS
// corpora, then words drawn from all of these with 0.3 % new words. The same n gives
// the same passages.
func passages(tb testing.TB, n int) []Document {
	tb.Helper()
	var words []string
	for _, domain := range []string{"story", "meeting"} {
		for _, d := range msrsDocuments(tb, domain) {
			words = append(words, strings.Fields(d.Text)...)
		}
	}
	rng := rand.New(rand.NewPCG(42, 42))
	out := make([]Document, n)
	for i := range out {
		var b strings.Builder
		real := (i+1)*100 <= len(words)
		for k := range 100 {
			switch {
			case real:
				b.WriteString(words[i*100+k])
			case rng.IntN(1000) < 3:
				fmt.Fprintf(&b, "neu%x", rng.Uint32())
			default:
				b.WriteString(words[rng.IntN(len(words))])
			}
			b.WriteByte(' ')
		}
		out[i] = Document{ID: fmt.Sprintf("p%07d", i), Text: b.String()}
	}
	return out
}

// BenchmarkIndex500k builds an index of 500,000 passages and compares, on the same
// Bleve index and for the same 391 MSRS queries, the median latency of lore's top
// 100 with that of Bleve's own match query. `make bench-index` runs it.
func BenchmarkIndex500k(b *testing.B) {
	if os.Getenv("LORE_BENCH_INDEX") == "" {
		b.Skip("takes minutes; make bench-index runs it")
	}
	const n = 500_000
	docs := passages(b, n)
	var queries []string
	for _, domain := range []string{"story", "meeting"} {
		for _, q := range msrsQueries(b, domain) {
			queries = append(queries, q.Query)
		}
	}
	slices.Sort(queries)
	for b.Loop() {
		dir := b.TempDir()
		start := time.Now()
		one, err := OpenBM25(context.Background(), dir, InMemory(docs), "en", DefaultBM25)
		if err != nil {
			b.Fatal(err)
		}
		build := time.Since(start)
		one.Close()
		start = time.Now()
		ours, err := OpenBM25(context.Background(), dir, InMemory(docs), "en", DefaultBM25)
		if err != nil {
			b.Fatal(err)
		}
		opened := time.Since(start)
		theirs := bleves(b, docs)
		runtime.GC()
		mine := median(b, queries, func(q string) error {
			_, err := ours.Retrieve(context.Background(), Query{Text: q}, 100)
			return err
		})
		bleveTime := median(b, queries, func(q string) error {
			match := bleve.NewMatchQuery(q)
			match.SetField("text")
			found, err := theirs.Search(bleve.NewSearchRequestOptions(match, 100, 0, false))
			if err == nil && len(found.Hits) == 0 {
				return fmt.Errorf("Bleve finds nothing for %q: the comparison would be void", q)
			}
			return err
		})
		theirs.Close()
		ours.Close()
		b.ReportMetric(n/build.Seconds(), "passages/s")
		b.ReportMetric(float64(opened.Milliseconds()), "ms-to-open")
		b.ReportMetric(float64(mine.Microseconds())/1000, "ms-median")
		b.ReportMetric(float64(bleveTime.Microseconds())/1000, "ms-median-bleve")
		b.ReportMetric(float64(bleveTime)/float64(mine), "times-faster")
		if rate, lucenes, ok := askLucene(b, docs, queries); ok {
			b.ReportMetric(rate, "passages/s-lucene")
			b.ReportMetric(float64(lucenes.Microseconds())/1000, "ms-median-lucene")
			b.ReportMetric(float64(lucenes)/float64(mine), "times-faster-than-lucene")
		}
	}
}

// bleves is Bleve's own index of the documents, on disk.
func bleves(b *testing.B, docs []Document) bleve.Index {
	b.Helper()
	m := bleve.NewIndexMapping()
	text := bleve.NewTextFieldMapping()
	text.Analyzer = "en"
	text.Store, text.IncludeTermVectors, text.IncludeInAll, text.DocValues = false, false, false, false
	doc := bleve.NewDocumentStaticMapping()
	doc.AddFieldMappingsAt("text", text)
	m.DefaultMapping = doc
	idx, err := bleve.NewUsing(filepath.Join(b.TempDir(), "bleve"), m, scorch.Name, scorch.Name, nil)
	if err != nil {
		b.Fatal(err)
	}
	batch := idx.NewBatch()
	for i, d := range docs {
		if err := batch.Index(d.ID, map[string]any{"text": d.Text}); err != nil {
			b.Fatal(err)
		}
		if batch.Size() == 10_000 || i == len(docs)-1 {
			if err := idx.Batch(batch); err != nil {
				b.Fatal(err)
			}
			batch.Reset()
		}
	}
	return idx
}

// askLucene measures Lucene on the same passages and queries, where Java and Debian's
// liblucene8-java are installed.
func askLucene(b *testing.B, docs []Document, queries []string) (rate float64, latency time.Duration, ok bool) {
	b.Helper()
	var jars []string
	for _, part := range []string{"core", "analyzers-common", "queryparser"} {
		found, _ := filepath.Glob("/usr/share/java/lucene-" + part + "-8*.jar")
		if len(found) == 0 {
			b.Logf("no row for Lucene: lucene-%s is not installed", part)
			return 0, 0, false
		}
		jars = append(jars, found[0])
	}
	dir := b.TempDir()
	var lines, asked strings.Builder
	for _, d := range docs {
		lines.WriteString(strings.Join(strings.Fields(d.Text), " ") + "\n")
	}
	for _, q := range queries {
		asked.WriteString(strings.Join(strings.Fields(q), " ") + "\n")
	}
	for name, text := range map[string]string{"passages": lines.String(), "queries": asked.String()} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			b.Fatal(err)
		}
	}
	out, err := exec.Command("java", "-Xmx2g", "-cp", strings.Join(jars, ":"), "testdata/LuceneSearch.java", filepath.Join(dir, "passages"), filepath.Join(dir, "queries")).Output()
	if err != nil {
		b.Logf("no row for Lucene: %v", err)
		return 0, 0, false
	}
	var micro int64
	if _, err := fmt.Sscan(string(out), &rate, &micro); err != nil {
		b.Fatal(err)
	}
	return rate, time.Duration(micro) * time.Microsecond, true
}

// median latency over the queries, after one pass to warm up.
func median(b *testing.B, queries []string, search func(string) error) time.Duration {
	b.Helper()
	var times []time.Duration
	for pass := range 2 {
		for _, q := range queries {
			start := time.Now()
			if err := search(q); err != nil {
				b.Fatal(err)
			}
			if pass == 1 {
				times = append(times, time.Since(start))
			}
		}
	}
	slices.Sort(times)
	return times[len(times)/2]
}
