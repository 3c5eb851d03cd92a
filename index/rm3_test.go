package index

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// testdata/rm3_scores.txt was written by testdata/rm3.py, which shares no code with lore.
func TestRM3(t *testing.T) {
	var docs []Document
	for i, text := range linesOf(t, "testdata/rm3_documents.txt") {
		docs = append(docs, Document{ID: fmt.Sprintf("d%03d", i), Text: text})
	}
	corpus := InMemory(docs)
	first, err := OpenBM25(context.Background(), t.TempDir(), corpus, "whitespace", BM25Params{K1: 0.9, B: 0.4})
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()

	type asked struct {
		query  int
		params RM3Params
	}
	want := map[asked][]Hit{}
	for _, line := range linesOf(t, "testdata/rm3_scores.txt") {
		var a asked
		var doc int
		var score float64
		if _, err := fmt.Sscan(line, &a.query, &a.params.Terms, &a.params.Docs, &a.params.Weight, &doc, &score); err != nil {
			t.Fatal(err)
		}
		want[a] = append(want[a], Hit{fmt.Sprintf("d%03d", doc), score})
	}

	queries := linesOf(t, "testdata/rm3_queries.txt")
	for a, hits := range want {
		r, err := RM3(first, corpus, a.params)
		if err != nil {
			t.Fatal(err)
		}
		got := ranking(t, r, Query{Text: queries[a.query]}, 10)
		if len(got) != len(hits) {
			t.Fatalf("%+v finds %d documents, want %d", a, len(got), len(hits))
		}
		for i, h := range got {
			if h.ID != hits[i].ID || math.Abs(h.Score-hits[i].Score) > 1e-10 {
				t.Errorf("%+v, rank %d: %v, want %v", a, i+1, h, hits[i])
			}
		}
	}
}

// By hand: 20 documents, of which two have "cat". Both have the same score s, so that the model is the mean of their
// shares. d0 is "cat fish fish": fish 2/3, cat 1/3. d1 is "cat milk the": the stands in all others and is left out, so that
// cat and milk have 1/2 each. The mean: cat 5/12, fish 4/12, milk 3/12. Of two terms cat 5/9 and fish 4/9 stay. With weight 0.25 the
// second query is cat 0.25 + 0.75·5/9 = 2/3, and fish 0.75·4/9 = 1/3.
func TestRM3ByHand(t *testing.T) {
	docs := []Document{{ID: "d0", Text: "cat fish fish"}, {ID: "d1", Text: "cat milk the"}}
	for i := range 18 {
		docs = append(docs, Document{ID: fmt.Sprintf("e%d", i), Text: "the the the"})
	}
	corpus := InMemory(docs)
	first, err := OpenBM25(context.Background(), t.TempDir(), corpus, "whitespace", BM25Params{K1: 1, B: 0})
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()

	r := rm3{first, corpus, RM3Params{Terms: 2, Docs: 10, Weight: 0.25}}
	model, err := r.feedback(ranking(t, first, Query{Text: "cat"}, 10))
	if err != nil {
		t.Fatal(err)
	}
	for term, want := range map[string]float64{"cat": 5.0 / 9, "fish": 4.0 / 9} {
		if math.Abs(model[term]-want) > 1e-12 {
			t.Errorf("%s has %g, want %g", term, model[term], want)
		}
	}

	// BM25 with k1=1, b=0: idf·tf/(tf+1), idf(cat) = ln(1 + 18.5/2.5), idf(fish) = ln(1 + 19.5/1.5).
	cat, fish := math.Log(1+18.5/2.5), math.Log(1+19.5/1.5)
	want := []float64{2.0/3*cat/2 + 1.0/3*fish*2/3, 2.0 / 3 * cat / 2}
	for i, h := range ranking(t, r, Query{Text: "cat"}, 10) {
		if d := cmp.Diff(docs[i].ID, h.ID); d != "" || math.Abs(h.Score-want[i]) > 1e-12 {
			t.Errorf("rank %d: %v, want %g %s", i+1, h, want[i], d)
		}
	}

	for _, bad := range []RM3Params{{}, {Terms: 1, Docs: 1, Weight: 2}, {Terms: 1, Docs: 1, Weight: math.NaN()}} {
		if _, err := RM3(first, corpus, bad); err == nil {
			t.Errorf("%+v is accepted", bad)
		}
	}
}
