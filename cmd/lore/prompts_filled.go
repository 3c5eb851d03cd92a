package main

import (
	"context"
	"maps"
	"slices"

	"lore/cmd/lore/internal/prompts"
	"lore/cmd/lore/internal/usage"
	"lore/datasets"
)

// checkPrompts fills in for the first item what versions of prompts say, so that a prompt that asks for
// what there is not is told of before anything is asked. Prompts that are filled in for no item of a
// run, such as a reranker's, are left to those who use them.
func checkPrompts(ctx context.Context, bench datasets.Benchmark, items []datasets.Item, versions []prompts.Version) error {
	if len(items) == 0 {
		return nil
	}
	lib, err := prompts.Of(bench)
	if err != nil {
		return err
	}
	s := shownItem{bench, items[0]}
	for _, v := range versions {
		for _, name := range slices.Sorted(maps.Keys(v.Texts)) {
			if !slices.Contains(lib.Names, name) {
				continue // it is another benchmark's
			}
			if _, err := s.fill(ctx, v, name); err != nil && !isOther(err) {
				return v.Locate(err)
			}
		}
	}
	return nil
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
