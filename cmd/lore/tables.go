package main

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"strconv"

	"github.com/spf13/cobra"

	"lore/cmd/lore/internal/page"
	"lore/cmd/lore/internal/report"
	"lore/datasets"
	"lore/datasets/all"
	"lore/local/files"
)

// saveTables writes what lore score prints into the folder of --out: a page, Markdown, LaTeX, JSON, and as CSV a
// line per cell of every table.
func saveTables(c *cobra.Command, e all.Entry, dir string, grids []datasets.Grid, json func(io.Writer) error) error {
	if dir == "" {
		return nil
	}
	grids = datasets.Filled(grids...)
	if err := files.MkdirAll(dir); err != nil {
		return fmt.Errorf("make the folder for the tables: %w", err)
	}

	tables := page.Tables{Title: "Scores: " + e.Name(), About: e.About(), Grids: grids}
	each := func(write func(io.Writer, datasets.Grid)) func(io.Writer) error {
		return func(w io.Writer) error {
			for _, g := range grids {
				write(w, g)
			}
			return nil
		}
	}
	for _, f := range []struct {
		name  string
		write func(io.Writer) error
	}{
		{"tables.md", each(report.Markdown)},
		{"tables.tex", each(report.LaTeX)},
		{"tables.csv", func(w io.Writer) error { return report.CSV(w, cellsOf(grids)) }},
		{"tables.json", json},
		{"tables.html", tables.Write},
	} {
		var text bytes.Buffer
		if err := f.write(&text); err != nil {
			return err
		}
		if err := files.WriteFile(filepath.Join(dir, f.name), text.Bytes()); err != nil {
			return fmt.Errorf("write the tables: %w", err)
		}
	}
	fmt.Fprintf(c.ErrOrStderr(), "Tables:  %s\nRead it: %s\n", files.Quoted(dir), files.Quoted(filepath.Join(dir, "tables.html")))
	return nil
}

// cellsOf is a row per cell of several tables: which table, row and column it stands in, and what it says.
func cellsOf(grids []datasets.Grid) datasets.Grid {
	out := datasets.Grid{Head: []string{"table", "title", "row", "column", "cell"}}
	for n, g := range grids {
		for _, row := range g.Rows {
			for i := 1; i < len(row); i++ {
				out.Rows = append(out.Rows, []string{strconv.Itoa(n + 1), g.Title, row[0], g.Head[i], row[i]})
			}
		}
	}
	return out
}
