package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"lore/cmd/lore/internal/prompts"
	"lore/cmd/lore/internal/report"
	"lore/cmd/lore/internal/usage"
	"lore/datasets"
)

func newPrompts() *cobra.Command {
	return parent("prompts", "List and show the prompts that models are given",
		"A prompt is a file of its own. --prompts DIR replaces those that DIR holds under the same\n"+
			"name, such as DIR/summhay/answer.txt; the manifest of a run holds the hash of each.",
		"  lore prompts list\n  lore prompts show summhay/answer.txt",
		newPromptsList(), newPromptsShow())
}

func newPromptsList() *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Short:   "Name every prompt, with its hash and length",
		Example: "  lore prompts list",
		Args:    usageArgs(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			lib, err := prompts.All()
			if err != nil {
				return err
			}
			g := datasets.Grid{Head: []string{"prompt", "words", "SHA-256"}}
			for _, n := range lib.Names {
				sum := sha256.Sum256([]byte(lib.Texts[n]))
				words := len(strings.Fields(lib.Texts[n]))
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
			lib, err := prompts.All()
			if err != nil {
				return err
			}
			text, ok := lib.Texts[args[0]]
			if !ok {
				return usage.Unknown("prompt", args[0], lib.Names)
			}
			_, err = c.OutOrStdout().Write([]byte(text))
			return err
		},
	}
}
