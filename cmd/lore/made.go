package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"lore/cmd/lore/internal/workshop"
	"lore/datasets"
	"lore/local/files"
)

// made says how a dataset was built, and with what outcome: so that two can be told apart, and the tables of
// the build are there when the screen is gone. It has no times: a build that was resumed writes the same.
type made struct {
	Format  int                 `json:"format"`
	Lore    string              `json:"lore"`
	Command string              `json:"command"`
	Flags   map[string]string   `json:"flags"` // with their values, but for those by which a model is reached
	Models  []workshop.MadeWith `json:"models"`
	Prompts map[string]string   `json:"prompts_sha256"`
	Tables  []madeTable         `json:"tables"`
}

// madeTable is a table of a build.
type madeTable struct {
	Title string     `json:"title,omitempty"`
	Head  []string   `json:"head"`
	Rows  [][]string `json:"rows"`
	Note  string     `json:"note,omitempty"`
}

// madeFormat is the version of made.
const madeFormat = 1

// reaching are flags that do not bear on what is made.
var reaching = []string{
	"allow-host", "cache", "estimate", "help", "host", "index-dir", "json", "keep-trying", "max-failures", "no-probe", "out",
	"progress", "retry-failed", "slots",
}

// writeMade writes how a build was made beside what it made.
func writeMade(c *cobra.Command, w *workshop.Workshop, folder string, tables []datasets.Grid) error {
	m := made{
		Format:  madeFormat,
		Lore:    versionText(),
		Command: c.CommandPath(),
		Flags:   map[string]string{},
		Models:  w.Models(),
		Prompts: w.PromptHashes(),
	}
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Value.String() != "" && !slices.Contains(reaching, f.Name) {
			m.Flags[f.Name] = f.Value.String()
		}
	})
	for _, t := range tables {
		m.Tables = append(m.Tables, madeTable{t.Title, t.Head, t.Rows, t.Note})
	}

	data, err := json.MarshalIndent(m, "", " ")
	if err != nil {
		return fmt.Errorf("encode %s: %w", datasets.BuildFile, err)
	}
	return files.WriteFile(filepath.Join(folder, datasets.BuildFile), append(data, '\n'))
}
