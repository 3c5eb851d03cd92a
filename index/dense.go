package index

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"lore/embed"
)

// Int8Above is the number of documents from which a dense index keeps one byte per
// value in memory instead of four, and scores the best candidates from the full
// vectors on disk.
const Int8Above = 2_000_000

// embedChunk is how many documents are embedded at a time.
const embedChunk = 4096

// Dense ranks by the similarity of vectors. Every document is compared.
type Dense struct {
	ids     []string // ascending, so that equal scores come out by id
	vectors *Vectors
	emb     embed.Embedder
	cosine  bool
}

// DenseOptions configure a dense index.
type DenseOptions struct {
	Int8Above int // 0 is the constant Int8Above
}

// NewDense embeds the documents. With a caching embedder this is quick the second
// time; int8 codes need one, because full vectors are asked for again.
func NewDense(ctx context.Context, docs Corpus, emb embed.Embedder, opt DenseOptions) (*Dense, error) {
	order := byID(docs)

	d := &Dense{emb: emb, cosine: emb.Settings().Similarity != embed.Dot}
	limit := cmp.Or(opt.Int8Above, Int8Above)
	for start := 0; start < len(order); start += embedChunk {
		part := order[start:min(start+embedChunk, len(order))]
		texts := make([]string, len(part))
		for i, doc := range part {
			var err error
			if texts[i], err = docs.Text(doc); err != nil {
				return nil, err
			}
			d.ids = append(d.ids, docs.ID(doc))
		}

		embedded, err := emb.Embed(ctx, embed.Passage, texts)
		if err != nil {
			return nil, err
		}

		for i, e := range embedded {
			if d.vectors == nil {
				d.allocate(docs, order, len(e.Vector), limit)
			}
			if len(e.Vector) != d.vectors.dims {
				return nil, errors.New("the embedder gave vectors of different lengths")
			}

			v := d.unit(e.Vector)
			if d.vectors.codes != nil {
				d.vectors.setCodes(start+i, v)
			} else {
				copy(d.vectors.data[(start+i)*len(v):], v)
			}
		}
	}

	if d.vectors == nil {
		d.vectors = NewVectors(nil, 0)
	}
	return d, nil
}

// byID lists the numbers of documents in the order of their ids.
func byID(docs Corpus) []int {
	out := make([]int, docs.Len())
	for i := range out {
		out[i] = i
	}
	slices.SortFunc(out, func(a, b int) int { return cmp.Compare(docs.ID(a), docs.ID(b)) })
	return out
}

func (d *Dense) allocate(docs Corpus, order []int, dims, limit int) {
	if len(order) <= limit {
		d.vectors = NewVectors(make([]float32, len(order)*dims), dims)
		return
	}

	// The full rows are asked for again: an embedder with a cache has them on disk.
	d.vectors = newCodes(len(order), dims, func(i int) ([]float32, error) {
		text, err := docs.Text(order[i])
		if err != nil {
			return nil, err
		}
		e, err := d.emb.Embed(embed.Again(context.Background()), embed.Passage, []string{text})
		if err != nil {
			return nil, err
		}
		return d.unit(e[0].Vector), nil
	})
}

// unit scales a vector to length 1 where cosines are compared.
func (d *Dense) unit(v []float32) []float32 {
	sum := dot(v, v)
	if !d.cosine || sum == 0 {
		return v
	}
	scale := 1 / math.Sqrt(sum)
	out := make([]float32, len(v))
	for i, x := range v {
		out[i] = float32(float64(x) * scale)
	}
	return out
}

// Retrieve ranks for one query.
func (d *Dense) Retrieve(ctx context.Context, q Query, k int) (Ranking, error) {
	return RetrieveOne(ctx, d, q, k)
}

// RetrieveBatch embeds all queries and passes over the documents once per 64.
func (d *Dense) RetrieveBatch(ctx context.Context, queries []Query, k int, step func(int)) ([]Ranking, error) {
	texts := make([]string, len(queries))
	for i, q := range queries {
		texts[i] = q.Text
	}

	embedded, err := d.emb.Embed(ctx, embed.Query, texts)
	if err != nil {
		return nil, err
	}

	vectors := make([][]float32, len(queries))
	for i, e := range embedded {
		vectors[i] = d.unit(e.Vector)
	}

	found, err := d.vectors.Search(ctx, vectors, k)
	if err != nil {
		return nil, err
	}

	out := make([]Ranking, len(queries))
	for i, rows := range found {
		for _, r := range rows {
			out[i].Hits = append(out[i].Hits, Hit{d.ids[r.Row], r.Score})
		}
	}

	if step != nil {
		step(len(queries))
	}
	return out, nil
}
