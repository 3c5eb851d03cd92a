package embed

import (
	"context"
	"slices"
	"sync"
	"time"
)

// Trial finds out how long texts take without computing them all. Under a context with a trial
// a Cache gives what it has; of other texts some are computed and timed, the rest get vectors of
// those, and nothing is written. It is safe for concurrent use.
type Trial struct {
	Budget time.Duration // to spend on each model, which is always tried once
	Phase  func() string // what is being done; may be nil

	mu    sync.Mutex
	tried []*Tried
}

// Tried is what a trial has found of a model in a phase.
type Tried struct {
	Phase, Model string
	Texts, Bytes int       // that would have to be computed
	Timed        int       // bytes of those that were
	Rates        []float64 // seconds a byte, of each batch that was timed

	Spent time.Duration

	vectors []Embedding
	seen    map[[32]byte]bool
}

type trialKey struct{}

// WithTrial returns a context with a trial.
func WithTrial(ctx context.Context, t *Trial) context.Context {
	return context.WithValue(ctx, trialKey{}, t)
}

func trialOf(ctx context.Context) *Trial {
	t, _ := ctx.Value(trialKey{}).(*Trial)
	return t
}

// Tried lists what was found so far.
func (t *Trial) Tried() []Tried {
	t.mu.Lock()
	defer t.mu.Unlock()
	out := make([]Tried, len(t.tried))
	for i, one := range t.tried {
		out[i] = *one
		out[i].Rates = slices.Clone(one.Rates)
	}
	return out
}

// trialBatch is how many texts are timed at once.
const trialBatch = 8

// embed computes some texts, spread over all, and gives the others vectors of these.
func (t *Trial) embed(ctx context.Context, model Embedder, role Role, texts []string) ([]Embedding, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	tried := t.of(model.Settings().Name)
	for _, text := range texts {
		if key := textKey(role, text); !tried.seen[key] {
			tried.seen[key] = true
			tried.Texts, tried.Bytes = tried.Texts+1, tried.Bytes+len(text)
		}
	}

	out := make([]Embedding, len(texts))
	batches := (len(texts) + trialBatch - 1) / trialBatch
	for n := range batches {
		if len(tried.vectors) > 0 && tried.Spent >= t.Budget {
			break
		}
		var batch []string
		for i := n; i < len(texts); i += batches {
			batch = append(batch, texts[i])
		}
		got, err := tried.time(ctx, model, role, batch)
		if err != nil {
			return nil, err
		}
		for k, e := range got {
			out[n+k*batches] = e
		}
	}

	for i := range out {
		if out[i].Vector == nil {
			key := textKey(role, texts[i])
			out[i] = tried.vectors[int(key[0])%len(tried.vectors)]
		}
	}
	return out, nil
}

// fill puts the vectors of missing texts, by the places where they stand first, into out.
func (t *Trial) fill(ctx context.Context, model Embedder, role Role, texts []string, order []int,
	keys [][32]byte, missing map[[32]byte][]int, out []Embedding) error {
	batch := make([]string, len(order))
	for k, i := range order {
		batch[k] = texts[i]
	}
	got, err := t.embed(ctx, model, role, batch)
	if err != nil {
		return err
	}
	for k, i := range order {
		for _, same := range missing[keys[i]] {
			out[same] = got[k]
		}
	}
	return nil
}

// of is what is known of a model in this phase.
func (t *Trial) of(model string) *Tried {
	phase := ""
	if t.Phase != nil {
		phase = t.Phase()
	}
	for _, one := range t.tried {
		if one.Model == model && one.Phase == phase {
			return one
		}
	}
	one := &Tried{Phase: phase, Model: model, seen: map[[32]byte]bool{}}
	t.tried = append(t.tried, one)
	return one
}

func (t *Tried) time(ctx context.Context, model Embedder, role Role, batch []string) ([]Embedding, error) {
	bytes := 0
	for _, text := range batch {
		bytes += len(text)
	}
	start := time.Now()
	got, err := model.Embed(ctx, role, batch)
	if err != nil {
		return nil, err
	}
	took := time.Since(start)

	t.Spent += took
	t.Timed += bytes
	t.Rates = append(t.Rates, took.Seconds()/float64(max(1, bytes)))
	t.vectors = append(t.vectors, got...)
	return got, nil
}
