package embed

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lore/embed/testmodel"
)

const longText = "Members asked what a temporary bank of sand would do for the fishing boats. "

func embedAll(t *testing.T, e Embedder, texts ...string) []Embedding {
	t.Helper()
	out, err := e.Embed(context.Background(), Passage, texts)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestEmptyBatch(t *testing.T) {
	enc := openEncoder(t, testmodel.BERT, Windows{Long: Mean}, Engine{})
	if out := embedAll(t, enc); len(out) != 0 {
		t.Errorf("no texts gave %d vectors", len(out))
	}
}

// A text's vector must not depend on its neighbours. For a dynamically quantised
// model that takes care: its scales come from the whole batch.
func TestBatchAgainstAlone(t *testing.T) {
	for _, kind := range []testmodel.Kind{testmodel.BERT, testmodel.RoBERTa, testmodel.Int8} {
		enc := openEncoder(t, kind, Windows{Long: Mean}, Engine{})
		texts := []string{"wall", "", strings.Repeat(longText, 3), "Café", "The council has set aside four million.", "a", "b", "c", "d"}
		batch := embedAll(t, enc, texts...)
		for i, x := range texts {
			if d := distance(batch[i].Vector, embedAll(t, enc, x)[0].Vector); d > 1e-6 {
				t.Errorf("%s %q: off by %g", kind, x, d)
			}
		}
	}
}

// Int8 vectors come close to those of the same weights in float32.
func TestInt8(t *testing.T) {
	plain := openEncoder(t, testmodel.BERT, Windows{Long: Mean}, Engine{})
	small := openEncoder(t, testmodel.Int8, Windows{Long: Mean}, Engine{})
	for _, x := range []string{"The harbour board met on Tuesday.", longText} {
		a, b := embedAll(t, plain, x)[0].Vector, embedAll(t, small, x)[0].Vector
		dot := 0.0
		for i := range a {
			dot += float64(a[i]) * float64(b[i])
		}
		if dot < 0.999 || dot == 1 {
			t.Errorf("%q: cosine %.6f", x, dot)
		}
	}
	if notes := strings.Join(small.Settings().Notes, " "); !strings.Contains(notes, "one by one") {
		t.Errorf("the settings do not say how int8 is computed: %s", notes)
	}
}

// Accents: the tokeniser leaves strip_accents open and lower-cases, so accents go.
func TestAccents(t *testing.T) {
	enc := openEncoder(t, testmodel.BERT, Windows{Long: Mean}, Engine{})
	out := embedAll(t, enc, "Café résumé", "cafe resume", "coffee house")
	if distance(out[0].Vector, out[1].Vector) != 0 {
		t.Error("accents change the vector of an uncased model")
	}
	if distance(out[0].Vector, out[2].Vector) == 0 {
		t.Error("all texts have one vector: the test proves nothing")
	}
}

// Long texts: the windows' vectors, pooled by hand.
func TestWindows(t *testing.T) {
	ctx := context.Background()
	text := strings.Repeat(longText, 9)
	for _, w := range []Windows{{Long: Mean}, {Long: Max}, {Long: Mean, Tokens: 20, Overlap: 5}, {Long: Cut}} {
		opened := openEncoder(t, testmodel.Last, w, Engine{}) // not normalised, so that means are plain
		enc := opened.(*encoder)
		ids := enc.tok.encode(text)
		windows, cut := enc.split(ids, 0)
		got := embedAll(t, enc, text)[0]
		if got.Cut != cut || cut != (w.Long == Cut) || got.Windows != len(windows) || got.Tokens != len(ids) {
			t.Errorf("%+v: %+v of %d tokens", w, got, len(ids))
		}
		var vectors [][]float32
		covered, total := 0, 0
		for i, win := range windows {
			var in input
			in.ids, in.types = enc.tok.single.fill(win, nil)
			o, err := enc.rt.run(ctx, []input{in})
			if err != nil {
				t.Fatal(err)
			}
			vectors = append(vectors, o[0].tokens[len(in.ids)-1])
			total += len(win)
			covered += len(win)
			if i > 0 {
				covered -= w.Overlap
			}
		}
		if w.Long != Cut && covered != len(ids) {
			t.Errorf("%+v: windows cover %d of %d tokens", w, covered, len(ids))
		}
		for k := range got.Vector {
			want, most := 0.0, math.Inf(-1)
			for i, v := range vectors {
				want += float64(v[k]) * float64(len(windows[i])) / float64(total)
				most = max(most, float64(v[k]))
			}
			if w.Long == Max {
				want = most
			}
			if math.Abs(float64(got.Vector[k])-want) > 1e-6 {
				t.Fatalf("%+v: dimension %d is %v, want %v", w, k, got.Vector[k], want)
			}
		}
	}
}

// A pair keeps its query: two passages of one long query still differ.
func TestLongQueryPair(t *testing.T) {
	c, err := OpenCrossEncoder(context.Background(), modelDir(t, testmodel.CrossBERT), Engine{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	query := strings.Repeat(longText, 20)
	scores, err := c.Score(context.Background(), query, []string{"sand for a season", "a closed road means closed shops", longText + longText})
	if err != nil {
		t.Fatal(err)
	}
	if scores[0].Logit == scores[1].Logit || !scores[0].Cut || !scores[1].Cut || !scores[2].Cut {
		t.Errorf("scores %v", scores)
	}
	again, err := c.Score(context.Background(), query, []string{"sand for a season"})
	if err != nil || math.Abs(again[0].Logit-scores[0].Logit) > 1e-6 {
		t.Errorf("the second call gave %v after %v: %v", again, scores, err)
	}
}

func TestSettingsOfFolder(t *testing.T) {
	for kind, want := range map[testmodel.Kind]Settings{
		testmodel.BERT:    {Pooling: "mean", Normalize: true, MaxTokens: 64},
		testmodel.Last:    {Pooling: "last", MaxTokens: 64},
		testmodel.RoBERTa: {Pooling: "cls", Normalize: true, MaxTokens: 64, QueryPrefix: "query: ", PassagePrefix: "passage: "}, // 66 positions, two of them never used
	} {
		got := openEncoder(t, kind, Windows{Long: Mean}, Engine{}).Settings()
		if got.Pooling != want.Pooling || got.Normalize != want.Normalize || got.MaxTokens != want.MaxTokens || got.QueryPrefix != want.QueryPrefix || got.PassagePrefix != want.PassagePrefix {
			t.Errorf("%s: %+v", kind, got)
		}
		if len(got.Model) != 64 || len(got.Tokenizer) != 64 || got.Output != "last_hidden_state" || got.Backend != Hugot {
			t.Errorf("%s: %+v", kind, got)
		}
	}
}

// A prefix is part of the text the model sees.
func TestPrefixes(t *testing.T) {
	enc := openEncoder(t, testmodel.RoBERTa, Windows{Long: Mean}, Engine{})
	q, err := enc.Embed(context.Background(), Query, []string{"sea wall"})
	if err != nil {
		t.Fatal(err)
	}
	p := embedAll(t, enc, "sea wall")
	if distance(q[0].Vector, p[0].Vector) == 0 {
		t.Error("query and passage have one vector in a model with prefixes")
	}
	enc.(*encoder).settings.PassagePrefix = ""
	if d := distance(q[0].Vector, embedAll(t, enc, "query: sea wall")[0].Vector); d > 1e-6 {
		t.Errorf("the prefix is not put before the text: off by %g", d)
	}
}

func TestOverride(t *testing.T) {
	dir := modelDir(t, testmodel.BERT)
	write(t, dir, OverrideFile, `{"pooling":"max","normalize":false,"max_tokens":16,"query_prefix":"q: "}`)
	enc, err := OpenONNX(context.Background(), dir, Windows{Long: Mean}, Engine{})
	if err != nil {
		t.Fatal(err)
	}
	defer enc.Close()
	if s := enc.Settings(); s.Pooling != "max" || s.Normalize || s.MaxTokens != 16 || s.QueryPrefix != "q: " {
		t.Errorf("%+v", s)
	}
}

func write(t *testing.T, dir, name, content string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
}

// Each way a model folder can be bad, and a word of what the user is told.
func TestBadModels(t *testing.T) {
	for name, c := range map[string]struct {
		kind  testmodel.Kind
		spoil func(dir string)
		word  string
	}{
		"no folder":          {testmodel.BERT, func(dir string) { must(t, os.RemoveAll(dir)) }, "is no folder"},
		"no model":           {testmodel.BERT, func(dir string) { must(t, os.Remove(filepath.Join(dir, "model.onnx"))) }, "no .onnx file"},
		"no tokeniser":       {testmodel.BERT, func(dir string) { must(t, os.Remove(filepath.Join(dir, "tokenizer.json"))) }, "no tokenizer.json"},
		"tokeniser no JSON":  {testmodel.BERT, func(dir string) { write(t, dir, "tokenizer.json", "{") }, "tokenizer.json"},
		"unknown tokeniser":  {testmodel.BERT, func(dir string) { write(t, dir, "tokenizer.json", `{"model":{"type":"WordLevel","vocab":{"a":0}}}`) }, "WordLevel"},
		"config no JSON":     {testmodel.BERT, func(dir string) { write(t, dir, "config.json", "nope") }, "config.json"},
		"zero bytes":         {testmodel.ZeroByte, nil, "empty file"},
		"half a file":        {testmodel.BERT, func(dir string) { must(t, os.Truncate(filepath.Join(dir, "model.onnx"), 60_000)) }, "cannot be"},
		"unknown operator":   {testmodel.BadOperator, nil, "LoreUnknown"},
		"wrong output shape": {testmodel.BadShape, nil, "1 dimensions"},
		"a classifier":       {testmodel.ThreeLogits, nil, "classifier"},
		"unknown pooling": {testmodel.BERT, func(dir string) {
			write(t, filepath.Join(dir, "1_Pooling"), "config.json", `{"pooling_mode_weightedmean_tokens":true}`)
		}, "pooling"},
		"unknown module": {testmodel.BERT, func(dir string) {
			write(t, dir, "modules.json", `[{"path":"2_Dense","type":"sentence_transformers.models.Dense"}]`)
		}, "Dense"},
		"two models": {testmodel.BERT, func(dir string) {
			must(t, os.Rename(filepath.Join(dir, "model.onnx"), filepath.Join(dir, "a.onnx")))
			write(t, dir, "b.onnx", "x")
		}, "several"},
		"no limit": {testmodel.BERT, func(dir string) {
			write(t, dir, "config.json", "{}")
			must(t, os.Remove(filepath.Join(dir, "sentence_bert_config.json")))
		}, "how many tokens"},
		"unknown output": {testmodel.BERT, func(dir string) { write(t, dir, OverrideFile, `{"output":"pooled"}`) }, "no output pooled"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := modelDir(t, c.kind)
			if c.spoil != nil {
				c.spoil(dir)
			}
			_, err := OpenONNX(context.Background(), dir, Windows{Long: Mean}, Engine{})
			var bad *ModelError
			if !errors.As(err, &bad) || !strings.Contains(err.Error(), c.word) || bad.Remedy == "" {
				t.Errorf("got %v", err)
			}
			if err != nil && (strings.Contains(err.Error(), "\n") || len(err.Error()) > 700) {
				t.Errorf("the message is no single short line: %d bytes", len(err.Error()))
			}
		})
	}
	_, err := OpenCrossEncoder(context.Background(), modelDir(t, testmodel.BERT), Engine{})
	if err == nil || !strings.Contains(err.Error(), "no logit") {
		t.Errorf("an encoder as cross-encoder: %v", err)
	}
	_, err = OpenCrossEncoder(context.Background(), modelDir(t, testmodel.ThreeLogits), Engine{})
	if err == nil || !strings.Contains(err.Error(), "3 logits") {
		t.Errorf("three classes as cross-encoder: %v", err)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestCancelled(t *testing.T) {
	enc := openEncoder(t, testmodel.BERT, Windows{Long: Mean}, Engine{})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := enc.Embed(ctx, Query, []string{"a"}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// FuzzTokenizer: no text may break the tokenisers, and ids stay in the vocabulary.
func FuzzTokenizer(f *testing.F) {
	f.Add("Café [SEP] </s> don't 中\u200d")
	var toks []*tokenizer
	for _, kind := range []testmodel.Kind{testmodel.BERT, testmodel.RoBERTa} {
		data, err := os.ReadFile(filepath.Join(modelDir(f, kind), "tokenizer.json"))
		if err != nil {
			f.Fatal(err)
		}
		tok, err := newTokenizer(data)
		if err != nil {
			f.Fatal(err)
		}
		toks = append(toks, tok)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, tok := range toks {
			for _, id := range tok.encode(text) {
				if id < 0 || id >= 1000 {
					t.Errorf("%q has the id %d", text, id)
				}
			}
		}
	})
}
