package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"lore/cmd/lore/internal/report"
	"lore/cmd/lore/internal/usage"
	"lore/datasets"
	"lore/datasets/all"
	"lore/index/condense"
	"lore/index/rerank"
	"lore/judge/llm"
	"lore/local/files"
)

func newPrompts() *cobra.Command {
	return parent("prompts", "List and show the prompts that models are given",
		"A prompt is a file of its own. --prompts DIR replaces those that DIR holds under the same\n"+
			"name, such as DIR/summhay/answer.txt; the manifest of a run holds the hash of each.",
		"  lore prompts list\n  lore prompts show summhay/answer.txt",
		newPromptsList(), newPromptsShow())
}

// builtInPrompts are the folders of prompts that come with lore.
func builtInPrompts() []fs.FS {
	out := []fs.FS{llm.Prompts(), rerank.Prompts(), condense.Prompts()}
	for _, e := range all.Entries {
		out = append(out, e.Prompts())
		for _, v := range e.Verbs {
			if v.Prompts != nil {
				out = append(out, v.Prompts)
			}
		}
	}
	return out
}

// promptNames lists prompts in the order of their folders.
func promptNames() (names []string, data map[string][]byte, err error) {
	data = map[string][]byte{}
	for _, dir := range builtInPrompts() {
		err := fs.WalkDir(dir, ".", func(p string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || data[p] != nil {
				return err
			}
			names = append(names, p)
			data[p], err = fs.ReadFile(dir, p)
			return err
		})
		if err != nil {
			return nil, nil, fmt.Errorf("list the prompts: %w", err)
		}
	}
	return names, data, nil
}

// checkPrompts refuses a folder with a file that replaces no prompt: a misspelt one would
// be ignored. Hidden files, such as an editor's, are left alone.
func checkPrompts(dir string) error {
	known, _, err := promptNames()
	if err != nil {
		return err
	}
	names, err := files.List(dir)
	if err != nil {
		return err
	}

	for _, name := range names {
		hidden := slices.ContainsFunc(strings.Split(name, "/"), func(p string) bool { return strings.HasPrefix(p, ".") })
		if hidden || slices.Contains(known, name) {
			continue
		}
		remedy := "lore prompts list names all prompts"
		if near := nearestPrompt(name, known); near != "" {
			remedy = "did you mean " + near + "? " + remedy
		}
		return &files.Error{File: filepath.Join(dir, filepath.FromSlash(name)), Msg: "replaces no prompt", Remedy: remedy}
	}
	return nil
}

// nearestPrompt is that of the same name in another folder, or the most similar one.
func nearestPrompt(name string, known []string) string {
	if near := usage.Nearest(name, known); near != "" {
		return near
	}
	for _, k := range known {
		if path.Base(k) == path.Base(name) {
			return k
		}
	}
	return ""
}

func newPromptsList() *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Short:   "Name every prompt, with its hash and length",
		Example: "  lore prompts list",
		Args:    usageArgs(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			names, data, err := promptNames()
			if err != nil {
				return err
			}
			g := datasets.Grid{Head: []string{"prompt", "words", "SHA-256"}}
			for _, n := range names {
				sum := sha256.Sum256(data[n])
				words := len(strings.Fields(string(data[n])))
				g.Rows = append(g.Rows, []string{n, fmt.Sprint(words), hex.EncodeToString(sum[:])[:12]})
			}
			report.Text(c.OutOrStdout(), g)
			return nil
		},
	}
}

func newPromptsShow() *cobra.Command {
	return &cobra.Command{
		Use:     "show NAME",
		Short:   "Print a prompt, to copy and change",
		Example: "  lore prompts show summhay/answer.txt",
		Args:    usageArgs(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, args []string) error {
			names, data, err := promptNames()
			if err != nil {
				return err
			}
			text, ok := data[args[0]]
			if !ok {
				return usage.Unknown("prompt", args[0], names)
			}
			_, err = c.OutOrStdout().Write(text)
			return err
		},
	}
}
