package run

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"lore/datasets"
	"lore/embed"
	"lore/judge/metric"
	"lore/local"
)

// BERTScore says with what answers are compared with their references.
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

// measure computes what an encoder must: BERTScore of every answer, with the best
// reference by F1.
func (e *engine) measure(ctx context.Context, cells []cell) error {
	b := e.opt.BERTScore
	if b == nil {
		return nil
	}
	base, err := readBaseline(b.Baseline)
	if err != nil {
		return err
	}
	enc, err := embed.OpenTokenEncoder(ctx, b.Dir, e.opt.Embedding.Engine)
	if err != nil {
		return err
	}
	pairs := &bertPairs{enc: enc, settings: enc.Settings()}
	if b.IDF {
		if err := pairs.weigh(ctx, e.items); err != nil {
			return errors.Join(err, enc.Close())
		}
	}
	cache, err := embed.OpenCache(e.opt.Embedding.Dir, pairs, e.opt.Warn)
	if err != nil {
		return errors.Join(err, enc.Close())
	}
	defer cache.Close()
	byItem := map[string][]int{}
	for i, c := range cells {
		if _, ok := c.item.(datasets.Referenced); ok && c.output.Outcome == local.OK {
			byItem[c.item.ID()] = append(byItem[c.item.ID()], i)
		}
	}
	if len(byItem) == 0 {
		return &UsageError{"--bertscore needs a benchmark with reference answers"}
	}
	step := e.opt.Progress.Start("BERTScore", len(e.items))
	answers, cut := 0, 0
	for n, it := range e.items {
		some, anyCut, err := scoreBERT(ctx, cache, cells, byItem[it.ID()], base)
		if err != nil {
			return err
		}
		answers, cut = answers+some, cut+anyCut
		step(n + 1)
	}
	s := enc.Settings()
	b.notes = map[string]any{"model": s.Name, "model_sha256": s.Model, "window": s.MaxTokens, "idf": b.IDF, "baseline": b.Baseline, "answers": answers, "answers_cut": cut}
	return nil
}

// scoreBERT scores the answers to one item and counts those that were cut, or whose
// reference was.
func scoreBERT(ctx context.Context, cache *embed.Cache, cells []cell, of []int, base [3]float64) (answers, cut int, err error) {
	for _, i := range of {
		c := &cells[i]
		var texts []string
		for _, ref := range c.item.(datasets.Referenced).References() {
			texts = append(texts, strings.ReplaceAll(c.output.Text, "\x00", " ")+"\x00"+ref)
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
		scale := func(v, b float64) float64 { return (v - b) / (1 - b) }
		v := got[best].Vector
		m := maps.Clone(c.output.Measures)
		if m == nil {
			m = map[string]float64{}
		}
		m[datasets.BERTScoreP], m[datasets.BERTScoreR] = scale(float64(v[bertP]), base[0]), scale(float64(v[bertR]), base[1])
		m[datasets.BERTScoreF], m[datasets.BERTScoreAll] = scale(float64(v[bertF]), base[2]), scale(bestAll, base[2])
		c.output.Measures = m
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
		a, r := vectors[s[0]], vectors[s[1]]
		first := b.pair(a.IDs[:a.Window], a.Vectors[:a.Window], r.IDs[:r.Window], r.Vectors[:r.Window])
		cut := a.Window < len(a.IDs) || r.Window < len(r.IDs)
		all := first
		if cut {
			all = b.pair(a.IDs, a.Vectors, r.IDs, r.Vectors)
		}
		v := make([]float32, bertFields)
		v[bertP], v[bertR], v[bertF], v[bertAll] = float32(first.P), float32(first.R), float32(first.F), float32(all.F)
		out[i] = embed.Embedding{Vector: v, Windows: 1, Cut: cut}
	}
	return out, nil
}

// pair is 0 where a text has no token.
func (b *bertPairs) pair(aIDs []int, a [][]float32, rIDs []int, r [][]float32) metric.PRF {
	if len(a) == 0 || len(r) == 0 {
		return metric.PRF{}
	}
	return metric.BERTScore(wide(a), wide(r), b.weights(aIDs), b.weights(rIDs))
}

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
	f, err := os.Open(path)
	if err != nil {
		return out, inputError(path, fmt.Errorf("cannot be read: %w", errors.Unwrap(err)))
	}
	defer f.Close()
	sc, last := bufio.NewScanner(f), -1
	for n := 1; sc.Scan(); n++ {
		fields := strings.FieldsFunc(sc.Text(), func(r rune) bool { return r == ',' || r == '\t' || r == ' ' })
		if len(fields) != 4 {
			return out, inputError(path, fmt.Errorf("line %d: has %d fields; a baseline is LAYER,P,R,F", n, len(fields)))
		}
		layer, err := strconv.Atoi(fields[0])
		if err != nil {
			continue // the heading
		}
		var row [3]float64
		for k := range row {
			if row[k], err = strconv.ParseFloat(fields[k+1], 64); err != nil || !(row[k] < 1) {
				return out, inputError(path, fmt.Errorf("line %d: %q is no baseline below 1", n, fields[k+1]))
			}
		}
		if layer >= last {
			last, out = layer, row
		}
	}
	if last < 0 {
		return out, inputError(path, errors.New("holds no baseline; its lines are LAYER,P,R,F"))
	}
	return out, sc.Err()
}
