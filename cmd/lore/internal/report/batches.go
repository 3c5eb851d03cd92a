package report

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"lore/cmd/lore/internal/store"
	"lore/cmd/lore/internal/table"
	"lore/datasets"
	"lore/embed"
	"lore/judge/metric"
)

// Batch is one run, or several that differ in the seed alone. Runs are their places in the part.
type Batch struct {
	Name string // of the run, without its seed where there are several
	Runs []int
}

// Batches sorts a part's runs by what was run, in the order of their first runs. Two runs with the
// same seed are two batches.
func (p Part) Batches() []Batch {
	var out []Batch
	var keys []string
	for i, r := range p.Runs {
		key := withoutSeed(r.Manifest)
		at := slices.IndexFunc(out, func(b Batch) bool {
			return keys[b.Runs[0]] == key && !slices.ContainsFunc(b.Runs, func(k int) bool {
				return p.Runs[k].Manifest.Seed == r.Manifest.Seed
			})
		})
		keys = append(keys, key)
		if at >= 0 {
			out[at].Runs = append(out[at].Runs, i)
			continue
		}
		out = append(out, Batch{Runs: []int{i}})
	}
	for i, b := range out {
		out[i].Name = p.batchName(b.Runs)
	}
	return out
}

// batchName is what the names of runs have in common before their seeds, or all names.
func (p Part) batchName(runs []int) string {
	if len(runs) == 1 {
		return p.Names[runs[0]]
	}
	var names, stems []string
	for _, i := range runs {
		names = append(names, p.Names[i])
		stems = append(stems, strings.TrimSuffix(p.Names[i], fmt.Sprintf("-seed%d", p.Runs[i].Manifest.Seed)))
	}
	if len(slices.Compact(stems)) == 1 {
		return stems[0]
	}
	return strings.Join(names, ", ")
}

// withoutSeed says what was run but for the seed, and for all that follows from the answers: counts,
// languages, hashes of results, and the window that the longest prompt asked for.
func withoutSeed(m store.Manifest) string {
	seedless := func(models []store.Model) []store.Model {
		out := slices.Clone(models)
		for i := range out {
			out[i].Agreement = ""
			if out[i].Options != nil {
				options := *out[i].Options
				options.Seed, options.NumCtx = 0, 0
				out[i].Options = &options
			}
		}
		return out
	}
	var embedders []embed.Settings
	for _, e := range m.Retrieval.Embedders {
		embedders = append(embedders, e.Settings)
	}
	settings := maps.Clone(m.Settings)
	if b, ok := settings["bertscore"].(map[string]any); ok {
		b = maps.Clone(b)
		delete(b, "answers")
		delete(b, "answers_cut")
		settings["bertscore"] = b
	}

	key, err := json.Marshal([]any{
		m.Benchmark, m.DataHash, m.Items, m.ItemsOf, m.Chosen, m.Lore, m.Prompts, m.Retrievers, m.Answers, m.Server, m.Tokenizer,
		m.Retrieval.Stages, embedders, m.Retrieval.CrossEncoders, seedless(m.Generators), seedless(m.Judges), settings,
	})
	if err != nil { // what JSON cannot hold, such as infinity: then runs are the same only if they print so
		return fmt.Sprintf("%+v", m)
	}
	return string(key)
}

// Title names the part: its only batch by its own name, several by the benchmark.
func (p Part) Title() string {
	if all := p.Batches(); len(all) == 1 {
		return runTitle(all[0].Name, p.Bench.Name(), !p.Study)
	}
	return p.Bench.Name()
}

// runTitle is the own name of a run, with the benchmark's in brackets where it does not begin with
// that. The name of a folder says nothing where there is one run.
func runTitle(name, bench string, alone bool) string {
	rest, says := strings.CutPrefix(name, bench)
	switch {
	case name == "" || alone:
		return bench
	case says && (rest == "" || rest[0] == '-'):
		return name
	}
	return name + " (" + bench + ")"
}

// Spread is a figure over runs that differ in the seed alone.
type Spread struct {
	Values []float64 // of the runs that have one
	Runs   int
}

// Mean is NaN where there are no values.
func (s Spread) Mean() float64 { return metric.Mean(s.Values) }

// SD is the standard deviation of single runs, NaN of less than two.
func (s Spread) SD() float64 { return metric.StandardDeviation(s.Values) }

// Seeds words how many seeds the values are of.
func (s Spread) Seeds() string {
	if len(s.Values) < s.Runs {
		return fmt.Sprintf("%d of %d seeds", len(s.Values), s.Runs)
	}
	return fmt.Sprintf("%d seeds", s.Runs)
}

// Over is the spread of a metric over rows of the same system and judge in so many runs.
func Over(rows []*table.Row, name string, runs int) Spread {
	out := Spread{Runs: runs}
	for _, r := range rows {
		if f, ok := r.Figure(name); ok && f.Value != nil {
			out.Values = append(out.Values, *f.Value)
		}
	}
	return out
}

// SameRows are the rows of one system under one judge in each run of a batch that has it.
type SameRows struct {
	datasets.Judged
	Rows []*table.Row
}

// SameRows gathers the rows of a batch by system and judge, in the order of the first run.
func (p Part) SameRows(b Batch) []SameRows {
	var out []SameRows
	for _, i := range b.Runs {
		for k := range p.Runs[i].Table.Rows {
			row := &p.Runs[i].Table.Rows[k]
			at := slices.IndexFunc(out, func(s SameRows) bool { return s.Judged == row.Judged && s.Rows[0].Recorded == row.Recorded })
			if at < 0 {
				at = len(out)
				out = append(out, SameRows{Judged: row.Judged})
			}
			out[at].Rows = append(out[at].Rows, row)
		}
	}
	return out
}
