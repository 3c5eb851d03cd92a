package embed

import (
	"context"
	"errors"
)

// TokenVectors are the vectors of a text's tokens, special tokens left out.
type TokenVectors struct {
	IDs     []int
	Vectors [][]float32
	Window  int // how many tokens the first window holds; all, for a text that fits
}

// TokenEncoder gives the vector of every token of a text.
type TokenEncoder interface {
	Settings() Settings
	// TokenVectors returns one entry per text. A text longer than the model's window is
	// encoded in windows that follow each other.
	TokenVectors(ctx context.Context, texts []string) ([]TokenVectors, error)
	Close() error
}

// OpenTokenEncoder opens the encoder in a folder for its token vectors.
func OpenTokenEncoder(ctx context.Context, dir string, e Engine) (TokenEncoder, error) {
	opened, err := OpenONNX(ctx, dir, Windows{Long: Mean}, e)
	if err != nil {
		return nil, err
	}

	enc := opened.(*encoder)
	enc.settings.Pooling, enc.settings.Normalize = poolNone, false
	if _, err := enc.TokenVectors(ctx, []string{"a"}); err != nil {
		return nil, errors.Join(err, enc.rt.close())
	}
	return enc, nil
}

// TokenVectors implements TokenEncoder.
func (e *encoder) TokenVectors(ctx context.Context, texts []string) ([]TokenVectors, error) {
	before := 0 // special tokens at the beginning
	for before < len(e.tok.single) && e.tok.single[before].text == 0 {
		before++
	}

	out := make([]TokenVectors, len(texts))
	var inputs []input
	var owner, lengths []int // of an input: its text, and its tokens
	for i, text := range texts {
		out[i].IDs = e.tok.encode(text)
		windows, _ := e.split(out[i].IDs, 0)
		out[i].Window = len(windows[0])
		for _, w := range windows {
			var in input
			in.ids, in.types = e.tok.single.fill(w, nil)
			inputs, owner, lengths = append(inputs, in), append(owner, i), append(lengths, len(w))
		}
	}

	outputs, err := runAll(ctx, e.rt, e.most, inputs)
	if err != nil {
		return nil, err
	}

	for k, o := range outputs {
		if o.tokens == nil {
			return nil, &ModelError{
				Dir:    e.settings.Name,
				Msg:    "gives one vector per text and none per token",
				Remedy: "export it with last_hidden_state",
			}
		}
		out[owner[k]].Vectors = append(out[owner[k]].Vectors, o.tokens[before:before+lengths[k]]...)
	}
	return out, nil
}
