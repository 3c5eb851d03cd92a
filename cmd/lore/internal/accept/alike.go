package accept

import (
	"fmt"
	"slices"
	"strings"

	"lore/cmd/lore/internal/report"
	"lore/cmd/lore/internal/usage"
)

// Comparable refuses a baseline that says nothing of the run: another benchmark, other data,
// another judge or other settings of how is measured, or no item of both. Warnings are
// what may matter.
func Comparable(run, baseline Subject) (warnings []string, err error) {
	refuse := func(format string, args ...any) error {
		return usage.Errorf("%s cannot be the baseline of %s: %s", baseline.From, run.From, fmt.Sprintf(format, args...))
	}
	switch {
	case run.Benchmark != baseline.Benchmark:
		return nil, refuse("it is of the benchmark %s, the run of %s", baseline.Benchmark, run.Benchmark)
	case run.DataHash != baseline.DataHash:
		return nil, refuse("it is over other data (SHA-256 %.8s there, %.8s here); make a new baseline with --save-baseline",
			baseline.DataHash, run.DataHash)
	case run.Judge != baseline.Judge:
		return nil, refuse("it was judged by %s, the run by %s; no two judges have the same scale", baseline.Judge, run.Judge)
	}

	if diff := report.Differing(run.Measured, baseline.Measured); len(diff) > 0 {
		return nil, refuse("it was measured otherwise: %s; make a new baseline with --save-baseline", strings.Join(diff, "; "))
	}
	before := baseline.byID()
	if !slices.ContainsFunc(run.Items, func(it Item) bool { _, ok := before[it.ID]; return ok }) {
		return nil, refuse("they share no items")
	}

	if run.Lore != baseline.Lore {
		warnings = append(warnings, fmt.Sprintf("lore %s made the baseline and lore %s the run: "+
			"CHANGELOG.md says which figures changed", baseline.Lore, run.Lore))
	}
	return warnings, nil
}
