package embed

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"lore/embed/testmodel"
	"lore/local/ollama"
	"lore/local/ollama/ollamatest"
)

// repeated is a JSON list with one value per text.
func repeated(value string) func(int, []string) string {
	return func(_ int, texts []string) string {
		return "[" + strings.TrimSuffix(strings.Repeat(value+",", len(texts)), ",") + "]"
	}
}

// hashed are honest vectors but for the last one.
func hashed(last string) func(int, []string) string {
	return func(_ int, texts []string) string {
		var out []string
		for i := range texts {
			out = append(out, fmt.Sprintf("[%d,%d]", i+1, len(texts[i])))
		}
		return "[" + strings.Join(append(out[:len(out)-1], last), ",") + "]"
	}
}

// A server whose vectors say nothing is refused when it is opened, with a word on what to do.
func TestServedVectorsAreChecked(t *testing.T) {
	for want, vectors := range map[string]func(int, []string) string{
		"gives the same vector for 3 different texts": repeated("[1,1]"),
		"gives a vector of zeros":                     repeated("[0,0]"),
		"gives an empty vector":                       repeated("null"),
		"gives vectors of 2 and of 1 dimensions":      hashed("[1]"),
		"of the length 1e+38, whose products":         hashed("[1e38,1]"),
	} {
		client, err := ollama.NewClient(ollama.Config{Host: (&ollamatest.Server{Vectors: vectors}).Start(t).URL})
		must(t, err)
		_, err = OpenOllama(context.Background(), client, "fake", Windows{Long: Mean})
		var bad *ModelError
		if !errors.As(err, &bad) || !errors.Is(err, ErrVectors) || !strings.Contains(err.Error(), want) ||
			bad.Dir != "ollama:fake" || !strings.Contains(bad.Remedy, "ollama pull fake") {
			t.Errorf("%v, want %s", err, want)
		}
	}
	for _, vectors := range []func(int, []string) string{hashed("[NaN,1]"), hashed("[1e39,1]"), repeated("[]")} {
		client, err := ollama.NewClient(ollama.Config{Host: (&ollamatest.Server{Vectors: vectors}).Start(t).URL})
		must(t, err)
		e, err := OpenOllama(context.Background(), client, "fake", Windows{Long: Mean})
		if err == nil || !strings.Contains(err.Error(), "fake") {
			t.Errorf("%v, %v", e, err)
		}
	}
}

// A server that turns bad later is found out, too.
func TestServedVectorsThatChange(t *testing.T) {
	s := &ollamatest.Server{Vectors: func(n int, texts []string) string {
		if n == 0 {
			return hashed("[5,5]")(n, texts)
		}
		return repeated("[1,2,3]")(n, texts)
	}}
	e := openServed(t, s, Windows{Long: Mean})
	_, err := e.Embed(context.Background(), Passage, []string{"x"})
	if !errors.Is(err, ErrVectors) || !strings.Contains(err.Error(), "vectors of 2 and of 3 dimensions") {
		t.Errorf("%v", err)
	}
}

// broken is a runtime that gives what it is told.
type broken struct {
	runtime
	value float32
}

func (b broken) run(_ context.Context, batch []input) ([]output, error) {
	out := make([]output, len(batch))
	for i := range out {
		out[i].vector = []float32{b.value, b.value}
	}
	return out, nil
}

// The same is true of models in folders.
func TestComputedVectorsAreChecked(t *testing.T) {
	nan, infinite := float32(math.NaN()), float32(math.Inf(1))
	enc := openEncoder(t, testmodel.BERT, Windows{Long: Mean}, Engine{}).(*encoder)
	for value, want := range map[float32]string{0: "zeros", nan: "NaN", infinite: "NaN", 1e20: "overflow", 1: "the same vector for 3"} {
		bad := &encoder{settings: enc.settings, tok: enc.tok, rt: broken{enc.rt, value}, most: 4,
			vectors: checker{model: "some/model"}}
		_, err := bad.Embed(context.Background(), Passage, []string{"one", "two", "three"})
		var typed *ModelError
		if !errors.As(err, &typed) || !strings.Contains(err.Error(), want) || typed.Dir != "some/model" {
			t.Errorf("%v: %v, want %s", value, err, want)
		}
	}

	// Texts that are alike may have one vector, and a blank one may have none.
	for _, texts := range [][]string{{"One", "one ", "ONE"}, {"a", "b"}} {
		same := &encoder{settings: enc.settings, tok: enc.tok, rt: broken{enc.rt, 1}, most: 4}
		if _, err := same.Embed(context.Background(), Passage, texts); err != nil {
			t.Errorf("%q: %v", texts, err)
		}
	}
	if why := new(checker).odd(" ", []float32{0, 0}); why != "" {
		t.Error(why)
	}
}

func TestScoresAreChecked(t *testing.T) {
	opened, err := OpenCrossEncoder(context.Background(), modelDir(t, testmodel.CrossBERT), Engine{})
	must(t, err)
	defer opened.Close()
	c := opened.(*crossEncoder)
	bad := &crossEncoder{settings: c.settings, tok: c.tok, rt: one{broken{c.rt, float32(math.NaN())}}, most: 4, dir: "d"}
	if _, err := bad.Score(context.Background(), "q", []string{"p"}); !errors.Is(err, ErrVectors) {
		t.Errorf("%v", err)
	}
}

// one gives one value per pair.
type one struct{ broken }

func (o one) run(ctx context.Context, batch []input) ([]output, error) {
	out, err := o.broken.run(ctx, batch)
	for i := range out {
		out[i].vector = out[i].vector[:1]
	}
	return out, err
}
