package paper

import (
	"fmt"
	"slices"

	"lore/cmd/lore/internal/report"
	"lore/cmd/lore/internal/table"
	"lore/datasets"
)

// folded are the runs of a part with one run in the place of those that differ in the seed alone. Its
// figures are means over these runs, its counts sums.
type folded struct {
	report.Part
	spreads map[cellOf]report.Spread
	seeds   []int // runs of each batch
}

// cellOf is a metric of a row in a folded run.
type cellOf struct {
	run    int
	of     datasets.Judged
	metric string
}

// fold folds a part; ok is false where no runs differ in the seed alone.
func fold(p report.Part) (out folded, ok bool) {
	out = folded{Part: report.Part{Bench: p.Bench}, spreads: map[cellOf]report.Spread{}}
	for i, b := range p.Batches() {
		first := p.Runs[b.Runs[0]]
		run := report.Run{Manifest: first.Manifest, Table: first.Table}
		if len(b.Runs) > 1 {
			ok, run.Table.Rows = true, nil
			for _, same := range p.SameRows(b) {
				row, spreads := mean(same.Rows, len(b.Runs))
				run.Table.Rows = append(run.Table.Rows, row)
				for metric, s := range spreads {
					out.spreads[cellOf{i, same.Judged, metric}] = s
				}
			}
		}
		out.Names, out.Runs, out.seeds = append(out.Names, b.Name), append(out.Runs, run), append(out.seeds, len(b.Runs))
	}
	return out, ok
}

// mean is the row of a system over several runs.
func mean(rows []*table.Row, runs int) (table.Row, map[string]report.Spread) {
	out := table.Row{Recorded: rows[0].Recorded, Judged: rows[0].Judged}
	for _, r := range rows {
		out.Items, out.ItemsFailed, out.ItemsCut = out.Items+r.Items, out.ItemsFailed+r.ItemsFailed, out.ItemsCut+r.ItemsCut
		for _, f := range r.Figures {
			at := slices.IndexFunc(out.Figures, func(o table.Figure) bool { return o.Metric == f.Metric })
			if at < 0 {
				at = len(out.Figures)
				out.Figures = append(out.Figures, table.Figure{Metric: f.Metric})
			}
			out.Figures[at].N += f.N
			out.Figures[at].NUnscored += f.NUnscored
		}
	}

	spreads := map[string]report.Spread{}
	for i, f := range out.Figures {
		s := report.Over(rows, f.Metric, runs)
		spreads[f.Metric] = s
		if len(s.Values) > 0 {
			v := s.Mean()
			out.Figures[i].Value = &v
		}
	}
	return out, spreads
}

// deviation is what stands behind the mean of a system, empty of a single run.
func (f folded) deviation(s table.Contestant, m datasets.Metric) string {
	spread := f.spreads[cellOf{s.Run, s.Row.Judged, m.Name}]
	if len(spread.Values) < 2 {
		return ""
	}
	return `$\pm$` + number(spread.SD(), m)
}

// highest marks the highest mean under each judge. No test is made: those that lore makes are of
// single runs.
func (f folded) highest(systems []table.Contestant, metrics []datasets.Metric) findings {
	out := findings{marks: map[place]datasets.Mark{}}
	for _, r := range f.Runs {
		out.otherRun = out.otherRun || r.Manifest.DataHash != f.Runs[0].Manifest.DataHash
	}
	if out.otherRun {
		return out
	}
	blocks := map[string]*table.Block{}
	for _, m := range metrics {
		for _, s := range systems {
			judge := s.Row.Judge
			if !m.Judged {
				judge = ""
			}
			at := m.Name + "\n" + judge
			if blocks[at] == nil {
				blocks[at] = &table.Block{Judge: judge}
			}
			blocks[at].Systems = append(blocks[at].Systems, s)
		}
		for at, b := range blocks {
			out.judge(*b, m)
			delete(blocks, at)
		}
	}
	out.untested = false // nothing was to be tested
	return out
}

// note says what figures of these metrics over seeds are.
func (f folded) note(metrics []datasets.Metric) string {
	low, high, lacking := slices.Min(f.seeds), slices.Max(f.seeds), false
	for at, s := range f.spreads {
		shown := slices.ContainsFunc(metrics, func(m datasets.Metric) bool { return m.Name == at.metric })
		lacking = lacking || shown && len(s.Values) < s.Runs
	}
	said := fmt.Sprintf("Means over %d seeds, with the standard deviation of single runs behind ±; counts are sums over these.", high)
	if low != high {
		said = fmt.Sprintf("Where ± stands: means over up to %d seeds, with the standard deviation of single runs; counts are sums.", high)
	}
	if lacking {
		said += " Some runs lack a value, and the mean is over the others."
	}
	return said + " Nothing is tested."
}
