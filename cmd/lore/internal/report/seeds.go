package report

import (
	"fmt"
	"io"
	"slices"

	"lore/cmd/lore/internal/table"
	"lore/datasets"
	"lore/judge/metric"
)

// OverSeeds is the main figure of systems that were run with several seeds: its mean, standard
// deviation, least and greatest value over the runs. Runs of one benchmark on the same data that
// differ in nothing but the seed belong together.
func OverSeeds(parts []Part) datasets.Grid {
	g := datasets.Grid{
		Title: "Over seeds",
		Head:  []string{"benchmark", "retriever", "generator", "judge", "figure", "runs", "mean", "sd", "least", "greatest"},
		Note: "The main figure over runs that differ in the seed alone. The standard deviation is that of single runs; " +
			"it tells of chance in models and retrievers, and nothing of other items, which the intervals above tell of.",
	}
	for _, p := range parts {
		for _, group := range sameButSeed(p) {
			m, ok := headlineOfRun(group[0], p.Bench)
			if !ok {
				continue
			}
			for _, row := range group[0].Table.Rows {
				if values := valuesOver(group, row, m); len(values) > 1 {
					g.Rows = append(g.Rows, seedsRow(p.Bench.Name(), row, m, values, len(group)))
				}
			}
		}
	}
	return g
}

// sameButSeed groups runs by their data and by all settings but the seed. Groups of one are left out.
func sameButSeed(p Part) [][]Run {
	var out [][]Run
	for _, r := range p.Runs {
		same := func(g []Run) bool {
			return g[0].Manifest.DataHash == r.Manifest.DataHash && g[0].Manifest.Items == r.Manifest.Items &&
				g[0].Manifest.Seed != r.Manifest.Seed
		}
		if at := slices.IndexFunc(out, same); at >= 0 {
			out[at] = append(out[at], r)
			continue
		}
		out = append(out, []Run{r})
	}
	return slices.DeleteFunc(out, func(g []Run) bool { return len(g) < 2 })
}

// valuesOver are the values of a row's system in each run that has it.
func valuesOver(runs []Run, of table.Row, m datasets.Metric) []float64 {
	var out []float64
	for _, r := range runs {
		for _, row := range r.Table.Rows {
			if row.Judged != of.Judged {
				continue
			}
			if f, ok := row.Figure(m.Name); ok && f.Value != nil {
				out = append(out, *f.Value)
			}
		}
	}
	return out
}

func seedsRow(bench string, of table.Row, m datasets.Metric, values []float64, runs int) []string {
	scale := 1.0
	if m.Percent {
		scale = 100
	}
	cell := func(v float64) string { return fmt.Sprintf("%.2f", v*scale) }
	count := fmt.Sprint(runs)
	if len(values) < runs {
		count = fmt.Sprintf("%d of %d", len(values), runs)
	}
	return []string{
		bench, of.Retriever, of.Generator, of.Judge, m.Title, count,
		cell(metric.Mean(values)), cell(metric.StandardDeviation(values)), cell(slices.Min(values)), cell(slices.Max(values)),
	}
}

// StudyMarkdown writes the report of a study: the main figures of all benchmarks, then each run.
func StudyMarkdown(w io.Writer, title, date string, parts []Part, overview, seeds datasets.Grid) {
	fmt.Fprintf(w, "# %s\n\n", mdCell(title))
	if date != "" {
		fmt.Fprintf(w, "%s\n\n", mdCell(date))
	}
	for _, g := range datasets.Filled(overview, seeds) {
		Markdown(w, g)
	}
	for _, p := range parts {
		for i, r := range p.Runs {
			fmt.Fprintf(w, "---\n\nRun [%s](%s/report.md)\n\n", mdCell(p.Names[i]), p.Names[i])
			WriteMarkdown(w, r, p.Bench)
			fmt.Fprintln(w)
		}
	}
}
