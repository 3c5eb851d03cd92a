// Package report shows results: text tables for a terminal, Markdown, LaTeX, CSV and JSON.
package report

import (
	"bytes"
	"fmt"
	"io"

	"lore/cmd/lore/internal/store"
	"lore/datasets"
)

// Grids are the tables below the main one. Some may have no rows.
func Grids(r Run, bench datasets.Benchmark) []datasets.Grid {
	var out []datasets.Grid
	if t, ok := bench.(datasets.Tabulator); ok {
		out = append(out, t.Tables(Systems(r.Table))...)
	}
	out = append(out, Versions(r.Table, bench)...)
	out = append(out, JudgeNotes(r), Bullets(byJudge(r.Verdicts)))
	out = append(out, languageGrid(r.Manifest.Languages))
	out = append(out, RetrievalNotes(r.Manifest)...)
	out = append(out, Diagnosis(r.Verdicts))
	return append(out, Contexts(r.Answers), Failures(r.Answers, r.Verdicts), Oddities(r.Answers))
}

// WriteMarkdown writes the report without the answers, under a title.
func WriteMarkdown(w io.Writer, title string, r Run, bench datasets.Benchmark) {
	fmt.Fprintf(w, "# %s\n\n%s\n\n", mdCell(title), mdCell(bench.About()))
	if failed := failedLine(r.Answers); failed != "" {
		fmt.Fprintf(w, "**%s**\n\n", failed)
	}
	Markdown(w, Headed(r, bench))
	for _, g := range Grids(r, bench) {
		if len(g.Rows) > 0 {
			Markdown(w, g)
		}
	}

	if len(r.Manifest.Warnings) > 0 {
		fmt.Fprint(w, "### Warnings\n\n")
		for _, s := range r.Manifest.Warnings {
			fmt.Fprintf(w, "- %s\n", mdCell(s))
		}
		fmt.Fprintln(w)
	}

	g := datasets.Grid{Title: "How it was run", Head: []string{"setting", "value"}}
	for _, s := range Settings(r.Manifest) {
		g.Rows = append(g.Rows, []string{s.Name, s.Value})
	}
	Markdown(w, g)
}

// Save stages report.md for the run folder.
func Save(f *store.Folder, r Run, bench datasets.Benchmark) error {
	var md bytes.Buffer
	WriteMarkdown(&md, bench.Name(), r, bench)
	return f.WriteFile("report.md", md.Bytes())
}
