package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"lore/cmd/lore/internal/models"
	"lore/cmd/lore/internal/prompts"
	"lore/cmd/lore/internal/usage"
	"lore/datasets"
	"lore/judge/llm"
)

// checkPrompts fills in for the first item what versions of prompts say, so that a prompt that asks for
// what there is not is told of before anything is asked. Prompts that are filled in for no item of a
// run, such as a reranker's, are left to those who use them. unused are notes on prompts of judges by which
// no judge of the run asks anything.
func checkPrompts(ctx context.Context, bench datasets.Benchmark, items []datasets.Item, versions []prompts.Version,
	judges []string) (unused []string, err error) {
	if len(items) == 0 {
		return nil, nil
	}
	lib, err := prompts.Of(bench)
	if err != nil {
		return nil, err
	}
	told := slices.ContainsFunc(judges, func(j string) bool { return slices.ContainsFunc(models.SplitJudge(j), models.IsServed) })
	s := shownItem{bench, items[0]}
	for _, v := range versions {
		for _, name := range slices.Sorted(maps.Keys(v.Texts)) {
			if !slices.Contains(lib.Names, name) {
				continue // it is another benchmark's
			}
			_, err := s.fill(ctx, v, name)
			other := isOther(err)
			if err != nil && !other {
				return nil, v.Locate(err)
			}
			switch _, ofJudge := llm.KindOf(name); {
			case !ofJudge:
			case !told:
				unused = append(unused, fmt.Sprintf("%s is not used: no judge of this run is a model (--judge %s)",
					v.Place(name), strings.Join(judges, ",")))
			case other:
				unused = append(unused, fmt.Sprintf("%s is not used: %v", v.Place(name), err))
			}
		}
	}
	return unused, nil
}

// tellLacks warns of prompts of a study that hide from models what lore's own show them, as its runs will.
func (s *studied) tellLacks() error {
	console := usage.NewConsole(s.c.ErrOrStderr()).Once()
	for _, p := range s.runs {
		lib, err := prompts.Of(p.bench)
		if err != nil {
			return err
		}
		for _, v := range p.opt.Prompts {
			for _, lack := range v.Lacks(lib) {
				console.Warn(lack)
			}
		}
	}
	return nil
}
