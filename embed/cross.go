package embed

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
)

// crossEncoder is an ONNX model that scores pairs.
type crossEncoder struct {
	settings Settings
	tok      *tokenizer
	rt       runtime
	most     int
	dir      string
	relevant int // of two logits, the first or the second, which speaks for relevance; oneLogit where there is one
}

const oneLogit = 0

// OpenCrossEncoder opens the cross-encoder in a folder: a classifier of pairs with one logit, or
// with one for relevance and one against it, or an encoder with a decoder that writes whether a
// passage is relevant (monoT5).
func OpenCrossEncoder(ctx context.Context, dir string, e Engine) (CrossEncoder, error) {
	if config, err := readConfig(dir); err != nil {
		return nil, err
	} else if config.seq2seq() {
		return openSeq2Seq(ctx, dir, e, config)
	}

	f, tok, err := openFolder(dir, false)
	if err != nil {
		return nil, err
	}
	relevant, err := f.pairHead()
	if err != nil {
		return nil, err
	}

	rt, err := e.open(ctx, f)
	if err != nil {
		return nil, err
	}

	f.settings.Output = rt.outputName()
	c := &crossEncoder{settings: f.settings, tok: tok, rt: rt, most: batchLimit(f), dir: dir, relevant: relevant}
	if _, err := c.Score(ctx, "", []string{""}); err != nil {
		return nil, errors.Join(err, rt.close())
	}
	return c, nil
}

// readConfig reads a folder's config.json; without one nothing is known.
func readConfig(dir string) (modelConfig, error) {
	var config modelConfig
	_, err := (&folder{dir: dir}).read("config.json", &config)
	return config, err
}

// pairHead finds out how the outputs for a pair are read, and refuses models that are no
// cross-encoders by name.
func (f *folder) pairHead() (relevant int, err error) {
	var config struct {
		modelConfig
		classConfig
		Sentence struct {
			New string `json:"activation_fn"`
			Old string `json:"activation_function"`
		} `json:"sentence_transformers"`
		Default string `json:"sbert_ce_default_activation_function"`
	}
	if _, err := f.read("config.json", &config); err != nil {
		return oneLogit, err
	}

	for _, a := range config.Architectures {
		if strings.HasSuffix(a, "ForCausalLM") || a == "JinaForRanking" {
			return oneLogit, &ModelError{
				Dir: f.dir,
				Msg: "is a generative reranker (" + a + "), which lore does not compute from a folder",
				Remedy: "serve it by Ollama and use rerank:llm:NAME, or copy a form of it that classifies pairs " +
					"(…ForSequenceClassification)",
			}
		}
	}
	for _, name := range []string{config.Sentence.New, config.Sentence.Old, config.Default} {
		if strings.HasSuffix(name, ".Sigmoid") {
			f.note("its config.json puts a sigmoid over the logit; the logit itself is taken, which orders alike")
			break
		}
	}
	return f.twoLogits(config.classConfig)
}

// relevance are the names of classes that speak for a passage, and against it.
var relevance = [2][]string{
	{"irrelevant", "not_relevant", "notrelevant", "not relevant", "non_relevant", "non-relevant", "false", "no", "negative"},
	{"relevant", "true", "yes", "positive"},
}

// twoLogits finds the logit of relevance where there are two classes.
func (f *folder) twoLogits(config classConfig) (int, error) {
	names := f.over.Labels
	if names == nil && len(config.Names) == 2 {
		for i := range 2 {
			names = append(names, fmt.Sprint(config.Names[fmt.Sprint(i)]))
		}
	}
	if len(names) != 2 {
		return oneLogit, nil
	}

	is := func(name string, class int) bool { return slices.Contains(relevance[class], strings.ToLower(name)) }
	switch {
	case is(names[0], 0) && is(names[1], 1):
		return 2, nil
	case is(names[0], 1) && is(names[1], 0):
		return 1, nil
	case saysNothing(names[0]) && saysNothing(names[1]):
		f.note("of its two classes, which have numbers alone, the second is taken for relevant, as monoBERT has it")
		return 2, nil
	}
	return oneLogit, &ModelError{
		Dir: f.dir,
		Msg: fmt.Sprintf("has two classes that do not say which is relevant: %s", strings.Join(names, ", ")),
		Remedy: "choose a model that was trained to rank; if it was, write its classes in their order into its " +
			OverrideFile + `, such as {"labels": ["irrelevant", "relevant"]}`,
	}
}

func (c *crossEncoder) Settings() Settings { return c.settings }

func (c *crossEncoder) Close() error { return c.rt.close() }

// Score keeps the query whole and cuts the passage. A query of more than half the
// window is cut to that half, so that every passage is seen; its pairs count as
// cut.
func (c *crossEncoder) Score(ctx context.Context, query string, passages []string) ([]PairScore, error) {
	room := c.settings.MaxTokens - c.tok.pair.specials()
	q := c.tok.encode(query)

	inputs := make([]input, len(passages))
	out := make([]PairScore, len(passages))
	for i, p := range passages {
		var first, second []int
		first, second, out[i].Cut = fitPair(q, c.tok.encode(p), room)
		inputs[i].ids, inputs[i].types = c.tok.pair.fill(first, second)
	}

	outputs, err := runAll(ctx, c.rt, c.most, inputs)
	if err != nil {
		return nil, err
	}

	for i, o := range outputs {
		if out[i].Logit, err = c.logit(o); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// fitPair cuts a query and a passage so that they have room together.
func fitPair(query, passage []int, room int) (first, second []int, cut bool) {
	first = query
	if len(query) > room/2 && len(query)+len(passage) > room {
		first = query[:max(room/2, room-len(passage))]
	}
	second = passage[:min(len(passage), room-len(first))]
	return first, second, len(first) < len(query) || len(second) < len(passage)
}

// logit reads the score of a pair: the one logit, or of two the difference, which is the logit
// of the probability that the passage is relevant.
func (c *crossEncoder) logit(o output) (float64, error) {
	wanted := 1
	if c.relevant != oneLogit {
		wanted = 2
	}
	if len(o.vector) != wanted {
		return 0, &ModelError{
			Dir: c.dir,
			Msg: shapeText(o),
			Remedy: "a cross-encoder for ranking has one logit, or two classes that its config.json names; " +
				"a model of late interaction is used by rerank:colbert:DIR",
		}
	}

	score := float64(o.vector[0])
	if wanted == 2 {
		score = float64(o.vector[c.relevant-1]) - float64(o.vector[2-c.relevant])
	}
	return score, checkScore(c.dir, score)
}

// checkScore refuses what is no number.
func checkScore(dir string, score float64) error {
	if !math.IsNaN(score) && !math.IsInf(score, 0) {
		return nil
	}
	return &ModelError{
		Dir:    dir,
		Msg:    "gives a logit that is no number (NaN or infinite)",
		Remedy: "choose another model, or export and copy it again",
		Err:    ErrVectors,
	}
}

func shapeText(o output) string {
	if o.vector == nil {
		return "gives vectors of tokens and no logit"
	}
	return fmt.Sprintf("gives %d logits for a pair", len(o.vector))
}
