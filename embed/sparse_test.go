package embed

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lore/embed/testmodel"
)

type goldenSparse struct {
	SHA256 string
	Texts  []struct {
		Text    string
		Tokens  int
		Weights map[string][]float64
	}
}

func readGoldenSparse(t *testing.T) goldenSparse {
	t.Helper()
	var g goldenSparse
	data, err := os.ReadFile("testdata/golden-sparse.json")
	if err == nil {
		err = json.Unmarshal(data, &g)
	}
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func put(t *testing.T, dir, name, content string) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func openSparse(t *testing.T, dir, query string, w Windows, e Engine) SparseEncoder {
	t.Helper()
	m, err := OpenSparse(context.Background(), dir, query, w, e)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m
}

func named(m SparseEncoder, e Embedding) map[string]float32 {
	out := map[string]float32{}
	for i, id := range e.Terms {
		out[m.Term(id)] = e.Vector[i]
	}
	return out
}

// Every runtime gives onnxruntime-node's weights of terms, in a batch and alone, for each pooling and activation; special
// tokens are pooled over and may be terms, as in SPLADE's own code.
func TestGoldenSparse(t *testing.T) {
	g := readGoldenSparse(t)
	dir := modelDir(t, testmodel.SPLADE)
	data, err := os.ReadFile(filepath.Join(dir, "model.onnx"))
	if err != nil {
		t.Fatal(err)
	}
	if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != g.SHA256 {
		t.Fatal("the model has changed; run make golden-embed")
	}
	var texts []string
	for _, x := range g.Texts {
		texts = append(texts, x.Text)
	}

	for name, e := range engines(t) {
		for _, way := range []string{"max relu", "max log1p_relu", "sum relu", "sum log1p_relu"} {
			pooling, activation, _ := strings.Cut(way, " ")
			put(t, dir, OverrideFile, fmt.Sprintf(`{"sparse": {"pooling": %q, "activation": %q}}`, pooling, activation))
			m := openSparse(t, dir, "", Windows{Long: Cut}, e)
			worst := 0.0
			for _, batch := range [][]string{texts, texts[:1], texts[3:4]} {
				got := embedAll(t, m, batch...)
				for i, e := range got {
					want := g.Texts[slices.Index(texts, batch[i])]
					worst = max(worst, sparseDistance(e, want.Weights[way]))
					if e.Cut != (want.Tokens == testmodel.MaxTokens) {
						t.Errorf("%q: cut is %t", batch[i], e.Cut)
					}
				}
			}
			if worst > tolerance {
				t.Errorf("%s, %s: off by %g", name, way, worst)
			}
			t.Logf("%s, %s: largest difference %.2g", name, way, worst)
		}
	}
}

// sparseDistance is the largest difference of a weight; one that is missing is zero.
func sparseDistance(e Embedding, want []float64) float64 {
	differences := map[uint32]float64{}
	for i, id := range e.Terms {
		differences[id] += float64(e.Vector[i])
	}
	for i := 0; i < len(want); i += 2 {
		differences[uint32(want[i])] -= want[i+1]
	}
	most := 0.0
	for _, d := range differences {
		most = max(most, math.Abs(d))
	}
	return most
}

// A long text gets of each term the greatest weight that one of its windows gives it.
func TestSparseWindows(t *testing.T) {
	m := openSparse(t, modelDir(t, testmodel.SPLADE), "", Windows{Long: Mean, Tokens: 10}, Engine{})
	words := strings.Fields("the harbour board met on tuesday to hear how much the new sea wall would cost and who should pay")
	long := embedAll(t, m, strings.Join(words, " "))[0]
	parts := embedAll(t, m, strings.Join(words[:10], " "), strings.Join(words[10:], " "))
	if long.Windows != 2 || long.Cut || parts[0].Windows != 1 || parts[1].Windows != 1 {
		t.Fatalf("%d windows, of parts %d and %d", long.Windows, parts[0].Windows, parts[1].Windows)
	}
	want := named(m, parts[0])
	for term, w := range named(m, parts[1]) {
		want[term] = max(want[term], w)
	}
	got := named(m, long)
	for term, w := range want {
		if math.Abs(float64(got[term]-w)) > 1e-6 {
			t.Errorf("%s: %g, want %g", term, got[term], w)
		}
	}
	if len(got) != len(want) || m.Settings().Windows.Long != Max {
		t.Errorf("%d terms, want %d; long texts: %s", len(got), len(want), m.Settings().Windows.Long)
	}
}

// Each side of queries that a folder or the user may name.
func TestSparseQueries(t *testing.T) {
	ctx := context.Background()
	ask := func(dir, query string) (map[string]float32, SparseEncoder) {
		m := openSparse(t, dir, query, Windows{Long: Max}, Engine{})
		got, err := m.Embed(ctx, Query, []string{"The sea wall [MASK] the sea"})
		if err != nil {
			t.Fatal(err)
		}
		return named(m, got[0]), m
	}
	same := func(what string, got, want map[string]float32) {
		t.Helper()
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}

	plain := modelDir(t, testmodel.SPLADE)
	both, m := ask(plain, "")
	same("one model", both, named(m, embedAll(t, m, "The sea wall [MASK] the sea")[0]))
	tokens := map[string]float32{"the": 1, "sea": 1, "wall": 1}
	got, _ := ask(plain, QueryTokens)
	same("tokens", got, tokens)

	byName := filepath.Join(t.TempDir(), "splade-v3-doc")
	if err := testmodel.Write(byName, testmodel.SPLADE); err != nil {
		t.Fatal(err)
	}
	got, m = ask(byName, "")
	same("by name", got, tokens)
	if !strings.Contains(fmt.Sprint(m.Settings().Notes), "card") {
		t.Error("the notes do not say so:", m.Settings().Notes)
	}

	weighed := modelDir(t, testmodel.SPLADE)
	put(t, weighed, "idf.json", `{"sea": 2.5, "wall": 4, "[MASK]": 9, "nowhere": 1}`)
	weights := map[string]float32{"sea": 2.5, "wall": 4}
	got, m = ask(weighed, "")
	same("idf.json", got, weights)
	if notes := fmt.Sprint(m.Settings().Notes); !strings.Contains(notes, "1 of 4 tokens") {
		t.Error("the notes do not tell the unknown token:", notes)
	}
	for _, e := range embedAll(t, m, "sea", "") {
		for term := range named(m, e) {
			if strings.HasPrefix(term, "[") && len(term) > 2 {
				t.Errorf("%s is a term beside token weights", term)
			}
		}
	}
	put(t, weighed, "w.txt", "sea\t2.5\nwall\t4\n")
	got, _ = ask(plain, filepath.Join(weighed, "w.txt"))
	same("lines", got, weights)

	two := t.TempDir()
	for _, side := range []string{"document_encoder", "query_encoder"} {
		if err := testmodel.Write(filepath.Join(two, side), testmodel.SPLADE); err != nil {
			t.Fatal(err)
		}
	}
	put(t, two, "query_encoder/lore.json", `{"sparse": {"activation": "log1p_relu"}}`)
	got, m = ask(two, "")
	if !strings.HasPrefix(m.Settings().QuerySide, "encoder ") || len(got) != len(both) {
		t.Errorf("two encoders: %q, %d terms of %d", m.Settings().QuerySide, len(got), len(both))
	}
	for term, w := range both { // log(1+log(1+x)) of the same logits
		if d := math.Abs(math.Log1p(float64(w)) - float64(got[term])); d > 1e-6 {
			t.Errorf("%s of the query encoder is off by %g", term, d)
		}
	}

	router := t.TempDir()
	if err := testmodel.Write(filepath.Join(router, "document_0_MLMTransformer"), testmodel.SPLADE); err != nil {
		t.Fatal(err)
	}
	put(t, router, "document_1_SpladePooling/config.json", `{"pooling_strategy": "max", "activation_function": "log1p_relu"}`)
	n := len(m.(*sparseModel).vocab.terms)
	head := fmt.Sprintf(`{"__metadata__":{"format":"pt"},"weight":{"dtype":"F32","shape":[%d],"data_offsets":[0,%d]}}`, n, 4*n)
	tensor := binary.LittleEndian.AppendUint64(nil, uint64(len(head)))
	tensor = append(tensor, head...)
	for id := range n {
		tensor = binary.LittleEndian.AppendUint32(tensor, math.Float32bits(float32(id)/4))
	}
	put(t, router, "query_0_SparseStaticEmbedding/model.safetensors", string(tensor))
	got, m = ask(router, "")
	want := map[string]float32{}
	for id, term := range m.(*sparseModel).vocab.terms {
		if tokens[term] > 0 {
			want[term] = float32(id) / 4
		}
	}
	same("a router", got, want)
	if s := m.Settings(); s.Activation != LogLogReLU || s.Special != "left out" {
		t.Errorf("settings of a router: %+v", s)
	}
}

// What is no sparse model is refused, with what to do.
func TestSparseRefused(t *testing.T) {
	dense, cross := modelDir(t, testmodel.BERT), modelDir(t, testmodel.CrossBERT)
	wrong := modelDir(t, testmodel.SPLADE)
	put(t, wrong, OverrideFile, `{"sparse": {"activation": "softmax"}}`)
	odd := modelDir(t, testmodel.SPLADE)
	put(t, odd, OverrideFile, `{"sparse": {"activations": "relu"}}`)
	mean := modelDir(t, testmodel.SPLADE)
	put(t, mean, "1_SpladePooling/config.json", `{"pooling_strategy": "mean"}`)
	other := modelDir(t, testmodel.SPLADE)
	put(t, other, "idf.json", `{"nowhere": 1}`)
	broken := modelDir(t, testmodel.SPLADE)
	put(t, broken, "idf.json", `{"sea": -1}`)
	lines := modelDir(t, testmodel.SPLADE)
	put(t, lines, "query_token_weights.txt", "sea\t1\nwall two\n")
	tensor := modelDir(t, testmodel.SPLADE)
	put(t, tensor, "query_0_IDF/model.safetensors", "\x02\x00\x00\x00\x00\x00\x00\x00{}")
	for _, x := range []struct{ dir, query, want string }{
		{dense, "", "dense:DIR"},
		{cross, "", "masked-language-model head"},
		{wrong, "", "relu, log1p_relu"},
		{odd, "", "special_terms"},
		{mean, "", "max and sum"},
		{other, "", "belongs to the model"},
		{broken, "", "zero or more"},
		{lines, "", "line 2"},
		{tensor, "", "idf.json"},
		{modelDir(t, testmodel.SPLADE), t.TempDir(), "neither an .onnx file"},
		{modelDir(t, testmodel.SPLADE), "nowhere", "query="},
		{t.TempDir(), "", "no .onnx file"},
	} {
		_, err := OpenSparse(context.Background(), x.dir, x.query, Windows{Long: Max}, Engine{})
		if err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%s query=%s: %v, want %q", x.dir, x.query, err, x.want)
		}
	}
}

// countedSparse counts what is encoded.
type countedSparse struct {
	SparseEncoder
	texts int
}

func (c *countedSparse) Embed(ctx context.Context, role Role, texts []string) ([]Embedding, error) {
	c.texts += len(texts)
	return c.SparseEncoder.Embed(ctx, role, texts)
}

func (c *countedSparse) Close() error { return nil }

// Vectors are kept; what a kill left half-written, or a disk damaged, is made again.
func TestSparseCache(t *testing.T) {
	m := &countedSparse{SparseEncoder: openSparse(t, modelDir(t, testmodel.SPLADE), "", Windows{Long: Max}, Engine{})}
	dir := t.TempDir()
	texts := []string{"the sea wall", "", "sand and stone", "the sea wall", strings.Repeat("storm and winter ", 40)}
	want := embedAll(t, m, texts...)
	warned := ""
	look := func() int {
		before := m.texts
		c, err := OpenSparseCache(dir, m, func(s string) { warned += s })
		if err != nil {
			t.Fatal(err)
		}
		got := embedAll(t, c, texts...)
		for i := range want {
			if d := distance(got[i].Vector, want[i].Vector); d > 1e-5 || !slices.Equal(got[i].Terms, want[i].Terms) {
				t.Errorf("text %d: off by %g", i, d)
			}
			if got[i].Tokens != want[i].Tokens || got[i].Windows != want[i].Windows || got[i].Cut != want[i].Cut {
				t.Errorf("text %d: %d tokens in %d windows", i, got[i].Tokens, got[i].Windows)
			}
		}
		if r := c.Report(Passage); r.Texts != 5 || r.Windowed != 1 {
			t.Errorf("the report is %+v", r)
		}
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
		return m.texts - before
	}

	if n := look(); n != 4 {
		t.Errorf("%d texts were encoded at first, want 4: one is there twice", n)
	}
	if n := look(); n != 0 || warned != "" {
		t.Errorf("%d texts were encoded again; %s", n, warned)
	}
	found, _ := filepath.Glob(filepath.Join(dir, "*.bin"))
	data, err := os.ReadFile(found[0])
	if err != nil {
		t.Fatal(err)
	}
	put(t, dir, filepath.Base(found[0]), string(data[:len(data)-5]))
	if n := look(); n != 1 || !strings.Contains(warned, "damaged") {
		t.Errorf("half a record: %d texts were encoded again; %s", n, warned)
	}
	data[len(sparseMagic)+3]++
	put(t, dir, filepath.Base(found[0]), string(data))
	if n := look(); n != 4 {
		t.Errorf("another header: %d texts were encoded again", n)
	}
}

// Files of token weights, whatever is in them, are read or refused.
func FuzzTokenWeights(f *testing.F) {
	f.Add([]byte(`{"sea": 1.5, "wall": 0}`))
	f.Add([]byte("sea\t1.5\nwall\t2\n"))
	f.Add([]byte("\x02\x00\x00\x00\x00\x00\x00\x00{}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if got, err := parseTokenWeights(data); err == nil {
			for token, w := range got {
				if !(w >= 0) || math.IsInf(float64(w), 0) {
					t.Errorf("%q has the weight %g", token, w)
				}
			}
		}
		_ = readTensor(data, make([]float32, 3))
		_, _, _, _ = readSparse(strings.NewReader(string(data)))
	})
}
