package run

import (
	"slices"

	"lore/cmd/lore/internal/store"
	"lore/cmd/lore/internal/table"
	"lore/datasets"
	"lore/judge"
	"lore/local"
	"lore/local/parallel"
)

// score turns evidence and verdicts into values, pools them, and gathers what the run
// folder keeps.
func (e *engine) score(cells []cell) *Result {
	res := &Result{Usage: e.gate.Usage(), Table: table.New(e.bench.Name(), e.opt.Seed)}
	for _, a := range e.opt.Answers {
		res.FromFiles = append(res.FromFiles, a.System)
	}
	metrics := e.bench.Metrics()
	if r, ok := e.bench.(datasets.Reader); ok {
		res.Table.Reading = r.Reading(false)
	}

	for n, sys := range e.systems {
		of := cellsOf(cells, n) // cells lie by system, and so do the answers
		for j, name := range e.judgeNames {
			judged := datasets.Judged{System: sys.System, Judge: name}
			res.Table.Rows = append(res.Table.Rows, newRow(judged, of, j, metrics, e.opt.Seed))
			lines := make([]store.TaskVerdicts, len(of))
			parallel.Each(len(of), func(i int) { lines[i] = of[i].verdictLine(judged, j) })
			res.Verdicts = append(res.Verdicts, lines...)
		}
		lines := make([]store.Answer, len(of))
		parallel.Each(len(of), func(i int) { lines[i] = of[i].answerLine(sys.System) })
		res.Answers = append(res.Answers, lines...)
	}

	res.Contexts = e.contextLines(cells)
	res.Shown = e.keepShown(cells, res.Answers)
	res.Manifest = e.manifest()
	return res
}

func cellsOf(cells []cell, system int) []cell {
	var out []cell
	for _, c := range cells {
		if c.system == system {
			out = append(out, c)
		}
	}
	return out
}

// newRow is the row of a system as one judge sees it.
func newRow(of datasets.Judged, cells []cell, judge int, metrics []datasets.Metric, seed uint64) table.Row {
	row := table.Row{Judged: of, Items: len(cells)}
	for _, c := range cells {
		if c.failed() {
			row.ItemsFailed++
		}
		if c.evidence.Output.Cut {
			row.ItemsCut++
		}
	}

	if len(cells) > 0 {
		row.Scores = make([]table.ItemScores, len(cells))
	}
	parallel.Each(len(cells), func(i int) {
		c := cells[i]
		values := table.Group(c.item, c.item.Score(c.evidence, c.verdicts[judge]), metrics)
		values.Facets = c.item.Facets(c.evidence)
		row.Scores[i] = values
	})
	row.Pool(metrics, seed)
	return row
}

// verdictLine is a line of verdicts.jsonl.
func (c *cell) verdictLine(of datasets.Judged, by int) store.TaskVerdicts {
	v := c.verdicts[by]
	line := store.TaskVerdicts{
		Judged:   of,
		Item:     c.item.ID(),
		Verdicts: v[judge.Answer],
		Points:   v[judge.Points],
		Held:     v[judge.Held],
		Asked:    v[judge.AsAsked],
		Notes:    c.item.Notes(c.evidence, v),
	}
	for _, t := range c.tasks {
		if t.Subject == judge.Answer {
			line.Questions = t.Questions
		}
	}
	return line
}

// answerLine is a line of answers.jsonl.
func (c *cell) answerLine(of datasets.System) store.Answer {
	out, ctx := c.evidence.Output, c.evidence.Context
	a := store.Answer{
		System:        of,
		Item:          c.item.ID(),
		Title:         c.item.Title(),
		Group:         c.item.Group(),
		Outcome:       out.Outcome,
		Reason:        out.Reason,
		Text:          out.Text,
		Documents:     []string{},
		ContextTokens: ctx.Tokens,
		Dropped:       ctx.Dropped,
		Cut:           ctx.Cut,
		CutTokens:     ctx.CutTokens,
		Measures:      out.Measures,
		Points:        out.Points,
		Notes:         slices.Concat(c.item.Notes(c.evidence, nil), c.notes),
	}
	if out.Cut {
		a.Outcome, a.CutScored = local.Cut, true
	}
	read := datasets.Read(c.item, c.evidence)
	a.Parts, a.Cites = read.Parts, read.Marks
	a.PromptTokens, a.OutputTokens = c.usage.PromptTokens, c.usage.OutputTokens
	for _, t := range c.tasks {
		if t.Subject == judge.Answer && len(t.Units) > 1 && !slices.Equal(t.Units, a.Lines()) {
			a.Units = t.Units
		}
	}
	for _, p := range ctx.Passages {
		a.Documents = append(a.Documents, p.Label)
	}
	return a
}
