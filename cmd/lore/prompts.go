package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"

	"lore/cmd/lore/internal/report"
	"lore/cmd/lore/internal/usage"
	"lore/datasets"
	"lore/datasets/all"
	"lore/index/condense"
	"lore/index/rerank"
	"lore/judge/llm"
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
