package collection

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	"lore/index"
)

func vectorFile(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	var b bytes.Buffer
	switch filepath.Ext(name) {
	case ".gz":
		w := gzip.NewWriter(&b)
		w.Write([]byte(text))
		w.Close()
	case ".zst":
		w, err := zstd.NewWriter(&b)
		if err != nil {
			t.Fatal(err)
		}
		w.Write([]byte(text))
		w.Close()
	default:
		b.WriteString(text)
	}
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestReadVectors(t *testing.T) {
	lines := `{"id": 7, "contents": "x", "vector": {"sea": 1.25, "##ll": 173, "a\"b": 0, "é": 2e-1}}` + "\n\n" +
		`{"docid":"d2","vector":{ }}` + "\nq3\tsea wall  sea\n"
	for _, name := range []string{"v.jsonl", "v.jsonl.gz", "v.zst", "v"} {
		v, err := ReadVectors(vectorFile(t, name, lines))
		if err != nil {
			t.Fatal(name, err)
		}
		want := map[string][]index.TermWeight{
			"7":  {{Term: "sea", Weight: 1.25}, {Term: "##ll", Weight: 173}, {Term: "é", Weight: .2}},
			"d2": nil,
			"q3": {{Term: "sea", Weight: 2}, {Term: "wall", Weight: 1}},
		}
		got := map[string][]index.TermWeight{}
		for _, id := range v.IDs {
			got[id], _ = v.Of(id)
		}
		if diff := cmp.Diff(want, got); diff != "" || v.Empty != 1 {
			t.Errorf("%s, %d empty: %s", name, v.Empty, diff)
		}
		if _, ok := v.Of("none"); ok {
			t.Error("a vector of nothing")
		}
	}
}

func TestVectorsRefused(t *testing.T) {
	for text, want := range map[string]string{
		`{"id": "a", "vector": {"x": 1}}` + "\n" + `{"id": "a", "vector": {"x": 1}}`: "line 2",
		`{"id": "a", "vector": {"x": 1, "y": 2, "x": 1}}`:                            `"x" is there twice`,
		`{"id": "a", "vector": {"x": -1}}`:                                           "negative",
		`{"id": "a", "vector": {"x": "1"}}`:                                          "not a number",
		`{"id": "a", "vector": {"x": {"y": 1}}}`:                                     "not a number",
		`{"id": "a", "vector": {"x": 1e99}}`:                                         "not a number that can be kept",
		`{"id": "a", "vector": {"x": 16777217}}`:                                     "float32 cannot hold",
		`{"id": "a", "vector": [0.1, 0.2]}`:                                          "a dense one is not read",
		`{"id": "a", "vector": null}`:                                                "neither an object",
		`{"id": "a", "weights": {"x": 1}}`:                                           `no "vector"`,
		`{"vector": {"x": 1}}`:                                                       `no "id"`,
		`{"id": "a", "vector": {"x": 1}`:                                             "line 1",
		"a word without a tab":                                                       "no tab",
		"":                                                                           "no vectors",
	} {
		path := vectorFile(t, "v.jsonl", text)
		_, err := ReadVectors(path)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "v.jsonl") ||
			!strings.Contains(err.Error(), "Anserini") {
			t.Errorf("%s: %v, want %q with file and remedy", text, err, want)
		}
	}
	if _, err := ReadVectors(t.TempDir()); err == nil || !strings.Contains(err.Error(), "neither a model nor") {
		t.Error(err)
	}
}

// What is written is read again, to the bit, from several files of a folder, too.
func TestVectorsRoundTrip(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	want := map[string][]index.TermWeight{"none": nil}
	dir := t.TempDir()
	for part := range 3 {
		var b bytes.Buffer
		for n := range 20 {
			id := fmt.Sprintf("d%d-%d", part, n)
			for i, term := range []string{"[CLS]", "\"quoted\"", "\\", "a<b", "wall", "Ġsea", "中"} {
				w := rng.Float32() * float32(n)
				if n%3 == 0 {
					w = float32(1 + rng.IntN(200))
				}
				if w > 0 && i != n%7 {
					want[id] = append(want[id], index.TermWeight{Term: term, Weight: w})
				}
			}
			if err := WriteVector(&b, id, "text of\n"+id, want[id]); err != nil {
				t.Fatal(err)
			}
		}
		if part == 0 {
			WriteVector(&b, "none", "", nil)
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.jsonl", part)), b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	v, err := ReadVectors(dir)
	if err != nil {
		t.Fatal(err)
	}
	byTerm := func(v []index.TermWeight) map[string]float32 {
		out := map[string]float32{}
		for _, t := range v {
			out[t.Term] = t.Weight
		}
		return out
	}
	for id, w := range want {
		got, ok := v.Of(id)
		if diff := cmp.Diff(byTerm(w), byTerm(got)); !ok || diff != "" {
			t.Errorf("%s: %t %s", id, ok, diff)
		}
	}
	if len(v.IDs) != 61 || len(want) != 61 && len(want) != len(v.IDs) {
		t.Errorf("%d ids, want %d", len(v.IDs), len(want))
	}
	if docs, _, err := Corpus(dir); err != nil || len(docs) != 61 {
		t.Errorf("a folder of vectors is a corpus, too: %d documents, %v", len(docs), err)
	}
	one, _ := HashVectors(dir)
	if err := os.Remove(filepath.Join(dir, "2.jsonl")); err != nil {
		t.Fatal(err)
	}
	if two, err := HashVectors(dir); err != nil || one == two || len(two) != 64 {
		t.Error("hashes:", one, two, err)
	}
}

func FuzzVectors(f *testing.F) {
	f.Add([]byte(`{"id": 7, "vector": {"sea": 1.25, "a\"b\\": 3}}`))
	f.Add([]byte("q3\tsea wall sea"))
	f.Add([]byte(`{"id":"x","vector":{"":0,"e":1E2}}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		if len(bytes.TrimSpace(line)) == 0 {
			return
		}
		id, vector, err := parseVector(line)
		if err != nil {
			return
		}
		var b bytes.Buffer
		if err := WriteVector(&b, id, "", vector); err != nil {
			t.Fatal(err)
		}
		again, back, err := parseVector(b.Bytes())
		if err != nil || again != id || len(back) != len(vector) {
			t.Fatalf("%q is written as %q and read as %q, %d of %d terms, %v", line, b.Bytes(), again, len(back), len(vector), err)
		}
	})
}
