package msrs

import (
	"fmt"
	"strconv"

	"lore/datasets"
	"lore/local/tokens"
)

// statistics are those of the paper's Table 2, in tokens of cl100k_base.
type statistics struct {
	documents, documentTokens   int
	queries, queryTokens        int
	references, referenceTokens int
}

// documentsOf counts the corpus, which all splits share.
func (s *statistics) documentsOf(corpus *datasets.Corpus) {
	s.documents, s.documentTokens = len(corpus.Documents), 0
	for _, d := range corpus.Documents {
		s.documentTokens += tokens.Count(d.Text)
	}
}

// add counts the queries of a split.
func (s *statistics) add(items []datasets.Item) {
	for _, i := range items {
		q := i.(*item).query
		s.queries++
		s.queryTokens += tokens.Count(q.Text)
		for _, r := range q.References {
			s.references++
			s.referenceTokens += tokens.Count(r)
		}
	}
}

// tableTwo is what the paper's Table 2 prints, in the order of rows; empty where what lore has read of it is not legible.
var tableTwo = map[string][]string{
	"story":   {"1138", "845.44", "962108", "635", "26.94", "4.00", "273.80"},
	"meeting": {"231", "7207.27", "1664880", "436", "", "1.00", "185.17"},
}

// grid sets the statistics beside the paper's, where the domain is one of its own.
func (s *statistics) grid(domain string) datasets.Grid {
	g := datasets.Grid{
		Title: "Statistics, as the paper's Table 2",
		Head:  []string{"of " + domain, "here", "paper"},
		Note: "Tokens of cl100k_base. The splits that are here are counted together. The paper's tokenizer is not named: " +
			"meetings, queries and summaries have as many tokens as it prints, stories 0.5 % more.",
	}
	paper := tableTwo[domain]
	mean := func(sum, n int) string {
		if n == 0 {
			return datasets.NoValue
		}
		return fmt.Sprintf("%.2f", float64(sum)/float64(n))
	}
	for i, row := range [][2]string{
		{"documents", strconv.Itoa(s.documents)},
		{"tokens of a document, mean", mean(s.documentTokens, s.documents)},
		{"tokens of the corpus", strconv.Itoa(s.documentTokens)},
		{"queries", strconv.Itoa(s.queries)},
		{"tokens of a query, mean", mean(s.queryTokens, s.queries)},
		{"reference summaries of a query, mean", mean(s.references, s.queries)},
		{"tokens of a summary, mean", mean(s.referenceTokens, s.references)},
	} {
		said := datasets.NoValue
		if paper != nil && paper[i] != "" {
			said = paper[i]
		}
		g.Rows = append(g.Rows, []string{row[0], row[1], said})
	}
	return g
}
