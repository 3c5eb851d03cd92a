package crux

import (
	"fmt"
	"strings"

	"lore/datasets"
	"lore/local/tokens"
)

// statistics are what the data holds, as the paper's Table 4 counts it. Redundant passages answer
// questions that the required ones answer already: all of theirs, or a part beside what they miss.
func (b Benchmark) statistics(ds *datasets.Dataset) datasets.Grid {
	eta := b.etas()[0]
	g := datasets.Grid{
		Title: "The data",
		Head:  []string{"what", "number", "tokens on average"},
		Note:  fmt.Sprintf("required: the greedy choice at η %d; relevant: with a grade above 0; tokens are cl100k_base's", eta),
	}
	var requests, questions, reports, passages average
	answerable := make([]int, len(b.etas()))
	relevant, required, idle, blank := 0, 0, 0, 0
	for _, x := range ds.Items {
		it := x.(*item)
		requests.add(tokens.Count(it.topic.Query))
		for _, q := range it.topic.Questions {
			if strings.TrimSpace(q) == "" {
				blank++
				continue
			}
			questions.add(tokens.Count(q))
		}
		if it.topic.Summary != "" {
			reports.add(tokens.Count(it.topic.Summary))
		}
		for i, l := range it.levels {
			answerable[i] += countTrue(l.answerable)
		}
		relevant += len(it.relevant)
		required += len(it.required)
		for _, id := range it.relevant {
			if !answersAny(it.topic.Grades[id], eta) {
				idle++
			}
		}
	}
	for _, d := range ds.Corpora[0].Documents {
		passages.add(ds.Items[0].(*item).set.corpus.Tokens(d.ID))
	}

	plain := func(what string, n int) { g.Rows = append(g.Rows, []string{what, fmt.Sprint(n), datasets.NoValue}) }
	sized := func(what string, a average) {
		g.Rows = append(g.Rows, []string{what, fmt.Sprint(a.n), a.String()})
	}
	sized("topics, and their requests", requests)
	sized("questions", questions)
	for i, l := range b.etas() {
		plain(fmt.Sprintf("answerable questions, η %d", l), answerable[i])
	}
	sized("reports written by people", reports)
	sized("passages", passages)
	plain("relevant passages", relevant)
	plain("required passages", required)
	plain("redundant passages", relevant-required)
	plain(fmt.Sprintf("of these, without a grade of %d", eta), idle)
	if blank > 0 {
		g.Note += fmt.Sprintf("; empty questions, which nobody can be asked, are not counted: %d", blank)
	}
	return g
}

// average is a mean of whole numbers.
type average struct{ n, sum int }

func (a *average) add(v int) { a.n, a.sum = a.n+1, a.sum+v }

// String is the cell of the mean.
func (a average) String() string {
	if a.n == 0 {
		return datasets.NoValue
	}
	return fmt.Sprintf("%.0f", float64(a.sum)/float64(a.n))
}

func countTrue(values []bool) int {
	n := 0
	for _, v := range values {
		if v {
			n++
		}
	}
	return n
}

func answersAny(row []int, eta int) bool {
	for _, g := range row {
		if g >= eta {
			return true
		}
	}
	return false
}
