package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"lore/cmd/lore/internal/page"
	"lore/cmd/lore/internal/report"
	"lore/cmd/lore/internal/usage"
	"lore/datasets"
	"lore/datasets/all"
	"lore/local/files"
)

// tableFiles are those of a folder of tables.
var tableFiles = []string{"tables.md", "tables.tex", "tables.csv", "tables.json", "tables.html"}

// checkTables refuses a folder for tables that holds something else and no tables: it is somebody's own.
func checkTables(dir string) error {
	if dir == "" {
		return nil
	}
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return files.Unreadable(dir, err, "--out names a folder for the tables")
	}

	other := ""
	for _, e := range entries {
		switch name := e.Name(); {
		case slices.Contains(tableFiles, name), name == "calls":
			return nil
		case other == "" && !strings.HasPrefix(name, "."):
			other = name
		}
	}
	if other == "" {
		return nil
	}
	return usage.Errorf("--out %s holds %s and no tables of an earlier score; name a folder for the tables alone, such as %s",
		usage.Plain(dir), usage.Plain(other), files.Quoted(filepath.Join(dir, "tables")))
}

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
	replaced := false
	for i, write := range []func(io.Writer) error{
		each(report.Markdown),
		each(report.LaTeX),
		func(w io.Writer) error { return report.CSV(w, cellsOf(grids)) },
		json,
		tables.Write,
	} {
		var text bytes.Buffer
		if err := write(&text); err != nil {
			return err
		}
		path := filepath.Join(dir, tableFiles[i])
		if old, err := files.ReadFile(path); err == nil && !bytes.Equal(old, text.Bytes()) {
			replaced = true
		}
		if err := files.WriteFile(path, text.Bytes()); err != nil {
			return fmt.Errorf("write the tables: %w", err)
		}
	}
	if replaced {
		usage.NewConsole(c.ErrOrStderr()).Note(fmt.Sprintf("other tables of an earlier score in %s were replaced", dir))
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
