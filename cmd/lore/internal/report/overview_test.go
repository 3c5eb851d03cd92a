package report

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"lore/cmd/lore/internal/store"
	"lore/cmd/lore/internal/table"
	"lore/datasets"
	"lore/datasets/msrs"
	"lore/datasets/summhay"
	"lore/local"
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
		{Study: true, Bench: msrs.Benchmark{}, Names: []string{"stories"}, Runs: []Run{recall}},
		{Bench: summhay.Benchmark{}, Names: []string{"summhay-01234567"}, Runs: []Run{hay}},
	})

	var b bytes.Buffer
	if err := CSV(&b, o.Grid()); err != nil {
		t.Fatal(err)
	}
	want := `retriever,generator,judge,stories (msrs) Lex. recall,summhay Joint@N
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
	if got := strings.Join(g.Head, "|"); got != "retriever|generator|judge|old (summhay) Joint@N|now (summhay) Joint@N" {
		t.Error(got)
	}
	if got := strings.Join(g.Rows[0], "|"); got != "a|g|one|10.0 [0.0, 100.0]|20.0 [0.0, 100.0]" {
		t.Error(got)
	}
}

// seeded is a part of runs that differ in the seed, and in what follows from it.
func seeded(values ...float64) Part {
	p := Part{Bench: summhay.Benchmark{}, Study: true}
	for i, v := range values {
		r := scored(summhay.JointAsked, judged("a", "one"))
		r.Table.Rows[0].Figures[0].Value = &v
		r.Manifest.Seed, r.Manifest.DataHash = uint64(i+1), "data"
		r.Manifest.Title, r.Manifest.Files = fmt.Sprint(i), map[string]string{"scores.json": fmt.Sprint(i)}
		p.Names, p.Runs = append(p.Names, fmt.Sprintf("hay-seed%d", i+1)), append(p.Runs, r)
	}
	return p
}

// Runs that differ in the seed alone are one column: mean and standard deviation by hand.
func TestSeedsAreOneColumn(t *testing.T) {
	p := seeded(0.2, 0.4, 0.9)
	g := Across([]Part{p}).Grid()
	if got := strings.Join(g.Head, "|") + " " + strings.Join(g.Rows[0], "|"); got !=
		"retriever|generator|judge|hay (summhay) Joint@N a|g|one|50.0 ± 36.1 (3 seeds)" {
		t.Error(got)
	}
	if !strings.Contains(g.Note, "±: mean") || strings.Contains(g.Note, "[low") || strings.Contains(g.Note, "took no part") {
		t.Error(g.Note)
	}

	// What a run lacks is counted over all, and a system of one run is told so.
	p.Runs[1].Table.Rows[0].Figures[0].Value, p.Runs[1].Table.Rows[0].Figures[0].NUnscored = nil, 3
	if got := Across([]Part{p}).Grid().Rows[0][3]; got != "55.0 ± 49.5 (2 of 3 seeds) (3 unscored)" {
		t.Error(got)
	}
	p.Runs[2].Table.Rows = nil
	if got := Across([]Part{p}).Grid().Rows[0][3]; got != "20.0 (1 of 3 seeds) (3 unscored)" {
		t.Error(got)
	}
}

// Runs that differ in something else, or have the same seed, are not mixed.
func TestOtherRunsAreNoSeeds(t *testing.T) {
	change := map[string]func(m *store.Manifest){
		"data":    func(m *store.Manifest) { m.DataHash = "other" },
		"items":   func(m *store.Manifest) { m.Items = 7 },
		"subset":  func(m *store.Manifest) { m.Chosen = "subset, seed 2" },
		"seed":    func(m *store.Manifest) { m.Seed = 1 },
		"prompt":  func(m *store.Manifest) { m.Prompts = map[string]string{"answer": "x"} },
		"model":   func(m *store.Manifest) { m.Generators = []store.Model{{Name: "g", Digest: "y"}} },
		"setting": func(m *store.Manifest) { m.Settings = map[string]any{"budget_tokens": 5} },
		"options": func(m *store.Manifest) {
			m.Judges = []store.Model{{Name: "j", Options: &local.Options{Temperature: 1}}}
		},
	}
	for what, differ := range change {
		p := seeded(0.2, 0.4)
		differ(&p.Runs[1].Manifest)
		if n := len(p.Batches()); n != 2 {
			t.Errorf("%s: %d batches", what, n)
		}
		if rows := OverSeeds([]Part{p}).Rows; len(rows) > 0 {
			t.Errorf("%s: %v", what, rows)
		}
	}

	same := seeded(0.2, 0.4)
	for i := range same.Runs {
		same.Runs[i].Manifest.Judges = []store.Model{{Name: "j", Agreement: fmt.Sprint(i), Options: &local.Options{Seed: i, NumCtx: 9 + i}}}
	}
	if b := same.Batches(); len(b) != 1 || b[0].Name != "hay" {
		t.Errorf("%+v", b)
	}
	if rows := OverSeeds([]Part{same}).Rows; len(rows) != 1 || strings.Join(rows[0], "|") !=
		"hay (summhay)|a|g|one|Joint@N|2|30.00|14.14|20.00|40.00" {
		t.Errorf("%v", rows)
	}
}

// The overview explains bounds where there are some.
func TestOverviewExplainsBounds(t *testing.T) {
	r := scored(summhay.JointAsked, judged("a", "one"))
	part := []Part{{Bench: summhay.Benchmark{}, Names: []string{"summhay"}, Runs: []Run{r}}}
	if g := Across(part).Grid(); strings.Contains(g.Note, "worst") || strings.Contains(g.Note, "took no part") {
		t.Error(g.Note)
	}
	f := &r.Table.Rows[0].Figures[0]
	f.Worst, f.Best, f.NUnscored = p(0.1), p(0.3), 1
	if g := Across(part).Grid(); !strings.Contains(g.Rows[0][3], "{10.0..30.0} (1 unscored)") || !strings.Contains(g.Note, boundsNote) {
		t.Errorf("%s %s", g.Rows[0][3], g.Note)
	}
}
