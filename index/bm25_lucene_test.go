package index

import (
	"context"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
)

// testdata/lucene_scores.txt was written by Lucene 8.7 with testdata/LuceneScores.java, k1=0.9, b=0.4, the best 20.
func TestLuceneScores(t *testing.T) {
	ctx := context.Background()
	var docs []Document
	for i, text := range linesOf(t, "testdata/lucene_documents.txt") {
		docs = append(docs, Document{ID: fmt.Sprintf("d%03d", i), Text: text})
	}
	exact, err := OpenBM25(ctx, t.TempDir(), InMemory(docs), LuceneEnglish, BM25Params{K1: 0.9, B: 0.4})
	if err != nil {
		t.Fatal(err)
	}
	defer exact.Close()
	asLucene, err := exact.With(BM25Params{K1: 0.9, B: 0.4, Lengths: LuceneLengths})
	if err != nil {
		t.Fatal(err)
	}

	full := slices.DeleteFunc(slices.Clone(docs), func(d Document) bool { return d.Text == "" })
	counted, err := OpenBM25(ctx, t.TempDir(), InMemory(full), LuceneEnglish, BM25Params{K1: 0.9, B: 0.4})
	if err != nil {
		t.Fatal(err)
	}
	defer counted.Close()

	want := map[int][]Hit{}
	for _, line := range linesOf(t, "testdata/lucene_scores.txt") {
		var query, doc int
		var score float32
		if _, err := fmt.Sscan(line, &query, &doc, &score); err != nil {
			t.Fatal(err)
		}
		want[query] = append(want[query], Hit{fmt.Sprintf("d%03d", doc), float64(score)})
	}
	for i, text := range linesOf(t, "testdata/lucene_queries.txt") {
		got := ranking(t, asLucene, Query{Text: text}, 20)
		if len(got) != len(want[i]) {
			t.Fatalf("query %d finds %d documents, want %d", i, len(got), len(want[i]))
		}
		all := map[string]float64{}
		for _, h := range ranking(t, counted, Query{Text: text}, 0) {
			all[h.ID] = h.Score
		}
		for n, h := range got {
			if h != want[i][n] {
				t.Errorf("query %d, rank %d: %v, Lucene has %v", i, n+1, h, want[i][n])
			}
			// With exact lengths, and without the empty documents, scores differ by what a byte loses of a length, which is less
			// than an eighth: with b=0.4 by less than 3 %.
			if e := all[h.ID]; math.Abs(e-h.Score) > 0.03*h.Score {
				t.Errorf("query %d, %s: %g with exact lengths, %g with Lucene's", i, h.ID, e, h.Score)
			}
		}
	}
}

func TestLengthsOfBM25(t *testing.T) {
	for _, p := range []BM25Params{{Lengths: "long"}, {Lengths: LuceneLengths, Variant: Okapi}} {
		if p.Check() == nil {
			t.Errorf("%+v is accepted", p)
		}
	}
	if got := (BM25Params{K1: 0.9, B: 0.4, Lengths: LuceneLengths}).Describe(); got != "lucene k1=0.9 b=0.4 lengths=lucene" {
		t.Error(got)
	}
}

func linesOf(t *testing.T, path string) []string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
}
