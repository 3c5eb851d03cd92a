package rerank

import (
	"context"
	"encoding/json"
	"strings"

	"lore/index"
	"lore/local"
	"lore/local/prompt"
	"lore/local/schema"
)

const (
	mostQueries = 6    // sub-queries per query
	fusedDepth  = 1000 // results of each sub-query that are fused
)

// queriesSchema is the form of the reply.
var queriesSchema = schema.Object(
	schema.Field("queries", schema.Array(schema.String()).AtLeast(1).AtMost(mostQueries)),
).JSON()

// Decomposed searches for a query and the sub-queries that a model breaks it into,
// and fuses the rankings by reciprocal rank.
type Decomposed struct {
	*llm
	first index.Retriever
}

// Decompose puts query decomposition before a retriever.
func Decompose(first index.Retriever, m Model, prompts *prompt.Set) (*Decomposed, error) {
	p, err := prompts.Load("rerank/decompose.txt")
	if err != nil {
		return nil, err
	}

	stats := Stats{Name: "decompose", Remedy: "unparsable: the query is searched for as it is"}
	return &Decomposed{
		first: first,
		llm:   &llm{model: m, prompt: p, cut: map[string]bool{}, stats: stats},
	}, nil
}

// Retrieve ranks for one query.
func (d *Decomposed) Retrieve(ctx context.Context, q index.Query, k int) (index.Ranking, error) {
	return index.RetrieveOne(ctx, d, q, k)
}

// RetrieveBatch asks for the sub-queries of all queries, searches and fuses.
func (d *Decomposed) RetrieveBatch(
	ctx context.Context, queries []index.Query, k int, step func(int),
) ([]index.Ranking, error) {
	parts, err := d.ask(ctx, queries, step)
	if err != nil {
		return nil, err
	}

	// One search for everything: a query, its parts, the next query.
	var all []index.Query
	for i, q := range queries {
		all = append(all, q)
		for _, text := range parts[i] {
			part := q
			part.Text = text
			all = append(all, part)
		}
	}
	deep := 0
	if k > 0 {
		deep = max(k, fusedDepth)
	}
	found, err := index.RetrieveAll(ctx, d.first, all, deep, nil)
	if err != nil {
		return nil, err
	}

	out := make([]index.Ranking, len(queries))
	for i := range queries {
		own := 1 + len(parts[i])
		if out[i].Hits, err = fuse(found[:own], k); err != nil {
			return nil, err
		}
		found = found[own:]
	}
	return out, nil
}

// ask has the model break up all queries.
func (d *Decomposed) ask(ctx context.Context, queries []index.Query, step func(int)) ([][]string, error) {
	calls := make([]local.Call, len(queries))
	for i, q := range queries {
		data := struct {
			Query string
			Most  int
		}{q.Text, mostQueries}

		var err error
		if calls[i], err = d.call(data, 400, 0, ""); err != nil {
			return nil, err
		}
		calls[i].Schema = queriesSchema
	}

	d.fit(calls)
	for i := range calls {
		calls[i].Options.NumCtx = d.model.Call.Options.NumCtx
	}

	parts := make([][]string, len(queries))
	err := d.model.Calls.All(ctx, calls, func(i int, r local.Reply) {
		parts[i] = readQueries(r)
		d.count(false, len(parts[i]) == 0)
		if step != nil {
			step(i + 1)
		}
	})
	return parts, err
}

// fuse joins the rankings of a query and its parts and keeps the k best hits, all for
// k below 1.
func fuse(found []index.Ranking, k int) ([]index.Hit, error) {
	var rankings [][]index.Hit
	for _, f := range found {
		rankings = append(rankings, f.Hits)
	}

	hits, err := index.FuseRankings(index.RRF, rankings)
	if err != nil {
		return nil, err
	}
	index.SortHits(hits)
	if k > 0 && len(hits) > k {
		hits = hits[:k]
	}
	return hits, nil
}

// readQueries reads the sub-queries: different ones with words in them.
func readQueries(r local.Reply) []string {
	var reply struct {
		Queries []string `json:"queries"`
	}
	if r.Outcome != local.OK || json.Unmarshal([]byte(r.Text), &reply) != nil {
		return nil
	}

	var out []string
	seen := map[string]bool{}
	for _, q := range reply.Queries {
		q = strings.TrimSpace(q)
		if key := strings.ToLower(q); q != "" && !seen[key] && len(out) < mostQueries {
			seen[key] = true
			out = append(out, q)
		}
	}
	return out
}
