package embed

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
)

// Files of an encoder with a decoder, as Optimum exports them.
const (
	encoderFile = "encoder_model.onnx"
	decoderFile = "decoder_model.onnx"
	mergedFile  = "decoder_model_merged.onnx"
)

// decoder computes the first step of a decoder: what it would write first.
type decoder interface {
	// step returns the logits of all tokens after the start token, by text. hidden are the
	// encoder's states.
	step(ctx context.Context, hidden [][][]float32, start int) ([][]float32, error)
	close() error
}

// seq2seq scores pairs by what an encoder with a decoder would write: monoT5 (Nogueira et al.,
// Document Ranking with a Pretrained Sequence-to-Sequence Model, 2020).
type seq2seq struct {
	settings Settings
	tok      *tokenizer
	encoder  runtime
	decoder  decoder
	most     int
	dir      string
	yes, no  int // tokens
	start    int // the token that a decoder begins with
}

// seq2seq reports whether a model is an encoder with a decoder that writes. Some have a decoder and
// classify, as a BART of entailment does.
func (c modelConfig) seq2seq() bool {
	classifies := slices.ContainsFunc(c.Architectures, func(a string) bool { return strings.HasSuffix(a, "ForSequenceClassification") })
	return !classifies && (c.Decodes || slices.Contains([]string{"t5", "mt5", "umt5"}, c.ModelType))
}

// relevantTokens are the first tokens that models write for relevant and for irrelevant passages,
// by parts of their names: those of castorini (pygaggle) and of unicamp-dl.
var relevantTokens = []struct {
	parts   []string
	yes, no string
}{
	{[]string{"monoptt5"}, "▁Sim", "▁Não"},
	{[]string{"ptt5", "msmarco"}, "▁sim", "▁não"},
	{[]string{"mt5-3b-mmarco"}, "▁true", "▁"},
	{[]string{"mt5-13b-mmarco"}, "▁true", "▁"},
	{[]string{"monot5"}, "▁true", "▁false"},
	{[]string{"inranker"}, "▁true", "▁false"},
	{[]string{"mt5-", "msmarco"}, "▁yes", "▁no"},
	{[]string{"mt5-", "mmarco"}, "▁yes", "▁no"},
}

// The input of monoT5, in three parts.
const (
	askQuery    = "Query: "
	askDocument = " Document:"
	askRelevant = "Relevant:"
)

func openSeq2Seq(ctx context.Context, dir string, e Engine, config modelConfig) (CrossEncoder, error) {
	f, tok, err := openFolder(dir, false)
	if err != nil {
		return nil, err
	}

	s := &seq2seq{tok: tok, dir: dir, most: batchLimit(f), start: config.Start}
	if s.yes, s.no, err = f.relevantIDs(tok, config); err != nil {
		return nil, err
	}
	if f.alone {
		return nil, f.unclear("is quantised dynamically, which lore does not compute for an encoder with a decoder",
			"export it with float32 weights")
	}

	f.pooled = true // the encoder gives states
	if s.encoder, err = e.open(ctx, f); err != nil {
		return nil, err
	}
	if s.decoder, err = e.openDecoder(ctx, f); err != nil {
		return nil, errors.Join(err, s.encoder.close())
	}
	f.settings.Output = "logits"
	s.settings = f.settings
	if _, err := s.Score(ctx, "", []string{""}); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// findPair finds the files of an encoder with a decoder, and hashes both.
func (f *folder) findPair(found []string) error {
	for _, sub := range []string{"", "onnx/"} {
		if !slices.Contains(found, sub+encoderFile) {
			continue
		}
		if !slices.Contains(found, sub+decoderFile) {
			msg := "has an encoder and no " + decoderFile
			if slices.Contains(found, sub+mergedFile) {
				msg += "; a merged decoder needs past keys, which lore does not feed"
			}
			return f.unclear(msg, "export it with Optimum, without merging (--no-post-process), and copy both files")
		}

		var sums []byte
		for _, name := range []string{decoderFile, encoderFile} { // the encoder is the one that stays
			f.file = sub + name
			if err := f.hashFile(); err != nil {
				return err
			}
			sums = append(sums, f.settings.Model...)
		}
		sum := sha256.Sum256(sums)
		f.settings.Model = hex.EncodeToString(sum[:])
		return nil
	}
	return f.unclear("is an encoder with a decoder, and has no "+encoderFile,
		"export it with Optimum for the task text2text-generation: "+encoderFile+" and "+decoderFile)
}

// relevantIDs are the tokens for relevant and for irrelevant.
func (f *folder) relevantIDs(tok *tokenizer, config modelConfig) (yes, no int, err error) {
	tokens, how := f.over.Relevant, "by "+OverrideFile
	if tokens == nil {
		tokens, how = knownTokens(folderName(f.dir)), "by the folder's name"
	}
	if tokens == nil {
		tokens, how = knownTokens(config.Made), "by the name in its config.json, "+config.Made
	}
	if tokens == nil {
		return 0, 0, f.unclear("is an encoder with a decoder of which lore does not know what it writes for a relevant passage",
			"monoT5, InRanker and the rerankers of unicamp-dl are known by name; of others write the tokens for relevant and for "+
				`irrelevant into its `+OverrideFile+`: {"relevant_tokens": ["▁true", "▁false"]}`)
	}

	var ids [2]int
	for i, token := range tokens {
		var ok bool
		if ids[i], ok = tok.id(token); !ok {
			return 0, 0, f.unclear(fmt.Sprintf("has no token %q in its vocabulary (%s)", token, how),
				"check that tokenizer.json belongs to the model, and relevant_tokens in its "+OverrideFile)
		}
	}
	f.settings.Relevant = tokens
	f.note(fmt.Sprintf("relevant is %s and irrelevant %s, %s", tokens[0], tokens[1], how))
	return ids[0], ids[1], nil
}

func knownTokens(model string) []string {
	name := strings.ReplaceAll(strings.ToLower(model), "_", "-")
	for _, k := range relevantTokens {
		if !slices.ContainsFunc(k.parts, func(part string) bool { return !strings.Contains(name, part) }) {
			return []string{k.yes, k.no}
		}
	}
	return nil
}

func (s *seq2seq) Settings() Settings { return s.settings }

func (s *seq2seq) Close() error { return errors.Join(s.encoder.close(), s.decoder.close()) }

// prompt is the model's input for a pair. What does not fit is cut as by a cross-encoder: the
// words around query and passage stay.
func (s *seq2seq) prompt(query, passage string) (in input, cut bool) {
	room := s.settings.MaxTokens - s.tok.single.specials()
	ids := s.tok.encode(askQuery + query + askDocument + " " + passage + " " + askRelevant)
	if len(ids) > room {
		before, between := s.tok.encode(strings.TrimSpace(askQuery)), s.tok.encode(strings.TrimSpace(askDocument))
		after := s.tok.encode(askRelevant)
		first, second, _ := fitPair(s.tok.encode(query), s.tok.encode(passage), room-len(before)-len(between)-len(after))
		ids, cut = slices.Concat(before, first, between, second, after), true
	}
	in.ids, in.types = s.tok.single.fill(ids, nil)
	return in, cut
}

// Score is the logarithm of the probability of the token for relevant, of the two: at most 0.
func (s *seq2seq) Score(ctx context.Context, query string, passages []string) ([]PairScore, error) {
	out := make([]PairScore, len(passages))
	inputs := make([]input, len(passages))
	order := make([]int, len(passages))
	for i, p := range passages {
		inputs[i], out[i].Cut = s.prompt(query, p)
		order[i] = i
	}

	// Batches are of similar length, as those of runAll.
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(len(inputs[a].ids), len(inputs[b].ids)) })
	for len(order) > 0 {
		size := batchSize(order, s.most, inputs)
		batch := make([]input, size)
		for k, i := range order[:size] {
			batch[k] = inputs[i]
		}
		logits, err := s.decode(ctx, batch)
		if err != nil {
			return nil, err
		}

		for k, i := range order[:size] {
			against := float64(logits[k][s.no]) - float64(logits[k][s.yes])
			out[i].Logit = -math.Log1p(math.Exp(against))
			if against > 30 { // where the exponential would lose, or overflow
				out[i].Logit = -against
			}
			if err := checkScore(s.dir, out[i].Logit); err != nil {
				return nil, err
			}
		}
		order = order[size:]
	}
	return out, nil
}

// decode computes encoder and decoder for a batch.
func (s *seq2seq) decode(ctx context.Context, batch []input) ([][]float32, error) {
	states, err := s.encoder.run(ctx, batch)
	if err != nil {
		return nil, err
	}
	hidden := make([][][]float32, len(states))
	for i, o := range states {
		if hidden[i] = o.tokens; o.tokens == nil {
			return nil, (&folder{dir: s.dir}).unclear("has an encoder without states of tokens", "export it again with Optimum")
		}
	}

	logits, err := s.decoder.step(ctx, hidden, s.start)
	if err != nil {
		return nil, err
	}
	for _, l := range logits {
		if len(l) <= max(s.yes, s.no) {
			return nil, (&folder{dir: s.dir}).unclear(fmt.Sprintf("gives %d logits for a token, and its vocabulary is larger", len(l)),
				"check that tokenizer.json belongs to the model")
		}
	}
	return logits, nil
}

// openDecoder opens the decoder beside an encoder.
func (e Engine) openDecoder(ctx context.Context, f *folder) (decoder, error) {
	beside := *f
	beside.file = filepath.ToSlash(filepath.Join(filepath.Dir(f.file), decoderFile))
	if e.Runtime == ONNXRuntime {
		return openORTDecoder(&beside)
	}
	return openHugotDecoder(ctx, &beside)
}

// decoderInputs are the inputs of a decoder's first step.
var decoderInputs = []string{"input_ids", "encoder_hidden_states", "encoder_attention_mask"}

// checkDecoder refuses a decoder with other inputs, or without logits.
func checkDecoder(f *folder, inputs, outputs []string) error {
	for _, name := range inputs {
		if !slices.Contains(decoderInputs, name) {
			return f.unclear("has a "+decoderFile+" that wants the input "+name,
				"export it with Optimum for text2text-generation, without merging (--no-post-process)")
		}
	}
	if !slices.Contains(outputs, "logits") {
		return f.unclear("has a "+decoderFile+" without logits; it has "+strings.Join(outputs, ", "),
			"export it with its language-model head")
	}
	return nil
}

// flatStates pads the encoder's states to a rectangle, and returns the mask of what is there.
func flatStates(hidden [][][]float32) (flat []float32, mask []int64, longest, width int) {
	for _, h := range hidden {
		longest = max(longest, len(h))
	}
	width = len(hidden[0][0])
	flat, mask = make([]float32, len(hidden)*longest*width), make([]int64, len(hidden)*longest)
	for b, h := range hidden {
		for i, v := range h {
			copy(flat[(b*longest+i)*width:], v)
			mask[b*longest+i] = 1
		}
	}
	return flat, mask, longest, width
}

// starts is the decoder's own input: its start token, for each text.
func starts(n, start int) []int64 {
	return slices.Repeat([]int64{int64(start)}, n)
}
