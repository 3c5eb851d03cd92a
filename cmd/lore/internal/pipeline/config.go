package pipeline

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"lore/cmd/lore/internal/usage"
	"lore/embed"
	"lore/index"
)

// Config says how pipelines are opened.
type Config struct {
	Analyzer  string // text analyser of BM25 and lexical vectors
	BM25      index.BM25Params
	IndexDir  string // of indexes and vectors on disk
	Embedding Embedding
	Seed      uint64
	Prompts   fs.FS // replaces built-in prompts by name; may be nil
	Console   usage.Console
}

// Embedding says how texts become vectors.
type Embedding struct {
	Windows  embed.Windows
	Engine   embed.Engine
	Prefixes embed.Prefixes // before queries and passages, of all embedders
}

// Check refuses parameters, analysers and engines that do not exist.
func (c Config) Check() error {
	if err := c.BM25.Check(); err != nil {
		return usage.Errorf("%v", err)
	}
	if !slices.Contains(index.Analyzers, c.Analyzer) {
		return usage.Unknown("analyser", c.Analyzer, index.Analyzers)
	}
	if err := c.Embedding.Windows.Check(); err != nil {
		return usage.Errorf("%v", err)
	}

	runtimes := []string{embed.Hugot, embed.ONNXRuntime}
	if r := c.Embedding.Engine.Runtime; r != "" && !slices.Contains(runtimes, r) {
		return usage.Unknown("runtime", r, runtimes)
	}
	return nil
}

// Check refuses pipelines that would write one file.
func Check(pipelines []Pipeline) error {
	taken := map[string]string{}
	for _, p := range pipelines {
		other, twice := taken[p.File()]
		switch {
		case twice && other == p.Name:
			return usage.Errorf("the retriever %q is named twice", p.Name)
		case twice:
			return usage.Errorf("the retrievers %q and %q would write one file; "+
				"give one of them another name with --pipelines", other, p.Name)
		}
		taken[p.File()] = p.Name
	}
	return nil
}

// CheckRanking refuses pipelines that say what a generator is shown, where documents are
// only ranked.
func CheckRanking(pipelines []Pipeline) error {
	for _, p := range pipelines {
		if p.Shape.Kind != "" {
			return usage.Errorf("%s is about what a generator is shown; "+
				"leave it out where documents are only ranked", p.Shape.Kind)
		}
	}
	return nil
}

// ParseList reads a comma list of pipelines, and those of a YAML file if one is named.
func ParseList(list, file string) ([]Pipeline, error) {
	var out []Pipeline
	for _, text := range SplitList(list) {
		p, err := Parse(text)
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	if file == "" {
		return out, nil
	}

	more, err := ReadFile(file)
	return append(out, more...), err
}

// Names lists the pipelines' names.
func Names(pipelines []Pipeline) []string {
	out := make([]string, len(pipelines))
	for i, p := range pipelines {
		out[i] = p.Name
	}
	return out
}

// File is the name of the pipeline's run file, without its ending.
func (p Pipeline) File() string { return FileName(p.Name) }

// FileName makes a name safe for a file.
func FileName(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', strings.ContainsRune("-_.", r):
			return r
		}
		return '_'
	}, name)
}

// ParseStages reads stages as they follow a retriever: "rerank:cross:DIR>mmr:0.5"; none
// is empty.
func ParseStages(text string) ([]Stage, error) {
	if text == "" {
		return nil, nil
	}
	p, err := Parse(fmt.Sprintf("recorded:%s>%s", candidates, text))
	if err == nil && p.Shape.Kind != "" {
		err = usage.Errorf("%q does not order documents; it says what is shown of them", text)
	}
	return p.Stages, err
}
