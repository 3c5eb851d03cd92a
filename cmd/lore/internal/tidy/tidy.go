// Package tidy gives run folders out as tables for notebooks: one row a value, or one row a figure,
// as CSV or Parquet.
package tidy

import (
	"iter"
	"slices"

	"lore/cmd/lore/internal/report"
	"lore/cmd/lore/internal/table"
	"lore/datasets"
)

// What rows are.
const (
	Values  = "values"  // a value of an item, or of one of its units: a statement, a sub-question
	Figures = "figures" // a metric of a system, pooled over its items, with its interval
)

// Forms are all that rows can be.
var Forms = []string{Values, Figures}

// Scales say what a number is in.
const (
	percent = "percent" // a share times 100
	plain   = "number"  // what the metric counts
)

// Source is whose a row is. System is retriever and generator together. Judge is empty where the
// metric needs none: such values are there once, however many judges the run had.
type Source struct {
	Run       string `parquet:"run,dict"` // the folder's name
	Benchmark string `parquet:"benchmark,dict"`
	Seed      uint64 `parquet:"seed"` // of the run
	Retriever string `parquet:"retriever,dict"`
	Generator string `parquet:"generator,dict"`
	System    string `parquet:"system,dict"`
	Judge     string `parquet:"judge,dict"`
	Metric    string `parquet:"metric,dict"` // its name in files
	Scale     string `parquet:"scale,dict"`  // percent or number
}

// Value is one value of a metric.
type Value struct {
	Source
	Group   string   `parquet:"group,dict"`     // haystack or topic of the item
	Item    string   `parquet:"item,dict"`      //
	Unit    string   `parquet:"unit,dict"`      // of the item
	Value   *float64 `parquet:"value,optional"` // nil: missing
	Missing string   `parquet:"missing,dict"`   // why, where it is
}

// Figure is a metric of a system.
type Figure struct {
	Source
	Mean        *float64 `parquet:"mean,optional"` // of all values; nil: undefined
	Low         *float64 `parquet:"low,optional"`  // 95 % interval of Mean
	High        *float64 `parquet:"high,optional"`
	MeanByItem  *float64 `parquet:"mean_by_item,optional"` // mean of the items' means
	Worst       *float64 `parquet:"worst,optional"`        // Mean if all missing values were the worst possible
	Best        *float64 `parquet:"best,optional"`         // or the best
	N           int64    `parquet:"n"`                     // values
	Missing     int64    `parquet:"missing"`               // values
	Items       int64    `parquet:"items"`
	ItemsFailed int64    `parquet:"items_failed"` // without an answer
	ItemsCut    int64    `parquet:"items_cut"`    // with an answer that reached its length limit
}

// ValuesOf are the values of runs, in the order of their tables.
func ValuesOf(parts []report.Part) iter.Seq[Value] {
	return func(yield func(Value) bool) {
		for row := range rows(parts) {
			for _, it := range row.Scores {
				for _, u := range it.Values {
					if !row.shows(u.Metric) {
						continue
					}
					if !row.values(it, u, yield) {
						return
					}
				}
			}
		}
	}
}

// values yields those of one metric in one item: first what there is, then what is missing.
func (r row) values(it table.ItemScores, u table.UnitScores, yield func(Value) bool) bool {
	source, by := r.source(u.Metric)
	v := Value{Source: source, Group: it.Group, Item: it.Item}
	for i, x := range u.Values {
		x *= by
		v.Unit, v.Value = u.Units[i], &x
		if !yield(v) {
			return false
		}
	}
	for _, m := range u.Unscored {
		v.Unit, v.Value, v.Missing = m.Unit, nil, m.Reason
		if !yield(v) {
			return false
		}
	}
	return true
}

// FiguresOf are the figures of runs, in the order of their tables.
func FiguresOf(parts []report.Part) iter.Seq[Figure] {
	return func(yield func(Figure) bool) {
		for row := range rows(parts) {
			for _, f := range row.Figures {
				if f.N+f.NUnscored > 0 && row.shows(f.Metric) && !yield(row.figure(f)) {
					return
				}
			}
		}
	}
}

func (r row) figure(f table.Figure) Figure {
	source, by := r.source(f.Metric)
	times := func(v *float64) *float64 {
		if v == nil {
			return nil
		}
		x := *v * by
		return &x
	}
	return Figure{
		Source:      source,
		Mean:        times(f.Value),
		Low:         times(f.Low),
		High:        times(f.High),
		MeanByItem:  times(f.ByItem),
		Worst:       times(f.Worst),
		Best:        times(f.Best),
		N:           int64(f.N),
		Missing:     int64(f.NUnscored),
		Items:       int64(r.Items),
		ItemsFailed: int64(r.ItemsFailed),
		ItemsCut:    int64(r.ItemsCut),
	}
}

// row is one of a run's table.
type row struct {
	table.Row
	run   string
	seed  uint64
	bench datasets.Benchmark
	first bool // of its system: rows of other judges follow
}

// rows are those of all runs.
func rows(parts []report.Part) iter.Seq[row] {
	return func(yield func(row) bool) {
		for _, p := range parts {
			for i, r := range p.Runs {
				seen := map[datasets.System]bool{}
				for _, one := range r.Table.Rows {
					if !yield(row{one, p.Names[i], r.Manifest.Seed, p.Bench, !seen[one.System]}) {
						return
					}
					seen[one.System] = true
				}
			}
		}
	}
}

// shows reports whether a row has a metric's values: those that need no judge stand in the first row
// of a system alone.
func (r row) shows(metric string) bool { return r.first || r.metric(metric).Judged }

// metric is the benchmark's, with the name alone where a newer or older lore has it otherwise.
func (r row) metric(name string) datasets.Metric {
	all := r.bench.Metrics()
	i := slices.IndexFunc(all, func(m datasets.Metric) bool { return m.Name == name })
	if i < 0 {
		return datasets.Metric{Name: name, Judged: true}
	}
	return all[i]
}

// source says whose a metric's values are, and by what they are multiplied.
func (r row) source(name string) (Source, float64) {
	m := r.metric(name)
	out := Source{
		Run:       r.run,
		Benchmark: r.bench.Name(),
		Seed:      r.seed,
		Retriever: r.Retriever,
		Generator: r.Generator,
		System:    r.System.String(),
		Metric:    name,
		Scale:     plain,
	}
	if r.Recorded != "" {
		out.System = r.Recorded
	}
	if m.Judged {
		out.Judge = r.Judge
	}
	if m.Percent {
		out.Scale = percent
		return out, 100
	}
	return out, 1
}
