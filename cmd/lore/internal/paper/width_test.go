package paper

import (
	"fmt"
	"strings"
	"testing"

	"lore/cmd/lore/internal/report"
	"lore/cmd/lore/internal/store"
	"lore/cmd/lore/internal/table"
	"lore/datasets"
	"lore/datasets/crux"
	"lore/datasets/long2rag"
	"lore/datasets/msrs"
	"lore/datasets/summhay"
)

// figured is a run in which each system has a value, with an interval, of each main figure.
func figured(bench datasets.Benchmark, judges []string, retrievers ...string) report.Run {
	var r report.Run
	r.Table = table.New(bench.Name(), 1)
	r.Manifest = store.Manifest{Benchmark: bench.Name(), DataHash: "x"}
	for i, name := range retrievers {
		for _, judge := range judges {
			row := table.Row{Judged: datasets.Judged{System: datasets.System{Retriever: name, Generator: "extractive"}, Judge: judge}, Items: 6}
			for _, m := range bench.Metrics() {
				value, low, high := 0.5+0.1*float64(i), 0.4, 1.0
				row.Figures = append(row.Figures, table.Figure{Metric: m.Name, Value: &value, Low: &low, High: &high, N: 6})
			}
			r.Table.Rows = append(r.Table.Rows, row)
		}
	}
	return r
}

func partOf(bench datasets.Benchmark, name string, judges []string, retrievers ...string) report.Part {
	return report.Part{Study: true, Bench: bench, Names: []string{name}, Runs: []report.Run{figured(bench, judges, retrievers...)}}
}

// Five benchmarks in one table, and one with four figures under two judges, are no wider than a line,
// however intervals are shown. What all rows share stands in the note.
func TestWideTablesFitTheLine(t *testing.T) {
	judges, names := []string{"lexical", "ollama:llama3.1:8b"}, []string{"bm25", "bm25+dense:embeddinggemma", "oracle"}
	parts := []report.Part{
		partOf(summhay.Benchmark{}, "summhay", judges, names...),
		partOf(msrs.Benchmark{}, "stories", judges, names...),
		partOf(crux.Benchmark{}, "crux", judges, names...),
		partOf(long2rag.Benchmark{}, "long2rag", judges, names...),
	}
	second := partOf(summhay.Benchmark{}, "the second haystack", judges, names...)
	parts[0].Names, parts[0].Runs = append(parts[0].Names, second.Names...), append(parts[0].Runs, second.Runs...)

	for _, how := range []string{"", Subscript, Separate} {
		compileWithin(t, text(summary(parts, Options{Overview: how, How: Usual()})))
	}
	for _, how := range Intervals {
		for _, p := range []report.Part{parts[0], parts[1]} {
			compileWithin(t, text(build(p, Options{Intervals: how, How: Usual()})))
		}
	}

	plain := text(summary(parts, Options{How: Usual()}))
	if strings.Contains(plain, "low") || strings.Contains(plain, "generator &") || !strings.Contains(plain, "All with generator extractive.") {
		t.Errorf("intervals nobody asked for, or a column that says nothing:\n%s", plain)
	}
	if strings.Contains(plain, "took no part") {
		t.Errorf("a mark is explained that is not there:\n%s", plain)
	}
	if !strings.Contains(plain, "stories (msrs)") || !strings.Contains(text(build(parts[1], Options{How: Usual()})), "Results on stories (msrs).") {
		t.Errorf("the run's own name is lost:\n%s", plain)
	}
	if wide := text(build(parts[0], Options{Intervals: Separate, How: Usual()})); !strings.Contains(wide, `\usepackage{graphicx}`) ||
		!strings.Contains(wide, `\resizebox{\linewidth}`) {
		t.Errorf("not scaled:\n%s", wide)
	}
	parts[0].Runs[0].Table.Rows[0].Figures[0].NUnscored = 1
	parts[0].Runs[0].Table.Rows = parts[0].Runs[0].Table.Rows[:2]
	cut := text(summary(parts, Options{Overview: Subscript, How: Usual()}))
	if !strings.Contains(cut, `}$ (1 unscored)`) || !strings.Contains(cut, "--: the system took no part.") {
		t.Errorf("%s", cut)
	}
}

// Runs that differ in the seed alone are one row, in the table of the benchmark and in that of all:
// the highest mean in bold, and no test.
func TestSeedsAreOneRow(t *testing.T) {
	p := report.Part{Bench: summhay.Benchmark{}, Study: true}
	for i, add := range []float64{0, 0.1, 0.5} {
		r := figured(summhay.Benchmark{}, []string{"lexical"}, "bm25", "keywords", "oracle")
		for k := range r.Table.Rows {
			for f := range r.Table.Rows[k].Figures {
				*r.Table.Rows[k].Figures[f].Value -= add
			}
		}
		r.Manifest.Seed = uint64(i)
		p.Names, p.Runs = append(p.Names, fmt.Sprintf("hay-seed%d", i)), append(p.Runs, r)
	}

	tex := text(build(p, Options{Intervals: Subscript, Seeds: true, Columns: []string{"coverage"}, How: Usual()}))
	for _, want := range []string{"\nbm25 & 30.0$_{\\pm26.5}$ \\\\\n", "\nkeywords & \\textbf{40.0}$_{\\pm26.5}$ \\\\\n", "\noracle & 50.0",
		"Results on hay (summhay).", "n = 18 values of 18 items", "Means over 3 seeds", "Nothing is tested."} {
		if !strings.Contains(tex, want) {
			t.Errorf("%q is not in\n%s", want, tex)
		}
	}
	if strings.Contains(tex, "run &") || strings.Contains(tex, "low") {
		t.Errorf("%s", tex)
	}
	if apart := text(build(p, Options{Intervals: Subscript, How: Usual()})); !strings.Contains(apart, "run &") {
		t.Errorf("lore compare tells runs apart:\n%s", apart)
	}

	all := text(summary([]report.Part{p}, Options{How: Usual()}))
	if !strings.Contains(all, "keywords & \\textbf{40.0}$_{\\pm26.5}$") || !strings.Contains(all, "differ in the seed alone; these are not tested") {
		t.Errorf("%s", all)
	}
	compileWithin(t, tex+all)
}
