// Package accept decides whether a run is as good as rules say, most of them in comparison
// with a baseline: it is what lore gate does, and has nothing to do with the gate of model calls.
package accept

import (
	"slices"

	"lore/cmd/lore/internal/table"
	"lore/datasets"
)

// Outcome is what becomes of a rule, and of all of them.
type Outcome string

// Outcomes, from best to worst.
const (
	Pass       Outcome = "pass"
	CannotTell Outcome = "cannot tell" // the items do not show whether the rule holds
	Broken     Outcome = "broken"
)

// Finding is what was found of one rule. Figures are in the units that tables show, percent
// metrics in points; null is undefined.
type Finding struct {
	Rule    string  `json:"rule"`
	Kind    Kind    `json:"kind"`
	Metric  string  `json:"metric,omitempty"`
	Outcome Outcome `json:"outcome"`
	Why     string  `json:"why"`
	Limit   float64 `json:"limit"`

	Value    *float64 `json:"value"`              // of the run; for a drop, over the shared units
	Baseline *float64 `json:"baseline,omitempty"` // over the shared units
	Drop     *float64 `json:"drop,omitempty"`     // baseline minus value

	// Low and High are one-sided bounds of the drop, or of the value where the rule is a bound.
	Low  *float64 `json:"low,omitempty"`
	High *float64 `json:"high,omitempty"`

	// Least is the minimum detectable change. Of a drop rule: the smallest limit that a run without
	// any drop meets in 80 % of cases. Of a bound: how far beyond the limit a system must be to pass in 80 %,
	// and nil where no system can pass with so few items.
	Least *float64 `json:"minimum_detectable,omitempty"`
	Power *float64 `json:"power,omitempty"` // percent of cases in which a run without any drop passes

	N        int    `json:"n,omitempty"` // units
	Unit     string `json:"clustered_by,omitempty"`
	Clusters int    `json:"clusters,omitempty"`
	Missing  int    `json:"n_missing,omitempty"` // values that the baseline has, or a bound needs, and the run does not

	// Of the guard of critical items: what a unit is, and which fell.
	Asks  string `json:"unit_is,omitempty"`
	Falls []Fall `json:"falls,omitempty"`
}

// Fall is a verdict on a critical item that went from the best label to the worst.
type Fall struct {
	Item  string `json:"item"`
	Title string `json:"title,omitempty"` // of the item
	Unit  string `json:"unit"`
	Text  string `json:"text,omitempty"` // of the unit, such as the insight
}

// Report is what was found of all rules.
type Report struct {
	Outcome   Outcome `json:"outcome"`
	ExitCode  int     `json:"exit_code"`
	Benchmark string  `json:"benchmark"`
	System    string  `json:"system"`
	Judge     string  `json:"judge"`
	Run       string  `json:"run"`
	Level     float64 `json:"level"`

	Baseline       string `json:"baseline,omitempty"`
	BaselineSystem string `json:"baseline_system,omitempty"`
	Shared         int    `json:"items_shared"`
	OnlyRun        int    `json:"items_of_the_run_alone"`
	OnlyBaseline   int    `json:"items_of_the_baseline_alone"`
	SameAnswers    int    `json:"same_answers"` // of the shared items

	Findings []Finding `json:"rules"`
	Warnings []string  `json:"warnings,omitempty"`

	// Lenient says that what cannot be told does not stop the pipeline.
	Lenient bool `json:"cannot_tell_passes"`
}

// Draws is how often the weights of a bound are drawn: so often that the seed moves it by a
// hundredth of itself at most.
const Draws = 50_000

// Design says how rules are tested.
type Design struct {
	Unit  string  // what is drawn at random: table.ByItem or table.ByGroup
	Level float64 // chance of a wrong pass, in (0,0.5)
	Draws int     // of the bounds
	Seed  uint64
}

// Judge holds a run against rules. The baseline may be nil where no rule needs one; critical
// lists items, none of whose verdicts may fall from the best label to the worst.
func Judge(rules []Rule, critical []string, run Subject, baseline *Subject, metrics []datasets.Metric, how Design) (
	Report, error) {
	out := Report{
		Benchmark: run.Benchmark,
		System:    run.System.String(),
		Judge:     run.Judge,
		Run:       run.From,
		Level:     how.Level,
	}
	if baseline != nil {
		out.Baseline, out.BaselineSystem = baseline.From, baseline.System.String()
		out.count(run, *baseline)
	}

	for _, r := range rules {
		aim, err := r.Resolve(metrics)
		if err != nil {
			return out, err
		}
		f := Finding{Rule: r.Text, Kind: r.Kind, Limit: r.Limit, Metric: aim.name()}
		switch r.Kind {
		case Drop:
			testDrop(&f, aim.metric, run, *baseline, how)
		case Bound:
			testBound(&f, r, aim.metric, run, how)
		case Count:
			testCount(&f, r, aim.count, run, metrics)
		}
		out.Findings = append(out.Findings, f)
	}
	if len(critical) > 0 {
		out.Findings = append(out.Findings, guard(critical, run, *baseline))
	}

	out.Outcome = worst(out.Findings)
	return out, nil
}

// worst is the outcome of all rules: that of the worst one.
func worst(of []Finding) Outcome {
	has := func(o Outcome) bool {
		return slices.ContainsFunc(of, func(f Finding) bool { return f.Outcome == o })
	}
	switch {
	case has(Broken):
		return Broken
	case has(CannotTell):
		return CannotTell
	}
	return Pass
}

// count counts the items of both, and those answered alike.
func (r *Report) count(run, baseline Subject) {
	before := baseline.byID()
	for _, it := range run.Items {
		was, ok := before[it.ID]
		switch {
		case !ok:
			r.OnlyRun++
			continue
		case was.Answer == it.Answer && !it.Failed:
			r.SameAnswers++
		}
		r.Shared++
	}
	r.OnlyBaseline = len(baseline.Items) - r.Shared
}

// defined turns NaN into nil, which JSON writes as null.
func defined(v float64) *float64 {
	if v != v {
		return nil
	}
	return &v
}

// scale leads from a metric's unit to what is shown: shares are shown times 100.
func scale(m datasets.Metric) float64 {
	if m.Percent {
		return 100
	}
	return 1
}

// clustered names what is resampled together.
func (d Design) clustered(it Item) string {
	if d.Unit == table.ByGroup {
		return it.Group
	}
	return it.ID
}
