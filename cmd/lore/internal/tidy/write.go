package tidy

import (
	"fmt"
	"io"
	"iter"
	"strconv"

	"github.com/parquet-go/parquet-go"

	"lore/cmd/lore/internal/report"
	"lore/local/files"
)

// Columns of both forms, in their order, as CSV and Parquet have them.
var (
	valueColumns = []string{"run", "benchmark", "seed", "retriever", "generator", "system", "judge", "metric", "scale",
		"group", "item", "unit", "value", "missing"}
	figureColumns = []string{"run", "benchmark", "seed", "retriever", "generator", "system", "judge", "metric", "scale",
		"mean", "low", "high", "mean_by_item", "worst", "best", "n", "missing", "items", "items_failed", "items_cut"}
)

// CSV writes rows of a form. An empty cell is a number that is missing. Texts that a spreadsheet
// would run begin with an apostrophe, and control characters are shown.
func CSV(w io.Writer, form string, parts []report.Part) error {
	if form == Figures {
		return files.WriteSheet(w, figureColumns, cells(FiguresOf(parts), Figure.cells))
	}
	return files.WriteSheet(w, valueColumns, cells(ValuesOf(parts), Value.cells))
}

// cells makes texts of rows.
func cells[T any](of iter.Seq[T], text func(T) []string) iter.Seq[[]string] {
	return func(yield func([]string) bool) {
		for v := range of {
			if !yield(text(v)) {
				return
			}
		}
	}
}

func (s Source) cells() []string {
	return []string{s.Run, s.Benchmark, fmt.Sprint(s.Seed), s.Retriever, s.Generator, s.System, s.Judge, s.Metric, s.Scale}
}

func (v Value) cells() []string {
	return append(v.Source.cells(), v.Group, v.Item, v.Unit, number(v.Value), v.Missing)
}

func (f Figure) cells() []string {
	out := f.Source.cells()
	for _, v := range []*float64{f.Mean, f.Low, f.High, f.MeanByItem, f.Worst, f.Best} {
		out = append(out, number(v))
	}
	for _, n := range []int64{f.N, f.Missing, f.Items, f.ItemsFailed, f.ItemsCut} {
		out = append(out, fmt.Sprint(n))
	}
	return out
}

// number has as many digits as it takes to read the same number back.
func number(v *float64) string {
	if v == nil {
		return ""
	}
	return strconv.FormatFloat(*v, 'g', -1, 64)
}

// Parquet writes rows of a form: texts as they are, numbers that are missing as null.
func Parquet(w io.Writer, form string, parts []report.Part) error {
	if form == Figures {
		return write(w, FiguresOf(parts))
	}
	return write(w, ValuesOf(parts))
}

// batch is how many rows are handed on at once.
const batch = 4096

// write writes rows to one file. It names no version of lore or of the library: the same runs give
// the same bytes.
func write[T any](to io.Writer, rows iter.Seq[T]) error {
	w := parquet.NewGenericWriter[T](to, parquet.Compression(&parquet.Snappy), parquet.CreatedBy("lore", "1", "0"))
	var waiting []T
	flush := func() error {
		_, err := w.Write(waiting)
		waiting = waiting[:0]
		if err != nil {
			return fmt.Errorf("write Parquet: %w", err)
		}
		return nil
	}

	for row := range rows {
		if waiting = append(waiting, row); len(waiting) == batch {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	if err := flush(); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return fmt.Errorf("write Parquet: %w", err)
	}
	return nil
}
