package report

import (
	"bytes"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rivo/uniseg"

	"lore/cmd/lore/internal/table"
	"lore/cmd/lore/internal/usage"
	"lore/datasets"
	"lore/datasets/summhay"
)

// The highest figure of each judge is green, where there is something to compare it with; the ends of
// the scale take no part, also where rows begin with the folder of their run.
func TestBestOfEachJudge(t *testing.T) {
	row := func(retriever, generator, judge string, value float64) table.Row {
		of := datasets.Judged{System: datasets.System{Retriever: retriever, Generator: generator}, Judge: judge}
		return table.Row{Judged: of, Figures: []table.Figure{{Metric: summhay.Coverage, Value: p(value), N: 1}}}
	}
	rows := []table.Row{
		row("bm25", "g", "j", 0.5), row("dense", "g", "j", 0.7), row("oracle", "g", "j", 0.9), row("bm25", "gold", "j", 1),
		row("bm25", "g", "k", 0.4), row("dense", "g", "k", 0.4), row("may: oracle", "g", "k", 0.8), row("bm25", "g", "alone", 0.1),
	}
	g := Main(table.Table{Rows: rows}, summhay.Benchmark{}.Metrics())
	var best []int
	for at, mark := range g.Marks {
		if mark == datasets.Best && g.Head[at.Column] == "Coverage" {
			best = append(best, at.Row)
		}
	}
	if want := []int{1, 4, 5}; !slices.Equal(slices.Sorted(slices.Values(best)), want) {
		t.Errorf("rows %v are the best, want %v", best, want)
	}

	// Recorded systems stand in one column less, and marks with their figures.
	recorded := Recorded(table.Table{Rows: rows}, summhay.Benchmark{}.Metrics())
	for at := range recorded.Marks {
		if recorded.Head[at.Column] != "Coverage" {
			t.Errorf("%v is marked", at)
		}
	}
	if len(recorded.Marks) != len(g.Marks) {
		t.Errorf("%d marks, want %d", len(recorded.Marks), len(g.Marks))
	}
}

// What failed and what is missing is marked beside the words that say so.
func TestFailuresAreMarked(t *testing.T) {
	r := example()
	g := Main(r.Table, summhay.Benchmark{}.Metrics())
	if got := slices.Collect(maps.Values(g.Marks)); !slices.Equal(got, []datasets.Mark{datasets.Failed}) {
		t.Errorf("%v", g.Marks)
	}
	for at := range g.Marks {
		if cell := g.Rows[at.Row][at.Column]; !strings.Contains(cell, "failed") {
			t.Errorf("%q is marked", cell)
		}
	}
}

// Whatever a cell holds, a screen with colours obeys nothing but styles.
func TestHostileCellsOnAScreen(t *testing.T) {
	styling := regexp.MustCompile("\x1b\\[[0-9;]+m")
	for _, cell := range slices.Concat(hostileCells, []string{"\x1b[31m red", "\x1b[0m\x1b[2J", "a\rb", "\u200fb", hostile}) {
		g := datasets.Grid{Title: cell, Head: []string{cell, "n"}, Rows: [][]string{{cell, "1"}}, Note: cell}
		g.Mark(0, datasets.Failed)
		var buf bytes.Buffer
		Text(usage.PrinterOn(&buf, usage.Screen{Width: 40, Colour: true}), g)

		plain := styling.ReplaceAllString(buf.String(), "")
		if strings.ContainsAny(plain, "\x1b\a\r\u202e\u009b\u200f") {
			t.Errorf("%q: %q", cell, plain)
		}
		// Every style ends.
		if n := strings.Count(buf.String(), "\x1b[0m"); 2*n != len(styling.FindAllString(buf.String(), -1)) {
			t.Errorf("%q: %d styles end in %q", cell, n, buf.String())
		}
		for _, line := range strings.Split(plain, "\n") {
			if n := uniseg.StringWidth(line); n > 40 {
				t.Errorf("%q has %d cells", line, n)
			}
		}
	}
}
