package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"lore/cmd/lore/internal/prompts"
	"lore/cmd/lore/internal/report"
	"lore/cmd/lore/internal/usage"
	"lore/datasets"
	"lore/local/files"
	"lore/local/prompt"
)

func newPrompts() *cobra.Command {
	return parent("prompts", "List, show, copy and compare the prompts that models are given",
		"A prompt is a file of its own. --prompts DIR replaces those that DIR holds under the same\n"+
			"name, such as DIR/summhay/answer.txt; the manifest of a run holds the hash of each. lore run\n"+
			"takes several such folders, and compares them.",
		"  lore prompts list summhay\n  lore prompts show summhay/answer.txt",
		newPromptsList(), newPromptsShow(), newPromptsExport(), newPromptsDiff(), newPromptsCheck())
}

func newPromptsList() *cobra.Command {
	return &cobra.Command{
		Use:     "list [BENCHMARK]",
		Short:   "Name prompts, with what they are for and what they are given",
		Example: "  lore prompts list\n  lore prompts list judge",
		Args:    usageArgs(cobra.MaximumNArgs(1)),
		RunE: func(c *cobra.Command, args []string) error {
			lib, err := prompts.All()
			if err != nil {
				return err
			}
			names := lib.Names
			if len(args) > 0 {
				if names, err = below(lib, args[0]); err != nil {
					return err
				}
			}
			g, err := promptGrid(lib, names)
			if err != nil {
				return err
			}
			report.Text(c.OutOrStdout(), g)
			return nil
		},
	}
}

// below are the prompts that a word means.
func below(lib prompts.Library, word string) ([]string, error) {
	names := lib.Below(word)
	if len(names) == 0 {
		var known []string
		for _, n := range lib.Names {
			folder, _, _ := strings.Cut(n, "/")
			if !slices.Contains(known, folder) {
				known = append(known, folder)
			}
		}
		return nil, usage.Unknown("folder of prompts", word, known)
	}
	return names, nil
}

// promptGrid is the table of prompts.
func promptGrid(lib prompts.Library, names []string) (datasets.Grid, error) {
	g := datasets.Grid{
		Head: []string{"prompt", "for", "given", "words", "SHA-256"},
		Note: "given: what lore's own prompt asks for; one of yours that asks for what there is not is told what there is.",
	}
	for _, n := range names {
		p, err := prompt.Parse(n, lib.Texts[n])
		if err != nil {
			return g, err
		}
		sum := sha256.Sum256([]byte(lib.Texts[n]))
		words := len(strings.Fields(lib.Texts[n]))
		g.Rows = append(g.Rows, []string{n, prompts.Purpose(n), strings.Join(p.Placeholders(), " "), fmt.Sprint(words),
			hex.EncodeToString(sum[:])[:12]})
	}
	return g, nil
}

// copyFlags say what is copied.
type copyFlags struct{ all, force bool }

func newPromptsExport() *cobra.Command {
	var f copyFlags
	c := &cobra.Command{
		Use:   "export BENCHMARK DIR",
		Short: "Write lore's own prompts into a folder, to change them",
		Long: "export writes the prompts that runs of a benchmark use, or a prompt by its name. What you leave\n" +
			"as it is does no harm: a prompt that says what lore's says is lore's.",
		Example: "  lore prompts export summhay prompts/v2\n  lore prompts export judge/coverage.txt prompts/strict",
		Args:    usageArgs(cobra.ExactArgs(2)),
		RunE:    func(c *cobra.Command, args []string) error { return copyPrompts(c, f, args[0], args[1]) },
	}
	group(c, outputFlags, func(fl *pflag.FlagSet) {
		fl.BoolVar(&f.all, "all", false, "also those of judges, rerankers and builds")
		fl.BoolVar(&f.force, "force", false, "write over files that are there")
	})
	return c
}

func copyPrompts(c *cobra.Command, f copyFlags, word, dir string) error {
	lib, err := prompts.All()
	if err != nil {
		return err
	}
	names, err := below(lib, word)
	if err != nil {
		return err
	}
	if bench, err := find(word); err == nil {
		if names, err = ofRuns(lib, bench, f.all); err != nil {
			return err
		}
	}

	var there []string
	for _, n := range names {
		if path := filepath.Join(dir, filepath.FromSlash(n)); !f.force {
			if _, err := os.Lstat(path); err == nil {
				there = append(there, path)
			}
		}
	}
	if len(there) > 0 {
		return usage.Errorf("%s: already there, and nothing was written; --force writes over them", strings.Join(there, ", "))
	}

	for _, n := range names {
		path := filepath.Join(dir, filepath.FromSlash(n))
		if err := files.MkdirAll(filepath.Dir(path)); err != nil {
			return fmt.Errorf("make the folder of %s: %w", path, err)
		}
		if err := files.WriteFile(path, []byte(lib.Texts[n])); err != nil {
			return fmt.Errorf("write %s: %w", path, err)
		}
		fmt.Fprintln(c.OutOrStdout(), usage.Line(path))
	}
	return nil
}

// ofRuns are the prompts of a benchmark's runs: those of its own, or all that they may use, with those
// of its builds.
func ofRuns(lib prompts.Library, bench datasets.Benchmark, all bool) ([]string, error) {
	own := prompts.OfRun(bench)
	if !all {
		own = own[:1]
	}
	var out []string
	for _, dir := range own {
		names, err := prompts.Names(dir)
		if err != nil {
			return nil, err
		}
		out = append(out, names...)
	}
	for _, n := range lib.Below(bench.Name()) {
		if all && !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out, nil
}

func newPromptsDiff() *cobra.Command {
	return &cobra.Command{
		Use:   "diff A B",
		Short: "Show in what two versions differ",
		Long: "diff compares two folders of prompts, by path or by name below prompts/, or builtin for lore's\n" +
			"own. What a folder does not hold is lore's own in it.",
		Example: "  lore prompts diff builtin v2",
		Args:    usageArgs(cobra.ExactArgs(2)),
		RunE: func(c *cobra.Command, args []string) error {
			lib, err := prompts.All()
			if err != nil {
				return err
			}
			var both [2]prompts.Version
			for i, name := range args {
				found, err := prompts.Parse([]string{name}, ".", "")
				if err != nil {
					return err
				}
				both[i] = found[0]
			}

			some := false
			for _, name := range lib.Names {
				a, _ := both[0].Text(lib, name)
				b, _ := both[1].Text(lib, name)
				if a == b {
					continue
				}
				some = true
				unified := diff.Diff(both[0].Place(name), []byte(a), both[1].Place(name), []byte(b))
				_, rest, _ := strings.Cut(string(unified), "\n") // it repeats the names
				fmt.Fprint(c.OutOrStdout(), usage.Plain(rest))
			}
			if !some {
				fmt.Fprintf(c.OutOrStdout(), "%s and %s say the same.\n", usage.Line(args[0]), usage.Line(args[1]))
			}
			return nil
		},
	}
}
