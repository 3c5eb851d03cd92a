package embed

import (
	"context"
	"errors"
	"slices"
)

// late scores pairs by late interaction: the sum over a query's tokens of the greatest cosine
// with a token of the passage (MaxSim).
type late struct {
	settings Settings
	dir      string
	tok      *tokenizer
	rt       runtime
	most     int
	dense    []*projection

	config  lateConfig
	mask    int    // token
	markers [2]int // of queries and passages
	skip    map[int]bool
}

// OpenColBERT opens the model of late interaction in a folder: an encoder whose token vectors are
// projected by its graph or by Dense modules, with the settings of ColBERT or PyLate.
func OpenColBERT(ctx context.Context, dir string, e Engine) (CrossEncoder, error) {
	f, tok, err := openFolder(dir, false)
	if err != nil {
		return nil, err
	}
	l := &late{dir: dir, tok: tok, most: batchLimit(f), skip: map[int]bool{}}
	if l.config, err = f.readLate(); err != nil {
		return nil, err
	}
	if l.markers, err = f.markers(tok, l.config); err != nil {
		return nil, err
	}
	if l.dense, err = f.projections(); err != nil {
		return nil, err
	}
	if l.config.Fill {
		if l.mask, err = f.maskToken(tok); err != nil {
			return nil, err
		}
	}
	for _, word := range l.config.skip {
		if id, ok := tok.id(word); ok {
			l.skip[id] = true
		}
	}
	l.config.Skipped = len(l.skip)
	l.config.Passage = min(l.config.Passage, f.settings.MaxTokens)
	l.config.Query = min(l.config.Query, f.settings.MaxTokens)

	f.pooled = true // the graph gives vectors of tokens
	if l.rt, err = e.open(ctx, f); err != nil {
		return nil, err
	}
	f.settings.Output, f.settings.Pooling, f.settings.Normalize = l.rt.outputName(), poolNone, true
	f.settings.Similarity, f.settings.Late = Cosine, &l.config.Late
	f.note("late interaction with the settings of " + l.config.from)
	l.settings = f.settings
	if _, err := l.Score(ctx, trialTexts[2], trialTexts[:2]); err != nil {
		return nil, errors.Join(err, l.rt.close())
	}
	return l, nil
}

func (l *late) Settings() Settings { return l.settings }

func (l *late) Close() error { return l.rt.close() }

// input is a text with its marker after the first special token, cut to so many tokens.
func (l *late) input(text string, marker, most int) (in input, cut bool) {
	ids := l.tok.encode(text)
	room := max(0, most-l.tok.single.specials()-1)
	cut = len(ids) > room
	in.ids, in.types = l.tok.single.fill(ids[:min(len(ids), room)], nil)

	at := 0
	if len(l.tok.single) > 0 && l.tok.single[0].text == 0 {
		at = 1
	}
	in.ids, in.types = slices.Insert(in.ids, at, marker), slices.Insert(in.types, at, 0)
	return in, cut
}

// query is a query filled up by mask tokens, which the other tokens see or not.
func (l *late) query(text string) (in input, cut bool) {
	in, cut = l.input(text, l.markers[0], l.config.Query)
	if n := l.config.Query - len(in.ids); l.config.Fill && n > 0 {
		in.ids = append(in.ids, slices.Repeat([]int{l.mask}, n)...)
		in.types = append(in.types, make([]int, n)...)
		if !l.config.Attend {
			in.unseen = n
		}
	}
	return in, cut
}

// Score implements CrossEncoder. Queries and passages that are longer than the model's settings
// say are cut, and counted.
func (l *late) Score(ctx context.Context, query string, passages []string) ([]PairScore, error) {
	asked, cutQuery := l.query(query)
	inputs := []input{asked}
	out := make([]PairScore, len(passages))
	for i, p := range passages {
		in, cut := l.input(p, l.markers[1], l.config.Passage)
		inputs, out[i].Cut = append(inputs, in), cut || cutQuery
	}

	outputs, err := runAll(ctx, l.rt, l.most, inputs)
	if err != nil {
		return nil, err
	}
	q, err := l.vectors(outputs[0], nil)
	if err != nil {
		return nil, err
	}
	for i := range passages {
		p, err := l.vectors(outputs[i+1], inputs[i+1].ids)
		if err != nil {
			return nil, err
		}
		out[i].Logit = maxSim(q, p)
		if err := checkScore(l.dir, out[i].Logit); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// vectors projects and normalises the vectors of a text's tokens; of a passage, whose tokens are
// given, those of punctuation are left out.
func (l *late) vectors(o output, passage []int) ([][]float32, error) {
	if o.tokens == nil {
		return nil, (&folder{dir: l.dir}).unclear("gives one vector per text and none per token", "export it with its token vectors")
	}

	var out [][]float32
	var err error
	for i, v := range o.tokens {
		if passage != nil && l.skip[passage[i]] {
			continue
		}
		v = slices.Clone(v)
		if v, err = l.project(v); err != nil {
			return nil, err
		}
		normalize(v)
		out = append(out, v)
	}
	return out, nil
}

// project takes a token vector through the Dense modules, unless the graph has done so.
func (l *late) project(v []float32) ([]float32, error) {
	if n := len(l.dense); n > 0 && len(v) == l.dense[n-1].out && len(v) != l.dense[0].in {
		return v, nil
	}
	for _, d := range l.dense {
		var err error
		if v, err = d.apply(v); err != nil {
			return nil, (&folder{dir: l.dir}).unclear(err.Error(), "copy the whole folder, or export it with its projection")
		}
	}
	return v, nil
}

// maxSim sums the greatest products of each vector of a query with those of a passage.
func maxSim(query, passage [][]float32) float64 {
	sum := 0.0
	for _, q := range query {
		best := 0.0
		for i, p := range passage {
			product := 0.0
			for k, x := range q {
				product += float64(x) * float64(p[k])
			}
			if i == 0 || product > best {
				best = product
			}
		}
		sum += best
	}
	return sum
}
