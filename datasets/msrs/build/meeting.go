package build

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"lore/datasets/msrs"
	"lore/datasets/stage"
	"lore/local"
	"lore/local/schema"
	"lore/local/text"
)

// Meeting clusters queries by similarity and merges each cluster's queries and
// summaries into one, by a model, or by joining them where there is none. fate says what becomes of
// queries that are alone.
func (b *Builder) Meeting(ctx context.Context, sources []Source, similarity func(i, j int) float64, threshold float64,
	fate string) ([]msrs.Query, error) {
	clusters := b.cluster(sources, similarity, threshold, fate)
	places := stage.Places(len(clusters))
	merged, failed, err := b.merge(ctx, places, clusters, sources)
	if err != nil {
		return nil, err
	}

	var out []msrs.Query
	for _, i := range places {
		query, summary := strings.TrimSpace(merged[i].Query), strings.TrimSpace(merged[i].Summary)
		if failed[i] != "" {
			b.Drop(mergedID(i), "%s", failed[i])
			continue
		}

		q := msrs.Query{ID: mergedID(i), Text: query, References: []string{summary}}
		q.Gold = goldOfAll(sources, clusters[i])
		b.Note("merge", q.ID, 0, "%q over %d documents", q.Text, len(q.Gold))
		out = append(out, q)
	}
	return out, nil
}

func mergedID(i int) string { return fmt.Sprintf("m%03d", i+1) }

// cluster clusters queries and notes which are together, and which are dropped.
func (b *Builder) cluster(sources []Source, similarity func(i, j int) float64, threshold float64, fate string) [][]int {
	c := Cluster(len(sources), similarity, threshold, fate)
	b.clusters = &c
	b.Note("cluster", "", 0, "%d queries: %d clusters at a similarity of %g, "+
		"%d splits of too large ones, %d queries alone merged into the nearest, %d kept as they are, %d dropped",
		len(sources), len(c.Clusters)-c.Kept, threshold, c.Splits, c.Merged, c.Kept, len(c.Dropped))

	for _, i := range c.Dropped {
		if fate == Near {
			b.Drop(sources[i].ID, "alone, and no cluster with room is as similar as %g", threshold)
		} else {
			b.Drop(sources[i].ID, "alone, and no cluster has room")
		}
	}

	for i, members := range c.Clusters {
		var ids []string
		for _, m := range members {
			ids = append(ids, sources[m].ID)
		}
		b.Note("cluster", mergedID(i), 0, "%s", strings.Join(ids, ", "))
	}
	return c.Clusters
}

// goldOfAll lists the gold documents of all members once.
func goldOfAll(sources []Source, members []int) []string {
	var out []string
	for _, m := range members {
		for _, d := range sources[m].Documents {
			if !slices.Contains(out, d) {
				out = append(out, d)
			}
		}
	}
	return out
}

// member is a query of a cluster as the prompt shows it.
type member struct{ Query, Summary string }

// merge asks for one query and one summary per cluster, or joins them without a
// model.
func (b *Builder) merge(ctx context.Context, places []int, clusters [][]int, sources []Source) (
	merged map[int]queryReply, failed map[int]string, err error) {
	members := func(i int) []member {
		var out []member
		for _, m := range clusters[i] {
			out = append(out, member{sources[m].Query, sources[m].references()[0]})
		}
		return out
	}

	// A query that stays alone has nothing to be merged with.
	merged = map[int]queryReply{}
	var ask []int
	for _, i := range places {
		if b.Calls == nil || len(clusters[i]) == 1 {
			merged[i] = joined(members(i))
		} else {
			ask = append(ask, i)
		}
	}
	if len(ask) == 0 {
		return merged, nil, nil
	}

	best := map[int]queryReply{} // of those that were refused for their numbers alone
	reply := schema.Object(schema.Field("query", schema.String()), schema.Field("summary", schema.String()))
	answers, failed, err := stage.Ask(ctx, b.Session, stage.Question[queryReply]{
		Stage:      "merge",
		Subject:    mergedID,
		Prompt:     "msrs/merge.txt",
		NumPredict: 1200,
		Schema:     reply.JSON(),
		Data: func(i int, problem string) any {
			return map[string]any{"Members": members(i), "Problem": problem}
		},
		Check: func(i int, r queryReply) string {
			if strings.TrimSpace(r.Query) == "" || strings.TrimSpace(r.Summary) == "" {
				return string(local.Empty) + ": no query or no summary"
			}
			if problem := strange(members(i), r); problem != "" {
				return problem
			}
			lost, added := compare(members(i), r.Summary)
			if before, there := best[i]; !there || len(lost)+len(added) < differing(members(i), before.Summary) {
				best[i] = r
			}
			return figuresProblem(lost, added)
		},
	}, ask)
	maps.Copy(merged, answers)
	b.settle(ask, failed, best, merged, members)
	return merged, failed, err
}

// settle takes the best try of those that were refused for their numbers to the end, and says what is amiss.
func (b *Builder) settle(ask []int, failed map[int]string, best, merged map[int]queryReply, members func(int) []member) {
	for _, i := range ask {
		r, there := best[i]
		if failed[i] == "" || !there {
			continue
		}
		lost, added := compare(members(i), r.Summary)
		b.Note("merge", mergedID(i), 0, "left out: numbers of the summaries that no try kept, or taken with numbers of its own: %s",
			figuresProblem(lost, added))
		merged[i] = r
		delete(failed, i)
	}
}

// Shares of common words, below which a merged text has little to do with what it is made of. Models that put
// all into words of their own keep half and more.
const (
	leastFromMembers = 0.25 // of the words of the merged text, in the texts of the members
	leastOfMember    = 0.1  // of the words of each member's text, in the merged one
)

// strange says how a merged query or summary has little to do with those of the cluster, "" if nothing. Nobody
// else checks it: what answers are held against are the words of a model here.
func strange(members []member, r queryReply) string {
	queries, summaries := "", ""
	for _, m := range members {
		queries, summaries = queries+m.Query+"\n"+m.Summary+"\n", summaries+m.Summary+"\n"
	}
	switch {
	case common(r.Query, queries) < leastFromMembers:
		return "the query asks for what none of the queries asks for"
	case common(r.Summary, summaries) < leastFromMembers:
		return "the summary says what none of the summaries says"
	}
	for _, m := range members {
		if common(m.Summary, r.Summary) < leastOfMember {
			return fmt.Sprintf("what this summary says is left out: %q", text.Beginning(m.Summary, 80))
		}
	}
	return ""
}

// common is the share of a text's terms that another one has, too; 1 where it has none.
func common(s, in string) float64 {
	have, terms := termSet(in), text.Terms(s)
	n := 0
	for _, t := range terms {
		if have[t] {
			n++
		}
	}
	if len(terms) == 0 {
		return 1
	}
	return float64(n) / float64(len(terms))
}

// compare lists the numbers of summaries that a merged one leaves out, and those that it adds.
func compare(members []member, summary string) (lost, added []string) {
	summaries, all := "", ""
	for _, m := range members {
		summaries += m.Summary + "\n"
		all += m.Query + "\n" + m.Summary + "\n"
	}
	return stage.LostFigures(summaries, summary), stage.LostFigures(summary, all)
}

func differing(members []member, summary string) int {
	lost, added := compare(members, summary)
	return len(lost) + len(added)
}

// figuresProblem words what compare finds, "" if nothing.
func figuresProblem(lost, added []string) string {
	switch {
	case len(added) > 0:
		return "none of the summaries has the numbers " + stage.SomeFigures(added)
	case len(lost) > 0:
		return "what the summaries say with these numbers is left out: " + stage.SomeFigures(lost)
	}
	return ""
}

func joined(members []member) queryReply {
	var queries, summaries []string
	for _, m := range members {
		queries, summaries = append(queries, m.Query), append(summaries, m.Summary)
	}
	return queryReply{strings.Join(queries, " "), strings.Join(summaries, "\n")}
}
