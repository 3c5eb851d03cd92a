package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"lore/cmd/lore/internal/report"
	"lore/cmd/lore/internal/usage"
)

// warnUnlike tells of runs that stand in one table and whose values are not of one kind: measured otherwise by
// a judge of the same name, over other data, or over other items.
func warnUnlike(c *cobra.Command, p part) {
	console := usage.NewConsole(c.ErrOrStderr())
	first := p.Runs[0]
	for k, r := range p.Runs[1:] {
		here, there := p.dirs[k+1], p.dirs[0]
		if r.Manifest.DataHash != first.Manifest.DataHash {
			console.Warn(fmt.Sprintf("%s is over other data than %s: their values cannot be compared", here, there))
			continue
		}
		if more, fewer := without(r, first), without(first, r); more+fewer > 0 {
			console.Warn(fmt.Sprintf("%s has %d items that %s lacks, and lacks %d of its items: each mean is over the run's own items; "+
				"`lore compare` tests what they share", here, more, there, fewer))
		}

		said := map[string]bool{}
		for _, by := range judgesIn(r) {
			if !slices.Contains(judgesIn(first), by) {
				continue
			}
			diff := strings.Join(report.Otherwise(r, first, by, p.Bench), "; ")
			if diff == "" || said[diff] {
				continue
			}
			said[diff] = true
			console.Warn(fmt.Sprintf("%s is measured otherwise than %s by the judge %s, so that their values have no common scale: %s",
				here, there, by, diff))
		}
	}
}

// judgesIn are the judges of a run's table.
func judgesIn(r report.Run) (out []string) {
	for _, row := range r.Table.Rows {
		if !slices.Contains(out, row.Judge) {
			out = append(out, row.Judge)
		}
	}
	return out
}

// without counts the items that a run has values of and the other has not.
func without(r, other report.Run) int {
	of := func(r report.Run) map[string]bool {
		out := map[string]bool{}
		for _, row := range r.Table.Rows {
			for _, it := range row.Scores {
				out[it.Item] = true
			}
		}
		return out
	}
	n, there := 0, of(other)
	for id := range of(r) {
		if !there[id] {
			n++
		}
	}
	return n
}
