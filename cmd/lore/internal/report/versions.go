package report

import (
	"cmp"
	"fmt"
	"slices"

	"lore/cmd/lore/internal/table"
	"lore/datasets"
)

// builtinPrompts is what tables call lore's own prompts beside versions of people's own.
const builtinPrompts = "builtin"

// versionLevel is the level of significance of differences between versions, as of lore compare,
// and pointsOfPower the true difference, in points, that its power would be told of.
const (
	versionLevel  = 0.05
	pointsOfPower = 5
)

// Versions compares the versions of a prompt that answered for the same retriever, generator and
// judge, pair by pair, in the benchmark's headline metric and by the tests of lore compare. There
// is no grid without several versions.
func Versions(t table.Table, bench datasets.Benchmark) []datasets.Grid {
	families := versionFamilies(t)
	if len(families) == 0 {
		return nil
	}
	_, m, ok := HeadlineOf(families[0][0], bench)
	if !ok {
		return nil
	}

	g := datasets.Grid{
		Title: "Prompts against each other: " + m.Title,
		Head:  []string{"retriever", "generator", "judge", "A", "B", "A − B", "95 % interval", "p Holm", "least", "win/tie/loss", "items"},
		Note: fmt.Sprintf("The same items, paired. p Holm: corrected over the pairs of one retriever, generator and judge; "+
			"* below %g. least: true difference that is found in 80 %% of cases with so many items. "+
			"lore compare tests the other metrics, too.", versionLevel),
	}
	for _, rows := range families {
		g.Rows = append(g.Rows, versionRows(rows, m)...)
	}
	return []datasets.Grid{g}
}

// versionFamilies are the rows that differ in the version of the prompt alone, where there are
// several.
func versionFamilies(t table.Table) [][]table.Row {
	var keys []datasets.Judged
	families := map[datasets.Judged][]table.Row{}
	for _, r := range t.Rows {
		base, _ := r.Prompts()
		key := datasets.Judged{System: base, Judge: r.Judge}
		if families[key] == nil {
			keys = append(keys, key)
		}
		families[key] = append(families[key], r)
	}

	var out [][]table.Row
	for _, k := range keys {
		if len(families[k]) > 1 {
			out = append(out, families[k])
		}
	}
	return out
}

// versionRows are the differences between the versions of one family: later ones minus earlier.
func versionRows(rows []table.Row, m datasets.Metric) [][]string {
	var systems []table.Contestant
	for _, r := range slices.Backward(rows) {
		_, version := r.Prompts()
		systems = append(systems, table.Contestant{Name: cmp.Or(version, builtinPrompts), Row: r})
	}
	how := table.Design{
		Unit:       table.ByItem,
		Level:      versionLevel,
		Difference: pointsOfPower,
		Draws:      table.Resamples,
		Seed:       1,
	}

	var out [][]string
	base, _ := rows[0].Prompts()
	for _, b := range table.Compare(systems, []datasets.Metric{m}, how) {
		for _, d := range Scaled(b.Diffs, b.Metrics) {
			mark := ""
			if d.Significant(versionLevel) {
				mark = " *"
			}
			out = append(out, []string{
				base.Retriever,
				base.Generator,
				rows[0].Judge,
				d.A,
				d.B,
				number(d.Diff, "%+.1f"),
				number(d.Low, "%.1f") + " to " + number(d.High, "%.1f"),
				number(d.PHolm, "%.4f") + mark,
				number(d.Least, "%.1f"),
				fmt.Sprintf("%d/%d/%d", d.Win, d.Tie, d.Loss),
				fmt.Sprint(d.Items),
			})
		}
	}
	return out
}
