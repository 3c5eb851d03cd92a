package main

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"lore/cmd/lore/internal/store"
	"lore/cmd/lore/internal/usage"
)

// progressFlag adds --progress to a command that may take long.
func progressFlag(c *cobra.Command) {
	var mode string
	group(c, outputFlags, func(fl *pflag.FlagSet) {
		namesVar(fl, &mode, "progress", usage.Modes, "", "how far it is, on stderr: "+strings.Join(usage.Modes, ", ")+
			" (default: bar on a terminal, else plain if it takes over 10 s)")
	})
	c.PreRunE = func(c *cobra.Command, _ []string) error {
		if mode == "" {
			return nil
		}
		return usage.SetMode(c.ErrOrStderr(), mode)
	}
}

// markOf is how far a run is, for whoever looks at its folder.
func markOf(console usage.Console) store.Mark {
	s := console.State()
	m := store.Mark{Calls: s.Asked + s.Kept, FailedCalls: s.Failed}
	if s.Planned {
		share := 100 * s.Share
		m.Share = &share
	}
	m.LeftLow, m.LeftHigh = usage.Bounds(s.Left)
	return m
}
