package index

import (
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"

	"lore/local/text"
)

// Random scores each document by a number drawn from seed, query and document.
// Neither the number of documents nor their order changes a score.
func Random(docs Corpus, seed uint64) Retriever {
	return scored(docs, func(q Query, _ int, id string) float64 {
		h := fnv.New64a()
		fmt.Fprintf(h, "%d\x00%s\x00%s", seed, q.ID, id)
		return rand.New(rand.NewPCG(h.Sum64(), seed)).Float64()
	})
}

// Keywords scores a document by the share of the query's different content words
// that occur in it, in [0,1]. Words are compared in lower case without stemming
// (the keyword baseline of SummHay, section 5.1).
func Keywords(docs Corpus) Retriever {
	words := vocabularies(docs, text.Words)
	return withWords(docs, words, func(q Query) func(vocabulary map[string]bool) float64 {
		wanted := map[string]bool{}
		for _, w := range text.Words(q.Text) {
			if !text.IsStop(w) {
				wanted[w] = true
			}
		}
		return func(vocabulary map[string]bool) float64 {
			if len(wanted) == 0 {
				return 0
			}
			found := 0
			for w := range wanted {
				if vocabulary[w] {
					found++
				}
			}
			return float64(found) / float64(len(wanted))
		}
	})
}

// vocabularies are the different words of documents, by number. They are read when they are first needed.
func vocabularies(docs Corpus, words func(string) []string) func() ([]map[string]bool, error) {
	return sync.OnceValues(func() ([]map[string]bool, error) {
		out := make([]map[string]bool, docs.Len())
		for i := range out {
			body, err := docs.Text(i)
			if err != nil {
				return nil, err
			}
			out[i] = map[string]bool{}
			for _, w := range words(body) {
				out[i][w] = true
			}
		}
		return out, nil
	})
}

// withWords ranks all documents by their different words.
func withWords(
	docs Corpus, words func() ([]map[string]bool, error), score func(Query) func(vocabulary map[string]bool) float64,
) Retriever {
	return retrieverFunc(func(ctx context.Context, q Query, k int) (Ranking, error) {
		vocabulary, err := words()
		if err != nil {
			return Ranking{}, err
		}
		one := score(q)
		return scored(docs, func(_ Query, i int, _ string) float64 { return one(vocabulary[i]) }).Retrieve(ctx, q, k)
	})
}

// Oracle ranks the documents with a gold relevance above 0, and no others: the upper
// bound of retrieval. The ranking says that it is all of them, unless k cut it.
func Oracle(docs Corpus) Retriever {
	ranked := OracleK(docs)
	return retrieverFunc(func(ctx context.Context, q Query, k int) (Ranking, error) {
		r, err := ranked.Retrieve(ctx, q, 0)
		r.Gold = k < 1 || len(r.Hits) <= k
		if !r.Gold {
			r.Hits = r.Hits[:k]
		}
		return r, err
	})
}

// OracleK ranks as Oracle does, but as any other ranking: what is shown of it has the
// limits that all have.
func OracleK(docs Corpus) Retriever {
	return retrieverFunc(func(_ context.Context, q Query, k int) (Ranking, error) {
		var hits []Hit
		for id, g := range q.Gold {
			if _, there := docs.Find(id); there && g > 0 {
				hits = append(hits, Hit{id, g})
			}
		}
		return Ranking{Hits: top(hits, k)}, nil
	})
}

// Cut keeps the first n documents of a ranking.
func Cut(r Retriever, n int) Batcher { return cut{r, n} }

type cut struct {
	Retriever
	n int
}

func (c cut) RetrieveBatch(ctx context.Context, queries []Query, k int, step func(int)) ([]Ranking, error) {
	out, err := RetrieveAll(ctx, c.Retriever, queries, k, step)
	for i := range out {
		out[i].Hits = out[i].Hits[:min(c.n, len(out[i].Hits))]
		out[i].Gold = false
	}
	return out, err
}

func (c cut) Retrieve(ctx context.Context, q Query, k int) (Ranking, error) {
	return RetrieveOne(ctx, c, q, k)
}

// Recorded ranks by scores that came with the data, under the given name.
// Documents without a score are not ranked.
func Recorded(docs Corpus, name string) Retriever {
	return retrieverFunc(func(_ context.Context, q Query, k int) (Ranking, error) {
		scores, ok := q.Recorded[name]
		if !ok {
			return Ranking{}, fmt.Errorf("query %s has no recorded retriever %q; it has %s",
				q.ID, name, have(q.Recorded))
		}

		var hits []Hit
		for id, s := range scores {
			if _, there := docs.Find(id); there {
				hits = append(hits, Hit{id, s})
			}
		}
		return Ranking{Hits: top(hits, k)}, nil
	})
}

func have(recorded map[string]map[string]float64) string {
	if len(recorded) == 0 {
		return "none"
	}
	return strings.Join(slices.Sorted(maps.Keys(recorded)), ", ")
}

// Order is a place for the relevant documents in a whole corpus.
type Order string

// The orders. AsGiven keeps the corpus as it is; the others move the relevant documents to one place, by gold
// relevance: the most relevant one is the first of all (Top) or the last (Bottom). In the Middle half of the others
// comes before, and the most relevant one first. Equal ones, and the others, keep the given order.
const (
	AsGiven Order = ""
	Top     Order = "top"
	Bottom  Order = "bottom"
	Middle  Order = "middle"
)

// Full gives the whole corpus in a fixed order (the full-context setting of
// SummHay; the orders are those of its position-bias study, section 5.4, and its release, where chance decides
// which of the others come before the Middle).
func Full(docs Corpus, order Order) Retriever {
	return retrieverFunc(func(_ context.Context, q Query, _ int) (Ranking, error) {
		var relevant, rest []Hit
		for i := range docs.Len() {
			id := docs.ID(i)
			if g := q.Gold[id]; g > 0 && order != AsGiven {
				relevant = append(relevant, Hit{id, g})
			} else {
				rest = append(rest, Hit{id, g})
			}
		}

		byGold := func(a, b Hit) int { return cmp.Compare(b.Score, a.Score) }
		if order == Bottom {
			byGold = func(a, b Hit) int { return cmp.Compare(a.Score, b.Score) }
		}
		slices.SortStableFunc(relevant, byGold)

		var hits []Hit
		switch order {
		case AsGiven:
			hits = rest
		case Top:
			hits = slices.Concat(relevant, rest)
		case Bottom:
			hits = slices.Concat(rest, relevant)
		case Middle:
			half := len(rest) / 2
			hits = slices.Concat(rest[:half], relevant, rest[half:])
		default:
			return Ranking{}, fmt.Errorf("unknown order %q; there are top, bottom and middle", order)
		}
		return Ranking{Hits: hits, Whole: true}, nil
	})
}

// Shuffled gives the whole corpus in an order that is drawn anew for each query.
func Shuffled(docs Corpus, seed uint64) Retriever {
	random := Random(docs, seed)
	return retrieverFunc(func(ctx context.Context, q Query, _ int) (Ranking, error) {
		r, err := random.Retrieve(ctx, q, 0)
		r.Whole = true
		return r, err
	})
}

// None retrieves nothing: the baseline that shows what a model knows by itself.
func None() Retriever {
	return retrieverFunc(func(context.Context, Query, int) (Ranking, error) { return Ranking{}, nil })
}

type retrieverFunc func(ctx context.Context, q Query, k int) (Ranking, error)

func (f retrieverFunc) Retrieve(ctx context.Context, q Query, k int) (Ranking, error) {
	if err := ctx.Err(); err != nil {
		return Ranking{}, err
	}
	return f(ctx, q, k)
}

// scored ranks all documents by a function of query and document, which is given by number and id.
func scored(docs Corpus, score func(q Query, i int, id string) float64) Retriever {
	return retrieverFunc(func(_ context.Context, q Query, k int) (Ranking, error) {
		hits := make([]Hit, docs.Len())
		for i := range hits {
			id := docs.ID(i)
			hits[i] = Hit{id, score(q, i, id)}
		}
		return Ranking{Hits: top(hits, k)}, nil
	})
}
