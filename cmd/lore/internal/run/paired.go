package run

import (
	"fmt"

	"lore/cmd/lore/internal/usage"
	"lore/datasets"
	"lore/index"
	"lore/index/collection"
	"lore/local"
)

// Name calls the system by the user's name for it.
func (a *Answers) Name(name string) {
	a.System = datasets.System{Retriever: outside, Generator: name}
}

// Pair adds what the named system retrieved for its answers, from a run file whose
// topics are item ids. So its contexts are measured, too. The name becomes that of the
// retriever: systems from outside are then rows of one generator, and what their contexts
// say of their answers is told over them. Topics and documents that the data does not have
// are errors, and so is an answer without a ranking.
func (a *Answers) Pair(name, path string, bench datasets.Benchmark, ds *datasets.Dataset) error {
	ranked, err := collection.Run(path)
	if err != nil {
		return err
	}
	bad := func(topic, msg, remedy string) error {
		return &datasets.InputError{File: path, Place: "topic " + topic, Msg: msg, Remedy: remedy}
	}

	known := map[string]bool{}
	for _, it := range ds.Items {
		known[it.ID()] = true
	}
	for _, topic := range ranked.Order {
		if !known[topic] {
			return bad(topic, "is not an item of the data"+orNearest(topic, idsOf(ds)), topicsRemedy)
		}
	}

	a.System = datasets.System{Retriever: name, Generator: outside}
	a.Ranking, a.Found = path, map[string]datasets.Retrieved{}
	depth := bench.Protocol().Depth
	for _, it := range ds.Items {
		hits := make([]index.Hit, 0, len(ranked.Topics[it.ID()]))
		for _, r := range ranked.Topics[it.ID()] {
			if !it.Corpus().Has(r.Document) {
				return bad(it.ID(), fmt.Sprintf("ranks the document %q, which is not in the corpus%s",
					r.Document, orNearest(r.Document, documentsOf(it.Corpus()))), "document ids must be those of the data")
			}
			hits = append(hits, index.Hit{ID: r.Document, Score: r.Score})
		}
		if len(hits) == 0 {
			if a.Outputs[it.ID()].Outcome == local.OK {
				return bad(it.ID(), "has an answer in "+a.File+" and no result here", topicsRemedy)
			}
			continue
		}

		index.SortHits(hits)
		var found datasets.Retrieved
		for i, h := range hits {
			if depth == 0 || i < depth {
				found.IDs = append(found.IDs, h.ID)
			}
		}
		a.Found[it.ID()] = found
	}
	return nil
}

const topicsRemedy = "topics must be the item ids of the data; see retrieval/*.trec of any run folder"

// idsOf are the ids of the items.
func idsOf(ds *datasets.Dataset) []string {
	out := make([]string, len(ds.Items))
	for i, it := range ds.Items {
		out[i] = it.ID()
	}
	return out
}

func documentsOf(c *datasets.Corpus) []string {
	out := make([]string, len(c.Documents))
	for i, d := range c.Documents {
		out[i] = d.ID
	}
	return out
}

// orNearest asks for the right name that a wrong one is near to, if any is.
func orNearest(name string, known []string) string {
	if near := usage.Nearest(name, known); near != "" {
		return fmt.Sprintf(" (did you mean %s?)", near)
	}
	return ""
}
