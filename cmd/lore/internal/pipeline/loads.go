package pipeline

import (
	"slices"
	"strings"

	"lore/local/ollama"
)

// Loads are the models of the server that a pipeline asks to rank, in the order in which it
// needs them.
func (p Pipeline) Loads() []string {
	out := p.Source.loads()
	for _, s := range p.Stages {
		out = append(out, s.loads()...)
	}
	return slices.Compact(out)
}

func (s Source) loads() []string {
	var out []string
	for _, part := range s.Parts {
		out = append(out, part.Loads()...)
	}
	switch s.Kind {
	case decompose, oracle1:
		if s.Arg != "" {
			out = append(out, s.Arg)
		}
	case "dense":
		out = append(out, served(s.Arg)...)
	}
	return out
}

func (s Stage) loads() []string {
	switch s.Kind {
	case crossEncoder, colbert:
		return nil
	case mmr:
		return served(strings.TrimPrefix(s.Model, "dense:"))
	}
	return []string{s.Model}
}

// served is the name behind ollama:NAME; nothing for folders.
func served(spec string) []string {
	if name, ok := strings.CutPrefix(spec, ollama.BackendName+":"); ok {
		return []string{name}
	}
	return nil
}

// Beginnings are pipelines that do the first part of this one, each up to where it needs another
// model. What they ask is kept, so that whoever runs them first asks one model after the other.
func (p Pipeline) Beginnings() []Pipeline {
	var out []Pipeline
	for n := range p.Stages {
		begun := p
		begun.Stages = slices.Clone(p.Stages[:n])
		loads := begun.Loads()
		next := p.Stages[n].loads()
		if len(loads) > 0 && len(next) > 0 && loads[len(loads)-1] != next[0] {
			out = append(out, begun)
		}
	}
	return out
}
