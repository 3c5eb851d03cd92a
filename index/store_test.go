package index

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// origin is documents as a corpus of files of which nothing is known.
func origin(path string, docs []Document) Origin {
	return Origin{Path: path, Each: func(do func(Document) error) ([]string, error) {
		for _, d := range docs {
			if err := do(d); err != nil {
				return nil, err
			}
		}
		return []string{"a warning"}, nil
	}}
}

// stored is documents in a store under dir, in segments of at most budget bytes.
func stored(t testing.TB, dir string, docs []Document, budget int) *Store {
	t.Helper()
	s, err := OpenStore(context.Background(), dir, origin("corpus", docs), StoreOptions{budget: budget})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// equalDocuments fails where a store does not hold exactly these documents, in this order.
func equalDocuments(t *testing.T, s *Store, docs []Document) {
	t.Helper()
	got, err := All(s)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(slices.Clone(docs), got); d != "" {
		t.Fatal(d)
	}
	for i, d := range docs {
		if at, ok := s.Find(d.ID); !ok || at != i {
			t.Fatalf("%s is found at %d, %v; it is at %d", d.ID, at, ok, i)
		}
	}
	if _, ok := s.Find("nobody"); ok {
		t.Error("a document that is not there is found")
	}
}

// A store that is changed again and again holds what it was last given, in that order, and ranks to the bit as one
// that is made of these documents at once, whatever its segments are.
func TestStoreFollowsItsCorpus(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	words := strings.Fields("cat bird dog sea wall storm stone boat road town council plan spring repair sand winter")
	text := func() string {
		var out []string
		for range rng.IntN(30) {
			out = append(out, words[int(rng.ExpFloat64()*4)%len(words)])
		}
		return strings.Join(out, " ")
	}
	dir := t.TempDir()
	var docs []Document
	most := 0
	for round := range 25 {
		for range rng.IntN(20) {
			docs = append(docs, Document{ID: fmt.Sprintf("d%03d-%d", rng.IntN(1000), round)})
		}
		slices.SortFunc(docs, func(a, b Document) int { return strings.Compare(a.ID, b.ID) })
		docs = slices.CompactFunc(docs, func(a, b Document) bool { return a.ID == b.ID })
		for i := range docs {
			if docs[i].Text == "" || rng.IntN(10) == 0 {
				docs[i].Text = text()
			}
		}
		docs = slices.DeleteFunc(docs, func(Document) bool { return rng.IntN(12) == 0 })
		rng.Shuffle(len(docs), func(i, j int) { docs[i], docs[j] = docs[j], docs[i] })

		s := stored(t, dir, docs, 4000)
		equalDocuments(t, s, docs)
		most = max(most, len(s.segments))
		for _, params := range []BM25Params{DefaultBM25, {K1: 1.5, B: 0.75, Variant: Okapi}, {K1: 0, B: 0.5}, {K1: 1.2, B: 1}} {
			kept, err := OpenBM25(context.Background(), "", s, "en", params)
			if err != nil {
				t.Fatal(err)
			}
			fresh, err := OpenBM25(context.Background(), t.TempDir(), InMemory(docs), "en", params)
			if err != nil {
				t.Fatal(err)
			}
			for _, q := range []string{"cat", "sea wall storm", "cat cat town", "winter sand repair plan"} {
				for _, k := range []int{0, 1, 5} {
					if d := cmp.Diff(ranking(t, fresh, Query{Text: q}, k), ranking(t, kept, Query{Text: q}, k)); d != "" {
						t.Fatalf("round %d, %v, %q, k=%d, %d segments: %s", round, params, q, k, len(s.segments), d)
					}
				}
			}
			kept.Close()
			fresh.Close()
		}
	}
	if most < 3 || most > 3*mostSmall {
		t.Errorf("%d segments at most: the test proves little, or they are not put together", most)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*", "*"))
	if err != nil || len(files) > 2*3*mostSmall {
		t.Errorf("%d files, %v: those that are not needed are kept", len(files), err)
	}
}

// Files that are as they were are not read again, and say the same warnings. A change of any kind is seen, but for what
// the notes of fileRecord say.
func TestStoreReadsOnlyWhatChanged(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "corpus.txt")
	big := strings.Repeat("the cat sat on the wall\n", 40_000)
	if err := os.WriteFile(path, []byte(big), 0o666); err != nil {
		t.Fatal(err)
	}
	reads := 0
	from := origin(path, five)
	from.Files = []string{path}
	each := from.Each
	from.Each = func(do func(Document) error) ([]string, error) { reads++; return each(do) }
	open := func(opt StoreOptions) {
		t.Helper()
		s, err := OpenStore(context.Background(), dir, from, opt)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		equalDocuments(t, s, five)
		if d := cmp.Diff([]string{"a warning"}, s.Warnings()); d != "" {
			t.Error(d)
		}
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range []struct {
		what  string
		do    func() error
		opt   StoreOptions
		reads int
	}{
		{"first", func() error { return nil }, StoreOptions{}, 1},
		{"again", func() error { return nil }, StoreOptions{}, 1},
		{"asked to", func() error { return nil }, StoreOptions{Reread: true}, 2},
		{"another time", func() error { return os.Chtimes(path, info.ModTime(), info.ModTime().Add(1)) }, StoreOptions{}, 3},
		{"longer", func() error { return os.WriteFile(path, []byte(big+"x"), 0o666) }, StoreOptions{}, 4},
		{"the beginning, by one who keeps the time", func() error {
			now, _ := os.Stat(path)
			err := os.WriteFile(path, []byte("X"+big), 0o666)
			_ = os.Chtimes(path, now.ModTime(), now.ModTime())
			return err
		}, StoreOptions{}, 5},
		{"another file of the same content and time", func() error {
			now, _ := os.Stat(path)
			data, _ := os.ReadFile(path)
			if err := os.WriteFile(path+"2", data, 0o666); err != nil {
				return err
			}
			_ = os.Chtimes(path+"2", now.ModTime(), now.ModTime())
			return os.Rename(path+"2", path)
		}, StoreOptions{}, 6},
	} {
		if err := c.do(); err != nil {
			t.Fatal(err)
		}
		open(c.opt)
		if reads != c.reads {
			t.Errorf("%d, %s: the corpus was read %d times, want %d", i, c.what, reads, c.reads)
		}
	}
}

// Documents of all sizes, empty ones and larger than a block, come back as they were.
func TestStoreKeepsTexts(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	var docs []Document
	for i := range 300 {
		n := rng.IntN(900)
		switch i % 50 {
		case 7:
			n = 0
		case 8:
			n = 3 * blockBytes
		}
		b := make([]byte, n)
		for k := range b {
			b[k] = "abc d\n\xff\x00"[rng.IntN(8)]
		}
		docs = append(docs, Document{ID: fmt.Sprintf("x%d", rng.IntN(1_000_000)+i*1_000_000), Text: string(b)})
	}
	equalDocuments(t, stored(t, t.TempDir(), docs, 0), docs)
	equalDocuments(t, stored(t, t.TempDir(), docs, 100_000), docs)
	equalDocuments(t, stored(t, t.TempDir(), nil, 0), []Document{})
}
