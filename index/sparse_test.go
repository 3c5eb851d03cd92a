package index

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
)

// zipfVectors makes vectors of so many terms, drawn without repetition from a vocabulary whose frequencies fall as those
// of words do. The same numbers give the same vectors.
func zipfVectors(n, terms, vocabulary int, seed uint64) [][]TermWeight {
	rng := rand.New(rand.NewPCG(seed, 7))
	zipf := rand.NewZipf(rng, 1.05, 30, uint64(vocabulary-1))
	names := make([]string, vocabulary)
	for i := range names {
		names[i] = fmt.Sprintf("t%05d", i)
	}
	out := make([][]TermWeight, n)
	for i := range out {
		seen := make(map[uint64]bool, terms)
		for len(out[i]) < terms {
			if t := zipf.Uint64(); !seen[t] {
				seen[t] = true
				out[i] = append(out[i], TermWeight{names[t], 3 * rng.Float32()})
			}
		}
	}
	return out
}

func numbered(n int) []Document {
	docs := make([]Document, n)
	for i := range docs {
		docs[i] = Document{ID: fmt.Sprintf("d%06d", i), Text: fmt.Sprint("text ", i)}
	}
	return docs
}

// given is a source of vectors that are there already, by the number in a document's id and in a query's id.
func given(docs, queries [][]TermWeight) SparseVectors {
	return SparseVectors{
		Key: "made up",
		Each: func(_ context.Context, all Corpus, order []int, add func([]TermWeight, bool, bool) error) error {
			for _, i := range order {
				var n int
				fmt.Sscanf(all.ID(i), "d%d", &n)
				if err := add(docs[n], n%2 == 0, n%3 == 0); err != nil {
					return err
				}
			}
			return nil
		},
		Queries: func(_ context.Context, asked []Query) ([][]TermWeight, error) {
			out := make([][]TermWeight, len(asked))
			for i, q := range asked {
				var n int
				fmt.Sscanf(q.ID, "q%d", &n)
				out[i] = queries[n]
			}
			return out, nil
		},
	}
}

// plainSparse is the definition: for every document the sum over its terms in byte order, in a loop.
func plainSparse(docs []Document, vectors [][]TermWeight, query []TermWeight, k int) []Hit {
	weights := map[string]float32{}
	for _, t := range query {
		weights[t.Term] = t.Weight
	}
	var hits []Hit
	for i, d := range docs {
		v := slices.Clone(vectors[i])
		slices.SortFunc(v, func(a, b TermWeight) int { return cmp.Compare(a.Term, b.Term) })
		score, shared := 0.0, false
		for _, t := range v {
			if w := weights[t.Term]; w > 0 && t.Weight > 0 {
				score, shared = score+float64(w)*float64(t.Weight), true
			}
		}
		if shared {
			hits = append(hits, Hit{d.ID, score})
		}
	}
	return top(hits, k)
}

// Scores are those of the plain loop to the bit, whatever the blocks, and so is the order; also from the mapped file.
func TestSparseEqualsPlainLoop(t *testing.T) {
	const n = 2*blockDocs + 77
	docs := numbered(n)
	vectors, asked := zipfVectors(n, 12, 3000, 1), zipfVectors(25, 20, 4000, 2)
	vectors[5][0].Weight = 0 // is as if it were not there
	for i := range vectors[100] {
		vectors[101] = slices.Clone(vectors[100]) // the same score: by id
		vectors[100][i].Weight = float32(i)
	}
	vectors[102] = slices.Clone(vectors[101])

	shuffled := slices.Clone(docs)
	rand.New(rand.NewPCG(3, 3)).Shuffle(n, func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	dir := t.TempDir()
	s, err := OpenSparse(context.Background(), dir, InMemory(shuffled), given(vectors, asked))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()

	queries := make([]Query, len(asked))
	for i := range queries {
		queries[i].ID = fmt.Sprintf("q%d", i)
	}
	for _, k := range []int{0, 1, 10, 1000} {
		got, err := s.RetrieveBatch(context.Background(), queries, k, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i := range queries {
			if diff := gocmp.Diff(plainSparse(docs, vectors, asked[i], k), got[i].Hits); diff != "" {
				t.Fatalf("query %d, k=%d: %s", i, k, diff)
			}
		}
	}
	if r := s.Report(); r != (SparseReport{n, (n + 1) / 2, (n + 2) / 3}) {
		t.Errorf("the report is %+v", r)
	}
}

// An index is opened without asking for vectors again, and made again when its file is damaged.
func TestSparseKeptAndDamaged(t *testing.T) {
	docs := numbered(50)
	from := given(zipfVectors(50, 9, 200, 1), zipfVectors(1, 9, 200, 2))
	each, asked := from.Each, 0
	from.Each = func(ctx context.Context, docs Corpus, order []int, add func([]TermWeight, bool, bool) error) error {
		asked++
		return each(ctx, docs, order, add)
	}
	dir := t.TempDir()
	rank := func() Ranking {
		s, err := OpenSparse(context.Background(), dir, InMemory(docs), from)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		r, err := s.Retrieve(context.Background(), Query{ID: "q0"}, 10)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}

	first := rank()
	if diff := gocmp.Diff(first, rank()); diff != "" || asked != 1 {
		t.Errorf("asked for vectors %d times: %s", asked, diff)
	}
	found, _ := filepath.Glob(filepath.Join(dir, "sparse-*.arrays"))
	data, err := os.ReadFile(found[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range [][]byte{data[:len(data)-9], data[:3], nil, append(slices.Clone(data[:99]), data[100:]...)} {
		if err := os.WriteFile(found[0], bad, 0o600); err != nil {
			t.Fatal(err)
		}
		before := asked
		if diff := gocmp.Diff(first, rank()); diff != "" || asked != before+1 {
			t.Errorf("after damage asked %d times: %s", asked-before, diff)
		}
	}
	from.Key = "another model"
	if rank(); asked != 6 {
		t.Errorf("another model's vectors were not asked for: %d", asked)
	}
	from.Discard = true
	if rank(); asked != 7 {
		t.Errorf("vectors that are stand-ins came from disk: %d", asked)
	}
}

func TestSparseRefuses(t *testing.T) {
	one := numbered(1)
	inf := float32(1e38)
	inf *= 10
	for want, v := range map[string][]TermWeight{
		"not a finite number": {{"a", inf}},
		"negative":            {{"a", -1}},
	} {
		_, err := OpenSparse(context.Background(), t.TempDir(), InMemory(one), given([][]TermWeight{v}, nil))
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "d000000") {
			t.Errorf("%v: %v", v, err)
		}
	}
	from := given([][]TermWeight{{{"a", 1}}}, [][]TermWeight{{{"a", 1}, {"a", 2}}})
	s, err := OpenSparse(context.Background(), t.TempDir(), InMemory(one), from)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Retrieve(context.Background(), Query{ID: "q0"}, 1); err == nil || !strings.Contains(err.Error(), "twice") {
		t.Error("a term twice:", err)
	}
	from.Each = func(context.Context, Corpus, []int, func([]TermWeight, bool, bool) error) error {
		return errors.New("no model")
	}
	if _, err := OpenSparse(context.Background(), t.TempDir(), InMemory(one), from); err == nil || err.Error() != "no model" {
		t.Error(err)
	}
}

// By hand: q·d1 = 2·0.5 + 1·3 = 4, q·d2 = 2·1.5 = 3; d3 shares nothing, and d4 only what weighs nothing.
func TestSparseByHand(t *testing.T) {
	docs := [][]TermWeight{{{"sea", .5}, {"wall", 3}}, {{"sea", 1.5}, {"sand", 9}}, {{"sand", 9}}, {{"wall", 0}, {"sand", 1}}}
	s, err := OpenSparse(context.Background(), t.TempDir(), InMemory(numbered(4)), given(docs, [][]TermWeight{{{"wall", 1}, {"sea", 2}}}))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	got, err := s.Retrieve(context.Background(), Query{ID: "q0"}, 0)
	if diff := gocmp.Diff([]Hit{{"d000000", 4}, {"d000001", 3}}, got.Hits); err != nil || diff != "" {
		t.Error(err, diff)
	}
}
