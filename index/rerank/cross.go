package rerank

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"lore/embed"
	"lore/local/guard"
)

// cross scores pairs by a cross-encoder.
type cross struct {
	model embed.CrossEncoder
	mu    sync.Mutex
	stats Stats
	seen  guard.Seen // texts with marks that part texts, such as [SEP], and their like
}

// Cross reranks by the scores that a model gives to pairs: a cross-encoder's raw logits, what an
// encoder with a decoder would write, or late interaction.
func Cross(model embed.CrossEncoder) Reranker {
	settings := model.Settings()
	c := &cross{model: model, stats: Stats{
		Name:   "cross-encoder",
		Remedy: "the query stays whole and the passage is cut to fit",
	}}
	switch {
	case settings.Late != nil:
		c.stats.Name = "late interaction"
		c.stats.Remedy = fmt.Sprintf("queries are cut to %d tokens and passages to %d", settings.Late.Query, settings.Late.Passage)
	case settings.Relevant != nil:
		c.stats.Name = "encoder and decoder"
	}
	c.stats.Remedy = strings.Join(append([]string{c.stats.Remedy}, settings.Notes...), "; ")
	return c
}

func (c *cross) Stats() Stats {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.stats
	s.Forged = c.seen.Count()
	return s
}

func (c *cross) Rerank(ctx context.Context, jobs []Job, step func(int)) ([][]float64, error) {
	out := make([][]float64, len(jobs))
	for i, j := range jobs {
		texts := make([]string, len(j.Candidates))
		for k, d := range j.Candidates {
			texts[k] = c.seen.Text(d.Text)
		}

		scores, err := c.model.Score(ctx, c.seen.Text(j.Query.Text), texts)
		if err != nil {
			return nil, err
		}

		c.mu.Lock()
		for _, s := range scores {
			out[i] = append(out[i], s.Logit)
			c.stats.Calls++
			if s.Cut {
				c.stats.Cut++
			}
		}
		c.mu.Unlock()

		if step != nil {
			step(i + 1)
		}
	}
	return out, nil
}

// CacheScores keeps a cross-encoder's logits on disk in dir, so that an interrupted
// run goes on where it was.
func CacheScores(dir string, model embed.CrossEncoder, warn func(string)) (embed.CrossEncoder, error) {
	cache, err := embed.OpenCache(dir, pairs{model}, warn)
	if err != nil {
		return nil, err
	}
	return cachedPairs{cache, model}, nil
}

// pairSeparator joins query and passage into one text for the cache.
const pairSeparator = "\x00"

// pairs shows a cross-encoder as an embedder whose vectors are one logit.
type pairs struct{ embed.CrossEncoder }

func (p pairs) Embed(ctx context.Context, _ embed.Role, texts []string) ([]embed.Embedding, error) {
	out := make([]embed.Embedding, len(texts))
	for i := 0; i < len(texts); {
		query, _, _ := strings.Cut(texts[i], pairSeparator)
		var passages []string
		for k := i; k < len(texts); k++ {
			q, passage, _ := strings.Cut(texts[k], pairSeparator)
			if q != query {
				break
			}
			passages = append(passages, passage)
		}

		scores, err := p.Score(ctx, query, passages)
		if err != nil {
			return nil, err
		}

		for k, s := range scores {
			out[i+k] = embed.Embedding{Vector: []float32{float32(s.Logit)}, Windows: 1, Cut: s.Cut}
		}
		i += len(passages)
	}
	return out, nil
}

type cachedPairs struct {
	cache *embed.Cache
	model embed.CrossEncoder
}

func (c cachedPairs) Settings() embed.Settings { return c.model.Settings() }

func (c cachedPairs) Close() error { return c.cache.Close() }

func (c cachedPairs) Score(ctx context.Context, query string, passages []string) ([]embed.PairScore, error) {
	texts := make([]string, len(passages))
	for i, p := range passages {
		texts[i] = strings.ReplaceAll(query, pairSeparator, " ") + pairSeparator + p
	}

	got, err := c.cache.Embed(ctx, embed.Query, texts)
	if err != nil {
		return nil, err
	}

	out := make([]embed.PairScore, len(passages))
	for i, e := range got {
		out[i] = embed.PairScore{Logit: float64(e.Vector[0]), Cut: e.Cut}
	}
	return out, nil
}
