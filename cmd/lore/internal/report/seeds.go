package report

import (
	"fmt"
	"io"
	"slices"

	"lore/datasets"
)

// OverSeeds is the main figure of systems that were run with several seeds: its mean, standard
// deviation, least and greatest value over the runs. Runs of one benchmark on the same data that
// differ in nothing but the seed belong together.
func OverSeeds(parts []Part) datasets.Grid {
	g := datasets.Grid{
		Title: "Over seeds",
		Head:  []string{"benchmark", "retriever", "generator", "judge", "figure", "runs", "mean", "sd", "least", "greatest"},
		Note: "The main figure over runs that differ in the seed alone. The standard deviation is that of single runs; " +
			"it tells of chance in models and retrievers, and nothing of other items, which the intervals of single runs tell of.",
	}
	for _, p := range parts {
		batches := p.Batches()
		for _, b := range batches {
			m, ok := headlineOfRun(p.Runs[b.Runs[0]], p.Bench)
			if !ok || len(b.Runs) < 2 {
				continue
			}
			title := runTitle(b.Name, p.Bench.Name(), len(batches) == 1 && !p.Study)
			for _, same := range p.SameRows(b) {
				if s := Over(same.Rows, m.Name, len(b.Runs)); len(s.Values) > 1 {
					g.Rows = append(g.Rows, seedsRow(title, same.Judged, m, s))
				}
			}
		}
	}
	return g
}

func seedsRow(title string, of datasets.Judged, m datasets.Metric, s Spread) []string {
	cell := func(v float64) string { return fmt.Sprintf("%.2f", v*factor(m)) }
	count := fmt.Sprint(s.Runs)
	if len(s.Values) < s.Runs {
		count = fmt.Sprintf("%d of %d", len(s.Values), s.Runs)
	}
	return []string{
		title, of.Retriever, of.Generator, of.Judge, m.Title, count,
		cell(s.Mean()), cell(s.SD()), cell(slices.Min(s.Values)), cell(slices.Max(s.Values)),
	}
}

// SeedsJSON is OverSeeds for programs: an object per system, with full precision.
func SeedsJSON(parts []Part) []map[string]any {
	var out []map[string]any
	for _, p := range parts {
		for _, b := range p.Batches() {
			m, ok := headlineOfRun(p.Runs[b.Runs[0]], p.Bench)
			if !ok || len(b.Runs) < 2 {
				continue
			}
			for _, same := range p.SameRows(b) {
				if s := Over(same.Rows, m.Name, len(b.Runs)); len(s.Values) > 1 {
					out = append(out, seedsObject(p, b, same.Judged, m, s))
				}
			}
		}
	}
	return out
}

func seedsObject(p Part, b Batch, of datasets.Judged, m datasets.Metric, s Spread) map[string]any {
	names := make([]string, len(b.Runs))
	for i, run := range b.Runs {
		names[i] = p.Names[run]
	}
	by := factor(m)
	return map[string]any{
		"name": b.Name, "benchmark": p.Bench.Name(), "runs": names,
		"retriever": of.Retriever, "generator": of.Generator, "judge": of.Judge,
		"metric": m.Name, "n": len(s.Values), "mean": s.Mean() * by, "sd": s.SD() * by,
		"least": slices.Min(s.Values) * by, "greatest": slices.Max(s.Values) * by,
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
			WriteMarkdown(w, runTitle(p.Names[i], p.Bench.Name(), false), r, p.Bench)
			fmt.Fprintln(w)
		}
	}
}
