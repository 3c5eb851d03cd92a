package embed

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
)

// Pair is a text and what may follow from it.
type Pair struct {
	Premise, Hypothesis string
}

// Entailment is what a model says of a pair. A premise that does not fit the model is read
// in windows: each value is that of the window where it is greatest. A hypothesis that leaves
// no room for a premise is taken apart: it follows as far as that part of it which follows
// least.
type Entailment struct {
	Entails     float64 // probability that the hypothesis follows
	Contradicts float64 // probability that it is contradicted; 0 where the model does not tell
	Opposed     bool    // contradiction is the likeliest class
	Windows     int     // of the premise; 1 where it fits
	Parts       int     // of the hypothesis; 1 where it fits
}

// Entailer says which texts follow from others. It is safe for concurrent use.
type Entailer interface {
	Settings() Settings
	// Fits reports whether a pair fits the model in one piece.
	Fits(p Pair) bool
	// Entail returns one entailment per pair, in order.
	Entail(ctx context.Context, pairs []Pair) ([]Entailment, error)
	Close() error
}

// entailer is an ONNX cross-encoder that was trained on entailment.
type entailer struct {
	settings Settings
	dir      string
	tok      *tokenizer
	rt       runtime
	most     int
	join     []int // token ids between premise and hypothesis, if these are one text
}

// OpenEntailer opens the model of entailment in a folder: a classifier of pairs whose
// config.json, or OverrideFile, says what its outputs mean.
func OpenEntailer(ctx context.Context, dir string, e Engine) (Entailer, error) {
	f, tok, err := openFolder(dir, false)
	if err != nil {
		return nil, err
	}
	if err := f.classes(); err != nil {
		return nil, err
	}

	rt, err := e.open(ctx, f)
	if err != nil {
		return nil, err
	}
	f.settings.Output = rt.outputName()
	f.settings.Joined = f.over.Joined
	n := &entailer{settings: f.settings, dir: dir, tok: tok, rt: rt, most: batchLimit(f)}
	if n.settings.Joined != "" {
		n.join = tok.encode(n.settings.Joined)
	}

	if err := n.try(ctx); err != nil {
		return nil, errors.Join(err, rt.close())
	}
	return n, nil
}

func (n *entailer) Settings() Settings { return n.settings }

func (n *entailer) Close() error { return n.rt.close() }

// try shows whether the model can be computed, has as many outputs as names, and tells pairs
// apart. A model by which a text does not follow from itself is doubted.
func (n *entailer) try(ctx context.Context) error {
	var self, other []Pair
	for i, t := range trialTexts[1:] {
		self = append(self, Pair{t, t})
		other = append(other, Pair{t, trialTexts[1+(i+1)%2]})
	}

	logits, err := n.logits(ctx, slices.Concat(self, other))
	if err != nil {
		return err
	}
	same := func(l []float32) bool { return slices.Equal(l, logits[0]) }
	if !slices.ContainsFunc(logits, func(l []float32) bool { return !same(l) }) {
		return n.refuse(fmt.Sprintf("gives the same for %d different pairs", len(logits)))
	}

	entails, opposed := 0.0, 0.0
	for i, l := range logits {
		e := n.read(l)
		if i >= len(self) {
			entails -= e.Entails
			continue
		}
		entails += e.Entails
		opposed += e.Contradicts - e.Entails
	}
	if entails <= 0 || opposed > 0 {
		n.settings.Doubts = append(n.settings.Doubts, "by this model a text follows from another one as soon as from "+
			"itself: perhaps its classes are named in a wrong order, or it was not trained on entailment")
	}
	return nil
}

func (n *entailer) refuse(msg string) error {
	return &ModelError{
		Dir:    n.dir,
		Msg:    msg,
		Remedy: "choose another model, or export and copy it again",
		Err:    ErrVectors,
	}
}

// room is how many tokens premise and hypothesis may have together.
func (n *entailer) room() int {
	if n.join != nil {
		return n.settings.MaxTokens - n.tok.single.specials() - len(n.join)
	}
	return n.settings.MaxTokens - n.tok.pair.specials()
}

// Fits implements Entailer.
func (n *entailer) Fits(p Pair) bool {
	return len(n.tok.encode(p.Premise))+len(n.tok.encode(p.Hypothesis)) <= n.room()
}

// inputs are the windows of a pair, for each part of the hypothesis.
func (n *entailer) inputs(p Pair) [][]input {
	premise, hypothesis := n.tok.encode(p.Premise), n.tok.encode(p.Hypothesis)
	most := n.room() - min(len(premise), n.room()/4) // of a hypothesis
	if len(hypothesis) <= most {
		return [][]input{n.windows(premise, hypothesis)}
	}

	var out [][]input
	parts := (len(hypothesis) + n.room()/2 - 1) / (n.room() / 2)
	for i := range parts {
		part := hypothesis[i*len(hypothesis)/parts : (i+1)*len(hypothesis)/parts]
		out = append(out, n.windows(premise, part))
	}
	return out
}

// windows are those of a premise. Neighbouring ones share a quarter of their tokens.
func (n *entailer) windows(premise, hypothesis []int) []input {
	var out []input
	most := n.room() - len(hypothesis)
	for start := 0; ; start += max(1, most-most/4) {
		end := min(start+most, len(premise))
		var in input
		if n.join != nil {
			in.ids, in.types = n.tok.single.fill(slices.Concat(premise[start:end], n.join, hypothesis), nil)
		} else {
			in.ids, in.types = n.tok.pair.fill(premise[start:end], hypothesis)
		}
		out = append(out, in)
		if end == len(premise) {
			return out
		}
	}
}

// Entail computes the windows of all pairs together, in batches of similar length.
func (n *entailer) Entail(ctx context.Context, pairs []Pair) ([]Entailment, error) {
	var all []input
	windows := make([][][]input, len(pairs)) // by pair and part of its hypothesis
	for i, p := range pairs {
		windows[i] = n.inputs(p)
		for _, w := range windows[i] {
			all = append(all, w...)
		}
	}
	outputs, err := n.run(ctx, all)
	if err != nil {
		return nil, err
	}

	out := make([]Entailment, len(pairs))
	next := 0
	for i, parts := range windows {
		e := &out[i]
		e.Entails, e.Parts = 1, len(parts)
		for _, w := range parts {
			follows := 0.0
			for _, logits := range outputs[next : next+len(w)] {
				got := n.read(logits)
				follows = max(follows, got.Entails)
				e.oppose(got)
			}
			e.Entails = min(e.Entails, follows)
			e.Windows = max(e.Windows, len(w))
			next += len(w)
		}
	}
	return out, nil
}

// oppose takes over the greatest contradiction, of a window where it is the likeliest class
// if there is one.
func (e *Entailment) oppose(window Entailment) {
	switch {
	case window.Opposed && !e.Opposed:
		e.Opposed, e.Contradicts = true, window.Contradicts
	case window.Opposed == e.Opposed:
		e.Contradicts = max(e.Contradicts, window.Contradicts)
	}
}

// logits are the plain outputs for pairs that fit.
func (n *entailer) logits(ctx context.Context, pairs []Pair) ([][]float32, error) {
	var all []input
	for _, p := range pairs {
		all = append(all, slices.Concat(n.inputs(p)...)...)
	}
	return n.run(ctx, all)
}

// run computes inputs and checks the outputs.
func (n *entailer) run(ctx context.Context, all []input) ([][]float32, error) {
	outputs, err := runAll(ctx, n.rt, n.most, all)
	if err != nil {
		return nil, err
	}

	out := make([][]float32, len(outputs))
	for i, o := range outputs {
		if len(o.vector) != len(n.settings.Labels) {
			return nil, &ModelError{
				Dir:    n.dir,
				Msg:    fmt.Sprintf("%s, and its classes are %d: %v", shapeText(o), len(n.settings.Labels), n.settings.Labels),
				Remedy: labelRemedy,
			}
		}
		for _, x := range o.vector {
			if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
				return nil, n.refuse("gives a logit that is no number (NaN or infinite)")
			}
		}
		out[i] = o.vector
	}
	return out, nil
}

// read turns outputs into an entailment. Values are rounded, so that the last bits of
// float32 sums, which differ with the length of a batch, do not show.
func (n *entailer) read(logits []float32) Entailment {
	p := n.settings.probabilities(logits)
	likeliest := 0
	var e Entailment
	for i, class := range n.settings.Labels {
		if p[i] > p[likeliest] {
			likeliest = i
		}
		switch class {
		case Entails:
			e.Entails = rounded(p[i])
		case Contradicts:
			e.Contradicts = rounded(p[i])
		}
	}
	e.Opposed = n.settings.Labels[likeliest] == Contradicts
	return e
}

func rounded(p float64) float64 { return math.Round(p*1e6) / 1e6 }
