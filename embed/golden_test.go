package embed

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lore/embed/testmodel"
)

// golden holds token ids by Hugging Face's tokenizers and vectors by onnxruntime.
type golden struct {
	MadeWith  string `json:"made_with"`
	MaxTokens int    `json:"max_tokens"`
	Models    map[testmodel.Kind]struct {
		SHA256 string `json:"sha256"`
		Texts  []struct {
			Text   string
			IDs    []int
			Vector []float32
		}
		Pairs []struct {
			Query, Passage string
			IDs, Types     []int
			Logit          float64
		}
		Fuzz []struct{ Text, IDs string }
	}
}

func readGolden(t *testing.T) golden {
	t.Helper()
	var g golden
	data, err := os.ReadFile("testdata/golden.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &g); err != nil {
		t.Fatal(err)
	}
	return g
}

func modelDir(t testing.TB, kind testmodel.Kind) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), string(kind))
	if err := testmodel.Write(dir, kind); err != nil {
		t.Fatal(err)
	}
	return dir
}

// engines are the runtimes of this build; onnxruntime only where its library is.
func engines(t testing.TB) map[string]Engine {
	t.Helper()
	all := map[string]Engine{Hugot: {Runtime: Hugot}}
	if os.Getenv("LORE_ONNXRUNTIME") != "" {
		all[ONNXRuntime] = Engine{Runtime: ONNXRuntime}
	}
	return all
}

func openEncoder(t testing.TB, kind testmodel.Kind, w Windows, e Engine) Embedder {
	t.Helper()
	enc, err := OpenONNX(context.Background(), modelDir(t, kind), w, e)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := enc.Close(); err != nil {
			t.Error(err)
		}
	})
	return enc
}

// The models that this program writes must be those the golden values were made
// with.
func TestGoldenModels(t *testing.T) {
	for kind, m := range readGolden(t).Models {
		data, err := os.ReadFile(filepath.Join(modelDir(t, kind), "model.onnx"))
		if err != nil {
			t.Fatal(err)
		}
		if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != m.SHA256 {
			t.Errorf("%s: the model has changed; run make golden-embed", kind)
		}
		if len(data) > 1<<20 {
			t.Errorf("%s has %d bytes", kind, len(data))
		}
	}
}

func TestGoldenTokenIDs(t *testing.T) {
	for kind, m := range readGolden(t).Models {
		data, err := os.ReadFile(filepath.Join(modelDir(t, kind), "tokenizer.json"))
		if err != nil {
			t.Fatal(err)
		}
		tok, err := newTokenizer(data)
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range m.Texts {
			ids := tok.encode(x.Text)
			ids, _ = tok.single.fill(ids[:min(len(ids), testmodel.MaxTokens-2)], nil)
			if fmt.Sprint(ids) != fmt.Sprint(x.IDs) {
				t.Errorf("%s %q:\n got %v\nwant %v", kind, x.Text, ids, x.IDs)
			}
		}
		for _, x := range m.Fuzz {
			ids, _ := tok.single.fill(tok.encode(x.Text), nil)
			if got := strings.Trim(fmt.Sprint(ids), "[]"); got != x.IDs {
				t.Errorf("%s %q:\n got %v\nwant %v", kind, x.Text, got, x.IDs)
			}
		}
	}
}

const tolerance = 1e-5

func distance(a, b []float32) float64 {
	most := math.Inf(1)
	if len(a) == len(b) {
		most = 0
		for i := range a {
			most = max(most, math.Abs(float64(a[i])-float64(b[i])))
		}
	}
	return most
}

// Padding, accents, special tokens in the text, empty and long texts: all texts in
// one batch, and each alone, must give onnxruntime's vector.
func TestGoldenVectors(t *testing.T) {
	for name, e := range engines(t) {
		for kind, m := range readGolden(t).Models {
			if len(m.Texts) == 0 {
				continue
			}
			t.Run(name+"/"+string(kind), func(t *testing.T) {
				enc := openEncoder(t, kind, Windows{Long: Cut}, e)
				var texts []string
				for _, x := range m.Texts {
					texts = append(texts, x.Text)
				}
				// Golden vectors know no prefixes.
				enc.(*encoder).settings.PassagePrefix = ""
				batched, err := enc.Embed(context.Background(), Passage, texts)
				if err != nil {
					t.Fatal(err)
				}
				worst := 0.0
				for i, x := range m.Texts {
					alone, err := enc.Embed(context.Background(), Passage, texts[i:i+1])
					if err != nil {
						t.Fatal(err)
					}
					d, d1 := distance(batched[i].Vector, x.Vector), distance(alone[0].Vector, x.Vector)
					if worst = max(worst, d, d1); d > tolerance || d1 > tolerance {
						t.Errorf("%q: off by %g in a batch, %g alone", x.Text, d, d1)
					}
					if cut := len(x.IDs) == testmodel.MaxTokens; batched[i].Cut != cut {
						t.Errorf("%q: cut is %t", x.Text, batched[i].Cut)
					}
				}
				t.Logf("largest difference %.2g", worst)
			})
		}
	}
}

func TestGoldenLogits(t *testing.T) {
	for name, e := range engines(t) {
		for kind, m := range readGolden(t).Models {
			if len(m.Pairs) == 0 {
				continue
			}
			t.Run(name+"/"+string(kind), func(t *testing.T) {
				c, err := OpenCrossEncoder(context.Background(), modelDir(t, kind), e)
				if err != nil {
					t.Fatal(err)
				}
				defer c.Close()
				for _, x := range m.Pairs {
					// Another passage beside it makes a batch with padding.
					got, err := c.Score(context.Background(), x.Query, []string{x.Passage, "a", x.Passage})
					if err != nil {
						t.Fatal(err)
					}
					if math.Abs(got[0].Logit-x.Logit) > tolerance || math.Abs(got[2].Logit-x.Logit) > tolerance {
						t.Errorf("%q, %q: %v, want %v", x.Query, x.Passage, got[0].Logit, x.Logit)
					}
					if wanted := len(x.IDs) == testmodel.MaxTokens; got[0].Cut != wanted {
						t.Errorf("%q, %q: cut is %t", x.Query, x.Passage, got[0].Cut)
					}
				}
			})
		}
	}
}
