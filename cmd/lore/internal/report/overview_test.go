package report

import (
	"bytes"
	"strings"
	"testing"

	"lore/cmd/lore/internal/table"
	"lore/datasets"
	"lore/datasets/msrs"
	"lore/datasets/summhay"
)

// scored is a run with one figure for each of its rows.
func scored(metric string, rows ...datasets.Judged) Run {
	var r Run
	for i, j := range rows {
		f := table.Figure{Metric: metric, Value: p(0.1 * float64(i+1)), Low: p(0), High: p(1), N: 10}
		r.Table.Rows = append(r.Table.Rows, table.Row{Judged: j, Items: 10, Figures: []table.Figure{f}})
	}
	return r
}

func judged(retriever, judge string) datasets.Judged {
	return datasets.Judged{System: datasets.System{Retriever: retriever, Generator: "g"}, Judge: judge}
}

// A headline with a judge has a row a judge; one without stands in all rows of its system, and a
// system that has nothing else has one row.
func TestOverview(t *testing.T) {
	hay := scored(summhay.JointAsked, judged("a", "one"), judged("a", "two"), judged("b", "one"))
	hay.Table.Rows[2].ItemsFailed = 3
	recall := scored(msrs.Recall, judged("a", "one"), judged("a", "two"), judged("c", "one"))
	recall.Table.Rows[1].Figures[0] = recall.Table.Rows[0].Figures[0] // no judge has a say in it
	o := Across([]Part{
		{Bench: msrs.Benchmark{}, Names: []string{"m"}, Runs: []Run{recall}},
		{Bench: summhay.Benchmark{}, Names: []string{"s"}, Runs: []Run{hay}},
	})

	var b bytes.Buffer
	if err := CSV(&b, o.Grid()); err != nil {
		t.Fatal(err)
	}
	want := `retriever,generator,judge,msrs Lex. recall,summhay Joint@N
a,g,one,"10.0 [0.0, 100.0]","10.0 [0.0, 100.0]"
a,g,two,"10.0 [0.0, 100.0]","20.0 [0.0, 100.0]"
b,g,one,–,"30.0 [0.0, 100.0] (3 of 10 answers failed)"
c,g,–,"30.0 [0.0, 100.0]",–
`
	if b.String() != want {
		t.Errorf("%s\nwant\n%s", b.String(), want)
	}
}

// Several runs of a benchmark have a column each.
func TestOverviewOfSeveralRuns(t *testing.T) {
	old, now := scored(summhay.JointAsked, judged("a", "one")), scored(summhay.JointAsked, judged("b", "one"), judged("a", "one"))
	g := Across([]Part{{Bench: summhay.Benchmark{}, Names: []string{"old", "now"}, Runs: []Run{old, now}}}).Grid()
	if got := strings.Join(g.Head, "|"); got != "retriever|generator|judge|old: summhay Joint@N|now: summhay Joint@N" {
		t.Error(got)
	}
	if got := strings.Join(g.Rows[0], "|"); got != "a|g|one|10.0 [0.0, 100.0]|20.0 [0.0, 100.0]" {
		t.Error(got)
	}
}
