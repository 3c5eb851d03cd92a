package run

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"lore/cmd/lore/internal/usage"
	"lore/datasets"
	"lore/embed"
	"lore/judge/metric"
	"lore/local/files"
)

// BERTScore says by what answers are compared with their references.
type BERTScore struct {
	Dir      string // folder of the encoder
	IDF      bool   // weigh tokens by their idf over the references
	Baseline string // file of baselines; empty does not rescale

	notes map[string]any
}

// bertFields are the figures of a pair in the order they are cached.
const (
	bertP = iota
	bertR
	bertF
	bertAll
	bertFields
)

// beginMeasure has a step for what an encoder must compute.
func (e *engine) beginMeasure() ([]step, error) {
	if e.opt.BERTScore == nil {
		return nil, nil
	}
	return []step{{do: func(ctx context.Context) error { return e.measure(ctx, e.cells) }}}, nil
}

// measure computes BERTScore of every answer, with the best reference by F1.
func (e *engine) measure(ctx context.Context, cells []cell) error {
	b := e.opt.BERTScore
	base, err := readBaseline(b.Baseline)
	if err != nil {
		return err
	}
	cache, pairs, err := e.openPairs(ctx, b)
	if err != nil {
		return err
	}
	defer cache.Close()

	byItem := map[string][]*cell{}
	for i := range cells {
		c := &cells[i]
		if _, ok := c.item.(datasets.Referenced); ok && !c.failed() {
			byItem[c.item.ID()] = append(byItem[c.item.ID()], c)
		}
	}
	if len(byItem) == 0 {
		return usage.Errorf("--bertscore needs a benchmark with reference answers")
	}

	step := e.opt.Console.Start(bertScore, len(e.items))
	answers, cut := 0, 0
	for n, it := range e.items {
		some, someCut, err := scoreBERT(ctx, cache, byItem[it.ID()], base)
		if err != nil {
			return err
		}
		answers, cut = answers+some, cut+someCut
		step(n + 1)
	}

	s := pairs.enc.Settings()
	b.notes = map[string]any{
		"model":        s.Name,
		"model_sha256": s.Model,
		"window":       s.MaxTokens,
		"idf":          b.IDF,
		"baseline":     b.Baseline,
		"answers":      answers,
		"answers_cut":  cut,
	}
	return nil
}

// openPairs opens the encoder, with the weights of tokens if these are asked for, and the
// cache of what it has scored. Closing the cache closes both.
func (e *engine) openPairs(ctx context.Context, b *BERTScore) (*embed.Cache, *bertPairs, error) {
	enc, err := embed.OpenTokenEncoder(ctx, b.Dir, e.opt.Pipelines.Embedding.Engine)
	if err != nil {
		return nil, nil, err
	}
	pairs := &bertPairs{enc: enc, settings: enc.Settings()}

	// The weights are part of the settings, by which the cache tells scores apart.
	if b.IDF {
		if err := pairs.weigh(ctx, e.items); err != nil {
			return nil, nil, errors.Join(err, enc.Close())
		}
	}
	cache, err := embed.OpenCache(e.opt.Pipelines.IndexDir, pairs, e.opt.Console.Warn)
	if err != nil {
		return nil, nil, errors.Join(err, enc.Close())
	}
	return cache, pairs, nil
}

// scoreBERT scores the answers to one item and counts those that were cut, or whose
// reference was.
func scoreBERT(
	ctx context.Context, cache *embed.Cache, cells []*cell, base [3]float64,
) (answers, cut int, err error) {
	scale := func(v, b float64) float64 { return (v - b) / (1 - b) }

	for _, c := range cells {
		answer := strings.ReplaceAll(datasets.Uncited(c.item, c.evidence), "\x00", " ")
		var texts []string
		for _, ref := range c.item.(datasets.Referenced).References() {
			texts = append(texts, answer+"\x00"+ref)
		}
		got, err := cache.Embed(ctx, embed.Query, texts)
		if err != nil {
			return 0, 0, err
		}

		best, bestAll := 0, math.Inf(-1)
		for k, g := range got {
			if g.Vector[bertF] > got[best].Vector[bertF] {
				best = k
			}
			bestAll = max(bestAll, float64(g.Vector[bertAll]))
		}
		answers++
		if got[best].Cut {
			cut++
		}

		// A new map: that of answers from outside is the caller's.
		m := map[string]float64{}
		maps.Copy(m, c.evidence.Output.Measures)
		v := got[best].Vector
		m[datasets.BERTScoreP] = scale(float64(v[bertP]), base[0])
		m[datasets.BERTScoreR] = scale(float64(v[bertR]), base[1])
		m[datasets.BERTScoreF] = scale(float64(v[bertF]), base[2])
		m[datasets.BERTScoreAll] = scale(bestAll, base[2])
		c.evidence.Output.Measures = m
	}
	return answers, cut, nil
}

// bertPairs shows BERTScore as an embedder for the cache: a text is an answer and a
// reference, its vector the figures.
type bertPairs struct {
	enc      embed.TokenEncoder
	settings embed.Settings
	idf      map[int]float64
	unseen   float64 // idf of a token that no reference has
}

func (b *bertPairs) Settings() embed.Settings { return b.settings }
func (b *bertPairs) Close() error             { return b.enc.Close() }

// weigh counts tokens over all references: ln((N+1)/(df+1)), as in the published
// implementation.
func (b *bertPairs) weigh(ctx context.Context, items []datasets.Item) error {
	var references []string
	for _, it := range items {
		if r, ok := it.(datasets.Referenced); ok {
			references = append(references, r.References()...)
		}
	}

	df := map[int]int{}
	for _, ref := range references {
		got, err := b.enc.TokenVectors(ctx, []string{ref})
		if err != nil {
			return err
		}
		ids := slices.Clone(got[0].IDs)
		slices.Sort(ids)
		for _, id := range slices.Compact(ids) {
			df[id]++
		}
	}

	n := float64(len(references))
	b.idf, b.unseen = map[int]float64{}, math.Log(n+1)
	h := sha256.New()
	for _, id := range slices.Sorted(maps.Keys(df)) {
		b.idf[id] = math.Log((n + 1) / (float64(df[id]) + 1))
		fmt.Fprintf(h, "%d %d\n", id, df[id])
	}
	b.settings.Tokenizer += "+idf:" + hex.EncodeToString(h.Sum(nil))
	return nil
}

// weights are the idf of tokens; nil weighs all alike.
func (b *bertPairs) weights(ids []int) []float64 {
	if b.idf == nil {
		return nil
	}
	out := make([]float64, len(ids))
	for i, id := range ids {
		w, ok := b.idf[id]
		if !ok {
			w = b.unseen
		}
		out[i] = w
	}
	return out
}

// Embed scores pairs; a text that occurs in several is encoded once.
func (b *bertPairs) Embed(ctx context.Context, _ embed.Role, texts []string) ([]embed.Embedding, error) {
	place := map[string]int{}
	var unique []string
	number := func(t string) int {
		i, ok := place[t]
		if !ok {
			i = len(unique)
			place[t] = i
			unique = append(unique, t)
		}
		return i
	}

	sides := make([][2]int, len(texts))
	for i, t := range texts {
		answer, reference, _ := strings.Cut(t, "\x00")
		sides[i] = [2]int{number(answer), number(reference)}
	}

	vectors, err := b.enc.TokenVectors(ctx, unique)
	if err != nil {
		return nil, err
	}

	out := make([]embed.Embedding, len(texts))
	for i, s := range sides {
		out[i] = b.score(vectors[s[0]], vectors[s[1]])
	}
	return out, nil
}

// score compares an answer with a reference: their first windows, as published, and all of
// both. The vector is bertFields long.
func (b *bertPairs) score(a, r embed.TokenVectors) embed.Embedding {
	first := b.pair(a.IDs[:a.Window], a.Vectors[:a.Window], r.IDs[:r.Window], r.Vectors[:r.Window])
	all := first
	cut := a.Window < len(a.IDs) || r.Window < len(r.IDs)
	if cut {
		all = b.pair(a.IDs, a.Vectors, r.IDs, r.Vectors)
	}

	v := make([]float32, bertFields)
	v[bertP], v[bertR], v[bertF], v[bertAll] = float32(first.P), float32(first.R), float32(first.F), float32(all.F)
	return embed.Embedding{Vector: v, Windows: 1, Cut: cut}
}

// pair is 0 where a text has no token.
func (b *bertPairs) pair(aIDs []int, a [][]float32, rIDs []int, r [][]float32) metric.PRF {
	if len(a) == 0 || len(r) == 0 {
		return metric.PRF{}
	}
	return metric.BERTScore(wide(a), wide(r), b.weights(aIDs), b.weights(rIDs))
}

// wide are vectors in the precision of the metrics.
func wide(vectors [][]float32) [][]float64 {
	out := make([][]float64, len(vectors))
	for i, v := range vectors {
		out[i] = make([]float64, len(v))
		for k, x := range v {
			out[i][k] = float64(x)
		}
	}
	return out
}

// readBaseline reads a file of baselines as the published implementation has them:
// lines of layer, P, R and F. The last layer's is taken. No file rescales nothing.
func readBaseline(path string) ([3]float64, error) {
	var out [3]float64
	if path == "" {
		return out, nil
	}
	data, err := files.Read(path, "give a file whose lines are LAYER,P,R,F")
	if err != nil {
		return out, err
	}

	last := -1
	err = files.EachLine(data, func(place string, line []byte) error {
		layer, row, err := parseBaseline(string(line))
		if err != nil {
			return fmt.Errorf("%s: %w", place, err)
		}
		if layer >= 0 && layer >= last {
			last, out = layer, row
		}
		return nil
	})
	if err == nil && last < 0 {
		err = errors.New("has no baseline; its lines are LAYER,P,R,F")
	}
	return out, files.Wrap(path, err)
}

// parseBaseline reads a line; the heading has the layer -1.
func parseBaseline(line string) (layer int, row [3]float64, err error) {
	fields := strings.FieldsFunc(line, func(r rune) bool { return r == ',' || r == '\t' || r == ' ' })
	if len(fields) != 4 {
		return 0, row, fmt.Errorf("has %d fields; a baseline is LAYER,P,R,F", len(fields))
	}
	if layer, err = strconv.Atoi(fields[0]); err != nil {
		return -1, row, nil
	}

	for k := range row {
		if row[k], err = strconv.ParseFloat(fields[k+1], 64); err != nil || !(row[k] < 1) {
			return 0, row, fmt.Errorf("%q is not a baseline below 1", fields[k+1])
		}
	}
	return layer, row, nil
}
