package main

import (
	"slices"
	"strings"

	"lore/cmd/lore/internal/report"
	"lore/cmd/lore/internal/store"
	"lore/cmd/lore/internal/table"
	"lore/cmd/lore/internal/usage"
	"lore/datasets"
)

// tellApart names the blocks of a judge that measured in several ways by their runs, and says what sets each apart
// from the first.
func (found *comparison) tellApart() {
	for i := range found.blocks {
		b := &found.blocks[i]
		first := slices.IndexFunc(found.blocks, func(o table.Block) bool { return o.Judge == b.Judge })
		again := slices.ContainsFunc(found.blocks[i+1:], func(o table.Block) bool { return o.Judge == b.Judge })
		if first == i && !again {
			continue
		}
		b.Which = ", in " + usage.Line(strings.Join(found.runsOf(*b), ", "))
		if first < i {
			here, there := b.Systems[0].Run, found.blocks[first].Systems[0].Run
			b.Note = "Not tested against the systems of " + usage.Line(found.names[there]) + ", which were measured otherwise: " +
				strings.Join(report.Otherwise(found.runs[here], found.runs[there], b.Systems[0].Row.Judge, found.bench), "; ") + "."
		}
	}
}

// runsOf names the runs of a block's systems, each once.
func (found *comparison) runsOf(b table.Block) []string {
	var out []string
	for _, s := range b.Systems {
		if name := found.names[s.Run]; !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// unlikeSystems are systems that are tested against none of those measured otherwise, for programs.
type unlikeSystems struct {
	Judge   string   `json:"judge,omitempty"`
	Systems []string `json:"systems"`
	Why     string   `json:"why"` // against the first systems of the judge
}

// untested lists the systems that were not measured as the first ones of their judge; empty where all were.
func (found *comparison) untested() []unlikeSystems {
	out := []unlikeSystems{}
	for _, b := range found.blocks {
		if b.Note == "" {
			continue
		}
		u := unlikeSystems{Judge: b.Judge, Why: b.Note}
		for _, s := range b.Systems {
			u.Systems = append(u.Systems, s.Name)
		}
		out = append(out, u)
	}
	return out
}

// judges says what is known of the judges of the runs, which are over the same data: in one table for the runs that
// asked by the same prompts.
func (found *comparison) judges() []datasets.Grid {
	var out []datasets.Grid
	var groups [][]int
	for i, r := range found.runs {
		same := func(g []int) bool { return sameJudgePrompts(found.runs[g[0]].Manifest, r.Manifest) }
		if at := slices.IndexFunc(groups, same); at >= 0 {
			groups[at] = append(groups[at], i)
		} else {
			groups = append(groups, []int{i})
		}
	}
	for _, g := range groups {
		grid := report.JudgeNotes(found.together(g))
		if len(groups) > 1 {
			var names []string
			for _, i := range g {
				names = append(names, found.names[i])
			}
			grid.Title += " (" + usage.Line(strings.Join(names, ", ")) + ")"
		}
		out = append(out, grid)
	}
	return out
}

// sameJudgePrompts reports whether two runs ask judges by the same prompts.
func sameJudgePrompts(a, b store.Manifest) bool {
	for _, m := range []store.Manifest{a, b} {
		for name := range m.Prompts {
			if strings.HasPrefix(name, "judge/") && a.Prompts[name] != b.Prompts[name] {
				return false
			}
		}
	}
	return true
}

// together are some runs as one, for what is said of their judges.
func (found *comparison) together(runs []int) report.Run {
	first := found.runs[runs[0]].Manifest
	all := report.Run{Manifest: store.Manifest{Texts: first.Texts, Prompts: first.Prompts}}
	for _, i := range runs {
		r := found.runs[i]
		all.Manifest.Judges = append(all.Manifest.Judges, r.Manifest.Judges...)
		all.Manifest.Generators = append(all.Manifest.Generators, r.Manifest.Generators...)
		all.Verdicts = append(all.Verdicts, r.Verdicts...)
		all.Table.Rows = append(all.Table.Rows, r.Table.Rows...)
		for _, k := range r.Measured {
			if !slices.Contains(all.Measured, k) {
				all.Measured = append(all.Measured, k)
			}
		}
	}
	return all
}
