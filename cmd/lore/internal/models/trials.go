package models

import (
	"context"
	"strings"

	"lore/cmd/lore/internal/rehearsal"
	"lore/cmd/lore/internal/usage"
	"lore/local/ollama"
)

// Trials are how a rehearsal asks the models of a server: a door to them, and a list of those that
// are in its memory. keep says whether replies are kept in the cache.
func Trials(cfg Config) (
	open func(ctx context.Context, keep bool) (rehearsal.Door, error), loaded func(context.Context) []string,
) {
	cfg.Dry, cfg.Windows, cfg.Console = nil, nil, usage.Console{}
	open = func(ctx context.Context, keep bool) (rehearsal.Door, error) {
		set := New(cfg)
		if _, err := set.Client(ctx); err != nil {
			return nil, err
		}
		return set.OpenTrial(keep)
	}
	loaded = func(ctx context.Context) []string {
		c, err := New(cfg).Client(ctx)
		if err != nil {
			return nil // nobody knows, and it only makes a range wider
		}
		running, err := c.Running(ctx)
		if err != nil {
			return nil
		}
		var out []string
		for _, m := range running {
			out = append(out, ollama.BackendName+":"+strings.TrimSuffix(m.Name, ":latest"))
		}
		return out
	}
	return open, loaded
}

// Sizes are the bytes of the models that a server has, by ollama:NAME; nil where it does not tell.
func Sizes(ctx context.Context, cfg Config) map[string]int64 {
	cfg.Console = usage.Console{}
	c, err := New(cfg).Client(ctx)
	if err != nil {
		return nil
	}
	list, err := c.Models(ctx)
	if err != nil {
		return nil
	}
	out := map[string]int64{}
	for _, m := range list {
		out[ollama.BackendName+":"+strings.TrimSuffix(m.Name, ":latest")] = m.Size
	}
	return out
}
