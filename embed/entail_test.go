package embed

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lore/embed/testmodel"
)

// goldenNLI holds token ids by Hugging Face's tokenizers, and logits and probabilities by
// onnxruntime.
type goldenNLI struct {
	Models map[testmodel.Kind]struct {
		SHA256 string
		Pairs  []struct {
			Premise, Hypothesis  string
			IDs, Types           []int
			Logits               []float32
			Entails, Contradicts float64
		}
		Fuzz []struct{ Text, IDs string }
	}
}

func readGoldenNLI(t *testing.T) goldenNLI {
	t.Helper()
	var g goldenNLI
	data, err := os.ReadFile("testdata/golden-nli.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &g); err != nil {
		t.Fatal(err)
	}
	if len(g.Models) != len(testmodel.Entailment) {
		t.Fatalf("golden values of %d models, want %d: run make golden-embed", len(g.Models), len(testmodel.Entailment))
	}
	return g
}

func openEntailer(t testing.TB, dir string, e Engine) Entailer {
	t.Helper()
	n, err := OpenEntailer(context.Background(), dir, e)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := n.Close(); err != nil {
			t.Error(err)
		}
	})
	return n
}

// Models of every layout, in one batch and alone, give onnxruntime's logits and
// probabilities.
func TestGoldenEntailment(t *testing.T) {
	ctx := context.Background()
	for name, engine := range engines(t) {
		for kind, m := range readGoldenNLI(t).Models {
			t.Run(name+"/"+string(kind), func(t *testing.T) {
				dir := modelDir(t, kind)
				if sum, err := hashFile(filepath.Join(dir, "model.onnx")); err != nil || sum != m.SHA256 {
					t.Errorf("the model has changed; run make golden-embed: %v", err)
				}
				n := openEntailer(t, dir, engine).(*entailer)
				var pairs []Pair
				for _, x := range m.Pairs {
					pairs = append(pairs, Pair{x.Premise, x.Hypothesis})
				}
				batched, err := n.Entail(ctx, pairs)
				if err != nil {
					t.Fatal(err)
				}

				for _, x := range m.Fuzz {
					ids, _ := n.tok.single.fill(n.tok.encode(x.Text), nil)
					if got := strings.Trim(fmt.Sprint(ids), "[]"); got != x.IDs {
						t.Errorf("%q:\n got %v\nwant %v", x.Text, got, x.IDs)
					}
				}

				worst := 0.0
				for i, x := range m.Pairs {
					in := n.inputs(pairs[i])
					if len(in) != 1 || len(in[0]) != 1 || fmt.Sprint(in[0][0].ids) != fmt.Sprint(x.IDs) {
						t.Fatalf("%q: ids %v, want %v", x.Premise, in, x.IDs)
					}
					logits, err := n.logits(ctx, pairs[i:i+1])
					if err != nil {
						t.Fatal(err)
					}
					alone, err := n.Entail(ctx, pairs[i:i+1])
					if err != nil {
						t.Fatal(err)
					}
					worst = max(worst, distance(logits[0], x.Logits))
					for _, e := range []Entailment{batched[i], alone[0]} {
						worst = max(worst, math.Abs(e.Entails-x.Entails), math.Abs(e.Contradicts-x.Contradicts))
					}
					if !sameEntailment(batched[i], alone[0]) {
						t.Errorf("%q: %+v in a batch, %+v alone", x.Premise, batched[i], alone[0])
					}
				}
				t.Logf("largest difference %.2g", worst)
				if worst > tolerance {
					t.Errorf("off by %g", worst)
				}
			})
		}
	}
}

func hashFile(path string) (string, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	return hashModel(filepath.Dir(path)+"/none", filepath.Base(path), data)
}

// A premise that does not fit is read in windows that share tokens, of which each value is
// the greatest; one that is nothing but filler around a part changes nothing of that part.
func TestEntailmentWindows(t *testing.T) {
	ctx := context.Background()
	n := openEntailer(t, modelDir(t, testmodel.NLIBERT), Engine{}).(*entailer)
	long := Pair{strings.Repeat(longText, 9), "Boats need sand."}
	windows := n.inputs(long)[0]
	got, err := n.Entail(ctx, []Pair{long})
	if err != nil {
		t.Fatal(err)
	}
	if n.Fits(long) || got[0].Windows != len(windows) || len(windows) < 3 {
		t.Errorf("%+v of %d windows", got[0], len(windows))
	}

	logits, err := n.run(ctx, windows)
	if err != nil {
		t.Fatal(err)
	}
	most, seen := 0.0, map[int]bool{}
	for i, w := range windows {
		if len(w.ids) > testmodel.MaxTokens {
			t.Errorf("a window of %d tokens", len(w.ids))
		}
		most = max(most, n.read(logits[i]).Entails)
		for _, id := range w.ids {
			seen[id] = true
		}
	}
	if math.Abs(most-got[0].Entails) > 1e-6 {
		t.Errorf("entailment %v, want the windows' greatest %v", got[0].Entails, most)
	}
	for _, id := range n.tok.encode(long.Premise) {
		if !seen[id] {
			t.Errorf("the token %d is in no window", id)
		}
	}

}

// A hypothesis that leaves no room is taken apart: all of it must follow.
func TestLongHypothesis(t *testing.T) {
	ctx := context.Background()
	n := openEntailer(t, modelDir(t, testmodel.NLIBERT), Engine{}).(*entailer)
	p := Pair{longText, strings.Repeat(longText, 9)}
	got, err := n.Entail(ctx, []Pair{p, {"sand", "sand"}})
	if err != nil {
		t.Fatal(err)
	}
	if got[0].Parts < 3 || got[1].Parts != 1 || got[1].Windows != 1 {
		t.Fatalf("%+v", got)
	}

	parts, tokens, least := n.inputs(p), 0, 1.0
	for _, windows := range parts {
		logits, err := n.run(ctx, windows)
		if err != nil {
			t.Fatal(err)
		}
		most := 0.0
		for i, w := range windows {
			most = max(most, n.read(logits[i]).Entails)
			if len(w.ids) > testmodel.MaxTokens {
				t.Errorf("an input of %d tokens", len(w.ids))
			}
		}
		for _, typ := range windows[0].types {
			tokens += typ
		}
		tokens-- // the separator at its end
		least = min(least, most)
	}
	if want := len(n.tok.encode(p.Hypothesis)); tokens != want || math.Abs(least-got[0].Entails) > 1e-6 {
		t.Errorf("parts hold %d of %d tokens; entailment %v, want %v", tokens, want, got[0].Entails, least)
	}
}

// Entailments are taken from disk by weights and texts, and another order or batch changes
// none of them.
func TestEntailmentCache(t *testing.T) {
	ctx, dir, model := context.Background(), t.TempDir(), modelDir(t, testmodel.NLIXLMR)
	var pairs []Pair
	for i := range 70 {
		pairs = append(pairs, Pair{strings.Repeat("the sea wall ", i%23), fmt.Sprintf("sand holds for %d winters", i%7)})
	}
	var before []Entailment
	for _, round := range []string{"first", "second"} {
		inner, err := OpenEntailer(ctx, model, Engine{})
		if err != nil {
			t.Fatal(err)
		}
		cached, err := CacheEntailments(dir, inner, func(s string) { t.Error(s) })
		if err != nil {
			t.Fatal(err)
		}
		got, err := cached.Entail(ctx, pairs)
		if err != nil {
			t.Fatal(err)
		}
		plain, err := inner.Entail(ctx, pairs[:3])
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(plain, got[:3]); d != "" {
			t.Error(d)
		}
		if before != nil && cmp.Diff(before, got) != "" {
			t.Error(cmp.Diff(before, got))
		}
		if r := cached.(cachedEntailer).cache.Report(); round == "second" && r.Cached != len(pairs) {
			t.Errorf("%d of %d pairs came from disk", r.Cached, len(pairs))
		}
		before = got
		if err := cached.Close(); err != nil {
			t.Error(err)
		}
	}
}

// edit changes fields of config.json; nil takes one out.
func edit(t *testing.T, dir string, fields map[string]any) {
	t.Helper()
	path := filepath.Join(dir, "config.json")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	config := map[string]any{}
	if err := json.Unmarshal(data, &config); err != nil {
		t.Fatal(err)
	}
	for name, v := range fields {
		config[name] = v
		if v == nil {
			delete(config, name)
		}
	}
	if data, err = json.Marshal(config); err != nil {
		t.Fatal(err)
	}
	write(t, dir, "config.json", string(data))
}

type labels = map[string]any

// Models whose outputs cannot be read are refused, with what to do.
func TestEntailersRefused(t *testing.T) {
	three := func(a, b, c string) map[string]any {
		return map[string]any{"id2label": labels{"0": a, "1": b, "2": c}, "label2id": nil}
	}
	cases := map[string]struct {
		kind   testmodel.Kind
		fields map[string]any
		spoil  func(dir string)
		want   string
	}{
		"no id2label":   {fields: map[string]any{"id2label": nil}, want: "no id2label; write what its outputs mean"},
		"only numbers":  {fields: three("LABEL_0", "LABEL_1", "LABEL_2"), want: "only numbers its classes: LABEL_0, LABEL_1, LABEL_2; write"},
		"plain numbers": {fields: three("0", "1", "2"), want: "only numbers its classes"},
		"wrong names":   {fields: three("positive", "negative", "mixed"), want: `has a class "positive", which does not say`},
		"twice":         {fields: three("entailment", "supported", "neutral"), want: "two classes that mean entailment"},
		"no entailment": {kind: testmodel.NLIRoBERTa, want: "has no class for entailment",
			fields: map[string]any{"id2label": labels{"0": "neutral", "1": "contradiction"}, "label2id": nil}},
		"mixed": {fields: three("entailment", "neutral", "not_entailment"), want: "two and with three"},
		"contradictory": {fields: map[string]any{"label2id": labels{"ENTAILMENT": 0, "NEUTRAL": 2, "CONTRADICTION": 1}},
			want: "contradicts itself"},
		"four": {fields: map[string]any{"id2label": labels{"0": "entailment", "1": "neutral", "2": "contradiction", "3": "other"}},
			want: "has 4 classes"},
		"a gap":       {fields: map[string]any{"id2label": labels{"0": "entailment", "2": "neutral"}}, want: "without the number 1"},
		"other count": {fields: map[string]any{"id2label": labels{"0": "entailment", "1": "not_entailment"}, "label2id": nil}, want: "gives 3 logits for a pair, and its classes are 2"},
		"many labels": {fields: map[string]any{"problem_type": "multi_label_classification"}, want: "do not exclude each other"},
		"falling":     {kind: testmodel.NLILogit, fields: map[string]any{"id2label": labels{"0": "contradiction"}}, want: "falls where entailment rises"},

		"no config": {spoil: func(dir string) {
			os.Remove(filepath.Join(dir, "config.json"))
			write(t, dir, OverrideFile, `{"max_tokens":64}`)
		}, want: "has no config.json"},
		"nothing known":  {spoil: func(dir string) { os.Remove(filepath.Join(dir, "config.json")) }, want: "write max_tokens into"},
		"broken config":  {spoil: func(dir string) { write(t, dir, "config.json", "{") }, want: "config.json that cannot be read"},
		"no tokeniser":   {spoil: func(dir string) { os.Remove(filepath.Join(dir, "tokenizer.json")) }, want: "has no tokenizer.json"},
		"cut short":      {spoil: func(dir string) { truncate(t, dir) }, want: "cannot be"},
		"empty":          {spoil: func(dir string) { write(t, dir, "model.onnx", "") }, want: "empty file model.onnx"},
		"no model":       {spoil: func(dir string) { os.Remove(filepath.Join(dir, "model.onnx")) }, want: "has no .onnx file"},
		"no labels":      {spoil: func(dir string) { write(t, dir, OverrideFile, `{"labels":[]}`) }, want: "has no labels"},
		"odd reading":    {spoil: func(dir string) { write(t, dir, OverrideFile, `{"reading":"guess"}`) }, want: "there are: softmax"},
		"other reading":  {spoil: func(dir string) { write(t, dir, OverrideFile, `{"reading":"sigmoid"}`) }, want: "only a model of one output"},
		"odd scale":      {spoil: func(dir string) { write(t, dir, OverrideFile, `{"scale":[5]}`) }, want: "the least and the greatest value"},
		"unknown field":  {spoil: func(dir string) { write(t, dir, OverrideFile, `{"label":["entailment"]}`) }, want: "did you mean labels?"},
		"an encoder":     {kind: testmodel.BERT, want: "no id2label"},
		"wrong operator": {kind: testmodel.BadOperator, fields: map[string]any{"num_labels": 1}, want: "make build-ort"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if c.kind == "" {
				c.kind = testmodel.NLIBERT
			}
			dir := modelDir(t, c.kind)
			if c.fields != nil {
				edit(t, dir, c.fields)
			}
			if c.spoil != nil {
				c.spoil(dir)
			}
			_, err := OpenEntailer(context.Background(), dir, Engine{})
			var bad *ModelError
			if !errors.As(err, &bad) || !strings.Contains(err.Error(), c.want) || bad.Remedy == "" {
				t.Errorf("%v, want %q and a remedy", err, c.want)
			}
		})
	}
}

func truncate(t *testing.T, dir string) {
	t.Helper()
	path := filepath.Join(dir, "model.onnx")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, "model.onnx", string(data[:len(data)/2]))
}

// Labels in lore.json come before those of config.json, and change what is read.
func TestLabelsOfOverride(t *testing.T) {
	ctx := context.Background()
	p := []Pair{{"The wall is weak.", "Sand holds."}}
	dir := modelDir(t, testmodel.NLIBERT)
	first := openEntailer(t, dir, Engine{})
	a, err := first.Entail(ctx, p)
	if err != nil {
		t.Fatal(err)
	}

	write(t, dir, OverrideFile, `{"labels":["Entailed","Contradict","not enough info"]}`)
	second := openEntailer(t, dir, Engine{})
	b, err := second.Entail(ctx, p)
	if err != nil {
		t.Fatal(err)
	}
	if a[0].Entails != b[0].Contradicts || a[0].Contradicts != b[0].Entails {
		t.Errorf("%+v, and with other labels %+v", a, b)
	}
	if first.Settings().Hash() == second.Settings().Hash() {
		t.Error("one cache holds what two label maps say")
	}

	regression := modelDir(t, testmodel.NLIRegression)
	write(t, regression, OverrideFile, `{"scale":[-10,10]}`)
	n := openEntailer(t, regression, Engine{}).(*entailer)
	logits, err := n.logits(ctx, p)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := n.read(logits[0]).Entails, (float64(logits[0][0])+10)/20; math.Abs(got-want) > 1e-6 {
		t.Errorf("%v on a scale from -10 to 10 is %v, want %v", logits, got, want)
	}
}

// Names of classes as public models have them.
func TestMeaningOfNames(t *testing.T) {
	for name, want := range map[string]string{
		"ENTAILMENT": Entails, "entail": Entails, "Entailed": Entails, "SUPPORTS": Entails, "supported": Entails,
		"not_entailment": NotEntailed, "NOT_ENTAIL": NotEntailed, "not entailment": NotEntailed, "unsupported": NotEntailed,
		"CONTRADICTION": Contradicts, "Contradict": Contradicts, "REFUTES": Contradicts,
		"Neutral": IsNeutral, "NOT ENOUGH INFO": IsNeutral, "LABEL_1": "", "1": "", "positive": "",
	} {
		if got := meaning(name); got != want {
			t.Errorf("%s means %q, want %q", name, got, want)
		}
	}
}

// sameEntailment compares all that is said of a pair, values to the build's rounding.
func sameEntailment(a, b Entailment) bool {
	near := math.Abs(a.Entails-b.Entails) <= rounding && math.Abs(a.Contradicts-b.Contradicts) <= rounding
	a.Entails, a.Contradicts = b.Entails, b.Contradicts
	return near && a == b
}
