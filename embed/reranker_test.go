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
	"slices"
	"strings"
	"testing"

	"lore/embed/testmodel"
)

// goldenRerank holds token ids by Hugging Face's tokenizers and scores by onnxruntime.
type goldenRerank struct {
	Models map[testmodel.Kind]struct {
		Files map[string]string
		Pairs []struct {
			Query, Passage string
			IDs            []int
			Cut            bool
			Score          float64
		}
		Fuzz []struct{ Text, IDs string }
	}
}

func readGoldenRerank(t *testing.T) goldenRerank {
	t.Helper()
	var g goldenRerank
	data, err := os.ReadFile("testdata/golden-rerank.json")
	must(t, err)
	must(t, json.Unmarshal(data, &g))
	if len(g.Models) != len(testmodel.Rerankers) {
		t.Fatalf("golden values of %d models, want %d: run make golden-embed", len(g.Models), len(testmodel.Rerankers))
	}
	return g
}

// Tokens are those of Hugging Face's tokenizers, character maps and random texts included.
func TestRerankerTokens(t *testing.T) {
	for kind, m := range readGoldenRerank(t).Models {
		dir := modelDir(t, kind)
		for name, want := range m.Files {
			data, err := os.ReadFile(filepath.Join(dir, name))
			must(t, err)
			if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != want {
				t.Errorf("%s: %s has changed; run make golden-embed", kind, name)
			}
		}

		data, err := os.ReadFile(filepath.Join(dir, "tokenizer.json"))
		must(t, err)
		tok, err := newTokenizer(data)
		must(t, err)
		for _, x := range m.Fuzz {
			ids, _ := tok.single.fill(tok.encode(x.Text), nil)
			if got := strings.Trim(fmt.Sprint(ids), "[]"); got != x.IDs {
				t.Errorf("%s %q:\n got %v\nwant %v", kind, x.Text, got, x.IDs)
			}
		}
	}
}

// Scores are onnxruntime's, in a batch with padding and alone.
func TestRerankerScores(t *testing.T) {
	for name, e := range engines(t) {
		for kind, m := range readGoldenRerank(t).Models {
			t.Run(name+"/"+string(kind), func(t *testing.T) {
				open := OpenCrossEncoder
				if kind == testmodel.ColBERT || kind == testmodel.ColBERTDense {
					open = OpenColBERT
				}
				c, err := open(context.Background(), modelDir(t, kind), e)
				must(t, err)
				defer c.Close()
				for _, x := range m.Pairs {
					got, err := c.Score(context.Background(), x.Query, []string{x.Passage, "a", x.Passage})
					must(t, err)
					if math.Abs(got[0].Logit-x.Score) > tolerance || math.Abs(got[2].Logit-x.Score) > tolerance {
						t.Errorf("%q, %q: %v, want %v", x.Query, x.Passage, got[0].Logit, x.Score)
					}
					if got[0].Cut != x.Cut {
						t.Errorf("%q, %q: cut is %t", x.Query, x.Passage, got[0].Cut)
					}
					if ids := shown(c, x.Query, x.Passage); ids != nil && fmt.Sprint(ids) != fmt.Sprint(x.IDs) {
						t.Errorf("%q, %q:\n got %v\nwant %v", x.Query, x.Passage, ids, x.IDs)
					}
				}
			})
		}
	}
}

// shown are the tokens that a model is given for a pair.
func shown(c CrossEncoder, query, passage string) []int {
	switch m := c.(type) {
	case *seq2seq:
		in, _ := m.prompt(query, passage)
		return in.ids
	case *late:
		q, _ := m.query(query)
		p, _ := m.input(passage, m.markers[1], m.config.Passage)
		return slices.Concat(q.ids, p.ids)
	}
	return nil
}

// Two vectors against three: the first is nearest to the second (0.8), the other to the third (1).
func TestMaxSim(t *testing.T) {
	query := [][]float32{{1, 0}, {0, 1}}
	passage := [][]float32{{-1, 0}, {0.8, -0.6}, {0, 1}}
	if got := maxSim(query, passage); math.Abs(got-1.8) > 1e-7 {
		t.Errorf("%v, want 0.8 + 1", got)
	}
	if got := maxSim([][]float32{{0.6, 0.8}}, [][]float32{{-1, 0}, {0, -1}}); math.Abs(got+0.6) > 1e-7 {
		t.Errorf("%v, want -0.6: where all are negative the greatest counts", got)
	}
}

// Numbers of 16 bits: 1.5 is 0x3E00 and -0.25 is 0xB400; in BF16 1.5 is 0x3FC0.
func TestSafetensors(t *testing.T) {
	head := `{"h":{"dtype":"F16","shape":[2],"data_offsets":[0,4]},"b":{"dtype":"BF16","shape":[1],"data_offsets":[4,6]},"__metadata__":{}}`
	file := append([]byte{byte(len(head)), 0, 0, 0, 0, 0, 0, 0}, head...)
	got, err := parseSafetensors(append(file, 0x00, 0x3e, 0x00, 0xb4, 0xc0, 0x3f))
	must(t, err)
	if fmt.Sprint(got["h"], got["b"]) != "[1.5 -0.25] [1.5]" {
		t.Errorf("%v", got)
	}
	for _, bad := range []string{"", "\x01", "\xff\xff\xff\xff\xff\xff\xff\xffx", "\x02\x00\x00\x00\x00\x00\x00\x00[]", string(file)} {
		if _, err := parseSafetensors([]byte(bad)); err == nil {
			t.Errorf("%q is read", bad)
		}
	}
}

// FuzzSafetensors feeds damaged files of weights, which must not panic.
func FuzzSafetensors(f *testing.F) {
	f.Add([]byte("\x02\x00\x00\x00\x00\x00\x00\x00{}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		_, _ = parseSafetensors(data)
	})
}

// Folders without what late interaction needs are refused.
func TestColBERTRefused(t *testing.T) {
	for name, c := range map[string]struct {
		kind                  testmodel.Kind
		file, content, remove string
		want                  string
	}{
		"no settings": {kind: testmodel.ColBERT, remove: "artifact.metadata", want: "says nothing of late interaction"},
		"l2": {
			kind: testmodel.ColBERT, file: "artifact.metadata", content: `{"similarity": "l2", "query_maxlen": 32, "doc_maxlen": 180}`,
			want: "compares vectors by l2",
		},
		"no marker": {
			kind: testmodel.ColBERT, file: "artifact.metadata", want: `has no token "[QueryMarker]"`,
			content: `{"query_maxlen": 32, "doc_maxlen": 180, "query_token_id": "[QueryMarker]"}`,
		},
		"no weights":  {kind: testmodel.ColBERTDense, remove: "1_Dense/model.safetensors", want: "must be saved as safetensors"},
		"cut weights": {kind: testmodel.ColBERTDense, file: "1_Dense/model.safetensors", content: "\x00", want: "cannot be read: it has 1 bytes"},
		"pooled":      {kind: testmodel.RoBERTa, want: "says nothing of late interaction"},
		"other module": {
			kind: testmodel.ColBERTDense, file: "modules.json", content: `[{"type": "x.Pooling"}]`, want: "has a module Pooling",
		},
		"residual": {
			kind: testmodel.ColBERTDense, file: "1_Dense/config.json", want: "around which its input goes",
			content: `{"in_features": 32, "out_features": 16, "use_residual": true}`,
		},
	} {
		dir := modelDir(t, c.kind)
		if c.remove != "" {
			must(t, os.Remove(filepath.Join(dir, c.remove)))
		}
		if c.file != "" {
			write(t, dir, c.file, c.content)
		}
		if _, err := OpenColBERT(context.Background(), dir, Engine{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// What was taken from where is said of each layout.
func TestRerankerNotes(t *testing.T) {
	for kind, want := range map[testmodel.Kind]string{
		testmodel.MonoT5:      "relevant is ▁true and irrelevant ▁false, by the name in its config.json, castorini/monot5-base-msmarco",
		testmodel.MonoMT5:     "relevant is ▁yes and irrelevant ▁no, by lore.json",
		testmodel.CrossXLMR:   "puts a sigmoid over the logit; the logit itself is taken",
		testmodel.CrossTwo:    "of its two classes, which have numbers alone, the second is taken for relevant",
		testmodel.CrossModern: "",
	} {
		c, err := OpenCrossEncoder(context.Background(), modelDir(t, kind), Engine{})
		must(t, err)
		if notes := strings.Join(c.Settings().Notes, "; "); !strings.Contains(notes, want) || want == "" && notes != "" {
			t.Errorf("%s: %q", kind, notes)
		}
		must(t, c.Close())
	}
}

// A classifier with a decoder, as BART has it, is still a classifier.
func TestClassifierWithDecoder(t *testing.T) {
	dir := modelDir(t, testmodel.CrossTwo)
	write(t, dir, "config.json", `{"is_encoder_decoder": true, "architectures": ["BartForSequenceClassification"],
		"max_position_embeddings": 64, "id2label": {"0": "relevant", "1": "irrelevant"}}`)
	c, err := OpenCrossEncoder(context.Background(), dir, Engine{})
	must(t, err)
	defer c.Close()
	if n := c.(*crossEncoder).relevant; n != 1 {
		t.Errorf("the class %d is taken for relevant", n)
	}
}

func TestKnownTokens(t *testing.T) {
	for model, want := range map[string]string{
		"castorini/monot5-3b-msmarco-10k":       "[▁true ▁false]",
		"unicamp-dl/InRanker-base":              "[▁true ▁false]",
		"unicamp-dl/mt5-base-mmarco-v2":         "[▁yes ▁no]",
		"unicamp-dl/mt5-base-en-msmarco":        "[▁yes ▁no]",
		"unicamp-dl/ptt5-base-pt-msmarco-10k":   "[▁sim ▁não]",
		"unicamp-dl/monoptt5-base":              "[▁Sim ▁Não]",
		"unicamp-dl/mt5-13b-mmarco-100k":        "[▁true ▁]",
		"google/flan-t5-large":                  "[]",
		"sentence-transformers/msmarco-t5-base": "[]",
	} {
		if got := fmt.Sprint(knownTokens(model)); got != want {
			t.Errorf("%s: %s", model, got)
		}
	}
}

// Rerankers that cannot be read are refused with what to do.
func TestRerankerRefused(t *testing.T) {
	for name, c := range map[string]struct {
		kind          testmodel.Kind
		file, content string
		remove        string
		want          string
	}{
		"generative": {
			kind: testmodel.CrossTwo, file: "config.json",
			content: `{"architectures": ["Qwen3ForCausalLM"], "model_type": "qwen3", "max_position_embeddings": 64}`,
			want:    "is a generative reranker (Qwen3ForCausalLM), which lore does not compute from a folder; serve it by Ollama",
		},
		"entailment": {
			kind: testmodel.CrossTwo, file: "config.json",
			content: `{"max_position_embeddings": 64, "id2label": {"0": "entailment", "1": "not_entailment"}}`,
			want:    "has two classes that do not say which is relevant: entailment, not_entailment",
		},
		"unknown T5": {
			kind: testmodel.MonoT5, file: "config.json", content: `{"model_type": "t5", "n_positions": 64}`,
			want: `{"relevant_tokens": ["▁true", "▁false"]}`,
		},
		"token of another model": {
			kind: testmodel.MonoMT5, file: OverrideFile, content: `{"relevant_tokens": ["▁oui", "▁non"]}`,
			want: `has no token "▁oui" in its vocabulary (by lore.json)`,
		},
		"one token": {
			kind: testmodel.MonoMT5, file: OverrideFile, content: `{"relevant_tokens": ["▁oui"]}`, want: "has 1 relevant_tokens",
		},
		"no decoder": {kind: testmodel.MonoT5, remove: decoderFile, want: "has an encoder and no decoder_model.onnx"},
		"merged": {
			kind: testmodel.MonoT5, remove: decoderFile, file: mergedFile, content: "x", want: "a merged decoder needs past keys",
		},
		"no encoder": {kind: testmodel.MonoT5, remove: encoderFile, want: "has no encoder_model.onnx"},
		"damaged map": {
			kind: testmodel.CrossTwo, file: "tokenizer.json",
			content: `{"normalizer": {"type": "Precompiled", "precompiled_charsmap": "AAAA"}, "model": {"type": "Unigram", "vocab": []}}`,
			want:    "has a tokeniser that lore cannot use",
		},
	} {
		dir := modelDir(t, c.kind)
		if c.remove != "" {
			must(t, os.Remove(filepath.Join(dir, c.remove)))
		}
		if c.file != "" {
			write(t, dir, c.file, c.content)
		}
		if _, err := OpenCrossEncoder(context.Background(), dir, Engine{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// FuzzCharMap feeds damaged maps, which must not panic.
func FuzzCharMap(f *testing.F) {
	f.Add("CAAAAAAAAAAAAAAAYQA=", "é\u0301①x")
	f.Add("AAAA", "")
	f.Fuzz(func(t *testing.T, encoded, text string) {
		if m, err := newCharMap(encoded); err == nil {
			m.apply(text)
		}
	})
}
