package tidy

import (
	"bytes"
	"encoding/csv"
	"math"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"lore/cmd/lore/internal/report"
	"lore/cmd/lore/internal/store"
	"lore/cmd/lore/internal/table"
	"lore/datasets"
	"lore/datasets/summhay"
)

// formula is a name that a spreadsheet would run, with a comma, quotes and a line end.
const formula = "=cmd|' /C calc'!A0,\"x\"\ny"

// example is a run of two systems under two judges: coverage needs a judge, bullets do not. One value
// is missing.
func example() []report.Part {
	bench := summhay.Benchmark{}
	t := table.New("summhay", 1)
	for _, system := range []datasets.System{{Retriever: formula, Generator: "g"}, {Retriever: "b", Generator: "g"}} {
		for j, judge := range []string{"one", "two"} {
			row := table.Row{Judged: datasets.Judged{System: system, Judge: judge}, Items: 2, ItemsFailed: 1, ItemsCut: j}
			row.Scores = []table.ItemScores{
				{Item: "i1", Group: "h", Values: []table.UnitScores{
					{Metric: summhay.Coverage, Units: []string{"a", "b"}, Values: []float64{1, 0.5 * float64(j)},
						Unscored: []table.Missing{{Unit: "c", Reason: "bad_format"}}},
					{Metric: summhay.Bullets, Units: []string{""}, Values: []float64{4}}}},
				{Item: "-i2", Group: "h", Values: []table.UnitScores{
					{Metric: summhay.Coverage, Units: []string{"a"}, Values: []float64{1.0 / 3}}}},
			}
			row.Pool(bench.Metrics(), 1)
			t.Rows = append(t.Rows, row)
		}
	}
	return []report.Part{{Bench: bench, Names: []string{"@run"}, Runs: []report.Run{{Table: t, Manifest: store.Manifest{Seed: 7}}}}}
}

func TestValues(t *testing.T) {
	got := slices.Collect(ValuesOf(example()))
	// Of each system: four rows of coverage under each judge, and one of bullets.
	if len(got) != 2*(2*4+1) {
		t.Fatalf("%d rows", len(got))
	}
	half := 50.0
	want := Value{Source: Source{"@run", "summhay", 7, "b", "g", "b, g", "two", summhay.Coverage, "percent"}, Group: "h", Item: "i1", Unit: "b", Value: &half}
	if !slices.ContainsFunc(got, func(v Value) bool { return cmp.Equal(v, want) }) {
		t.Errorf("%+v is not among %+v", want, got)
	}
	missing := want
	missing.Unit, missing.Value, missing.Missing = "c", nil, "bad_format"
	if !slices.ContainsFunc(got, func(v Value) bool { return cmp.Equal(v, missing) }) {
		t.Errorf("%+v is not among %+v", missing, got)
	}

	judgeless := slices.DeleteFunc(got, func(v Value) bool { return v.Metric != summhay.Bullets })
	if len(judgeless) != 2 || judgeless[0].Judge != "" || judgeless[0].Scale != "number" || *judgeless[0].Value != 4 {
		t.Errorf("%+v", judgeless)
	}
}

// Every figure is the mean of its values, and counts those that are missing.
func TestFiguresAreMeansOfValues(t *testing.T) {
	type sum struct {
		total      float64
		n, missing int64
	}
	sums := map[Source]sum{}
	for v := range ValuesOf(example()) {
		s := sums[v.Source]
		if v.Value == nil {
			s.missing++
		} else {
			s.total, s.n = s.total+*v.Value, s.n+1
		}
		sums[v.Source] = s
	}

	figures := slices.Collect(FiguresOf(example()))
	if len(figures) != len(sums) || len(figures) != 6 {
		t.Fatalf("%d figures, values of %d", len(figures), len(sums))
	}
	for _, f := range figures {
		s := sums[f.Source]
		if f.N != s.n || f.Missing != s.missing || math.Abs(*f.Mean-s.total/float64(s.n)) > 1e-9 || f.ItemsFailed != 1 || f.Items != 2 {
			t.Errorf("%+v, values %+v", f, s)
		}
	}
}

func TestCSV(t *testing.T) {
	for form, heading := range map[string][]string{Values: valueColumns, Figures: figureColumns} {
		var b bytes.Buffer
		if err := CSV(&b, form, example()); err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(&b).ReadAll()
		if err != nil || !slices.Equal(rows[0], heading) {
			t.Fatalf("%v %v", rows, err)
		}
		if rows[1][0] != "'@run" || rows[1][2] != "7" || rows[1][3] != "'"+formula {
			t.Errorf("a spreadsheet runs %q, %q", rows[1][0], rows[1][3])
		}
		for _, r := range rows[1:] {
			for i, cell := range r {
				if _, err := strconv.ParseFloat(cell, 64); cell != "" && isNumber(form, heading[i]) && err != nil {
					t.Errorf("%s is %q, no number", heading[i], cell)
				}
			}
		}
	}
}

func isNumber(form, column string) bool {
	texts := []string{"run", "benchmark", "retriever", "generator", "system", "judge", "metric", "scale", "group", "item", "unit"}
	return !slices.Contains(texts, column) && (form == Figures || column == "value")
}

// What is written reads back as the same rows, under the columns that are documented, and the same
// runs give the same bytes.
func TestParquetReadsBack(t *testing.T) {
	readsBack(t, Values, valueColumns, slices.Collect(ValuesOf(example())))
	readsBack(t, Figures, figureColumns, slices.Collect(FiguresOf(example())))
}

func readsBack[T any](t *testing.T, form string, columns []string, want []T) {
	t.Helper()
	var first, second bytes.Buffer
	for _, b := range []*bytes.Buffer{&first, &second} {
		if err := Parquet(b, form, example()); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Error("the same runs gave other bytes")
	}

	file := bytes.NewReader(first.Bytes())
	got, err := parquet.Read[T](file, file.Size())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	opened, err := parquet.OpenFile(file, file.Size())
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range opened.Schema().Fields() {
		names = append(names, f.Name())
	}
	if !slices.Equal(names, columns) {
		t.Errorf("columns %v, want %v", names, columns)
	}
}

// More rows than are handed on at once arrive, and an empty table is a file that can be read.
func TestParquetOfManyAndNone(t *testing.T) {
	many := example()
	scores := &many[0].Runs[0].Table.Rows[0].Scores[0]
	for range 3 * batch {
		scores.Values[0].Units = append(scores.Values[0].Units, "u")
		scores.Values[0].Values = append(scores.Values[0].Values, 1)
	}
	for _, parts := range [][]report.Part{many, nil} {
		var b bytes.Buffer
		if err := Parquet(&b, Values, parts); err != nil {
			t.Fatal(err)
		}
		got, err := parquet.Read[Value](bytes.NewReader(b.Bytes()), int64(b.Len()))
		if want := slices.Collect(ValuesOf(parts)); err != nil || len(got) != len(want) {
			t.Errorf("%d rows, not %d: %v", len(got), len(want), err)
		}
	}
}
