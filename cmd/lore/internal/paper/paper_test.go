package paper

import (
	"fmt"
	"strings"
	"testing"

	"lore/cmd/lore/internal/report"
	"lore/cmd/lore/internal/store"
	"lore/cmd/lore/internal/table"
	"lore/datasets"
	"lore/datasets/summhay"
)

// run is a run of systems over so many items, each with one statement. cover says whether a system
// covers the statement of an item.
func run(items int, cover map[string]func(item int) float64, names ...string) report.Run {
	r := report.Run{Table: table.New("summhay", 1), Manifest: store.Manifest{Benchmark: "summhay", Lore: "9", DataHash: "x"}}
	for _, name := range names {
		row := table.Row{Judged: datasets.Judged{System: datasets.System{Retriever: name, Generator: "g_1"}, Judge: "lexical"}, Items: items}
		for i := range items {
			row.Scores = append(row.Scores, table.ItemScores{Item: fmt.Sprint(i), Group: "h", Values: []table.UnitScores{
				{Metric: summhay.Coverage, Units: []string{"u"}, Values: []float64{cover[name](i)}}}})
		}
		row.Pool(summhay.Benchmark{}.Metrics(), 1)
		r.Table.Rows = append(r.Table.Rows, row)
	}
	return r
}

// Of 40 items good covers 39, alike 37, bad 8. The last is worse by any test, the second is not, and
// oracle is no competitor.
var covers = map[string]func(i int) float64{
	"good":   func(i int) float64 { return share(i < 39) },
	"alike":  func(i int) float64 { return share(i > 2) },
	"bad":    func(i int) float64 { return share(i%5 == 0) },
	"oracle": func(int) float64 { return 1 },
}

func share(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

func one(t *testing.T, r report.Run, opt Options) string {
	t.Helper()
	return several(t, opt, report.Part{Bench: summhay.Benchmark{}, Names: []string{"a"}, Runs: []report.Run{r}})
}

func several(t *testing.T, opt Options, parts ...report.Part) string {
	t.Helper()
	var b strings.Builder
	if opt.How.Level == 0 {
		opt.How = Usual()
	}
	if err := Write(&b, parts, opt); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestMarks(t *testing.T) {
	r := run(40, covers, "oracle", "bad", "good", "alike")
	tex := one(t, r, Options{Intervals: None})
	for _, want := range []string{
		"\noracle & 100.0 \\\\\n", "\nbad & 20.0 \\\\\n", "\ngood & \\textbf{97.5} \\\\\n", "\nalike & \\underline{92.5} \\\\\n",
		`All with generator g\_1, judge lexical.`, "n = 40 values of 40 items.", "Ends of the scale, which do not compete: oracle.",
		"paired randomisation test over items, Holm over the pairs of each metric, level 0.05", `\begin{tabular}{lr}`,
	} {
		if !strings.Contains(tex, want) {
			t.Errorf("%q is not in\n%s", want, tex)
		}
	}
	if strings.Contains(tex, "[low, high]") {
		t.Errorf("intervals are explained and not shown:\n%s", tex)
	}
}

// What is underlined is what lore compare does not call worse, by its own defaults.
func TestMarksAreThoseOfCompare(t *testing.T) {
	r := run(40, covers, "oracle", "bad", "good", "alike")
	p := report.Part{Bench: summhay.Benchmark{}, Names: []string{"a"}, Runs: []report.Run{r}}
	metrics := leads(layout(columnsOf(p, contestants(p)), []string{"coverage"}, contestants(p)))
	how := table.Design{Unit: table.ByItem, Level: 0.05, Difference: 5, Draws: table.Resamples, Seed: 1}
	found := test(p, contestants(p), metrics, Usual())

	pairs := 0
	for _, d := range table.Compare(contestants(p), metrics, how)[0].Diffs {
		if d.A != "good, g_1" && d.B != "good, g_1" || strings.HasPrefix(d.A, "oracle") {
			continue
		}
		other := strings.TrimSuffix(d.A+d.B, "good, g_1")
		other = strings.TrimPrefix(other, "good, g_1")
		if isNear := found.marks[place{d.Metric, other, "lexical"}] == near; isNear == d.Significant(0.05) {
			t.Errorf("%s: underlined %v, p %v", other, isNear, *d.PHolm)
		}
		pairs++
	}
	if pairs != 2 {
		t.Errorf("%d pairs with the best, not 2", pairs)
	}
}

func TestIntervalsAndColumns(t *testing.T) {
	r := run(40, covers, "bad", "good")
	if tex := one(t, r, Options{Intervals: Subscript}); !strings.Contains(tex, `\textbf{97.5}$_{[87.5,\,100.0]}$ \\`) {
		t.Errorf("no subscript:\n%s", tex)
	}
	tex := one(t, r, Options{Intervals: Separate, Columns: []string{"N", "COVERAGE", "coverage", "judge"}, Label: "tab:x", Caption: "50% & more"})
	for _, want := range []string{`retriever & n & Coverage & [low, high] & judge \\`, `good & 40 & \textbf{97.5} & [87.5, 100.0] & lexical \\`,
		"\\caption{50\\% \\& more}\n\\label{tab:x}", `{lrrrl}`} {
		if !strings.Contains(tex, want) {
			t.Errorf("%q is not in\n%s", want, tex)
		}
	}
	if strings.Contains(tex, "judge lexical.") {
		t.Error("the judge has a column, and stands in the note, too")
	}

	var b strings.Builder
	part := report.Part{Bench: summhay.Benchmark{}, Names: []string{"a"}, Runs: []report.Run{r}}
	err := Write(&b, []report.Part{part}, Options{Columns: []string{"covrage"}})
	if err == nil || !strings.Contains(err.Error(), "did you mean Coverage?") {
		t.Errorf("%v", err)
	}
}

// Another unit or level is the one that is tested and told: all 40 items are of one group.
func TestDesignIsUsed(t *testing.T) {
	how := Usual()
	how.Unit, how.Level = table.ByGroup, 0.01
	tex := one(t, run(40, covers, "bad", "good"), Options{Intervals: None, How: how})
	if !strings.Contains(tex, "too few groups for a test") || strings.Contains(tex, `\underline`) {
		t.Errorf("%s", tex)
	}
	how.Unit = table.ByItem
	if tex := one(t, run(40, covers, "bad", "good"), Options{Intervals: None, How: how}); !strings.Contains(tex, "over items, Holm over the pairs of each metric, level 0.01") {
		t.Errorf("%s", tex)
	}
}

// A note that is left out is not lost.
func TestNoNote(t *testing.T) {
	tex := one(t, run(40, covers, "bad", "good"), Options{Intervals: None, NoNote: true})
	if strings.Contains(tex, `\parbox`) || !strings.Contains(tex, "\n% All with generator g_1, judge lexical.\n") {
		t.Errorf("%s", tex)
	}
}

// Whatever columns are chosen, values that are missing are told.
func TestMissingIsAlwaysShown(t *testing.T) {
	r := run(4, covers, "bad", "good")
	r.Table.Rows[0].Items, r.Table.Rows[0].ItemsFailed = 5, 1
	tex := one(t, r, Options{Intervals: None, Columns: []string{"coverage"}})
	for _, want := range []string{"& unscored", "0 (1 of 5 answers failed)", "never counted as 0"} {
		if !strings.Contains(tex, want) {
			t.Errorf("%q is not in\n%s", want, tex)
		}
	}
}

// Too few items for any test, runs over other data, and a system alone are said or not marked.
func TestWhatCannotBeTested(t *testing.T) {
	if tex := one(t, run(3, covers, "bad", "good"), Options{Intervals: None}); !strings.Contains(tex, "no test can show a difference") {
		t.Errorf("%s", tex)
	}
	if tex := one(t, run(3, covers, "oracle", "good"), Options{Intervals: None}); strings.Contains(tex, `\textbf`) {
		t.Errorf("the only one that competes is the best:\n%s", tex)
	}

	other := run(40, covers, "bad")
	other.Manifest.DataHash = "y"
	p := report.Part{Bench: summhay.Benchmark{}, Names: []string{"a", "b"}, Runs: []report.Run{run(40, covers, "good"), other}}
	tex := several(t, Options{Intervals: None}, p)
	if strings.Contains(tex, `\textbf`) || !strings.Contains(tex, "over different data: nothing is tested") || !strings.Contains(tex, "\na & good &") {
		t.Errorf("%s", tex)
	}
}

// The same runs give the same bytes, and they compile.
func TestWholeTableCompiles(t *testing.T) {
	r := run(40, covers, "oracle", "bad", "good", "alike")
	for _, how := range Intervals {
		opt := Options{Lore: "1 (x_y)", Label: "tab:a_b", Caption: "Ünïcode, 100 % & 北京", Intervals: how}
		tex := one(t, r, opt)
		if tex != one(t, r, opt) {
			t.Error("another table of the same run")
		}
		compile(t, "", tex)
	}
}
