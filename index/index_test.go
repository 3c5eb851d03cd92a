package index

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gofrs/flock"
	"github.com/google/go-cmp/cmp"
)

var five = []Document{
	{ID: "d0", Text: "the cat sat on the mat with another cat and a dog while the rain fell outside on the garden wall"},
	{ID: "d1", Text: "a bird sang in the tree"},
	{ID: "d2", Text: "cat and bird and cat"},
	{ID: "d3", Text: "dogs bark loudly at night"},
	{ID: "d4", Text: "cats chase birds"},
}

func ranking(t *testing.T, r Retriever, q Query, k int) []Hit {
	t.Helper()
	got, err := r.Retrieve(context.Background(), q, k)
	if err != nil {
		t.Fatal(err)
	}
	return got.Hits
}

// The expected scores are worked out by hand. After analysis (stop words out,
// stemmed) the documents are
//
//	d0 cat sat mat anoth cat dog rain fell outsid garden wall  11 tokens, cat 2
//	d1 bird sang tree                                           3 tokens, bird 1
//	d2 cat bird cat                                             3 tokens, cat 2, bird 1
//	d3 dog bark loudli night                                    4 tokens
//	d4 cat chase bird                                           3 tokens, cat 1, bird 1
//
// so N = 5, avgdl = 24/5 = 4.8, df(cat) = df(bird) = 3, idf = ln(1 + 2.5/3.5),
// and with k1 = 1.2, b = 0.75 the length part is 1.2·(0.25 + 0.75·|d|/4.8).
func TestBM25ByHand(t *testing.T) {
	idf := math.Log(1 + 2.5/3.5)
	part := func(tf, length float64) float64 { return idf * tf / (tf + 1.2*(0.25+0.75*length/4.8)) }
	want := []Hit{
		{"d2", part(2, 3) + part(1, 3)},
		{"d4", part(1, 3) + part(1, 3)},
		{"d1", part(1, 3)},
		{"d0", part(2, 11)},
	}
	SortHits(want)
	b, err := OpenBM25(context.Background(), t.TempDir(), InMemory(five), "en", DefaultBM25)
	if err != nil {
		t.Fatal(err)
	}
	got := ranking(t, b, Query{Text: "Cat, bird!"}, 0)
	if len(got) != len(want) {
		t.Fatalf("got %v, want %v", got, want)
	}
	for i := range want {
		if got[i].ID != want[i].ID || math.Abs(got[i].Score-want[i].Score) > 1e-12 {
			t.Errorf("place %d: got %v, want %v", i, got[i], want[i])
		}
	}
}

func TestBM25ReopenAndRebuild(t *testing.T) {
	dir := t.TempDir()
	ctx := context.Background()
	first, err := OpenBM25(ctx, dir, InMemory(five), "en", DefaultBM25)
	if err != nil {
		t.Fatal(err)
	}
	want := ranking(t, first, Query{Text: "cat bird dog"}, 3)
	folders, _ := filepath.Glob(filepath.Join(dir, "documents-v*"))
	if len(folders) != 1 {
		t.Fatalf("folders %v", folders)
	}
	again, err := OpenBM25(ctx, dir, InMemory(five), "en", DefaultBM25)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, ranking(t, again, Query{Text: "cat bird dog"}, 3)); diff != "" {
		t.Error("after reopening:", diff)
	}
	first.Close()
	again.Close()
	// A damaged byte anywhere in the postings is found, and they are made again from the documents.
	arrays := postingsName(folders[0], "s000001", "en")
	data, err := os.ReadFile(arrays)
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range []int{0, 8, len(data) / 2, len(data) - 9, len(data) - 1} {
		bad := slices.Clone(data)
		bad[at] ^= 1
		for what, damage := range map[string]func() error{
			"byte":        func() error { return os.WriteFile(arrays, bad, 0o666) },
			"cut":         func() error { return os.WriteFile(arrays, data[:at], 0o666) },
			"no postings": func() error { return os.Remove(arrays) },
			"no manifest": func() error {
				return errors.Join(os.Remove(filepath.Join(folders[0], manifestFile)), os.WriteFile(arrays, bad, 0o666))
			},
		} {
			if err := damage(); err != nil {
				t.Fatal(err)
			}
			rebuilt, err := OpenBM25(ctx, dir, InMemory(five), "en", DefaultBM25)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, ranking(t, rebuilt, Query{Text: "cat bird dog"}, 3)); diff != "" {
				t.Errorf("after damage (%s at %d): %s", what, at, diff)
			}
			rebuilt.Close()
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*", "*"+asideEnding)); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

// A second process that wants to build the same index gets an error at once.
func TestBM25BuildIsLocked(t *testing.T) {
	dir := t.TempDir()
	hash, err := corpusHash(InMemory(five), "")
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(dir, fmt.Sprintf("documents-v%d-%s", formatVersion, hash[:32]))
	if err := os.MkdirAll(folder, 0o777); err != nil {
		t.Fatal(err)
	}
	other := flock.New(filepath.Join(folder, lockFile))
	if got, err := other.TryLock(); err != nil || !got {
		t.Fatal(got, err)
	}
	if _, err := OpenBM25(context.Background(), dir, InMemory(five), "en", DefaultBM25); !errors.Is(err, ErrIndexBusy) {
		t.Errorf("got %v", err)
	}
	stopped, stop := context.WithCancel(context.Background())
	said := 0
	_, err = OpenBM25(OnBusy(stopped, func(string) { said++; stop() }), dir, InMemory(five), "en", DefaultBM25)
	if !errors.Is(err, context.Canceled) || said != 1 {
		t.Errorf("an interrupted wait: %v, said %d times", err, said)
	}
	free := func(string) {
		if err := other.Unlock(); err != nil {
			t.Error(err)
		}
	}
	if _, err := OpenBM25(OnBusy(context.Background(), free), dir, InMemory(five), "en", DefaultBM25); err != nil {
		t.Error(err)
	}
	if _, err := OpenBM25(context.Background(), dir, InMemory(five), "en", DefaultBM25); err != nil {
		t.Error(err)
	}
}

func TestBM25Errors(t *testing.T) {
	ctx := context.Background()
	if _, err := OpenBM25(ctx, t.TempDir(), InMemory(append(five[:1:1], five[0])), "en", DefaultBM25); err == nil {
		t.Error("duplicate ids are accepted")
	}
	if _, err := OpenBM25(ctx, t.TempDir(), InMemory(five), "klingon", DefaultBM25); err == nil {
		t.Error("an unknown analyser is accepted")
	}
	if _, err := OpenBM25(ctx, t.TempDir(), InMemory(five), "en", BM25Params{K1: 1, B: 2}); err == nil {
		t.Error("b=2 is accepted")
	}
	empty, err := OpenBM25(ctx, t.TempDir(), InMemory(nil), "en", DefaultBM25)
	if err != nil {
		t.Fatal(err)
	}
	if got := ranking(t, empty, Query{Text: "cat"}, 5); len(got) != 0 {
		t.Errorf("an empty corpus ranks %v", got)
	}
}

func ids(hits []Hit) []string {
	out := []string{}
	for _, h := range hits {
		out = append(out, h.ID)
	}
	return out
}

func TestBaselines(t *testing.T) {
	q := Query{ID: "q", Text: "Does the cat chase a bird?", Gold: map[string]float64{"d3": 2, "d1": 1},
		Recorded: map[string]map[string]float64{"rerank3": {"d4": 0.1, "d0": 0.9}}}
	cases := []struct {
		name string
		r    Retriever
		k    int
		want []string
	}{
		{"keywords", Keywords(InMemory(five)), 3, []string{"d2", "d0", "d1"}}, // 2, 1 and 1 of {cat, chase, bird}; ties by id
		{"oracle", Oracle(InMemory(five)), 0, []string{"d3", "d1"}},
		{"recorded", Recorded(InMemory(five), "rerank3"), 0, []string{"d0", "d4"}},
		{"full", Full(InMemory(five), AsGiven), 2, []string{"d0", "d1", "d2", "d3", "d4"}},
		{"top", Full(InMemory(five), Top), 0, []string{"d3", "d1", "d0", "d2", "d4"}},
		{"bottom", Full(InMemory(five), Bottom), 0, []string{"d0", "d2", "d4", "d1", "d3"}},
		{"middle", Full(InMemory(five), Middle), 0, []string{"d0", "d3", "d1", "d2", "d4"}},
		{"none", None(), 0, []string{}},
	}
	for _, c := range cases {
		if diff := cmp.Diff(c.want, ids(ranking(t, c.r, q, c.k))); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
	if _, err := Recorded(InMemory(five), "nope").Retrieve(context.Background(), q, 1); err == nil {
		t.Error("an unknown recorded retriever is accepted")
	}
}

func TestRandomDependsOnSeedAndQueryOnly(t *testing.T) {
	reversed := []Document{five[4], five[3], five[2], five[1], five[0]}
	a := ids(ranking(t, Random(InMemory(five), 1), Query{ID: "q"}, 0))
	if diff := cmp.Diff(a, ids(ranking(t, Random(InMemory(reversed), 1), Query{ID: "q"}, 0))); diff != "" {
		t.Error("depends on the order of documents:", diff)
	}
	if cmp.Equal(a, ids(ranking(t, Random(InMemory(five), 2), Query{ID: "q"}, 0))) && cmp.Equal(a, ids(ranking(t, Random(InMemory(five), 1), Query{ID: "r"}, 0))) {
		t.Error("neither seed nor query changes the order")
	}
}

func TestSortHitsPutsNaNLast(t *testing.T) {
	h := []Hit{{"c", math.NaN()}, {"b", 1}, {"a", 1}, {"d", 2}}
	SortHits(h)
	if diff := cmp.Diff([]string{"d", "a", "b", "c"}, ids(h)); diff != "" {
		t.Error(diff)
	}
}

// The oracle says that it ranks all relevant documents, unless it was cut; a ranking made
// of it by others does not.
func TestOracleSaysThatItIsAll(t *testing.T) {
	q := Query{Gold: map[string]float64{"d1": 1, "d3": 2}}
	for _, c := range []struct {
		name string
		r    Retriever
		k, n int
		want bool
	}{
		{"oracle", Oracle(InMemory(five)), 0, 2, true},
		{"as deep", Oracle(InMemory(five)), 2, 2, true},
		{"too shallow", Oracle(InMemory(five)), 1, 1, false},
		{"as any ranking", OracleK(InMemory(five)), 0, 2, false},
		{"the first", Cut(Oracle(InMemory(five)), 1), 0, 1, false},
		{"fused", Fuse(RRF, Oracle(InMemory(five)), OracleK(InMemory(five))), 0, 2, false},
	} {
		got, err := c.r.Retrieve(context.Background(), q, c.k)
		if err != nil || got.Gold != c.want || len(got.Hits) != c.n {
			t.Errorf("%s: %+v, %v", c.name, got, err)
		}
	}
}

// With k1 = 0 a score is the sum of the weights of the words that are there, and with b = 1 it goes by tf/|d|: documents
// that are equal in that have equal scores, to the bit, and go by id, whichever of the words they have. The words w0 to w8
// are in six documents each, so their weights are equal; every document has three of them.
func TestBM25TiesGoByID(t *testing.T) {
	var docs []Document
	for i := range 18 {
		var words []string
		for k := range 3 {
			words = append(words, fmt.Sprintf("w%d", (i+[]int{0, 1, 4}[(k+i)%3])%9))
		}
		// Longer documents have each word as many times more.
		docs = append(docs, Document{ID: fmt.Sprintf("d%02d", i), Text: strings.Repeat(strings.Join(words, " ")+" ", 1+i%7)})
	}
	const query = "w0 w1 w2 w3 w4 w5 w6 w7 w8"
	idf := map[Variant]float64{Lucene: math.Log(1 + 12.5/6.5), Okapi: math.Log(12.5 / 6.5)}
	mean := 0.0
	for i := range docs {
		mean += 3 * float64(1+i%7) / 18
	}
	for _, p := range []BM25Params{{K1: 0, B: 0.75}, {K1: 0, B: 1}, {K1: 1.2, B: 1}, {K1: 0, B: 0.3, Variant: Okapi}, {K1: 1.7, B: 1, Variant: Okapi}} {
		b, err := OpenBM25(context.Background(), t.TempDir(), InMemory(docs), "whitespace", p)
		if err != nil {
			t.Fatal(err)
		}
		want := 3 * idf[Lucene] / (1 + p.K1*3/mean) // |d|/tf is 3
		if p.Variant == Okapi {
			want = 3 * idf[Okapi] * (p.K1 + 1) / (1 + p.K1*3/mean)
		}
		for i, h := range ranking(t, b, Query{Text: query}, 0) {
			if h.ID != docs[i].ID || math.Abs(h.Score-want) > 1e-11 {
				t.Errorf("%v: place %d is %v, want %s with %v", p, i, h, docs[i].ID, want)
			}
		}
		b.Close()
	}
}
