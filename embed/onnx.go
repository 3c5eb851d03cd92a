package embed

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
)

// batchTokens bounds a batch: texts times the length of the longest.
const batchTokens = 2048

// batchTexts bounds the texts of a batch.
const batchTexts = 16

// encoder is an ONNX model that embeds.
type encoder struct {
	settings Settings
	tok      *tokenizer
	rt       runtime
	most     int // texts in a batch
	vectors  checker
	dense    []*projection // Dense modules after the pooling
}

// OpenONNX opens the encoder in a folder. Prefixes that are given come before those that
// the folder's files say.
func OpenONNX(ctx context.Context, dir string, w Windows, e Engine, prefixes ...Prefixes) (Embedder, error) {
	f, tok, err := openFolder(dir, true)
	if err != nil {
		return nil, err
	}
	f.settings.settle(prefixes, f.from)

	f.settings.Windows = w
	rt, err := e.open(ctx, f)
	if err != nil {
		return nil, err
	}

	f.settings.Output = rt.outputName()
	enc := &encoder{settings: f.settings, tok: tok, rt: rt, most: batchLimit(f), dense: f.dense}
	enc.vectors = checker{model: dir, remedy: "choose another model, or export and copy it again"}

	if err := enc.checkPrefixes(); err != nil {
		return nil, errors.Join(err, rt.close())
	}

	// First texts show whether the graph can be computed at all, and tells texts apart.
	if _, err := enc.Embed(ctx, Query, trialTexts); err != nil {
		return nil, errors.Join(err, rt.close())
	}
	return enc, nil
}

// checkPrefixes refuses prefixes that leave less than half of the window for the text.
func (e *encoder) checkPrefixes() error {
	for _, p := range []string{e.settings.QueryPrefix, e.settings.PassagePrefix} {
		if n := len(e.tok.encode(p)); 2*n > e.settings.MaxTokens {
			return &ModelError{
				Dir:    e.settings.Name,
				Msg:    fmt.Sprintf("takes %d tokens, of which the prefix %q needs %d", e.settings.MaxTokens, p, n),
				Remedy: "give a shorter one, in its " + OverrideFile + " or with --embed-query-prefix and --embed-passage-prefix",
			}
		}
	}
	return nil
}

func openFolder(dir string, pooled bool) (*folder, *tokenizer, error) {
	f, err := readFolder(dir, pooled)
	if err != nil {
		return nil, nil, err
	}
	tok, err := newTokenizer(f.tokenizer)
	if err != nil {
		return nil, nil, &ModelError{
			Dir:    dir,
			Msg:    "has a tokeniser that lore cannot use: " + err.Error(),
			Remedy: "export the model with a fast tokeniser of the kinds WordPiece, BPE or Unigram",
			Err:    err,
		}
	}

	f.settings.Notes = append(f.settings.Notes, tok.notes...)
	if tok.whole != nil { // an earlier lore took the longest tokens: its vectors are others
		f.settings.Tokenizer += " by best path"
	}
	if tok.chars != nil { // and took NFKC for the character map
		f.settings.Tokenizer += " and character map"
	}
	if tok.nfc && tok.words != nil { // and parted letters from their accents
		f.settings.Tokenizer += " by NFC"
	}
	return f, tok, nil
}

func batchLimit(f *folder) int {
	if f.alone {
		return 1
	}
	return batchTexts
}

func (e *encoder) Settings() Settings { return e.settings }

func (e *encoder) Close() error { return e.rt.close() }

// Embed embeds the windows of all texts together and pools those of each text.
func (e *encoder) Embed(ctx context.Context, role Role, texts []string) ([]Embedding, error) {
	prefix := e.settings.prefix(role)
	before := e.tok.encode(prefix)

	out := make([]Embedding, len(texts))
	var inputs []input
	var owner []int                      // the text that an input is a window of
	lengths := make([][]int, len(texts)) // of a text's windows, in tokens
	for i, text := range texts {
		ids := e.tok.encode(prefix + text)
		head := ids[:common(ids, before)]
		windows, cut := e.split(ids[len(head):], len(head))
		out[i] = Embedding{Tokens: len(ids), Windows: len(windows), Cut: cut}
		for _, w := range windows {
			in := input{}
			in.ids, in.types = e.tok.single.fill(slices.Concat(head, w), nil)
			inputs, owner = append(inputs, in), append(owner, i)
			lengths[i] = append(lengths[i], len(w))
		}
	}

	outputs, err := runAll(ctx, e.rt, e.most, inputs)
	if err != nil {
		return nil, err
	}

	vectors := make([][][]float32, len(texts))
	for k, o := range outputs {
		v := o.vector
		if v == nil {
			if v, err = e.pooled(o.tokens); err != nil {
				return nil, err
			}
		}
		if why := e.vectors.odd(texts[owner[k]], v); why != "" {
			return nil, e.vectors.refuse(why)
		}
		if e.settings.Normalize {
			normalize(v)
		}
		vectors[owner[k]] = append(vectors[owner[k]], v)
	}

	pooled := make([][]float32, len(texts))
	for i := range out {
		pooled[i] = poolWindows(e.settings.Windows.Long, vectors[i], lengths[i])
		if e.settings.Normalize && len(vectors[i]) > 1 {
			normalize(pooled[i])
		}
		out[i].Vector = pooled[i]
	}
	return out, e.vectors.check(texts, pooled)
}

// pooled is the vector of a window, behind the Dense modules.
func (e *encoder) pooled(tokens [][]float32) ([]float32, error) {
	v := pool(e.settings.Pooling, tokens)
	for _, d := range e.dense {
		var err error
		if v, err = d.apply(v); err != nil {
			return nil, &ModelError{e.settings.Name, err.Error(), "copy the whole folder", err}
		}
	}
	return v, nil
}

// common is how many ids two texts begin with together. Those of a prefix before a text
// are nearly those of the prefix alone: a space at its end may belong to the text's first
// token.
func common(a, b []int) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// split cuts token ids into windows that fit the model with so many tokens of a prefix
// before each.
func (e *encoder) split(ids []int, prefix int) (windows [][]int, cut bool) {
	most := max(1, e.settings.MaxTokens-e.tok.single.specials()-prefix)
	w := e.settings.Windows
	if w.Tokens > 0 {
		most = min(most, w.Tokens)
	}

	if len(ids) <= most {
		return [][]int{ids}, false
	}
	if w.Long == Cut {
		return [][]int{ids[:most]}, true
	}

	step := max(1, most-w.Overlap)
	for start := 0; ; start += step {
		end := min(start+most, len(ids))
		windows = append(windows, ids[start:end])
		if end == len(ids) {
			return windows, false
		}
	}
}

// runAll runs inputs in batches of similar length and returns the outputs in the
// order of the inputs.
func runAll(ctx context.Context, rt runtime, most int, inputs []input) ([]output, error) {
	order := make([]int, len(inputs))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(len(inputs[a].ids), len(inputs[b].ids))
	})

	out := make([]output, len(inputs))
	for start := 0; start < len(order); {
		end := start + batchSize(order[start:], most, inputs)
		batch := make([]input, 0, end-start)
		for _, i := range order[start:end] {
			batch = append(batch, inputs[i])
		}

		results, err := rt.run(ctx, batch)
		if err != nil {
			return nil, err
		}

		for k, r := range results {
			out[order[start+k]] = r
		}
		start = end
	}

	return out, nil
}

// batchSize is a power of two, so that there are few shapes to compile.
func batchSize(order []int, most int, inputs []input) int {
	size := 1
	for size*2 <= min(most, len(order)) && size*2*len(inputs[order[size*2-1]].ids) <= batchTokens {
		size *= 2
	}
	return size
}
